//! Round trips summed up while they are measured, for a test that may run for hours: rows that are
//! complete go into histograms and are used again. A thread of its own does it, in the ordinary
//! scheduling class; the measured path only finds a row, or none.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use busmark_measure::{Recorder, Row, now_ns};
use hdrhistogram::Histogram;

use crate::conclusion::{SHARES, deviation};
use crate::platform::limits;
use crate::protocol::{Best, Summed};

/// How often rows are taken.
const EVERY: Duration = Duration::from_millis(20);
/// Rows that are released at once.
const AT_ONCE: u64 = 4096;
/// Digits of a time that are kept: its relative error is at most a thousandth.
const DIGITS: u8 = 3;
/// The greatest relative error.
pub const RESOLUTION: f64 = 0.001;
/// The longest time that a histogram has, an hour; longer ones count as this, but for the maximum.
const LONGEST_NS: u64 = 3_600_000_000_000;
/// An answer may be on its way for this much longer than it is waited for.
const MARGIN_NS: i64 = 1_000_000_000;

type Stamps = fn(&Row) -> Option<i64>;

/// One leg of all round trips.
struct Leg {
    histogram: Histogram<u64>,
    least: i64,
    longest: i64,
    mean: f64,
    /// Sum of the squares of deviations from the mean, by Welford's algorithm.
    squares: f64,
}

impl Leg {
    fn new() -> Self {
        let histogram = Histogram::new_with_bounds(1, LONGEST_NS, DIGITS);
        Self {
            histogram: histogram.expect("bounds that are possible"),
            least: i64::MAX,
            longest: i64::MIN,
            mean: 0.0,
            squares: 0.0,
        }
    }

    fn add(&mut self, ns: i64) {
        self.histogram.saturating_record(ns.max(0) as u64);
        (self.least, self.longest) = (self.least.min(ns), self.longest.max(ns));
        let off = ns as f64 - self.mean;
        self.mean += off / self.histogram.len() as f64;
        self.squares += off * (ns as f64 - self.mean);
    }

    fn bests(&self) -> Vec<Best> {
        SHARES.iter().map(|&percent| self.best(percent)).collect()
    }

    fn best(&self, percent: f64) -> Best {
        let all = self.histogram.len();
        let count = ((all as f64 * percent / 100.0).round() as u64).clamp(1, all);
        if count == all {
            return Best {
                percent,
                count: count as usize,
                min_ns: self.least,
                mean_ns: self.mean,
                max_ns: self.longest,
                deviation_ns: deviation(self.squares, count as usize),
            };
        }
        let (mut left, mut mean, mut squares, mut last) = (count, 0.0, 0.0, self.least);
        for bin in self.histogram.iter_recorded() {
            let taken = bin.count_since_last_iteration().min(left);
            let value = bin.value_iterated_to();
            let middle = self.histogram.median_equivalent(value) as f64;
            let off = middle - mean;
            let before = (count - left) as f64;
            left -= taken;
            mean += off * taken as f64 / (count - left) as f64;
            squares += off * off * before * taken as f64 / (count - left) as f64;
            last = self.histogram.highest_equivalent(value) as i64;
            if left == 0 {
                break;
            }
        }
        Best {
            percent,
            count: count as usize,
            min_ns: self.least,
            mean_ns: mean,
            max_ns: last.min(self.longest),
            deviation_ns: deviation(squares, count as usize),
        }
    }
}

/// All legs of all round trips so far.
pub struct Digest {
    recorder: Arc<Recorder>,
    next: u64,
    legs: Vec<(&'static str, Leg)>,
    read: Vec<i64>,
    last_read: Option<i64>,
    unrecorded: u64,
}

const LEGS: [(&str, Stamps, Stamps); 4] = [
    ("send_source", |r| Row::get(&r.sent_ns), |r| Row::get(&r.written_ns)),
    ("send_arrival", |r| Row::get(&r.echo_delivered_ns), |r| Row::get(&r.echo_read_ns)),
    ("echo_arrival", |r| Row::get(&r.delivered_ns), |r| Row::get(&r.read_ns)),
    ("trip", |r| Row::get(&r.sent_ns), |r| Row::get(&r.read_ns)),
];

impl Digest {
    /// Nothing is taken of these rows yet.
    pub fn new(recorder: Arc<Recorder>) -> Self {
        let names = LEGS.iter().map(|(name, ..)| *name).chain(["inter_arrival"]);
        let legs = names.map(|name| (name, Leg::new())).collect();
        let read = Vec::with_capacity(AT_ONCE as usize);
        Self { recorder, next: 0, legs, read, last_read: None, unrecorded: 0 }
    }

    /// Takes the rows below `end` in which nothing can change any more: those that are complete, and those
    /// whose ping was sent before `old_ns`.
    pub fn take(&mut self, end: u64, old_ns: i64) {
        while self.next < end {
            let from = self.next;
            while self.next < end && self.next - from < AT_ONCE && self.take_one(old_ns) {
                self.next += 1;
            }
            self.arrivals();
            self.recorder.release(self.next);
            if self.next == from {
                return;
            }
        }
    }

    fn take_one(&mut self, old_ns: i64) -> bool {
        let Self { recorder, next, legs, read, unrecorded, .. } = self;
        // Without a stamp there was no row for it when it was sent.
        let stamped = recorder.row(*next).and_then(|row| Some((row, Row::get(&row.sent_ns)?)));
        let Some((row, sent)) = stamped else {
            *unrecorded += 1;
            return true;
        };
        let complete = Row::get(&row.written_ns).is_some() && Row::get(&row.read_ns).is_some();
        if !complete && sent >= old_ns {
            return false;
        }
        for ((_, from, to), (_, leg)) in LEGS.iter().zip(legs) {
            if let (Some(from), Some(to)) = (from(row), to(row)) {
                leg.add(to - from);
            }
        }
        read.extend(Row::get(&row.read_ns));
        true
    }

