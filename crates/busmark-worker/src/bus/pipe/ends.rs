//! What one end of the pipe knows: which pieces it has sent and not seen acknowledged, and what has
//! come. Nothing of a middleware, a thread or a clock of its own, so that every loss can be tested.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::piece::{CONTENT, Kind, Piece};

/// Pieces on their way at once.
pub const WINDOW: usize = 8;
/// Bytes that wait to be sent; whoever has more waits.
const ROOM: usize = 1 << 20;
/// Bytes that wait to be read. What comes beyond is not acknowledged, and comes again.
const UNREAD: usize = 8 << 20;
/// A piece that is not acknowledged within this time is sent again, then within twice the time …
const AGAIN: Duration = Duration::from_millis(100);
/// … and at most within this one.
const AGAIN_AT_MOST: Duration = Duration::from_secs(1);

/// A piece that was sent.
struct Sent {
    kind: Kind,
    content: Vec<u8>,
}

/// Whether the stream of an end has an end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    Open,
    /// Behind what waits.
    Due,
    Sent,
}

/// One end.
pub struct End {
    waiting: VecDeque<u8>,
    ending: Ending,
    /// Sent and not acknowledged; the first has the number `base`.
    sent: VecDeque<Sent>,
    base: u64,
    again: Duration,
    again_at: Option<Instant>,
    /// Since when nothing was acknowledged though something is due.
    silent_since: Option<Instant>,
    /// Number of the next piece from the other end.
    expected: u64,
    owes: bool,
    unread: VecDeque<u8>,
    ended: bool,
}

impl End {
    /// Before anything was sent.
    pub fn new() -> Self {
        Self {
            waiting: VecDeque::new(),
            ending: Ending::Open,
            sent: VecDeque::new(),
            base: 0,
            again: AGAIN,
            again_at: None,
            silent_since: None,
            expected: 0,
            owes: false,
            unread: VecDeque::new(),
            ended: false,
        }
    }

    /// Takes bytes to be sent, as many as there is room for.
    pub fn put(&mut self, bytes: &[u8]) -> usize {
        let count = bytes.len().min(ROOM.saturating_sub(self.waiting.len()));
        self.waiting.extend(&bytes[..count]);
        count
    }

    /// There are no more bytes to be sent.
    pub fn end(&mut self) {
        if self.ending == Ending::Open {
            self.ending = Ending::Due;
        }
    }

    /// Whether everything that was to be sent is acknowledged.
    pub fn is_done(&self) -> bool {
        self.waiting.is_empty() && self.sent.is_empty() && self.ending != Ending::Due
    }

    /// Gives bytes that have come, in order: 0 if there are none now.
    pub fn get(&mut self, into: &mut [u8]) -> usize {
        let count = into.len().min(self.unread.len());
        for (place, byte) in into.iter_mut().zip(self.unread.drain(..count)) {
            *place = byte;
        }
        count
    }

    /// Whether the other end has no more bytes, and all of them were read.
    pub fn has_ended(&self) -> bool {
        self.ended && self.unread.is_empty()
    }

