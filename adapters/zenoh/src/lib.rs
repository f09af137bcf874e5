//! Busmark adapter for Eclipse Zenoh, peer to peer.
//!
//! `NOTES.md` says what it does and does not do.

mod options;
mod participant;
mod presence;
mod reader;
mod sample;
mod service;
mod tls;
mod writer;

use busmark_adapter::{
    Adapter, Capabilities, Carrier, Disclosure, Feature, ParticipantConfig, Payload, QosValue,
    Reach, Result, ServiceCapabilities, Wait,
};

use crate::participant::ZenohParticipant;

/// What the adapter declares.
pub const CAPABILITIES: Capabilities = Capabilities {
    name: "zenoh",
    title: "Eclipse Zenoh",
    version: env!("CARGO_PKG_VERSION"),
    middleware_version: "Eclipse Zenoh 1.10.2",
    licence: "EPL-2.0 OR Apache-2.0",
    cost: "each write allocates a buffer, because Zenoh keeps what it is given: for the header and, \
           below 1 KiB, a copy of the body (larger bodies are shared); samples larger than a batch (64 \
           KiB) arrive in pieces, which a copy joins; memory grows by some 14 KiB with each pair of \
           endpoints; some 750 bytes are kept of each request until query_timeout_s is over; the \
           library's threads stay until the process ends; with TLS one thread sends and receives, \
           because Zenoh's own threads are unsafe with it",
    install: "",
    transports: &[("tcp", Carrier::Tcp), ("unix", Carrier::Local)],
    options: options::OPTIONS,
    waits: &[Wait::Listener, Wait::Waitset, Wait::Poll],
    reach: &[Reach::Process, Reach::Host, Reach::Network],
    payloads: &Payload::ALL,
    qos: &[
        QosValue::BestEffort,
        QosValue::Reliable,
        QosValue::KeepLast,
        QosValue::KeepAll,
        QosValue::Volatile,
    ],
    qos_mutable: &[],
    features: &[
        Feature::Locators,
        Feature::Matched,
        Feature::WriteInListener,
        Feature::KeepAllInListener,
        Feature::Synchronous,
        Feature::Security,
    ],
    max_body_bytes: 64 << 20,
    security: &[busmark_tls::PROFILE],
    disclosures: &[Disclosure::RuntimeStays, Disclosure::GrowsByEndpoint, Disclosure::Allocates],
    tuned: "express true for endpoints that are not keep-all",
    stored: (0, 0),
};

/// The middleware.
pub struct Zenoh;

impl Adapter for Zenoh {
    type Participant = ZenohParticipant;

    const SERVICES: Option<ServiceCapabilities> = Some(ServiceCapabilities {
        waits: &[Wait::Waitset, Wait::Poll],
        qos: &[QosValue::Reliable, QosValue::KeepAll, QosValue::Volatile],
        requests: 0,
        clients: 0,
    });

    fn capabilities() -> Capabilities {
        CAPABILITIES
    }

    fn participant(config: &ParticipantConfig) -> Result<ZenohParticipant> {
        ZenohParticipant::new(config)
    }
}

busmark_adapter::export!(Zenoh);
