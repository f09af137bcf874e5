//! The library's errors in the contract's terms.

use busmark_adapter::{Error as Failure, Status};
use hdds::Error;

/// What kind of failure it is.
pub fn status(error: &Error) -> Status {
    match error {
        Error::WriteTimeout => Status::Timeout,
        Error::WouldBlock | Error::ResourceLimitExceeded(_) | Error::OutOfMemory => {
            Status::Resources
        }
        Error::Unsupported => Status::Unsupported,
        Error::BufferTooSmall
        | Error::InvalidQos(_)
        | Error::InvalidDomainId(_)
        | Error::InvalidState(_) => Status::Invalid,
        _ => Status::Failed,
    }
}

/// A failure of `what`, with the library's own words.
pub fn error(error: &Error, what: &str) -> Failure {
    status(error).error(format!("{what}: {error}"))
}
