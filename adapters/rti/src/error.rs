//! The library's return codes in the contract's words.

use busmark_adapter::{Error, Result, Status};

use crate::log;
use crate::native::{Code, Object, code};

/// The contract's status of a return code other than OK.
pub fn status(code: Code) -> Status {
    match code {
        code::TIMEOUT => Status::Timeout,
        code::NO_DATA => Status::NoData,
        code::UNSUPPORTED | code::ILLEGAL_OPERATION | code::IMMUTABLE_POLICY => Status::Unsupported,
        code::BAD_PARAMETER | code::INCONSISTENT_POLICY => Status::Invalid,
        code::OUT_OF_RESOURCES => Status::Resources,
        _ => Status::Failed,
    }
}

/// `Ok` for the code OK; for the hot path.
#[inline]
pub fn check(code: Code) -> std::result::Result<(), Status> {
    if code == code::OK { Ok(()) } else { Err(status(code)) }
}

/// An error with what the library has said on this thread.
pub fn failure(status: Status, what: &str) -> Error {
    let words = log::words();
    // A call that returns no object says why in words only.
    let said = |what| words.to_lowercase().contains(what);
    let status = if said("license") {
        Status::Unavailable
    } else if status == Status::Failed && said("inconsistent") {
        Status::Invalid
    } else {
        status
    };
    let words = if words.is_empty() { "no reason given".to_owned() } else { words };
    status.error(format!("RTI Connext: {what}: {words}"))
}

/// Runs a call that returns a code.
pub fn call(what: &str, body: impl FnOnce() -> Code) -> Result<()> {
    log::forget();
    check(body()).map_err(|status| failure(status, what))
}

/// Runs a call that returns an object, or NULL.
pub fn object(what: &str, body: impl FnOnce() -> Object) -> Result<Object> {
    log::forget();
    let object = body();
    if object.is_null() { Err(failure(Status::Failed, what)) } else { Ok(object) }
}
