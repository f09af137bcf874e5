//! Busmark adapter for Eclipse iceoryx2: samples in shared memory.
//!
//! `NOTES.md` says what it does and does not do.

mod elements;
mod filled;
mod limits;
mod options;
mod participant;
mod reader;
mod sample;
mod service;
mod writer;

use busmark_adapter::{
    Adapter, Capabilities, Carrier, Disclosure, Feature, ParticipantConfig, Payload, QosValue,
    Reach, Result, ServiceCapabilities, Wait,
};

use crate::participant::IoxParticipant;

/// What the adapter declares.
pub const CAPABILITIES: Capabilities = Capabilities {
    name: "iceoryx2",
    title: "Eclipse iceoryx2",
    version: env!("CARGO_PKG_VERSION"),
    middleware_version: "Eclipse iceoryx2 0.10.0",
    licence: "MIT OR Apache-2.0",
    cost: "",
    install: "",
    transports: &[("shm", Carrier::SharedMemory), ("local", Carrier::Memory)],
    options: options::OPTIONS,
    waits: &[Wait::Waitset, Wait::Poll],
    reach: &[Reach::Process, Reach::Host],
    payloads: &Payload::ALL,
    qos: &[
        QosValue::BestEffort,
        QosValue::Reliable,
        QosValue::KeepLast,
        QosValue::KeepAll,
        QosValue::Volatile,
        QosValue::TransientLocal,
    ],
    qos_mutable: &[],
    features: &[Feature::Matched, Feature::Loans],
    max_body_bytes: 16 << 20,
    security: &[],
    disclosures: &[Disclosure::Allocates],
    tuned: "",
    stored: limits::STORED,
};

/// The middleware.
pub struct Iceoryx2;

impl Adapter for Iceoryx2 {
    type Participant = IoxParticipant;

    const SERVICES: Option<ServiceCapabilities> = Some(service::CAPABILITIES);

    fn capabilities() -> Capabilities {
        CAPABILITIES
    }

    fn participant(config: &ParticipantConfig) -> Result<IoxParticipant> {
        IoxParticipant::new(config)
    }
}

busmark_adapter::export!(Iceoryx2);
