//! Which samples of one writer arrived: lost, duplicated, out of order, exact for late ones too.

use crate::held::Held;
use crate::holes::Holes;

/// How one sample arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// Later than all before it.
    InOrder,
    /// For the first time, but after a later one.
    OutOfOrder,
    /// Not for the first time.
    Duplicate,
    /// So late, after many gaps, that the ledger does not know whether it came before; see
    /// [`Ledger::WINDOW`].
    Ancient,
}

/// The account of one writer's sequence numbers, which begin at 0.
///
/// A number that is skipped counts as missing until it comes after all, so reordering is never taken
/// for loss. Memory is fixed: the last [`Ledger::WINDOW`] numbers are remembered one by one, and of
/// those before them the last 1024 ranges that were skipped. A sample from before all that has
/// arrived, but may have arrived before.
pub struct Ledger {
    /// One bit per number, at `seq % WINDOW`: seen.
    seen: Box<[u64]>,
    holes: Holes,
    first: u64,
    highest: Option<u64>,
    received: u64,
    missing: u64,
    duplicated: u64,
    out_of_order: u64,
    ancient: u64,
    _held: Held,
}

impl Default for Ledger {
    fn default() -> Self {
        Self::new()
    }
}

impl Ledger {
    /// How far behind the highest number a late sample can be distinguished from a repeated one,
    /// however much was lost. Farther behind it can be distinguished as long as what was skipped
    /// since is no more than 1024 ranges.
    pub const WINDOW: u64 = 1 << 16;

    /// An empty account.
    pub fn new() -> Self {
        let seen = vec![0; (Self::WINDOW / 64) as usize].into_boxed_slice();
        Self {
            _held: Held::by(&seen),
            seen,
            holes: Holes::new(),
            first: 0,
            highest: None,
            received: 0,
            missing: 0,
            duplicated: 0,
            out_of_order: 0,
            ancient: 0,
        }
    }

    /// Enters an arrival. Hot.
    #[inline]
    pub fn enter(&mut self, seq: u64) -> Arrival {
        let ahead = match self.highest {
            None => {
                self.first = seq;
                seq
            }
            Some(highest) if seq > highest => seq - highest - 1,
            Some(highest) => return self.enter_late(seq, highest - seq),
        };
        if ahead > 0 {
            self.skip(seq, ahead);
        }
        self.highest = Some(seq);
        self.received += 1;
        let (word, bit) = Self::place(seq);
        self.seen[word] |= bit;
        // The bit of the number one window later is this one's: it must be clear when that comes,
        // so a word is cleared as soon as its first number is entered.
        if bit == 1 {
            self.seen[word] = 1;
        }
        Arrival::InOrder
    }

    /// Numbers `seq - ahead .. seq` were not seen.
    #[cold]
    fn skip(&mut self, seq: u64, ahead: u64) {
        self.missing += ahead;
        self.holes.open(seq - ahead, seq);
        if ahead >= Self::WINDOW {
            self.seen.fill(0);
            return;
        }
        for missing in seq - ahead..seq {
            let (word, bit) = Self::place(missing);
            if bit == 1 {
                self.seen[word] = 0;
            } else {
                self.seen[word] &= !bit;
            }
        }
        // Entering `seq` keeps the lower bits of its word; those above belong to the window before.
        let (word, bit) = Self::place(seq);
        self.seen[word] &= bit.wrapping_sub(1);
    }

    #[cold]
    fn enter_late(&mut self, seq: u64, behind: u64) -> Arrival {
        // The word of the highest number was cleared up to a word's length ahead of it.
        let came = if behind < Self::WINDOW - 64 {
            let (word, bit) = Self::place(seq);
            let came = self.seen[word] & bit != 0;
            self.seen[word] |= bit;
            came
        } else if let Some(missing) = self.holes.holds(seq) {
            !missing
        } else {
            self.ancient += 1;
            return Arrival::Ancient;
        };
        if came {
            self.duplicated += 1;
            return Arrival::Duplicate;
        }
        self.holes.fill(seq);
        self.missing -= 1;
        self.received += 1;
        self.out_of_order += 1;
        Arrival::OutOfOrder
    }

    #[inline]
    fn place(seq: u64) -> (usize, u64) {
        ((seq % Self::WINDOW / 64) as usize, 1 << (seq % 64))
    }

    /// The number that came first; 0 before it.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Highest number so far.
    pub fn highest(&self) -> Option<u64> {
        self.highest
    }

    /// Distinct samples.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Numbers below the highest that have not come; of these as many as [`Ledger::ancient`] may have.
    pub fn missing(&self) -> u64 {
        self.missing
    }

    /// Arrivals of a sample that had come before.
    pub fn duplicated(&self) -> u64 {
        self.duplicated
    }

