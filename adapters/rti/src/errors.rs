//! The library's return codes in the contract's terms.

use std::ffi::c_int;

use busmark_adapter::{Error, Result, Status};

use crate::ffi::{NO_DATA, OK, Object};
use crate::log;

/// The contract's status of a `DDS_ReturnCode_t`.
#[inline]
pub fn status(code: c_int) -> std::result::Result<(), Status> {
    match code {
        OK => Ok(()),
        code => Err(failure(code)),
    }
}

#[cold]
fn failure(code: c_int) -> Status {
    match code {
        2 | 7 => Status::Unsupported,
        3 | 8 => Status::Invalid,
        5 => Status::Resources,
        10 => Status::Timeout,
        NO_DATA => Status::NoData,
        _ => Status::Failed,
    }
}

/// An error in RTI's words.
pub fn error(status: Status, what: &str) -> Error {
    let reason = log::reason();
    let reason = if reason.is_empty() { "no reason is logged".to_owned() } else { reason };
    status.error(format!("RTI Connext: {what}: {reason}"))
}

/// Fails with RTI's words unless the code is OK.
pub fn check(code: c_int, what: &str) -> Result<()> {
    status(code).map_err(|status| error(status, what))
}

/// Fails with RTI's words unless there is an object.
pub fn made(object: Object, what: &str) -> Result<Object> {
    if object.is_null() { Err(error(Status::Failed, what)) } else { Ok(object) }
}
