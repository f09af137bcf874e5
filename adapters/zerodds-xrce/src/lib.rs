//! Busmark adapter for DDS-XRCE with the client and the agent of ``ZeroDDS``.
//!
//! `NOTES.md` says what it does and does not do; `idl/busmark.idl` is what it sends.

mod agent;
pub mod daemon;
mod objects;
mod options;
mod participant;
mod reader;
mod sample;
mod session;
mod transport;
mod writer;

use busmark_adapter::{
    Adapter, Capabilities, Carrier, Disclosure, Feature, ParticipantConfig, Payload, QosValue,
    Reach, Result, Server, Wait,
};

use crate::participant::Client;

/// What the adapter declares.
pub const CAPABILITIES: Capabilities = Capabilities {
    name: "zerodds-xrce",
    title: "ZeroDDS XRCE",
    version: env!("CARGO_PKG_VERSION"),
    middleware_version: "zerodds-xrce-client and zerodds-xrce-agent 1.0.0-rc.7",
    licence: "Apache-2.0",
    cost: "the agent hands samples to clients every 100 ms; a reliable stream has 16 messages in flight and \
           is acknowledged every 500 ms; best effort: see option number_best_effort",
    install: "",
    transports: &[("udp", Carrier::Udp), ("tcp", Carrier::Tcp)],
    options: options::OPTIONS,
    waits: &[Wait::Listener, Wait::Waitset, Wait::Poll],
    reach: &[Reach::Process, Reach::Host, Reach::Network],
    payloads: &Payload::ALL,
    qos: &[
        QosValue::Reliable,
        QosValue::BestEffort,
        QosValue::KeepAll,
        QosValue::KeepLast,
        QosValue::Volatile,
    ],
    qos_mutable: &[],
    features: &[Feature::WriteInListener, Feature::Server],
    max_body_bytes: options::LARGEST_BODY,
    security: &[],
    disclosures: &[
        Disclosure::AllInterfaces,
        Disclosure::GrowsByEndpoint,
        Disclosure::Allocates,
        Disclosure::Loses,
        Disclosure::Slow,
    ],
    tuned: "",
    stored: (0, 0),
};

/// The middleware.
pub struct ZeroXrce;

impl Adapter for ZeroXrce {
    type Participant = Client;

    fn capabilities() -> Capabilities {
        CAPABILITIES
    }

    fn probe() -> Result<()> {
        agent::program().map(|_| ())
    }

    fn server(config: &ParticipantConfig) -> Result<Server> {
        agent::start(config)
    }

    fn participant(config: &ParticipantConfig) -> Result<Client> {
        Client::new(config)
    }
}

busmark_adapter::export!(ZeroXrce);
