//! Readers of a loaded adapter, and the way of a sample from there to the worker.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::time::Duration;

use crate::abi::{CountersC, Handle, Header, ListenerC, MatchC, ReceivedC, SinkFn, Table, TakeFn};
use crate::config::{Counters, EndpointConfig};
use crate::error::{Error, Result, Status};
use crate::events::Match;
use crate::handles::{ParticipantHandle, with_endpoint};
use crate::limits;
use crate::load::{call_entry, create, last_error, locator};
use crate::misconduct::{Oversize, note};
use crate::qos::Qos;
use crate::strings::owned;

/// What the worker does when a reader in listener mode has samples.
pub trait OnData: Send + Sync {
    /// Takes and handles samples until `taker` returns fewer than asked for (C20). Hot.
    fn on_data(&self, taker: &Taker);

    /// Samples are announced before `reader_create` has returned; `on_data` follows when it has (C20).
    fn announced_early(&self) {}
}

/// The right to take from a reader, given to [`OnData`].
pub struct Taker {
    raw: Handle,
    /// `take`, or `service_take` of an end of a service.
    take: TakeFn,
    /// No body of this reader is larger.
    largest: u64,
    /// Lives as long as the reader.
    context: *const ListenerContext,
}

pub(crate) struct ListenerContext {
    raw: AtomicPtr<c_void>,
    table: &'static Table,
    participant: ParticipantHandle,
    topic: String,
    largest: u64,
    /// Whether a body that was too large has been reported.
    told: AtomicBool,
    on_data: Option<Box<dyn OnData>>,
}

impl ListenerContext {
    /// What the sink needs to know of a reader, or of an end of a service.
    pub(crate) fn new(
        participant: &ParticipantHandle,
        config: &EndpointConfig,
        on_data: Option<Box<dyn OnData>>,
    ) -> Self {
        Self {
            raw: AtomicPtr::new(std::ptr::null_mut()),
            table: participant.table(),
            participant: participant.clone(),
            topic: config.topic.clone(),
            largest: config.max_body_bytes,
            told: AtomicBool::new(false),
            on_data,
        }
    }

    /// The right to take by `service_take`. Hot.
    #[inline]
    pub(crate) fn taker_by(&self, raw: Handle, take: TakeFn) -> Taker {
        Taker { raw, take, largest: self.largest, context: self }
    }

    /// Hot.
    #[inline]
    fn taker(&self, raw: Handle) -> Taker {
        Taker { raw, take: self.table.take, largest: self.largest, context: self }
    }

    /// A body is larger than this reader was made for; false: it is for nobody to know but as misconduct.
    #[cold]
    fn tell_oversize(&self, bytes: u64) -> bool {
        let Self { topic, largest, .. } = self;
        self.told.swap(true, Ordering::Relaxed)
            || self.participant.tell_oversize(Oversize {
                topic: topic.clone(),
                bytes,
                largest: *largest,
            })
    }
}

unsafe extern "C" fn announce(context: *mut c_void) {
    // SAFETY: the context lives until the reader is destroyed, after which no call comes (C22).
    let context = unsafe { &*context.cast::<ListenerContext>() };
    let mut raw = context.raw.load(Ordering::Acquire);
    if raw.is_null()
        && let Some(on_data) = &context.on_data
    {
        on_data.announced_early();
    }
    while raw.is_null() {
        // Another thread has samples before reader_create returned (C20).
        std::thread::yield_now();
        raw = context.raw.load(Ordering::Acquire);
    }
    if let Some(on_data) = &context.on_data {
        on_data.on_data(&context.taker(raw));
    }
}

/// A sample as the sink sees it; borrowed from the middleware.
#[derive(Clone, Copy)]
pub struct Received<'a> {
    /// Its header.
    pub header: &'a Header,
    /// Its body.
    pub body: &'a [u8],
    /// The middleware's stamp of sending, `CLOCK_REALTIME` ns; 0: absent.
    pub source_ns: i64,
    /// The middleware's stamp of reception, `CLOCK_REALTIME` ns; 0: absent.
    pub reception_ns: i64,
    /// Handle of a request, or number of the request that a response answers (C40); 0 outside services.
    pub request: u64,
}

