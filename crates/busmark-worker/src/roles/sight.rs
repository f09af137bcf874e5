//! What is seen of an active role while it runs, in the rows that it has filled. The role does nothing
//! for it: rows are atomics that it has written and does not touch again but for an answer.

use std::sync::Arc;

use busmark_measure::{Recorder, Row};

use crate::protocol::{First, Seen};
use crate::segments;

/// Rows that one look reads of those that were filled since the last, and as many of those before:
/// whoever looks runs on the CPUs of the participant.
const MOST: usize = 256;

/// Looks at the rows of a role, from another thread.
pub struct Sight {
    role: u32,
    recorder: Arc<Recorder>,
    /// Rows that were filled at the look before the last, and at the last.
    filled: (usize, usize),
    /// Rows from the begin that had no answer when they were looked at.
    in_vain: usize,
}

impl Sight {
    /// Sight of the role with this number; its rows are filled one after the other.
    pub fn new(role: u32, recorder: Arc<Recorder>) -> Self {
        Self { role, recorder, filled: (0, 0), in_vain: 0 }
    }

    /// The first that was answered, by the time of its answer. It is looked for among the first rows
    /// that were filled: with an answer before it, none can be earlier.
    pub fn first(&mut self) -> Option<First> {
        let answered = |index: usize| Row::get(&self.recorder.row(index as u64)?.read_ns);
        let end = self.end(self.in_vain);
        let from = self.in_vain.saturating_sub(MOST);
        let found = (from..end).find_map(|index| Some((index, answered(index)?)));
        if found.is_none() {
            self.in_vain = end;
        }
        let (index, at_ns) = found?;
        Some(First { role: self.role, writer: self.role, at_ns, before: index as u64 })
    }

    /// What there is to see since the last look.
    pub fn look(&mut self) -> Seen {
        let (before, last) = self.filled;
        let now = self.end(last);
        self.filled = (last, now);
        let looked_at: Vec<&Row> = self.rows(last, now).collect();
        let round_trips_ns = looked_at
            .iter()
            .filter_map(|row| Some(Row::get(&row.read_ns)? - Row::get(&row.intended_ns)?))
            .collect();
        let segments = segments::of(&looked_at.iter().copied(), self.apart(last, now));
        let (mut asked, mut unanswered) = (0, 0);
        for row in self.rows(before, last) {
            asked += 1;
            unanswered += u32::from(Row::get(&row.read_ns).is_none());
        }
        Seen { role: self.role, round_trips_ns, asked, unanswered, segments }
    }

    /// Times from the pong before to each of those that are looked at. Two that have changed places
    /// are left out.
    fn apart(&self, from: usize, to: usize) -> Vec<i64> {
        let read = |index: usize| Row::get(&self.recorder.row(index as u64)?.read_ns);
        places(from, to)
            .filter_map(|index| Some(read(index)? - read(index.checked_sub(1)?)?))
            .filter(|apart| *apart >= 0)
            .collect()
    }

    /// At most so many of these rows, at equal distances.
    fn rows(&self, from: usize, to: usize) -> impl Iterator<Item = &Row> {
        places(from, to).filter_map(|index| self.recorder.row(index as u64))
    }

    /// How many rows are filled, at least `from`: in steps that double, then by halves.
    fn end(&self, from: usize) -> usize {
        let filled = |index: usize| {
            self.recorder.row(index as u64).is_some_and(|row| Row::get(&row.intended_ns).is_some())
        };
        if !filled(from) {
            return from;
        }
        let (mut low, mut step) = (from, 1);
        while filled(low + step) {
            low += step;
            step *= 2;
        }
        let mut high = low + step;
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            *(if filled(middle) { &mut low } else { &mut high }) = middle;
        }
        high
    }
}

