//! A data reader: listener, waitset or polling.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use busmark_adapter::{
    Counters, EndpointConfig, HotCell, Listener, Qos, Reader, Result, Sink, Status, Wait,
};

use crate::error::{call, check, object};
use crate::factory::with_document;
use crate::native::{
    ALIVE, ANY_STATE, Api, DATA_AVAILABLE, NO_STATUS, NOT_ALIVE, Object, ReaderListener, Sequence,
    StatusBuffer, Time, code,
};
use crate::participant::{Shared, Topic};
use crate::qos::{LIBRARY, PROFILE, Profile};
use crate::types::{Image, Shape};

unsafe extern "C" fn on_data_available(data: *mut c_void, _reader: Object) {
    // SAFETY: the data is the `Listener` of a `Notifier` that outlives the reader.
    unsafe { &*data.cast::<Listener>() }.notify();
}

/// The library's listener structure, and Busmark's listener that it calls.
struct Notifier {
    native: ReaderListener,
    _listener: Box<Listener>,
}

impl Notifier {
    fn new(listener: Listener) -> Self {
        let listener = Box::new(listener);
        let data = std::ptr::from_ref(&*listener).cast_mut().cast();
        Self { native: ReaderListener::new(data, on_data_available), _listener: listener }
    }
}

/// Samples at one take: few, for they are held by the library until they are given back.
const MAX_LOAN: usize = 64;

/// Where samples come in: on loan from the library, read one by one.
struct Inlet {
    api: &'static Api,
    reader: Object,
    samples: Box<Sequence>,
    infos: Box<Sequence>,
    // Of the loan: its samples, and the next one to deliver.
    count: i32,
    next: i32,
    image: Image,
}

// SAFETY: the loan belongs to the reader, which may be used from any thread, by one at a time.
unsafe impl Send for Inlet {}

impl Inlet {
    fn new(api: &'static Api, reader: Object, image: Image) -> Self {
        let mut samples = Box::new(Sequence::BLANK);
        let mut infos = Box::new(Sequence::BLANK);
        // SAFETY: the buffers are larger than the library's sequences.
        unsafe {
            (api.samples_initialize)(&raw mut *samples);
            (api.infos_initialize)(&raw mut *infos);
        }
        Self { api, reader, samples, infos, count: 0, next: 0, image }
    }

    /// Borrows at most `max` samples of instances in this state; false if there are none.
    #[inline]
    fn borrow(&mut self, max: usize, instances: u32) -> std::result::Result<bool, Status> {
        let max = max.min(MAX_LOAN) as i32;
        // SAFETY: reader and sequences are alive; nothing is on loan in them.
        let code = unsafe {
            let (samples, infos) = (&raw mut *self.samples, &raw mut *self.infos);
            (self.api.reader_take)(
                self.reader,
                samples,
                infos,
                max,
                ANY_STATE,
                ANY_STATE,
                instances,
            )
        };
        if code == code::NO_DATA {
            return Ok(false);
        }
        check(code)?;
        // SAFETY: filled in by the call above.
        self.count = unsafe { (self.api.samples_length)(&raw const *self.samples) };
        self.next = 0;
        Ok(true)
    }

    /// Whether the next sample on loan is one with data; passes over notices.
    #[inline]
    fn has_next(&mut self) -> bool {
        while self.next < self.count {
            // SAFETY: the index is within the loan.
            let info = unsafe { &*(self.api.infos_at)(&raw const *self.infos, self.next) };
            if info.valid_data != 0 {
                return true;
            }
            self.next += 1;
        }
        false
    }

    /// Delivers the next sample on loan.
    #[inline]
    fn deliver(&mut self, sink: &mut Sink) -> std::result::Result<(), Status> {
        let at = self.next;
        self.next += 1;
        // SAFETY: the index is within the loan.
        let (sample, info) = unsafe {
            (
                (self.api.samples_at)(&raw const *self.samples, at),
                &*(self.api.infos_at)(&raw const *self.infos, at),
            )
        };
        let (source, reception) = (info.source_timestamp.as_ns(), info.reception_timestamp.as_ns());
        let (header, body) = self.image.read(self.api, sample)?;
        sink.deliver_stamped(header, body, source, reception);
        Ok(())
    }

    #[inline]
    fn give_back(&mut self) {
        if self.count > 0 {
            // SAFETY: the sequences hold a loan of this reader.
            unsafe {
                let (samples, infos) = (&raw mut *self.samples, &raw mut *self.infos);
                (self.api.reader_return_loan)(self.reader, samples, infos);
            }
            (self.count, self.next) = (0, 0);
        }
    }

