//! A schedule of intended times that ends, also where it cannot be kept.

use std::sync::Arc;
use std::time::Duration;

use busmark_measure::{Pacer, now_ns};

use super::control::Control;
use crate::protocol::Schedule;

/// A measurement whose writer is this far behind its schedule when its time is over ends, ns. Whatever
/// a middleware holds up for less is made up for, and charged to what was held up.
const LATE_NS: i64 = 5_000_000_000;
/// A backlog of the warm-up above this is given up, ns: it is not what is measured.
const BACKLOG_NS: i64 = 100_000_000;

/// A sleep that is longer can be ended by a change; its last part, of half that length, cannot, for
/// such a sleep ends at a less exact time.
const LONG_NS: i64 = 250_000_000;

/// Why a measurement ends that has fallen behind.
pub const LATE: &str = "late";

/// The schedule of one writer.
pub struct Pace {
    pacer: Pacer,
    warm_until_ns: i64,
    duration_ns: i64,
    last_ns: i64,
    control: Arc<Control>,
}

impl Pace {
    /// Begins at `start_ns`.
    pub fn new(schedule: &Schedule, start_ns: i64, yields: bool, control: &Arc<Control>) -> Self {
        Self {
            control: Arc::clone(control),
            pacer: Pacer::new(schedule.arrivals(), start_ns, yields),
            warm_until_ns: start_ns + schedule.warmup_ns,
            duration_ns: schedule.duration_ns,
            last_ns: start_ns,
        }
    }

    /// When the next sample is due, and whether the warm-up is over by then. Hot.
    #[inline]
    pub fn next(&mut self, warm: bool) -> (i64, bool) {
        let intended = self.pacer.next_ns();
        if !warm || intended >= self.warm_until_ns {
            return (intended, true);
        }
        if self.last_ns < self.warm_until_ns + BACKLOG_NS {
            return (intended, false);
        }
        self.pacer.restart(self.last_ns);
        (self.pacer.next_ns(), true)
    }

    /// Returns the time, at or after `moment`, that it is then; an earlier one where something was
    /// asked of the role while it slept for long. Hot.
    #[expect(clippy::inline_always, reason = "a call of its own would be more than what it does")]
    #[inline(always)]
    pub fn wait_ns(&mut self, moment: i64, seen: u32) -> i64 {
        // Without a reading of the clock: after the last sample it was later than this.
        if moment - self.last_ns > LONG_NS && !self.sleep_long(moment, seen) {
            return now_ns().min(moment - 1);
        }
        self.last_ns = self.pacer.wait_ns(moment);
        self.last_ns
    }

    /// Sleeps through most of the time until `moment`; false if something is asked meanwhile.
    #[cold]
    fn sleep_long(&self, moment: i64, seen: u32) -> bool {
        loop {
            if self.control.is_new(seen) {
                return false;
            }
            let left = moment - LONG_NS / 2 - now_ns();
            if left <= 0 {
                return true;
            }
            std::thread::park_timeout(Duration::from_nanos(left as u64));
        }
    }

    /// Does what is asked; whether the role is to end. What is owed by the schedule so far is sent
    /// before, so that no sample is left out because the middleware held it up.
    #[cold]
    pub fn steer(&mut self, seen: &mut u32) -> bool {
        if !self.control.wanted().stopped && self.pacer.peek_ns() < now_ns() {
            return false;
        }
        let begin_ns = self.control.begin_ns().unwrap_or(self.warm_until_ns);
        let wanted = self.control.obey(seen, begin_ns + self.duration_ns);
        self.pacer.resume(wanted.rate_hz, now_ns());
        wanted.stopped
    }

    /// Whether a measurement that began at `begin_ns` is hopelessly behind. Hot.
    #[inline]
    pub fn is_late(&self, begin_ns: i64) -> bool {
        self.last_ns >= begin_ns + self.duration_ns + LATE_NS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::ArrivalModel;

    fn pace(rate_hz: f64) -> Pace {
        paced(rate_hz, 0, &Arc::new(Control::new(true)))
    }

    fn paced(rate_hz: f64, start_ns: i64, control: &Arc<Control>) -> Pace {
        let schedule = Schedule {
            arrivals: ArrivalModel::Constant,
            rate_hz,
            seed: 0,
            warmup_ns: 1_000_000_000,
            duration_ns: 2_000_000_000,
            samples: 0,
            capacity: 0,
            timeout_ns: 1,
        };
        Pace::new(&schedule, start_ns, false, control)
    }

    #[test]
    fn a_warm_up_ends_when_its_time_is_over() {
        let mut pace = pace(10.0);
        for tenth in 0..10 {
            assert_eq!(pace.next(true), (tenth * 100_000_000, false));
        }
        assert_eq!(pace.next(true), (1_000_000_000, true));
    }

    #[test]
    fn a_warm_up_that_was_too_slow_leaves_no_backlog() {
        let mut pace = pace(1e9);
        pace.last_ns = 1_050_000_000;
        assert!(!pace.next(true).1, "a little behind is made up for");
        pace.last_ns = 1_200_000_000;
        assert_eq!(pace.next(true), (1_200_000_000, true));
        assert_eq!(pace.next(false), (1_200_000_001, true));
    }

    #[test]
    fn what_is_owed_is_sent_before_a_change() {
        let control = Arc::new(Control::new(true));
        let start = now_ns() - 1_000_000_000;
        let mut pace = paced(10.0, start, &control);
        let mut seen = 0;
        control.ask(Some(1000.0), None, false, Box::new(|_| ())).expect("a rate");
        let mut owed = 0;
        loop {
            assert!(!pace.steer(&mut seen));
            if !control.is_new(seen) {
                break;
            }
            assert_eq!(pace.next(true).0, start + owed * 100_000_000);
            owed += 1;
        }
        assert!(owed >= 11, "samples of the second before: {owed}");
        let (first, second) = (pace.next(true).0, pace.next(true).0);
        assert_eq!(second - first, 1_000_000);
    }

    #[test]
    fn an_end_waits_for_nothing() {
        let control = Arc::new(Control::new(true));
        let mut pace = paced(10.0, now_ns() - 1_000_000_000, &control);
        control.ask(None, None, true, Box::new(|_| ())).expect("an end");
        assert!(pace.steer(&mut 0));
    }

    #[test]
    fn a_long_sleep_ends_when_something_is_asked() {
        let control = Arc::new(Control::new(true));
        let mut pace = paced(10.0, now_ns(), &control);
        control.ask(None, None, true, Box::new(|_| ())).expect("an end");
        let hour = now_ns() + 3_600_000_000_000;
        assert!(pace.wait_ns(hour, 0) < hour);
    }

    #[test]
    fn a_measurement_that_cannot_be_kept_up_ends() {
        let mut pace = pace(1e9);
        pace.last_ns = 1_200_000_000 + 2_000_000_000;
        assert!(!pace.is_late(1_200_000_000));
        pace.last_ns += LATE_NS;
        assert!(pace.is_late(1_200_000_000));
    }
}
