//! A data reader: listener, waitset or polling.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use busmark_adapter::{
    Counters, EndpointConfig, Error, HotCell, LastError, Listener, Match, MatchClock, Payload, Qos,
    Reader, Result, Sink, Status, Wait,
};
use cyclonedds_rust_sys::{
    DDS_ALIVE_INSTANCE_STATE, DDS_ANY_SAMPLE_STATE, DDS_ANY_VIEW_STATE,
    DDS_NOT_ALIVE_DISPOSED_INSTANCE_STATE, DDS_NOT_ALIVE_NO_WRITERS_INSTANCE_STATE,
    dds_create_listener, dds_create_readcondition, dds_create_waitset, dds_delete_listener,
    dds_entity_t, dds_free, dds_get_participant, dds_get_requested_deadline_missed_status,
    dds_get_sample_lost_status, dds_get_sample_rejected_status,
    dds_get_subscription_matched_status, dds_listener_t, dds_lset_data_available,
    dds_lset_subscription_matched, dds_requested_deadline_missed_status_t, dds_return_t,
    dds_sample_info_t, dds_sample_lost_status_t, dds_sample_rejected_status_t, dds_set_listener,
    dds_subscription_matched_status_t, dds_take, dds_waitset_attach, dds_waitset_wait,
};

use crate::entity::{Entity, check, error};
use crate::types::Native;
use crate::user_type::UserSample;

/// What the library's listener calls.
struct Target {
    listener: Option<Listener>,
    matches: Arc<MatchClock>,
}

/// The library's listener object, and what it calls.
pub struct Notifier {
    native: *mut dds_listener_t,
    // Where the library's argument points.
    target: Box<Target>,
}

// SAFETY: the native object is constant after `new`; the library copies it.
unsafe impl Send for Notifier {}
// SAFETY: as above.
unsafe impl Sync for Notifier {}

unsafe extern "C" fn on_data_available(_reader: dds_entity_t, argument: *mut c_void) {
    // SAFETY: the argument is the `Target` of a `Notifier` that outlives the reader.
    if let Some(listener) = unsafe { &(*argument.cast::<Target>()).listener } {
        listener.notify();
    }
}

unsafe extern "C" fn on_subscription_matched(
    _reader: dds_entity_t,
    status: dds_subscription_matched_status_t,
    argument: *mut c_void,
) {
    // SAFETY: as above.
    unsafe { &*argument.cast::<Target>() }.matches.set(status.current_count);
}

impl Notifier {
    /// Keeps the matches; without a listener of Busmark's that is all.
    pub(crate) fn new(listener: Option<Listener>, matches: Arc<MatchClock>) -> Self {
        let target = Box::new(Target { listener, matches });
        let argument = std::ptr::from_ref(&*target).cast_mut().cast();
        // SAFETY: the object is new; functions and argument belong together.
        let native = unsafe {
            let native = dds_create_listener(argument);
            dds_lset_subscription_matched(native, Some(on_subscription_matched));
            if target.listener.is_some() {
                dds_lset_data_available(native, Some(on_data_available));
            }
            native
        };
        Self { native, target }
    }

    fn matches(&self) -> &MatchClock {
        &self.target.matches
    }

    pub(crate) fn as_ptr(&self) -> *const dds_listener_t {
        self.native
    }
}

impl Drop for Notifier {
    fn drop(&mut self) {
        // SAFETY: made by `new`, deleted once; entities have copies.
        unsafe { dds_delete_listener(self.native) };
    }
}

/// Samples into which the library reads. They keep their bodies from one take to the next, so that
/// only a sample larger than any before it costs an allocation (a loan is given up at the next take
/// that finds less data).
struct Slots {
    samples: Samples,
    pointers: Box<[*mut c_void]>,
    infos: Box<[MaybeUninit<dds_sample_info_t>]>,
    // The first sample was taken by `wait` and is next.
    pending: bool,
}

// SAFETY: the pointers lead into `samples`, which moves along.
unsafe impl Send for Slots {}

/// Memory of the samples.
enum Samples {
    Busmark(Box<[Native]>),
    User(Box<[UserSample]>),
}

/// Bytes that the bodies of all slots may come to.
const SLOT_BYTES: u64 = 32 << 20;
const MAX_SLOTS: u64 = 64;

impl Slots {
    fn new(config: &EndpointConfig) -> Self {
        let count = (SLOT_BYTES / config.max_body_bytes.max(1)).clamp(1, MAX_SLOTS) as usize;
        let (samples, pointers) = if config.payload == Payload::Type {
            let mut samples: Box<[_]> = (0..count).map(|_| UserSample::empty()).collect();
            let pointers = samples.iter_mut().map(UserSample::as_mut_ptr).collect();
            (Samples::User(samples), pointers)
        } else {
            let mut samples = vec![Native::EMPTY; count].into_boxed_slice();
            let base = samples.as_mut_ptr();
            // SAFETY: the indexes are within the allocation.
            let pointers = (0..count).map(|at| unsafe { base.add(at) }.cast()).collect();
            (Samples::Busmark(samples), pointers)
        };
        let infos = vec![MaybeUninit::uninit(); count].into_boxed_slice();
        Self { samples, pointers, infos, pending: false }
    }

