//! A domain participant: made by RTI Connector, with endpoints made by the library itself.

use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::ptr::null;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use busmark_adapter::{EndpointConfig, Listener, Participant, ParticipantConfig, Result, Status};

use crate::config::Settings;
use crate::error::object;
use crate::factory::{Connector, Texts};
use crate::library;
use crate::native::{Api, NO_STATUS, Object};
use crate::options::OPTIONS;
use crate::qos::Profile;
use crate::reader::RtiReader;
use crate::types::{Shape, register};
use crate::writer::RtiWriter;

/// What the endpoints of a participant share.
pub struct Shared {
    /// The library.
    pub api: &'static Api,
    connector: Connector,
    topics: Mutex<HashMap<CString, SharedTopic>>,
    filters: AtomicU64,
}

/// A topic of several endpoints: the library has one of a name in a participant.
struct SharedTopic {
    raw: Object,
    type_name: &'static CStr,
    users: usize,
}

// SAFETY: a topic is the library's, for any thread; the rest is data.
unsafe impl Send for SharedTopic {}

impl Shared {
    /// The native participant.
    pub fn raw(&self) -> Object {
        self.connector.participant()
    }
}

/// The use of a topic, or of a filter on it.
pub struct Topic {
    shared: Arc<Shared>,
    name: CString,
    raw: Object,
    filter: Option<Object>,
}

impl Topic {
    fn new(shared: &Arc<Shared>, config: &EndpointConfig) -> Result<Self> {
        let shape = Shape::new(config);
        let name = CString::new(config.topic.as_str())
            .map_err(|_| Status::Invalid.error("a zero byte in the topic's name"))?;
        let mut topics = shared.topics.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(topic) = topics.get_mut(&name) {
            if topic.type_name != shape.name {
                let text = format!("topic {:?} has another type in this participant", config.topic);
                return Err(Status::Invalid.error(text));
            }
            topic.users += 1;
            let (shared, raw) = (Arc::clone(shared), topic.raw);
            return Ok(Self { shared, name, raw, filter: None });
        }
        register(shared.api, shared.raw(), shape)?;
        let api = shared.api;
        // SAFETY: the participant is alive; texts live during the call; the QoS is the library's.
        let raw = object(&format!("topic {:?}", config.topic), || unsafe {
            let (name, type_name) = (name.as_ptr(), shape.name.as_ptr());
            let qos = api.topic_qos_default;
            (api.create_topic)(shared.raw(), name, type_name, qos, null(), NO_STATUS)
        })?;
        topics.insert(name.clone(), SharedTopic { raw, type_name: shape.name, users: 1 });
        Ok(Self { shared: Arc::clone(shared), name, raw, filter: None })
    }

    /// For the creation of a writer.
    pub fn raw(&self) -> Object {
        self.raw
    }

    /// Lets only instances below this through to the reader that is made of it.
    fn filter_below(&mut self, instances: u32) -> Result<()> {
        let (api, participant) = (self.shared.api, self.shared.raw());
        let number = self.shared.filters.fetch_add(1, Ordering::Relaxed);
        let name = format!("{} below {instances} #{number}", self.name.to_string_lossy());
        let name = CString::new(name).expect("no zero byte in a number");
        let limit = CString::new(instances.to_string()).expect("digits");
        let limits = Texts::one(api, &limit);
        // SAFETY: participant and topic are alive; texts live during the call.
        let filter = object("the content filter", || unsafe {
            let expression = c"instance < %0".as_ptr();
            (api.create_filtered_topic)(
                participant,
                name.as_ptr(),
                self.raw,
                expression,
                limits.as_ptr(),
            )
        })?;
        self.filter = Some(filter);
        self.name = name;
        Ok(())
    }

    /// For the creation of a reader.
    pub fn description(&self) -> Result<Object> {
        let api = self.shared.api;
        // SAFETY: the participant is alive; the name lives during the call.
        object("the topic's description", || unsafe {
            (api.lookup_topic)(self.shared.raw(), self.name.as_ptr())
        })
    }
}

impl Drop for Topic {
    fn drop(&mut self) {
        let (api, participant) = (self.shared.api, self.shared.raw());
        let mut topics = self.shared.topics.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(filter) = self.filter {
            // SAFETY: its reader has been deleted.
            unsafe { (api.delete_filtered_topic)(participant, filter) };
        }
        let raw = self.raw;
        for topic in topics.values_mut().filter(|topic| topic.raw == raw) {
            topic.users -= 1;
            if topic.users == 0 {
                // SAFETY: nobody uses it any more. Under the lock, so that one of the same name is
                // made after it has gone.
                unsafe { (api.delete_topic)(participant, raw) };
            }
        }
        topics.retain(|_, topic| topic.users > 0);
    }
}

/// A participant in a domain.
pub struct RtiParticipant {
    shared: Arc<Shared>,
    settings: Settings,
}

impl RtiParticipant {
    /// Joins the domain of `config`.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let settings = Settings::new(config)?;
        let api = library::api(config.option(OPTIONS, "library"))?;
        // Also in another copy of this library within the process.
        let own = (&raw const NUMBER).addr();
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("busmark-{}-{own:x}-{number}", std::process::id());
        let connector = Connector::new(api, &settings.document(&name), &name)?;
        let shared = Shared {
            api,
            connector,
            topics: Mutex::new(HashMap::new()),
            filters: AtomicU64::new(0),
        };
        Ok(Self { shared: Arc::new(shared), settings })
    }
}

impl Participant for RtiParticipant {
    type Writer = RtiWriter;
    type Reader = RtiReader;

    fn writer(&self, config: &EndpointConfig) -> Result<RtiWriter> {
        let profile = Profile::new(&self.settings, config)?;
        let topic = Topic::new(&self.shared, config)?;
        RtiWriter::new(&self.shared, topic, config, profile)
    }

    fn reader(&self, config: &EndpointConfig, listener: Option<Listener>) -> Result<RtiReader> {
        let profile = Profile::new(&self.settings, config)?;
        let mut topic = Topic::new(&self.shared, config)?;
        if config.filter_below > 0 {
            topic.filter_below(config.filter_below)?;
        }
        RtiReader::new(&self.shared, topic, config, profile, listener)
    }
}
