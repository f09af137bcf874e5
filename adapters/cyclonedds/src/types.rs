//! The types of `idl/busmark.idl` as Cyclone DDS takes them: C structures and topic descriptors.
//!
//! The serialiser's instructions are those that `idlc` makes of that file (a test of this folder
//! compares them word by word where `idlc` is installed), so a sample costs what a user of generated
//! code pays. `XTypes` metadata is left out: without it, matching goes by type name alone.

use std::ffi::{CStr, c_void};
use std::mem::offset_of;

use busmark_adapter::{Header, Payload, Result, Struct};
use cyclonedds_rust_sys::{
    dds_key_descriptor, dds_sequence, dds_topic_descriptor, dds_topic_descriptor_t,
    dds_type_meta_ser,
};

use crate::user_type::{self, UserSample};

/// `busmark::<Kind>Sample` in C, one layout for all kinds: the instructions tell the library where in
/// it each member of the IDL type is. `EmptySample` is its first member alone.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Native {
    /// The IDL member `header`.
    pub header: Header,
    /// The IDL member `body`; in an `AnyValue` the member that the discriminator names.
    pub body: dds_sequence,
    /// The discriminator of an `AnyValue`.
    pub kind: i32,
    /// The key of a `KeyedSample`.
    pub instance: u32,
}

impl Native {
    /// A sample without a body; the library allocates one when it first reads into it.
    pub const EMPTY: Self = Self {
        header: Header {
            cookie: 0,
            seq: 0,
            intended_ns: 0,
            sent_ns: 0,
            echo_sent_ns: 0,
            echo_delivered_ns: 0,
            echo_read_ns: 0,
            writer_id: 0,
            flags: 0,
        },
        body: dds_sequence {
            _maximum: 0,
            _length: 0,
            _buffer: std::ptr::null_mut(),
            _release: true,
        },
        kind: 0,
        instance: 0,
    };
}

/// A native sample of a writer.
pub enum Sample {
    /// Type of `idl/busmark.idl`.
    Busmark(BusmarkSample),
    /// The user's type.
    User(UserSample),
}

impl Sample {
    /// A sample with this body of `kind`, for a topic with so many instances (0: no key).
    pub fn new(kind: Payload, instances: u32, body: &[u8]) -> Result<Self> {
        if kind == Payload::Type {
            return UserSample::new(body).map(Self::User);
        }
        Ok(Self::Busmark(BusmarkSample::new(kind, instances, body)))
    }

    /// The sample with this header, for the call of `dds_write`.
    #[inline]
    pub fn stamped(&mut self, header: &Header) -> *const c_void {
        match self {
            Self::Busmark(sample) => sample.stamped(header),
            Self::User(sample) => {
                *sample.header() = *header;
                sample.as_mut_ptr()
            }
        }
    }
}

/// A native sample with the body that it points to.
pub struct BusmarkSample {
    native: Native,
    /// Instances of its keyed topic; 0 without a key.
    instances: u64,
    // Words, for the alignment of every element.
    _body: Box<[u64]>,
}

// SAFETY: the pointer in `native` leads to `_body`, which moves along.
unsafe impl Send for BusmarkSample {}

impl BusmarkSample {
    /// The body is a whole number of elements.
    fn new(kind: Payload, instances: u32, body: &[u8]) -> Self {
        let element = kind.element_bytes();
        let mut words = vec![0_u64; body.len().div_ceil(8)].into_boxed_slice();
        let buffer = words.as_mut_ptr().cast::<u8>();
        // SAFETY: the words have room for the body, and are another allocation.
        unsafe { std::ptr::copy_nonoverlapping(body.as_ptr(), buffer, body.len()) };
        let length = (body.len() / element) as u32;
        let sequence =
            dds_sequence { _maximum: length, _length: length, _buffer: buffer, _release: false };
        // The discriminator of what Busmark sends in an `any`.
        let native = Native { body: sequence, kind: Payload::Octet as i32, ..Native::EMPTY };
        Self { native, instances: u64::from(instances), _body: words }
    }

    #[inline]
    fn stamped(&mut self, header: &Header) -> *const c_void {
        self.native.header = *header;
        if self.instances != 0 {
            self.native.instance = (header.seq % self.instances) as u32;
        }
        (&raw const self.native).cast()
    }
}

