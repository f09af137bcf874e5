//! What travels: messages of protobuf, and samples made of them.
//!
//! ```proto
//! package busmark;
//! message Sample {
//!   bytes header = 1;             // 64 bytes, as it lies in memory
//!   bytes body = 2;               // its elements, as they lie in memory
//!   google.protobuf.Any any = 3;  // in its place for the payload kind `any`: a google.protobuf.BytesValue
//! }
//! message Nothing {}
//! ```

use busmark_adapter::{EndpointConfig, Header, Payload, Sink, Source, Status};
use prost::Message as _;
use prost::bytes::Bytes;

/// Most bytes of a message besides the body: tags, lengths, the header, and the type's name of an `any`.
const AROUND: usize = 256;
/// The name of the type that an `any` holds.
const OCTETS: &str = "type.googleapis.com/google.protobuf.BytesValue";

/// A sample, a request or a response.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Sample {
    /// The header.
    #[prost(bytes = "bytes", tag = "1")]
    pub header: Bytes,
    /// The body.
    #[prost(bytes = "bytes", tag = "2")]
    pub body: Bytes,
    /// The body of the payload kind `any`.
    #[prost(message, optional, tag = "3")]
    pub any: Option<Any>,
}

/// `google.protobuf.Any`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Any {
    /// The name of its type.
    #[prost(string, tag = "1")]
    pub type_url: String,
    /// The message of this type.
    #[prost(bytes = "bytes", tag = "2")]
    pub value: Bytes,
}

/// `google.protobuf.BytesValue`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct BytesValue {
    /// The bytes.
    #[prost(bytes = "bytes", tag = "1")]
    pub value: Bytes,
}

/// What a reader answers when a writer's stream has ended.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct Nothing {}

/// A body, ready to be sent with any header: messages share its memory.
#[derive(Clone)]
pub struct Prepared {
    body: Bytes,
    any: Option<Any>,
}

impl Prepared {
    /// With this body.
    pub fn new(payload: Payload, body: &[u8]) -> Self {
        let body = Bytes::copy_from_slice(body);
        if payload != Payload::Any {
            return Self { body, any: None };
        }
        let value = BytesValue { value: body }.encode_to_vec().into();
        Self { body: Bytes::new(), any: Some(Any { type_url: OCTETS.to_owned(), value }) }
    }

    /// The message with this header. Hot.
    #[inline]
    pub fn message(&self, header: &Header) -> Sample {
        Sample {
            header: Bytes::copy_from_slice(header.as_bytes()),
            body: self.body.clone(),
            any: self.any.clone(),
        }
    }
}

/// What an endpoint's samples look like.
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

    /// Bytes of the largest message.
    pub fn room(&self) -> usize {
        self.max_body_bytes.saturating_add(AROUND)
    }

    /// Header and body of a message; `None` if it is no sample of this endpoint. Hot.
    #[inline]
    pub fn read(&self, message: Sample) -> Option<(Header, Bytes)> {
        let header = Header::from_bytes(&message.header)?;
        let body = if self.payload == Payload::Any { octets(message.any)? } else { message.body };
        (body.len() <= self.max_body_bytes).then_some((header, body))
    }
}

fn octets(any: Option<Any>) -> Option<Bytes> {
    let any = any.filter(|any| any.type_url == OCTETS)?;
    BytesValue::decode(any.value).ok().map(|octets| octets.value)
}

/// The sample that a listener is called for.
pub struct One(Option<(Header, Bytes)>);

impl One {
    /// This sample.
    pub fn new(sample: (Header, Bytes)) -> Self {
        Self(Some(sample))
    }
}

impl Source for One {
    #[inline]
    fn take(&mut self, max: usize, sink: &mut Sink) -> Result<usize, Status> {
        if max == 0 {
            return Err(Status::NoData);
        }
        let (header, body) = self.0.take().ok_or(Status::NoData)?;
        sink.deliver(&header, &body);
        Ok(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(payload: Payload) -> Shape {
        Shape { payload, max_body_bytes: 100 }
    }

    #[test]
    fn what_is_written_is_what_is_read_and_has_room() {
        let header = Header { seq: 7, writer_id: 3, ..Header::default() };
        for payload in [Payload::Octet, Payload::Any] {
            for bytes in [0, 1, 100] {
                let body: Vec<u8> = (0..bytes).collect();
                let encoded = Prepared::new(payload, &body).message(&header).encode_to_vec();
                assert!(encoded.len() <= shape(payload).room(), "{} bytes", encoded.len());
                let decoded = Sample::decode(&encoded[..]).expect("a message");
                let (read, found) = shape(payload).read(decoded).expect("a sample");
                assert_eq!((read, &found[..]), (header, &body[..]), "{payload:?}");
            }
        }
    }

    #[test]
    fn what_is_no_sample_is_passed_over() {
        let header = Header::default();
        let large = Prepared::new(Payload::Octet, &[0; 101]).message(&header);
        assert!(shape(Payload::Octet).read(large).is_none());
        assert!(shape(Payload::Octet).read(Sample::default()).is_none());
        let octets = Prepared::new(Payload::Octet, &[0; 10]).message(&header);
        assert!(shape(Payload::Any).read(octets).is_none());
        let mut other = Prepared::new(Payload::Any, &[0; 10]).message(&header);
        other.any.as_mut().expect("an any").type_url.push('s');
        assert!(shape(Payload::Any).read(other).is_none());
    }
}
