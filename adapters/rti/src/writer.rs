//! A data writer.

use std::ptr::{from_ref, null};
use std::sync::{Arc, Mutex, PoisonError};

use busmark_adapter::{Counters, EndpointConfig, Header, Payload, Qos, Result, Status, Writer};

use crate::error::{call, check, failure, object};
use crate::factory::with_document;
use crate::native::{InstanceHandle, NO_STATUS, Object, StatusBuffer};
use crate::participant::{Shared, Topic};
use crate::qos::{LIBRARY, PROFILE, Profile};
use crate::types::{Sample, Shape};

/// A writer with the publisher and the topic that were made for it.
pub struct RtiWriter {
    shared: Arc<Shared>,
    topic: Topic,
    publisher: Object,
    writer: Object,
    shape: Shape,
    payload: Payload,
    max_body_bytes: u64,
    // Registered instances; none: the type has no key.
    instances: Box<[InstanceHandle]>,
    profile: Mutex<Profile>,
}

// SAFETY: endpoints of the library may be used from any thread; the sample of the hot path is the
// caller's.
unsafe impl Send for RtiWriter {}
// SAFETY: as above.
unsafe impl Sync for RtiWriter {}

impl RtiWriter {
    pub(crate) fn new(
        shared: &Arc<Shared>,
        topic: Topic,
        config: &EndpointConfig,
        profile: Profile,
    ) -> Result<Self> {
        let api = shared.api;
        let (library, name) = (LIBRARY.as_ptr(), PROFILE.as_ptr());
        let document = profile.document();
        let mut made = Self {
            shared: Arc::clone(shared),
            publisher: std::ptr::null_mut(),
            writer: std::ptr::null_mut(),
            shape: Shape::new(config),
            payload: config.payload,
            max_body_bytes: config.max_body_bytes,
            instances: Box::default(),
            profile: Mutex::new(profile),
            topic,
        };
        let writer = with_document(api, &document, || {
            // SAFETY: the participant is alive; the profile is loaded.
            made.publisher = object("a publisher", || unsafe {
                (api.create_publisher)(shared.raw(), library, name, null(), NO_STATUS)
            })?;
            // SAFETY: as above; publisher and topic are alive.
            object(&format!("writer of {:?}", config.topic), || unsafe {
                let topic = made.topic.raw();
                (api.create_writer)(made.publisher, topic, library, name, null(), NO_STATUS)
            })
        })?;
        // SAFETY: the writer is one of a dynamic type; narrowing gives the same entity.
        made.writer = unsafe { (api.writer_narrow)(writer) };
        made.register(config.instances)?;
        Ok(made)
    }

    /// Registers the instances of a keyed topic, so that `write` need not look them up (C27).
    fn register(&mut self, instances: u32) -> Result<()> {
        if instances == 0 {
            return Ok(());
        }
        let api = self.shared.api;
        let mut sample = Sample::new(api, self.shape, &[])?;
        let mut register = |instance| {
            let what = "registration of an instance";
            sample.set_instance(instance).map_err(|status| failure(status, what))?;
            // SAFETY: the writer is alive, the sample is of its type.
            let handle = unsafe { (api.writer_register_instance)(self.writer, sample.data()) };
            if handle.is_valid() { Ok(handle) } else { Err(failure(Status::Resources, what)) }
        };
        self.instances = (0..instances).map(&mut register).collect::<Result<_>>()?;
        Ok(())
    }

    fn status(
        &self,
        get: unsafe extern "C" fn(Object, *mut StatusBuffer) -> i32,
    ) -> Option<StatusBuffer> {
        let mut status = StatusBuffer::BLANK;
        // SAFETY: the writer is alive; the buffer is larger than any status.
        check(unsafe { get(self.writer, &raw mut status) }).ok()?;
        Some(status)
    }
}

impl Drop for RtiWriter {
    fn drop(&mut self) {
        let api = self.shared.api;
        // SAFETY: made by `new`, deleted once, the writer before its publisher.
        unsafe {
            if !self.writer.is_null() {
                (api.delete_writer)(self.publisher, self.writer);
            }
            if !self.publisher.is_null() {
                (api.delete_publisher)(self.shared.raw(), self.publisher);
            }
        }
    }
}

impl Writer for RtiWriter {
    type Sample = Sample;

    fn prepare(&self, body: &[u8]) -> Result<Sample> {
        if body.len() as u64 > self.max_body_bytes {
            let text = format!(
                "a body of {} bytes for a writer of at most {}",
                body.len(),
                self.max_body_bytes
            );
            return Err(Status::Invalid.error(text));
        }
        if self.payload == Payload::Empty && !body.is_empty() {
            return Err(Status::Invalid.error("the payload kind empty has no body"));
        }
        Sample::new(self.shared.api, self.shape, body)
    }

    #[inline]
    fn write(&self, sample: &mut Sample, header: &Header) -> std::result::Result<(), Status> {
        let api = self.shared.api;
        let handle = if self.instances.is_empty() {
            api.handle_nil.cast()
        } else {
            let instance = header.seq % self.instances.len() as u64;
            sample.set_instance(instance as u32)?;
            from_ref(&self.instances[instance as usize])
        };
        sample.stamp(header)?;
        // SAFETY: the writer is alive, the sample is of its type; the library copies it.
        check(unsafe { (api.writer_write)(self.writer, sample.data(), handle) })
    }

    fn flush(&self) -> std::result::Result<(), Status> {
        // SAFETY: the writer is alive.
        check(unsafe { (self.shared.api.writer_flush)(self.writer) })
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        let status = self.status(self.shared.api.writer_matched).ok_or(Status::Failed)?;
        // Total, its change, current.
        Ok(status.count(2))
    }

    fn set_qos(&self, qos: &Qos) -> Result<()> {
        if !Profile::concerns_writer(qos) {
            return Err(Status::Unsupported.error("this QoS is the reader's"));
        }
        let mut profile = self.profile.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = profile.clone();
        changed.change(qos);
        let api = self.shared.api;
        let (library, name) = (LIBRARY.as_ptr(), PROFILE.as_ptr());
        with_document(api, &changed.document(), || {
            if qos.partition.is_some() {
                // SAFETY: the publisher is alive, the profile is loaded.
                call("changed QoS of a publisher", || unsafe {
                    (api.publisher_set_qos)(self.publisher, library, name)
                })?;
            }
            // SAFETY: as above.
            call("changed QoS of a writer", || unsafe {
                (api.writer_set_qos)(self.writer, library, name)
            })
        })?;
        *profile = changed;
        Ok(())
    }

    fn counters(&self) -> Counters {
        let api = self.shared.api;
        Counters {
            deadline_missed: self.status(api.writer_deadline).map(|s| u64::from(s.count(0))),
            // Of four figures each: pushed, filtered, heartbeats sent, pulled (by a reader's request).
            retransmitted: self.status(api.writer_protocol).map(|s| s.long_count(12)),
            ..Counters::default()
        }
    }
}
