//! Numbers at an offset of a slice, in either byte order; `None` beyond its end.

/// Order of the bytes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Least significant first.
    Little,
    /// Most significant first.
    Big,
}

impl Order {
    /// What bit 0 of a submessage's flags says, in RTPS and in DDS-XRCE.
    pub const fn of_flags(flags: u8) -> Self {
        if flags & 1 == 1 { Self::Little } else { Self::Big }
    }

    /// Two bytes.
    pub fn u16(self, data: &[u8], at: usize) -> Option<u16> {
        let bytes = array(data, at)?;
        Some(match self {
            Self::Little => u16::from_le_bytes(bytes),
            Self::Big => u16::from_be_bytes(bytes),
        })
    }

    /// Four bytes.
    pub fn u32(self, data: &[u8], at: usize) -> Option<u32> {
        let bytes = array(data, at)?;
        Some(match self {
            Self::Little => u32::from_le_bytes(bytes),
            Self::Big => u32::from_be_bytes(bytes),
        })
    }

    /// Eight bytes.
    pub fn u64(self, data: &[u8], at: usize) -> Option<u64> {
        let bytes = array(data, at)?;
        Some(match self {
            Self::Little => u64::from_le_bytes(bytes),
            Self::Big => u64::from_be_bytes(bytes),
        })
    }
}

/// `N` bytes at this place.
pub fn array<const N: usize>(data: &[u8], at: usize) -> Option<[u8; N]> {
    data.get(at..at.checked_add(N)?)?.try_into().ok()
}

/// Bytes of a payload that enter its hash: the beginning, which RTPS fragments have as well.
pub const HASHED_BYTES: usize = 1024;

/// By which a payload is recognised on another hop: its length in words of four bytes, for RTPS pads
/// payloads to these, and its first bytes, with zeros as padding.
pub fn payload_hash(payload: &[u8], whole_bytes: usize) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut hash = (whole_bytes.div_ceil(4) as u64).wrapping_mul(FACTOR) ^ FACTOR;
    let start = &payload[..payload.len().min(HASHED_BYTES)];
    // A zero word more or less at the end must not matter within the last eight bytes.
    for chunk in start.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash.rotate_left(23) ^ u64::from_le_bytes(word)).wrapping_mul(FACTOR);
    }
    hash ^ (hash >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_to_words_does_not_change_the_hash() {
        let payload = b"a payload of 27 bytes in it";
        let mut padded = payload.to_vec();
        padded.push(0);
        assert_eq!(payload_hash(payload, payload.len()), payload_hash(&padded, padded.len()));
        padded.extend([0; 4]);
        assert_ne!(payload_hash(payload, payload.len()), payload_hash(&padded, padded.len()));
    }

    #[test]
    fn numbers_beyond_the_end_are_none() {
        assert_eq!(Order::Little.u32(&[1, 2, 3], 0), None);
        assert_eq!(Order::Big.u16(&[1, 2, 3], 1), Some(0x0203));
        assert_eq!(Order::Big.u16(&[1, 2, 3], usize::MAX), None);
    }
}