    /// Takes at most `max` samples, or as many as there are slots.
    #[inline]
    fn take(&mut self, from: dds_entity_t, max: usize) -> std::result::Result<usize, dds_return_t> {
        let max = max.min(self.pointers.len());
        // SAFETY: both arrays have `max` entries; each pointer leads to a sample of the reader's type
        // whose body is none or the library's own.
        let taken = unsafe {
            let infos = self.infos.as_mut_ptr().cast::<dds_sample_info_t>();
            dds_take(from, self.pointers.as_mut_ptr(), infos, max, max as u32)
        };
        if taken < 0 { Err(taken) } else { Ok(taken as usize) }
    }

    /// The information on one of the samples that the last `take` returned.
    #[inline]
    fn info(&self, at: usize) -> &dds_sample_info_t {
        // SAFETY: the caller keeps to what `take` returned; the library filled it in.
        unsafe { self.infos[at].assume_init_ref() }
    }

    /// Always inlined: it is called for every sample, mostly once in a take.
    #[inline(always)]
    fn deliver(&self, at: usize, element_bytes: usize, sink: &mut Sink) {
        let stamp = self.info(at).source_timestamp;
        let Native { header, body, .. } = match &self.samples {
            Samples::Busmark(samples) => &samples[at],
            Samples::User(samples) => {
                return samples[at]
                    .with_body(|header, body| sink.deliver_stamped(header, body, stamp, 0));
            }
        };
        let bytes = if body._buffer.is_null() {
            &[][..]
        } else {
            // SAFETY: the library read `_length` elements into the buffer.
            unsafe {
                std::slice::from_raw_parts(body._buffer, body._length as usize * element_bytes)
            }
        };
        sink.deliver_stamped(header, bytes, stamp, 0);
    }
}

impl Drop for Samples {
    fn drop(&mut self) {
        let Self::Busmark(samples) = self else { return };
        for sample in samples {
            // SAFETY: the buffer is NULL or was allocated by the library.
            unsafe { dds_free(sample.body._buffer.cast()) };
        }
    }
}

/// The waitset of a reader.
struct Waiter {
    waitset: Entity,
    // Samples that no living writer stands behind, and notices that the last writer has gone.
    gone: Entity,
    _alive: Entity,
}

const ALIVE: isize = 1;
const GONE: isize = 0;

impl Waiter {
    fn new(reader: &Entity) -> Result<Self> {
        let any = DDS_ANY_SAMPLE_STATE | DDS_ANY_VIEW_STATE;
        let not_alive =
            DDS_NOT_ALIVE_DISPOSED_INSTANCE_STATE | DDS_NOT_ALIVE_NO_WRITERS_INSTANCE_STATE;
        // SAFETY: the reader is alive.
        let condition = |mask| unsafe { dds_create_readcondition(reader.raw(), mask) };
        let alive = Entity::new(condition(any | DDS_ALIVE_INSTANCE_STATE), "read condition")?;
        let gone = Entity::new(condition(any | not_alive), "read condition")?;
        // SAFETY: the reader is alive, so is its participant.
        let handle = unsafe { dds_create_waitset(dds_get_participant(reader.raw())) };
        let waitset = Entity::new(handle, "waitset")?;
        for (condition, mark) in [(&alive, ALIVE), (&gone, GONE)] {
            // SAFETY: waitset and condition are alive; the mark is a number.
            let code = unsafe { dds_waitset_attach(waitset.raw(), condition.raw(), mark) };
            if code < 0 {
                return Err(error(code, "read condition of a waitset"));
            }
        }
        Ok(Self { waitset, gone, _alive: alive })
    }
}

/// A reader with what was made for it, deleted in this order.
pub struct CycloneReader {
    // Sets the listener of a reader whose history may come at once.
    late: Option<JoinHandle<()>>,
    waiter: Option<Waiter>,
    reader: Entity,
    _parents: [Entity; 2],
    // Used until the reader has been deleted.
    notifiers: [Arc<Notifier>; 2],
    failure: LastError,
    slots: HotCell<Slots>,
    element_bytes: usize,
    /// The library knows of lost samples where it asks for them again, and not on best effort.
    counts_lost: bool,
}

