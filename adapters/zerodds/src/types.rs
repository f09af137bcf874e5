//! The types of `idl/busmark.idl` as a user of the crate writes them: structures with a hand-written
//! `DdsType`, final, in XCDR1 and XCDR2. Elements lie on the wire as in memory (little-endian), so a
//! body is copied as a whole.

use std::borrow::Cow;

use busmark_adapter::{Header, Payload};
use bytemuck::{AnyBitPattern, NoUninit, Pod, Zeroable};
use zerodds_dcps::dds_type::{DecodeError, EncodeError, PlainCdr2BeKeyHolder};
use zerodds_dcps::{DdsType, FilterValue};

#[cfg(target_endian = "big")]
compile_error!(
    "bodies are copied as they lie in memory, which is the wire's order on little-endian"
);

pub(crate) type Encoded = Result<(), EncodeError>;
pub(crate) type Decoded<T> = Result<T, DecodeError>;

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
    /// Name of the sample with a sequence of it.
    const TYPE_NAME: &'static str;
    /// XCDR2 puts the length in bytes before a sequence of constructed elements.
    const DELIMITED: bool = false;
}

impl Element for u8 {
    const TYPE_NAME: &'static str = "busmark::OctetSample";
}
impl Element for Char {
    const TYPE_NAME: &'static str = "busmark::CharSample";
}
impl Element for i16 {
    const TYPE_NAME: &'static str = "busmark::ShortSample";
}
impl Element for f32 {
    const TYPE_NAME: &'static str = "busmark::FloatSample";
}
impl Element for i32 {
    const TYPE_NAME: &'static str = "busmark::LongSample";
}
impl Element for StructElement {
    const TYPE_NAME: &'static str = "busmark::StructSample";
    const DELIMITED: bool = true;
}

/// What the adapter does with any of the types.
pub trait Topical: DdsType + Send + Sync + 'static {
    /// A sample with this body, in the host's layout; `None` where it is no value of the type.
    fn with_body(body: &[u8]) -> Option<Self>;
    /// Puts a header in, and for a keyed topic of `instances` the key that follows from it.
    fn stamp(&mut self, header: &Header, instances: u64);
    /// The member `header`.
    fn header(&self) -> &Header;
    /// The member `body`, in the host's layout.
    fn body(&self) -> Cow<'_, [u8]>;
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
    /// The key.
    pub instance: u32,
    header: Header,
    body: Vec<u8>,
}

