//! Busmark adapter for Eclipse Cyclone DDS, with the C library inside.
//!
//! `NOTES.md` says what it does and does not do; `idl/busmark.idl` is what it sends.

mod announced;
mod config;
mod domain;
mod entities;
mod entity;
mod log;
mod openssl;
mod options;
mod participant;
mod qos;
mod reader;
mod security;
pub mod types;
mod user_type;
mod writer;

use busmark_adapter::{
    Adapter, Capabilities, Carrier, Disclosure, Feature, ParticipantConfig, Payload, Reach, Result,
    Wait,
};

use crate::participant::CycloneParticipant;

#[cfg(not(user_type))]
const PAYLOADS: &[Payload] = &Payload::ALL;
#[cfg(user_type)]
const PAYLOADS: &[Payload] = &Payload::WITH_TYPE;

/// What the adapter declares.
pub const CAPABILITIES: Capabilities = Capabilities {
    name: "cyclonedds",
    title: "Eclipse Cyclone DDS",
    version: env!("CARGO_PKG_VERSION"),
    middleware_version: "Eclipse Cyclone DDS 11.0.0",
    licence: "EPL-2.0 OR BSD-3-Clause",
    cost: "its UDP and TCP sockets receive on all interfaces; it sends on the named one only",
    install: "",
    transports: &[("udp", Carrier::Udp), ("tcp", Carrier::Tcp)],
    options: options::OPTIONS,
    waits: &[Wait::Listener, Wait::Waitset, Wait::Poll],
    reach: &[Reach::Process, Reach::Host, Reach::Network],
    payloads: PAYLOADS,
    qos: qos::HONOURED,
    qos_mutable: qos::MUTABLE,
    // Synchronous: a writer delivers to readers of its own process on the thread that writes.
    // Not KeepAllInListener: the receive thread, which calls on_data, also reads the acknowledgements
    // that a blocked writer waits for.
    features: &[
        Feature::Matched,
        Feature::MatchEvents,
        Feature::WriteInListener,
        Feature::Synchronous,
        Feature::SourceTime,
        Feature::Keys,
        Feature::ContentFilter,
        Feature::Entities,
        Feature::Security,
    ],
    max_body_bytes: 16 << 20,
    security: security::PROFILES,
    disclosures: &[Disclosure::AllInterfaces, Disclosure::Allocates],
    tuned: "General/MaxMessageSize 65500 B, Internal/SocketReceiveBufferSize at most 6 MiB, Internal/Watermarks/WhcHigh 500 KiB",
    stored: (0, 0),
};

/// The middleware.
pub struct CycloneDds;

impl Adapter for CycloneDds {
    type Participant = CycloneParticipant;

    fn capabilities() -> Capabilities {
        CAPABILITIES
    }

    fn user_type() -> Option<&'static str> {
        user_type::NAME
    }

    fn participant(config: &ParticipantConfig) -> Result<CycloneParticipant> {
        CycloneParticipant::new(config)
    }
}

busmark_adapter::export!(CycloneDds);
