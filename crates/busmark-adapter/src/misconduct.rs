//! What an adapter did on the hot path that must not be believed, in words.
//!
//! `take` has no error text, and a worker cannot stop there. The first such fact of the process is kept,
//! and asked for between the commands of a round.

use std::sync::{Mutex, PoisonError};

static FIRST: Mutex<Option<String>> = Mutex::new(None);

/// Keeps the text, unless there is one already.
#[cold]
pub(crate) fn note(text: impl FnOnce() -> String) {
    FIRST.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(text);
}

/// The first thing that an adapter of this process told which cannot be true; nothing of it was used.
pub fn misconduct() -> Option<String> {
    FIRST.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
