//! The types of `idl/busmark.idl` as a user of the crate writes them: structures with a hand-written
//! `DDS`, for the derive macro cannot name a type with its module. Final, in XCDR1, which is what the
//! library sends for such a type, whatever the names of its functions say. Elements lie on the wire
//! as in memory (little-endian), so a body is copied as a whole.

use std::collections::HashMap;

use busmark_adapter::{Header, Payload};
use bytemuck::{AnyBitPattern, NoUninit, Pod, Zeroable};
use hdds::core::types::TypeDescriptor;
use hdds::dds::{DDS, Error, FieldValue, Result};

#[cfg(target_endian = "big")]
compile_error!(
    "bodies are copied as they lie in memory, which is the wire's order on little-endian"
);

/// Bytes of the member `header`.
const HEADER_BYTES: usize = size_of::<Header>();

/// IDL `StructElement`.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct StructElement {
    number: i32,
    text: [u8; 8],
    real: f32,
}

/// IDL `char`: one octet of its own type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub struct Char(u8);

/// What a body consists of.
pub trait Element: AnyBitPattern + NoUninit + Send + Sync {
    /// Of the sample with a sequence of it.
    const DESCRIPTOR: &'static TypeDescriptor;
}

/// A type of variable size; the library reads the name only.
const fn describe(type_id: u32, name: &'static str) -> TypeDescriptor {
    TypeDescriptor::new(type_id, name, HEADER_BYTES as u32, 8, true, &[])
}

static EMPTY: TypeDescriptor = describe(1, "busmark::EmptySample");
static OCTET: TypeDescriptor = describe(2, "busmark::OctetSample");
static CHAR: TypeDescriptor = describe(3, "busmark::CharSample");
static SHORT: TypeDescriptor = describe(4, "busmark::ShortSample");
static FLOAT: TypeDescriptor = describe(5, "busmark::FloatSample");
static LONG: TypeDescriptor = describe(6, "busmark::LongSample");
static STRUCT: TypeDescriptor = describe(7, "busmark::StructSample");
static ANY: TypeDescriptor = describe(8, "busmark::AnySample");
static KEYED: TypeDescriptor = describe(9, "busmark::KeyedSample");

impl Element for u8 {
    const DESCRIPTOR: &'static TypeDescriptor = &OCTET;
}
impl Element for Char {
    const DESCRIPTOR: &'static TypeDescriptor = &CHAR;
}
impl Element for i16 {
    const DESCRIPTOR: &'static TypeDescriptor = &SHORT;
}
impl Element for f32 {
    const DESCRIPTOR: &'static TypeDescriptor = &FLOAT;
}
impl Element for i32 {
    const DESCRIPTOR: &'static TypeDescriptor = &LONG;
}
impl Element for StructElement {
    const DESCRIPTOR: &'static TypeDescriptor = &STRUCT;
}

/// What the adapter does with any of the types.
pub trait Topical: DDS {
    /// A sample with this body, in the host's layout.
    fn with_body(body: &[u8]) -> Self;
    /// Puts a header in, and for a keyed topic of `instances` the key that follows from it.
    fn stamp(&mut self, header: &Header, instances: u64);
    /// The member `header`.
    fn header(&self) -> &Header;
    /// The member `body`, in the host's layout.
    fn body(&self) -> &[u8];
}

/// IDL `EmptySample`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EmptySample {
    header: Header,
}

/// IDL `OctetSample`, `CharSample`, `ShortSample`, `FloatSample`, `LongSample`, `StructSample`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SequenceSample<E> {
    header: Header,
    body: Vec<E>,
}

/// IDL union `AnyValue`.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyValue {
    /// Case 1.
    Octets(Vec<u8>),
    /// Case 5.
    Longs(Vec<i32>),
    /// Case 6.
    Structs(Vec<StructElement>),
}

/// IDL `AnySample`.
#[derive(Clone, Debug, PartialEq)]
pub struct AnySample {
    header: Header,
    body: AnyValue,
}

/// IDL `KeyedSample`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyedSample {
    instance: u32,
    header: Header,
    body: Vec<u8>,
}

/// Writes into what the library provides.
struct Output<'a> {
    bytes: &'a mut [u8],
    at: usize,
}

