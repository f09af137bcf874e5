//! The schedule of faults: a pure function of (seed, writer, sequence number, kind of fault).
//!
//! `draw(seed, writer_id, seq, kind)` mixes the four numbers with splitmix64 (Steele, Lea & Flood,
//! "Fast splittable pseudorandom number generators", OOPSLA 2014):
//!
//! ```text
//! draw = mix(mix(mix(seed + kind * GOLDEN) ^ writer_id) ^ seq)
//! ```
//!
//! A fault of probability p happens when the upper 53 bits of its draw, as a fraction of 2^53, are
//! less than p. Kinds: 1 drop, 2 duplicate, 3 reorder, 4 corrupt, 5 delay; further draws choose the
//! flipped bit (6) and the delay (7 and 8). Kind 9: the write fails.

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// What a draw decides.
#[derive(Clone, Copy)]
#[repr(u64)]
enum Kind {
    Drop = 1,
    Duplicate = 2,
    Reorder = 3,
    Corrupt = 4,
    Delay = 5,
    Bit = 6,
    DelayFirst = 7,
    DelaySecond = 8,
    Fail = 9,
}

/// The output function of splitmix64.
fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(GOLDEN);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// How long delayed samples are delayed, in ns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    None,
    Constant(f64),
    /// Mean and half width.
    Uniform(f64, f64),
    /// Mean.
    Exponential(f64),
    /// Mean and standard deviation; what is below zero is zero.
    Normal(f64, f64),
}

/// The schedule.
#[derive(Clone, Debug)]
pub struct Faults {
    pub seed: u64,
    pub drop: f64,
    pub fail: f64,
    pub duplicate: f64,
    pub reorder: f64,
    pub corrupt: f64,
    pub delay: f64,
    pub distribution: Distribution,
}

/// What happens to one sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fate {
    pub fail: bool,
    pub drop: bool,
    pub duplicate: bool,
    pub reorder: bool,
    /// Number of the body's bit that is flipped.
    pub flipped_bit: Option<usize>,
    pub delay_ns: Option<i64>,
}

impl Faults {
    /// What is done on purpose, in words; empty if nothing is.
    pub fn words(&self) -> String {
        let delay = if self.delays() { self.delay } else { 0.0 };
        let all = [
            ("fail", self.fail),
            ("drop", self.drop),
            ("duplicate", self.duplicate),
            ("reorder", self.reorder),
            ("corrupt", self.corrupt),
            ("delay", delay),
        ];
        let done = all.iter().filter(|(_, fraction)| *fraction > 0.0);
        done.map(|(name, fraction)| format!("{name}={fraction}")).collect::<Vec<_>>().join(", ")
    }

    /// Whether any sample can be delayed.
    pub fn delays(&self) -> bool {
        self.delay > 0.0 && self.distribution != Distribution::None
    }

    /// What happens to this sample with a body of `bytes`.
    pub fn fate(&self, writer_id: u32, seq: u64, bytes: usize) -> Fate {
        let draw = |kind: Kind| {
            let seeded = self.seed.wrapping_add((kind as u64).wrapping_mul(GOLDEN));
            mix(mix(mix(seeded) ^ u64::from(writer_id)) ^ seq)
        };
        let unit = |kind| (draw(kind) >> 11) as f64 / (1_u64 << 53) as f64;
        let happens = |kind, probability| probability > 0.0 && unit(kind) < probability;
        let corrupt = bytes > 0 && happens(Kind::Corrupt, self.corrupt);
        let delayed = self.delays() && happens(Kind::Delay, self.delay);
        Fate {
            fail: happens(Kind::Fail, self.fail),
            drop: happens(Kind::Drop, self.drop),
            duplicate: happens(Kind::Duplicate, self.duplicate),
            reorder: happens(Kind::Reorder, self.reorder),
            flipped_bit: corrupt.then(|| (draw(Kind::Bit) % (bytes as u64 * 8)) as usize),
            delay_ns: delayed
                .then(|| self.distribution.at(unit(Kind::DelayFirst), unit(Kind::DelaySecond))),
        }
    }
}

