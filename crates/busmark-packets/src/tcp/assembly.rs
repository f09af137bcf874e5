//! The bytes of one direction of a connection, in order.

use std::collections::BTreeMap;

use crate::link::Segment;

/// Bytes that may wait behind a hole of one direction; then the hole is given up.
pub const MOST_WAITING: usize = 1 << 20;
/// Segments that may wait.
pub const MOST_SEGMENTS: usize = 1024;
/// Offset of the first byte of a stream, so that earlier ones have an offset as well.
const ORIGIN: i64 = 1 << 33;

const FIN: u8 = 1;
const SYN: u8 = 2;
const RST: u8 = 4;

/// What is in order now.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the text above says what they are")]
pub enum Piece {
    /// Bytes that follow one another; the packet in which they came is at the time given.
    Bytes { data: Vec<u8>, end: i64, time_ns: i64, packet: u32 },
    /// Bytes that the capture does not have, up to this place.
    Hole { bytes: i64, end: i64 },
}

/// What a segment was, beside what it completes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noted {
    /// Offset behind its last byte.
    pub end: i64,
    /// Its bytes were there before, some of them or all.
    pub retransmission: bool,
    /// Bytes before it are missing as yet.
    pub out_of_order: bool,
    /// Asks whether the peer is there: one byte or none before what is expected.
    pub keep_alive: bool,
}

struct Waiting {
    data: Vec<u8>,
    bytes: i64,
    time_ns: i64,
    packet: u32,
}

/// One direction.
#[derive(Default)]
pub struct Assembly {
    /// Sequence number at `ORIGIN`.
    base: Option<u32>,
    /// Offset of the next byte.
    next: i64,
    waiting: BTreeMap<i64, Waiting>,
    held: usize,
}

impl Assembly {
    /// Bytes in memory.
    pub const fn held(&self) -> usize {
        self.held
    }

    /// Offset of a sequence number, the one nearest to what is expected; the first one seen fixes it.
    pub fn offset(&mut self, seq: u32) -> i64 {
        let Some(base) = self.base else {
            self.base = Some(seq);
            self.next = ORIGIN;
            return ORIGIN;
        };
        let expected = base.wrapping_add((self.next - ORIGIN) as u32);
        self.next + i64::from(seq.wrapping_sub(expected).cast_signed())
    }

    /// Whether a segment that opens a connection opens another than this one.
    pub fn is_another(&self, seq: u32) -> bool {
        self.base.is_some_and(|base| base != seq.wrapping_add(1))
    }

    /// Takes a segment; what is in order then goes to `pieces`.
    pub fn add(
        &mut self,
        segment: &Segment,
        payload: &[u8],
        stamp: (i64, u32),
        pieces: &mut Vec<Piece>,
    ) -> Noted {
        let syn = segment.flags & SYN != 0;
        let seq = if syn { segment.seq.wrapping_add(1) } else { segment.seq };
        let begin = self.offset(seq);
        let end = begin + i64::from(segment.bytes);
        let mut noted = Noted { end, ..Noted::default() };
        if segment.bytes == 0 {
            noted.keep_alive = begin == self.next - 1 && segment.flags & (SYN | FIN | RST) == 0;
            return noted;
        }
        if begin < self.next {
            noted.keep_alive = segment.bytes == 1 && begin == self.next - 1;
            noted.retransmission = !noted.keep_alive;
        } else if self.overlaps_waiting(begin, end) {
            noted.retransmission = true;
        } else {
            noted.out_of_order = begin > self.next;
        }
        if end > self.next {
            self.take(begin, end, payload, stamp, pieces);
        }
        noted
    }

    fn overlaps_waiting(&self, begin: i64, end: i64) -> bool {
        self.waiting.range(..end).next_back().is_some_and(|(at, last)| at + last.bytes > begin)
    }

    fn take(
        &mut self,
        begin: i64,
        end: i64,
        payload: &[u8],
        stamp: (i64, u32),
        pieces: &mut Vec<Piece>,
    ) {
        let (time_ns, packet) = stamp;
        let skipped = (self.next - begin).max(0);
        let begin = begin.max(self.next);
        let payload = payload.get(skipped as usize..).unwrap_or(&[]);
        let waiting = Waiting { data: payload.to_vec(), bytes: end - begin, time_ns, packet };
        if begin == self.next && self.waiting.is_empty() {
            self.deliver(waiting, pieces);
            return;
        }
        if self.waiting.get(&begin).is_none_or(|there| there.bytes < waiting.bytes) {
            self.held += waiting.data.len();
            if let Some(old) = self.waiting.insert(begin, waiting) {
                self.held -= old.data.len();
            }
        }
        self.release(pieces);
        while self.held > MOST_WAITING || self.waiting.len() > MOST_SEGMENTS {
            self.skip_hole(pieces);
        }
    }

