//! When samples should be sent: constant or Poisson arrivals in an open loop.

use crate::clock::{now_ns, sleep_until_ns};
use crate::random::SplitMix64;

/// How samples arrive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arrivals {
    /// One every `1 / rate_hz` seconds.
    Constant {
        /// Samples per second, above 0.
        rate_hz: f64,
    },
    /// Independent arrivals: exponential gaps with mean `1 / rate_hz`, from a seed.
    Poisson {
        /// Samples per second, above 0.
        rate_hz: f64,
        /// Same seed, same schedule.
        seed: u64,
    },
}

/// Yields intended times and sleeps until they come.
///
/// The schedule never waits for the system under test: a stall makes later samples late against
/// their intended times, it does not move them (no coordinated omission).
pub struct Pacer {
    arrivals: Arrivals,
    start_ns: i64,
    count: u64,
    // Sum of the gaps so far, in ns from the start; a sum of doubles is exact enough for a day.
    elapsed_ns: f64,
    random: SplitMix64,
    yields: bool,
}

/// The last stretch before an intended time is spun, since a sleep ends some 50 µs late.
const SPIN_NS: i64 = 80_000;

impl Pacer {
    /// A schedule that begins at `start_ns`. With `yields` the last stretch gives way to other
    /// threads of the same CPU: needed where writer and reader share one.
    pub fn new(arrivals: Arrivals, start_ns: i64, yields: bool) -> Self {
        let seed = match arrivals {
            Arrivals::Constant { .. } => 0,
            Arrivals::Poisson { seed, .. } => seed,
        };
        Self { arrivals, start_ns, count: 0, elapsed_ns: 0.0, random: SplitMix64(seed), yields }
    }

    /// The next intended time, ns, which stays the next.
    pub fn peek_ns(&self) -> i64 {
        let offset = match self.arrivals {
            Arrivals::Constant { rate_hz } => self.count as f64 * 1e9 / rate_hz,
            Arrivals::Poisson { .. } => self.elapsed_ns,
        };
        self.start_ns + offset as i64
    }

    /// Goes on at this rate, or at the same: the first sample is due one gap after `moment`, and what
    /// was due later by the schedule before is due no more.
    pub fn resume(&mut self, rate_hz: Option<f64>, moment: i64) {
        if let Some(asked) = rate_hz {
            match &mut self.arrivals {
                Arrivals::Constant { rate_hz } | Arrivals::Poisson { rate_hz, .. } => {
                    *rate_hz = asked;
                }
            }
        }
        self.restart(moment);
        self.next_ns();
    }

    /// The next intended time, ns. Never blocks.
    #[inline]
    pub fn next_ns(&mut self) -> i64 {
        let offset = match self.arrivals {
            // A product, not a sum: the rate does not drift.
            Arrivals::Constant { rate_hz } => self.count as f64 * 1e9 / rate_hz,
            Arrivals::Poisson { rate_hz, .. } => {
                let offset = self.elapsed_ns;
                self.elapsed_ns -= (1.0 - self.random.uniform()).ln() * 1e9 / rate_hz;
                offset
            }
        };
        self.count += 1;
        self.start_ns + offset as i64
    }

    /// Begins the schedule again at `moment`; what was due before is given up.
    pub fn restart(&mut self, moment: i64) {
        self.start_ns = moment;
        self.count = 0;
        self.elapsed_ns = 0.0;
    }

    /// Returns the time, at or after `moment`, that it is then.
    #[inline]
    pub fn wait_ns(&self, moment: i64) -> i64 {
        let mut now = now_ns();
        if now + SPIN_NS < moment {
            sleep_until_ns(moment - SPIN_NS);
            now = now_ns();
        }
        while now < moment {
            if self.yields {
                std::thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
            now = now_ns();
        }
        now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_arrivals_do_not_drift() {
        let mut pacer = Pacer::new(Arrivals::Constant { rate_hz: 3.0 }, 1_000, false);
        for i in 0..3_000_000_i64 {
            let at = pacer.next_ns();
            if i % 3 == 0 {
                assert_eq!(at, 1_000 + i / 3 * 1_000_000_000);
            }
        }
    }

    #[test]
    fn a_schedule_that_begins_again_owes_nothing() {
        let arrivals =
            [Arrivals::Constant { rate_hz: 10.0 }, Arrivals::Poisson { rate_hz: 10.0, seed: 3 }];
        for arrivals in arrivals {
            let mut pacer = Pacer::new(arrivals, 0, false);
            (0..50).for_each(|_| {
                pacer.next_ns();
            });
            pacer.restart(7_000_000_000);
            assert_eq!(pacer.next_ns(), 7_000_000_000);
            assert!(pacer.next_ns() > 7_000_000_000);
        }
    }

    #[test]
    fn another_rate_begins_one_gap_after_its_moment() {
        let mut pacer = Pacer::new(Arrivals::Constant { rate_hz: 10.0 }, 0, false);
        (0..5).for_each(|_| {
            pacer.next_ns();
        });
        assert_eq!(pacer.peek_ns(), 500_000_000);
        pacer.resume(Some(100.0), 450_000_000);
        assert_eq!(pacer.peek_ns(), 460_000_000);
        assert_eq!((pacer.next_ns(), pacer.next_ns()), (460_000_000, 470_000_000));
        pacer.resume(None, 1_000_000_000);
        assert_eq!(pacer.next_ns(), 1_010_000_000, "the rate is as before");
    }

    #[test]
    fn what_is_seen_to_come_next_does() {
        let mut pacer = Pacer::new(Arrivals::Poisson { rate_hz: 10.0, seed: 3 }, 7, false);
        for _ in 0..50 {
            let seen = pacer.peek_ns();
            assert_eq!(pacer.next_ns(), seen);
        }
    }

    #[test]
    fn poisson_arrivals_have_the_mean_and_spread_of_an_exponential() {
        let mut pacer = Pacer::new(Arrivals::Poisson { rate_hz: 1e6, seed: 7 }, 0, false);
        let count = 200_000_u32;
        let times: Vec<i64> = (0..=count).map(|_| pacer.next_ns()).collect();
        let gaps: Vec<f64> = times.windows(2).map(|w| (w[1] - w[0]) as f64).collect();
        let mean = gaps.iter().sum::<f64>() / f64::from(count);
        let variance = gaps.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / f64::from(count);
        // Standard errors: 2.2 ns for the mean of 1000 ns, 4 ns or so for the deviation.
        assert!((mean - 1000.0).abs() < 10.0, "{mean}");
        assert!((variance.sqrt() - 1000.0).abs() < 20.0, "{}", variance.sqrt());
    }

    #[test]
    fn the_same_seed_gives_the_same_schedule() {
        let schedule = |seed| {
            let mut pacer = Pacer::new(Arrivals::Poisson { rate_hz: 10.0, seed }, 5, false);
            (0..100).map(|_| pacer.next_ns()).collect::<Vec<_>>()
        };
        assert_eq!(schedule(1), schedule(1));
        assert_ne!(schedule(1), schedule(2));
    }

    #[test]
    fn a_wait_never_ends_before_its_moment() {
        let pacer = Pacer::new(Arrivals::Constant { rate_hz: 1.0 }, 0, true);
        for ahead in [0, 10_000, 300_000] {
            let moment = now_ns() + ahead;
            assert!(pacer.wait_ns(moment) >= moment);
        }
    }
}