/// Reads a stream; `start` is where alignment counts from.
pub(crate) struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    #[inline]
    fn take(&mut self, count: usize) -> Decoded<&'a [u8]> {
        let end = self.at.checked_add(count);
        let part = end.and_then(|end| self.bytes.get(self.at..end));
        self.at += count;
        part.ok_or(DecodeError::Invalid { what: "the stream ends inside a value" })
    }

    #[inline]
    fn u32(&mut self) -> Decoded<u32> {
        Ok(bytemuck::pod_read_unaligned(self.take(4)?))
    }

    #[inline]
    pub(crate) fn header(&mut self) -> Decoded<Header> {
        let bytes = self.take(Header::BYTES)?;
        Header::from_bytes(bytes).ok_or(DecodeError::Invalid { what: "a short header" })
    }

    #[inline]
    fn sequence<E: Element>(&mut self, version2: bool) -> Decoded<Vec<E>> {
        if version2 && E::DELIMITED {
            self.u32()?;
        }
        let count = self.u32()? as usize;
        let bytes = count
            .checked_mul(size_of::<E>())
            .ok_or(DecodeError::Invalid { what: "an impossible length" })?;
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

/// Bytes of a sample besides its body, at most: key and padding, header, discriminator, two lengths.
const AROUND_BODY: usize = 8 + Header::BYTES + 4 + 8;

/// Makes room for a sample at once: one that grew piece by piece would be moved as often.
#[inline]
fn make_room(out: &mut Vec<u8>, sample: &impl Topical) {
    out.reserve(AROUND_BODY + sample.body().len());
}

#[inline]
pub(crate) fn put_header(out: &mut Vec<u8>, header: &Header) {
    out.extend_from_slice(header.as_bytes());
}

#[inline]
fn put_u32(out: &mut Vec<u8>, value: usize) -> Encoded {
    let value = u32::try_from(value)
        .map_err(|_| EncodeError::Invalid { what: "a sequence longer than its length can say" })?;
    out.extend_from_slice(&value.to_le_bytes());
    Ok(())
}

#[inline]
fn put_sequence<E: Element>(out: &mut Vec<u8>, body: &[E], version2: bool) -> Encoded {
    let bytes: &[u8] = bytemuck::cast_slice(body);
    if version2 && E::DELIMITED {
        put_u32(out, bytes.len() + 4)?;
    }
    put_u32(out, body.len())?;
    out.extend_from_slice(bytes);
    Ok(())
}

impl DdsType for EmptySample {
    const TYPE_NAME: &'static str = "busmark::EmptySample";

    fn encode(&self, out: &mut Vec<u8>) -> Encoded {
        put_header(out, &self.header);
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Decoded<Self> {
        Ok(Self { header: Input::new(bytes).header()? })
    }

    fn encode_xcdr1(&self, out: &mut Vec<u8>) -> Encoded {
        self.encode(out)
    }

    fn decode_xcdr1(bytes: &[u8]) -> Decoded<Self> {
        Self::decode(bytes)
    }
}

impl Topical for EmptySample {
    fn with_body(_body: &[u8]) -> Option<Self> {
        Some(Self::default())
    }

    #[inline]
    fn stamp(&mut self, header: &Header, _instances: u64) {
        self.header = *header;
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn body(&self) -> Cow<'_, [u8]> {
        (&[]).into()
    }
}

impl<E: Element> SequenceSample<E> {
    fn put(&self, out: &mut Vec<u8>, version2: bool) -> Encoded {
        make_room(out, self);
        put_header(out, &self.header);
        put_sequence(out, &self.body, version2)
    }

    fn get(bytes: &[u8], version2: bool) -> Decoded<Self> {
        let mut input = Input::new(bytes);
        Ok(Self { header: input.header()?, body: input.sequence(version2)? })
    }
}

impl<E: Element> DdsType for SequenceSample<E> {
    const TYPE_NAME: &'static str = E::TYPE_NAME;

    fn encode(&self, out: &mut Vec<u8>) -> Encoded {
        self.put(out, true)
    }

    fn decode(bytes: &[u8]) -> Decoded<Self> {
        Self::get(bytes, true)
    }

    fn encode_xcdr1(&self, out: &mut Vec<u8>) -> Encoded {
        self.put(out, false)
    }

    fn decode_xcdr1(bytes: &[u8]) -> Decoded<Self> {
        Self::get(bytes, false)
    }
}

impl<E: Element> Topical for SequenceSample<E> {
    fn with_body(body: &[u8]) -> Option<Self> {
        Some(Self { header: Header::default(), body: elements(body) })
    }

    #[inline]
    fn stamp(&mut self, header: &Header, _instances: u64) {
        self.header = *header;
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn body(&self) -> Cow<'_, [u8]> {
        bytemuck::cast_slice(&self.body).into()
    }
}

/// The union's discriminators.
const OCTETS: u32 = Payload::Octet as u32;
const LONGS: u32 = Payload::Long as u32;
const STRUCTS: u32 = Payload::Struct as u32;

impl AnySample {
    fn put(&self, out: &mut Vec<u8>, version2: bool) -> Encoded {
        make_room(out, self);
        put_header(out, &self.header);
        match &self.body {
            AnyValue::Octets(body) => {
                out.extend_from_slice(&OCTETS.to_le_bytes());
                put_sequence(out, body, version2)
            }
            AnyValue::Longs(body) => {
                out.extend_from_slice(&LONGS.to_le_bytes());
                put_sequence(out, body, version2)
            }
            AnyValue::Structs(body) => {
                out.extend_from_slice(&STRUCTS.to_le_bytes());
                put_sequence(out, body, version2)
            }
        }
    }

    fn get(bytes: &[u8], version2: bool) -> Decoded<Self> {
        let mut input = Input::new(bytes);
        let header = input.header()?;
        let body = match input.u32()? {
            OCTETS => AnyValue::Octets(input.sequence(version2)?),
            LONGS => AnyValue::Longs(input.sequence(version2)?),
            STRUCTS => AnyValue::Structs(input.sequence(version2)?),
            _ => return Err(DecodeError::Invalid { what: "a union without that case" }),
        };
        Ok(Self { header, body })
    }
}

impl DdsType for AnySample {
    const TYPE_NAME: &'static str = "busmark::AnySample";

    fn encode(&self, out: &mut Vec<u8>) -> Encoded {
        self.put(out, true)
    }

    fn decode(bytes: &[u8]) -> Decoded<Self> {
        Self::get(bytes, true)
    }

    fn encode_xcdr1(&self, out: &mut Vec<u8>) -> Encoded {
        self.put(out, false)
    }

    fn decode_xcdr1(bytes: &[u8]) -> Decoded<Self> {
        Self::get(bytes, false)
    }
}

impl Topical for AnySample {
    fn with_body(body: &[u8]) -> Option<Self> {
        Some(Self { header: Header::default(), body: AnyValue::Octets(body.to_vec()) })
    }

    #[inline]
    fn stamp(&mut self, header: &Header, _instances: u64) {
        self.header = *header;
    }

    fn header(&self) -> &Header {
        &self.header
    }

    fn body(&self) -> Cow<'_, [u8]> {
        let body: &[u8] = match &self.body {
            AnyValue::Octets(body) => body,
            AnyValue::Longs(body) => bytemuck::cast_slice(body),
            AnyValue::Structs(body) => bytemuck::cast_slice(body),
        };
        body.into()
    }
}

impl KeyedSample {
    /// A sample of this instance, to register it by.
    pub fn of(instance: u32) -> Self {
        Self { instance, ..Self::default() }
    }

    fn put(&self, out: &mut Vec<u8>, version2: bool) -> Encoded {
        make_room(out, self);
        out.extend_from_slice(&self.instance.to_le_bytes());
        if !version2 {
            // XCDR1 aligns the header's first member to eight bytes.
            out.extend_from_slice(&[0; 4]);
        }
        put_header(out, &self.header);
        put_sequence(out, &self.body, version2)
    }

    fn get(bytes: &[u8], version2: bool) -> Decoded<Self> {
        let mut input = Input::new(bytes);
        let instance = input.u32()?;
        if !version2 {
            input.take(4)?;
        }
        Ok(Self { instance, header: input.header()?, body: input.sequence(version2)? })
    }
}

impl DdsType for KeyedSample {
    const TYPE_NAME: &'static str = "busmark::KeyedSample";
    const HAS_KEY: bool = true;
    const KEY_HOLDER_MAX_SIZE: Option<usize> = Some(4);

    fn encode(&self, out: &mut Vec<u8>) -> Encoded {
        self.put(out, true)
    }

    fn decode(bytes: &[u8]) -> Decoded<Self> {
        Self::get(bytes, true)
    }

    fn encode_xcdr1(&self, out: &mut Vec<u8>) -> Encoded {
        self.put(out, false)
    }

    fn decode_xcdr1(bytes: &[u8]) -> Decoded<Self> {
        Self::get(bytes, false)
    }

    fn encode_key_holder_be(&self, holder: &mut PlainCdr2BeKeyHolder) {
        holder.write_u32(self.instance);
    }

    fn decode_key_holder_be(bytes: &[u8]) -> Decoded<Self> {
        let short = DecodeError::Invalid { what: "a key of four bytes is wanted" };
        let key = bytes.first_chunk().ok_or(short)?;
        Ok(Self::of(u32::from_be_bytes(*key)))
    }

    fn field_value(&self, path: &str) -> Option<FilterValue> {
        (path == "instance").then(|| FilterValue::Int(self.instance.into()))
    }
}

impl Topical for KeyedSample {
    fn with_body(body: &[u8]) -> Option<Self> {
        Some(Self { body: body.to_vec(), ..Self::default() })
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

    fn body(&self) -> Cow<'_, [u8]> {
        self.body.as_slice().into()
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

    fn both_ways<T: Topical + PartialEq + std::fmt::Debug>(body: &[u8]) -> [Vec<u8>; 2] {
        let mut sample = T::with_body(body).expect("a sample");
        sample.stamp(&header(), 4);
        assert_eq!((sample.header(), &*sample.body()), (&header(), body));
        let (mut one, mut two) = (Vec::new(), Vec::new());
        sample.encode_xcdr1(&mut one).expect("encodes");
        sample.encode(&mut two).expect("encodes");
        assert_eq!(T::decode_xcdr1(&one).expect("decodes"), sample);
        assert_eq!(T::decode(&two).expect("decodes"), sample);
        for cut in 0..one.len() {
            assert!(T::decode_xcdr1(&one[..cut]).is_err(), "{cut} bytes of {}", one.len());
        }
        [one, two]
    }

    #[test]
    fn every_type_comes_back_from_both_encodings() {
        let body: Vec<u8> = (0..32).collect();
        both_ways::<EmptySample>(&[]);
        both_ways::<SequenceSample<u8>>(&body[..7]);
        both_ways::<SequenceSample<Char>>(&body);
        both_ways::<SequenceSample<i16>>(&body);
        both_ways::<SequenceSample<f32>>(&body);
        both_ways::<SequenceSample<i32>>(&body);
        both_ways::<SequenceSample<StructElement>>(&body);
        both_ways::<AnySample>(&body);
        both_ways::<KeyedSample>(&body);
    }

    #[test]
    fn members_lie_where_the_encodings_want_them() {
        let [one, two] = both_ways::<SequenceSample<i16>>(&[1, 0, 2, 0]);
        assert_eq!(one, two);
        assert_eq!(one[..8], 0x0102_0304_0506_0708_u64.to_le_bytes());
        assert_eq!(one[56..64], [0xdd, 0xcc, 0xbb, 0xaa, 9, 0, 0, 0]);
        assert_eq!(one[64..], [2, 0, 0, 0, 1, 0, 2, 0]);
        let [one, two] = both_ways::<KeyedSample>(&[7]);
        assert_eq!((one.len(), two.len()), (8 + 64 + 5, 4 + 64 + 5));
        assert_eq!(one[..8], [3, 0, 0, 0, 0, 0, 0, 0]);
        let [one, two] = both_ways::<SequenceSample<StructElement>>(&[1; 16]);
        assert_eq!(
            (&one[64..68], &two[64..72]),
            (&[1, 0, 0, 0][..], &[20, 0, 0, 0, 1, 0, 0, 0][..])
        );
        let [one, _] = both_ways::<AnySample>(&[5]);
        assert_eq!(one[64..], [1, 0, 0, 0, 1, 0, 0, 0, 5]);
    }

    #[test]
    fn the_key_is_the_instance_and_can_be_filtered_by() {
        let sample = KeyedSample::of(0x0102_0304);
        let mut holder = PlainCdr2BeKeyHolder::new();
        sample.encode_key_holder_be(&mut holder);
        assert_eq!(holder.as_bytes(), [1, 2, 3, 4]);
        assert_eq!(KeyedSample::decode_key_holder_be(&[1, 2, 3, 4]).expect("a key"), sample);
        assert_eq!(sample.field_value("instance"), Some(FilterValue::Int(0x0102_0304)));
        assert_eq!(sample.field_value("header"), None);
    }
}
