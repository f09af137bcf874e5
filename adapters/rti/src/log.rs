//! The library's log: to the host's (C31) instead of standard output, which is Busmark's control channel
//! (C5), and at hand as the reason of an error (C3).

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;

use busmark_adapter::{Level, log};
use libloading::os::unix::{Library, RTLD_NOW};

use crate::ffi::Api;

/// Bytes kept as a reason: the first lines give the cause, the rest who passed it on.
const REASON_BYTES: usize = 400;
/// `RTLD_NODELETE`.
const NEVER_UNLOADED: c_int = 0x1000;
/// `_IOLBF`.
const LINE_BUFFERED: c_int = 1;

thread_local! {
    /// What was logged on this thread since [`forget`].
    static REASON: RefCell<String> = const { RefCell::new(String::new()) };
}

/// `cookie_io_functions_t`.
#[repr(C)]
struct StreamFunctions {
    read: *const c_void,
    write: unsafe extern "C" fn(*mut c_void, *const c_char, usize) -> isize,
    seek: *const c_void,
    close: *const c_void,
}

/// `Dl_info`.
#[repr(C)]
struct ObjectInfo {
    path: *const c_char,
    base: *const c_void,
    symbol: *const c_char,
    address: *const c_void,
}

unsafe extern "C" {
    fn fopencookie(
        cookie: *mut c_void,
        mode: *const c_char,
        functions: StreamFunctions,
    ) -> *mut c_void;
    fn setvbuf(stream: *mut c_void, buffer: *mut c_char, mode: c_int, bytes: usize) -> c_int;
    fn dladdr(address: *const c_void, info: *mut ObjectInfo) -> c_int;
}

/// Called on the thread that logs.
unsafe extern "C" fn write(_: *mut c_void, text: *const c_char, bytes: usize) -> isize {
    // SAFETY: the C library gives as many bytes.
    let text = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), bytes) };
    let words = String::from_utf8_lossy(text);
    for line in words.lines().filter(|line| !line.trim().is_empty()) {
        log("rti", Level::Warning, line);
    }
    let _ = REASON.try_with(|reason| {
        if let Ok(mut reason) = reason.try_borrow_mut()
            && reason.len() < REASON_BYTES
        {
            reason.push_str(&String::from_utf8_lossy(text));
        }
    });
    bytes as isize
}

/// The library logs here from now on; whether it does.
pub fn redirect(api: &Api) -> bool {
    let functions = StreamFunctions {
        read: std::ptr::null(),
        write,
        seek: std::ptr::null(),
        close: std::ptr::null(),
    };
    // SAFETY: the stream is never closed, and its function never unloaded.
    unsafe {
        let stream = fopencookie(null_mut(), c"w".as_ptr(), functions);
        let logger = (api.logger)();
        if stream.is_null() || logger.is_null() || !stay_loaded() {
            return false;
        }
        setvbuf(stream, null_mut(), LINE_BUFFERED, 0);
        (api.log_to)(logger, stream) != 0
    }
}

/// RTI's library outlives the adapter's, and must find the function that it logs to.
fn stay_loaded() -> bool {
    let nothing: *const c_void = std::ptr::null();
    let mut info = ObjectInfo {
        path: nothing.cast(),
        base: nothing,
        symbol: nothing.cast(),
        address: nothing,
    };
    // SAFETY: the address is one of this library, whose path lives as long as it does.
    let path = unsafe {
        if dladdr(write as *const c_void, &raw mut info) == 0 || info.path.is_null() {
            return false;
        }
        CStr::from_ptr(info.path)
    };
    let Ok(path) = path.to_str() else { return false };
    // SAFETY: it is loaded already.
    match unsafe { Library::open(Some(path), RTLD_NOW | NEVER_UNLOADED) } {
        Ok(library) => {
            std::mem::forget(library);
            true
        }
        Err(_) => false,
    }
}

/// Forgets what was logged on this thread: something new begins.
pub fn forget() {
    REASON.with_borrow_mut(String::clear);
}

/// What was logged on this thread since [`forget`], in one line.
pub fn reason() -> String {
    let text = REASON.take();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_lines_are_the_reason_until_something_new_begins() {
        let said = |text: &str| {
            // SAFETY: as many bytes as the text has.
            unsafe { write(null_mut(), text.as_ptr().cast(), text.len()) }
        };
        said("cause\n");
        said("who passed it on\n");
        assert_eq!(reason(), "cause; who passed it on");
        said("older\n");
        forget();
        assert_eq!(reason(), "");
        for _ in 0..REASON_BYTES {
            said("again\n");
        }
        assert!(reason().len() < 2 * REASON_BYTES);
    }
}
