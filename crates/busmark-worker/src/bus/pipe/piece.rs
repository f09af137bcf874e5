//! Pieces of a stream of bytes, each the body of one sample.

use super::super::message::LONGEST;

/// Bytes before the content: kind, checksum, two numbers.
const HEAD: usize = 1 + 4 + 8 + 8;
/// Bytes of content that one piece has at most.
pub const CONTENT: usize = LONGEST - HEAD;

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Only says what has come.
    Acknowledgement,
    /// The next bytes.
    Bytes,
    /// There are no more.
    End,
}

/// One piece.
#[derive(Debug, PartialEq, Eq)]
pub struct Piece<'a> {
    /// What it is.
    pub kind: Kind,
    /// Which one, from 0; of an acknowledgement without meaning.
    pub number: u64,
    /// Pieces of the other direction that have come, without a gap.
    pub had: u64,
    /// The bytes.
    pub content: &'a [u8],
}

impl<'a> Piece<'a> {
    /// As it is sent.
    pub fn write(&self) -> Vec<u8> {
        let kind = match self.kind {
            Kind::Acknowledgement => 0,
            Kind::Bytes => 1,
            Kind::End => 2,
        };
        let mut bytes = Vec::with_capacity(HEAD + self.content.len());
        bytes.push(kind);
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(&self.number.to_le_bytes());
        bytes.extend_from_slice(&self.had.to_le_bytes());
        bytes.extend_from_slice(self.content);
        let sum = checksum(&bytes);
        bytes[1..5].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// As it has come; `None` where it has not come whole.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let (head, content) = bytes.split_at_checked(HEAD)?;
        let sum = u32::from_le_bytes(head[1..5].try_into().ok()?);
        let kind = match head[0] {
            0 => Kind::Acknowledgement,
            1 => Kind::Bytes,
            2 => Kind::End,
            _ => return None,
        };
        if content.len() > CONTENT || sum != checksum(bytes) {
            return None;
        }
        let number = u64::from_le_bytes(head[5..13].try_into().ok()?);
        let had = u64::from_le_bytes(head[13..21].try_into().ok()?);
        Some(Self { kind, number, had, content })
    }
}

/// CRC-32 of everything but itself.
fn checksum(bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&bytes[..1]);
    hasher.update(&bytes[5..]);
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_piece_is_read_as_it_was_written(number: u64, had: u64, content: Vec<u8>) {
            let piece = Piece { kind: Kind::Bytes, number, had, content: &content };
            let bytes = piece.write();
            prop_assert_eq!(Piece::read(&bytes), Some(piece));
        }

        #[test]
        fn a_piece_with_a_changed_or_missing_byte_is_none(
            content in proptest::collection::vec(any::<u8>(), 0..200),
            at: proptest::sample::Index, change in 1_u8..,
        ) {
            let mut bytes = Piece { kind: Kind::Bytes, number: 7, had: 3, content: &content }.write();
            let at = at.index(bytes.len());
            prop_assert_eq!(Piece::read(&bytes[..at]), None);
            bytes[at] ^= change;
            prop_assert_eq!(Piece::read(&bytes), None);
        }
    }
}
