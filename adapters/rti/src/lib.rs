//! Busmark adapter for RTI Connext, through the C library that RTI Connector installs.
//!
//! `NOTES.md` says what it does and does not do; `idl/busmark.idl` is what it sends.

mod config;
mod error;
mod factory;
mod library;
mod log;
mod native;
mod options;
mod participant;
mod probe;
mod qos;
mod reader;
mod types;
mod writer;

use busmark_adapter::{
    Adapter, Capabilities, Feature, ParticipantConfig, Payload, Reach, Result, Wait,
};

use crate::participant::RtiParticipant;

/// What the adapter declares.
pub const CAPABILITIES: Capabilities = Capabilities {
    name: "rti",
    title: "RTI Connext (Connector)",
    version: env!("CARGO_PKG_VERSION"),
    middleware_version: "RTI Connext 6.1.2, C library of RTI Connector 1.2.4",
    licence: "LicenseRef-RTI-4040",
    cost: "Samples are dynamic types: a write sets the header's changed members one by one, a take \
           copies header and body out through CDR; no type-specific code can be linked in.",
    install: library::INSTALL,
    transports: &["udp", "shmem"],
    options: options::OPTIONS,
    waits: &[Wait::Listener, Wait::Waitset, Wait::Poll],
    reach: &[Reach::Process, Reach::Host, Reach::Network],
    payloads: &Payload::ALL,
    qos: qos::HONOURED,
    qos_mutable: qos::MUTABLE,
    // Not KeepAllInListener: the receive thread, which calls on_data, also reads the acknowledgements
    // that a blocked writer waits for.
    features: &[
        Feature::Matched,
        Feature::WriteInListener,
        Feature::SourceTime,
        Feature::ReceptionTime,
        Feature::Batching,
        Feature::Keys,
        Feature::ContentFilter,
    ],
    max_body_bytes: 16 << 20,
};

/// The middleware.
pub struct Rti;

impl Adapter for Rti {
    type Participant = RtiParticipant;

    fn capabilities() -> Capabilities {
        CAPABILITIES
    }

    fn probe() -> Result<()> {
        probe::probe()
    }

    fn participant(config: &ParticipantConfig) -> Result<RtiParticipant> {
        RtiParticipant::new(config)
    }
}

busmark_adapter::export!(Rti);
