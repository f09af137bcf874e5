//! The library's log: to the host's (C31), and the last line of it into the error message of a domain
//! that could not be made, for its return code says "error" only.

use std::ffi::c_void;
use std::sync::{Mutex, Once, PoisonError};

use busmark_adapter::{Error, Level, log};
use cyclonedds_rust_sys::{dds_log_data_t, dds_set_log_sink};

static LAST: Mutex<String> = Mutex::new(String::new());

unsafe extern "C" fn sink(_: *mut c_void, data: *const dds_log_data_t) {
    // SAFETY: the library passes a message of `size` bytes that lives during the call.
    let line = unsafe {
        let data = &*data;
        std::slice::from_raw_parts(data.message.cast::<u8>(), data.size)
    };
    let line = String::from_utf8_lossy(line);
    let line = line.trim_end_matches(['\n', '\0']);
    log("cyclonedds", Level::Warning, line);
    line.clone_into(&mut LAST.lock().unwrap_or_else(PoisonError::into_inner));
}

/// Directs warnings and errors of the library here.
pub fn install() {
    static ONCE: Once = Once::new();
    // SAFETY: the function lives as long as the library that calls it.
    ONCE.call_once(|| unsafe { dds_set_log_sink(Some(sink), std::ptr::null_mut()) });
}

/// The last line, which is then forgotten.
pub fn take_last() -> String {
    std::mem::take(&mut *LAST.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The error with the last line, which is then forgotten.
pub fn with_last(Error { status, message }: Error) -> Error {
    let last = take_last();
    status.error(if last.is_empty() { message } else { format!("{message}: {last}") })
}