impl Distribution {
    /// A value from two independent numbers in [0, 1).
    fn at(self, u: f64, v: f64) -> i64 {
        let ns = match self {
            Self::None => 0.0,
            Self::Constant(mean) => mean,
            Self::Uniform(mean, half) => mean + (2.0 * u - 1.0) * half,
            Self::Exponential(mean) => -mean * (1.0 - u).ln(),
            // Box and Muller 1958.
            Self::Normal(mean, deviation) => {
                let radius = (-2.0 * (1.0 - u).ln()).sqrt();
                mean + deviation * radius * (std::f64::consts::TAU * v).cos()
            }
        };
        ns.max(0.0).round() as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults() -> Faults {
        Faults {
            seed: 7,
            drop: 0.0,
            fail: 0.0,
            duplicate: 0.0,
            reorder: 0.0,
            corrupt: 0.0,
            delay: 1.0,
            distribution: Distribution::None,
        }
    }

    #[test]
    fn mix_gives_the_published_sequence_of_splitmix64() {
        // First outputs for seed 1234567, as in the reference implementation's test vectors.
        let outputs: Vec<u64> =
            (0..3).map(|n| mix(1_234_567_u64.wrapping_add(GOLDEN.wrapping_mul(n)))).collect();
        assert_eq!(
            outputs,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn without_faults_nothing_happens() {
        for seq in 0..1000 {
            assert_eq!(faults().fate(3, seq, 64), Fate::default());
        }
    }

    #[test]
    fn a_fate_depends_on_seed_writer_number_and_kind_only() {
        let half = Faults { drop: 0.5, duplicate: 0.5, ..faults() };
        let fates = |f: &Faults, w| (0..64).map(|s| f.fate(w, s, 8)).collect::<Vec<_>>();
        assert_eq!(fates(&half, 1), fates(&half, 1));
        assert_ne!(fates(&half, 1), fates(&half, 2));
        assert_ne!(fates(&half, 1), fates(&Faults { seed: 8, ..half.clone() }, 1));
        assert!(fates(&half, 1).iter().any(|f| f.drop != f.duplicate));
    }

    #[test]
    fn frequencies_are_near_their_probabilities() {
        let some = Faults { drop: 0.1, corrupt: 0.01, ..faults() };
        let fates: Vec<_> = (0..100_000).map(|seq| some.fate(0, seq, 16)).collect();
        let drops = fates.iter().filter(|f| f.drop).count();
        let flips = fates.iter().filter(|f| f.flipped_bit.is_some()).count();
        // Five standard deviations.
        assert!((9525..=10475).contains(&drops) && (842..=1158).contains(&flips));
        assert!(fates.iter().filter_map(|f| f.flipped_bit).all(|bit| bit < 128));
    }

    #[test]
    fn probability_one_always_and_an_empty_body_is_never_corrupted() {
        let all = Faults { drop: 1.0, corrupt: 1.0, ..faults() };
        for seq in 0..1000 {
            let fate = all.fate(9, seq, 0);
            assert!(fate.drop && fate.flipped_bit.is_none());
        }
    }

    #[test]
    fn delays_have_the_mean_and_spread_that_they_are_asked_for() {
        let n = 200_000;
        for (distribution, deviation) in [
            (Distribution::Constant(1e6), 0.0),
            (Distribution::Uniform(1e6, 3e5), 3e5 / 3.0_f64.sqrt()),
            (Distribution::Exponential(1e6), 1e6),
            (Distribution::Normal(1e6, 1e5), 1e5),
        ] {
            let delayed = Faults { distribution, ..faults() };
            let values: Vec<f64> =
                (0..n).filter_map(|s| delayed.fate(0, s, 0).delay_ns).map(|d| d as f64).collect();
            assert_eq!(values.len(), n as usize);
            let mean = values.iter().sum::<f64>() / n as f64;
            let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64;
            assert!((mean - 1e6).abs() < 1e4, "{distribution:?}: mean {mean}");
            assert!((square.sqrt() - deviation).abs() < 2e4, "{distribution:?}");
        }
    }
}