pub(crate) const RTS: u32 = 0;
const KOF: u32 = 7 << 24;
const JEQ4: u32 = 8 << 24;
pub(crate) const ADR: u32 = 1 << 24;
const TYPE_4BY: u32 = 3 << 16;
const TYPE_8BY: u32 = 4 << 16;
pub(crate) const TYPE_SEQ: u32 = 7 << 16;
const TYPE_ARR: u32 = 8 << 16;
const TYPE_UNI: u32 = 9 << 16;
const TYPE_EXT: u32 = 13 << 16;
pub(crate) const SUBTYPE_1BY: u32 = 1 << 8;
const SUBTYPE_2BY: u32 = 2 << 8;
const SUBTYPE_4BY: u32 = 3 << 8;
const SUBTYPE_STU: u32 = 10 << 8;
const FLAG_KEY: u32 = 1;
const FLAG_FP: u32 = 1 << 1;
const FLAG_SGN: u32 = 1 << 2;
const FLAG_MU: u32 = 1 << 3;
const TOPIC_FIXED_KEY: u32 = 1 << 1;
const TOPIC_CONTAINS_UNION: u32 = 1 << 2;
const TOPIC_FIXED_SIZE: u32 = 1 << 4;
const TOPIC_FIXED_KEY_XCDR2: u32 = 1 << 5;

/// The instructions of `Header`: its members, then the end.
pub(crate) const HEADER: [u32; 19] = [
    ADR | TYPE_8BY,
    offset_of!(Header, cookie) as u32,
    ADR | TYPE_8BY,
    offset_of!(Header, seq) as u32,
    ADR | TYPE_8BY | FLAG_SGN,
    offset_of!(Header, intended_ns) as u32,
    ADR | TYPE_8BY | FLAG_SGN,
    offset_of!(Header, sent_ns) as u32,
    ADR | TYPE_8BY | FLAG_SGN,
    offset_of!(Header, echo_sent_ns) as u32,
    ADR | TYPE_8BY | FLAG_SGN,
    offset_of!(Header, echo_delivered_ns) as u32,
    ADR | TYPE_8BY | FLAG_SGN,
    offset_of!(Header, echo_read_ns) as u32,
    ADR | TYPE_4BY,
    offset_of!(Header, writer_id) as u32,
    ADR | TYPE_4BY,
    offset_of!(Header, flags) as u32,
    RTS,
];

const ELEMENT: [u32; 8] = [
    ADR | TYPE_4BY | FLAG_SGN,
    offset_of!(Struct, number) as u32,
    ADR | TYPE_ARR | SUBTYPE_1BY | FLAG_SGN,
    offset_of!(Struct, text) as u32,
    8,
    ADR | TYPE_4BY | FLAG_FP,
    offset_of!(Struct, real) as u32,
    RTS,
];

/// `N` instruction words: first the sample's own, then the ones of the types that it jumps to.
pub(crate) const fn join<const N: usize>(parts: &[&[u32]]) -> [u32; N] {
    let mut all = [0; N];
    let (mut at, mut part) = (0, 0);
    while part < parts.len() {
        let mut word = 0;
        while word < parts[part].len() {
            all[at] = parts[part][word];
            at += 1;
            word += 1;
        }
        part += 1;
    }
    assert!(at == N);
    all
}

/// Member `header` of a type whose instructions for `Header` are at word `target`.
const fn header(target: u32) -> [u32; 3] {
    [ADR | TYPE_EXT, offset_of!(Native, header) as u32, (3 << 16) + target]
}

/// A sample whose body is a sequence of a primitive element.
const fn sequence(element: u32) -> [u32; 25] {
    let body = [ADR | TYPE_SEQ | element, offset_of!(Native, body) as u32, RTS];
    join(&[&header(6), &body, &HEADER])
}

static EMPTY_OPS: [u32; 23] = join(&[&header(4), &[RTS], &HEADER]);
static OCTET_OPS: [u32; 25] = sequence(SUBTYPE_1BY);
static CHAR_OPS: [u32; 25] = sequence(SUBTYPE_1BY | FLAG_SGN);
static SHORT_OPS: [u32; 25] = sequence(SUBTYPE_2BY | FLAG_SGN);
static FLOAT_OPS: [u32; 25] = sequence(SUBTYPE_4BY | FLAG_FP);
static LONG_OPS: [u32; 25] = sequence(SUBTYPE_4BY | FLAG_SGN);
static STRUCT_OPS: [u32; 35] = join(&[
    &header(8),
    &[
        ADR | TYPE_SEQ | SUBTYPE_STU,
        offset_of!(Native, body) as u32,
        size_of::<Struct>() as u32,
        (4 << 16) + 24,
        RTS,
    ],
    &HEADER,
    &ELEMENT,
]);

/// Offset of `kind` from `body`, where the library is told that the `AnyValue` begins.
const DISCRIMINATOR: u32 = (offset_of!(Native, kind) - offset_of!(Native, body)) as u32;