impl<'a> Output<'a> {
    fn new(bytes: &'a mut [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    #[inline]
    fn put(&mut self, part: &[u8]) -> Result<()> {
        let end = self.at + part.len();
        let room = self.bytes.get_mut(self.at..end).ok_or(Error::BufferTooSmall)?;
        room.copy_from_slice(part);
        self.at = end;
        Ok(())
    }

    #[inline]
    fn header(&mut self, h: &Header) -> Result<()> {
        let times = [h.intended_ns, h.sent_ns, h.echo_sent_ns, h.echo_delivered_ns, h.echo_read_ns];
        self.put(bytemuck::bytes_of(&[h.cookie, h.seq]))?;
        self.put(bytemuck::bytes_of(&times))?;
        self.put(bytemuck::bytes_of(&[h.writer_id, h.flags]))
    }

    #[inline]
    fn sequence<E: Element>(&mut self, body: &[E]) -> Result<usize> {
        let count = u32::try_from(body.len()).map_err(|_| Error::SerializationError)?;
        self.put(&count.to_le_bytes())?;
        self.put(bytemuck::cast_slice(body))?;
        Ok(self.at)
    }
}

/// Reads what the library provides.
struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    #[inline]
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let end = self.at.checked_add(count);
        let part = end.and_then(|end| self.bytes.get(self.at..end));
        self.at += count;
        part.ok_or(Error::SerializationError)
    }

    #[inline]
    fn u32(&mut self) -> Result<u32> {
        Ok(bytemuck::pod_read_unaligned(self.take(4)?))
    }

    #[inline]
    fn header(&mut self) -> Result<Header> {
        let [cookie, seq, a, b, c, d, e, last]: [u64; 8] =
            bytemuck::pod_read_unaligned(self.take(HEADER_BYTES)?);
        let [writer_id, flags]: [u32; 2] = bytemuck::cast(last);
        Ok(Header {
            cookie,
            seq,
            intended_ns: a.cast_signed(),
            sent_ns: b.cast_signed(),
            echo_sent_ns: c.cast_signed(),
            echo_delivered_ns: d.cast_signed(),
            echo_read_ns: e.cast_signed(),
            writer_id,
            flags,
        })
    }

    #[inline]
    fn sequence<E: Element>(&mut self) -> Result<Vec<E>> {
        let count = self.u32()? as usize;
        let bytes = count.checked_mul(size_of::<E>()).ok_or(Error::SerializationError)?;
        Ok(elements(self.take(bytes)?))
    }
}

/// Whole elements out of bytes that need not be aligned for them.
#[inline]
fn elements<E: Element>(bytes: &[u8]) -> Vec<E> {
    match bytemuck::try_cast_slice(bytes) {
        Ok(aligned) => aligned.to_vec(),
        Err(_) => bytes.chunks_exact(size_of::<E>()).map(bytemuck::pod_read_unaligned).collect(),
    }
}

impl DDS for EmptySample {
    fn type_descriptor() -> &'static TypeDescriptor {
        &EMPTY
    }

    fn encode_cdr2(&self, buf: &mut [u8]) -> Result<usize> {
        let mut out = Output::new(buf);
        out.header(&self.header)?;
        Ok(out.at)
    }

    fn decode_cdr2(buf: &[u8]) -> Result<Self> {
        Ok(Self { header: Input::new(buf).header()? })
    }
}

impl Topical for EmptySample {
    fn with_body(_body: &[u8]) -> Self {
        Self::default()
    }

    #[inline]
    fn stamp(&mut self, header: &Header, _instances: u64) {
        self.header = *header;
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn body(&self) -> &[u8] {
        &[]
    }
}

impl<E: Element + 'static> DDS for SequenceSample<E> {
    fn type_descriptor() -> &'static TypeDescriptor {
        E::DESCRIPTOR
    }

    fn encode_cdr2(&self, buf: &mut [u8]) -> Result<usize> {
        let mut out = Output::new(buf);
        out.header(&self.header)?;
        out.sequence(&self.body)
    }

    fn decode_cdr2(buf: &[u8]) -> Result<Self> {
        let mut input = Input::new(buf);
        Ok(Self { header: input.header()?, body: input.sequence()? })
    }
}

impl<E: Element + 'static> Topical for SequenceSample<E> {
    fn with_body(body: &[u8]) -> Self {
        Self { header: Header::default(), body: elements(body) }
    }

    #[inline]
    fn stamp(&mut self, header: &Header, _instances: u64) {
        self.header = *header;
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn body(&self) -> &[u8] {
        bytemuck::cast_slice(&self.body)
    }
}

/// The union's discriminators.
const OCTETS: u32 = Payload::Octet as u32;
const LONGS: u32 = Payload::Long as u32;
const STRUCTS: u32 = Payload::Struct as u32;

impl DDS for AnySample {
    fn type_descriptor() -> &'static TypeDescriptor {
        &ANY
    }

    fn encode_cdr2(&self, buf: &mut [u8]) -> Result<usize> {
        let mut out = Output::new(buf);
        out.header(&self.header)?;
        match &self.body {
            AnyValue::Octets(body) => {
                out.put(&OCTETS.to_le_bytes())?;
                out.sequence(body)
            }
            AnyValue::Longs(body) => {
                out.put(&LONGS.to_le_bytes())?;
                out.sequence(body)
            }
            AnyValue::Structs(body) => {
                out.put(&STRUCTS.to_le_bytes())?;
                out.sequence(body)
            }
        }
    }

    fn decode_cdr2(buf: &[u8]) -> Result<Self> {
        let mut input = Input::new(buf);
        let header = input.header()?;
        let body = match input.u32()? {
            OCTETS => AnyValue::Octets(input.sequence()?),
            LONGS => AnyValue::Longs(input.sequence()?),
            STRUCTS => AnyValue::Structs(input.sequence()?),
            _ => return Err(Error::SerializationError),
        };
        Ok(Self { header, body })
    }
}

