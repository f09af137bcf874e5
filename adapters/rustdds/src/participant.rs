//! A domain participant: makes topics, publishers, subscribers and the endpoints under them.
//!
//! On an interface without multicast the crate announces a participant to twelve ports of its host, so
//! that no more than twelve find each other. From the ninth on, the participants of a process share the
//! crate's, which leaves some for other processes.

use std::sync::{Mutex, PoisonError};

use busmark_adapter::{
    EndpointConfig, Listener, Participant, ParticipantConfig, Payload, Result, Status,
};
use rustdds::{DomainParticipant, GUID, RTPSEntity, Topic, TopicKind};

use crate::errors::create_error;
use crate::options::Settings;
use crate::qos;
use crate::reader::{Keyed as KeyedReader, Plain as PlainReader, RustReader, TypedReader};
use crate::types::{
    AnySample, CharSample, EmptySample, FloatSample, KeyedSample, LongSample, OctetSample, Sample,
    ShortSample, StructSample,
};
use crate::writer::{Keyed as KeyedWriter, Plain as PlainWriter, RustWriter, TypedWriter};

/// The crate's participants of this process, with the number of their users.
static ALL: Mutex<Vec<Shared>> = Mutex::new(Vec::new());

/// Most of the crate's participants of one process and configuration.
const MOST: usize = 8;

struct Shared {
    settings: Settings,
    participant: DomainParticipant,
    users: usize,
}

/// A participant in a domain.
pub struct RustParticipant {
    // Taken out before the last user gives the shared one up, which then ends.
    participant: Option<DomainParticipant>,
    guid: GUID,
}

impl RustParticipant {
    /// Joins the domain of `config`.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        let settings = Settings::new(config)?;
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        let same = || all.iter().enumerate().filter(|(_, shared)| shared.settings == settings);
        let at = if same().count() < MOST {
            let participant =
                settings.builder().build().map_err(|e| create_error(&e, "participant"))?;
            all.push(Shared { settings, participant, users: 0 });
            all.len() - 1
        } else {
            // The first of those with the fewest users: what was made one after the other stays apart.
            same().min_by_key(|(_, shared)| shared.users).map_or(0, |(at, _)| at)
        };
        all[at].users += 1;
        let participant = all[at].participant.clone();
        Ok(Self { guid: participant.guid(), participant: Some(participant) })
    }

    fn native(&self) -> Result<&DomainParticipant> {
        self.participant.as_ref().ok_or_else(|| Status::Failed.error("the participant is gone"))
    }

    fn topic<T: Sample>(&self, config: &EndpointConfig) -> Result<Topic> {
        let kind = if config.instances > 0 { TopicKind::WithKey } else { TopicKind::NoKey };
        self.native()?
            .create_topic(config.topic.clone(), T::NAME.to_owned(), &qos::none(), kind)
            .map_err(|e| create_error(&e, &format!("topic {:?}", config.topic)))
    }

    fn writer_of<T: Sample>(&self, config: &EndpointConfig) -> Result<RustWriter> {
        let topic = self.topic::<T>(config)?;
        let publisher = self
            .native()?
            .create_publisher(&qos::none())
            .map_err(|e| create_error(&e, "publisher"))?;
        let writer = publisher
            .create_datawriter_no_key_cdr::<T>(&topic, Some(qos::writer(&config.qos)))
            .map_err(|e| create_error(&e, &format!("writer of {:?}", config.topic)))?;
        Ok(RustWriter(Box::new(TypedWriter::new(PlainWriter(writer), config))))
    }

    fn keyed_writer(&self, config: &EndpointConfig) -> Result<RustWriter> {
        let topic = self.topic::<KeyedSample>(config)?;
        let publisher = self
            .native()?
            .create_publisher(&qos::none())
            .map_err(|e| create_error(&e, "publisher"))?;
        let writer = publisher
            .create_datawriter_cdr::<KeyedSample>(&topic, Some(qos::writer(&config.qos)))
            .map_err(|e| create_error(&e, &format!("writer of {:?}", config.topic)))?;
        Ok(RustWriter(Box::new(TypedWriter::new(KeyedWriter(writer), config))))
    }

    fn reader_of<T: Sample>(&self, config: &EndpointConfig) -> Result<RustReader> {
        let topic = self.topic::<T>(config)?;
        let subscriber = self
            .native()?
            .create_subscriber(&qos::none())
            .map_err(|e| create_error(&e, "subscriber"))?;
        let reader = subscriber
            .create_datareader_no_key_cdr::<T>(&topic, Some(qos::reader(config)))
            .map_err(|e| create_error(&e, &format!("reader of {:?}", config.topic)))?;
        Ok(RustReader(Box::new(TypedReader::new(PlainReader(reader), config)?)))
    }

    fn keyed_reader(&self, config: &EndpointConfig) -> Result<RustReader> {
        let topic = self.topic::<KeyedSample>(config)?;
        let subscriber = self
            .native()?
            .create_subscriber(&qos::none())
            .map_err(|e| create_error(&e, "subscriber"))?;
        let reader = subscriber
            .create_datareader_cdr::<KeyedSample>(&topic, Some(qos::reader(config)))
            .map_err(|e| create_error(&e, &format!("reader of {:?}", config.topic)))?;
        Ok(RustReader(Box::new(TypedReader::new(KeyedReader(reader), config)?)))
    }
}

impl Drop for RustParticipant {
    fn drop(&mut self) {
        self.participant = None;
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(at) = all.iter().position(|s| s.participant.guid() == self.guid) else { return };
        all[at].users -= 1;
        if all[at].users == 0 {
            // In order: the next to be shared is the oldest.
            all.remove(at);
        }
    }
}

/// Calls the method with the type of the payload kind.
macro_rules! by_kind {
    ($self:ident.$method:ident($config:ident)) => {
        match $config.payload {
            Payload::Empty => $self.$method::<EmptySample>($config),
            Payload::Octet => $self.$method::<OctetSample>($config),
            Payload::Char => $self.$method::<CharSample>($config),
            Payload::Short => $self.$method::<ShortSample>($config),
            Payload::Float => $self.$method::<FloatSample>($config),
            Payload::Long => $self.$method::<LongSample>($config),
            Payload::Struct => $self.$method::<StructSample>($config),
            Payload::Any => $self.$method::<AnySample>($config),
        }
    };
}

impl Participant for RustParticipant {
    type Writer = RustWriter;
    type Reader = RustReader;

    fn writer(&self, config: &EndpointConfig) -> Result<RustWriter> {
        if config.instances > 0 {
            return self.keyed_writer(config);
        }
        by_kind!(self.writer_of(config))
    }

    fn reader(&self, config: &EndpointConfig, listener: Option<Listener>) -> Result<RustReader> {
        if listener.is_some() {
            return Err(Status::Unsupported.error("RustDDS has no listeners"));
        }
        if config.instances > 0 {
            return self.keyed_reader(config);
        }
        by_kind!(self.reader_of(config))
    }
}
