//! What a payload looks like: the header, then the body.

use std::io::Write as _;

use busmark_adapter::{Header, Payload, Result, Sink, Status, decode_any, encode_any};
use zenoh::bytes::ZBytes;

/// Bodies below this size are copied into one buffer with the header; two buffers cost more than the
/// copy.
const SHARED_FROM: usize = 1024;

/// A sample of a writer.
pub enum Prepared {
    /// Header and body in one piece.
    Whole(Vec<u8>),
    /// A body whose memory payloads share.
    Shared(ZBytes),
}

impl Prepared {
    /// With this body, for a writer of bodies of at most `max_body_bytes`.
    pub fn new(payload: Payload, max_body_bytes: u64, body: &[u8]) -> Result<Self> {
        if body.len() as u64 > max_body_bytes {
            let text = format!(
                "a body of {} bytes: the writer was made for at most {max_body_bytes}",
                body.len()
            );
            return Err(Status::Invalid.error(text));
        }
        if payload == Payload::Empty && !body.is_empty() {
            return Err(Status::Invalid.error("the payload kind empty has no body"));
        }
        let any;
        let body = if payload == Payload::Any {
            any = encode_any(body);
            &any[..]
        } else {
            body
        };
        if body.len() >= SHARED_FROM {
            return Ok(Self::Shared(ZBytes::from(body)));
        }
        Ok(Self::Whole([&[0; Header::BYTES], body].concat()))
    }

    /// A payload with this header.
    #[inline]
    pub fn payload(&mut self, header: &Header) -> ZBytes {
        match self {
            Self::Whole(frame) => {
                frame[..Header::BYTES].copy_from_slice(header.as_bytes());
                ZBytes::from(&frame[..])
            }
            Self::Shared(body) => {
                let mut payload = ZBytes::writer();
                // Into memory; cannot fail.
                let _ = payload.write_all(header.as_bytes());
                payload.append(body.clone());
                payload.finish()
            }
        }
    }
}

/// Gives received payloads to the sink.
pub struct Delivery {
    any: bool,
    /// Of payloads that arrived in pieces; grows with the largest.
    joined: Vec<u8>,
}

impl Delivery {
    /// Of bodies of this kind.
    pub fn new(payload: Payload) -> Self {
        Self { any: payload == Payload::Any, joined: Vec::new() }
    }

    /// Delivers one; `false` for what is no sample.
    #[inline]
    pub fn deliver(&mut self, payload: &ZBytes, sink: &mut Sink) -> bool {
        let mut pieces = payload.slices();
        let first = pieces.next().unwrap_or_default();
        if let Some(second) = pieces.next() {
            self.joined.clear();
            self.joined.extend_from_slice(first);
            self.joined.extend_from_slice(second);
            for piece in pieces {
                self.joined.extend_from_slice(piece);
            }
            return hand_over(&self.joined, self.any, sink);
        }
        hand_over(first, self.any, sink)
    }
}

#[inline]
fn hand_over(bytes: &[u8], any: bool, sink: &mut Sink) -> bool {
    // A copy, for payloads lie at any address.
    let Some(header) = Header::from_bytes(bytes) else { return false };
    let body = &bytes[Header::BYTES..];
    let Some(body) = (if any { decode_any(body) } else { Some(body) }) else { return false };
    sink.deliver(&header, body);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_bodies_make_the_same_payload() {
        let header = Header { seq: 7, ..Header::default() };
        for bytes in [0, 1, SHARED_FROM - 1, SHARED_FROM, 100_000] {
            let body: Vec<u8> = (0..bytes).map(|n| n as u8).collect();
            let mut sample = Prepared::new(Payload::Octet, 1 << 20, &body).expect("a sample");
            for _ in 0..2 {
                let payload = sample.payload(&header).to_bytes().into_owned();
                assert_eq!(payload, [&header.as_bytes()[..], &body].concat(), "{bytes}");
            }
        }
    }

    #[test]
    fn bodies_that_do_not_belong_to_the_endpoint_are_refused() {
        assert!(Prepared::new(Payload::Octet, 3, &[0; 4]).is_err());
        assert!(Prepared::new(Payload::Empty, 3, &[0]).is_err());
    }
}
