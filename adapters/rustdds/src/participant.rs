//! A domain participant, and the endpoints that are made with it.

use std::sync::Arc;
use std::time::Duration;

use busmark_adapter::{
    EndpointConfig, Entity, EntityKind, Listed, Listener, OwnEndpoints, Participant,
    ParticipantConfig, Payload, Result, Status,
};
use rustdds::{DomainParticipant, GUID, Publisher, QosPolicies, Subscriber, Topic, TopicKind};

use crate::endpoints::{NoKey, Simple, WithKey};
use crate::entities;
use crate::errors::create_error;
use crate::matches::Matches;
use crate::options;
use crate::reader::{Reading, RustReader, TypedReader};
use crate::types::{
    AnySample, ByteSample, ElementSample, EmptySample, KeyedSample, StructElement, type_name,
};
use crate::writer::{RustWriter, TypedWriter};

/// Participants of a domain that are announced to on loopback, where there is no multicast.
const FOUND_WITHOUT_MULTICAST: u16 = 12;

/// The crate's participant with its one publisher and its one subscriber.
pub struct RustParticipant {
    /// `None` only while it is dropped.
    joined: Option<Joined>,
    /// Its endpoints, as others see them.
    own: Arc<OwnEndpoints<Entity>>,
    /// Publisher of all writers.
    pub publisher: Publisher,
    /// Subscriber of all readers.
    pub subscriber: Subscriber,
    /// Send window of a reliable writer, if the crate's own is not wanted.
    pub send_window: Option<i32>,
}

/// What keeps the crate's participant going.
struct Joined {
    participant: DomainParticipant,
    matches: Arc<Matches>,
}

impl RustParticipant {
    /// Joins the domain of `config`.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        let send_window = options::send_window(config)?;
        let interface = options::interface(config)?;
        let participant = options::participant(config, &interface)?
            .build()
            .map_err(|e| create_error(&e, &format!("participant in domain {}", config.domain)))?;
        let none = QosPolicies::qos_none();
        let publisher = participant.create_publisher(&none);
        let subscriber = participant.create_subscriber(&none);
        let matches = Arc::new(Matches::of(&participant, interface.multicast));
        let here = Self {
            publisher: publisher.map_err(|e| create_error(&e, "publisher"))?,
            subscriber: subscriber.map_err(|e| create_error(&e, "subscriber"))?,
            send_window,
            own: Arc::default(),
            joined: Some(Joined { participant, matches }),
        };
        if !interface.multicast {
            here.can_be_found(config)?;
        }
        Ok(here)
    }

    fn joined(&self) -> Result<&Joined> {
        self.joined.as_ref().ok_or_else(|| Status::Failed.error("the participant is gone"))
    }

    /// The matches of all endpoints.
    pub fn matches(&self) -> Result<Arc<Matches>> {
        Ok(Arc::clone(&self.joined()?.matches))
    }

    /// Lists an endpoint with the participant's own ones.
    pub fn list(
        &self,
        kind: EntityKind,
        key: GUID,
        config: &EndpointConfig,
        qos: &QosPolicies,
    ) -> Listed<Entity> {
        let type_name = type_name(config.payload, config.instances > 0);
        self.own.add(entities::own(kind, key, &config.topic, type_name, qos))
    }

    /// Fails where others would wait in vain for this one, which has no multicast.
    fn can_be_found(&self, config: &ParticipantConfig) -> Result<()> {
        let id = self.joined()?.participant.participant_id();
        if id < FOUND_WITHOUT_MULTICAST {
            return Ok(());
        }
        let text = format!(
            "RustDDS announces to {FOUND_WITHOUT_MULTICAST} participants of a domain where there is no \
             multicast, and domain {} has as many: use another, or `ip link set {} multicast on`",
            config.domain, config.interface_name
        );
        Err(Status::Resources.error(text))
    }

    /// The topic of an endpoint.
    pub fn topic(&self, config: &EndpointConfig, kind: TopicKind) -> Result<Topic> {
        let type_name = type_name(config.payload, config.instances > 0).to_owned();
        self.joined()?
            .participant
            .create_topic(config.topic.clone(), type_name, &QosPolicies::qos_none(), kind)
            .map_err(|e| create_error(&e, &format!("topic {:?}", config.topic)))
    }
}

/// Most waits for the crate's discovery thread, of a millisecond each.
const PATIENCE: u32 = 5000;

impl Drop for RustParticipant {
    fn drop(&mut self) {
        // Now and then the crate's discovery thread holds the participant, too. Were it the last that lets
        // go, it would have to wait for its own end: it panics, and nobody is told the farewell. While it
        // holds the participant the publisher still finds it, and lets it be held again until then.
        let Some(Joined { mut participant, matches }) = self.joined.take() else { return };
        drop(matches);
        for _ in 0..PATIENCE {
            drop(participant);
            match self.publisher.participant() {
                Some(held) => participant = held,
                None => return,
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// `$what::<TYPE, …>::new($here, $config)` for the type of the endpoint, boxed; `$no_key` unless keyed.
macro_rules! typed {
    ($what:ident, $no_key:ty, $here:ident, $config:ident) => {
        match $config.payload {
            _ if $config.instances > 0 => {
                Box::new($what::<KeyedSample, WithKey>::new($here, $config)?)
            }
            Payload::Empty => Box::new($what::<EmptySample, $no_key>::new($here, $config)?),
            Payload::Octet | Payload::Char => {
                Box::new($what::<ByteSample, $no_key>::new($here, $config)?)
            }
            Payload::Short => Box::new($what::<ElementSample<i16>, $no_key>::new($here, $config)?),
            Payload::Float => Box::new($what::<ElementSample<f32>, $no_key>::new($here, $config)?),
            Payload::Long => Box::new($what::<ElementSample<i32>, $no_key>::new($here, $config)?),
            Payload::Struct => {
                Box::new($what::<ElementSample<StructElement>, $no_key>::new($here, $config)?)
            }
            Payload::Any => Box::new($what::<AnySample, $no_key>::new($here, $config)?),
            // Refused before, for it is not declared.
            Payload::Type => return Err(Status::Unsupported.error("no user's type")),
        }
    };
}

impl Participant for RustParticipant {
    type Writer = RustWriter;
    type Reader = RustReader;

    fn writer(&self, config: &EndpointConfig) -> Result<RustWriter> {
        Ok(RustWriter(typed!(TypedWriter, NoKey, self, config)))
    }

    fn reader(&self, config: &EndpointConfig, _: Option<Listener>) -> Result<RustReader> {
        let reading: Box<dyn Reading> = if config.qos.keep_all == Some(true) {
            typed!(TypedReader, Simple, self, config)
        } else {
            typed!(TypedReader, NoKey, self, config)
        };
        Ok(RustReader(reading))
    }

    fn entities(&self) -> Result<Vec<Entity>> {
        let joined = self.joined()?;
        Ok(entities::list(&joined.participant, &joined.matches, &self.own))
    }
}
