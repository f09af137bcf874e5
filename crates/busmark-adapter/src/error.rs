//! States and errors (clauses C3 to C5).

use std::fmt;

/// `busmark_status_e` without its OK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Status {
    /// The time allowed has passed; try again or give up.
    Timeout = 1,
    /// Nothing to take.
    NoData = 2,
    /// The adapter cannot do this; its capabilities say so too.
    Unsupported = 3,
    /// The caller's mistake.
    Invalid = 4,
    /// Out of memory, queue or handles.
    Resources = 5,
    /// The middleware, a server or a licence is missing on this host.
    Unavailable = 6,
    /// Anything else that the middleware reports.
    Failed = 7,
}

impl Status {
    /// The status behind a C value; `Ok` for 0, `Failed` for a value that the contract does not know.
    pub(crate) fn from_c(value: u32) -> std::result::Result<(), Self> {
        Err(match value {
            0 => return Ok(()),
            1 => Self::Timeout,
            2 => Self::NoData,
            3 => Self::Unsupported,
            4 => Self::Invalid,
            5 => Self::Resources,
            6 => Self::Unavailable,
            _ => Self::Failed,
        })
    }

    /// What an entry of the table gave; unsupported where the table has none (C2).
    #[inline]
    pub(crate) fn of_entry<F>(
        entry: Option<F>,
        call: impl FnOnce(F) -> u32,
    ) -> std::result::Result<(), Self> {
        entry.map_or(Err(Self::Unsupported), |entry| Self::from_c(call(entry)))
    }

    /// An error of this status with a message.
    pub fn error(self, message: impl Into<String>) -> Error {
        Error { status: self, message: message.into() }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Timeout => "timed out",
            Self::NoData => "no data",
            Self::Unsupported => "unsupported",
            Self::Invalid => "invalid",
            Self::Resources => "out of resources",
            Self::Unavailable => "unavailable",
            Self::Failed => "failed",
        })
    }
}

/// A failure outside the hot path: a status and what to tell the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What kind of failure.
    pub status: Status,
    /// What failed, in the middleware's own words where it has any, and what to do.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.status)
    }
}

impl std::error::Error for Error {}

/// Result of everything outside the hot path.
pub type Result<T> = std::result::Result<T, Error>;
