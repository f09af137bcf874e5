//! System calls without a safe wrapper in the standard library.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

/// Standard output as it was before [`CapturedStdout`]; -1 while it is not captured.
static SAVED: AtomicI32 = AtomicI32::new(-1);

/// While it lives, standard output goes to a file: it is the caller's, not the adapter's.
pub(crate) struct CapturedStdout(());

impl CapturedStdout {
    pub fn begin(file: &File) -> io::Result<Self> {
        flush_stdio();
        // SAFETY: plain descriptor calls; the duplicate is given back in `restore_stdout`.
        let saved = unsafe { libc::fcntl(1, libc::F_DUPFD_CLOEXEC, 3) };
        if saved < 0 {
            return Err(io::Error::last_os_error());
        }
        SAVED.store(saved, Ordering::SeqCst);
        // SAFETY: both descriptors are open.
        if unsafe { libc::dup2(file.as_raw_fd(), 1) } < 0 {
            let error = io::Error::last_os_error();
            restore_stdout();
            return Err(error);
        }
        Ok(Self(()))
    }
}

impl Drop for CapturedStdout {
    fn drop(&mut self) {
        restore_stdout();
    }
}

/// Ends a capture, if there is one.
fn restore_stdout() {
    let saved = SAVED.swap(-1, Ordering::SeqCst);
    if saved >= 0 {
        flush_stdio();
        // SAFETY: `saved` is a descriptor of ours, used for the last time.
        unsafe {
            libc::dup2(saved, 1);
            libc::close(saved);
        }
    }
}

/// Writes out what C code has left in its buffers.
pub(crate) fn flush_stdio() {
    // SAFETY: NULL means all streams.
    unsafe { libc::fflush(std::ptr::null_mut()) };
}

/// The handler of every signal, as a number.
pub(crate) fn signal_handlers() -> Vec<(i32, usize)> {
    let query = |signal| {
        // SAFETY: zeros are a valid sigaction; with a NULL new action the call only asks.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: `action` is valid for the call.
        let result = unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut action) };
        (result == 0).then_some((signal, action.sa_sigaction))
    };
    (1..=64).filter_map(query).collect()
}

/// Processor time that this thread has used.
pub(crate) fn thread_cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for the call.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Moves this thread, and all that it will start, into a network namespace of its own, which goes
/// away with them.
pub(crate) fn enter_own_network() -> io::Result<()> {
    // SAFETY: affects this thread only.
    if unsafe { libc::unshare(libc::CLONE_NEWNET) } == 0 {
        return Ok(());
    }
    Err(io::Error::last_os_error())
}
