//! Busmark adapter for HDDS, a DDS in Rust without C beneath it.
//!
//! `NOTES.md` says what it does and does not do; `idl/busmark.idl` is what it sends.

mod environment;
mod error;
mod options;
mod participant;
mod qos;
mod reader;
pub mod types;
mod writer;

use busmark_adapter::{
    Adapter, Capabilities, Feature, ParticipantConfig, Payload, Reach, Result, Wait,
};

use crate::participant::HddsParticipant;

/// What the adapter declares.
pub const CAPABILITIES: Capabilities = Capabilities {
    name: "hdds",
    title: "HDDS",
    version: env!("CARGO_PKG_VERSION"),
    middleware_version: "HDDS 1.1.2",
    licence: "Apache-2.0 OR MIT",
    cost: "",
    install: "",
    transports: &["udp"],
    options: options::OPTIONS,
    waits: &[Wait::Listener],
    reach: &[Reach::Process, Reach::Host, Reach::Network],
    payloads: &Payload::ALL,
    qos: qos::HONOURED,
    qos_mutable: &[],
    features: &[
        Feature::WriteInListener,
        Feature::KeepAllInListener,
        Feature::Keys,
        Feature::ContentFilter,
    ],
    max_body_bytes: 16 << 20,
};

/// The middleware.
pub struct Hdds;

impl Adapter for Hdds {
    type Participant = HddsParticipant;

    fn capabilities() -> Capabilities {
        CAPABILITIES
    }

    fn participant(config: &ParticipantConfig) -> Result<HddsParticipant> {
        HddsParticipant::new(config)
    }
}

busmark_adapter::export!(Hdds);