impl CycloneReader {
    /// `first` is the listener with which the reader was made; `late`, if any, the one that takes its place.
    pub(crate) fn new(
        config: &EndpointConfig,
        reader: Entity,
        parents: [Entity; 2],
        first: Arc<Notifier>,
        late: Option<Arc<Notifier>>,
    ) -> Result<Self> {
        let waiter = if config.wait == Wait::Waitset { Some(Waiter::new(&reader)?) } else { None };
        let notifiers = [Arc::clone(&first), late.clone().unwrap_or(first)];
        let late = late.map(|notifier| set_listener(&reader, notifier)).transpose()?;
        let element_bytes =
            if config.payload == Payload::Empty { 0 } else { config.payload.element_bytes() };
        let slots = HotCell::new(Slots::new(config));
        Ok(Self {
            late,
            waiter,
            reader,
            _parents: parents,
            notifiers,
            failure: LastError::default(),
            slots,
            element_bytes,
            counts_lost: config.qos.reliable == Some(true),
        })
    }
}

/// Sets the listener from another thread, where the library then announces what is there already.
fn set_listener(reader: &Entity, notifier: Arc<Notifier>) -> Result<JoinHandle<()>> {
    let handle = reader.raw();
    std::thread::Builder::new()
        .name("cyclonedds-late".to_owned())
        // SAFETY: the reader is deleted after this thread has ended; the library copies the object.
        .spawn(move || unsafe {
            dds_set_listener(handle, notifier.as_ptr());
        })
        .map_err(|e| Status::Resources.error(format!("a thread for the reader's listener: {e}")))
}

impl Drop for CycloneReader {
    fn drop(&mut self) {
        if let Some(late) = self.late.take() {
            let _ = late.join();
        }
    }
}

impl Reader for CycloneReader {
    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        let mut slots = self.slots.get().ok_or(Status::Failed)?;
        let mut delivered = 0;
        if std::mem::take(&mut slots.pending) {
            slots.deliver(0, self.element_bytes, sink);
            delivered = 1;
        }
        while delivered < max {
            let asked = (max - delivered).min(slots.pointers.len());
            let taken = match slots.take(self.reader.raw(), asked) {
                Ok(taken) => taken,
                Err(code) => return Err(self.failure.keep(error(code, "take"))),
            };
            for at in 0..taken {
                if slots.info(at).valid_data {
                    slots.deliver(at, self.element_bytes, sink);
                    delivered += 1;
                }
            }
            if taken < asked {
                break;
            }
        }
        if delivered == 0 { Err(Status::NoData) } else { Ok(delivered) }
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        let waiter = self.waiter.as_ref().ok_or(Status::Unsupported)?;
        let mut left = timeout;
        let start = Instant::now();
        loop {
            let mut marks = [GONE; 2];
            let left_ns = i64::try_from(left.as_nanos()).unwrap_or(i64::MAX);
            // SAFETY: the array has the length given.
            let hits = unsafe {
                dds_waitset_wait(waiter.waitset.raw(), marks.as_mut_ptr(), marks.len(), left_ns)
            };
            if hits < 0 {
                return Err(self.failure.keep(error(hits, "wait")));
            }
            if hits == 0 {
                return Err(Status::Timeout);
            }
            if marks[..(hits as usize).min(marks.len())].contains(&ALIVE) {
                return Ok(());
            }
            let mut slots = self.slots.get().ok_or(Status::Failed)?;
            if slots.pending {
                return Ok(());
            }
            let taken = slots
                .take(waiter.gone.raw(), 1)
                .map_err(|code| self.failure.keep(error(code, "take")))?;
            if taken == 1 && slots.info(0).valid_data {
                slots.pending = true;
                return Ok(());
            }
            // It was but a notice.
            left = timeout.saturating_sub(start.elapsed());
        }
    }

    fn match_event(&self) -> std::result::Result<Match, Status> {
        Ok(self.notifiers[0].matches().get())
    }

    fn last_error(&self) -> Option<Error> {
        self.failure.get()
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        let mut status = dds_subscription_matched_status_t::default();
        // SAFETY: `status` is of the type that the function fills in.
        check(unsafe { dds_get_subscription_matched_status(self.reader.raw(), &raw mut status) })?;
        Ok(status.current_count)
    }

    fn set_qos(&self, _qos: &Qos) -> Result<()> {
        let text = "lifespan and ownership strength are changed at the writer; nothing that a \
                    reader has can change";
        Err(Status::Unsupported.error(text))
    }

    fn counters(&self) -> Counters {
        let reader = self.reader.raw();
        let mut lost = dds_sample_lost_status_t::default();
        let mut rejected = dds_sample_rejected_status_t::default();
        let mut missed = dds_requested_deadline_missed_status_t::default();
        // SAFETY: each structure is of the type that its function fills in.
        let codes = unsafe {
            [
                dds_get_sample_lost_status(reader, &raw mut lost),
                dds_get_sample_rejected_status(reader, &raw mut rejected),
                dds_get_requested_deadline_missed_status(reader, &raw mut missed),
            ]
        };
        let count = |at: usize, count: u32| (codes[at] == 0).then_some(u64::from(count));
        Counters {
            lost: count(0, lost.total_count).filter(|_| self.counts_lost),
            rejected: count(1, rejected.total_count),
            deadline_missed: count(2, missed.total_count),
            ..Counters::default()
        }
    }
}
