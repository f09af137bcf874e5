//! Which piece of loaned memory holds which body already.

/// A table from address to the number of a sample. Bodies lie where they were put until the piece is
/// filled again: the library writes headers only, and readers cannot write at all.
pub struct Filled {
    /// Open addressing; address 0 marks a free place.
    places: Box<[(usize, u64)]>,
}

/// Pieces lie at least so many bytes apart, as the library's own header is longer.
const APART_BITS: u32 = 6;
/// 2^64 / φ: neighbouring pieces are spread over the table (Knuth, volume 3, 6.4).
const SPREAD: usize = 0x9e37_79b9_7f4a_7c15;

impl Filled {
    /// For at most so many pieces.
    pub fn new(pieces: usize) -> Self {
        Self { places: vec![(0, 0); (pieces * 2).next_power_of_two()].into_boxed_slice() }
    }

    /// Whether the piece at `address` holds this sample; from now on it is taken to do so.
    #[inline]
    pub fn holds(&mut self, address: usize, sample: u64) -> bool {
        let mask = self.places.len() - 1;
        let first = (address >> APART_BITS).wrapping_mul(SPREAD) >> (usize::BITS / 2);
        for step in 0..self.places.len() {
            let place = &mut self.places[(first + step) & mask];
            if place.0 == address || place.0 == 0 {
                let held = *place == (address, sample);
                *place = (address, sample);
                return held;
            }
        }
        // More pieces than there were to be: a body too often put in place is no harm.
        false
    }
}

#[cfg(test)]
mod tests {
    use super::Filled;

    #[test]
    fn a_piece_holds_what_was_put_there_last() {
        let mut filled = Filled::new(3);
        let pieces = [0x7f00_0000_1000, 0x7f00_0000_1048, 0x7f00_0000_1090];
        for address in pieces {
            assert!(!filled.holds(address, 1));
        }
        for address in pieces {
            assert!(filled.holds(address, 1));
            assert!(!filled.holds(address, 2));
            assert!(filled.holds(address, 2));
        }
    }

    #[test]
    fn a_table_that_is_too_small_forgets_but_never_lies() {
        let mut filled = Filled::new(1);
        for round in 0..3 {
            for address in (1..50).map(|n| n << 12) {
                assert!(!filled.holds(address, round));
            }
        }
    }
}
