//! The last whole sample of each writer of RTPS, within bounds.

use std::collections::HashMap;

use serde::Serialize;

use crate::rtps::Fragment;

/// Bytes of a sample that is kept.
pub const LARGEST: usize = 1 << 20;
/// Writers of whom one is kept.
pub const MOST: usize = 1024;
/// Bytes that are kept of all writers together, fragments included.
pub const HELD: usize = 64 << 20;

/// Index of the GUID prefix, and entity id.
pub type Key = (u32, u32);

/// A sample as it was serialised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Content {
    /// Index of the writer's GUID prefix.
    pub source: u32,
    /// Entity id of the writer.
    pub writer: u32,
    /// Number of the sample.
    pub seq: i64,
    /// Its bytes, the encapsulation included, as hexadecimal digits.
    pub bytes: String,
}

/// Fragments of a sample that is not whole yet.
#[derive(Default)]
struct Partial {
    seq: i64,
    data: Vec<u8>,
    /// Which fragments are there.
    there: Vec<bool>,
}

#[derive(Default)]
struct Last {
    whole: Option<(i64, Vec<u8>)>,
    partial: Partial,
}

/// Samples by writer.
#[derive(Default)]
pub struct Contents {
    writers: HashMap<Key, Last>,
    held: usize,
}

impl Contents {
    /// Bytes that are kept.
    pub const fn held(&self) -> usize {
        self.held
    }

    /// Adds a sample or fragments of one, all of whose bytes were captured.
    pub fn add(&mut self, key: Key, seq: i64, payload: &[u8], fragment: Option<Fragment>) {
        let bytes = fragment.map_or(payload.len(), |fragment| fragment.sample_bytes as usize);
        let room = self.writers.len() < MOST || self.writers.contains_key(&key);
        // A sample in fragments may be there twice: a whole one, and the next.
        if bytes > LARGEST || !room || self.held + 2 * bytes > HELD {
            // What is kept of this writer is not its last any more.
            self.held -= self.writers.remove(&key).map_or(0, |last| last.held());
            return;
        }
        let last = self.writers.entry(key).or_default();
        self.held -= last.held();
        match fragment {
            None => last.whole = Some((seq, payload.to_vec())),
            Some(fragment) => {
                if let Some(whole) = last.partial.add(seq, payload, fragment) {
                    last.whole = Some((seq, whole));
                }
            }
        }
        self.held += last.held();
    }

    /// The last of each writer, by writer.
    pub fn take(&mut self) -> Vec<Content> {
        self.held = 0;
        let mut found: Vec<_> = std::mem::take(&mut self.writers)
            .into_iter()
            .filter_map(|((source, writer), last)| {
                let (seq, bytes) = last.whole?;
                Some(Content { source, writer, seq, bytes: hex(&bytes) })
            })
            .collect();
        found.sort_by_key(|one| (one.source, one.writer));
        found
    }
}

fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from(b"0123456789abcdef"[usize::from(half)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

impl Last {
    fn held(&self) -> usize {
        self.partial.data.len() + self.whole.as_ref().map_or(0, |(_, bytes)| bytes.len())
    }
}

impl Partial {
    /// Returns the sample when its last missing fragment has come.
    fn add(&mut self, seq: i64, payload: &[u8], fragment: Fragment) -> Option<Vec<u8>> {
        let (size, bytes) = (usize::from(fragment.bytes).max(1), fragment.sample_bytes as usize);
        if (self.seq, self.data.len()) != (seq, bytes) || self.there.is_empty() {
            let there = vec![false; bytes.div_ceil(size)];
            *self = Self { seq, data: vec![0; bytes], there };
        }
        let first = (fragment.first as usize).checked_sub(1)?;
        for (index, piece) in payload.chunks(size).take(fragment.count.into()).enumerate() {
            let (at, begin) = (first + index, (first + index) * size);
            // Whole, but for the last of a sample; behind that may be padding.
            let end = (begin + size).min(bytes);
            if begin < end
                && let (Some(there), Some(piece)) =
                    (self.there.get_mut(at), piece.get(..end - begin))
            {
                *there = true;
                self.data[begin..end].copy_from_slice(piece);
            }
        }
        if !self.there.iter().all(|there| *there) {
            return None;
        }
        self.there.clear();
        Some(std::mem::take(&mut self.data))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn piece(first: u32, count: u16, bytes: u16, sample_bytes: u32) -> Fragment {
        Fragment { first, count, bytes, sample_bytes }
    }

    #[test]
    fn the_last_whole_sample_of_each_writer_is_kept() {
        let mut contents = Contents::default();
        contents.add((0, 2), 1, b"one", None);
        contents.add((0, 2), 2, b"two", None);
        contents.add((0, 1), 7, b"other", None);
        contents.add((0, 2), 3, b"thr", Some(piece(1, 1, 3, 5)));
        let found = contents.take();
        let told: Vec<_> = found.iter().map(|c| (c.writer, c.seq, c.bytes.as_str())).collect();
        assert_eq!(told, [(1, 7, "6f74686572"), (2, 2, "74776f")]);
        assert_eq!(contents.take(), []);
    }

    #[test]
    fn an_earlier_sample_is_not_taken_for_a_last_one_that_is_too_large() {
        let mut contents = Contents::default();
        contents.add((0, 0), 1, b"one", None);
        contents.add((0, 0), 2, b"part", Some(piece(1, 1, 4, LARGEST as u32 + 1)));
        assert_eq!((contents.held(), contents.take()), (0, vec![]));
    }

    #[test]
    fn what_is_beyond_the_bounds_is_left_out() {
        let mut contents = Contents::default();
        contents.add((0, 0), 1, b"part", Some(piece(1, 1, 4, u32::MAX)));
        contents.add((0, 0), 1, b"part", Some(piece(0, u16::MAX, 0, 0)));
        contents.add((0, 0), 1, b"part", Some(piece(u32::MAX, u16::MAX, 1, 9)));
        for writer in 0..2 * MOST as u32 {
            contents.add((1, writer), 1, b"one", None);
        }
        assert!(contents.writers.len() <= MOST);
        for writer in 0..MOST as u32 {
            contents.add((1, writer), 2, &vec![0; LARGEST], None);
            contents.add((1, writer), 3, b"part", Some(piece(1, 1, 4, LARGEST as u32)));
        }
        assert!(contents.held() <= HELD && contents.held() > HELD / 2);
        assert!(contents.take().iter().all(|one| one.source == 1));
    }

    proptest! {
        #[test]
        fn fragments_in_any_order_make_the_sample(
            (sample, order) in (proptest::collection::vec(any::<u8>(), 1..200), 1_u16..40)
                .prop_flat_map(|(sample, size)| {
                    let pieces: Vec<_> = sample.chunks(size.into()).map(<[u8]>::to_vec).enumerate()
                        .map(|(at, data)| (at as u32 + 1, size, data)).collect();
                    (Just(sample), Just(pieces).prop_shuffle())
                })
        ) {
            let mut contents = Contents::default();
            let whole = sample.len() as u32;
            for (count, (first, size, data)) in order.iter().enumerate() {
                prop_assert_eq!(contents.writers.values().filter(|w| w.whole.is_some()).count(), 0);
                contents.add((0, 0), 1, data, Some(piece(*first, 1, *size, whole)));
                // Repeated ones change nothing.
                if count + 1 < order.len() {
                    contents.add((0, 0), 1, data, Some(piece(*first, 1, *size, whole)));
                }
            }
            let found = contents.take().remove(0).bytes;
            let byte = |at: usize| u8::from_str_radix(&found[2 * at..2 * at + 2], 16);
            let read: Result<Vec<_>, _> = (0..found.len() / 2).map(byte).collect();
            prop_assert_eq!(read, Ok(sample));
        }
    }
}
