//! Busmark adapter for `RustDDS`.
//!
//! `NOTES.md` says what it does and does not do; `idl/busmark.idl` is what it sends.

mod endpoints;
mod entities;
mod errors;
mod matches;
mod options;
mod participant;
mod qos;
mod reader;
pub mod types;
mod writer;

use busmark_adapter::{
    Adapter, Capabilities, Carrier, Disclosure, Feature, ParticipantConfig, Payload, Reach, Result,
    Wait,
};

use crate::participant::RustParticipant;

/// What the adapter declares.
pub const CAPABILITIES: Capabilities = Capabilities {
    name: "rustdds",
    title: "RustDDS",
    version: env!("CARGO_PKG_VERSION"),
    middleware_version: "RustDDS 0.15.1",
    licence: "Apache-2.0",
    cost: "write and take go through serde: octets and chars as a block, other elements one by one; \
           memory grows by some 600 bytes with each sample, which the crate does not give back; \
           its sockets receive on all interfaces",
    install: "",
    transports: &[("udp", Carrier::Udp)],
    options: options::OPTIONS,
    // Not Listener: the crate calls nobody back.
    waits: &[Wait::Waitset, Wait::Poll],
    reach: &[Reach::Process, Reach::Host, Reach::Network],
    payloads: &Payload::ALL,
    qos: qos::HONOURED,
    qos_mutable: &[],
    features: &[Feature::Matched, Feature::Keys, Feature::Entities],
    max_body_bytes: 8 << 20,
    security: &[],
    disclosures: &[
        Disclosure::AllInterfaces,
        Disclosure::GrowsByEndpoint,
        Disclosure::GrowsBySample,
        Disclosure::Allocates,
    ],
    tuned: "",
    stored: (0, 0),
};

/// The middleware.
pub struct RustDds;

impl Adapter for RustDds {
    type Participant = RustParticipant;

    fn capabilities() -> Capabilities {
        CAPABILITIES
    }

    fn participant(config: &ParticipantConfig) -> Result<RustParticipant> {
        RustParticipant::new(config)
    }
}

busmark_adapter::export!(RustDds);