    /// Distinct samples that came after a later one.
    pub fn out_of_order(&self) -> u64 {
        self.out_of_order
    }

    /// Arrivals too late to be judged; counted nowhere else.
    pub fn ancient(&self) -> u64 {
        self.ancient
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    fn ledger_of(numbers: impl IntoIterator<Item = u64>) -> Ledger {
        let mut ledger = Ledger::new();
        for seq in numbers {
            ledger.enter(seq);
        }
        ledger
    }

    #[test]
    fn a_late_sample_is_reordered_not_lost() {
        // The sequence at which RTI Perftest reports two losses.
        let ledger = ledger_of([0, 1, 2, 4, 3, 5]);
        assert_eq!((ledger.missing(), ledger.out_of_order(), ledger.received()), (0, 1, 6));
    }

    #[test]
    fn what_was_lost_before_the_first_arrival_is_missing() {
        assert_eq!(ledger_of([3, 4]).missing(), 3);
    }

    #[test]
    fn numbers_at_the_end_of_64_bits_do_not_overflow() {
        let ledger = ledger_of([u64::MAX - 1, u64::MAX, u64::MAX]);
        assert_eq!((ledger.received(), ledger.duplicated()), (2, 1));
        assert_eq!(ledger.missing(), u64::MAX - 1);
    }

    #[test]
    fn a_sample_is_late_or_repeated_however_far_behind() {
        let mut ledger = ledger_of((0..70_000).filter(|seq| *seq != 5));
        assert_eq!(ledger.missing(), 1);
        assert_eq!(ledger.enter(4), Arrival::Duplicate);
        assert_eq!(ledger.enter(5), Arrival::OutOfOrder);
        assert_eq!(ledger.enter(5), Arrival::Duplicate);
        assert_eq!((ledger.missing(), ledger.received(), ledger.out_of_order()), (0, 70_000, 1));
        assert_eq!((ledger.duplicated(), ledger.ancient()), (2, 0));
    }

    #[test]
    fn what_was_late_within_the_window_is_repeated_beyond_it() {
        let mut ledger = ledger_of([0, 1, 3, 4, 2]);
        ledger.enter(Ledger::WINDOW * 2);
        assert_eq!(ledger.enter(2), Arrival::Duplicate);
        assert_eq!(ledger.enter(5), Arrival::OutOfOrder);
    }

    #[test]
    fn after_too_many_gaps_a_sample_beyond_the_window_is_neither_late_nor_repeated() {
        let mut ledger = ledger_of((0..200_000).step_by(2));
        assert_eq!(ledger.enter(1), Arrival::Ancient);
        assert_eq!((ledger.duplicated(), ledger.out_of_order(), ledger.ancient()), (0, 0, 1));
        assert_eq!(ledger.enter(199_999 - 60_000), Arrival::OutOfOrder, "within the window");
    }

    proptest! {
        /// Against the obvious model, a set of all numbers, over jumps, repeats and late arrivals from
        /// near and far.
        #[test]
        fn agrees_with_a_set_of_all_numbers(
            steps in prop::collection::vec((0_u8..8, 0_u64..300_000), 1..400),
            start in prop_oneof![Just(0_u64), 0_u64..1_000_000, Just(1 << 40)],
        ) {
            let mut ledger = Ledger::new();
            let mut model = HashSet::new();
            let (mut highest, mut duplicated, mut late) = (None::<u64>, 0, 0);
            for (kind, distance) in steps {
                let next = highest.map_or(start, |h| h + 1);
                let seq = match kind {
                    0 => next + distance,
                    1 => next + distance % 200,
                    2 | 3 => next.saturating_sub(1 + distance % 130),
                    4 => next.saturating_sub(1 + distance),
                    _ => next,
                };
                let new = model.insert(seq);
                let expected = match (new, highest.is_some_and(|h| seq < h)) {
                    (false, _) => { duplicated += 1; Arrival::Duplicate }
                    (true, true) => { late += 1; Arrival::OutOfOrder }
                    (true, false) => Arrival::InOrder,
                };
                highest = Some(highest.map_or(seq, |h| h.max(seq)));
                prop_assert_eq!(ledger.enter(seq), expected, "seq {}", seq);
            }
            let highest = highest.expect("at least one step");
            prop_assert_eq!(ledger.received(), model.len() as u64);
            prop_assert_eq!(ledger.missing(), highest + 1 - model.len() as u64);
            prop_assert_eq!(ledger.duplicated(), duplicated);
            prop_assert_eq!(ledger.out_of_order(), late);
            prop_assert_eq!(ledger.ancient(), 0);
            prop_assert_eq!(ledger.highest(), Some(highest));
        }
    }
}
