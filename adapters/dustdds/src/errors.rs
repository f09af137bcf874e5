//! The crate's errors in the contract's terms.

use busmark_adapter::{Error, Status};
use dust_dds::infrastructure::error::DdsError;

/// The contract's status of an error.
pub fn status(error: &DdsError) -> Status {
    match error {
        DdsError::Timeout => Status::Timeout,
        DdsError::NoData => Status::NoData,
        DdsError::Unsupported | DdsError::ImmutablePolicy => Status::Unsupported,
        DdsError::BadParameter | DdsError::InconsistentPolicy => Status::Invalid,
        DdsError::OutOfResources => Status::Resources,
        _ => Status::Failed,
    }
}

/// An error in the crate's words.
pub fn error(error: &DdsError, what: &str) -> Error {
    status(error).error(format!("Dust DDS: {what}: {error}"))
}
