//! Words for failures of the hot path (C32).

use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Status};

/// Keeps what failed last. Touched by failures only, so it costs nothing where all goes well.
#[derive(Debug, Default)]
pub struct LastError(Mutex<Option<Error>>);

impl LastError {
    /// Keeps the error and gives its status, for `map_err`.
    #[cold]
    pub fn keep(&self, error: Error) -> Status {
        let status = error.status;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        status
    }

    /// What was kept last.
    pub fn get(&self) -> Option<Error> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
