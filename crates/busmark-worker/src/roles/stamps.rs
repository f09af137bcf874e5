//! When the write of an answer returned: T2 of pongs, which no header can carry back.

use std::sync::Arc;

use busmark_adapter::Header;
use busmark_measure::{Recorder, Row, now_ns};

/// Rows for the answers of the measured time, one after the other.
pub struct Stamps {
    recorder: Arc<Recorder>,
    next: u64,
}

impl Stamps {
    /// To be kept in these rows.
    pub fn new(recorder: Arc<Recorder>) -> Self {
        Self { recorder, next: 0 }
    }

    /// The write of `answer` has returned. Hot.
    #[inline]
    pub fn written(&mut self, answer: &Header) {
        if answer.flags & Header::WARMUP != 0 {
            return;
        }
        let Some(row) = self.recorder.row(self.next) else { return };
        Row::set(&row.written_ns, now_ns());
        Row::set(&row.sent_ns, answer.sent_ns);
        Row::set(&row.seq, answer.seq as i64);
        Row::set(&row.writer, i64::from(answer.answers()));
        self.next += 1;
    }
}

/// How many of the rows hold an answer.
pub fn filled(recorder: &Recorder) -> usize {
    let rows = recorder.rows(recorder.capacity());
    rows.iter().take_while(|row| Row::get(&row.written_ns).is_some()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_the_warm_up_have_no_rows_and_those_beyond_the_last_are_dropped() {
        let recorder = Arc::new(Recorder::new(2));
        let mut stamps = Stamps::new(Arc::clone(&recorder));
        let warm = Header { flags: Header::WARMUP | 7 << 16, ..Header::default() };
        stamps.written(&warm);
        assert_eq!(filled(&recorder), 0);
        for seq in 3..6 {
            stamps.written(&Header { seq, sent_ns: 5, flags: 7 << 16, ..Header::default() });
        }
        assert_eq!(filled(&recorder), 2);
        let row = recorder.row(1).expect("two rows");
        let found = [&row.writer, &row.seq, &row.sent_ns].map(Row::get);
        assert_eq!(found, [Some(7), Some(4), Some(5)]);
    }
}
