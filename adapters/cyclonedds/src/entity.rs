//! Handles of the C library that give themselves back, and its return codes.

use std::ffi::CStr;

use busmark_adapter::{Error, Result, Status};
use cyclonedds_rust_sys::{
    DDS_RETCODE_BAD_PARAMETER, DDS_RETCODE_ILLEGAL_OPERATION, DDS_RETCODE_IMMUTABLE_POLICY,
    DDS_RETCODE_INCONSISTENT_POLICY, DDS_RETCODE_NO_DATA, DDS_RETCODE_NOT_ALLOWED_BY_SECURITY,
    DDS_RETCODE_OUT_OF_RESOURCES, DDS_RETCODE_TIMEOUT, DDS_RETCODE_UNSUPPORTED, dds_delete,
    dds_entity_t, dds_return_t, dds_strretcode,
};

/// An entity of the library; deleted when dropped.
pub struct Entity(dds_entity_t);

impl Entity {
    /// Takes the handle that `dds_create_…` returned, or turns its code into an error.
    pub fn new(handle: dds_entity_t, what: &str) -> Result<Self> {
        if handle < 0 { Err(error(handle, what)) } else { Ok(Self(handle)) }
    }

    /// For calls of the library.
    #[inline]
    pub fn raw(&self) -> dds_entity_t {
        self.0
    }
}

impl Drop for Entity {
    fn drop(&mut self) {
        // SAFETY: a handle is a number that the library checks. The return code says nothing that
        // could be acted upon here.
        unsafe { dds_delete(self.0) };
    }
}

/// The contract's status of a negative return code.
#[inline]
pub fn status(code: dds_return_t) -> Status {
    match code {
        DDS_RETCODE_TIMEOUT => Status::Timeout,
        DDS_RETCODE_NO_DATA => Status::NoData,
        DDS_RETCODE_UNSUPPORTED | DDS_RETCODE_ILLEGAL_OPERATION | DDS_RETCODE_IMMUTABLE_POLICY => {
            Status::Unsupported
        }
        DDS_RETCODE_BAD_PARAMETER | DDS_RETCODE_INCONSISTENT_POLICY => Status::Invalid,
        DDS_RETCODE_OUT_OF_RESOURCES => Status::Resources,
        _ => Status::Failed,
    }
}

/// An error in the library's words.
pub fn error(code: dds_return_t, what: &str) -> Error {
    // SAFETY: the library returns a constant text for every number.
    let text = unsafe { CStr::from_ptr(dds_strretcode(code)) }.to_string_lossy();
    let why = if code == DDS_RETCODE_NOT_ALLOWED_BY_SECURITY {
        " (its identity, permissions or governance document does not allow it)"
    } else {
        ""
    };
    status(code).error(format!("Cyclone DDS: {what}: {text}{why}"))
}

/// `Ok` for codes from 0.
#[inline]
pub fn check(code: dds_return_t) -> std::result::Result<(), Status> {
    if code < 0 { Err(status(code)) } else { Ok(()) }
}
