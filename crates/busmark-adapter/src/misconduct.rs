//! What an adapter did on the hot path that must not be believed, in words.
//!
//! `take` has no error text, and a worker cannot stop there. The first such fact of the process is kept,
//! and asked for between the commands of a round.

use std::sync::{Mutex, PoisonError};

static FIRST: Mutex<Option<String>> = Mutex::new(None);

/// A body came that is larger than its reader was made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oversize {
    /// Topic of the reader.
    pub topic: String,
    /// Bytes of the body.
    pub bytes: u64,
    /// Bytes of the largest body that the reader was made for.
    pub largest: u64,
}

/// Keeps the text, unless there is one already.
#[cold]
pub(crate) fn note(text: impl FnOnce() -> String) {
    FIRST.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(text);
}

/// The first thing that an adapter of this process told which cannot be true; nothing of it was used.
pub fn misconduct() -> Option<String> {
    FIRST.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
