//! What a payload looks like: the header, then the body.

use std::io::Write as _;

use busmark_adapter::{Header, Payload, Sink, decode_any};
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
    /// With this body.
    pub fn new(payload: Payload, body: &[u8]) -> Self {
        let body = &payload.to_wire(body)[..];
        if body.len() >= SHARED_FROM {
            return Self::Shared(ZBytes::from(body));
        }
        Self::Whole([&[0; Header::BYTES], body].concat())
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
    /// Buffer for payloads that arrived in pieces; grows with the largest.
    joined: Vec<u8>,
}

impl Delivery {
    /// Delivery of bodies of this kind.
    pub fn new(payload: Payload) -> Self {
        Self { any: payload == Payload::Any, joined: Vec::new() }
    }

    /// Delivers one; `false` for what is no sample.
    #[inline]
    pub fn deliver(&mut self, payload: &ZBytes, sink: &mut Sink) -> bool {
        let any = self.any;
        let Some((header, body)) = self.split(payload) else { return false };
        let Some(body) = (if any { decode_any(body) } else { Some(body) }) else { return false };
        sink.deliver(&header, body);
        true
    }

    /// Header and body of a payload; `None` for what is no sample.
    #[inline]
    pub fn split<'a>(&'a mut self, payload: &'a ZBytes) -> Option<(Header, &'a [u8])> {
        let mut pieces = payload.slices();
        let first = pieces.next().unwrap_or_default();
        if let Some(second) = pieces.next() {
            self.joined.clear();
            self.joined.extend_from_slice(first);
            self.joined.extend_from_slice(second);
            for piece in pieces {
                self.joined.extend_from_slice(piece);
            }
            return split(&self.joined);
        }
        split(first)
    }
}

#[inline]
fn split(bytes: &[u8]) -> Option<(Header, &[u8])> {
    // A copy, for payloads lie at any address.
    Some((Header::from_bytes(bytes)?, &bytes[Header::BYTES..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_bodies_make_the_same_payload() {
        let header = Header { seq: 7, ..Header::default() };
        for bytes in [0, 1, SHARED_FROM - 1, SHARED_FROM, 100_000] {
            let body: Vec<u8> = (0..bytes).map(|n| n as u8).collect();
            let mut sample = Prepared::new(Payload::Octet, &body);
            for _ in 0..2 {
                let payload = sample.payload(&header).to_bytes().into_owned();
                assert_eq!(payload, [&header.as_bytes()[..], &body].concat(), "{bytes}");
            }
        }
    }
}
