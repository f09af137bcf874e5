//! The crate's errors in the contract's terms.

use busmark_adapter::{Error, Status};
use rustdds::dds::{CreateError, WriteError};

/// The contract's status of a write that failed.
pub fn write_status<D>(error: &WriteError<D>) -> Status {
    match error {
        WriteError::WouldBlock { .. } => Status::Timeout,
        _ => Status::Failed,
    }
}

/// Why something could not be made, in the crate's words.
pub fn create_error(error: &CreateError, what: &str) -> Error {
    let status = match error {
        CreateError::OutOfResources { .. } => Status::Resources,
        CreateError::BadParameter { .. } => Status::Invalid,
        _ => Status::Failed,
    };
    status.error(format!("RustDDS: {what}: {error}"))
}
