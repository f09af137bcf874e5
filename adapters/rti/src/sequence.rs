//! Sequences of the library, which it fills in and whose insides nobody here knows.

use crate::ffi::Api;

/// Bytes of a sequence in Connext DDS 6.1, by its public header and seen in memory: what
/// `profiles.rs` checks before it relies on it.
pub const SEQUENCE_BYTES: usize = 72;

/// Room for one sequence, with some to spare.
#[repr(C, align(8))]
pub struct Storage([u8; 2 * SEQUENCE_BYTES]);

type Function = unsafe extern "C" fn(*mut Storage) -> u8;

/// A sequence. It stays where it is: elements may point to it.
pub struct Sequence {
    storage: Box<Storage>,
    finalize: Function,
}

impl Sequence {
    /// A sequence with functions of its own.
    pub fn new(initialize: Function, finalize: Function) -> Self {
        let mut storage = Box::new(Storage([0; 2 * SEQUENCE_BYTES]));
        // SAFETY: there is room for the sequence.
        unsafe { initialize(&raw mut *storage) };
        Self { storage, finalize }
    }

    /// Sequence of texts.
    pub fn of_texts(api: &Api) -> Self {
        Self::new(api.strings_initialize, api.strings_finalize)
    }

    /// Sequence of conditions.
    pub fn of_conditions(api: &Api) -> Self {
        Self::new(api.conditions_initialize, api.conditions_finalize)
    }

    /// Sequence of samples.
    pub fn of_samples(api: &Api) -> Self {
        Self::new(api.samples_initialize, api.samples_finalize)
    }

    /// Sequence of what accompanies samples.
    pub fn of_infos(api: &Api) -> Self {
        Self::new(api.infos_initialize, api.infos_finalize)
    }

    /// For the library.
    #[inline]
    pub fn raw(&mut self) -> *mut Storage {
        &raw mut *self.storage
    }
}

impl Drop for Sequence {
    fn drop(&mut self) {
        // SAFETY: initialised, finalised once, and loans have been given back.
        unsafe { (self.finalize)(&raw mut *self.storage) };
    }
}
