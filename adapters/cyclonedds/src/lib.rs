//! Busmark adapters for Eclipse Cyclone DDS, with the C library inside: `cyclonedds`, and with the feature
//! `ros` the adapter `ros-cyclonedds`, which has the names, the type and the defaults of ROS 2.
//!
//! `NOTES.md` of each folder says what it does and does not do.

mod announced;
mod config;
#[cfg(not(feature = "ros"))]
#[path = "plain.rs"]
mod conventions;
#[cfg(feature = "ros")]
#[path = "ros.rs"]
mod conventions;
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

use busmark_adapter::{Adapter, Capabilities, Disclosure, ParticipantConfig, Reach, Result, Wait};

pub use crate::conventions::CAPABILITIES;
use crate::participant::CycloneParticipant;

/// What both adapters declare.
const COMMON: Capabilities = Capabilities {
    name: "",
    title: "",
    version: env!("CARGO_PKG_VERSION"),
    middleware_version: "Eclipse Cyclone DDS 11.0.0",
    licence: "EPL-2.0 OR BSD-3-Clause",
    cost: "its UDP and TCP sockets receive on all interfaces; it sends on the named one only",
    install: "",
    transports: &[],
    options: options::OPTIONS,
    waits: &[Wait::Listener, Wait::Waitset, Wait::Poll],
    reach: &[Reach::Process, Reach::Host, Reach::Network],
    payloads: &[],
    qos: &[],
    qos_mutable: &[],
    features: &[],
    max_body_bytes: 16 << 20,
    security: &[],
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
