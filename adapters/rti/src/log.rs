//! The library's log: to standard error instead of standard output, and its first line on this thread
//! into the error message, for the library's calls return a code only.

use std::cell::RefCell;
use std::ffi::CStr;
use std::io::Write as _;

use crate::native::{Api, LoggerDevice, Text};

/// Bytes kept of what the library says: an error message of the contract has 512.
const KEPT: usize = 380;

thread_local! {
    static WORDS: RefCell<String> = const { RefCell::new(String::new()) };
}

unsafe extern "C" fn write(_: *mut LoggerDevice, message: *const Text) {
    // SAFETY: the library passes a message whose first member is a text; both live during the call.
    let text = unsafe { CStr::from_ptr(*message) }.to_string_lossy();
    let text = text.trim();
    if text.is_empty() {
        return;
    }
    // Not `eprintln!`, which panics when standard error is closed.
    let _ = writeln!(std::io::stderr(), "rti: {text}");
    let _ = WORDS.try_with(|words| {
        let Ok(mut words) = words.try_borrow_mut() else { return };
        if words.len() < KEPT {
            if !words.is_empty() {
                words.push_str("; ");
            }
            // Without the activity in brackets, which the error names too.
            let own = text.strip_prefix('[').and_then(|rest| rest.split_once("] "));
            words.extend(own.map_or(text, |(_, own)| own).chars().take(KEPT));
        }
    });
}

/// Directs the library's messages here, for good.
pub fn install(api: &Api) {
    let device =
        Box::leak(Box::new(LoggerDevice { data: std::ptr::null_mut(), write, more: [None; 6] }));
    // SAFETY: the device lives for ever, and so does this code (the adapter is never unmapped).
    unsafe { (api.logger_set_device)((api.logger)(), device) };
}

/// Forgets what was said on this thread.
pub fn forget() {
    WORDS.with_borrow_mut(String::clear);
}

/// What was said on this thread since [`forget`].
pub fn words() -> String {
    WORDS.with_borrow(Clone::clone)
}