static ANY_OPS: [u32; 62] = join(&[
    &header(7),
    &[ADR | TYPE_EXT, offset_of!(Native, body) as u32, (3 << 16) + 23, RTS],
    &HEADER,
    &[
        ADR | FLAG_MU | TYPE_UNI | SUBTYPE_4BY | FLAG_SGN,
        DISCRIMINATOR,
        3,
        (27 << 16) + 4,
        JEQ4 | TYPE_SEQ | 0xc,
        Payload::Octet as u32,
        0,
        0,
        JEQ4 | TYPE_SEQ | 0xb,
        Payload::Long as u32,
        0,
        0,
        JEQ4 | TYPE_SEQ | 0xa,
        Payload::Struct as u32,
        0,
        0,
        ADR | TYPE_SEQ | SUBTYPE_1BY,
        0,
        RTS,
        ADR | TYPE_SEQ | SUBTYPE_4BY | FLAG_SGN,
        0,
        RTS,
        ADR | TYPE_SEQ | SUBTYPE_STU,
        0,
        size_of::<Struct>() as u32,
        (4 << 16) + 6,
        RTS,
        RTS,
    ],
    &ELEMENT,
]);

static KEYED_OPS: [u32; 29] = join(&[
    &[ADR | FLAG_KEY | FLAG_MU | TYPE_4BY, offset_of!(Native, instance) as u32],
    &header(6),
    &[ADR | TYPE_SEQ | SUBTYPE_1BY, offset_of!(Native, body) as u32, RTS],
    &HEADER,
    &[KOF | 1, 0],
]);

struct Keys([dds_key_descriptor; 1]);

// SAFETY: constant data; its pointer leads to a static.
unsafe impl Sync for Keys {}

static KEYS: Keys =
    Keys([dds_key_descriptor { m_name: c"instance".as_ptr(), m_offset: 27, m_idx: 0 }]);

/// A descriptor of ours.
pub(crate) struct Descriptor(pub dds_topic_descriptor);

// SAFETY: constant data; its pointers lead to statics.
unsafe impl Sync for Descriptor {}

pub(crate) const fn describe(
    name: &'static CStr,
    ops: &'static [u32],
    instructions: u32,
) -> Descriptor {
    let fixed = ops.len() == EMPTY_OPS.len();
    let none = dds_type_meta_ser { data: std::ptr::null(), sz: 0 };
    Descriptor(dds_topic_descriptor {
        m_size: if fixed { size_of::<Header>() } else { size_of::<Native>() } as u32,
        m_align: align_of::<Native>() as u32,
        m_flagset: if fixed { TOPIC_FIXED_SIZE } else { 0 },
        m_nkeys: 0,
        m_typename: name.as_ptr(),
        m_keys: std::ptr::null(),
        m_nops: instructions,
        m_ops: ops.as_ptr(),
        m_meta: c"".as_ptr(),
        type_information: none,
        type_mapping: none,
        restrict_data_representation: 0,
    })
}

static EMPTY: Descriptor = describe(c"busmark::EmptySample", &EMPTY_OPS, 12);
static OCTET: Descriptor = describe(c"busmark::OctetSample", &OCTET_OPS, 13);
static CHAR: Descriptor = describe(c"busmark::CharSample", &CHAR_OPS, 13);
static SHORT: Descriptor = describe(c"busmark::ShortSample", &SHORT_OPS, 13);
static FLOAT: Descriptor = describe(c"busmark::FloatSample", &FLOAT_OPS, 13);
static LONG: Descriptor = describe(c"busmark::LongSample", &LONG_OPS, 13);
static STRUCT: Descriptor = describe(c"busmark::StructSample", &STRUCT_OPS, 17);
static ANY: Descriptor = {
    let mut descriptor = describe(c"busmark::AnySample", &ANY_OPS, 28);
    descriptor.0.m_flagset = TOPIC_CONTAINS_UNION;
    descriptor
};
static KEYED: Descriptor = {
    let mut descriptor = describe(c"busmark::KeyedSample", &KEYED_OPS, 14);
    descriptor.0.m_flagset = TOPIC_FIXED_KEY | TOPIC_FIXED_KEY_XCDR2;
    descriptor.0.m_nkeys = 1;
    descriptor.0.m_keys = KEYS.0.as_ptr();
    descriptor
};

/// The topic descriptor of a payload kind, or of the keyed type; `None` for a type of the user's that
/// this library does not have.
pub fn descriptor(kind: Payload, keyed: bool) -> Option<&'static dds_topic_descriptor_t> {
    let descriptor = match kind {
        _ if keyed => &KEYED,
        Payload::Empty => &EMPTY,
        Payload::Octet => &OCTET,
        Payload::Char => &CHAR,
        Payload::Short => &SHORT,
        Payload::Float => &FLOAT,
        Payload::Long => &LONG,
        Payload::Struct => &STRUCT,
        Payload::Any => &ANY,
        Payload::Type => return user_type::descriptor(),
    };
    Some(&descriptor.0)
}
