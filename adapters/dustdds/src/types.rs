//! The types of `idl/busmark.idl` as Dust DDS takes them: structures with its derive macro.

use busmark_adapter::{Header as BusmarkHeader, Payload, Struct};
use dust_dds::infrastructure::type_support::DdsType;
use dust_dds::xtypes::type_support::TypeSupport;

/// `busmark::Header`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, DdsType)]
#[dust_dds(name = "busmark::Header", nested)]
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
#[derive(Clone, Debug, PartialEq, DdsType)]
#[dust_dds(name = "busmark::StructElement", nested)]
#[allow(missing_docs)]
pub struct StructElement {
    pub number: i32,
    pub text: [char; 8],
    pub real: f32,
}

/// `busmark::AnyValue`.
#[derive(Clone, Debug, PartialEq, DdsType)]
#[dust_dds(name = "busmark::AnyValue", switch(i32), nested)]
#[allow(missing_docs)]
pub enum AnyValue {
    #[dust_dds(case = 1)]
    Octets(Vec<u8>),
    #[dust_dds(case = 5)]
    Longs(Vec<i32>),
    #[dust_dds(case = 6)]
    Structs(Vec<StructElement>),
}

/// A type by which a payload kind travels.
pub trait Sample: TypeSupport + Clone + Send + Sync + 'static {
    /// Its name in the IDL file.
    const NAME: &'static str;
    /// The kind of its body.
    const KIND: Payload;

    /// A sample with this body, a whole number of elements; `None` where it is no value of the type.
    fn with_body(body: &[u8]) -> Option<Self>;

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
#[derive(Clone, Debug, DdsType)]
#[dust_dds(name = "busmark::EmptySample")]
#[allow(missing_docs)]
pub struct EmptySample {
    pub header: Header,
}

impl Sample for EmptySample {
    const NAME: &'static str = "busmark::EmptySample";
    const KIND: Payload = Payload::Empty;

    fn with_body(_body: &[u8]) -> Option<Self> {
        Some(Self { header: Header::default() })
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

macro_rules! sample_of_numbers {
    ($type:ident, $name:literal, $kind:ident, $element:ty) => {
        #[doc = concat!("`", $name, "`.")]
        #[derive(Clone, Debug, DdsType)]
        #[dust_dds(name = $name)]
        #[allow(missing_docs)]
        pub struct $type {
            pub header: Header,
            pub body: Vec<$element>,
        }

        impl Sample for $type {
            const NAME: &'static str = $name;
            const KIND: Payload = Payload::$kind;

            fn with_body(body: &[u8]) -> Option<Self> {
                Some(Self { header: Header::default(), body: elements(body) })
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

sample_of_numbers!(OctetSample, "busmark::OctetSample", Octet, u8);
sample_of_numbers!(ShortSample, "busmark::ShortSample", Short, i16);
sample_of_numbers!(FloatSample, "busmark::FloatSample", Float, f32);
sample_of_numbers!(LongSample, "busmark::LongSample", Long, i32);

/// `busmark::CharSample`. The crate's `char` of IDL is Rust's, four bytes wide.
#[derive(Clone, Debug, DdsType)]
#[dust_dds(name = "busmark::CharSample")]
#[allow(missing_docs)]
pub struct CharSample {
    pub header: Header,
    pub body: Vec<char>,
}

impl Sample for CharSample {
    const NAME: &'static str = "busmark::CharSample";
    const KIND: Payload = Payload::Char;

    fn with_body(body: &[u8]) -> Option<Self> {
        let body = body.iter().copied().map(char::from).collect();
        Some(Self { header: Header::default(), body })
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
        scratch.extend(self.body.iter().map(|c| *c as u8));
        scratch
    }
}

/// Bytes of one element of the payload kind `struct`: a number, eight characters, a float.
const STRUCT_BYTES: usize = size_of::<Struct>();

fn struct_element(bytes: &[u8]) -> StructElement {
    StructElement {
        number: bytemuck::pod_read_unaligned(&bytes[..4]),
        text: std::array::from_fn(|at| char::from(bytes[4 + at])),
        real: bytemuck::pod_read_unaligned(&bytes[12..STRUCT_BYTES]),
    }
}

fn put_struct(to: &mut Vec<u8>, element: &StructElement) {
    to.extend_from_slice(&element.number.to_ne_bytes());
    to.extend(element.text.iter().map(|c| *c as u8));
    to.extend_from_slice(&element.real.to_ne_bytes());
}

/// `busmark::StructSample`.
#[derive(Clone, Debug, DdsType)]
#[dust_dds(name = "busmark::StructSample")]
#[allow(missing_docs)]
pub struct StructSample {
    pub header: Header,
    pub body: Vec<StructElement>,
}

impl Sample for StructSample {
    const NAME: &'static str = "busmark::StructSample";
    const KIND: Payload = Payload::Struct;

    fn with_body(body: &[u8]) -> Option<Self> {
        let body = body.chunks_exact(STRUCT_BYTES).map(struct_element).collect();
        Some(Self { header: Header::default(), body })
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
#[derive(Clone, Debug, DdsType)]
#[dust_dds(name = "busmark::AnySample")]
#[allow(missing_docs)]
pub struct AnySample {
    pub header: Header,
    pub body: AnyValue,
}

impl Sample for AnySample {
    const NAME: &'static str = "busmark::AnySample";
    const KIND: Payload = Payload::Any;

    fn with_body(body: &[u8]) -> Option<Self> {
        Some(Self { header: Header::default(), body: AnyValue::Octets(body.to_vec()) })
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
#[derive(Clone, Debug, DdsType)]
#[dust_dds(name = "busmark::KeyedSample")]
#[allow(missing_docs)]
pub struct KeyedSample {
    #[dust_dds(key)]
    pub instance: u32,
    pub header: Header,
    pub body: Vec<u8>,
}

impl Sample for KeyedSample {
    const NAME: &'static str = "busmark::KeyedSample";
    const KIND: Payload = Payload::Octet;

    fn with_body(body: &[u8]) -> Option<Self> {
        Some(Self { instance: 0, header: Header::default(), body: body.to_vec() })
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
