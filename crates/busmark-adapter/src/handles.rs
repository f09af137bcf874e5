//! Participants, writers and samples of a loaded adapter.

use std::sync::Arc;

use crate::abi::{EndpointConfigC, Handle, Header, Table};
use crate::config::{Counters, EndpointConfig, Qos};
use crate::error::{Result, Status};
use crate::load::{Library, call, create};
use crate::reading::{OnData, ReaderHandle};
use crate::strings::owned;

struct ParticipantInner {
    raw: Handle,
    library: Library,
}

// SAFETY: different endpoints of a participant may be used from different threads (C17).
unsafe impl Send for ParticipantInner {}
// SAFETY: as above.
unsafe impl Sync for ParticipantInner {}

impl Drop for ParticipantInner {
    fn drop(&mut self) {
        // SAFETY: endpoints hold this participant, so they are gone (C15).
        unsafe { (self.library.table().participant_destroy)(self.raw) }
    }
}

/// An attachment to the middleware.
#[derive(Clone)]
pub struct ParticipantHandle(Arc<ParticipantInner>);

impl ParticipantHandle {
    pub(crate) fn new(raw: Handle, library: Library) -> Self {
        Self(Arc::new(ParticipantInner { raw, library }))
    }

    pub(crate) fn raw(&self) -> Handle {
        self.0.raw
    }

    pub(crate) fn table(&self) -> &'static Table {
        self.0.library.table()
    }

    /// The adapter it belongs to.
    pub fn library(&self) -> &Library {
        &self.0.library
    }

    /// Makes a writer.
    pub fn writer(&self, config: &EndpointConfig) -> Result<WriterHandle> {
        let raw = with_endpoint(config, |c| {
            // SAFETY: the handle is alive; every pointer lives during the call.
            create(|out, error| unsafe { (self.table().writer_create)(self.0.raw, c, out, error) })
        })?;
        let inner = WriterInner { raw, table: self.table(), _participant: self.clone() };
        Ok(WriterHandle(Arc::new(inner)))
    }

    /// Makes a reader. `on_data` is called as C20 says; it goes with the listener strategy only.
    pub fn reader(
        &self,
        config: &EndpointConfig,
        on_data: Option<Box<dyn OnData>>,
    ) -> Result<ReaderHandle> {
        ReaderHandle::new(self, config, on_data)
    }
}

/// A running server; stopped when dropped.
pub struct ServerHandle {
    raw: Handle,
    library: Library,
}

// SAFETY: a server is only ever destroyed, once, by whoever owns it.
unsafe impl Send for ServerHandle {}

impl ServerHandle {
    pub(crate) fn new(raw: Handle, library: Library) -> Self {
        Self { raw, library }
    }
}

impl Drop for ServerHandle {
    fn drop(&mut self) {
        if let Some(destroy) = self.library.table().server_destroy {
            // SAFETY: the handle came from `server_create` and is given back once.
            unsafe { destroy(self.raw) }
        }
    }
}

pub(crate) fn with_endpoint<T>(
    config: &EndpointConfig,
    body: impl FnOnce(*const EndpointConfigC) -> T,
) -> T {
    let topic = owned(&config.topic);
    let partition = config.qos.partition.as_deref().map(owned);
    let qos = config.qos.to_c(partition.as_deref());
    let c = EndpointConfigC {
        struct_size: size_of::<EndpointConfigC>() as u32,
        payload: config.payload as u32,
        wait: config.wait as u32,
        reserved: 0,
        max_body_bytes: config.max_body_bytes,
        topic: topic.as_ptr(),
        qos: &raw const qos,
        instances: config.instances,
        filter_below: config.filter_below,
    };
    body(&raw const c)
}

struct WriterInner {
    raw: Handle,
    table: &'static Table,
    _participant: ParticipantHandle,
}

// SAFETY: the contract's rules for threads (C17) are kept by the users of this handle in the worker:
// a writer has one thread that writes.
unsafe impl Send for WriterInner {}
// SAFETY: as above.
unsafe impl Sync for WriterInner {}

impl Drop for WriterInner {
    fn drop(&mut self) {
        // SAFETY: samples hold this writer, so they are gone (C15).
        unsafe { (self.table.writer_destroy)(self.raw) }
    }
}

/// Sends samples of one topic.
#[derive(Clone)]
pub struct WriterHandle(Arc<WriterInner>);

impl WriterHandle {
    /// Makes a native sample with this body.
    pub fn sample(&self, body: &[u8]) -> Result<SampleHandle> {
        let data = if body.is_empty() { std::ptr::null() } else { body.as_ptr().cast() };
        // SAFETY: the handle is alive, the body lives during the call.
        let raw = create(|out, error| unsafe {
            (self.0.table.sample_create)(self.0.raw, data, body.len() as u64, out, error)
        })?;
        Ok(SampleHandle { raw, writer: self.clone() })
    }

    /// Writes the sample with this header. Hot.
    #[inline]
    pub fn write(
        &self,
        sample: &mut SampleHandle,
        header: &Header,
    ) -> std::result::Result<(), Status> {
        // SAFETY: both handles are alive and `&mut` keeps the sample to one thread (C17).
        Status::from_c(unsafe { (self.0.table.write)(self.0.raw, sample.raw, header) })
    }

    /// Sends what the middleware holds back.
    pub fn flush(&self) -> std::result::Result<(), Status> {
        // SAFETY: the handle is alive.
        Status::from_c(unsafe { (self.0.table.flush)(self.0.raw) })
    }

    /// Readers that are ready (C24).
    pub fn matched(&self) -> std::result::Result<u32, Status> {
        let mut count = 0;
        // SAFETY: the handle is alive.
        Status::from_c(unsafe { (self.0.table.writer_matched)(self.0.raw, &raw mut count) })?;
        Ok(count)
    }

    /// Connects to a reader by its locator (C25).
    pub fn connect(&self, locator: &str) -> Result<()> {
        let locator = owned(locator);
        // SAFETY: the handle is alive, the text lives during the call.
        call(|error| unsafe { (self.0.table.writer_connect)(self.0.raw, locator.as_ptr(), error) })
    }

    /// Changes QoS while traffic flows (C26).
    pub fn set_qos(&self, qos: &Qos) -> Result<()> {
        let partition = qos.partition.as_deref().map(owned);
        let c = qos.to_c(partition.as_deref());
        // SAFETY: the handle is alive, the QoS lives during the call.
        call(|error| unsafe { (self.0.table.writer_set_qos)(self.0.raw, &raw const c, error) })
    }

    /// The middleware's own counters.
    pub fn counters(&self) -> Counters {
        let mut c = Counters::default().to_c();
        // SAFETY: the handle is alive.
        unsafe { (self.0.table.writer_counters)(self.0.raw, &raw mut c) };
        Counters::from_c(&c)
    }
}

/// A native sample of one writer.
pub struct SampleHandle {
    raw: Handle,
    writer: WriterHandle,
}

// SAFETY: a sample is used by one thread at a time (`&mut` in write).
unsafe impl Send for SampleHandle {}

impl Drop for SampleHandle {
    fn drop(&mut self) {
        // SAFETY: the writer is alive, the sample is given back once.
        unsafe { (self.writer.0.table.sample_destroy)(self.writer.0.raw, self.raw) }
    }
}
