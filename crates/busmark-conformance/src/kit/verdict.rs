//! How a test ends.

use busmark_adapter::{Error, Status};

/// What a test says: `Ok` with its evidence, or why it stopped.
pub(crate) type Verdict<T = String> = Result<T, Stop>;

/// Why a test stopped early.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The clause is broken.
    Failed(String),
    /// The clause cannot be tested here.
    Skipped(String),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<Status> for Stop {
    fn from(status: Status) -> Self {
        Self::Failed(format!("the adapter reports: {status}"))
    }
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(format!("the suite itself cannot go on: {error}"))
    }
}

pub(crate) fn fail<T>(text: impl Into<String>) -> Verdict<T> {
    Err(Stop::Failed(text.into()))
}

pub(crate) fn skip<T>(text: impl Into<String>) -> Verdict<T> {
    Err(Stop::Skipped(text.into()))
}

/// `ensure!(condition, "what is wrong otherwise", …)`.
macro_rules! ensure {
    ($condition:expr, $($text:tt)+) => {
        if !$condition {
            return Err($crate::kit::Stop::Failed(format!($($text)+)));
        }
    };
}
pub(crate) use ensure;
