//! Participants, writers and samples of a loaded adapter.

use std::sync::{Arc, OnceLock};

use crate::abi::{EndpointConfigC, Handle, Header, MatchC, Table};
use crate::config::{Counters, EndpointConfig};
use crate::entity::{Entity, Found, found_one};
use crate::error::{Error, Result, Status};
use crate::events::Match;
use crate::limits;
use crate::load::{Library, call_entry, create, last_error, locator};
use crate::misconduct::Oversize;
use crate::qos::Qos;
use crate::reading::{OnData, ReaderHandle};
use crate::strings::owned;

struct ParticipantInner {
    raw: Handle,
    library: Library,
    run: OnceLock<u64>,
    on_oversize: OnceLock<Box<dyn Fn(Oversize) + Send + Sync>>,
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
        let (run, on_oversize) = (OnceLock::new(), OnceLock::new());
        Self(Arc::new(ParticipantInner { raw, library, run, on_oversize }))
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

    /// The same, of the run with this cookie: what others write on its topics is no fault of the adapter.
    /// A body that is larger than its reader was made for is left out where the cookie is another.
    #[must_use]
    pub fn of_run(self, cookie: u64) -> Self {
        let _ = self.0.run.set(cookie);
        self
    }

    /// The cookie of its run, if it is of one.
    pub(crate) fn run(&self) -> Option<u64> {
        self.0.run.get().copied()
    }

    /// Where others decide what is written, a body that is larger than its reader was made for is no
    /// fault of the adapter: from now on `told` hears of the first such body of each reader, from
    /// within `take`. The bodies are not given to whoever takes.
    pub fn on_oversize(&self, told: impl Fn(Oversize) + Send + Sync + 'static) {
        let _ = self.0.on_oversize.set(Box::new(told));
    }

    /// Tells of such a body; false: nobody wants to know.
    #[cold]
    pub(crate) fn tell_oversize(&self, oversize: Oversize) -> bool {
        let told = self.0.on_oversize.get();
        if let Some(told) = told {
            told(oversize);
        }
        told.is_some()
    }