    /// What is on loan already, then more, until there are `max` or no more.
    #[inline]
    fn take(&mut self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        let mut delivered = 0;
        loop {
            while delivered < max && self.has_next() {
                self.deliver(sink)?;
                delivered += 1;
            }
            if self.next < self.count {
                break;
            }
            self.give_back();
            if delivered == max || !self.borrow(max - delivered, ANY_STATE)? {
                break;
            }
        }
        Ok(delivered)
    }
}

/// The waitset of a reader.
struct Waiter {
    waitset: Object,
    // Samples of living writers; samples and notices of such as have gone.
    alive: Object,
    gone: Object,
    active: Box<Sequence>,
}

// SAFETY: used by the reader's thread only, one at a time.
unsafe impl Send for Waiter {}

/// A reader with the subscriber and the topic that were made for it.
pub struct RtiReader {
    shared: Arc<Shared>,
    topic: Topic,
    subscriber: Object,
    reader: Object,
    notifier: Option<Box<Notifier>>,
    waiter: Option<HotCell<Waiter>>,
    inlet: HotCell<Inlet>,
    profile: Mutex<Profile>,
}

// SAFETY: endpoints of the library may be used from any thread; what one thread at a time may use is
// in cells.
unsafe impl Send for RtiReader {}
// SAFETY: as above.
unsafe impl Sync for RtiReader {}

impl RtiReader {
    pub(crate) fn new(
        shared: &Arc<Shared>,
        topic: Topic,
        config: &EndpointConfig,
        profile: Profile,
        listener: Option<Listener>,
    ) -> Result<Self> {
        let api = shared.api;
        let image = Image::new(Shape::new(config), config.max_body_bytes);
        let document = profile.document();
        let mut made = Self {
            shared: Arc::clone(shared),
            topic,
            subscriber: null_mut(),
            reader: null_mut(),
            notifier: listener.map(|listener| Box::new(Notifier::new(listener))),
            waiter: None,
            inlet: HotCell::new(Inlet::new(api, null_mut(), image)),
            profile: Mutex::new(profile),
        };
        let (library, name) = (LIBRARY.as_ptr(), PROFILE.as_ptr());
        let description = made.topic.description()?;
        let reader = with_document(api, &document, || {
            // SAFETY: the participant is alive; the profile is loaded.
            made.subscriber = object("a subscriber", || unsafe {
                (api.create_subscriber)(shared.raw(), library, name, null(), NO_STATUS)
            })?;
            let (listener, mask) = match &made.notifier {
                Some(notifier) => (&raw const notifier.native, DATA_AVAILABLE),
                None => (null(), NO_STATUS),
            };
            // SAFETY: as above; the listener lives until the reader is deleted.
            object(&format!("reader of {:?}", config.topic), || unsafe {
                let subscriber = made.subscriber;
                (api.create_reader)(subscriber, description, library, name, listener, mask)
            })
        })?;
        // SAFETY: the reader is one of a dynamic type; narrowing gives the same entity.
        made.reader = unsafe { (api.reader_narrow)(reader) };
        made.inlet.get().expect("not shared yet").reader = made.reader;
        if config.wait == Wait::Waitset {
            made.make_waiter()?;
        }
        Ok(made)
    }

    fn make_waiter(&mut self) -> Result<()> {
        let (api, reader) = (self.shared.api, self.reader);
        let condition = |instances| {
            // SAFETY: the reader is alive.
            object("a read condition", || unsafe {
                (api.create_condition)(reader, ANY_STATE, ANY_STATE, instances)
            })
        };
        // SAFETY: no preconditions.
        let waitset = object("a waitset", || unsafe { (api.waitset_new)() })?;
        let mut waiter = Waiter {
            waitset,
            alive: null_mut(),
            gone: null_mut(),
            active: Box::new(Sequence::BLANK),
        };
        // SAFETY: the buffer is larger than the library's sequence.
        unsafe {
            (api.conditions_initialize)(&raw mut *waiter.active);
            // Room for both, so that no wait allocates.
            (api.conditions_set_maximum)(&raw mut *waiter.active, 2);
        }
        let made = (|| {
            waiter.alive = condition(ALIVE)?;
            waiter.gone = condition(NOT_ALIVE)?;
            for condition in [waiter.alive, waiter.gone] {
                // SAFETY: waitset and condition are alive.
                call("a waitset", || unsafe { (api.waitset_attach)(waitset, condition) })?;
            }
            Ok(())
        })();
        // Kept in any case, for `drop` gives back what there is of it.
        self.waiter = Some(HotCell::new(waiter));
        made
    }

