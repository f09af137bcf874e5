//! Busmark adapter for ``ZeroDDS``, a DDS in Rust without C beneath it.
//!
//! `NOTES.md` says what it does and does not do; `idl/busmark.idl` is what it sends.

mod config;
mod entities;
mod error;
mod options;
mod participant;
mod qos;
mod reader;
pub mod types;
#[cfg(feature = "user-type")]
mod user_type;
mod writer;

use busmark_adapter::{
    Adapter, Capabilities, Carrier, Disclosure, Feature, ParticipantConfig, Payload, Reach, Result,
    Wait,
};

use crate::participant::ZeroParticipant;

#[cfg(not(feature = "user-type"))]
const PAYLOADS: &[Payload] = &Payload::ALL;
#[cfg(feature = "user-type")]
const PAYLOADS: &[Payload] = &Payload::WITH_TYPE;

/// What the adapter declares.
pub const CAPABILITIES: Capabilities = Capabilities {
    name: "zerodds",
    title: "ZeroDDS",
    version: env!("CARGO_PKG_VERSION"),
    middleware_version: "ZeroDDS 1.0.0-rc.7",
    licence: "Apache-2.0",
    cost: "its discovery sockets receive on all interfaces; memory grows by some 17 KiB with each pair of \
           endpoints",
    install: "",
    transports: &[("udp", Carrier::Udp), ("tcp", Carrier::Tcp)],
    options: options::OPTIONS,
    waits: &[Wait::Listener, Wait::Waitset, Wait::Poll],
    reach: &[Reach::Process, Reach::Host, Reach::Network],
    payloads: PAYLOADS,
    qos: qos::HONOURED,
    qos_mutable: qos::MUTABLE,
    // Synchronous: a writer delivers to readers of its own participant on the thread that writes.
    features: &[
        Feature::Matched,
        Feature::WriteInListener,
        Feature::KeepAllInListener,
        Feature::Synchronous,
        Feature::SourceTime,
        Feature::Keys,
        Feature::ContentFilter,
        Feature::Entities,
    ],
    max_body_bytes: 16 << 20,
    security: &[],
    disclosures: &[Disclosure::AllInterfaces, Disclosure::GrowsByEndpoint, Disclosure::Allocates],
    tuned: "tick_period 2 ms, heartbeat_response_delay 0, nack_response_delay 0, dont_route true",
    stored: (0, 0),
};

/// The middleware.
pub struct ZeroDds;

impl Adapter for ZeroDds {
    type Participant = ZeroParticipant;

    fn capabilities() -> Capabilities {
        CAPABILITIES
    }

    #[cfg(feature = "user-type")]
    fn user_type() -> Option<&'static str> {
        Some(user_type::NAME)
    }

    fn participant(config: &ParticipantConfig) -> Result<ZeroParticipant> {
        ZeroParticipant::new(config)
    }
}

busmark_adapter::export!(ZeroDds);
