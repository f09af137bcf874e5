//! Samples as messages: the header, then the body, as they lie in memory.

use busmark_adapter::{EndpointConfig, Header, Payload, Sink, Source, Status, decode_any};

/// A message, ready but for its header.
pub struct Sample(Vec<u8>);

impl Sample {
    /// With this body.
    pub fn new(shape: &Shape, body: &[u8]) -> Self {
        Self([&[0; Header::BYTES], &shape.payload.to_wire(body)[..]].concat())
    }

    /// The message with this header. Hot.
    #[inline]
    pub fn stamped(&mut self, header: &Header) -> &[u8] {
        self.0[..Header::BYTES].copy_from_slice(header.as_bytes());
        &self.0
    }
}

/// The message that a callback is about, which the worker takes within it.
pub struct One<'a> {
    header: Header,
    body: &'a [u8],
    there: bool,
}

impl<'a> One<'a> {
    /// Header and body of a message that was read.
    #[inline]
    pub fn new(header: Header, body: &'a [u8]) -> Self {
        Self { header, body, there: true }
    }
}

impl Source for One<'_> {
    #[inline]
    fn take(&mut self, max: usize, sink: &mut Sink) -> Result<usize, Status> {
        if max == 0 || !std::mem::take(&mut self.there) {
            return Err(Status::NoData);
        }
        sink.deliver(&self.header, self.body);
        Ok(1)
    }
}

/// What an endpoint's samples look like.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    payload: Payload,
    max_body_bytes: usize,
}

impl Shape {
    /// Sample of this endpoint.
    pub fn new(config: &EndpointConfig) -> Self {
        let max_body_bytes = usize::try_from(config.max_body_bytes).unwrap_or(usize::MAX);
        Self { payload: config.payload, max_body_bytes }
    }

    /// Header and body of a message; `None` if it is no sample of this endpoint. Hot.
    #[inline]
    pub fn read<'a>(&self, message: &'a [u8]) -> Option<(Header, &'a [u8])> {
        let header = Header::from_bytes(message)?;
        let body = &message[Header::BYTES..];
        let body = if self.payload == Payload::Any { decode_any(body)? } else { body };
        (body.len() <= self.max_body_bytes).then_some((header, body))
    }

    /// Bytes of the largest message.
    pub fn room(&self) -> usize {
        Header::BYTES + self.payload.wire_overhead() + self.max_body_bytes
    }
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
        for payload in [Payload::Octet, Payload::Any] {
            let shape = shape(payload);
            let mut sample = Sample::new(&shape, b"body");
            let (read, body) = shape.read(sample.stamped(&header)).expect("a sample");
            assert_eq!((read, body), (header, &b"body"[..]));
        }
    }

    #[test]
    fn what_is_no_sample_is_passed_over() {
        assert!(shape(Payload::Octet).read(b"").is_none());
        assert!(shape(Payload::Octet).read(&[0; 63]).is_none());
        assert!(shape(Payload::Octet).read(&[0; 165]).is_none());
        assert!(shape(Payload::Any).read(&[0; 70]).is_none());
    }
}