    fn status(
        &self,
        get: unsafe extern "C" fn(Object, *mut StatusBuffer) -> i32,
    ) -> Option<StatusBuffer> {
        let mut status = StatusBuffer::BLANK;
        // SAFETY: the reader is alive; the buffer is larger than any status.
        check(unsafe { get(self.reader, &raw mut status) }).ok()?;
        Some(status)
    }

    fn delete_waiter(&self) {
        let api = self.shared.api;
        let Some(mut waiter) = self.waiter.as_ref().and_then(HotCell::get) else { return };
        for condition in [waiter.alive, waiter.gone] {
            if !condition.is_null() {
                // SAFETY: made by `make_waiter`, deleted once.
                unsafe {
                    (api.waitset_detach)(waiter.waitset, condition);
                    (api.delete_condition)(self.reader, condition);
                }
            }
        }
        // SAFETY: as above.
        unsafe {
            (api.waitset_delete)(waiter.waitset);
            (api.conditions_finalize)(&raw mut *waiter.active);
        }
    }
}

impl Drop for RtiReader {
    fn drop(&mut self) {
        let api = self.shared.api;
        if !self.reader.is_null() {
            if self.notifier.is_some() {
                // Returns when a call that is under way has returned (C22).
                // SAFETY: the reader is alive.
                unsafe { (api.reader_set_listener)(self.reader, null(), NO_STATUS) };
            }
            if let Some(mut inlet) = self.inlet.get() {
                inlet.give_back();
            }
            self.delete_waiter();
            // SAFETY: made by `new`, deleted once; nothing is on loan, no condition is left.
            unsafe { (api.delete_reader)(self.subscriber, self.reader) };
        }
        if !self.subscriber.is_null() {
            // SAFETY: made by `new`, deleted once, after its reader.
            unsafe { (api.delete_subscriber)(self.shared.raw(), self.subscriber) };
        }
    }
}

impl Reader for RtiReader {
    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        let mut inlet = self.inlet.get().ok_or(Status::Failed)?;
        match inlet.take(max, sink)? {
            0 => Err(Status::NoData),
            delivered => Ok(delivered),
        }
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        let waiter = self.waiter.as_ref().ok_or(Status::Unsupported)?;
        let mut waiter = waiter.get().ok_or(Status::Failed)?;
        let mut inlet = self.inlet.get().ok_or(Status::Failed)?;
        if inlet.has_next() {
            return Ok(());
        }
        let api = self.shared.api;
        let start = Instant::now();
        let mut left = timeout;
        loop {
            let limit = Time {
                sec: i32::try_from(left.as_secs()).unwrap_or(i32::MAX - 1),
                nanosec: left.subsec_nanos(),
            };
            // SAFETY: waitset and sequence are alive.
            check(unsafe {
                (api.waitset_wait)(waiter.waitset, &raw mut *waiter.active, &raw const limit)
            })?;
            // SAFETY: the condition is alive.
            if unsafe { (api.condition_triggered)(waiter.alive) } != 0 {
                return Ok(());
            }
            // Of a writer that has gone: the last samples, or but a notice.
            inlet.give_back();
            if inlet.borrow(1, NOT_ALIVE)? && inlet.has_next() {
                return Ok(());
            }
            inlet.give_back();
            left = timeout.saturating_sub(start.elapsed());
        }
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        let status = self.status(self.shared.api.reader_matched).ok_or(Status::Failed)?;
        // Total, its change, current.
        Ok(status.count(2))
    }

    fn set_qos(&self, qos: &Qos) -> Result<()> {
        if !Profile::concerns_reader(qos) {
            return Err(Status::Unsupported.error("this QoS is the writer's"));
        }
        let mut profile = self.profile.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = profile.clone();
        changed.change(qos);
        let api = self.shared.api;
        let (library, name) = (LIBRARY.as_ptr(), PROFILE.as_ptr());
        with_document(api, &changed.document(), || {
            if qos.partition.is_some() {
                // SAFETY: the subscriber is alive, the profile is loaded.
                call("changed QoS of a subscriber", || unsafe {
                    (api.subscriber_set_qos)(self.subscriber, library, name)
                })?;
            }
            // SAFETY: as above.
            call("changed QoS of a reader", || unsafe {
                (api.reader_set_qos)(self.reader, library, name)
            })
        })?;
        *profile = changed;
        Ok(())
    }

    fn counters(&self) -> Counters {
        let api = self.shared.api;
        let total = |get| self.status(get).map(|status| u64::from(status.count(0)));
        Counters {
            lost: total(api.reader_lost),
            rejected: total(api.reader_rejected),
            deadline_missed: total(api.reader_deadline),
            ..Counters::default()
        }
    }
}
