//! System calls without a safe wrapper in the standard library.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

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

/// Time that this thread ran, or waited for a processor because it wanted to run: what a spinning
/// thread cannot hide on a busy machine. Without the kernel's account of waits, the time it ran.
pub(crate) fn thread_awake_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let mut numbers = text.split_whitespace().map_while(|word| word.parse::<u64>().ok());
    match (numbers.next(), numbers.next()) {
        (Some(ran), Some(queued)) => Duration::from_nanos(ran + queued),
        _ => thread_cpu_time(),
    }
}

/// How often this thread gave up its processor of its own accord: to sleep, never because another
/// thread or the hypervisor took it.
pub(crate) fn times_thread_slept() -> i64 {
    // SAFETY: zeroes are a valid `rusage`, which is valid for the call.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage);
        usage.ru_nvcsw
    }
}

/// Processor time that this thread has used.
fn thread_cpu_time() -> Duration {
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

/// This process is killed when its parent's thread ends.
pub(crate) fn end_with_parent() {
    // SAFETY: plain numbers.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
}

/// What processes of this one leave behind becomes its own child, so that it is found.
pub(crate) fn adopt_orphans() {
    // SAFETY: plain numbers.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) };
}

/// A command whose process can map so much data only.
pub(crate) fn limit_data(command: &mut Command, bytes: u64) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    let set = move || {
        // SAFETY: `limit` is valid for the call. A failure leaves the user's own limit, which is lower.
        unsafe { libc::setrlimit(libc::RLIMIT_DATA, &raw const limit) };
        Ok(())
    };
    // SAFETY: between fork and exec only a system call is made.
    unsafe { command.pre_exec(set) };
}

/// Kills a process group, if it is there.
pub(crate) fn kill_group(leader: u32) {
    // SAFETY: a plain call; the group belongs to a child that has not been waited for by others.
    unsafe { libc::killpg(leader as libc::pid_t, libc::SIGKILL) };
}

/// Kills a child.
pub(crate) fn kill(process: u32) {
    // SAFETY: a plain call.
    unsafe { libc::kill(process as libc::pid_t, libc::SIGKILL) };
}

/// Takes leave of children that have ended.
pub(crate) fn reap() {
    // SAFETY: the status is not wanted.
    while unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) } > 0 {}
}

pub(crate) fn page_bytes() -> u64 {
    // SAFETY: a plain call.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(4096) as u64
}

/// "SIGSEGV" of 11.
pub(crate) fn signal_name(number: i32) -> String {
    let known = [
        (libc::SIGABRT, "SIGABRT"),
        (libc::SIGALRM, "SIGALRM"),
        (libc::SIGBUS, "SIGBUS"),
        (libc::SIGFPE, "SIGFPE"),
        (libc::SIGHUP, "SIGHUP"),
        (libc::SIGILL, "SIGILL"),
        (libc::SIGINT, "SIGINT"),
        (libc::SIGKILL, "SIGKILL"),
        (libc::SIGPIPE, "SIGPIPE"),
        (libc::SIGSEGV, "SIGSEGV"),
        (libc::SIGSYS, "SIGSYS"),
        (libc::SIGTERM, "SIGTERM"),
        (libc::SIGTRAP, "SIGTRAP"),
        (libc::SIGUSR1, "SIGUSR1"),
        (libc::SIGUSR2, "SIGUSR2"),
        (libc::SIGXFSZ, "SIGXFSZ"),
    ];
    let found = known.iter().find(|(signal, _)| *signal == number);
    found.map_or_else(|| format!("signal {number}"), |(_, name)| (*name).to_owned())
}

/// `CLOCK_MONOTONIC` in ns, the time base of the contract.
pub(crate) fn monotonic_ns() -> i64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is ours; this clock is always there.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}
