//! Samples within a stream of a protocol that is not read: each is found by the cookie of the run.

use super::Stamp;
use crate::own::{self, Sample};

/// Bytes of which a cookie may be cut off.
const COOKIE: usize = 8;

/// A sample of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// What its header says.
    pub sample: Sample,
    /// When its header began.
    pub begun: Stamp,
    /// Offset of the stream behind it.
    pub end: i64,
    /// Header and body, where they are known; else only the header has been waited for.
    pub bytes: Option<usize>,
}

/// One direction of a connection.
#[derive(Default)]
pub struct Scanning {
    /// The end of what came, where a header may begin.
    tail: Vec<u8>,
    begun: Stamp,
    waiting: Option<Found>,
}

impl Scanning {
    /// Bytes in memory.
    pub fn held(&self) -> usize {
        self.tail.len()
    }

    /// Whether a sample has begun and is not complete.
    pub fn is_under_way(&self) -> bool {
        self.waiting.is_some() || self.tail.len() >= COOKIE
    }

    /// Forgets what has begun: bytes are missing, or the stream is of a protocol that is read.
    pub fn clear(&mut self) {
        self.tail.clear();
        self.waiting = None;
    }

    /// Takes bytes in order; every sample that they complete goes to `sink`. `whole` says how many
    /// bytes the samples of a writer have.
    pub fn add(
        &mut self,
        cookie: u64,
        data: &[u8],
        end: i64,
        stamp: Stamp,
        whole: &dyn Fn(u32) -> Option<usize>,
        sink: &mut dyn FnMut(&Found),
    ) {
        let before = self.tail.len();
        let mut bytes = std::mem::take(&mut self.tail);
        bytes.extend_from_slice(data);
        let start = end - bytes.len() as i64;
        let mut at = 0;
        loop {
            let next = own::find(bytes.get(at..).unwrap_or(&[]), cookie).map(|place| at + place);
            let begins = next.map_or(i64::MAX, |next| start + next as i64);
            // A sample that is shorter than it was said to be ends where the next one begins.
            if let Some(waiting) = self.waiting.take_if(|one| one.end.min(begins) <= end) {
                let short = begins < waiting.end;
                sink(&Found { bytes: waiting.bytes.filter(|_| !short), ..waiting });
            }
            let Some(next) = next else { break };
            let begun = if next < before { self.begun } else { stamp };
            let Some(sample) = own::header(&bytes[next..], Some(cookie)) else {
                self.begun = begun;
                self.tail = bytes.split_off(next);
                return;
            };
            let known = whole(sample.writer).filter(|bytes| *bytes >= own::HEADER);
            let end = begins + known.unwrap_or(own::HEADER) as i64;
            self.waiting = Some(Found { sample, begun, end, bytes: known });
            at = next + own::HEADER;
        }
        let keep = bytes.len().saturating_sub(COOKIE - 1).max(at.min(bytes.len()));
        if keep >= before {
            self.begun = stamp;
        }
        self.tail = bytes.split_off(keep);
    }

    /// Bytes are missing up to this place of the stream: within a sample they are passed over.
    pub fn hole(&mut self, end: i64, sink: &mut dyn FnMut(&Found)) {
        self.tail.clear();
        if let Some(waiting) = self.waiting.take_if(|one| one.end <= end) {
            sink(&waiting);
        }
    }

    /// The sample that has begun, where the stream ends within it.
    pub fn take_rest(&mut self) -> Option<Found> {
        self.waiting.take().map(|one| Found { bytes: None, ..one })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COOKIE_OF_RUN: u64 = 0x1234_5678_9abc_def0;

    fn stream(samples: u64, body: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for seq in 0..samples {
            bytes.extend([0xF0, 0xDE, 0xBC, 7, 7]);
            for word in [COOKIE_OF_RUN, seq, 1_000_000, 1_000_500, 0, 0, 0] {
                bytes.extend(word.to_le_bytes());
            }
            for word in [3_u32, 2] {
                bytes.extend(word.to_le_bytes());
            }
            bytes.resize(bytes.len() + body, 0);
        }
        bytes
    }

    fn found(pieces: usize, known: Option<usize>) -> Vec<Found> {
        let bytes = stream(5, 100);
        let (mut scanning, mut found) = (Scanning::default(), Vec::new());
        let mut end = 0;
        for (number, piece) in bytes.chunks(pieces).enumerate() {
            end += piece.len() as i64;
            let stamp = Stamp { time_ns: number as i64, packet: number as u32 };
            let whole = |_| known;
            scanning.add(COOKIE_OF_RUN, piece, end, stamp, &whole, &mut |one| found.push(*one));
            assert!(scanning.held() < own::HEADER);
        }
        found.extend(scanning.take_rest());
        found
    }

    #[test]
    fn samples_are_found_wherever_the_stream_is_cut() {
        for pieces in [1, 7, 8, 63, 64, 170, 1000] {
            for known in [None, Some(164), Some(200)] {
                let found = found(pieces, known);
                let short = known == Some(200);
                let numbers: Vec<_> = found.iter().map(|one| one.sample.seq).collect();
                assert_eq!(numbers, [0, 1, 2, 3, 4], "pieces of {pieces}");
                for (seq, one) in found.iter().enumerate() {
                    let start = seq * 169 + 5;
                    if pieces >= COOKIE {
                        assert_eq!(one.begun.packet as usize, start / pieces, "{pieces}");
                    }
                    assert_eq!(one.end as usize, start + known.unwrap_or(64));
                    assert_eq!(one.bytes, known.filter(|_| !short));
                }
            }
        }
    }
}
