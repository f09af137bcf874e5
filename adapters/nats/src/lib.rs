//! Busmark adapter for NATS: its C client, and nats-server.
//!
//! `NOTES.md` says what it does and does not do.

mod connection;
mod ffi;
mod options;
mod participant;
mod presence;
mod reader;
mod server;
mod service;
mod subjects;
mod tls;
mod writer;

use busmark_adapter::{
    Adapter, Capabilities, Carrier, Disclosure, Feature, ParticipantConfig, Payload, QosValue,
    Reach, Result, Server, ServiceCapabilities, Wait,
};

use crate::participant::NatsParticipant;

/// What the adapter declares.
pub const CAPABILITIES: Capabilities = Capabilities {
    name: "nats",
    title: "NATS",
    version: env!("CARGO_PKG_VERSION"),
    middleware_version: "NATS: server 2, C client 3 (the system's)",
    licence: "Apache-2.0",
    cost: "memory grows with each subscription, whose thread the library keeps as long as its connection",
    install: ffi::INSTALL,
    transports: &[("tcp", Carrier::Tcp)],
    options: options::OPTIONS,
    waits: &[Wait::Listener, Wait::Waitset, Wait::Poll],
    reach: &[Reach::Process, Reach::Host, Reach::Network],
    payloads: &Payload::ALL,
    qos: QOS,
    qos_mutable: &[],
    features: &[
        Feature::Matched,
        Feature::WriteInListener,
        Feature::Keys,
        Feature::Server,
        Feature::Security,
    ],
    max_body_bytes: 16 << 20,
    security: &[busmark_tls::PROFILE],
    disclosures: &[Disclosure::GrowsByEndpoint],
    tuned: "natsOptions_SetSendAsap true",
    stored: (0, 0),
};

const QOS: &[QosValue] = &[QosValue::BestEffort, QosValue::Volatile];

/// The middleware.
pub struct Nats;

impl Adapter for Nats {
    type Participant = NatsParticipant;

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
        // The server may be elsewhere, the client must be here.
        ffi::api().map(drop)
    }

    fn server(config: &ParticipantConfig) -> Result<Server> {
        server::start(config)
    }

    fn participant(config: &ParticipantConfig) -> Result<NatsParticipant> {
        NatsParticipant::new(config)
    }
}

busmark_adapter::export!(Nats);
