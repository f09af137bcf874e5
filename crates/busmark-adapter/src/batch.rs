//! Samples that are written together (C34).

use std::marker::PhantomData;

use crate::abi::{Handle, Header};

/// Samples with their headers. A sample may be there more than once, so it cannot be changed.
pub struct Batch<'a, S> {
    samples: &'a [Handle],
    headers: &'a [Header],
    kind: PhantomData<&'a S>,
}

impl<'a, S> Batch<'a, S> {
    /// # Safety
    /// Every handle belongs to a living sample `S` of one writer, which no other thread uses meanwhile.
    pub(crate) unsafe fn new(samples: &'a [Handle], headers: &'a [Header]) -> Self {
        Self { samples, headers, kind: PhantomData }
    }

    /// In the order of writing.
    pub fn iter(&self) -> impl Iterator<Item = (&'a S, &'a Header)> {
        // SAFETY: promised to `new`.
        let samples =
            self.samples.iter().map(|handle| unsafe { &*handle.cast::<S>().cast_const() });
        samples.zip(self.headers)
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }
}
