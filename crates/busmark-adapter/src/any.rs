//! The payload kind `any` for middleware that carries bytes without types: a self-described CBOR byte
//! string (RFC 8949, section 3.4.6 and major type 2). The receiver learns from the bytes alone what
//! they are.

/// "Self-described CBOR", tag 55799.
const TAG: [u8; 3] = [0xd9, 0xd9, 0xf7];
const BYTE_STRING: u8 = 2 << 5;

/// Most bytes that [`encode_any`] puts before a body.
pub const ANY_OVERHEAD: usize = TAG.len() + 9;

/// The body, encoded.
pub fn encode_any(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(ANY_OVERHEAD + body.len());
    out.extend_from_slice(&TAG);
    let length = (body.len() as u64).to_be_bytes();
    // The shortest form of the length: preferred serialisation.
    match body.len() {
        0..24 => out.push(BYTE_STRING | length[7]),
        24..0x100 => out.extend_from_slice(&[BYTE_STRING | 0x18, length[7]]),
        0x100..0x1_0000 => out.extend_from_slice(&[BYTE_STRING | 0x19, length[6], length[7]]),
        0x1_0000..0x1_0000_0000 => {
            out.push(BYTE_STRING | 0x1a);
            out.extend_from_slice(&length[4..]);
        }
        _ => {
            out.push(BYTE_STRING | 0x1b);
            out.extend_from_slice(&length);
        }
    }
    out.extend_from_slice(body);
    out
}

/// The body within the encoding; `None` for anything but one self-described byte string.
pub fn decode_any(bytes: &[u8]) -> Option<&[u8]> {
    let (&head, rest) = bytes.strip_prefix(&TAG)?.split_first()?;
    let width = match head {
        0x40..0x58 => 0,
        0x58 => 1,
        0x59 => 2,
        0x5a => 4,
        0x5b => 8,
        _ => return None,
    };
    let (length, body) = rest.split_at_checked(width)?;
    let length = match width {
        0 => u64::from(head - BYTE_STRING),
        _ => length.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
    };
    (length == body.len() as u64).then_some(body)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn published_heads() {
        // RFC 8949, appendix A: h'01020304' is 0x4401020304; here after the tag of section 3.4.6.
        assert_eq!(encode_any(&[1, 2, 3, 4]), [0xd9, 0xd9, 0xf7, 0x44, 1, 2, 3, 4]);
        assert_eq!(encode_any(&[]), [0xd9, 0xd9, 0xf7, 0x40]);
    }

    #[test]
    fn anything_else_is_refused() {
        assert_eq!(decode_any(b""), None);
        assert_eq!(decode_any(&[0xd9, 0xd9, 0xf7]), None);
        assert_eq!(decode_any(&[0xd9, 0xd9, 0xf7, 0x45, 1]), None);
        assert_eq!(decode_any(&[0xd9, 0xd9, 0xf7, 0x61, 0x61]), None);
    }

    proptest! {
        #[test]
        fn what_goes_in_comes_out(length in prop_oneof![0usize..70_000, Just(23), Just(24), Just(255), Just(256), Just(65_535), Just(65_536)]) {
            let body: Vec<u8> = (0..length).map(|i| i as u8).collect();
            let encoded = encode_any(&body);
            prop_assert_eq!(decode_any(&encoded), Some(&body[..]));
        }
    }
}