    /// Times between arrivals, whose order may be another.
    fn arrivals(&mut self) {
        self.read.sort_unstable();
        let Some((_, leg)) = self.legs.last_mut() else { return };
        for read in self.read.drain(..) {
            if let Some(last) = self.last_read.filter(|last| *last <= read) {
                leg.add(read - last);
            }
            self.last_read = self.last_read.max(Some(read));
        }
    }

    /// What was summed up.
    pub fn summed(&self) -> Summed {
        let filled = self.legs.iter().filter(|(_, leg)| !leg.histogram.is_empty());
        let legs: BTreeMap<_, _> = filled.map(|(name, leg)| (*name, leg.bests())).collect();
        Summed { legs, unrecorded: self.unrecorded }
    }
}

/// Takes rows while pings are sent.
pub struct Digesting {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Digest>,
}

impl Digesting {
    /// Begins; `sent` tells how many rows were written, `timeout_ns` how long an answer is waited for.
    pub fn begin(
        mut digest: Digest,
        sent: impl Fn() -> u64 + Send + 'static,
        timeout_ns: i64,
    ) -> std::io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name("digest".to_owned()).spawn(move || {
            let _ = limits::other();
            // The newest stay, for whoever looks at them.
            let keep = digest.recorder.capacity() as u64 / 2;
            while !stopped.load(Ordering::Relaxed) {
                let old_ns = now_ns() - timeout_ns - MARGIN_NS;
                digest.take(sent().saturating_sub(keep), old_ns);
                std::thread::sleep(EVERY);
            }
            digest
        })?;
        Ok(Self { stop, thread })
    }

    /// Ends it; what there is so far.
    pub fn end(self) -> Option<Digest> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conclusion;

    /// Round trips of these lengths, one each millisecond.
    fn fill(recorder: &Recorder, from: u64, trips: &[i64]) {
        for (index, trip) in (from..).zip(trips) {
            let Some(row) = recorder.row(index) else { continue };
            let sent = 1_000_000 * (index as i64 + 1);
            Row::set(&row.sent_ns, sent);
            Row::set(&row.written_ns, sent + 500);
            if *trip > 0 {
                Row::set(&row.read_ns, sent + trip);
            }
        }
    }

    fn trips(count: u64) -> Vec<i64> {
        let next = |state: u64| state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let states = std::iter::successors(Some(7_u64), |state| Some(next(*state)));
        // Over four powers of ten.
        states
            .take(count as usize)
            .map(|s| 10_i64.pow((s >> 62) as u32 + 3) + (s >> 54) as i64)
            .collect()
    }

    #[test]
    fn what_is_summed_up_is_what_all_rows_say_within_the_resolution() {
        let all = trips(50_000);
        let rolling = Arc::new(Recorder::rolling(4096));
        let mut digest = Digest::new(Arc::clone(&rolling));
        for (chunk, index) in all.chunks(2048).zip((0..).step_by(2048)) {
            fill(&rolling, index, chunk);
            digest.take(index + chunk.len() as u64, i64::MIN);
        }
        let whole = Recorder::new(all.len());
        fill(&whole, 0, &all);
        let expected = conclusion::legs(whole.rows(all.len()));
        let Summed { legs, unrecorded } = digest.summed();
        assert_eq!(unrecorded, 0);
        assert_eq!(legs.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        for (name, exact) in &expected {
            for (found, exact) in legs[name].iter().zip(exact) {
                assert_eq!((found.percent, found.count), (exact.percent, exact.count), "{name}");
                assert_eq!(found.min_ns, exact.min_ns);
                let near = |a: f64, b: f64| (a - b).abs() <= 1.0 + RESOLUTION * b.abs();
                assert!(
                    near(found.max_ns as f64, exact.max_ns as f64),
                    "{name} {found:?} {exact:?}"
                );
                assert!(near(found.mean_ns, exact.mean_ns), "{name} {found:?} {exact:?}");
                let deviations = (found.deviation_ns, exact.deviation_ns);
                let (Some(a), Some(b)) = deviations else { panic!("{deviations:?}") };
                assert!((a - b).abs() <= 1.0 + 0.01 * b, "{name} {found:?} {exact:?}");
            }
            assert_eq!(legs[name][0].max_ns, exact[0].max_ns, "of all the maximum is exact");
        }
    }

    #[test]
    fn an_answer_is_waited_for_and_one_that_never_comes_holds_up_nobody() {
        let rolling = Arc::new(Recorder::rolling(8));
        let mut digest = Digest::new(Arc::clone(&rolling));
        fill(&rolling, 0, &[5000, 0, 5000]);
        digest.take(3, 0);
        assert_eq!((digest.next, rolling.base()), (1, 1), "row 1 may still be answered");
        digest.take(3, i64::MAX);
        assert_eq!(rolling.base(), 3);
        assert_eq!(digest.summed().legs["trip"][0].count, 2);
        assert_eq!(digest.summed().legs["send_source"][0].count, 3);
    }

    #[test]
    fn what_found_no_row_is_counted_and_no_memory_grows() {
        let rolling = Arc::new(Recorder::rolling(8));
        let mut digest = Digest::new(Arc::clone(&rolling));
        fill(&rolling, 0, &[5000; 11]);
        digest.take(11, i64::MAX);
        fill(&rolling, 11, &[5000; 2]);
        digest.take(13, i64::MAX);
        assert_eq!(digest.summed().unrecorded, 3);
        assert_eq!(digest.summed().legs["trip"][0].count, 10);
        assert_eq!((rolling.capacity(), digest.read.capacity()), (8, AT_ONCE as usize));
    }
}
