//! The batches that a receiver sees: when each began and ended, and what of it came.
//!
//! The time of a batch belongs to the middleware: what the batcher waits for acknowledgements of a
//! lost start or end is outside it, and so are the pauses between batches.

use busmark_adapter::Header;

use super::senders::Senders;
use crate::protocol::BatchesReport;

/// Bits of a control sample's number below its batch's number: no two that a batcher writes have
/// the same number, so no middleware takes one for another.
const WITHIN: u32 = 8;

/// The number of a control sample: of which batch, with which flags, and how often it was sent before.
pub fn control_number(batch: u64, step: u32, before: u32) -> u64 {
    batch << WITHIN | u64::from(step & (Header::START | Header::LAST)) << 2 | u64::from(before)
}

/// The batch of a control sample.
pub fn batch_of(control_number: u64) -> u64 {
    control_number >> WITHIN
}

/// Late samples are looked for in this many earlier batches.
const BACK: usize = 64;

#[derive(Clone, Copy, Default)]
struct Batch {
    position: usize,
    number: u64,
    start_ns: i64,
    /// When the end came as first sent; 0: it did not.
    ended_ns: i64,
    last_ns: i64,
    received: u64,
    bytes: u64,
}

/// Where a writer stands.
#[derive(Clone, Copy)]
struct Open {
    /// Number by which the writer's control samples name the batch, including the warm-up's.
    control: u64,
    row: usize,
    /// Its first sample.
    first: u64,
    began: u64,
}

const NONE: usize = usize::MAX;

/// Batches of all writers; all memory is there from the start.
pub struct Batches {
    size: u64,
    rows: Box<[Batch]>,
    used: usize,
    open: Box<[Open]>,
}

impl Batches {
    /// Batches of `size` samples by this many writers, `capacity` of them in all.
    pub fn new(size: u64, writers: usize, capacity: usize) -> Self {
        let open = Open { control: u64::MAX, row: NONE, first: 0, began: 0 };
        Self {
            size,
            rows: vec![Batch { position: NONE, ..Batch::default() }; capacity].into(),
            used: 0,
            open: vec![open; writers].into(),
        }
    }

    /// A control sample of the writer at `position` came.
    pub fn control(&mut self, position: usize, header: &Header, now: i64) {
        if header.flags & Header::WARMUP != 0 {
            return;
        }
        if header.flags & Header::START != 0 {
            self.start(position, batch_of(header.seq), now);
        } else if header.flags & Header::LAST != 0 {
            let open = self.open[position];
            let resent = header.flags & Header::RESENT != 0;
            if let Some(row) = self.rows.get_mut(open.row)
                && (open.control, row.ended_ns, resent) == (batch_of(header.seq), 0, false)
            {
                row.ended_ns = now;
            }
        }
    }

    fn start(&mut self, position: usize, control: u64, now: i64) {
        let open = &mut self.open[position];
        if open.control == control {
            // Sent again: the batcher was waiting for an acknowledgement until now.
            if let Some(row) = self.rows.get_mut(open.row)
                && row.received == 0
            {
                row.start_ns = now;
            }
            return;
        }
        *open = Open { control, row: NONE, first: open.began * self.size, began: open.began + 1 };
        if let Some(row) = self.rows.get_mut(self.used) {
            let number = open.began - 1;
            *row = Batch { position, number, start_ns: now, ..Batch::default() };
            open.row = self.used;
            self.used += 1;
        }
    }

    /// A sample came for the first time. Hot.
    #[inline]
    pub fn count(&mut self, position: usize, seq: u64, now: i64, bytes: usize) {
        let open = self.open[position];
        let at = if seq.wrapping_sub(open.first) < self.size {
            open.row
        } else {
            self.earlier(position, seq)
        };
        if let Some(row) = self.rows.get_mut(at) {
            row.received += 1;
            row.bytes += bytes as u64;
            row.last_ns = now;
        }
    }

    /// The row of a sample that is not of its writer's last batch.
    #[cold]
    fn earlier(&self, position: usize, seq: u64) -> usize {
        let number = seq / self.size;
        let back = self.used.saturating_sub(BACK);
        self.rows[back..self.used]
            .iter()
            .rposition(|row| (row.position, row.number) == (position, number))
            .map_or(NONE, |at| back + at)
    }

