//! When a matched count changed (C33).

use std::sync::{Mutex, PoisonError};

/// `busmark_match_t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Match {
    /// As `matched` gives it.
    pub count: u32,
    /// When it became that, `CLOCK_MONOTONIC`; 0: it has never changed.
    pub changed_ns: i64,
}

/// Keeps the count that the middleware's events tell, with their time. For listeners of an adapter.
#[derive(Debug, Default)]
pub struct MatchClock(Mutex<Match>);

impl MatchClock {
    /// The middleware says that the count is this now. Call it from within the event.
    pub fn set(&self, count: u32) {
        let changed_ns = now_ns();
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.count != count {
            *state = Match { count, changed_ns };
        }
    }

    /// The last event's count and time.
    pub fn get(&self) -> Match {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `CLOCK_MONOTONIC` in ns, the time base of the contract.
fn now_ns() -> i64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is ours; this clock is always there.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_stays_keeps_the_time_of_its_change() {
        let clock = MatchClock::default();
        assert_eq!(clock.get(), Match::default());
        clock.set(1);
        let first = clock.get();
        assert!(first.count == 1 && first.changed_ns > 0);
        clock.set(1);
        assert_eq!(clock.get(), first);
        clock.set(2);
        assert!(clock.get().changed_ns >= first.changed_ns && clock.get().count == 2);
    }
}
