//! Busmark adapter for MQTT: clients of libmosquitto, and mosquitto as the broker.
//!
//! `NOTES.md` says what it does and does not do.

mod broker;
mod client;
mod ffi;
mod options;
mod participant;
mod presence;
mod properties;
mod reader;
mod service;
mod shared;
mod topics;
mod writer;

use busmark_adapter::{
    Adapter, Capabilities, Carrier, Disclosure, Feature, ParticipantConfig, Payload, QosValue,
    Reach, Result, Server, ServiceCapabilities, Wait,
};

use crate::participant::MqttParticipant;

/// What the adapter declares.
pub const CAPABILITIES: Capabilities = Capabilities {
    name: "mqtt",
    title: "MQTT",
    version: env!("CARGO_PKG_VERSION"),
    middleware_version: "Eclipse Mosquitto 2.0 (the system's)",
    licence: "EPL-2.0 OR BSD-3-Clause",
    cost: "a waitset reader copies the first message of each wait, and an end of a service each message, \
           which the library frees when its callback returns",
    install: ffi::INSTALL,
    transports: &[("tcp", Carrier::Tcp), (broker::UNIX, Carrier::Local)],
    options: options::OPTIONS,
    waits: &[Wait::Listener, Wait::Waitset, Wait::Poll],
    reach: &[Reach::Process, Reach::Host, Reach::Network],
    payloads: &Payload::ALL,
    // Not keep-all: the broker keeps all, but hands a reader no more than may be in flight until it
    // takes; a history at the reader is not what that is.
    qos: QOS,
    qos_mutable: &[],
    features: &[
        Feature::Matched,
        Feature::WriteInListener,
        Feature::Keys,
        Feature::ContentFilter,
        Feature::Server,
        Feature::Security,
    ],
    max_body_bytes: 16 << 20,
    security: &[busmark_tls::PROFILE],
    disclosures: &[Disclosure::Allocates],
    tuned: "TCP_NODELAY on at client and broker",
    stored: (0, 0),
};

const QOS: &[QosValue] = &[QosValue::BestEffort, QosValue::Reliable, QosValue::Volatile];

/// The middleware.
pub struct Mqtt;

impl Adapter for Mqtt {
    type Participant = MqttParticipant;

    const SERVICES: Option<ServiceCapabilities> = Some(ServiceCapabilities {
        waits: &[Wait::Waitset, Wait::Poll],
        qos: QOS,
        requests: 0,
        clients: 0,
    });

    fn capabilities() -> Capabilities {
        CAPABILITIES
    }

    fn probe() -> Result<()> {
        // The broker may be elsewhere, the library must be here.
        ffi::api().map(drop)
    }

    fn server(config: &ParticipantConfig) -> Result<Server> {
        broker::start(config)
    }

    fn participant(config: &ParticipantConfig) -> Result<MqttParticipant> {
        MqttParticipant::new(config)
    }
}

busmark_adapter::export!(Mqtt);
