//! Numbers that were skipped, as ranges: what a ledger knows of those that its bits do not reach.

/// Disjoint ranges in ascending order, of a fixed number: the oldest are forgotten.
pub(crate) struct Holes {
    ranges: Vec<(u64, u64)>,
    /// Below it, ranges were forgotten.
    known_from: u64,
}

impl Holes {
    /// How many ranges are remembered.
    pub const MOST: usize = 1024;

    pub fn new() -> Self {
        Self { ranges: Vec::with_capacity(Self::MOST), known_from: 0 }
    }

    /// The numbers `from .. to`, beyond all so far, were skipped.
    pub fn open(&mut self, from: u64, to: u64) {
        self.make_room();
        self.ranges.push((from, to));
    }

    /// Whether `seq` was skipped and has not come since; `None`: that is forgotten.
    pub fn holds(&self, seq: u64) -> Option<bool> {
        (seq >= self.known_from).then(|| self.find(seq).is_some())
    }

    /// A number that was skipped has come.
    pub fn fill(&mut self, seq: u64) {
        let Some(at) = self.find(seq) else { return };
        let (from, to) = self.ranges[at];
        match (seq == from, seq + 1 == to) {
            (true, true) => {
                self.ranges.remove(at);
            }
            (true, false) => self.ranges[at].0 += 1,
            (false, true) => self.ranges[at].1 -= 1,
            (false, false) => {
                self.ranges[at].1 = seq;
                let forgotten = self.make_room();
                // Its first half may be among what was forgotten.
                if at + 1 > forgotten {
                    self.ranges.insert(at + 1 - forgotten, (seq + 1, to));
                }
            }
        }
    }

    fn find(&self, seq: u64) -> Option<usize> {
        let at = self.ranges.partition_point(|(from, _)| *from <= seq).checked_sub(1)?;
        (seq < self.ranges[at].1).then_some(at)
    }

    /// Forgets the oldest quarter where there is no room for one more: how many that were.
    fn make_room(&mut self) -> usize {
        if self.ranges.len() < Self::MOST {
            return 0;
        }
        let count = Self::MOST / 4;
        self.known_from = self.ranges[count].0;
        self.ranges.drain(..count);
        count
    }
}
