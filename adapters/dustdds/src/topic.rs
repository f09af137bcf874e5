//! Topics of a participant. The crate has one of a name; the endpoints of that name share it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use busmark_adapter::{Result, Status};
use dust_dds::domain::domain_participant::DomainParticipant;
use dust_dds::infrastructure::listener::NO_LISTENER;
use dust_dds::infrastructure::qos::QosKind;
use dust_dds::infrastructure::status::NO_STATUS;
use dust_dds::topic_definition::topic::Topic;

use crate::errors::error;
use crate::types::Sample;

struct Shared {
    topic: Topic,
    type_name: &'static str,
    users: usize,
}

/// A participant of the crate with its topics.
pub struct Topics {
    /// The participant that they belong to.
    pub participant: DomainParticipant,
    by_name: Mutex<HashMap<String, Shared>>,
}

impl Topics {
    /// None yet.
    pub fn new(participant: DomainParticipant) -> Arc<Self> {
        Arc::new(Self { participant, by_name: Mutex::default() })
    }

    /// The topic of this name, made if it is not there.
    pub fn of<T: Sample>(self: &Arc<Self>, name: &str) -> Result<TopicUse> {
        let mut topics = self.by_name.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shared) = topics.get_mut(name) {
            if shared.type_name != T::NAME {
                let text = format!(
                    "topic {name:?} has the type {} in this participant, not {}",
                    shared.type_name,
                    T::NAME
                );
                return Err(Status::Invalid.error(text));
            }
            shared.users += 1;
        } else {
            let topic = self
                .participant
                .create_topic::<T>(name, T::NAME, QosKind::Default, NO_LISTENER, NO_STATUS)
                .map_err(|e| error(&e, &format!("topic {name:?}")))?;
            topics.insert(name.to_owned(), Shared { topic, type_name: T::NAME, users: 1 });
        }
        let topic = topics[name].topic.clone();
        Ok(TopicUse { topics: Arc::clone(self), name: name.to_owned(), topic })
    }
}

/// The use of a topic by one endpoint; the last one that is dropped deletes it.
pub struct TopicUse {
    topics: Arc<Topics>,
    name: String,
    /// The crate's topic.
    pub topic: Topic,
}

impl TopicUse {
    /// The participant that it belongs to.
    pub fn participant(&self) -> &DomainParticipant {
        &self.topics.participant
    }
}

impl Drop for TopicUse {
    fn drop(&mut self) {
        let mut topics = self.topics.by_name.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(shared) = topics.get_mut(&self.name) else { return };
        shared.users -= 1;
        if shared.users == 0 {
            topics.remove(&self.name);
            let _ = self.topics.participant.delete_topic(&self.topic);
        }
    }
}
