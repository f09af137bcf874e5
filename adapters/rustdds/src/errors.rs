//! The crate's errors in the contract's terms.

use std::fmt::Display;

use busmark_adapter::{Error, Status};
use rustdds::dds::{CreateError, ReadError, WriteError};

/// What could not be made, in the crate's words.
pub fn create_error(error: &CreateError, what: &str) -> Error {
    let status = match error {
        CreateError::OutOfResources { .. } => Status::Resources,
        CreateError::BadParameter { .. } => Status::Invalid,
        _ => Status::Failed,
    };
    described(status, error, what)
}

fn described(status: Status, error: &dyn Display, what: &str) -> Error {
    status.error(format!("RustDDS: {what}: {error}"))
}

/// The contract's status of a failed write.
pub fn write_status<D>(error: &WriteError<D>) -> Status {
    match error {
        WriteError::WouldBlock { .. } => Status::Timeout,
        _ => Status::Failed,
    }
}

/// The contract's status of a failed read.
pub fn read_status(_error: &ReadError) -> Status {
    Status::Failed
}
