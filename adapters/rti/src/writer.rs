//! A data writer.

use std::ptr::null_mut;
use std::sync::{Arc, Mutex, PoisonError};

use busmark_adapter::{Counters, EndpointConfig, Header, Listed, Qos, Result, Status, Writer};

use crate::errors::{check, made, status};
use crate::ffi::{Api, InstanceHandle, NO_STATUS, Object, StatusRoom};
use crate::profiles::{self, LIBRARY, PROFILE};
use crate::qos::{self, Side};
use crate::sample::Prepared;
use crate::topic::{OwnEndpoint, TopicUse, Topics};
use crate::types::Shape;

/// A writer with the publisher and the topic that were made for it.
pub struct RtiWriter {
    api: &'static Api,
    writer: Object,
    /// The same as what samples are written with.
    narrowed: Object,
    publisher: Object,
    topic: TopicUse,
    instances: Vec<InstanceHandle>,
    config: EndpointConfig,
    qos: Mutex<Qos>,
    listed: Option<Listed<OwnEndpoint>>,
}

// SAFETY: the library guards its objects by locks.
unsafe impl Send for RtiWriter {}
// SAFETY: as above.
unsafe impl Sync for RtiWriter {}

impl RtiWriter {
    /// For the endpoint.
    pub fn new(topics: &Arc<Topics>, config: &EndpointConfig) -> Result<Self> {
        qos::check(&topics.settings, &config.qos)?;
        let document = qos::document(&topics.settings, config, &config.qos, Side::Writer);
        let mut made = profiles::with(topics.api, &document, || Self::make(topics, config))?;
        made.register_instances()?;
        Ok(made)
    }

    fn make(topics: &Arc<Topics>, config: &EndpointConfig) -> Result<Self> {
        let api = topics.api;
        let mut new = Self {
            api,
            writer: null_mut(),
            narrowed: null_mut(),
            publisher: null_mut(),
            topic: topics.of(config)?,
            instances: Vec::new(),
            config: config.clone(),
            qos: Mutex::new(config.qos.clone()),
            listed: None,
        };
        let (library, profile) = (LIBRARY.as_ptr(), PROFILE.as_ptr());
        let none = null_mut();
        // SAFETY: the participant and the topic are alive, the profile is loaded.
        unsafe {
            let publisher =
                (api.publisher_new)(topics.participant, library, profile, none, NO_STATUS);
            new.publisher = made(publisher, "publisher")?;
            let topic = new.topic.topic;
            let writer =
                (api.writer_new)(publisher, topic, library, profile, null_mut(), NO_STATUS);
            new.writer = made(writer, &format!("writer of {:?}", config.topic))?;
            new.narrowed = made((api.writer_narrow)(writer), "writer of its type")?;
        }
        new.listed = Some(new.topic.list(Side::Writer, new.writer, new.publisher));
        Ok(new)
    }

    fn register_instances(&mut self) -> Result<()> {
        if self.config.instances == 0 {
            return Ok(());
        }
        let mut sample = self.prepare(&[])?;
        for instance in 0..self.config.instances {
            let unsent = Header::default();
            sample.set(&unsent, instance).map_err(|status| status.error("a sample's instance"))?;
            // SAFETY: writer and sample are alive.
            let handle = unsafe { (self.api.register_instance)(self.narrowed, sample.data) };
            if !handle.is_valid() {
                let text = format!("instance {instance} of {:?}", self.config.topic);
                return Err(crate::errors::error(Status::Resources, &text));
            }
            self.instances.push(handle);
        }
        Ok(())
    }

    fn counts(
        &self,
        ask: unsafe extern "C" fn(Object, *mut StatusRoom) -> i32,
    ) -> std::result::Result<StatusRoom, Status> {
        let mut room = StatusRoom::new();
        // SAFETY: the writer is alive, and there is room for the status.
        status(unsafe { ask(self.writer, &raw mut room) })?;
        Ok(room)
    }
}

impl Drop for RtiWriter {
    fn drop(&mut self) {
        self.listed = None;
        // SAFETY: what was made is deleted once; samples are gone.
        unsafe {
            if !self.writer.is_null() {
                (self.api.writer_delete)(self.publisher, self.writer);
            }
            if !self.publisher.is_null() {
                (self.api.publisher_delete)(self.topic.topics.participant, self.publisher);
            }
        }
    }
}

impl Writer for RtiWriter {
    type Sample = Prepared;

    fn prepare(&self, body: &[u8]) -> Result<Prepared> {
        Prepared::new(self.api, self.topic.known_type, Shape::new(&self.config), body)
    }

    #[inline]
    fn write(&self, sample: &mut Prepared, header: &Header) -> std::result::Result<(), Status> {
        let mut handle = self.api.no_instance.cast_const().cast();
        let mut instance = 0;
        if !self.instances.is_empty() {
            instance = header.seq % self.instances.len() as u64;
            handle = &raw const self.instances[instance as usize];
        }
        sample.set(header, instance as u32)?;
        // SAFETY: writer, sample and handle are alive.
        status(unsafe { (self.api.write)(self.narrowed, sample.data, handle) })
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        let status = self.counts(self.api.writer_matched)?;
        Ok(status.counts.current_count.max(0) as u32)
    }

    fn set_qos(&self, change: &Qos) -> Result<()> {
        let mut current = self.qos.lock().unwrap_or_else(PoisonError::into_inner);
        let next = qos::changed(&current, change, Side::Writer)?;
        let settings = &self.topic.topics.settings;
        let document = qos::document(settings, &self.config, &next, Side::Writer);
        let (api, library, profile) = (self.api, LIBRARY.as_ptr(), PROFILE.as_ptr());
        profiles::with(api, &document, || {
            // SAFETY: both objects are alive, the profile is loaded.
            unsafe {
                let code = (api.publisher_set_qos)(self.publisher, library, profile);
                check(code, "QoS of the publisher")?;
                check((api.writer_set_qos)(self.writer, library, profile), "QoS of the writer")
            }
        })?;
        *current = next;
        Ok(())
    }

    fn counters(&self) -> Counters {
        let missed = self.counts(self.api.writer_deadline_missed);
        Counters {
            deadline_missed: missed.ok().map(|status| status.counts.total_count.max(0) as u64),
            ..Counters::default()
        }
    }
}
