//! When samples should be sent: constant or Poisson arrivals in an open loop.

use crate::clock::{now_ns, sleep_until_ns};

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
    state: u64,
    yields: bool,
}

/// The last stretch before an intended time is spun, since a sleep ends some 50 µs late.
const SPIN_NS: i64 = 80_000;

impl Pacer {
    /// A schedule that begins at `start_ns`. With `yields` the last stretch gives way to other
    /// threads of the same CPU: needed where writer and reader share one.
    pub fn new(arrivals: Arrivals, start_ns: i64, yields: bool) -> Self {
        let state = match arrivals {
            Arrivals::Constant { .. } => 0,
            Arrivals::Poisson { seed, .. } => seed,
        };
        Self { arrivals, start_ns, count: 0, elapsed_ns: 0.0, state, yields }
    }

    /// The next intended time, ns. Never blocks.
    #[inline]
    pub fn next_ns(&mut self) -> i64 {
        let offset = match self.arrivals {
            // A product, not a sum: the rate does not drift.
            Arrivals::Constant { rate_hz } => self.count as f64 * 1e9 / rate_hz,
            Arrivals::Poisson { rate_hz, .. } => {
                let offset = self.elapsed_ns;
                self.elapsed_ns -= (1.0 - self.uniform()).ln() * 1e9 / rate_hz;
                offset
            }
        };
        self.count += 1;
        self.start_ns + offset as i64
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

    /// Uniform in [0, 1), by `SplitMix64` (Steele, Lea and Flood 2014).
    fn uniform(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (((z ^ (z >> 31)) >> 11) as f64) / (1_u64 << 53) as f64
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
