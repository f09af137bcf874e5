//! The types of `idl/busmark.idl` as `RustDDS` takes them: structures with serde.

use std::fmt;

use busmark_adapter::{Header as BusmarkHeader, Payload};
use bytemuck::{AnyBitPattern, NoUninit, Pod, Zeroable};
use rustdds::Keyed;
use serde::de::{DeserializeOwned, Error as _, SeqAccess, Visitor};
use serde::ser::SerializeTuple;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_bytes::{ByteBuf, Bytes};

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

/// `busmark::StructElement`, laid out as `busmark_struct_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct StructElement {
    pub number: i32,
    pub text: [u8; 8],
    pub real: f32,
}

/// A type by which a payload kind travels.
pub trait Sample: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// A sample with this body, a whole number of elements.
    fn with_body(body: &[u8]) -> Self;

    /// Puts the header in.
    fn set_header(&mut self, header: &BusmarkHeader, instances: u32);

    /// Its header.
    fn header(&self) -> &Header;

    /// Its body as the contract lays it out.
    fn body(&self) -> &[u8];
}

/// The name in the IDL file of the type that carries a kind.
pub fn type_name(payload: Payload, keyed: bool) -> &'static str {
    match payload {
        _ if keyed => "busmark::KeyedSample",
        Payload::Empty => "busmark::EmptySample",
        Payload::Octet => "busmark::OctetSample",
        Payload::Char => "busmark::CharSample",
        Payload::Short => "busmark::ShortSample",
        Payload::Float => "busmark::FloatSample",
        Payload::Long => "busmark::LongSample",
        Payload::Struct => "busmark::StructSample",
        Payload::Any => "busmark::AnySample",
        Payload::Type => "busmark::UserSample",
    }
}

/// Whole elements, each as `E`.
fn elements<E: AnyBitPattern>(body: &[u8]) -> Vec<E> {
    body.chunks_exact(size_of::<E>()).map(bytemuck::pod_read_unaligned).collect()
}

/// `busmark::EmptySample`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct EmptySample {
    pub header: Header,
}

impl Sample for EmptySample {
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
    fn body(&self) -> &[u8] {
        &[]
    }
}

/// `busmark::OctetSample` and `busmark::CharSample`: a `char` of IDL is an octet on the wire.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct ByteSample {
    pub header: Header,
    #[serde(with = "serde_bytes")]
    pub body: Vec<u8>,
}

impl Sample for ByteSample {
    fn with_body(body: &[u8]) -> Self {
        Self { header: Header::default(), body: body.to_vec() }
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
    fn body(&self) -> &[u8] {
        &self.body
    }
}

/// `busmark::ShortSample`, `FloatSample`, `LongSample` and `StructSample`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct ElementSample<E> {
    pub header: Header,
    pub body: Vec<E>,
}

impl<E> Sample for ElementSample<E>
where
    E: AnyBitPattern + NoUninit + Serialize + DeserializeOwned + Send + Sync,
{
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
    fn body(&self) -> &[u8] {
        bytemuck::cast_slice(&self.body)
    }
}

/// `busmark::AnyValue`. By hand, for serde numbers the cases of an enumeration itself.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum AnyValue {
    Octets(Vec<u8>),
    Longs(Vec<i32>),
    Structs(Vec<StructElement>),
}

impl Serialize for AnyValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut union = serializer.serialize_tuple(2)?;
        match self {
            Self::Octets(octets) => {
                union.serialize_element(&(Payload::Octet as i32))?;
                union.serialize_element(Bytes::new(octets))?;
            }
            Self::Longs(longs) => {
                union.serialize_element(&(Payload::Long as i32))?;
                union.serialize_element(longs)?;
            }
            Self::Structs(structs) => {
                union.serialize_element(&(Payload::Struct as i32))?;
                union.serialize_element(structs)?;
            }
        }
        union.end()
    }
}

impl<'de> Deserialize<'de> for AnyValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_tuple(2, UnionVisitor)
    }
}

struct UnionVisitor;

impl UnionVisitor {
    const OCTETS: i32 = Payload::Octet as i32;
    const LONGS: i32 = Payload::Long as i32;
    const STRUCTS: i32 = Payload::Struct as i32;
}

impl<'de> Visitor<'de> for UnionVisitor {
    type Value = AnyValue;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a discriminator and its case")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut union: A) -> Result<AnyValue, A::Error> {
        let value = match union.next_element()? {
            Some(Self::OCTETS) => {
                union.next_element::<ByteBuf>()?.map(|octets| AnyValue::Octets(octets.into_vec()))
            }
            Some(Self::LONGS) => union.next_element()?.map(AnyValue::Longs),
            Some(Self::STRUCTS) => union.next_element()?.map(AnyValue::Structs),
            other => return Err(A::Error::custom(format!("no case {other:?}"))),
        };
        value.ok_or_else(|| A::Error::custom("a discriminator alone"))
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
    fn with_body(body: &[u8]) -> Self {
        Self { header: Header::default(), body: AnyValue::Octets(body.to_vec()) }
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
    fn body(&self) -> &[u8] {
        match &self.body {
            AnyValue::Octets(octets) => octets,
            AnyValue::Longs(longs) => bytemuck::cast_slice(longs),
            AnyValue::Structs(structs) => bytemuck::cast_slice(structs),
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

impl Sample for KeyedSample {
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
    fn body(&self) -> &[u8] {
        &self.body
    }
}

impl Keyed for KeyedSample {
    type K = u32;

    fn key(&self) -> u32 {
        self.instance
    }
}
