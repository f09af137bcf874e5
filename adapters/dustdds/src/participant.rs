//! A domain participant: one executor, one set of sockets, and the endpoints that are made with it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use busmark_adapter::{
    EndpointConfig, Entity, Listener, Participant, ParticipantConfig, Payload, Result, Status,
};
use dust_dds::dds_async::domain_participant_factory::DomainParticipantFactoryAsync;
use dust_dds::infrastructure::listener::NO_LISTENER;
use dust_dds::infrastructure::qos::QosKind;
use dust_dds::infrastructure::status::NO_STATUS;
use dust_dds::std_runtime::executor::block_on;

use crate::entities;
use crate::errors::error;
use crate::options;
use crate::reader::{DustReader, TypedReader};
use crate::runtime::{End, EndableRuntime};
use crate::topic::Topics;
use crate::transport::{Sockets, Transport};
use crate::types::{
    AnySample, CharSample, EmptySample, FloatSample, KeyedSample, LongSample, OctetSample,
    ShortSample, StructSample,
};
#[cfg(feature = "user-type")]
use crate::user_type::UserSample;
use crate::writer::{DustWriter, TypedWriter};

/// Participants of this process so far: a part of each one's identity on the wire.
static COUNT: AtomicU32 = AtomicU32::new(0);

type Factory = DomainParticipantFactoryAsync<Transport>;

/// The crate's machinery of one participant. Dropped, it ends and leaves nothing behind.
struct Machinery {
    factory: Option<Factory>,
    sockets: Arc<Sockets>,
    end: Option<End>,
}

impl Drop for Machinery {
    fn drop(&mut self) {
        // While the tasks still run: the threads hand them what they have read.
        self.sockets.close();
        if let Some(end) = self.end.take() {
            end.stop();
            self.factory = None;
            end.join();
        }
    }
}

/// A participant in a domain.
pub struct DustParticipant {
    // Let go of before the machinery ends, which waits for that.
    topics: Option<Arc<Topics>>,
    machinery: Machinery,
}

impl DustParticipant {
    /// Joins the domain of `config`.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        let settings = options::transport(config)?;
        let discovery = options::discovery(config)?;
        let sockets = Sockets::open(settings)?;
        let (runtime, end) = EndableRuntime::start()
            .ok_or_else(|| Status::Resources.error("no thread for the executor"))?;
        // Process numbers have 22 bits, which leaves ten to tell the participants of one apart.
        let id = std::process::id() | COUNT.fetch_add(1, Ordering::Relaxed) << 22;
        let host = settings.interface.octets();
        let transport = Transport(Arc::clone(&sockets));
        let factory = Factory::new(runtime, id.to_ne_bytes(), host, transport, discovery);
        let machinery = Machinery { factory: Some(factory), sockets, end: Some(end) };
        let topics = machinery.create(i32::from(settings.domain), settings.largest_body())?;
        Ok(Self { topics: Some(topics), machinery })
    }

    fn topics(&self) -> Result<&Arc<Topics>> {
        self.topics.as_ref().ok_or_else(|| Status::Failed.error("the participant is gone"))
    }
}

impl Machinery {
    fn create(&self, domain: i32, largest_body: u64) -> Result<Arc<Topics>> {
        let (Some(factory), Some(end)) = (&self.factory, &self.end) else {
            return Err(Status::Failed.error("the participant has ended"));
        };
        let made =
            block_on(factory.create_participant(domain, QosKind::Default, NO_LISTENER, NO_STATUS));
        let participant =
            made.map_err(|e| error(&e, &format!("participant in domain {domain}")))?;
        Ok(Topics::new(participant.into(), end.health(), largest_body))
    }
}

impl Drop for DustParticipant {
    fn drop(&mut self) {
        let (Some(factory), Some(topics)) = (&self.machinery.factory, self.topics.take()) else {
            return;
        };
        if topics.health.check().is_ok() {
            let _ = topics.participant.delete_contained_entities();
            let participant = topics.participant.clone().into();
            let _ = block_on(factory.delete_participant(&participant));
        }
    }
}

/// `$what::<TYPE>::$make(…)` for the type of the endpoint, boxed.
macro_rules! typed {
    ($config:expr, $what:ident, ($($argument:expr),*)) => {
        match $config.payload {
            _ if $config.instances > 0 => Box::new($what::<KeyedSample>::new($($argument),*)?),
            Payload::Empty => Box::new($what::<EmptySample>::new($($argument),*)?),
            Payload::Octet => Box::new($what::<OctetSample>::new($($argument),*)?),
            Payload::Char => Box::new($what::<CharSample>::new($($argument),*)?),
            Payload::Short => Box::new($what::<ShortSample>::new($($argument),*)?),
            Payload::Float => Box::new($what::<FloatSample>::new($($argument),*)?),
            Payload::Long => Box::new($what::<LongSample>::new($($argument),*)?),
            Payload::Struct => Box::new($what::<StructSample>::new($($argument),*)?),
            Payload::Any => Box::new($what::<AnySample>::new($($argument),*)?),
            #[cfg(feature = "user-type")]
            Payload::Type => Box::new($what::<UserSample>::new($($argument),*)?),
            // Refused before, for it is not declared.
            #[cfg(not(feature = "user-type"))]
            Payload::Type => return Err(Status::Unsupported.error("no user's type")),
        }
    };
}

impl Participant for DustParticipant {
    type Writer = DustWriter;
    type Reader = DustReader;

    fn writer(&self, config: &EndpointConfig) -> Result<DustWriter> {
        let topics = self.topics()?;
        Ok(DustWriter(typed!(config, TypedWriter, (topics, config))))
    }

    fn reader(&self, config: &EndpointConfig, listener: Option<Listener>) -> Result<DustReader> {
        let topics = self.topics()?;
        Ok(DustReader(typed!(config, TypedReader, (topics, config, listener))))
    }

    fn entities(&self) -> Result<Vec<Entity>> {
        entities::list(self.topics()?.living()?)
    }
}
