//! A participant: the route to the broker and the client that knows who is there.

use std::ffi::c_int;
use std::sync::Arc;

use busmark_adapter::{
    EndpointConfig, Listener, Participant, ParticipantConfig, Qos, Result, ServiceEnd, Side, Status,
};
use busmark_server::Address;
use busmark_tls::Identity;

use crate::broker::UNIX;
use crate::client::Route;
use crate::options::{OPTIONS, Settings};
use crate::presence::Presence;
use crate::reader::MqttReader;
use crate::service::{MqttClient, MqttServer};
use crate::topics::Names;
use crate::writer::MqttWriter;

/// What the endpoints of a participant share.
pub struct Membership {
    pub(crate) route: Route,
    pub(crate) presence: Arc<Presence>,
    domain: u32,
}

/// A participant.
pub struct MqttParticipant(Membership);

impl MqttParticipant {
    /// Connects to the broker of the option `server`.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        let settings = Settings::new(config)?;
        let address = match config.option(OPTIONS, "server") {
            "" => return Err(Status::Invalid.error("no broker: the option server is empty")),
            text => Address::parse(text)?,
        };
        if matches!(address, Address::Unix(_)) != (config.transport == UNIX) {
            let text = format!("the broker {address} is not reached over {}", config.transport);
            return Err(Status::Invalid.error(text));
        }
        let security = config.security.as_deref().cloned();
        if let Some(security) = &security {
            // The library's own words would not say what is wrong with which file.
            Identity::read(security)?;
        }
        let interface = config.interface_address.clone();
        let route = Route { address, interface, settings, security };
        let presence = Arc::new(Presence::new(&route)?);
        Ok(Self(Membership { route, presence, domain: config.domain }))
    }
}

impl Membership {
    pub(crate) fn names(&self, topic: &str) -> Result<Names> {
        Names::new(self.domain, topic)
    }

    /// MQTT's quality of service: 0 at most once, 1 at least once, 2 exactly once.
    pub(crate) fn qos(&self, qos: &Qos) -> c_int {
        match qos.reliable {
            Some(true) if self.route.settings.exactly_once => 2,
            Some(true) => 1,
            // A publication without a choice is QoS 0 for mosquitto's own clients, too.
            Some(false) | None => 0,
        }
    }
}

impl Participant for MqttParticipant {
    type Writer = MqttWriter;
    type Reader = MqttReader;

    fn writer(&self, config: &EndpointConfig) -> Result<MqttWriter> {
        MqttWriter::new(&self.0, config)
    }

    fn reader(&self, config: &EndpointConfig, listener: Option<Listener>) -> Result<MqttReader> {
        MqttReader::new(&self.0, config, listener)
    }

    fn service(&self, config: &EndpointConfig, side: Side) -> Result<ServiceEnd> {
        Ok(match side {
            Side::Client => ServiceEnd::new(MqttClient::new(&self.0, config)?),
            Side::Server => ServiceEnd::new(MqttServer::new(&self.0, config)?),
        })
    }
}
