//! The payload kind `type`: `idl/user_sample.idl.in` with the user's type, as `idlc` makes it in C.
//!
//! A library without such a type has all of this but the descriptor, and does not declare the kind.

use std::ffi::c_void;
use std::sync::OnceLock;

use busmark_adapter::{Header, Result, Status};
use cyclonedds_rust_sys::{
    dds_cdrstream_default_allocator as ALLOCATOR, dds_cdrstream_desc,
    dds_cdrstream_desc_from_topic_desc, dds_istream_fini, dds_istream_init, dds_istream_t,
    dds_ostreamLE_fini, dds_ostreamLE_init, dds_ostreamLE_t, dds_stream_free_sample,
    dds_stream_minimum_xcdr_version, dds_stream_normalize, dds_stream_read_sample,
    dds_stream_write_sampleLE, dds_topic_descriptor_t,
};

/// Plain CDR, as the contract has it.
const XCDR1: u32 = 1;

/// The scoped name of the type; `None` without one.
pub const NAME: Option<&str> = option_env!("BUSMARK_USER_TYPE");

/// The descriptor of `busmark::UserSample`.
#[cfg(user_type)]
#[allow(clippy::unnecessary_wraps)] // As it is without the type.
pub fn descriptor() -> Option<&'static dds_topic_descriptor_t> {
    unsafe extern "C" {
        static busmark_UserSample_desc: dds_topic_descriptor_t;
    }
    // SAFETY: constant data of the generated code, which is linked in.
    Some(unsafe { &busmark_UserSample_desc })
}

/// The descriptor of `busmark::UserSample`.
#[cfg(not(user_type))]
pub fn descriptor() -> Option<&'static dds_topic_descriptor_t> {
    None
}

/// What the library's serialiser needs of the type, made once.
struct Serialiser(dds_cdrstream_desc);

// SAFETY: constant after it was made; its pointers lead to constant data.
unsafe impl Send for Serialiser {}
// SAFETY: as above.
unsafe impl Sync for Serialiser {}

fn serialiser() -> &'static dds_cdrstream_desc {
    static ONCE: OnceLock<Serialiser> = OnceLock::new();
    let once = ONCE.get_or_init(|| {
        let mut desc = dds_cdrstream_desc::default();
        if let Some(topic) = descriptor() {
            // SAFETY: the descriptor is constant; `desc` is filled in.
            unsafe { dds_cdrstream_desc_from_topic_desc(&raw mut desc, topic) };
        }
        Serialiser(desc)
    });
    &once.0
}

/// Memory of one `busmark::UserSample`, with what it points to.
pub struct UserSample {
    // Words, for the alignment of every member. The header comes first.
    words: Box<[u64]>,
}

impl UserSample {
    /// A sample of zeros: no texts, no sequences.
    pub fn empty() -> Self {
        let bytes = descriptor().map_or(size_of::<Header>(), |topic| topic.m_size as usize);
        Self { words: vec![0; bytes.div_ceil(8)].into_boxed_slice() }
    }

    /// A sample with this value of the user's type, given as CDR.
    pub fn new(value: &[u8]) -> Result<Self> {
        let name = NAME.unwrap_or_default();
        let refused = |why: &str| {
            let bytes = value.len();
            Status::Invalid.error(format!("the body of {bytes} bytes is no value of {name}: {why}"))
        };
        let desc = serialiser();
        // SAFETY: the instructions belong to the type.
        if u32::from(unsafe { dds_stream_minimum_xcdr_version(desc.ops.ops) }) > XCDR1 {
            return Err(refused("Cyclone DDS has no plain CDR of it, but XCDR2 only"));
        }
        // In CDR the value follows the header, whose size keeps every alignment.
        let mut cdr = [&[0; Header::BYTES], value].concat();
        let (size, swap) = (cdr.len() as u32, cfg!(target_endian = "big"));
        let mut read = 0;
        // SAFETY: the buffer has the length given and is ours to write; the descriptor is the type's.
        let valid = unsafe {
            let data = cdr.as_mut_ptr().cast::<c_void>();
            dds_stream_normalize(data, size, swap, XCDR1, desc, false, &raw mut read)
        };
        if !valid || read != size {
            return Err(refused("it is not the type's CDR"));
        }
        let mut sample = Self::empty();
        let mut stream = dds_istream_t::default();
        // SAFETY: the bytes have just been checked; the memory has the type's size and is zero.
        unsafe {
            dds_istream_init(&raw mut stream, size, cdr.as_ptr().cast(), XCDR1);
            let data = sample.as_mut_ptr();
            dds_stream_read_sample(&raw mut stream, data, &raw const ALLOCATOR, desc);
            dds_istream_fini(&raw mut stream);
        }
        Ok(sample)
    }

    /// For calls of the library.
    #[inline]
    pub fn as_mut_ptr(&mut self) -> *mut c_void {
        self.words.as_mut_ptr().cast()
    }

    /// The IDL member `header`.
    #[inline]
    pub fn header(&mut self) -> &mut Header {
        // SAFETY: the type begins with the header, in the layout of the contract.
        unsafe { &mut *self.words.as_mut_ptr().cast() }
    }

    /// Hands the sample on: with its value as CDR where that is to be verified (C30).
    #[inline]
    pub fn with_body<T>(&self, deliver: impl FnOnce(&Header, &[u8]) -> T) -> T {
        // SAFETY: as in `header`.
        let header = unsafe { &*self.words.as_ptr().cast::<Header>() };
        if header.flags & Header::CHECKED == 0 {
            return deliver(header, &[]);
        }
        let mut stream = dds_ostreamLE_t::default();
        // SAFETY: the memory is a sample of the type; the stream's buffer holds what was written until
        // it is given back.
        unsafe {
            dds_ostreamLE_init(&raw mut stream, &raw const ALLOCATOR, 0, XCDR1);
            let data = self.words.as_ptr().cast();
            let written = dds_stream_write_sampleLE(
                &raw mut stream,
                &raw const ALLOCATOR,
                data,
                serialiser(),
            );
            let bytes = if written { stream.x.m_index as usize } else { 0 };
            let cdr = if bytes == 0 {
                &[][..]
            } else {
                std::slice::from_raw_parts(stream.x.m_buffer, bytes)
            };
            let result = deliver(header, cdr.get(Header::BYTES..).unwrap_or_default());
            dds_ostreamLE_fini(&raw mut stream, &raw const ALLOCATOR);
            result
        }
    }
}

impl Drop for UserSample {
    fn drop(&mut self) {
        let data = self.as_mut_ptr();
        // SAFETY: what the sample points to is none or was allocated by the library.
        unsafe { dds_stream_free_sample(data, &raw const ALLOCATOR, serialiser().ops.ops) };
    }
}