/// One call of `take`: where its samples go, and what it may give.
struct Taking<'a, F> {
    body: &'a mut F,
    max: u32,
    largest: u64,
    calls: u32,
    context: *const ListenerContext,
}

unsafe extern "C" fn sink<F: FnMut(&Received)>(context: *mut c_void, received: *const ReceivedC) {
    // SAFETY: context and function came together in `Taker::take`; the sample lives during the call.
    unsafe {
        let taking = &mut *context.cast::<Taking<F>>();
        let c = &*received;
        taking.calls = taking.calls.wrapping_add(1);
        // One comparison finds everything that is reported but impossible.
        let fits = taking.calls <= taking.max && c.body_bytes <= taking.largest;
        if !fits || c.header.is_null() {
            let context = &*taking.context;
            if taking.calls > taking.max || !is_foreign(c, context) {
                refuse(taking.calls, taking.max, c, context);
                return;
            }
        }
        // What is too large is of another run, and looked at by nobody.
        let bytes = if c.body.is_null() || !fits {
            &[][..]
        } else {
            std::slice::from_raw_parts(c.body.cast::<u8>(), c.body_bytes as usize)
        };
        (taking.body)(&Received {
            header: &*c.header,
            body: bytes,
            source_ns: c.source_ns,
            reception_ns: c.reception_ns,
            request: if covers_request(c) { c.request } else { 0 },
        });
    }
}

/// Whether the adapter's structure has the field: one made before there were services ends before it (C2).
#[inline]
fn covers_request(c: &ReceivedC) -> bool {
    c.struct_size as usize >= size_of::<ReceivedC>()
}

/// Whether a sample is of another run than this reader, who may write bodies of any size.
#[cold]
fn is_foreign(c: &ReceivedC, context: &ListenerContext) -> bool {
    // SAFETY: a header that is there lives during the call of the sink.
    let header = unsafe { c.header.as_ref() };
    let run = context.participant.run();
    header.zip(run).is_some_and(|(header, run)| header.cookie != run)
}

/// Says what is wrong with a sample that was not passed on.
#[cold]
fn refuse(calls: u32, max: u32, c: &ReceivedC, context: &ListenerContext) {
    if calls <= max && !c.header.is_null() && context.tell_oversize(c.body_bytes) {
        return;
    }
    let largest = context.largest;
    note(|| {
        if calls > max {
            format!("take() gave more than the {max} samples that it was asked for (C19)")
        } else if c.header.is_null() {
            "take() gave a sample without a header (C19)".to_owned()
        } else {
            let bytes = c.body_bytes;
            format!("take() gave a body of {bytes} bytes on an endpoint for {largest} (C19)")
        }
    });
}

impl Taker {
    /// Gives at most `max` samples to `body`; their number (C19). Hot.
    #[inline]
    pub fn take<F: FnMut(&Received)>(
        &self,
        max: u32,
        body: &mut F,
    ) -> std::result::Result<u32, Status> {
        let function: SinkFn = sink::<F>;
        let mut taken = 0;
        let Self { largest, context, .. } = *self;
        let mut taking = Taking { body, max, largest, calls: 0, context };
        // SAFETY: the reader is alive; `taking` lives during the call.
        Status::from_c(unsafe {
            (self.take)(
                self.raw,
                max,
                function,
                std::ptr::from_mut(&mut taking).cast(),
                &raw mut taken,
            )
        })?;
        if taken == taking.calls && taken <= max {
            return Ok(taken);
        }
        let calls = taking.calls;
        note(|| format!("take() said {taken} samples and called the sink {calls} times (C19)"));
        Err(Status::Failed)
    }
}

struct ReaderInner {
    raw: Handle,
    table: &'static Table,
    largest: u64,
    context: Box<ListenerContext>,
}

// SAFETY: the contract's rules for threads (C17) are kept by the users of this handle in the worker:
// a reader has one thread that waits and takes.
unsafe impl Send for ReaderInner {}
// SAFETY: as above.
unsafe impl Sync for ReaderInner {}

impl Drop for ReaderInner {
    fn drop(&mut self) {
        // SAFETY: given back once; the context outlives this call (C22).
        unsafe { (self.table.reader_destroy)(self.raw) }
    }
}

/// Receives samples of one topic.
#[derive(Clone)]
pub struct ReaderHandle(Arc<ReaderInner>);

