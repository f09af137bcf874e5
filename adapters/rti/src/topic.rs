//! Types and topics of a participant. The library has one topic of a name; the endpoints of that name
//! share it.

use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, PoisonError};

use busmark_adapter::{EndpointConfig, Listed, OwnEndpoints, Result, Status};

use crate::errors::{check, made};
use crate::ffi::{Api, NO_STATUS, Object};
use crate::options::Settings;
use crate::profiles::{LIBRARY, PROFILE};
use crate::qos::Side;
use crate::types::Shape;

/// A text for the library.
pub fn text(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Status::Invalid.error(format!("{text:?} has a zero byte")))
}

/// A type that the participant knows.
#[derive(Clone, Copy)]
struct KnownType(Object);

struct Shared {
    topic: Object,
    type_name: &'static str,
    users: usize,
}

#[derive(Default)]
struct State {
    types: HashMap<&'static str, KnownType>,
    topics: HashMap<String, Shared>,
}

/// An endpoint that this participant has made.
pub struct OwnEndpoint {
    /// Writer or reader.
    pub side: Side,
    /// The library's.
    pub endpoint: Object,
    /// Its publisher or subscriber.
    pub group: Object,
    /// The topic's name.
    pub topic: String,
    /// The type's name.
    pub type_name: &'static str,
}

// SAFETY: the library guards its objects by locks.
unsafe impl Send for OwnEndpoint {}

/// A participant of the library with its types and topics.
pub struct Topics {
    /// The library.
    pub api: &'static Api,
    /// The participant that they belong to.
    pub participant: Object,
    /// Settings of the participant.
    pub settings: Settings,
    state: Mutex<State>,
    /// Its endpoints.
    pub own: Arc<OwnEndpoints<OwnEndpoint>>,
}

// SAFETY: the library guards its objects by locks; what is ours is behind one, too.
unsafe impl Send for Topics {}
// SAFETY: as above.
unsafe impl Sync for Topics {}

impl Topics {
    /// None yet.
    pub fn new(api: &'static Api, participant: Object, settings: Settings) -> Arc<Self> {
        let (state, own) = (Mutex::default(), Arc::default());
        Arc::new(Self { api, participant, settings, state, own })
    }

    /// The topic of an endpoint, made if it is not there. The endpoint's profile is loaded.
    pub fn of(self: &Arc<Self>, config: &EndpointConfig) -> Result<TopicUse> {
        let type_name = Shape::new(config).type_name();
        let name = config.topic.as_str();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let KnownType(known_type) = self.known_type(&mut state, type_name)?;
        if let Some(shared) = state.topics.get_mut(name) {
            if shared.type_name != type_name {
                let text = format!(
                    "topic {name:?} has the type {} in this participant, not {type_name}",
                    shared.type_name
                );
                return Err(Status::Invalid.error(text));
            }
            shared.users += 1;
        } else {
            let topic = self.make(name, type_name)?;
            state.topics.insert(name.to_owned(), Shared { topic, type_name, users: 1 });
        }
        let topic = state.topics[name].topic;
        let topics = Arc::clone(self);
        Ok(TopicUse { topics, name: name.to_owned(), topic, known_type, type_name })
    }

    fn known_type(&self, state: &mut State, name: &'static str) -> Result<KnownType> {
        if let Some(known) = state.types.get(name) {
            return Ok(*known);
        }
        let (api, text) = (self.api, text(name)?);
        // SAFETY: the factory finds the type in the participant's document; the support copies it.
        let known = unsafe {
            let code = (api.type_code)((api.factory)(), text.as_ptr());
            let code = made(code, name)?;
            made((api.type_new)(code, api.type_property), name)?
        };
        // SAFETY: both live until the participant ends.
        let code = unsafe { (api.type_register)(known, self.participant, text.as_ptr()) };
        if let Err(error) = check(code, name) {
            // SAFETY: nobody has it.
            unsafe { (api.type_delete)(known) };
            return Err(error);
        }
        state.types.insert(name, KnownType(known));
        Ok(KnownType(known))
    }

    fn make(&self, name: &str, type_name: &str) -> Result<Object> {
        let (name, type_name) = (text(name)?, text(type_name)?);
        // SAFETY: texts are copied, the type is registered, the profile is loaded.
        let topic = unsafe {
            (self.api.topic_new)(
                self.participant,
                name.as_ptr(),
                type_name.as_ptr(),
                LIBRARY.as_ptr(),
                PROFILE.as_ptr(),
                null_mut(),
                NO_STATUS,
            )
        };
        made(topic, &format!("topic {}", name.to_string_lossy()))
    }

    /// What a reader reads: the topic.
    pub fn description(&self, name: &CStr) -> Result<Object> {
        // SAFETY: the text is read during the call.
        let found = unsafe { (self.api.topic_description)(self.participant, name.as_ptr()) };
        made(found, "topic")
    }
}

impl Drop for Topics {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (name, KnownType(known)) in state.types.drain() {
            let Ok(name) = text(name) else { continue };
            // SAFETY: topics of this type are gone with their users.
            unsafe {
                (self.api.type_unregister)(known, self.participant, name.as_ptr());
                (self.api.type_delete)(known);
            }
        }
    }
}

/// The use of a topic by one endpoint; the last one that is dropped deletes it.
pub struct TopicUse {
    /// Where it is from.
    pub topics: Arc<Topics>,
    name: String,
    /// The library's topic.
    pub topic: Object,
    /// The library's support for its type, which makes samples.
    pub known_type: Object,
    type_name: &'static str,
}

// SAFETY: as of `Topics`.
unsafe impl Send for TopicUse {}
// SAFETY: as above.
unsafe impl Sync for TopicUse {}

impl TopicUse {
    /// Lists an endpoint of this topic with the participant's own ones.
    pub fn list(&self, side: Side, endpoint: Object, group: Object) -> Listed<OwnEndpoint> {
        let (topic, type_name) = (self.name.clone(), self.type_name);
        self.topics.own.add(OwnEndpoint { side, endpoint, group, topic, type_name })
    }
}

impl Drop for TopicUse {
    fn drop(&mut self) {
        let mut state = self.topics.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(shared) = state.topics.get_mut(&self.name) else { return };
        shared.users -= 1;
        if shared.users == 0 {
            // SAFETY: its endpoints are gone.
            unsafe { (self.topics.api.topic_delete)(self.topics.participant, shared.topic) };
            state.topics.remove(&self.name);
        }
    }
}
