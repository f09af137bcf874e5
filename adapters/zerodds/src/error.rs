//! The library's errors in the contract's terms.

use busmark_adapter::{Error, Status};
use zerodds_dcps::DdsError;

/// What kind of failure it is.
pub fn status(error: &DdsError) -> Status {
    match error {
        DdsError::Timeout => Status::Timeout,
        DdsError::NoData => Status::NoData,
        DdsError::OutOfResources { .. } => Status::Resources,
        DdsError::Unsupported { .. } | DdsError::ImmutablePolicy { .. } => Status::Unsupported,
        DdsError::BadParameter { .. }
        | DdsError::InconsistentPolicy { .. }
        | DdsError::Configuration { .. } => Status::Invalid,
        _ => Status::Failed,
    }
}

/// A failure of `what`, with the library's own words.
pub fn error(error: &DdsError, what: &str) -> Error {
    status(error).error(format!("{what}: {error}"))
}
