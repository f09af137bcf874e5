//! The one clock: `CLOCK_MONOTONIC`, read through the vDSO.

use rustix::thread::{ClockId as SleepClock, clock_nanosleep_absolute};
use rustix::time::{ClockId, Timespec, clock_gettime};

const SECOND: i64 = 1_000_000_000;

/// Now, in ns of `CLOCK_MONOTONIC`: comparable between all processes of a host.
#[inline]
pub fn now_ns() -> i64 {
    read(ClockId::Monotonic)
}

#[inline]
fn read(clock: ClockId) -> i64 {
    let t = clock_gettime(clock);
    t.tv_sec * SECOND + t.tv_nsec
}

/// The same moment by two clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockPair {
    /// `CLOCK_MONOTONIC`, ns.
    pub monotonic_ns: i64,
    /// `CLOCK_REALTIME`, ns since 1970.
    pub realtime_ns: i64,
    /// How far the moments may be apart, either way, ns.
    pub bound_ns: i64,
}

const TRIES: usize = 32;

/// Now by both clocks: of several tries the one that took the least time.
pub fn clock_pair() -> ClockPair {
    let once = |_| {
        let before = now_ns();
        let realtime_ns = read(ClockId::Realtime);
        let after = now_ns();
        let bound_ns = (after - before + 1) / 2;
        ClockPair { monotonic_ns: before + (after - before) / 2, realtime_ns, bound_ns }
    };
    (0..TRIES).map(once).min_by_key(|pair| pair.bound_ns).expect("there are tries")
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
    fn two_clocks_tell_the_same_moment_within_the_bound() {
        let (first, second) = (clock_pair(), clock_pair());
        assert!(first.bound_ns >= 0 && second.monotonic_ns >= first.monotonic_ns);
        let offset = |pair: &ClockPair| pair.realtime_ns - pair.monotonic_ns;
        // Unless somebody sets the clock right now.
        let apart = (offset(&first) - offset(&second)).abs();
        assert!(apart <= first.bound_ns + second.bound_ns + 1000, "{apart} ns");
        let since_1970 = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos();
        assert!(i128::from(first.realtime_ns) <= since_1970 as i128);
    }

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
