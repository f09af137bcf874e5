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

/// A Rust text of a C string that a library declares; empty for NULL. An error says what is not as the
/// contract allows: too long, not UTF-8, or with characters that command a terminal.
///
/// # Safety
/// `text` is NULL or a zero-terminated string that is valid during the call.
pub(crate) unsafe fn read_bounded(
    what: &str,
    text: *const c_char,
    most: usize,
) -> Result<String, String> {
    if text.is_null() {
        return Ok(String::new());
    }
    // SAFETY: promised by the caller; no byte behind the final zero is read.
    let length = (0..=most).find(|at| unsafe { text.add(*at).read() } == 0);
    let length = length.ok_or(format!("{what} is longer than {most} bytes, or has no end"))?;
    // SAFETY: as above.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    let text = std::str::from_utf8(bytes)
        .map_err(|error| format!("{what} is not UTF-8 (at byte {})", error.valid_up_to()))?;
    match text.char_indices().find(|(_, c)| c.is_control()) {
        None => Ok(text.to_owned()),
        Some((at, c)) => {
            Err(format!("{what} has the control character U+{:04X} at byte {at}", u32::from(c)))
        }
    }
}
