//! A data reader: listener, waitset or polling.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use busmark_adapter::{
    Counters, EndpointConfig, HotCell, Listed, Listener, Qos, Reader, Result, Sink, Status, Wait,
};

use crate::errors::{check, made, status};
use crate::ffi::{Api, DATA_AVAILABLE, DataReaderListener, NO_STATUS, Object, StatusRoom};
use crate::profiles::{self, LIBRARY, PROFILE};
use crate::qos::{self, Side};
use crate::sequence::Sequence;
use crate::taking::Taking;
use crate::topic::{OwnEndpoint, TopicUse, Topics, text};
use crate::waiting::Waiting;

/// Filtered topics so far, for their names.
static FILTERS: AtomicU32 = AtomicU32::new(0);

/// A reader with what was made for it.
pub struct RtiReader {
    api: &'static Api,
    reader: Object,
    subscriber: Object,
    filtered: Object,
    waiting: Option<Waiting>,
    taking: HotCell<Taking>,
    topic: TopicUse,
    config: EndpointConfig,
    qos: Mutex<Qos>,
    listed: Option<Listed<OwnEndpoint>>,
    /// The library's listener points to it; it goes after the reader.
    listener: Option<Box<Listener>>,
}

// SAFETY: the library guards its objects by locks.
unsafe impl Send for RtiReader {}
// SAFETY: as above.
unsafe impl Sync for RtiReader {}

unsafe extern "C" fn on_data_available(data: *mut c_void, _reader: Object) {
    // SAFETY: the listener outlives the reader, which has ended its callbacks when it is deleted.
    unsafe { &*data.cast::<Listener>() }.notify();
}

impl RtiReader {
    /// For the endpoint.
    pub fn new(
        topics: &Arc<Topics>,
        config: &EndpointConfig,
        listener: Option<Listener>,
    ) -> Result<Self> {
        qos::check(&topics.settings, &config.qos)?;
        let document = qos::document(&topics.settings, config, &config.qos, Side::Reader);
        profiles::with(topics.api, &document, || Self::make(topics, config, listener))
    }

    fn make(
        topics: &Arc<Topics>,
        config: &EndpointConfig,
        listener: Option<Listener>,
    ) -> Result<Self> {
        let api = topics.api;
        let mut new = Self {
            api,
            reader: null_mut(),
            subscriber: null_mut(),
            filtered: null_mut(),
            waiting: None,
            taking: HotCell::new(Taking::new(api, config)),
            topic: topics.of(config)?,
            config: config.clone(),
            qos: Mutex::new(config.qos.clone()),
            listed: None,
            listener: listener.map(Box::new),
        };
        let description = new.description()?;
        let (library, profile) = (LIBRARY.as_ptr(), PROFILE.as_ptr());
        let native = new.listener.as_ref().map(|listener| {
            let listener: *const Listener = &raw const **listener;
            DataReaderListener::new(listener.cast_mut().cast(), on_data_available)
        });
        let (native, mask) = native
            .as_ref()
            .map_or((null(), NO_STATUS), |native| (std::ptr::from_ref(native), DATA_AVAILABLE));
        // SAFETY: the participant and the topic are alive, the profile is loaded, the listener's
        // structure is copied.
        unsafe {
            let subscriber =
                (api.subscriber_new)(topics.participant, library, profile, null_mut(), NO_STATUS);
            new.subscriber = made(subscriber, "subscriber")?;
            let reader = (api.reader_new)(subscriber, description, library, profile, native, mask);
            new.reader = made(reader, &format!("reader of {:?}", config.topic))?;
            let narrowed = made((api.reader_narrow)(reader), "reader of its type")?;
            if let Some(mut taking) = new.taking.get() {
                taking.reader = narrowed;
            }
        }
        new.listed = Some(new.topic.list(Side::Reader, new.reader, new.subscriber));
        if config.wait == Wait::Waitset {
            new.waiting = Some(Waiting::new(api, new.reader)?);
        }
        Ok(new)
    }

    /// What it reads: the topic, or some of its instances (C28).
    fn description(&mut self) -> Result<Object> {
        if self.config.filter_below == 0 {
            return self.topic.topics.description(&text(&self.config.topic)?);
        }
        let number = FILTERS.fetch_add(1, Ordering::Relaxed);
        let name = text(&format!("{}-filter-{number}", self.config.topic))?;
        let expression = text(&format!("instance < {}", self.config.filter_below))?;
        let mut parameters = Sequence::of_texts(self.api);
        // SAFETY: participant and topic are alive; texts are copied.
        let filtered = unsafe {
            (self.api.filtered_topic_new)(
                self.topic.topics.participant,
                name.as_ptr(),
                self.topic.topic,
                expression.as_ptr(),
                parameters.raw().cast(),
            )
        };
        self.filtered = made(filtered, "content filter")?;
        self.topic.topics.description(&name)
    }

    fn counts(
        &self,
        ask: unsafe extern "C" fn(Object, *mut StatusRoom) -> i32,
    ) -> std::result::Result<StatusRoom, Status> {
        let mut room = StatusRoom::new();
        // SAFETY: the reader is alive, and there is room for the status.
        status(unsafe { ask(self.reader, &raw mut room) })?;
        Ok(room)
    }

    fn total(&self, ask: unsafe extern "C" fn(Object, *mut StatusRoom) -> i32) -> Option<u64> {
        self.counts(ask).ok().map(|status| status.counts.total_count.max(0) as u64)
    }
}

impl Drop for RtiReader {
    fn drop(&mut self) {
        self.listed = None;
        self.waiting = None;
        let participant = self.topic.topics.participant;
        // SAFETY: what was made is deleted once, in reverse order.
        unsafe {
            if !self.reader.is_null() {
                (self.api.reader_delete)(self.subscriber, self.reader);
            }
            if !self.subscriber.is_null() {
                (self.api.subscriber_delete)(participant, self.subscriber);
            }
            if !self.filtered.is_null() {
                (self.api.filtered_topic_delete)(participant, self.filtered);
            }
        }
    }
}

impl Reader for RtiReader {
    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        self.taking.get().ok_or(Status::Invalid)?.take(max, sink)
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        self.waiting.as_ref().ok_or(Status::Unsupported)?.wait(timeout)
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        let status = self.counts(self.api.reader_matched)?;
        Ok(status.counts.current_count.max(0) as u32)
    }

    fn set_qos(&self, change: &Qos) -> Result<()> {
        let mut current = self.qos.lock().unwrap_or_else(PoisonError::into_inner);
        let next = qos::changed(&current, change, Side::Reader)?;
        let settings = &self.topic.topics.settings;
        let document = qos::document(settings, &self.config, &next, Side::Reader);
        let (api, library, profile) = (self.api, LIBRARY.as_ptr(), PROFILE.as_ptr());
        profiles::with(api, &document, || {
            // SAFETY: both objects are alive, the profile is loaded.
            unsafe {
                let code = (api.subscriber_set_qos)(self.subscriber, library, profile);
                check(code, "QoS of the subscriber")?;
                check((api.reader_set_qos)(self.reader, library, profile), "QoS of the reader")
            }
        })?;
        *current = next;
        Ok(())
    }

    fn counters(&self) -> Counters {
        Counters {
            lost: self.total(self.api.reader_lost),
            rejected: self.total(self.api.reader_rejected),
            deadline_missed: self.total(self.api.reader_deadline_missed),
            ..Counters::default()
        }
    }
}
