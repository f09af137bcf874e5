//! The header of every sample, as long and of the same members as Busmark's.

/// `busmark::Header` of `idl/busmark.idl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct Header {
    pub cookie: u64,
    pub seq: u64,
    pub times: [i64; 5],
    pub writer_id: u32,
    pub flags: u32,
}

impl Header {
    /// Its length.
    pub const BYTES: usize = size_of::<Self>();
    /// Flag of a sample that only says that all has been sent.
    pub const LAST: u32 = 4;

    /// As it lies in memory.
    #[inline]
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; Self::BYTES] {
        // SAFETY: integers without padding, of that length.
        unsafe { &*std::ptr::from_ref(self).cast() }
    }

    /// From the beginning of a message; `None` if that is too short.
    #[inline]
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.get(..Self::BYTES)?;
        // SAFETY: as many bytes, at any address; every pattern of bits is a header.
        Some(unsafe { bytes.as_ptr().cast::<Self>().read_unaligned() })
    }

    /// The sample that only says that all has been sent.
    #[must_use]
    pub fn last() -> Self {
        Self { flags: Self::LAST, ..Self::default() }
    }

    /// Whether it is that one.
    #[must_use]
    pub fn is_last(&self) -> bool {
        self.flags & Self::LAST != 0
    }
}
