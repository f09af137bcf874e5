//! The first sample that a new reader receives.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::Thread;

use busmark_adapter::{OnData, Taker};
use busmark_measure::now_ns;

use crate::roles::responder::BATCH;

/// A sample that has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When the middleware announced it; without a listener, when it was read.
    pub at_ns: i64,
    /// When it should have been sent.
    pub intended_ns: i64,
}

impl Sample {
    /// How many samples of a constant schedule were due after the creation and before this one: they
    /// did not reach the reader. By one clock only.
    pub fn missed(&self, created_ns: i64, period_ns: i64) -> i64 {
        let since = self.intended_ns - created_ns;
        if since <= 0 { 0 } else { (since - 1) / period_ns.max(1) }
    }
}

/// Keeps the first sample of one writer, and wakes whoever waits for it.
pub struct First {
    cookie: u64,
    from: u32,
    /// When samples were announced before the reader was there to take them; 0: they were not.
    early_ns: AtomicI64,
    is_known: AtomicBool,
    sample: Mutex<Option<Sample>>,
    waits: Thread,
}

impl First {
    /// Samples of this writer of the run; the caller is woken.
    pub fn new(cookie: u64, from: u32) -> Self {
        Self {
            cookie,
            from,
            early_ns: AtomicI64::new(0),
            is_known: AtomicBool::new(false),
            sample: Mutex::new(None),
            waits: std::thread::current(),
        }
    }

    /// The sample, if it has come.
    pub fn get(&self) -> Option<Sample> {
        *self.sample.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, sample: Sample) {
        if !self.is_known.swap(true, Ordering::Relaxed) {
            *self.sample.lock().unwrap_or_else(PoisonError::into_inner) = Some(sample);
            self.waits.unpark();
        }
    }
}

impl OnData for First {
    fn announced_early(&self) {
        self.early_ns.store(now_ns(), Ordering::Relaxed);
    }

    fn on_data(&self, taker: &Taker) {
        let now = now_ns();
        let early = self.early_ns.swap(0, Ordering::Relaxed);
        let at_ns = if early == 0 { now } else { early };
        loop {
            let taken = taker.take(BATCH as u32, &mut |received| {
                let header = received.header;
                if header.cookie == self.cookie && header.writer_id == self.from {
                    self.keep(Sample { at_ns, intended_ns: header.intended_ns });
                }
            });
            if !taken.is_ok_and(|taken| taken as usize == BATCH) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_due_between_creation_and_the_first_received_were_missed() {
        // Due at 1000, 2000, 3000, …: the first received is the one of 4000.
        let sample = Sample { at_ns: 4100, intended_ns: 4000 };
        assert_eq!(sample.missed(3500, 1000), 0);
        assert_eq!(sample.missed(2500, 1000), 1);
        assert_eq!(sample.missed(2000, 1000), 1);
        assert_eq!(sample.missed(1999, 1000), 2);
        assert_eq!(sample.missed(4000, 1000), 0);
        assert_eq!(sample.missed(9000, 1000), 0);
    }
}
