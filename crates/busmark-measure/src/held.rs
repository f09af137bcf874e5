//! Memory that the instruments hold, so that it is not taken for the middleware's.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of all instruments of this process.
static TOTAL: AtomicUsize = AtomicUsize::new(0);

/// Bytes that all instruments of this process hold.
pub fn held_bytes() -> usize {
    TOTAL.load(Ordering::Relaxed)
}

/// A part of them, counted as long as it is there.
pub(crate) struct Held(usize);

impl Held {
    pub(crate) fn by<T>(values: &[T]) -> Self {
        let bytes = size_of_val(values);
        TOTAL.fetch_add(bytes, Ordering::Relaxed);
        Self(bytes)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        TOTAL.fetch_sub(self.0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use crate::{Ledger, Probes, Recorder, Row, held_bytes};

    /// More than all other tests hold at a time.
    const ROWS: usize = 1 << 18;

    #[test]
    fn what_instruments_hold_is_counted_while_they_are_there() {
        let recorder = Recorder::new(ROWS);
        let least = ROWS * size_of::<Row>();
        assert!(held_bytes() >= least);
        let (probes, ledger) = (Probes::new(2, ROWS, 1), Ledger::new());
        assert!(held_bytes() >= least + ROWS * size_of::<u64>());
        drop((recorder, probes, ledger));
        assert!(held_bytes() < least);
    }
}
