//! Topics of a participant. The crate has one of a name; the endpoints of that name share it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use busmark_adapter::{EndpointConfig, Result, Status};
use dust_dds::domain::domain_participant::DomainParticipant;
use dust_dds::infrastructure::listener::NO_LISTENER;
use dust_dds::infrastructure::qos::QosKind;
use dust_dds::infrastructure::status::NO_STATUS;
use dust_dds::topic_definition::topic::Topic;

use crate::errors::error;
use crate::runtime::Health;
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
    /// Whether it still answers.
    pub health: Health,
    /// Largest body that the crate can put together from fragments.
    pub largest_body: u64,
    by_name: Mutex<HashMap<String, Shared>>,
}

impl Topics {
    /// None yet.
    pub fn new(participant: DomainParticipant, health: Health, largest_body: u64) -> Arc<Self> {
        Arc::new(Self { participant, health, largest_body, by_name: Mutex::default() })
    }

    /// The participant, if it still answers.
    pub fn living(&self) -> Result<&DomainParticipant> {
        let lost = "Dust DDS has panicked; this participant is lost";
        self.health.check().map_err(|status| status.error(lost))?;
        Ok(&self.participant)
    }

    /// The topic of this name, made if it is not there.
    pub fn of<T: Sample>(self: &Arc<Self>, config: &EndpointConfig) -> Result<TopicUse> {
        self.living()?;
        if config.max_body_bytes > self.largest_body {
            let text = format!(
                "Dust DDS puts samples together from at most 256 fragments, here {} bytes of body; {} \
                 were asked for: raise the option fragment_size",
                self.largest_body, config.max_body_bytes
            );
            return Err(Status::Invalid.error(text));
        }
        let name = config.topic.as_str();
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
    /// The participant that it belongs to, if it still answers.
    pub fn living_participant(&self) -> Option<&DomainParticipant> {
        self.topics.health.check().ok().map(|()| &self.topics.participant)
    }

    /// Whether the participant still answers. Hot.
    #[inline]
    pub fn check(&self) -> std::result::Result<(), Status> {
        self.topics.health.check()
    }
}

impl Drop for TopicUse {
    fn drop(&mut self) {
        let mut topics = self.topics.by_name.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(shared) = topics.get_mut(&self.name) else { return };
        shared.users -= 1;
        if shared.users == 0 {
            topics.remove(&self.name);
            if let Some(participant) = self.living_participant() {
                let _ = participant.delete_topic(&self.topic);
            }
        }
    }
}