    /// How long nothing has been acknowledged though something was sent.
    pub fn silent(&self, now: Instant) -> Duration {
        self.silent_since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since))
    }

    /// When there is something to do though nothing comes.
    pub fn due(&self) -> Option<Instant> {
        self.again_at
    }

    /// What is to be sent now.
    pub fn pieces(&mut self, now: Instant) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        if self.again_at.is_some_and(|at| at <= now) {
            self.again = (self.again * 2).min(AGAIN_AT_MOST);
            self.again_at = Some(now + self.again);
            found.extend((0..self.sent.len()).map(|index| self.piece(index)));
        }
        while self.sent.len() < WINDOW {
            let count = self.waiting.len().min(CONTENT);
            let kind = match count {
                0 if self.ending == Ending::Due => Kind::End,
                0 => break,
                _ => Kind::Bytes,
            };
            if kind == Kind::End {
                self.ending = Ending::Sent;
            }
            self.sent.push_back(Sent { kind, content: self.waiting.drain(..count).collect() });
            found.push(self.piece(self.sent.len() - 1));
            self.again_at.get_or_insert(now + self.again);
            self.silent_since.get_or_insert(now);
        }
        if found.is_empty() && self.owes {
            let kind = Kind::Acknowledgement;
            found.push(Piece { kind, number: 0, had: self.expected, content: &[] }.write());
        }
        self.owes = false;
        found
    }

    fn piece(&self, index: usize) -> Vec<u8> {
        let Sent { kind, content } = &self.sent[index];
        let number = self.base + index as u64;
        Piece { kind: *kind, number, had: self.expected, content }.write()
    }

    /// Something has come; whether it was a piece.
    pub fn heard(&mut self, bytes: &[u8], now: Instant) -> bool {
        let Some(piece) = Piece::read(bytes) else { return false };
        self.acknowledged(piece.had, now);
        if piece.kind == Kind::Acknowledgement {
            return true;
        }
        if piece.number == self.expected && self.unread.len() <= UNREAD {
            self.expected += 1;
            self.unread.extend(piece.content);
            self.ended |= piece.kind == Kind::End;
        }
        // Also for one that has come before: the acknowledgement may have been lost.
        self.owes = true;
        true
    }

    fn acknowledged(&mut self, had: u64, now: Instant) {
        let count = had.saturating_sub(self.base).min(self.sent.len() as u64);
        if count == 0 {
            return;
        }
        self.sent.drain(..count as usize);
        self.base += count;
        self.again = AGAIN;
        let left = !self.sent.is_empty();
        self.again_at = left.then_some(now + self.again);
        self.silent_since = left.then_some(now);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Carries everything between two ends over a network that does this to each piece, until both have
    /// ended: what came at the second, and how many pieces were sent.
    fn carried(bytes: &[u8], mut fate: impl FnMut() -> Fate) -> (Vec<u8>, usize) {
        let (mut from, mut to) = (End::new(), End::new());
        let (mut now, mut came, mut sent, mut rest) = (Instant::now(), Vec::new(), 0, bytes);
        let mut later: Vec<Vec<u8>> = Vec::new();
        let mut buffer = [0; 5000];
        while !(to.has_ended() && from.is_done()) {
            let taken = from.put(rest);
            rest = &rest[taken..];
            if rest.is_empty() {
                from.end();
            }
            for piece in from.pieces(now) {
                sent += 1;
                match fate() {
                    Fate::Comes => assert!(to.heard(&piece, now)),
                    Fate::Twice => {
                        assert!(to.heard(&piece, now) && to.heard(&piece, now));
                    }
                    Fate::Late => later.push(piece),
                    Fate::Lost => {}
                    Fate::Damaged => assert!(!to.heard(&piece[..piece.len() - 1], now)),
                }
            }
            for piece in to.pieces(now) {
                if matches!(fate(), Fate::Comes | Fate::Twice) {
                    from.heard(&piece, now);
                }
            }
            if sent % 3 == 0 {
                later.drain(..).for_each(|piece| assert!(to.heard(&piece, now)));
            }
            loop {
                let count = to.get(&mut buffer);
                if count == 0 {
                    break;
                }
                came.extend_from_slice(&buffer[..count]);
            }
            now = from.due().map_or(now, |at| at.max(now));
        }
        (came, sent)
    }

    #[derive(Clone, Copy, Debug)]
    enum Fate {
        Comes,
        Twice,
        Late,
        Lost,
        Damaged,
    }

    fn content(length: usize) -> Vec<u8> {
        (0..length).map(|at| (at * 31 % 251) as u8).collect()
    }

    #[test]
    fn a_stream_comes_in_as_many_pieces_as_it_has() {
        let bytes = content(3 * CONTENT + 5);
        let (came, sent) = carried(&bytes, || Fate::Comes);
        assert!(came == bytes);
        assert_eq!(sent, 5, "four of bytes, and the end");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn whatever_is_lost_late_doubled_or_damaged_is_repaired(
            length in 0..12 * CONTENT, seed: u64,
        ) {
            let mut state = seed;
            let fate = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                // About half of them come, or there would be no end.
                match state >> 60 {
                    0 => Fate::Twice,
                    1 => Fate::Late,
                    2..=5 => Fate::Lost,
                    6 => Fate::Damaged,
                    _ => Fate::Comes,
                }
            };
            let bytes = content(length);
            prop_assert!(carried(&bytes, fate).0 == bytes);
        }
    }

    #[test]
    fn whoever_does_not_read_holds_up_the_other_and_nobodys_memory_grows() {
        let (mut from, mut to, mut now) = (End::new(), End::new(), Instant::now());
        let bytes = content(4 * UNREAD);
        let mut put = 0;
        for _ in 0..200 {
            put += from.put(&bytes[put..]);
            from.pieces(now).iter().for_each(|piece| assert!(to.heard(piece, now)));
            to.pieces(now).iter().for_each(|piece| assert!(from.heard(piece, now)));
            now = from.due().map_or(now, |at| at.max(now));
        }
        assert!(put < bytes.len() && put <= UNREAD + ROOM + (WINDOW + 1) * CONTENT, "{put}");
        assert!(from.silent(now) > Duration::from_secs(1));
    }

    #[test]
    fn silence_is_counted_from_what_was_sent_and_ends_with_an_acknowledgement() {
        let (mut end, mut other, begin) = (End::new(), End::new(), Instant::now());
        let later = begin + Duration::from_secs(5);
        assert_eq!(end.silent(later), Duration::ZERO);
        end.put(b"x");
        let pieces = end.pieces(begin);
        assert_eq!(end.silent(later), Duration::from_secs(5));
        other.heard(&pieces[0], later);
        end.heard(&other.pieces(later)[0], later);
        assert_eq!(end.silent(later), Duration::ZERO);
        assert!(end.is_done() && end.due().is_none());
    }
}
