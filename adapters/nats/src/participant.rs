//! A participant: a connection, which its endpoints share, as an application's would.

use std::sync::Arc;

use busmark_adapter::{
    EndpointConfig, Header, Listener, Participant, ParticipantConfig, Result, ServiceEnd, Side,
    Status,
};
use busmark_server::Address;

use crate::connection::Link;
use crate::options::{OPTIONS, Settings};
use crate::presence::Presence;
use crate::reader::NatsReader;
use crate::service::{NatsClient, NatsServer};
use crate::subjects::Names;
use crate::tls;
use crate::writer::NatsWriter;

/// What the endpoints of a participant share.
pub struct Membership {
    pub(crate) presence: Arc<Presence>,
    pub(crate) link: Arc<Link>,
    domain: u32,
}

/// A participant.
pub struct NatsParticipant(Membership);

impl NatsParticipant {
    /// Connects to the server of the option `server`.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        let settings = Settings::new(config)?;
        let (place, client) = match (config.option(OPTIONS, "server"), config.security.as_deref()) {
            ("", _) => return Err(Status::Invalid.error("no server: the option server is empty")),
            (text, None) => (text, None),
            (text, Some(security)) => {
                let place = tls::Place::of(text);
                (place.address, Some(tls::Client::new(security, place.name)?))
            }
        };
        let address = Address::parse(place)?;
        if matches!(address, Address::Unix(_)) {
            return Err(Status::Invalid.error("NATS has no Unix-domain sockets"));
        }
        let link = Arc::new(Link::new(&address, &settings, client.as_ref())?);
        let presence = Arc::new(Presence::new(&link));
        Ok(Self(Membership { presence, link, domain: config.domain }))
    }
}

impl Membership {
    pub(crate) fn names(&self, topic: &str) -> Result<Names> {
        Names::new(self.domain, topic)
    }

    /// Fails if the server would refuse the endpoint's largest sample.
    pub(crate) fn check_size(&self, config: &EndpointConfig) -> Result<()> {
        let head = Header::BYTES + config.payload.wire_overhead();
        let largest = config.max_body_bytes + head as u64;
        let limit = self.link.max_payload();
        if largest <= limit {
            return Ok(());
        }
        let text = format!(
            "messages of {largest} bytes, and the server admits {limit}; raise its max_payload"
        );
        Err(Status::Invalid.error(text))
    }
}

impl Participant for NatsParticipant {
    type Writer = NatsWriter;
    type Reader = NatsReader;

    fn writer(&self, config: &EndpointConfig) -> Result<NatsWriter> {
        NatsWriter::new(&self.0, config)
    }

    fn reader(&self, config: &EndpointConfig, listener: Option<Listener>) -> Result<NatsReader> {
        NatsReader::new(&self.0, config, listener)
    }

    fn service(&self, config: &EndpointConfig, side: Side) -> Result<ServiceEnd> {
        Ok(match side {
            Side::Client => ServiceEnd::new(NatsClient::new(&self.0, config)?),
            Side::Server => ServiceEnd::new(NatsServer::new(&self.0, config)?),
        })
    }
}
