//! Delivery from an adapter to the worker: the sink that takes samples, the listener that announces them.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::abi::{Header, ListenerC, ReceivedC, SinkFn};
use crate::error::Status;

/// Where [`take`](crate::Reader::take) puts samples: the worker's function behind the border.
pub struct Sink {
    function: SinkFn,
    context: *mut c_void,
}

impl Sink {
    pub(crate) fn new(function: SinkFn, context: *mut c_void) -> Self {
        Self { function, context }
    }

    /// Gives one sample to the worker. Header and body need to live during the call only.
    #[inline]
    pub fn deliver(&mut self, header: &Header, body: &[u8]) {
        self.deliver_stamped(header, body, 0, 0);
    }

    /// As [`Sink::deliver`], with the middleware's own source and reception time (`CLOCK_REALTIME`,
    /// ns; 0 where absent).
    #[inline]
    pub fn deliver_stamped(
        &mut self,
        header: &Header,
        body: &[u8],
        source_ns: i64,
        reception_ns: i64,
    ) {
        self.give(header, body, (source_ns, reception_ns), 0);
    }

    /// As [`Sink::deliver_stamped`], of a request or a response (C40): `request` is the handle of the one,
    /// or the number of the request that the other answers.
    #[inline]
    pub fn deliver_request(
        &mut self,
        request: u64,
        header: &Header,
        body: &[u8],
        (source_ns, reception_ns): (i64, i64),
    ) {
        self.give(header, body, (source_ns, reception_ns), request);
    }

    #[inline]
    fn give(
        &mut self,
        header: &Header,
        body: &[u8],
        (source_ns, reception_ns): (i64, i64),
        request: u64,
    ) {
        let received = ReceivedC {
            struct_size: size_of::<ReceivedC>() as u32,
            reserved: 0,
            header,
            body: if body.is_empty() { std::ptr::null() } else { body.as_ptr().cast() },
            body_bytes: body.len() as u64,
            source_ns,
            reception_ns,
            request,
        };
        // SAFETY: function and context came together through take; `received` lives during the call.
        unsafe { (self.function)(self.context, &raw const received) }
    }
}

/// Samples at hand in a listener's thread, see [`Listener::notify_with`].
pub trait Source {
    /// As [`Reader::take`](crate::Reader::take).
    fn take(&mut self, max: usize, sink: &mut Sink) -> Result<usize, Status>;
}

/// The source that is being announced, if any. Thin, hence a pointer to a fat pointer.
#[derive(Default)]
pub(crate) struct Slot(AtomicPtr<*mut dyn Source>);

impl Slot {
    /// Takes from the announced source; `None` if there is none and the reader itself must be asked.
    #[inline]
    pub(crate) fn take(&self, max: usize, sink: &mut Sink) -> Option<Result<usize, Status>> {
        let source = self.0.load(Ordering::Relaxed);
        if source.is_null() {
            return None;
        }
        // SAFETY: set by `notify_with` on this very thread (C20: take is called from within on_data
        // only, calls never overlap) and cleared before the source's borrow ends.
        Some(unsafe { (**source).take(max, sink) })
    }
}

/// Announces samples of one reader to the worker (C20).
pub struct Listener {
    c: ListenerC,
    slot: Arc<Slot>,
}

// SAFETY: the worker's on_data may be called from any thread (C20).
unsafe impl Send for Listener {}
// SAFETY: as above; the adapter keeps calls for one reader from overlapping (C20).
unsafe impl Sync for Listener {}

impl Listener {
    pub(crate) fn new(c: ListenerC, slot: Arc<Slot>) -> Self {
        Self { c, slot }
    }

    /// There are samples to take from the reader.
    #[inline]
    pub fn notify(&self) {
        // SAFETY: function and context came together in reader_create and live until reader_destroy.
        unsafe { (self.c.on_data)(self.c.context) }
    }

    /// There are samples to take from `source`, which this thread holds: what the worker takes during
    /// the call comes from there, so that no state need be shared with the reader.
    #[inline]
    pub fn notify_with<'a>(&self, source: &mut (dyn Source + 'a)) {
        // SAFETY: only the lifetime changes; the slot is cleared before this function returns.
        let source = unsafe {
            std::mem::transmute::<&mut (dyn Source + 'a), &mut (dyn Source + 'static)>(source)
        };
        let mut source: *mut dyn Source = source;
        self.slot.0.store(&raw mut source, Ordering::Relaxed);
        self.notify();
        self.slot.0.store(std::ptr::null_mut(), Ordering::Relaxed);
    }
}
