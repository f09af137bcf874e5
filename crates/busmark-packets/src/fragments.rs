//! IP datagrams put together from their fragments, within bounds.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;

use crate::costs::Carried;

/// Datagrams that may be incomplete at a time; the oldest is given up for one more.
pub const MOST: usize = 256;
/// Bytes of a datagram.
pub const LARGEST: usize = 65_535;

/// Addresses, identification and protocol.
pub type Key = (IpAddr, IpAddr, u32, u8);

/// A piece of a datagram.
#[derive(Clone, Copy, Debug)]
pub struct Fragment<'a> {
    /// Which datagram.
    pub key: Key,
    /// Its place, in bytes.
    pub offset: usize,
    /// Others follow.
    pub more: bool,
    /// Its bytes.
    pub payload: &'a [u8],
}

#[derive(Default)]
struct Partial {
    data: Vec<u8>,
    /// Ranges that are there, sorted, not touching.
    ranges: Vec<(usize, usize)>,
    length: Option<usize>,
    carried: Carried,
}

/// Datagrams that are incomplete.
#[derive(Default)]
pub struct Fragments {
    partial: HashMap<Key, Partial>,
    order: VecDeque<Key>,
    given_up: u64,
    carried: Carried,
    /// Bytes on the wire of the frame in which the next piece is.
    pub frame_bytes: u64,
}

impl Fragments {
    /// What carried the datagram that has just become complete.
    pub fn take_carried(&mut self) -> Carried {
        std::mem::take(&mut self.carried)
    }

    /// Adds a piece; returns the datagram when it is complete.
    pub fn add(&mut self, fragment: &Fragment<'_>) -> Option<Vec<u8>> {
        let end = fragment.offset + fragment.payload.len();
        if end > LARGEST {
            return None;
        }
        if !self.partial.contains_key(&fragment.key) {
            if self.order.len() >= MOST
                && let Some(oldest) = self.order.pop_front()
                && self.partial.remove(&oldest).is_some()
            {
                self.given_up += 1;
            }
            self.order.push_back(fragment.key);
        }
        let partial = self.partial.entry(fragment.key).or_default();
        if partial.data.len() < end {
            partial.data.resize(end, 0);
        }
        partial.data[fragment.offset..end].copy_from_slice(fragment.payload);
        partial.add_range(fragment.offset, end);
        partial.carried.add(self.frame_bytes);
        if !fragment.more {
            partial.length = Some(end);
        }
        let length = partial.length?;
        if partial.ranges.first().is_none_or(|&(from, to)| from != 0 || to < length) {
            return None;
        }
        let partial = self.partial.remove(&fragment.key)?;
        self.carried = partial.carried;
        let mut whole = partial.data;
        self.order.retain(|key| *key != fragment.key);
        whole.truncate(length);
        Some(whole)
    }

    /// Datagrams that were never complete, up to now those that are waited for included.
    pub fn incomplete(&self) -> u64 {
        self.given_up + self.partial.len() as u64
    }
}

impl Partial {
    fn add_range(&mut self, from: usize, to: usize) {
        self.ranges.push((from, to));
        self.ranges.sort_unstable();
        let mut merged: Vec<(usize, usize)> = Vec::with_capacity(self.ranges.len());
        for &(from, to) in &self.ranges {
            match merged.last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.max(to),
                _ => merged.push((from, to)),
            }
        }
        self.ranges = merged;
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn piece(id: u32, offset: usize, more: bool, payload: &[u8]) -> Fragment<'_> {
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        Fragment { key: (address, address, id, 17), offset, more, payload }
    }

    #[test]
    fn pieces_in_any_order_make_the_datagram() {
        let mut fragments = Fragments::default();
        assert_eq!(fragments.add(&piece(1, 8, false, b"end")), None);
        assert_eq!(fragments.add(&piece(2, 0, true, b"other...")), None);
        assert_eq!(fragments.add(&piece(1, 0, true, b"beginnin")), Some(b"beginninend".to_vec()));
        assert_eq!(fragments.incomplete(), 1);
    }

    #[test]
    fn what_is_never_complete_is_given_up() {
        let mut fragments = Fragments::default();
        for id in 0..10_000 {
            assert_eq!(fragments.add(&piece(id, 0, true, &[0; 64])), None);
        }
        assert_eq!(fragments.partial.len(), MOST);
        assert_eq!(fragments.order.len(), MOST);
        assert_eq!(fragments.incomplete(), 10_000);
    }

    #[test]
    fn a_piece_beyond_the_largest_datagram_is_ignored() {
        let mut fragments = Fragments::default();
        assert_eq!(fragments.add(&piece(1, 65_528, false, &[0; 64])), None);
        assert_eq!(fragments.incomplete(), 0);
    }
}
