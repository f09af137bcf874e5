//! Packets that were captured on two interfaces, as by `-i any`.

use std::collections::{HashMap, VecDeque};

use crate::bytes::payload_hash;

/// Copies of a packet lie no further apart than this.
pub const WINDOW_NS: i64 = 1_000_000;
/// Packets that are remembered.
const MOST: usize = 1 << 16;

/// An interface: by the file, and by what the packet's own header says.
pub type Place = (u16, u64);

/// Packets of the last millisecond.
#[derive(Default)]
pub struct Copies {
    recent: HashMap<u64, (i64, Place)>,
    order: VecDeque<(i64, u64)>,
}

impl Copies {
    /// Whether the same bytes of IP, its identification included, were on another interface just now.
    pub fn is_copy(&mut self, packet: &[u8], time_ns: i64, place: Place) -> bool {
        while let Some(&(at, hash)) = self.order.front()
            && (at < time_ns.saturating_sub(WINDOW_NS) || self.order.len() >= MOST)
        {
            self.order.pop_front();
            if self.recent.get(&hash).is_some_and(|(last, _)| *last == at) {
                self.recent.remove(&hash);
            }
        }
        let hash = payload_hash(packet, packet.len());
        if let Some((at, there)) = self.recent.get(&hash)
            && *there != place
            && time_ns.abs_diff(*at) <= WINDOW_NS.cast_unsigned()
        {
            return true;
        }
        self.recent.insert(hash, (time_ns, place));
        self.order.push_back((time_ns, hash));
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_another_interface_within_a_millisecond_has_a_copy() {
        let mut copies = Copies::default();
        assert!(!copies.is_copy(b"one", 0, (0, 0)));
        assert!(!copies.is_copy(b"two", 1, (0, 1)));
        assert!(!copies.is_copy(b"one", 2, (0, 0)));
        assert!(copies.is_copy(b"one", WINDOW_NS, (0, 1)));
        assert!(copies.is_copy(b"one", 3, (1, 0)));
        assert!(!copies.is_copy(b"one", 3 + WINDOW_NS, (0, 1)));
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut copies = Copies::default();
        for number in 0..2 * MOST as u64 {
            copies.is_copy(&number.to_le_bytes(), 5, (0, 0));
        }
        assert!(copies.order.len() <= MOST && copies.recent.len() <= MOST);
    }
}
