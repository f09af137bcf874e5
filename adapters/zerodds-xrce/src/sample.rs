//! Samples as the types of `idl/busmark.idl` have them: CDR without an encapsulation header, little-endian,
//! which the agent passes on as it comes.

use std::borrow::Cow;

use busmark_adapter::{EndpointConfig, Header, Payload};

#[cfg(target_endian = "big")]
compile_error!(
    "bodies are copied as they lie in memory, which is the wire's order on little-endian"
);

/// The case of the union `AnyValue` that holds octets.
const OCTETS: u32 = Payload::Octet as u32;

/// A sample, ready but for its header.
pub struct Sample(Vec<u8>);

impl Sample {
    /// With this body.
    pub fn new(payload: Payload, body: &[u8]) -> Self {
        let mut bytes = vec![0; Header::BYTES];
        if payload == Payload::Any {
            bytes.extend_from_slice(&OCTETS.to_le_bytes());
        }
        if payload != Payload::Empty {
            let count = u32::try_from(body.len() / payload.element_bytes()).unwrap_or(u32::MAX);
            bytes.extend_from_slice(&count.to_le_bytes());
            bytes.extend_from_slice(body);
        }
        Self(bytes)
    }

    /// Its bytes with this header. Hot.
    #[inline]
    pub fn stamped(&mut self, header: &Header) -> &[u8] {
        self.0[..Header::BYTES].copy_from_slice(header.as_bytes());
        &self.0
    }
}

/// What the samples of an endpoint look like.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    payload: Payload,
    max_body_bytes: usize,
}

impl Shape {
    /// Samples of this endpoint.
    pub fn new(config: &EndpointConfig) -> Self {
        let max_body_bytes = usize::try_from(config.max_body_bytes).unwrap_or(usize::MAX);
        Self { payload: config.payload, max_body_bytes }
    }

    /// Header and body; `None` if it is no sample of this endpoint. Hot.
    #[inline]
    pub fn read<'a>(&self, sample: &'a [u8]) -> Option<(Header, &'a [u8])> {
        let header = Header::from_bytes(sample)?;
        let mut rest = &sample[Header::BYTES..];
        if self.payload == Payload::Empty {
            return Some((header, &[]));
        }
        if self.payload == Payload::Any && number(&mut rest)? != OCTETS {
            return None;
        }
        let bytes = (number(&mut rest)? as usize).checked_mul(self.payload.element_bytes())?;
        // DDS pads what it carries to a multiple of four.
        let body = rest.get(..bytes).filter(|_| bytes <= self.max_body_bytes)?;
        Some((header, body))
    }
}

fn number(bytes: &mut &[u8]) -> Option<u32> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u32::from_le_bytes(*first))
}

/// The name of the type in `idl/busmark.idl`; `None` where there is none without a key.
pub fn type_name(config: &EndpointConfig) -> Option<Cow<'static, str>> {
    let kind = match config.payload {
        Payload::Empty => "Empty",
        Payload::Octet => "Octet",
        Payload::Char => "Char",
        Payload::Short => "Short",
        Payload::Float => "Float",
        Payload::Long => "Long",
        Payload::Struct => "Struct",
        Payload::Any => "Any",
        Payload::Type => return None,
    };
    Some(format!("busmark::{kind}Sample").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(payload: Payload) -> Shape {
        Shape { payload, max_body_bytes: 100 }
    }

    #[test]
    fn what_is_written_is_what_is_read() {
        let header = Header { seq: 7, writer_id: 3, ..Header::default() };
        for payload in Payload::ALL {
            let body = if payload == Payload::Empty { &[][..] } else { &[5; 32] };
            let mut sample = Sample::new(payload, body);
            let mut bytes = sample.stamped(&header).to_vec();
            assert_eq!(shape(payload).read(&bytes), Some((header, body)), "{payload:?}");
            bytes.push(0);
            assert_eq!(shape(payload).read(&bytes), Some((header, body)), "padded {payload:?}");
        }
    }

    #[test]
    fn what_is_no_sample_is_passed_over() {
        let octets = |bytes: &[u8]| shape(Payload::Octet).read(bytes).is_none();
        assert!(octets(&[]) && octets(&[0; 63]) && octets(&[0; 66]));
        assert!(octets(&[&[0; 64][..], &[9, 0, 0, 0], &[0; 8]].concat()), "too short a body");
        assert!(octets(&[&[0; 64][..], &[101, 0, 0, 0], &[0; 101]].concat()), "too long a body");
        assert!(octets(&[&[0; 64][..], &[255; 4], &[0; 8]].concat()));
        let other = [&[0; 64][..], &[5, 0, 0, 0], &[0; 8]].concat();
        assert!(shape(Payload::Any).read(&other).is_none(), "another case of the union");
    }
}
