//! The system's errors as the contract's.

use std::fmt::Display;

use busmark_adapter::{Error, Status};
use rustix::io::Errno;

/// "`what`: the system's words", with the status that fits.
pub fn os_error(what: impl Display, errno: Errno) -> Error {
    let status = match errno {
        Errno::CONNREFUSED
        | Errno::CONNRESET
        | Errno::NOENT
        | Errno::ADDRNOTAVAIL
        | Errno::HOSTUNREACH
        | Errno::NETUNREACH => Status::Unavailable,
        Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::NOBUFS => Status::Resources,
        Errno::TIMEDOUT | Errno::AGAIN | Errno::INPROGRESS => Status::Timeout,
        _ => Status::Failed,
    };
    status.error(format!("{what}: {errno}"))
}
