//! One row of time stamps per sample, filled in as they become known.

use std::sync::atomic::{AtomicI64, Ordering};

use crate::held::Held;

macro_rules! row {
    ($($(#[$doc:meta])* $field:ident,)*) => {
        /// Stamps of one sample, ns; 0 until known. A row is written by the sender's and by the
        /// receiver's thread, each its own fields: hence atomics, which cost nothing when relaxed.
        #[derive(Default)]
        pub struct Row { $($(#[$doc])* pub $field: AtomicI64,)* }

        impl Row {
            fn clear(&self) {
                $(self.$field.store(0, Ordering::Relaxed);)*
            }
        }
    };
}

row! {
    /// When it should have been sent.
    intended_ns,
    /// T1.
    sent_ns,
    /// T2.
    written_ns,
    /// T3 at the responder.
    echo_delivered_ns,
    /// T4 at the responder.
    echo_read_ns,
    /// T1 of the pong.
    echo_sent_ns,
    /// T3.
    delivered_ns,
    /// T4.
    read_ns,
    /// The middleware's stamp of sending.
    source_ns,
    /// The middleware's stamp of reception.
    reception_ns,
    /// Writer of the sample.
    writer,
    /// Sequence number.
    seq,
    /// Flags of the sample.
    flags,
    /// Readers that have answered it.
    answers,
}

impl Row {
    /// Sets a field. Hot.
    #[inline]
    pub fn set(field: &AtomicI64, value: i64) {
        field.store(value, Ordering::Relaxed);
    }

    /// Reads a field; `None` if it was never set.
    pub fn get(field: &AtomicI64) -> Option<i64> {
        match field.load(Ordering::Relaxed) {
            0 => None,
            value => Some(value),
        }
    }
}

/// Rows for a whole measurement, there from the start.
pub struct Recorder {
    rows: Box<[Row]>,
    _held: Held,
}

impl Recorder {
    /// Room for `capacity` samples. Every page is touched, so that none is first touched while
    /// measuring.
    pub fn new(capacity: usize) -> Self {
        let rows: Box<[Row]> = (0..capacity).map(|_| Row::default()).collect();
        for row in &rows {
            row.clear();
        }
        Self { _held: Held::by(&rows), rows }
    }

    /// How many samples there is room for.
    pub fn capacity(&self) -> usize {
        self.rows.len()
    }

    /// The row of the `index`-th sample; `None` beyond the capacity. Hot.
    #[inline]
    pub fn row(&self, index: u64) -> Option<&Row> {
        self.rows.get(usize::try_from(index).ok()?)
    }

    /// The first `count` rows.
    pub fn rows(&self, count: usize) -> &[Row] {
        &self.rows[..count.min(self.rows.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_beyond_the_capacity_is_refused() {
        let recorder = Recorder::new(2);
        assert!(recorder.row(1).is_some() && recorder.row(2).is_none());
        assert!(recorder.row(u64::MAX).is_none());
    }

    #[test]
    fn a_stamp_that_was_never_set_is_absent() {
        let recorder = Recorder::new(1);
        let row = recorder.row(0).expect("capacity 1");
        assert_eq!(Row::get(&row.read_ns), None);
        Row::set(&row.read_ns, 7);
        assert_eq!(Row::get(&row.read_ns), Some(7));
    }
}
