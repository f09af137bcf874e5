//! The one clock: `CLOCK_MONOTONIC`, read through the vDSO.

use rustix::thread::{ClockId as SleepClock, clock_nanosleep_absolute};
use rustix::time::{ClockId, Timespec, clock_gettime};

const SECOND: i64 = 1_000_000_000;

/// Now, in ns of `CLOCK_MONOTONIC`: comparable between all processes of a host.
#[inline]
pub fn now_ns() -> i64 {
    let t = clock_gettime(ClockId::Monotonic);
    t.tv_sec * SECOND + t.tv_nsec
}

/// Sleeps until that moment; returns at once if it has passed.
pub fn sleep_until_ns(moment: i64) {
    let request = Timespec { tv_sec: moment / SECOND, tv_nsec: moment % SECOND };
    // An interrupted sleep is resumed: the moment is absolute.
    while clock_nanosleep_absolute(SleepClock::Monotonic, &request) == Err(rustix::io::Errno::INTR)
    {
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_never_goes_back_and_a_sleep_never_ends_early() {
        let mut last = now_ns();
        for _ in 0..10_000 {
            let now = now_ns();
            assert!(now >= last);
            last = now;
        }
        let moment = now_ns() + 2_000_000;
        sleep_until_ns(moment);
        assert!(now_ns() >= moment);
        sleep_until_ns(moment);
    }
}