    /// Gives up the first hole: what waits behind it is in order then.
    pub fn skip_hole(&mut self, pieces: &mut Vec<Piece>) {
        let Some((&at, _)) = self.waiting.first_key_value() else { return };
        if at > self.next {
            pieces.push(Piece::Hole { bytes: at - self.next, end: at });
            self.next = at;
        }
        self.release(pieces);
    }

    fn release(&mut self, pieces: &mut Vec<Piece>) {
        while let Some(entry) = self.waiting.first_entry() {
            let at = *entry.key();
            if at > self.next {
                return;
            }
            let mut waiting = entry.remove();
            self.held -= waiting.data.len();
            let skipped = self.next - at;
            if waiting.bytes > skipped {
                waiting.data.drain(..(skipped as usize).min(waiting.data.len()));
                waiting.bytes -= skipped;
                self.deliver(waiting, pieces);
            }
        }
    }

    fn deliver(&mut self, waiting: Waiting, pieces: &mut Vec<Piece>) {
        let there = waiting.data.len() as i64;
        let end = self.next + there.min(waiting.bytes);
        self.next += waiting.bytes;
        if there > 0 {
            let Waiting { data, time_ns, packet, .. } = waiting;
            pieces.push(Piece::Bytes { data, end, time_ns, packet });
        }
        if waiting.bytes > there {
            pieces.push(Piece::Hole { bytes: waiting.bytes - there, end: self.next });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(assembly: &mut Assembly, seq: u32, payload: &[u8]) -> (Noted, Vec<u8>, i64) {
        let mut pieces = Vec::new();
        let segment = Segment { seq, ack: 0, flags: 16, bytes: payload.len() as u32 };
        let noted = assembly.add(&segment, payload, (0, 0), &mut pieces);
        let (mut bytes, mut holes) = (Vec::new(), 0);
        for piece in pieces {
            match piece {
                Piece::Bytes { data, .. } => bytes.extend(data),
                Piece::Hole { bytes, .. } => holes += bytes,
            }
        }
        (noted, bytes, holes)
    }

    #[test]
    fn segments_out_of_order_wait_for_those_before() {
        let mut stream = Assembly::default();
        assert_eq!(add(&mut stream, u32::MAX - 1, b"abcd").1, b"abcd");
        let (late, nothing, _) = add(&mut stream, 5, b"hij");
        assert!(late.out_of_order && nothing.is_empty());
        let (noted, bytes, _) = add(&mut stream, 2, b"efg");
        assert!(!noted.out_of_order && !noted.retransmission);
        assert_eq!(bytes, b"efghij");
        assert_eq!(stream.held(), 0);
    }

    #[test]
    fn a_second_copy_is_a_retransmission_and_delivers_nothing() {
        let mut stream = Assembly::default();
        add(&mut stream, 100, b"abcd");
        let (noted, bytes, _) = add(&mut stream, 100, b"abcd");
        assert!(noted.retransmission && bytes.is_empty());
        let (longer, bytes, _) = add(&mut stream, 102, b"cdef");
        assert!(longer.retransmission);
        assert_eq!(bytes, b"ef");
    }

    #[test]
    fn a_hole_that_is_never_filled_is_given_up() {
        let mut stream = Assembly::default();
        add(&mut stream, 0, b"abcd");
        let large = vec![7; 60_000];
        let (mut bytes, mut holes) = (0, 0);
        for index in 0..100 {
            let (_, got, hole) = add(&mut stream, 1000 + index * 60_000, &large);
            bytes += got.len();
            holes += hole;
        }
        assert!(stream.held() <= MOST_WAITING);
        assert_eq!((bytes, holes), (6_000_000 - stream.held(), 996));
    }

    #[test]
    fn bytes_that_were_not_captured_are_a_hole() {
        let mut stream = Assembly::default();
        let mut pieces = Vec::new();
        let segment = Segment { seq: 1, ack: 0, flags: 16, bytes: 100 };
        stream.add(&segment, b"only this", (0, 0), &mut pieces);
        assert!(matches!(pieces[..], [Piece::Bytes { .. }, Piece::Hole { bytes: 91, .. }]));
        assert_eq!(add(&mut stream, 101, b"next").1, b"next");
    }
}
