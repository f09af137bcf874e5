//! What is remembered of streams of DDS-XRCE: numbers without wrapping around, repetitions, and
//! fragments.

use std::collections::{BTreeMap, HashMap};

use crate::bytes::Order;
use crate::seen::Window;
use crate::xrce::{RELIABLE, Submessages, id};

/// Streams that are remembered; then all are forgotten.
const MOST: usize = 4096;
/// Fragments that a stream may hold.
const MOST_FRAGMENTS: usize = 256;
/// Bytes that the fragments of all streams may hold.
const MOST_HELD: usize = 32 << 20;

/// Flow, session, stream.
pub type Key = (u32, u8, u8);

#[derive(Default)]
struct Stream {
    last: Option<i64>,
    seen: Window,
    fragments: BTreeMap<i64, Piece>,
}

struct Piece {
    data: Vec<u8>,
    last: bool,
    begun_ns: i64,
}

/// Submessages that were sent in fragments.
pub struct Whole {
    /// Their bytes.
    pub data: Vec<u8>,
    /// Number of the first fragment.
    pub first: i64,
    /// When it came.
    pub begun_ns: i64,
}

/// All streams.
#[derive(Default)]
pub struct Streams {
    by_key: HashMap<Key, Stream>,
    held: usize,
    /// How often all were forgotten.
    pub forgotten: u64,
}

impl Streams {
    fn stream(&mut self, key: Key) -> &mut Stream {
        if self.by_key.len() >= MOST && !self.by_key.contains_key(&key) {
            self.by_key.clear();
            self.held = 0;
            self.forgotten += 1;
        }
        self.by_key.entry(key).or_default()
    }

    /// A message's number without wrapping around, and whether it was there before.
    pub fn note(&mut self, key: Key, seq: u16) -> (i64, bool) {
        let stream = self.stream(key);
        let number = unwrapped(stream.last, seq);
        stream.last = Some(stream.last.map_or(number, |last| last.max(number)));
        // Best-effort streams repeat nothing: where a number is there for ever, as with the client of
        // ZeroDDS, each message is a new one. A copy made by the network has the number of one of many.
        let numbered = key.2 >= RELIABLE || stream.seen.has_another(number);
        let repeated = stream.seen.is_repeated(number) && numbered;
        (number, repeated)
    }

    /// A number that refers to the messages of this stream.
    pub fn referred(&self, key: Key, seq: u16) -> i64 {
        unwrapped(self.by_key.get(&key).and_then(|stream| stream.last), seq)
    }

    /// A session begins anew between these flows: its numbers begin at 0, above all before.
    pub fn begin_session(&mut self, flow: u32, reverse: Option<u32>) {
        let mut freed = 0;
        for ((of, _, _), stream) in &mut self.by_key {
            if *of == flow || Some(*of) == reverse {
                // The next number, 0, is nearest to the next multiple of 65536.
                stream.last = stream.last.map(|last| last | 0xFFFF);
                freed += stream.fragments.values().map(|piece| piece.data.len()).sum::<usize>();
                stream.fragments.clear();
            }
        }
        self.held -= freed;
    }

    /// Adds a fragment; returns the submessages that it completes.
    pub fn fragment(
        &mut self,
        key: Key,
        number: i64,
        data: &[u8],
        last: bool,
        begun_ns: i64,
    ) -> Option<Whole> {
        if self.held > MOST_HELD {
            self.by_key.values_mut().for_each(|stream| stream.fragments.clear());
            self.held = 0;
            self.forgotten += 1;
        }
        let stream = self.stream(key);
        let before = stream.held();
        stream.fragments.insert(number, Piece { data: data.to_vec(), last, begun_ns });
        while stream.fragments.len() > MOST_FRAGMENTS {
            stream.fragments.pop_first();
        }
        let whole = stream.whole(number);
        let after = stream.held();
        self.held = self.held + after - before;
        whole
    }

    /// Bytes in memory.
    pub const fn held(&self) -> usize {
        self.held
    }
}

impl Stream {
    fn held(&self) -> usize {
        self.fragments.values().map(|piece| piece.data.len()).sum()
    }

    /// The submessages to which this fragment belongs, when all are there.
    fn whole(&mut self, number: i64) -> Option<Whole> {
        let mut end = number;
        while !self.fragments.get(&end)?.last {
            end = end.checked_add(1)?;
        }
        let mut first = number;
        while let Some(before) = first.checked_sub(1).and_then(|before| self.fragments.get(&before))
            && !before.last
        {
            first -= 1;
        }
        let pieces = || self.fragments.range(first..=end).map(|(_, piece)| piece);
        let data: Vec<u8> = pieces().flat_map(|piece| piece.data.iter().copied()).collect();
        let begun_ns = pieces().map(|piece| piece.begun_ns).min()?;
        if !begins_with_a_submessage(&data) {
            return None;
        }
        self.fragments.retain(|at, _| !(first..=end).contains(at));
        Some(Whole { data, first, begun_ns })
    }
}

/// Whether these bytes begin with a submessage and end with one: the first fragments may be missing.
fn begins_with_a_submessage(data: &[u8]) -> bool {
    let Some(&[kind, flags]) = data.get(..2) else { return false };
    let fits = kind <= id::TIMESTAMP_REPLY && kind != id::FRAGMENT && flags <= 0x0F;
    let mut submessages = Submessages::of(data, 0);
    let count = submessages.by_ref().count();
    // A sample may be longer than the length of a submessage can say.
    let endless = Order::Little.u16(data, 2) == Some(0);
    fits && count > 0 && (!submessages.is_cut_off() || endless)
}

/// The number nearest to the last one that has these lower bits.
fn unwrapped(last: Option<i64>, seq: u16) -> i64 {
    match last {
        None => i64::from(seq),
        Some(last) => last.saturating_add(i64::from(seq.wrapping_sub(last as u16).cast_signed())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: Key = (0, 0x81, 0x80);

    #[test]
    fn numbers_do_not_wrap_around() {
        let mut streams = Streams::default();
        let numbers: Vec<_> =
            [65_534, 65_535, 0, 65_535, 1].map(|seq| streams.note(KEY, seq)).into();
        let (e, f, z) = (65_534, 65_535, 65_536);
        assert_eq!(numbers, [(e, false), (f, false), (z, false), (f, true), (z + 1, false)]);
        assert_eq!(streams.referred(KEY, 2), z + 2);
    }

    #[test]
    fn a_new_session_repeats_nothing() {
        let mut streams = Streams::default();
        (0..5).for_each(|seq| assert!(!streams.note(KEY, seq).1));
        streams.begin_session(0, None);
        assert_eq!(streams.note(KEY, 0), (65_536, false));
    }

    #[test]
    fn fragments_in_any_order_make_submessages() {
        let mut whole = vec![id::WRITE_DATA, 1, 12, 0];
        whole.extend([0, 1, 0, 5, 1, 2, 3, 4, 5, 6, 7, 8]);
        let mut streams = Streams::default();
        assert!(streams.fragment(KEY, 7, &whole[6..], true, 30).is_none());
        let found = streams.fragment(KEY, 6, &whole[..6], false, 10).unwrap();
        assert_eq!((found.data, found.first, found.begun_ns), (whole, 6, 10));
        assert_eq!(streams.held(), 0);
    }

    #[test]
    fn memory_is_bounded() {
        let mut streams = Streams::default();
        for number in 0..5000 {
            streams.fragment(
                (number as u32 % 100, 0x81, 0x80),
                number * 2,
                &vec![0; 60_000],
                false,
                0,
            );
            assert!(streams.held() <= MOST_HELD + 60_000);
        }
    }
}
