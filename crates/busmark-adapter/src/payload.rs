//! Payload kinds and the content pattern by which bodies are verified.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::any::{ANY_OVERHEAD, decode_any, encode_any};
use crate::error::{Result, Status};

/// `busmark_payload_e`: the kind of a body's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u32)]
pub enum Payload {
    /// No body.
    Empty = 0,
    /// `uint8_t`.
    Octet = 1,
    /// `char`, 7-bit.
    Char = 2,
    /// `int16_t`.
    Short = 3,
    /// IEEE 754 binary32.
    Float = 4,
    /// `int32_t`.
    Long = 5,
    /// [`Struct`](crate::Struct).
    Struct = 6,
    /// The middleware's self-describing type, holding octets.
    Any = 7,
    /// One value of the user's type, as CDR (C30).
    Type = 8,
}

impl Payload {
    /// Every kind that a library has without a type of the user's, in the order of the contract.
    pub const ALL: [Self; 8] = [
        Self::Empty,
        Self::Octet,
        Self::Char,
        Self::Short,
        Self::Float,
        Self::Long,
        Self::Struct,
        Self::Any,
    ];

    /// Every kind that a library has with a type of the user's.
    pub const WITH_TYPE: [Self; 9] = [
        Self::Empty,
        Self::Octet,
        Self::Char,
        Self::Short,
        Self::Float,
        Self::Long,
        Self::Struct,
        Self::Any,
        Self::Type,
    ];

    /// Every kind but `any`: the kinds whose elements lie in memory unencoded.
    pub const PLAIN: [Self; 7] =
        [Self::Empty, Self::Octet, Self::Char, Self::Short, Self::Float, Self::Long, Self::Struct];

    /// Bytes of one element; a body is a whole number of them.
    pub const fn element_bytes(self) -> usize {
        match self {
            Self::Empty | Self::Octet | Self::Char | Self::Any | Self::Type => 1,
            Self::Short => 2,
            Self::Float | Self::Long => 4,
            Self::Struct => 16,
        }
    }

    /// Fails for a body that a writer of bodies of at most `most` bytes of this kind cannot write.
    pub(crate) fn check(self, body: &[u8], most: u64) -> Result<()> {
        let bytes = body.len();
        if bytes as u64 > most {
            let text = format!("a body of {bytes} bytes for a writer of at most {most}");
            return Err(Status::Invalid.error(text));
        }
        if self == Self::Empty && bytes > 0 {
            return Err(Status::Invalid.error("the payload kind empty has no body"));
        }
        if !bytes.is_multiple_of(self.element_bytes()) {
            let text = format!("a body of {bytes} bytes is no whole number of elements");
            return Err(Status::Invalid.error(text));
        }
        Ok(())
    }

    /// The body as middleware without types carries it: as it lies in memory, an `any` encoded.
    pub fn to_wire(self, body: &[u8]) -> Cow<'_, [u8]> {
        if self == Self::Any { encode_any(body).into() } else { body.into() }
    }

    /// The body within what was carried; an `any` that cannot be decoded is left unchanged, so that
    /// it shows as corrupted. Hot.
    #[inline]
    pub fn from_wire(self, bytes: &[u8]) -> &[u8] {
        if self == Self::Any { decode_any(bytes).unwrap_or(bytes) } else { bytes }
    }

    /// Most bytes that [`to_wire`](Self::to_wire) adds.
    pub const fn wire_overhead(self) -> usize {
        if matches!(self, Self::Any) { ANY_OVERHEAD } else { 0 }
    }

    /// The kind with this number, if there is one.
    pub fn from_c(value: u32) -> Option<Self> {
        Self::WITH_TYPE.into_iter().find(|kind| *kind as u32 == value)
    }

    /// The kinds whose bits are set.
    pub(crate) fn from_bits(bits: u32) -> Vec<Self> {
        Self::WITH_TYPE.into_iter().filter(|kind| bits & kind.bit() != 0).collect()
    }

    /// Its bit in the capabilities.
    pub const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// One element of the pattern as 32 bits. Every value is valid for every kind: bytes stay below 128,
/// which a `char` can carry and which as a float is an ordinary number.
const fn pattern(kind: Payload, index: usize) -> [u8; 16] {
    let mixed = (index as u32).wrapping_mul(2_654_435_761) ^ ((kind as u32) << 3);
    let b = mixed.to_le_bytes();
    let (b0, b1, b2, b3) = (b[0] & 0x7f, b[1] & 0x7f, b[2] & 0x7f, b[3] & 0x3f);
    [b0, b1, b2, b3, b1, b2, b0, b2, b3, b0, b1, b1, b2, b0, b1, b3]
}

