//! The types of `idl/busmark.idl` as `RustDDS` takes them: structures with serde's derive macros. Octets
//! and characters go as byte strings, which the crate's serialiser copies at once.

use busmark_adapter::{Header as BusmarkHeader, Payload, Struct};
use rustdds::Keyed;
use serde::de::{DeserializeOwned, Error, SeqAccess, Visitor};
use serde::ser::SerializeTuple;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_bytes::ByteBuf;

/// `busmark::Header`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Header {
    pub cookie: u64,
    pub seq: u64,
    pub intended_ns: i64,
    pub sent_ns: i64,
    pub echo_sent_ns: i64,
    pub echo_delivered_ns: i64,
    pub echo_read_ns: i64,
    pub writer_id: u32,
    pub flags: u32,
}

impl From<&BusmarkHeader> for Header {
    #[inline]
    fn from(h: &BusmarkHeader) -> Self {
        Self {
            cookie: h.cookie,
            seq: h.seq,
            intended_ns: h.intended_ns,
            sent_ns: h.sent_ns,
            echo_sent_ns: h.echo_sent_ns,
            echo_delivered_ns: h.echo_delivered_ns,
            echo_read_ns: h.echo_read_ns,
            writer_id: h.writer_id,
            flags: h.flags,
        }
    }
}

impl From<&Header> for BusmarkHeader {
    #[inline]
    fn from(h: &Header) -> Self {
        Self {
            cookie: h.cookie,
            seq: h.seq,
            intended_ns: h.intended_ns,
            sent_ns: h.sent_ns,
            echo_sent_ns: h.echo_sent_ns,
            echo_delivered_ns: h.echo_delivered_ns,
            echo_read_ns: h.echo_read_ns,
            writer_id: h.writer_id,
            flags: h.flags,
        }
    }
}

/// `busmark::StructElement`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct StructElement {
    pub number: i32,
    pub text: [u8; 8],
    pub real: f32,
}

/// `busmark::AnyValue`.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum AnyValue {
    Octets(ByteBuf),
    Longs(Vec<i32>),
    Structs(Vec<StructElement>),
}

// The crate's serialiser would number the variants from 0; the IDL union has cases of its own.
const OCTETS: i32 = Payload::Octet as i32;
const LONGS: i32 = Payload::Long as i32;
const STRUCTS: i32 = Payload::Struct as i32;

impl Serialize for AnyValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut union = serializer.serialize_tuple(2)?;
        match self {
            Self::Octets(octets) => {
                union.serialize_element(&OCTETS)?;
                union.serialize_element(octets)?;
            }
            Self::Longs(longs) => {
                union.serialize_element(&LONGS)?;
                union.serialize_element(longs)?;
            }
            Self::Structs(structs) => {
                union.serialize_element(&STRUCTS)?;
                union.serialize_element(structs)?;
            }
        }
        union.end()
    }
}

impl<'de> Deserialize<'de> for AnyValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_tuple(2, AnyVisitor)
    }
}

struct AnyVisitor;

impl<'de> Visitor<'de> for AnyVisitor {
    type Value = AnyValue;

    fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str("a discriminator and its value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut union: A) -> Result<AnyValue, A::Error> {
        let short = || A::Error::custom("the union has no value");
        Ok(match union.next_element::<i32>()?.ok_or_else(short)? {
            OCTETS => AnyValue::Octets(union.next_element()?.ok_or_else(short)?),
            LONGS => AnyValue::Longs(union.next_element()?.ok_or_else(short)?),
            STRUCTS => AnyValue::Structs(union.next_element()?.ok_or_else(short)?),
            other => return Err(A::Error::custom(format!("the union has no case {other}"))),
        })
    }
}

/// A type by which a payload kind travels.
pub trait Sample: Serialize + DeserializeOwned + Clone + Send + Sync + 'static {
    /// Its name in the IDL file.
    const NAME: &'static str;
    /// The kind of its body.
    const KIND: Payload;

    /// A sample with this body, a whole number of elements.
    fn with_body(body: &[u8]) -> Self;

    /// Puts the header in.
    fn set_header(&mut self, header: &BusmarkHeader, instances: u32);

    /// Its header.
    fn header(&self) -> &Header;

    /// Its body as the contract lays it out: in the sample, or written to `scratch`.
    fn body<'a>(&'a self, scratch: &'a mut Vec<u8>) -> &'a [u8];
}

/// Whole elements, each as `T`.
fn elements<T: bytemuck::AnyBitPattern>(body: &[u8]) -> Vec<T> {
    body.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
}

/// `busmark::EmptySample`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct EmptySample {
    pub header: Header,
}

impl Sample for EmptySample {
    const NAME: &'static str = "busmark::EmptySample";
    const KIND: Payload = Payload::Empty;

    fn with_body(_body: &[u8]) -> Self {
        Self { header: Header::default() }
    }

    #[inline]
    fn set_header(&mut self, header: &BusmarkHeader, _instances: u32) {
        self.header = header.into();
    }

    #[inline]
    fn header(&self) -> &Header {
        &self.header
    }

    #[inline]
    fn body<'a>(&'a self, _scratch: &'a mut Vec<u8>) -> &'a [u8] {
        &[]
    }
}

