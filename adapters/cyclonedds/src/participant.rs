//! A domain participant: makes topics, publishers, subscribers and the endpoints under them.

use std::ffi::{CString, c_void};
use std::ptr::null;
use std::sync::Arc;

use busmark_adapter::{
    EndpointConfig, Listener, MatchClock, Participant, ParticipantConfig, Result, Status,
};
use cyclonedds_rust_sys::{
    dds_create_participant, dds_create_publisher, dds_create_reader, dds_create_subscriber,
    dds_create_topic, dds_create_writer, dds_set_topic_filter_extended, dds_topic_filter,
    dds_topic_filter_function_union, dds_topic_filter_mode_DDS_TOPIC_FILTER_SAMPLE_ARG,
};

use crate::config::{PublishMode, Settings};
use crate::conventions;
use crate::domain::Domain;
use crate::entity::{Entity, error};
use crate::log;
use crate::qos::NativeQos;
use crate::reader::{CycloneReader, Notifier};
use crate::security;
use crate::types::Native;
use crate::writer::{CycloneWriter, MatchWatch};

/// A participant in a domain of this process.
pub struct CycloneParticipant {
    // Deleted before the domain ends.
    entity: Entity,
    _domain: Domain,
    publish_mode: PublishMode,
}

impl CycloneParticipant {
    /// Joins the domain of `config`.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        let settings = Settings::new(config)?;
        let publish_mode = settings.publish_mode;
        let qos = match config.security.as_deref() {
            Some(documents) => security::qos(documents)?,
            None => NativeQos::participant(),
        };
        let domain = Domain::join(settings)?;
        log::take_last();
        // SAFETY: the domain exists, and the QoS lives; NULL stands for no listener.
        let handle = unsafe { dds_create_participant(domain.id(), qos.as_ptr(), null()) };
        let entity = Entity::new(handle, "participant").map_err(log::with_last)?;
        Ok(Self { entity, _domain: domain, publish_mode })
    }

    fn topic(&self, config: &EndpointConfig) -> Result<Entity> {
        let descriptor = conventions::descriptor(config.payload, config.instances > 0)
            .ok_or_else(|| Status::Unsupported.error("compiled without this type"))?;
        let name = CString::new(conventions::topic(&config.topic))
            .map_err(|_| Status::Invalid.error("a zero byte in the topic's name"))?;
        // SAFETY: the descriptor is constant, the name lives during the call.
        let handle = unsafe {
            dds_create_topic(self.entity.raw(), descriptor, name.as_ptr(), null(), null())
        };
        let topic = Entity::new(handle, &format!("topic {:?}", config.topic))?;
        if config.filter_below > 0 {
            filter(&topic, config.filter_below)?;
        }
        Ok(topic)
    }
}

/// Only instances below this pass the topic's readers; each reader has a topic of its own.
fn filter(topic: &Entity, below: u32) -> Result<()> {
    let filter = dds_topic_filter {
        mode: dds_topic_filter_mode_DDS_TOPIC_FILTER_SAMPLE_ARG,
        f: dds_topic_filter_function_union { sample_arg: Some(is_below) },
        arg: below as usize as *mut c_void,
    };
    // SAFETY: the topic is alive and no endpoint uses it yet; the library copies the filter.
    let code = unsafe { dds_set_topic_filter_extended(topic.raw(), &raw const filter) };
    if code < 0 { Err(error(code, "content filter")) } else { Ok(()) }
}

unsafe extern "C" fn is_below(sample: *const c_void, below: *mut c_void) -> bool {
    // SAFETY: the sample is of the topic's type, which has the layout of `Native`.
    let sample = unsafe { &*sample.cast::<Native>() };
    (sample.instance as usize) < below as usize
}

impl Participant for CycloneParticipant {
    type Writer = CycloneWriter;
    type Reader = CycloneReader;

    fn writer(&self, config: &EndpointConfig) -> Result<CycloneWriter> {
        let topic = self.topic(config)?;
        let group = NativeQos::group(&config.qos)?;
        // SAFETY: the participant is alive; the QoS lives during the call.
        let handle = unsafe { dds_create_publisher(self.entity.raw(), group.as_ptr(), null()) };
        let publisher = Entity::new(handle, "publisher")?;
        let qos = NativeQos::writer(&config.qos, self.publish_mode);
        let watch = MatchWatch::new();
        // SAFETY: publisher and topic are alive; the QoS lives during the call, and what the listener
        // points to until the writer has been deleted.
        let handle = unsafe {
            dds_create_writer(publisher.raw(), topic.raw(), qos.as_ptr(), watch.as_ptr())
        };
        let writer = Entity::new(handle, &format!("writer of {:?}", config.topic))?;
        Ok(CycloneWriter::new(config, writer, publisher, topic, watch))
    }

    fn reader(&self, config: &EndpointConfig, listener: Option<Listener>) -> Result<CycloneReader> {
        let topic = self.topic(config)?;
        let group = NativeQos::group(&config.qos)?;
        // SAFETY: the participant is alive; the QoS lives during the call.
        let handle = unsafe { dds_create_subscriber(self.entity.raw(), group.as_ptr(), null()) };
        let subscriber = Entity::new(handle, "subscriber")?;
        let qos = NativeQos::reader(&config.qos, self.publish_mode);
        let matches = Arc::new(MatchClock::default());
        // A transient-local writer of this process delivers its history from within the reader's
        // creation, where on_data must not be called (C20): such a reader gets its listener later.
        let later = config.qos.transient_local == Some(true) && listener.is_some();
        let (first, late) = if later {
            let late = Notifier::new(listener, Arc::clone(&matches));
            (Notifier::new(None, matches), Some(Arc::new(late)))
        } else {
            (Notifier::new(listener, matches), None)
        };
        // SAFETY: subscriber and topic are alive; QoS and listener live during the call, and what the
        // listener points to until the reader has been deleted.
        let handle = unsafe {
            dds_create_reader(subscriber.raw(), topic.raw(), qos.as_ptr(), first.as_ptr())
        };
        let reader = Entity::new(handle, &format!("reader of {:?}", config.topic))?;
        CycloneReader::new(config, reader, [subscriber, topic], Arc::new(first), late)
    }

    fn entities(&self) -> Result<Vec<busmark_adapter::Entity>> {
        crate::entities::list(self.entity.raw())
    }
}