impl ReaderHandle {
    pub(crate) fn new(
        participant: &ParticipantHandle,
        config: &EndpointConfig,
        on_data: Option<Box<dyn OnData>>,
    ) -> Result<Self> {
        limits::topic(&config.topic)?;
        let context = Box::new(ListenerContext::new(participant, config, on_data));
        let listener = ListenerC {
            struct_size: size_of::<ListenerC>() as u32,
            reserved: 0,
            on_data: announce,
            context: std::ptr::from_ref(&*context).cast_mut().cast(),
        };
        let listener =
            if context.on_data.is_some() { &raw const listener } else { std::ptr::null() };
        let raw = with_endpoint(config, |c| {
            // SAFETY: the handle is alive; every pointer lives during the call, and the context until
            // the reader is destroyed.
            create(|out, error| unsafe {
                (participant.table().reader_create)(participant.raw(), c, listener, out, error)
            })
        })?;
        context.raw.store(raw, Ordering::Release);
        let (table, largest) = (participant.table(), config.max_body_bytes);
        Ok(Self(Arc::new(ReaderInner { raw, table, largest, context })))
    }

    /// The right to take, for the waitset and poll strategies.
    #[inline]
    pub fn taker(&self) -> Taker {
        let ReaderInner { raw, table, largest, ref context } = *self.0;
        Taker { raw, take: table.take, largest, context: &raw const **context }
    }

    /// As [`Taker::take`], for the waitset and poll strategies. Hot.
    #[inline]
    pub fn take<F: FnMut(&Received)>(
        &self,
        max: u32,
        body: &mut F,
    ) -> std::result::Result<u32, Status> {
        self.taker().take(max, body)
    }

    /// Sleeps until there is something to take (C23). Hot.
    #[inline]
    pub fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        // SAFETY: the handle is alive.
        Status::of_entry(self.0.table.wait, |wait| unsafe {
            wait(self.0.raw, timeout.as_nanos() as i64)
        })
    }

    /// Writers that are ready (C24).
    pub fn matched(&self) -> std::result::Result<u32, Status> {
        let mut count = 0;
        // SAFETY: the handle is alive.
        Status::of_entry(self.0.table.reader_matched, |matched| unsafe {
            matched(self.0.raw, &raw mut count)
        })?;
        Ok(count)
    }

    /// The count, and when it became that (C33).
    pub fn match_event(&self) -> std::result::Result<Match, Status> {
        let mut c = MatchC { struct_size: size_of::<MatchC>() as u32, ..MatchC::default() };
        // SAFETY: the handle is alive.
        Status::of_entry(self.0.table.reader_match, |ask| unsafe { ask(self.0.raw, &raw mut c) })?;
        Ok(Match { count: c.count, changed_ns: c.changed_ns })
    }

    /// What failed last on the hot path, if the adapter keeps it (C32).
    pub fn last_error(&self) -> Option<Error> {
        last_error(self.0.table.reader_last_error, self.0.raw)
    }

    /// The text by which writers find this reader (C25).
    pub fn locator(&self) -> std::result::Result<String, Status> {
        locator(self.0.table.reader_locator, self.0.raw)
    }

    /// Connects to a writer by its locator (C36).
    pub fn connect(&self, locator: &str) -> Result<()> {
        let locator = owned(locator);
        // SAFETY: the handle is alive, the text lives during the call.
        call_entry(self.0.table.reader_connect, |connect, error| unsafe {
            connect(self.0.raw, locator.as_ptr(), error)
        })
    }

    /// Changes QoS while traffic flows (C26).
    pub fn set_qos(&self, qos: &Qos) -> Result<()> {
        let partition = qos.partition.as_deref().map(owned);
        let c = qos.to_c(partition.as_deref());
        // SAFETY: the handle is alive, the QoS lives during the call.
        call_entry(self.0.table.reader_set_qos, |set, error| unsafe {
            set(self.0.raw, &raw const c, error)
        })
    }

    /// The middleware's own counters.
    pub fn counters(&self) -> Counters {
        let mut c: CountersC = Counters::default().to_c();
        if let Some(counters) = self.0.table.reader_counters {
            // SAFETY: the handle is alive.
            unsafe { counters(self.0.raw, &raw mut c) };
        }
        Counters::from_c(&c)
    }
}
