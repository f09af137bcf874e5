//! The two clocks: monotonic for what lasts, real time for stamps that are shown.

use rustix::time::{ClockId, Timespec, clock_gettime};

fn ns(time: Timespec) -> i64 {
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// `CLOCK_MONOTONIC` in ns: the same for all processes of the host.
pub fn monotonic_ns() -> i64 {
    ns(clock_gettime(ClockId::Monotonic))
}

/// `CLOCK_REALTIME` in ns.
pub fn realtime_ns() -> i64 {
    ns(clock_gettime(ClockId::Realtime))
}
