//! What the library does not look at, by the OpenSSL that it is built with.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::{NonNull, null_mut};

use busmark_adapter::{Result, Status};

#[repr(C)]
struct Opaque {
    _private: [u8; 0],
}

unsafe extern "C" {
    fn BIO_new_mem_buf(text: *const c_void, bytes: c_int) -> *mut Opaque;
    fn BIO_free(bio: *mut Opaque) -> c_int;
    fn PEM_read_bio_X509(
        bio: *mut Opaque,
        into: *mut *mut Opaque,
        callback: *const c_void,
        password: *mut c_void,
    ) -> *mut Opaque;
    fn PEM_read_bio_PrivateKey(
        bio: *mut Opaque,
        into: *mut *mut Opaque,
        callback: *const c_void,
        password: *mut c_void,
    ) -> *mut Opaque;
    fn X509_check_private_key(certificate: *mut Opaque, key: *mut Opaque) -> c_int;
    fn X509_free(certificate: *mut Opaque);
    fn EVP_PKEY_free(key: *mut Opaque);
    fn ERR_clear_error();
}

/// Something of OpenSSL's, and how it is freed.
struct Owned(NonNull<Opaque>, unsafe fn(*mut Opaque));

impl Owned {
    fn new(made: *mut Opaque, free: unsafe fn(*mut Opaque)) -> Option<Self> {
        NonNull::new(made).map(|made| Self(made, free))
    }

    fn as_ptr(&self) -> *mut Opaque {
        self.0.as_ptr()
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: it is ours alone, and freed once.
        unsafe { (self.1)(self.as_ptr()) }
    }
}

unsafe fn free_bio(bio: *mut Opaque) {
    // SAFETY: the caller's.
    unsafe { BIO_free(bio) };
}

unsafe fn free_certificate(certificate: *mut Opaque) {
    // SAFETY: the caller's.
    unsafe { X509_free(certificate) };
}

unsafe fn free_key(key: *mut Opaque) {
    // SAFETY: the caller's.
    unsafe { EVP_PKEY_free(key) };
}

fn reading(text: &[u8]) -> Option<Owned> {
    let bytes = c_int::try_from(text.len()).ok()?;
    // SAFETY: the text outlives what is made, for both are dropped by the caller in that order.
    Owned::new(unsafe { BIO_new_mem_buf(text.as_ptr().cast(), bytes) }, free_bio)
}

/// Refuses the key of another certificate, which the library takes. What cannot be read at all is left to
/// the library, which says why.
pub fn check_pair(certificate: &[u8], key: &[u8], password: &str, key_path: &str) -> Result<()> {
    let Ok(password) = CString::new(password) else {
        return Err(Status::Invalid.error("a zero byte in the password"));
    };
    let pair = (|| {
        let (from, also) = (reading(certificate)?, reading(key)?);
        let none = std::ptr::null();
        // SAFETY: both are there; without a callback the last argument is the password as text.
        let certificate = unsafe { PEM_read_bio_X509(from.as_ptr(), null_mut(), none, null_mut()) };
        let certificate = Owned::new(certificate, free_certificate)?;
        let password: *const c_char = password.as_ptr();
        // SAFETY: as above; the text is not written to.
        let key = unsafe {
            PEM_read_bio_PrivateKey(also.as_ptr(), null_mut(), none, password.cast_mut().cast())
        };
        let key = Owned::new(key, free_key)?;
        // SAFETY: both are there.
        Some(unsafe { X509_check_private_key(certificate.as_ptr(), key.as_ptr()) } == 1)
    })();
    // SAFETY: errors of this thread alone.
    unsafe { ERR_clear_error() };
    if pair == Some(false) {
        let text = format!("private_key {key_path}: it is the key of another certificate");
        return Err(Status::Invalid.error(text));
    }
    Ok(())
}
