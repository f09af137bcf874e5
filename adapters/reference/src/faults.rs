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
//! flipped bit (6) and the delay (7 and 8). Kind 9: the write, or a request, fails.
//!
//! Each request of a service is drawn for once, with the client's `writer_id` and `seq` of its header,
//! and so is its response, with the same two numbers: 10 the request is lost, 11 the response is lost,
//! 12 it comes twice, 13 it goes to another client, 14 it is delayed (by 7 and 8). A response that is
//! lost is neither doubled nor misrouted; one that is both doubled and misrouted comes twice, to the
//! wrong client.

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
    RequestDrop = 10,
    ResponseDrop = 11,
    ResponseDuplicate = 12,
    ResponseMisroute = 13,
    ResponseDelay = 14,
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
    pub services: ServiceFaults,
}

/// Fractions of requests and responses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ServiceFaults {
    pub request_drop: f64,
    pub response_drop: f64,
    pub response_duplicate: f64,
    pub response_misroute: f64,
}

/// What happens to one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestFate {
    pub fail: bool,
    pub drop: bool,
}

/// What happens to one response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResponseFate {
    pub drop: bool,
    pub duplicate: bool,
    pub misroute: bool,
    pub delay_ns: Option<i64>,
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
            ("request_drop", self.services.request_drop),
            ("response_drop", self.services.response_drop),
            ("response_duplicate", self.services.response_duplicate),
            ("response_misroute", self.services.response_misroute),
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
        let draw = Draw { seed: self.seed, writer_id, seq };
        let happens = |kind, probability| draw.happens(kind, probability);
        let corrupt = bytes > 0 && happens(Kind::Corrupt, self.corrupt);
        let delayed = self.delays() && happens(Kind::Delay, self.delay);
        Fate {
            fail: happens(Kind::Fail, self.fail),
            drop: happens(Kind::Drop, self.drop),
            duplicate: happens(Kind::Duplicate, self.duplicate),
            reorder: happens(Kind::Reorder, self.reorder),
            flipped_bit: corrupt.then(|| (draw.of(Kind::Bit) % (bytes as u64 * 8)) as usize),
            delay_ns: delayed.then(|| draw.delay_ns(self.distribution)),
        }
    }

    /// What happens to the request with this header's numbers.
    pub fn request_fate(&self, client: u32, seq: u64) -> RequestFate {
        let draw = Draw { seed: self.seed, writer_id: client, seq };
        RequestFate {
            fail: draw.happens(Kind::Fail, self.fail),
            drop: draw.happens(Kind::RequestDrop, self.services.request_drop),
        }
    }

    /// What happens to the response to the request with these numbers.
    pub fn response_fate(&self, client: u32, seq: u64) -> ResponseFate {
        let draw = Draw { seed: self.seed, writer_id: client, seq };
        let services = &self.services;
        let delayed = self.delays() && draw.happens(Kind::ResponseDelay, self.delay);
        ResponseFate {
            drop: draw.happens(Kind::ResponseDrop, services.response_drop),
            duplicate: draw.happens(Kind::ResponseDuplicate, services.response_duplicate),
            misroute: draw.happens(Kind::ResponseMisroute, services.response_misroute),
            delay_ns: delayed.then(|| draw.delay_ns(self.distribution)),
        }
    }
}

/// The draws for one sample, request or response.
struct Draw {
    seed: u64,
    writer_id: u32,
    seq: u64,
}

impl Draw {
    fn of(&self, kind: Kind) -> u64 {
        let seeded = self.seed.wrapping_add((kind as u64).wrapping_mul(GOLDEN));
        mix(mix(mix(seeded) ^ u64::from(self.writer_id)) ^ self.seq)
    }

    /// In [0, 1).
    fn unit(&self, kind: Kind) -> f64 {
        (self.of(kind) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn happens(&self, kind: Kind, probability: f64) -> bool {
        probability > 0.0 && self.unit(kind) < probability
    }

    fn delay_ns(&self, distribution: Distribution) -> i64 {
        distribution.at(self.unit(Kind::DelayFirst), self.unit(Kind::DelaySecond))
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
            services: ServiceFaults::default(),
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
            assert_eq!(faults().request_fate(3, seq), RequestFate::default());
            assert_eq!(faults().response_fate(3, seq), ResponseFate::default());
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
    fn a_response_is_drawn_for_by_its_own_kinds() {
        let services = ServiceFaults {
            request_drop: 0.5,
            response_drop: 0.5,
            response_duplicate: 0.5,
            response_misroute: 0.5,
        };
        let half = Faults { drop: 0.5, services, ..faults() };
        let differs = |one: fn(&Faults, u64) -> bool, other: fn(&Faults, u64) -> bool| {
            (0..64).any(|seq| one(&half, seq) != other(&half, seq))
        };
        assert!(differs(|f, s| f.fate(1, s, 8).drop, |f, s| f.request_fate(1, s).drop));
        assert!(differs(|f, s| f.request_fate(1, s).drop, |f, s| f.response_fate(1, s).drop));
        assert!(differs(|f, s| f.response_fate(1, s).drop, |f, s| f.response_fate(2, s).drop));
        assert!(differs(
            |f, s| f.response_fate(1, s).duplicate,
            |f, s| f.response_fate(1, s).misroute
        ));
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
