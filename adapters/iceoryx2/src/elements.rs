//! The types of samples: a header, and a slice of elements of one kind. iceoryx2 compares name, size
//! and alignment of both when an endpoint joins a service.

use std::fmt::Debug;

use busmark_adapter::{Header, Struct};
use iceoryx2::prelude::ZeroCopySend;

/// The user header of every sample.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default)]
pub struct SampleHeader(pub Header);

// SAFETY: integers without padding, repr(C) below, the same in every process.
unsafe impl ZeroCopySend for SampleHeader {
    unsafe fn type_name() -> &'static str {
        "busmark::Header"
    }
}

/// An element of a body.
pub trait Element: ZeroCopySend + Debug + Copy + 'static {}

macro_rules! elements {
    ($($(#[$doc:meta])* $name:ident($inner:ty) = $text:literal;)*) => {$(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug)]
        pub struct $name(#[allow(dead_code)] $inner);

        // SAFETY: plain numbers without padding, the same in every process.
        unsafe impl ZeroCopySend for $name {
            unsafe fn type_name() -> &'static str {
                $text
            }
        }

        impl Element for $name {}
    )*};
}

elements! {
    /// Element of the payload kind `empty`, whose bodies have none.
    Nothing(u8) = "busmark::Empty";
    /// Element of `octet`.
    Octet(u8) = "busmark::Octet";
    /// Element of `char`.
    Char(u8) = "busmark::Char";
    /// Element of `short`.
    Short(i16) = "busmark::Short";
    /// Element of `float`.
    Float(f32) = "busmark::Float";
    /// Element of `long`.
    Long(i32) = "busmark::Long";
    /// Element of `struct`.
    Structure(Struct) = "busmark::Struct";
    /// Element of `any`: self-described CBOR, because iceoryx2's own types must be known when a
    /// program is built.
    Any(u8) = "busmark::Any";
}