impl Topical for AnySample {
    fn with_body(body: &[u8]) -> Self {
        Self { header: Header::default(), body: AnyValue::Octets(body.to_vec()) }
    }

    #[inline]
    fn stamp(&mut self, header: &Header, _instances: u64) {
        self.header = *header;
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn body(&self) -> &[u8] {
        match &self.body {
            AnyValue::Octets(body) => body,
            AnyValue::Longs(body) => bytemuck::cast_slice(body),
            AnyValue::Structs(body) => bytemuck::cast_slice(body),
        }
    }
}

impl DDS for KeyedSample {
    fn type_descriptor() -> &'static TypeDescriptor {
        &KEYED
    }

    fn encode_cdr2(&self, buf: &mut [u8]) -> Result<usize> {
        let mut out = Output::new(buf);
        out.put(&self.instance.to_le_bytes())?;
        // XCDR1 aligns the header's first member to eight bytes.
        out.put(&[0; 4])?;
        out.header(&self.header)?;
        out.sequence(&self.body)
    }

    fn decode_cdr2(buf: &[u8]) -> Result<Self> {
        let mut input = Input::new(buf);
        let instance = input.u32()?;
        input.take(4)?;
        Ok(Self { instance, header: input.header()?, body: input.sequence()? })
    }

    fn get_fields(&self) -> HashMap<String, FieldValue> {
        HashMap::from([("instance".to_owned(), FieldValue::from_u32(self.instance))])
    }

    /// The key hash of the RTPS specification (9.6.4.8): the key in big-endian CDR, filled up.
    fn compute_key(&self) -> [u8; 16] {
        let mut key = [0; 16];
        key[..4].copy_from_slice(&self.instance.to_be_bytes());
        key
    }

    fn has_key() -> bool {
        true
    }
}

impl Topical for KeyedSample {
    fn with_body(body: &[u8]) -> Self {
        Self { body: body.to_vec(), ..Self::default() }
    }

    #[inline]
    fn stamp(&mut self, header: &Header, instances: u64) {
        // A remainder of a number of 32 bits.
        #[allow(clippy::cast_possible_truncation)]
        let instance = (header.seq % instances) as u32;
        self.instance = instance;
        self.header = *header;
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn body(&self) -> &[u8] {
        &self.body
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        Header {
            cookie: 0x0102_0304_0506_0708,
            seq: 11,
            intended_ns: -2,
            sent_ns: i64::MAX,
            echo_sent_ns: i64::MIN,
            echo_delivered_ns: 3,
            echo_read_ns: 4,
            writer_id: 0xaabb_ccdd,
            flags: 9,
        }
    }

    fn both_ways<T: Topical + PartialEq + std::fmt::Debug>(body: &[u8]) -> Vec<u8> {
        let mut sample = T::with_body(body);
        sample.stamp(&header(), 4);
        assert_eq!((sample.header(), sample.body()), (&header(), body));
        let mut buffer = vec![0; 200];
        let bytes = sample.encode_cdr2(&mut buffer).expect("encodes");
        buffer.truncate(bytes);
        assert_eq!(T::decode_cdr2(&buffer).expect("decodes"), sample);
        for cut in 0..bytes {
            assert!(T::decode_cdr2(&buffer[..cut]).is_err(), "{cut} bytes of {bytes}");
            let short = sample.encode_cdr2(&mut vec![0; cut]);
            assert!(matches!(short, Err(Error::BufferTooSmall)), "{cut} bytes for {bytes}");
        }
        buffer
    }

    #[test]
    fn every_type_comes_back() {
        let body: Vec<u8> = (0..32).collect();
        both_ways::<EmptySample>(&[]);
        both_ways::<SequenceSample<u8>>(&body[..7]);
        both_ways::<SequenceSample<Char>>(&body);
        both_ways::<SequenceSample<f32>>(&body);
        both_ways::<SequenceSample<i32>>(&body);
        both_ways::<SequenceSample<StructElement>>(&body);
    }

    #[test]
    fn members_lie_where_the_encoding_wants_them() {
        let short = both_ways::<SequenceSample<i16>>(&[1, 0, 2, 0]);
        assert_eq!(short[..8], 0x0102_0304_0506_0708_u64.to_le_bytes());
        assert_eq!(short[56..64], [0xdd, 0xcc, 0xbb, 0xaa, 9, 0, 0, 0]);
        assert_eq!(short[64..], [2, 0, 0, 0, 1, 0, 2, 0]);
        let keyed = both_ways::<KeyedSample>(&[7]);
        assert_eq!((keyed.len(), &keyed[..8]), (8 + 64 + 5, &[3, 0, 0, 0, 0, 0, 0, 0][..]));
        let any = both_ways::<AnySample>(&[5]);
        assert_eq!(any[64..], [1, 0, 0, 0, 1, 0, 0, 0, 5]);
    }

    #[test]
    fn the_key_is_the_instance() {
        let mut sample = KeyedSample::with_body(&[]);
        sample.stamp(&header(), 4);
        assert_eq!(sample.compute_key()[..5], [0, 0, 0, 3, 0]);
    }
}