    /// The batches of each writer.
    pub fn report(&self, senders: &Senders) -> Vec<BatchesReport> {
        let of = |(position, &writer): (usize, &u32)| {
            let mut report = BatchesReport { writer, ..BatchesReport::default() };
            for row in self.rows[..self.used].iter().filter(|row| row.position == position) {
                let came = (row.received > 0).then_some(row.last_ns);
                let ended = (row.ended_ns != 0).then_some(row.ended_ns);
                report.number.push(row.number);
                report.start_ns.push(row.start_ns);
                report.end_ns.push(if ended.is_some() { came.max(ended) } else { came });
                report.ended.push(ended.is_some());
                report.received.push(row.received);
                report.bytes.push(row.bytes);
            }
            report
        };
        senders.ids().iter().enumerate().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: u32 = Header::CONTROL | Header::START;
    const END: u32 = Header::CONTROL | Header::LAST;

    fn control(batches: &mut Batches, position: usize, batch: u64, flags: u32, now: i64) {
        let seq = control_number(batch, flags, u32::from(flags & Header::RESENT != 0));
        batches.control(position, &Header { seq, flags, ..Header::default() }, now);
    }

    #[test]
    fn no_two_control_samples_have_one_number() {
        let mut seen = std::collections::HashSet::new();
        for batch in 0..3 {
            for step in [Header::CONTROL, START, END] {
                for before in 0..5 {
                    let number = control_number(batch, step, before);
                    assert!(seen.insert(number) && batch_of(number) == batch);
                }
            }
        }
    }

    fn of_one(batches: &Batches) -> BatchesReport {
        batches.report(&Senders::new(vec![7])).remove(0)
    }

    #[test]
    fn the_time_of_a_batch_is_from_its_start_to_its_end() {
        let mut batches = Batches::new(2, 1, 9);
        control(&mut batches, 0, 0, START | Header::WARMUP, 50);
        for (number, begin) in [(1, 1_000), (2, 9_000)] {
            control(&mut batches, 0, number, START, begin);
            batches.count(0, number * 2 - 2, begin + 10, 64);
            batches.count(0, number * 2 - 1, begin + 20, 64);
            control(&mut batches, 0, number, END, begin + 30);
        }
        let found = of_one(&batches);
        assert_eq!((found.number, found.start_ns), (vec![0, 1], vec![1_000, 9_000]));
        assert_eq!(found.end_ns, [Some(1_030), Some(9_030)]);
        assert_eq!((found.ended, found.received), (vec![true; 2], vec![2; 2]));
        assert_eq!(found.bytes, [128, 128]);
    }

    #[test]
    fn waiting_for_an_acknowledgement_does_not_count() {
        let second = 1_000_000_000;
        let mut batches = Batches::new(2, 1, 9);
        control(&mut batches, 0, 0, START, 100);
        control(&mut batches, 0, 0, START | Header::RESENT, 100 + second);
        batches.count(0, 0, 110 + second, 64);
        batches.count(0, 1, 120 + second, 64);
        control(&mut batches, 0, 0, END | Header::RESENT, 130 + 2 * second);
        let found = of_one(&batches);
        assert_eq!((found.start_ns, found.end_ns), (vec![100 + second], vec![Some(120 + second)]));
        assert_eq!(found.ended, [false]);
    }

    #[test]
    fn an_end_that_comes_twice_counts_once() {
        let mut batches = Batches::new(1, 1, 9);
        control(&mut batches, 0, 0, START, 100);
        batches.count(0, 0, 110, 64);
        control(&mut batches, 0, 0, END, 120);
        control(&mut batches, 0, 0, END | Header::RESENT, 5_000);
        assert_eq!(of_one(&batches).end_ns, [Some(120)]);
    }

    #[test]
    fn a_batch_of_which_nothing_came_has_no_end() {
        let mut batches = Batches::new(5, 1, 9);
        control(&mut batches, 0, 0, START, 100);
        control(&mut batches, 0, 0, END | Header::RESENT, 5_000);
        let found = of_one(&batches);
        assert_eq!((found.end_ns, found.received), (vec![None], vec![0]));
    }

    #[test]
    fn a_late_sample_counts_in_its_own_batch() {
        let mut batches = Batches::new(2, 1, 9);
        control(&mut batches, 0, 0, START, 100);
        batches.count(0, 0, 110, 64);
        control(&mut batches, 0, 0, END, 120);
        control(&mut batches, 0, 1, START, 200);
        batches.count(0, 1, 210, 64);
        let found = of_one(&batches);
        assert_eq!((found.received, found.end_ns), (vec![2, 0], vec![Some(210), None]));
    }

    #[test]
    fn writers_have_batches_of_their_own_and_none_beyond_the_capacity() {
        let mut batches = Batches::new(2, 2, 2);
        control(&mut batches, 0, 0, START, 100);
        control(&mut batches, 1, 0, START, 101);
        batches.count(1, 0, 105, 64);
        batches.count(0, 0, 106, 64);
        control(&mut batches, 0, 1, START, 200);
        batches.count(0, 2, 210, 64);
        let [first, second] = &batches.report(&Senders::new(vec![7, 9]))[..] else { panic!() };
        assert_eq!((first.writer, &first.received[..]), (7, &[1][..]));
        assert_eq!((second.writer, &second.end_ns[..]), (9, &[Some(105)][..]));
    }
}
