//! What the worker asks of the operating system beyond the standard library: all of it is here, and the
//! clock in `busmark-measure`. Written for Linux; `docs/porting.md` says what another system needs.

use std::fs::File;
use std::io;

use rustix::process::{Signal, set_parent_process_death_signal};
use rustix::stdio::{dup2_stdout, stderr, stdout};

pub mod counters;
pub mod interfaces;
pub mod limits;

/// From now on the kernel ends this process when its parent goes, whatever that was doing: also where an
/// adapter hangs while it is loaded. Where it cannot, the end of standard input has to do.
pub fn end_with_parent() {
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
}

/// Standard output, moved away: what is printed from now on goes to standard error.
pub fn take_stdout() -> io::Result<File> {
    let own = rustix::io::fcntl_dupfd_cloexec(stdout(), 3)?;
    dup2_stdout(stderr())?;
    Ok(File::from(own))
}

/// The name of this host; empty where the kernel does not say it.
pub fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_owned()
}