/// At most so many places, at equal distances.
fn places(from: usize, to: usize) -> impl Iterator<Item = usize> {
    (from..to).step_by((to - from).div_ceil(MOST).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(recorder: &Recorder, from: u64, to: u64, answered: impl Fn(u64) -> bool) {
        for index in from..to {
            let row = recorder.row(index).expect("capacity");
            Row::set(&row.intended_ns, 1000);
            if answered(index) {
                Row::set(&row.read_ns, 1000 + index as i64);
            }
        }
    }

    #[test]
    fn the_end_of_the_filled_rows_is_found_from_anywhere() {
        let recorder = Arc::new(Recorder::new(1000));
        let sight = Sight::new(1, Arc::clone(&recorder));
        assert_eq!(sight.end(0), 0);
        for filled in [1, 2, 3, 64, 65, 999, 1000] {
            fill(&recorder, 0, filled, |_| false);
            for from in [0, 1, filled as usize / 2, filled as usize] {
                assert_eq!(sight.end(from), filled as usize, "from {from}");
            }
        }
    }

    #[test]
    fn each_row_is_seen_once_and_asked_for_an_answer_once() {
        let recorder = Arc::new(Recorder::new(1000));
        let mut sight = Sight::new(7, Arc::clone(&recorder));
        fill(&recorder, 0, 3, |index| index != 1);
        let seen = sight.look();
        assert_eq!((seen.role, &seen.round_trips_ns[..]), (7, &[0, 2][..]));
        assert_eq!((seen.asked, seen.unanswered), (0, 0), "an answer may be on its way");
        fill(&recorder, 3, 5, |_| true);
        let seen = sight.look();
        assert_eq!(seen.round_trips_ns, [3, 4]);
        assert_eq!((seen.asked, seen.unanswered), (3, 1));
        let seen = sight.look();
        assert!(seen.round_trips_ns.is_empty());
        assert_eq!((seen.asked, seen.unanswered), (2, 0));
    }

    #[test]
    fn the_first_answer_has_its_time_and_the_pings_before_it() {
        let recorder = Arc::new(Recorder::new(1000));
        let mut sight = Sight::new(7, Arc::clone(&recorder));
        assert_eq!(sight.first(), None);
        fill(&recorder, 0, 300, |_| false);
        assert_eq!(sight.first(), None);
        fill(&recorder, 300, 400, |index| index > 310);
        let first = First { role: 7, writer: 7, at_ns: 1311, before: 311 };
        assert_eq!(sight.first(), Some(first));
    }

    #[test]
    fn legs_are_of_what_is_looked_at_and_inter_arrival_of_neighbours() {
        let recorder = Arc::new(Recorder::new(10_000));
        let mut sight = Sight::new(1, Arc::clone(&recorder));
        for index in 0..10_000 {
            let row = recorder.row(index).expect("capacity");
            let sent = 1_000_000 + 5000 * index as i64;
            for (field, at) in [(&row.intended_ns, 0), (&row.sent_ns, 1), (&row.written_ns, 8)] {
                Row::set(field, sent + at);
            }
            Row::set(&row.read_ns, sent + 91);
        }
        let segments = sight.look().segments;
        assert_eq!(
            segments.keys().copied().collect::<Vec<_>>(),
            ["inter_arrival", "send_source", "trip"]
        );
        let of = |name: &str| (segments[name][0].min_ns, segments[name][0].max_ns);
        assert_eq!(
            (of("send_source"), of("trip"), of("inter_arrival")),
            ((7, 7), (90, 90), (5000, 5000))
        );
        assert!(segments["trip"][0].count <= MOST);
        assert!(sight.look().segments.is_empty());
    }

    #[test]
    fn of_many_rows_some_are_looked_at_from_the_first_to_near_the_last() {
        let recorder = Arc::new(Recorder::new(100_000));
        let mut sight = Sight::new(1, Arc::clone(&recorder));
        fill(&recorder, 0, 100_000, |_| true);
        let seen = sight.look().round_trips_ns;
        assert!(seen.len() <= MOST && seen.len() > MOST / 2, "{}", seen.len());
        assert!(seen[0] == 0 && *seen.last().expect("some") > 99_000);
    }
}