macro_rules! sample {
    ($type:ident, $name:literal, $kind:ident, $(#[$attribute:meta])? $element:ty) => {
        #[doc = concat!("`", $name, "`.")]
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[allow(missing_docs)]
        pub struct $type {
            pub header: Header,
            $(#[$attribute])?
            pub body: Vec<$element>,
        }

        impl Sample for $type {
            const NAME: &'static str = $name;
            const KIND: Payload = Payload::$kind;

            fn with_body(body: &[u8]) -> Self {
                Self { header: Header::default(), body: elements(body) }
            }

            #[inline]
            fn set_header(&mut self, header: &BusmarkHeader, _instances: u32) {
                self.header = header.into();
            }

            #[inline]
            fn header(&self) -> &Header {
                &self.header
            }

            #[inline]
            fn body<'a>(&'a self, _scratch: &'a mut Vec<u8>) -> &'a [u8] {
                bytemuck::cast_slice(&self.body)
            }
        }
    };
}

sample!(
    OctetSample,
    "busmark::OctetSample",
    Octet,
    #[serde(with = "serde_bytes")]
    u8
);
// Not Rust's `char`, which has four bytes, here and on the wire.
sample!(
    CharSample,
    "busmark::CharSample",
    Char,
    #[serde(with = "serde_bytes")]
    u8
);
sample!(ShortSample, "busmark::ShortSample", Short, i16);
sample!(FloatSample, "busmark::FloatSample", Float, f32);
sample!(LongSample, "busmark::LongSample", Long, i32);

/// Bytes of one element of the payload kind `struct`: a number, eight characters, a float.
const STRUCT_BYTES: usize = size_of::<Struct>();

fn struct_element(bytes: &[u8]) -> StructElement {
    StructElement {
        number: bytemuck::pod_read_unaligned(&bytes[..4]),
        text: std::array::from_fn(|at| bytes[4 + at]),
        real: bytemuck::pod_read_unaligned(&bytes[12..STRUCT_BYTES]),
    }
}

fn put_struct(to: &mut Vec<u8>, element: &StructElement) {
    to.extend_from_slice(&element.number.to_ne_bytes());
    to.extend_from_slice(&element.text);
    to.extend_from_slice(&element.real.to_ne_bytes());
}

/// `busmark::StructSample`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct StructSample {
    pub header: Header,
    pub body: Vec<StructElement>,
}

impl Sample for StructSample {
    const NAME: &'static str = "busmark::StructSample";
    const KIND: Payload = Payload::Struct;

    fn with_body(body: &[u8]) -> Self {
        let body = body.chunks_exact(STRUCT_BYTES).map(struct_element).collect();
        Self { header: Header::default(), body }
    }

    #[inline]
    fn set_header(&mut self, header: &BusmarkHeader, _instances: u32) {
        self.header = header.into();
    }

    #[inline]
    fn header(&self) -> &Header {
        &self.header
    }

    fn body<'a>(&'a self, scratch: &'a mut Vec<u8>) -> &'a [u8] {
        scratch.clear();
        for element in &self.body {
            put_struct(scratch, element);
        }
        scratch
    }
}

/// `busmark::AnySample`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct AnySample {
    pub header: Header,
    pub body: AnyValue,
}

impl Sample for AnySample {
    const NAME: &'static str = "busmark::AnySample";
    const KIND: Payload = Payload::Any;

    fn with_body(body: &[u8]) -> Self {
        Self { header: Header::default(), body: AnyValue::Octets(ByteBuf::from(body)) }
    }

    #[inline]
    fn set_header(&mut self, header: &BusmarkHeader, _instances: u32) {
        self.header = header.into();
    }

    #[inline]
    fn header(&self) -> &Header {
        &self.header
    }

    fn body<'a>(&'a self, scratch: &'a mut Vec<u8>) -> &'a [u8] {
        match &self.body {
            AnyValue::Octets(octets) => octets,
            AnyValue::Longs(longs) => bytemuck::cast_slice(longs),
            AnyValue::Structs(elements) => {
                scratch.clear();
                for element in elements {
                    put_struct(scratch, element);
                }
                scratch
            }
        }
    }
}

/// `busmark::KeyedSample`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct KeyedSample {
    pub instance: u32,
    pub header: Header,
    #[serde(with = "serde_bytes")]
    pub body: Vec<u8>,
}

impl Keyed for KeyedSample {
    type K = u32;

    fn key(&self) -> u32 {
        self.instance
    }
}

impl Sample for KeyedSample {
    const NAME: &'static str = "busmark::KeyedSample";
    const KIND: Payload = Payload::Octet;

    fn with_body(body: &[u8]) -> Self {
        Self { instance: 0, header: Header::default(), body: body.to_vec() }
    }

    #[inline]
    fn set_header(&mut self, header: &BusmarkHeader, instances: u32) {
        self.instance = (header.seq % u64::from(instances)) as u32;
        self.header = header.into();
    }

    #[inline]
    fn header(&self) -> &Header {
        &self.header
    }

    #[inline]
    fn body<'a>(&'a self, _scratch: &'a mut Vec<u8>) -> &'a [u8] {
        &self.body
    }
}
