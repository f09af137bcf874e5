//! Texts across the border.

use std::ffi::{CStr, CString, c_char};

/// A C string that lives as long as the process; for constant tables only.
pub(crate) fn leak(text: &str) -> *const c_char {
    owned(text).into_raw()
}

/// A C string of `text` without interior zeros.
pub(crate) fn owned(text: &str) -> CString {
    CString::new(text.replace('\0', "")).expect("zeros were removed")
}

/// A Rust text of a C string; empty for NULL.
///
/// # Safety
/// `text` is NULL or a zero-terminated string that is valid during the call.
pub(crate) unsafe fn read(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: promised by the caller.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
