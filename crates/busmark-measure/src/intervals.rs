//! Samples and bytes over time, counted where they happen.

use crate::held::Held;

/// Counts within one interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// Samples.
    pub samples: u64,
    /// Bytes of their bodies.
    pub bytes: u64,
}

/// Counters of consecutive intervals of equal length. All memory is there from the start; what comes
/// after the last interval is counted in the last.
pub struct Intervals {
    width_ns: i64,
    start_ns: i64,
    end_of_current_ns: i64,
    current: usize,
    counts: Box<[Interval]>,
    first_ns: i64,
    last_ns: i64,
    /// Bytes of the intervals before the current one.
    earlier_bytes: u64,
    _held: Held,
}

impl Intervals {
    /// `count` intervals of `width_ns`; the first begins with the first sample.
    pub fn new(width_ns: i64, count: usize) -> Self {
        let counts = vec![Interval::default(); count.max(1)].into_boxed_slice();
        Self {
            _held: Held::by(&counts),
            width_ns,
            start_ns: 0,
            end_of_current_ns: i64::MIN,
            current: 0,
            counts,
            first_ns: 0,
            last_ns: 0,
            earlier_bytes: 0,
        }
    }

    /// Counts one sample at `now`. Hot.
    #[inline]
    pub fn count(&mut self, now: i64, bytes: usize) {
        if now >= self.end_of_current_ns {
            self.advance(now);
        }
        let interval = &mut self.counts[self.current];
        interval.samples += 1;
        interval.bytes += bytes as u64;
        self.last_ns = now;
    }

    #[cold]
    fn advance(&mut self, now: i64) {
        if self.end_of_current_ns == i64::MIN {
            self.start_ns = now;
            self.first_ns = now;
        }
        let before = self.current;
        let index = ((now - self.start_ns) / self.width_ns) as usize;
        if index >= self.counts.len() {
            self.current = self.counts.len() - 1;
            self.end_of_current_ns = i64::MAX;
        } else {
            self.current = index;
            self.end_of_current_ns = self.start_ns + (index as i64 + 1) * self.width_ns;
        }
        if self.current != before {
            self.earlier_bytes += self.counts[before].bytes;
        }
    }

    /// Bytes that were counted so far. Hot.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.earlier_bytes + self.counts[self.current].bytes
    }

    /// Length of an interval.
    pub fn width_ns(&self) -> i64 {
        self.width_ns
    }

    /// When the first and the last sample were counted; `None` before the first.
    pub fn span_ns(&self) -> Option<(i64, i64)> {
        (self.end_of_current_ns != i64::MIN).then_some((self.first_ns, self.last_ns))
    }

    /// The intervals up to the last that holds a sample.
    pub fn finished(&self) -> &[Interval] {
        let used = self.counts.iter().rposition(|i| i.samples > 0).map_or(0, |last| last + 1);
        &self.counts[..used]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_empty_counter_has_no_span() {
        let intervals = Intervals::new(10, 4);
        assert_eq!((intervals.span_ns(), intervals.finished().len()), (None, 0));
    }

    proptest! {
        #[test]
        fn every_sample_is_counted_in_its_own_interval(
            gaps in prop::collection::vec(0_i64..40, 1..300), start in -1000_i64..1000,
        ) {
            let mut intervals = Intervals::new(10, 2_000);
            let mut expected = vec![Interval::default(); 2_000];
            let mut now = start;
            for gap in &gaps {
                now += gap;
                intervals.count(now, 3);
                let slot = ((now - (start + gaps[0])) / 10) as usize;
                expected[slot].samples += 1;
                expected[slot].bytes += 3;
                prop_assert_eq!(intervals.bytes(), expected.iter().map(|i| i.bytes).sum::<u64>());
            }
            let finished = intervals.finished();
            prop_assert_eq!(finished, &expected[..finished.len()]);
            prop_assert!(expected[finished.len()..].iter().all(|i| i.samples == 0));
            prop_assert_eq!(intervals.span_ns(), Some((start + gaps[0], now)));
        }

        #[test]
        fn nothing_is_lost_after_the_last_interval(times in prop::collection::vec(0_i64..9_999, 1..99)) {
            let mut times = times;
            times.sort_unstable();
            let mut intervals = Intervals::new(7, 5);
            for &t in &times {
                intervals.count(t, 1);
            }
            let total: u64 = intervals.finished().iter().map(|i| i.samples).sum();
            prop_assert_eq!(intervals.bytes(), total);
            prop_assert_eq!(total, times.len() as u64);
        }
    }
}
