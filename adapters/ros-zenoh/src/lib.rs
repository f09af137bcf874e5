//! Busmark adapter for Eclipse Zenoh as ROS 2 speaks it: key expressions, attachments, liveliness tokens and
//! QoS follow the design document of `rmw_zenoh_cpp`, without a ROS 2.
//!
//! `NOTES.md` says what it does and does not do.

mod attachment;
mod graph;
mod message;
mod options;
mod participant;
mod reader;
mod router;
mod token;
mod writer;

use busmark_adapter::{
    Adapter, Capabilities, Carrier, Disclosure, Feature, ParticipantConfig, Payload, QosValue,
    Reach, Result, Server, Wait,
};

use crate::participant::RosParticipant;

/// What the adapter declares.
pub const CAPABILITIES: Capabilities = Capabilities {
    name: "ros-zenoh",
    title: "Zenoh as ROS 2 speaks it",
    version: env!("CARGO_PKG_VERSION"),
    middleware_version: "Eclipse Zenoh 1.10.2",
    licence: "EPL-2.0 OR Apache-2.0",
    cost: "each write allocates a buffer for the serialised message, as ROS does, and one for the \
           attachment; samples larger than a batch (64 KiB) arrive in pieces, which a copy joins; memory \
           grows with each pair of endpoints; the library's threads stay until the process ends",
    install: "",
    transports: &[("tcp", Carrier::Tcp), ("shipped", Carrier::Tcp)],
    options: options::OPTIONS,
    waits: &[Wait::Listener, Wait::Waitset, Wait::Poll],
    reach: &[Reach::Process, Reach::Host, Reach::Network],
    payloads: &[Payload::Octet],
    qos: &[
        QosValue::BestEffort,
        QosValue::Reliable,
        QosValue::KeepLast,
        QosValue::KeepAll,
        QosValue::Volatile,
        QosValue::TransientLocal,
    ],
    qos_mutable: &[],
    features: &[
        Feature::Matched,
        Feature::MatchEvents,
        Feature::WriteInListener,
        Feature::KeepAllInListener,
        Feature::Synchronous,
        Feature::SourceTime,
        Feature::Server,
    ],
    max_body_bytes: 64 << 20,
    security: &[],
    disclosures: &[Disclosure::RuntimeStays, Disclosure::GrowsByEndpoint, Disclosure::Allocates],
    tuned: "",
    stored: (0, 0),
};

/// The middleware.
pub struct RosZenoh;

impl Adapter for RosZenoh {
    type Participant = RosParticipant;

    fn capabilities() -> Capabilities {
        CAPABILITIES
    }

    fn server(config: &ParticipantConfig) -> Result<Server> {
        router::start(config)
    }

    fn participant(config: &ParticipantConfig) -> Result<RosParticipant> {
        RosParticipant::new(config)
    }
}

busmark_adapter::export!(RosZenoh);
