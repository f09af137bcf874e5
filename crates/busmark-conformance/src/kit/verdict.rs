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

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Self::Failed(text) | Self::Skipped(text)) = self;
        f.write_str(text)
    }
}

/// A result of the table in the contract's words: "1", "done", "timed out".
pub(crate) fn told<T: Told>(result: &Result<T, Status>) -> String {
    match result {
        Ok(value) => value.told(),
        Err(Status::NoData) => "NO_DATA".to_owned(),
        Err(status) => format!("{status:?}").to_uppercase(),
    }
}

/// What [`told`] says of a success.
pub(crate) trait Told {
    fn told(&self) -> String;
}

impl Told for () {
    fn told(&self) -> String {
        "OK".to_owned()
    }
}

impl Told for u32 {
    fn told(&self) -> String {
        self.to_string()
    }
}

impl Told for String {
    fn told(&self) -> String {
        format!("the text {self:?}")
    }
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
        Self::Failed(format!("the suite itself cannot continue: {error}"))
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
