//! Which samples of a stream are latency probes: one in `every`, at random.

use std::sync::Arc;

use crate::held::Held;
use crate::random::{GAMMA, SplitMix64, mixed};

/// Poisson arrivals of the same writer have the same seed, and must not follow the probes.
const SALT: u64 = 0x7072_6f62_6573;

/// Every sample is a probe with probability `1 / every`, whatever the others are: the gaps are
/// geometric. Probes at equal gaps would always meet the same place in the packets of a middleware
/// that sends several samples at a time, and say nothing of the other places (RFC 2330, 11.1).
///
/// The numbers of the probes that there are rows for are drawn beforehand, so that whoever gets an
/// echo finds its row.
pub struct Probes {
    every: u64,
    numbers: Arc<[u64]>,
    count: u64,
    next: u64,
    /// As it stood when the last of `numbers` had been drawn.
    drawn: SplitMix64,
    random: SplitMix64,
    _held: Held,
}

impl Probes {
    /// One in `every` samples, 0 for none, with rows for `capacity` of them.
    pub fn new(every: u64, capacity: usize, seed: u64) -> Self {
        let mut random = SplitMix64(seed ^ SALT);
        let mut next = u64::MAX;
        let count = if every == 0 { 0 } else { capacity };
        let numbers: Arc<[u64]> = (0..count)
            .map(|_| {
                next = after(next, every, &mut random);
                next
            })
            .collect();
        let (held, drawn) = (Held::by(&numbers), random.clone());
        let mut probes = Self { every, numbers, count: 0, next: 0, drawn, random, _held: held };
        probes.restart();
        probes
    }

    /// Begins again with sample 0: the same samples are probes.
    pub fn restart(&mut self) {
        self.count = 0;
        self.random = self.drawn.clone();
        self.next = self.first();
    }

    fn first(&mut self) -> u64 {
        match self.numbers.first() {
            Some(first) => *first,
            None if self.every == 0 => u64::MAX,
            None => after(u64::MAX, self.every, &mut self.random),
        }
    }

    /// The row of sample `seq` if it is a probe; it may be beyond the capacity. Numbers are asked for
    /// one after the other. Hot.
    #[inline]
    pub fn row(&mut self, seq: u64) -> Option<u64> {
        if seq == self.next { Some(self.advance()) } else { None }
    }

    #[cold]
    fn advance(&mut self) -> u64 {
        let row = self.count;
        self.count += 1;
        self.next = match self.numbers.get(self.count as usize) {
            Some(next) => *next,
            None => after(self.next, self.every, &mut self.random),
        };
        row
    }

    /// Probes so far, since the last restart.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Numbers of the probes, by row.
    pub fn numbers(&self) -> Arc<[u64]> {
        Arc::clone(&self.numbers)
    }
}

/// The number of the probe after `last`; `u64::MAX` stands before 0.
fn after(last: u64, every: u64, random: &mut SplitMix64) -> u64 {
    let gap = if every <= 1 {
        1
    } else {
        // ln(1 - u) / ln(1 - p): a geometric number, from 0.
        let none = (-1.0 / every as f64).ln_1p();
        1 + ((1.0 - random.uniform()).ln() / none) as u64
    };
    last.wrapping_add(gap)
}

/// Whether a sample is among the one in `every` of a stream that each of its readers records. It
/// depends on the sample alone: all readers record the same ones, whatever they lose, so the
/// controller knows which of them a reader lacks. Hot.
#[inline]
pub fn is_recorded(writer: u32, seq: u64, every: u64) -> bool {
    every == 1 || mixed(((u64::from(writer) << 40) ^ seq).wrapping_mul(GAMMA)).is_multiple_of(every)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_controller_finds_the_same_samples() {
        // The same numbers are in a test of the controller, which computes them by itself.
        let of = |writer, every| -> Vec<u64> {
            (0..40).filter(|seq| is_recorded(writer, *seq, every)).collect()
        };
        assert_eq!(of(1, 1), (0..40).collect::<Vec<_>>());
        assert_eq!(of(1, 5), [14, 15, 17, 19, 25, 31, 35]);
        assert_eq!(of(41, 5), [2, 4, 12, 14, 20, 35, 37, 38]);
    }

    fn numbers(probes: &mut Probes, samples: u64) -> Vec<u64> {
        (0..samples).filter(|seq| probes.row(*seq).is_some()).collect()
    }

    #[test]
    fn one_in_so_many_is_a_probe_wherever_it_stands_in_a_packet() {
        let (every, samples) = (100, 4_000_000);
        let found = numbers(&mut Probes::new(every, 1000, 7), samples);
        let expected = (samples / every) as f64;
        // Binomial: the standard error is the root of the number.
        assert!((found.len() as f64 - expected).abs() < 5.0 * expected.sqrt(), "{}", found.len());
        for packet in [2, 10, 25, 64, 100] {
            let mut places = vec![0_u32; packet as usize];
            for seq in &found {
                places[(seq % packet) as usize] += 1;
            }
            let each = expected / packet as f64;
            let worst = places.iter().map(|n| (f64::from(*n) - each).abs()).fold(0.0, f64::max);
            assert!(worst < 5.0 * each.sqrt(), "{packet} in a packet: {places:?}");
        }
    }

    #[test]
    fn each_sample_may_be_a_probe_and_none_need_be() {
        assert_eq!(numbers(&mut Probes::new(1, 3, 7), 5), [0, 1, 2, 3, 4]);
        assert_eq!(numbers(&mut Probes::new(0, 3, 7), 5), []);
    }

    #[test]
    fn the_same_seed_gives_the_same_probes_again() {
        let of = |seed, capacity| numbers(&mut Probes::new(10, capacity, seed), 10_000);
        assert_eq!(of(1, 100_000), of(1, 5), "whether or not there is a row for them");
        assert_ne!(of(1, 5), of(2, 5));
        let mut probes = Probes::new(10, 5, 1);
        let first = numbers(&mut probes, 10_000);
        probes.restart();
        assert_eq!(numbers(&mut probes, 10_000), first);
    }

    #[test]
    fn rows_are_in_the_order_of_probes() {
        let mut probes = Probes::new(10, 50, 3);
        let rows: Vec<_> = (0..2000).filter_map(|seq| probes.row(seq)).collect();
        assert_eq!(rows, (0..rows.len() as u64).collect::<Vec<_>>());
        assert_eq!(probes.count(), rows.len() as u64);
        let mut again = Probes::new(10, 50, 3);
        let found = numbers(&mut again, 2000);
        assert_eq!(again.numbers()[..], found[..50]);
    }
}