    /// Makes a writer.
    pub fn writer(&self, config: &EndpointConfig) -> Result<WriterHandle> {
        limits::topic(&config.topic)?;
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

    /// What the middleware knows of on this bus (C37). Not for the time of a measurement.
    pub fn entities(&self) -> Result<Vec<Entity>> {
        let mut found = Found::default();
        let context: *mut Found = &raw mut found;
        // SAFETY: the handle is alive; the sink is called during the call only, with this context.
        call_entry(self.table().entities, |entities, error| unsafe {
            entities(self.0.raw, found_one, context.cast(), error)
        })?;
        found.entities()
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

    /// Writes these samples with these headers (C34): how many were sent, and why not all. Hot.
    pub fn write_many(
        &self,
        samples: &[&SampleHandle],
        headers: &[Header],
    ) -> (usize, std::result::Result<(), Status>) {
        const MOST: usize = 64;
        let mut sent = 0;
        for (samples, headers) in samples.chunks(MOST).zip(headers.chunks(MOST)) {
            let mut raw = [std::ptr::null_mut(); MOST];
            raw.iter_mut().zip(samples).for_each(|(to, sample)| *to = sample.raw);
            let count = samples.len().min(headers.len()) as u32;
            let mut written = 0;
            // SAFETY: all handles are alive and samples of this writer; the adapter does not change them.
            let outcome = Status::of_entry(self.0.table.write_many, |entry| unsafe {
                entry(self.0.raw, raw.as_ptr(), headers.as_ptr(), count, &raw mut written)
            });
            sent += written as usize;
            if outcome.is_err() {
                return (sent, outcome);
            }
        }
        (sent, Ok(()))
    }

    /// Lends memory for one body, has `fill` fill it in, and sends it with this header (C35); with `None`
    /// the memory is given back. Hot.
    pub fn publish(
        &self,
        bytes: usize,
        header: Option<&Header>,
        fill: impl FnOnce(&mut [std::mem::MaybeUninit<u8>]),
    ) -> std::result::Result<(), Status> {
        let mut body = std::ptr::null_mut();
        // SAFETY: the handle is alive; `body` is ours.
        Status::of_entry(self.0.table.loan, |loan| unsafe {
            loan(self.0.raw, bytes as u64, &raw mut body)
        })?;
        if bytes > 0 {
            // SAFETY: the adapter lends so many bytes until they are published (C35).
            fill(unsafe { std::slice::from_raw_parts_mut(body.cast(), bytes) });
        }
        // SAFETY: the handle is alive; the header lives during the call.
        Status::of_entry(self.0.table.publish, |publish| unsafe {
            publish(self.0.raw, header.map_or(std::ptr::null(), std::ptr::from_ref))
        })
    }

    /// Lends memory and leaves it lent: for tests of what the contract says on that.
    #[doc(hidden)]
    pub fn loan_only(&self, bytes: usize) -> std::result::Result<(), Status> {
        let mut body = std::ptr::null_mut();
        // SAFETY: the handle is alive; `body` is ours.
        Status::of_entry(self.0.table.loan, |loan| unsafe {
            loan(self.0.raw, bytes as u64, &raw mut body)
        })
    }

    /// Gives back or sends what is lent: as [`WriterHandle::loan_only`].
    #[doc(hidden)]
    pub fn publish_only(&self, header: Option<&Header>) -> std::result::Result<(), Status> {
        // SAFETY: the handle is alive; the header lives during the call.
        Status::of_entry(self.0.table.publish, |publish| unsafe {
            publish(self.0.raw, header.map_or(std::ptr::null(), std::ptr::from_ref))
        })
    }

    /// Sends what the middleware holds back; nothing where it holds back nothing.
    #[inline]
    pub fn flush(&self) -> std::result::Result<(), Status> {
        let Some(flush) = self.0.table.flush else { return Ok(()) };
        // SAFETY: the handle is alive.
        Status::from_c(unsafe { flush(self.0.raw) })
    }

    /// Readers that are ready (C24).
    pub fn matched(&self) -> std::result::Result<u32, Status> {
        let mut count = 0;
        // SAFETY: the handle is alive.
        Status::of_entry(self.0.table.writer_matched, |matched| unsafe {
            matched(self.0.raw, &raw mut count)
        })?;
        Ok(count)
    }

    /// The count, and when it became that (C33).
    pub fn match_event(&self) -> std::result::Result<Match, Status> {
        let mut c = MatchC { struct_size: size_of::<MatchC>() as u32, ..MatchC::default() };
        // SAFETY: the handle is alive.
        Status::of_entry(self.0.table.writer_match, |ask| unsafe { ask(self.0.raw, &raw mut c) })?;
        Ok(Match { count: c.count, changed_ns: c.changed_ns })
    }

    /// What failed last on the hot path, if the adapter keeps it (C32).
    pub fn last_error(&self) -> Option<Error> {
        last_error(self.0.table.writer_last_error, self.0.raw)
    }

    /// Connects to a reader by its locator (C25).
    pub fn connect(&self, locator: &str) -> Result<()> {
        let locator = owned(locator);
        // SAFETY: the handle is alive, the text lives during the call.
        call_entry(self.0.table.writer_connect, |connect, error| unsafe {
            connect(self.0.raw, locator.as_ptr(), error)
        })
    }

    /// The text by which readers find this writer (C36).
    pub fn locator(&self) -> std::result::Result<String, Status> {
        locator(self.0.table.writer_locator, self.0.raw)
    }

    /// Changes QoS while traffic flows (C26).
    pub fn set_qos(&self, qos: &Qos) -> Result<()> {
        let partition = qos.partition.as_deref().map(owned);
        let c = qos.to_c(partition.as_deref());
        // SAFETY: the handle is alive, the QoS lives during the call.
        call_entry(self.0.table.writer_set_qos, |set, error| unsafe {
            set(self.0.raw, &raw const c, error)
        })
    }

    /// The middleware's own counters.
    pub fn counters(&self) -> Counters {
        let mut c = Counters::default().to_c();
        if let Some(counters) = self.0.table.writer_counters {
            // SAFETY: the handle is alive.
            unsafe { counters(self.0.raw, &raw mut c) };
        }
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