/// Fills `body` with the content pattern of `kind`.
pub fn fill_pattern(kind: Payload, body: &mut [u8]) {
    fill_pattern_from(kind, 0, body);
}

/// As [`fill_pattern`], beginning with another element of the pattern.
pub fn fill_pattern_from(kind: Payload, first: usize, body: &mut [u8]) {
    let element = kind.element_bytes();
    for (index, chunk) in body.chunks_mut(element).enumerate() {
        chunk.copy_from_slice(&pattern(kind, first + index)[..chunk.len()]);
    }
}

/// Whether `body` carries the content pattern of `kind`, unchanged.
pub fn verify_pattern(kind: Payload, body: &[u8]) -> bool {
    verify_pattern_from(kind, 0, body)
}

/// As [`verify_pattern`], of a body that begins with another element of the pattern.
pub fn verify_pattern_from(kind: Payload, first: usize, body: &[u8]) -> bool {
    match kind.element_bytes() {
        1 => carries::<1>(kind, first, body),
        2 => carries::<2>(kind, first, body),
        4 => carries::<4>(kind, first, body),
        _ => carries::<16>(kind, first, body),
    }
}

/// Elements that are compared without a branch in between, so that the compiler makes vectors of them.
const AT_ONCE: usize = 256;

/// As [`verify_pattern_from`], for elements of `N` bytes. Every run looks at one in a thousand bodies
/// while it measures, so it must not be dear.
fn carries<const N: usize>(kind: Payload, first: usize, body: &[u8]) -> bool {
    let (elements, rest) = body.as_chunks::<N>();
    let blocks = elements.chunks(AT_ONCE).enumerate().all(|(block, elements)| {
        let first = first + block * AT_ONCE;
        let differ = elements.iter().enumerate().fold([0; N], |mut differ, (index, element)| {
            let expected = pattern(kind, first + index);
            for at in 0..N {
                differ[at] |= element[at] ^ expected[at];
            }
            differ
        });
        differ == [0; N]
    });
    blocks && *rest == pattern(kind, first + elements.len())[..rest.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_is_too_long_or_cut_is_refused() {
        assert_eq!(Payload::Long.check(&[0; 8], 8), Ok(()));
        assert_eq!(Payload::Empty.check(&[], 8), Ok(()));
        for (kind, bytes, why) in [
            (Payload::Octet, 9, "at most 8"),
            (Payload::Long, 7, "whole number"),
            (Payload::Empty, 1, "no body"),
        ] {
            let error = kind.check(&[0; 9][..bytes], 8).expect_err(why);
            assert!(error.status == Status::Invalid && error.message.contains(why), "{error}");
        }
    }

    #[test]
    fn a_single_flipped_bit_anywhere_is_noticed() {
        for kind in Payload::ALL {
            let mut body = vec![0; kind.element_bytes() * 20];
            fill_pattern(kind, &mut body);
            assert!(verify_pattern(kind, &body));
            for bit in 0..body.len() * 8 {
                body[bit / 8] ^= 1 << (bit % 8);
                assert!(!verify_pattern(kind, &body), "{kind:?} bit {bit}");
                body[bit / 8] ^= 1 << (bit % 8);
            }
        }
    }

    #[test]
    fn a_body_of_any_length_is_verified_from_where_it_begins_to_its_last_byte() {
        for kind in Payload::ALL {
            for bytes in [0, 1, 15, 17, 255, 256, 257, 4096, 8191, 16_384] {
                for first in [0, 1, 97, 1 << 20] {
                    let mut body = vec![0; bytes];
                    fill_pattern_from(kind, first, &mut body);
                    assert!(verify_pattern_from(kind, first, &body), "{kind:?} {bytes} {first}");
                    if bytes >= 16 {
                        assert!(!verify_pattern_from(kind, first + 1, &body));
                    }
                    if let Some(last) = body.last_mut() {
                        *last ^= 1;
                        assert!(!verify_pattern_from(kind, first, &body));
                    }
                }
            }
        }
    }

    #[test]
    fn a_float_body_holds_finite_numbers() {
        let mut body = vec![0; 4 * 4096];
        fill_pattern(Payload::Float, &mut body);
        assert!(
            body.chunks(4)
                .all(|c| f32::from_le_bytes(c.try_into().expect("four bytes")).is_finite())
        );
    }
}
