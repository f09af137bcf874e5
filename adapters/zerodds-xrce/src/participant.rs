//! A participant: one XRCE client, and the `DomainParticipant` that the agent has for it.

use std::sync::Arc;

use busmark_adapter::{EndpointConfig, Listener, Participant, ParticipantConfig, Result, Status};
use zerodds_xrce::object_id::ObjectId;
use zerodds_xrce::object_kind::ObjectKind;
use zerodds_xrce::object_repr::ObjectVariantExtra;

use crate::objects;
use crate::options::Settings;
use crate::reader::XrceReader;
use crate::sample::type_name;
use crate::session::{Running, Session};
use crate::writer::XrceWriter;

/// A participant.
pub struct Client {
    participant: ObjectId,
    settings: Settings,
    running: Running,
}

/// What the agent has for an endpoint. Dropping it has the agent delete it.
pub struct Made {
    /// The session it is in.
    pub session: Arc<Session>,
    /// The `DataWriter` or `DataReader`.
    pub endpoint: ObjectId,
    /// That and what is for it alone, to be deleted in this order.
    all: Vec<ObjectId>,
}

impl Drop for Made {
    fn drop(&mut self) {
        self.session.delete(&self.all);
    }
}

impl Client {
    /// Begins a session with the agent.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        let domain = config.rtps_domain()?;
        let settings = Settings::new(config)?;
        let running = Running::new(config, &settings)?;
        let xml = objects::participant(domain);
        // Below 233.
        let at = ObjectVariantExtra { domain_id: i16::try_from(domain).ok(), ..Default::default() };
        let participant = running.session.create(ObjectKind::Participant, at, xml)?;
        Ok(Self { participant, settings, running })
    }

    fn make(&self, kind: &str, config: &EndpointConfig) -> Result<Made> {
        let (container, endpoint) = match kind {
            "writer" => (ObjectKind::Publisher, ObjectKind::DataWriter),
            _ => (ObjectKind::Subscriber, ObjectKind::DataReader),
        };
        let type_name = type_name(config)
            .ok_or_else(|| Status::Unsupported.error("no type of the user's is compiled in"))?;
        if config.qos.reliable == Some(true) && !self.settings.carries(config.max_body_bytes) {
            let text = format!(
                "bodies of {} bytes take more messages than a reliable stream has in flight: raise mtu",
                config.max_body_bytes
            );
            return Err(Status::Resources.error(text));
        }
        let session = Arc::clone(&self.running.session);
        let mut made = Made { session, endpoint: self.participant, all: Vec::new() };
        let mut create = |kind, parent, xml| -> Result<ObjectId> {
            let under = ObjectVariantExtra { parent: Some(parent), ..Default::default() };
            let object = made.session.create(kind, under, xml)?;
            made.all.insert(0, object);
            made.endpoint = object;
            Ok(object)
        };
        let own = self.participant;
        let topic = create(ObjectKind::Topic, own, objects::topic(&config.topic, &type_name))?;
        let container = create(container, own, String::new())?;
        create(endpoint, container, objects::endpoint(kind, topic.raw(), &config.qos))?;
        Ok(made)
    }
}

impl Participant for Client {
    type Writer = XrceWriter;
    type Reader = XrceReader;

    fn writer(&self, config: &EndpointConfig) -> Result<XrceWriter> {
        Ok(XrceWriter::new(self.make("writer", config)?, config, &self.settings))
    }

    fn reader(&self, config: &EndpointConfig, listener: Option<Listener>) -> Result<XrceReader> {
        XrceReader::new(self.make("reader", config)?, config, &self.settings, listener)
    }
}
