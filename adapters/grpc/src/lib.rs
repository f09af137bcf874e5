//! Busmark adapter for gRPC: servers and clients of tonic.
//!
//! `NOTES.md` says what it does and does not do.

mod channel;
mod client;
mod connection;
mod engine;
mod generated;
mod inbox;
mod message;
mod options;
mod participant;
mod reader;
mod server;
mod writer;

use busmark_adapter::{
    Adapter, Capabilities, Carrier, Disclosure, Feature, ParticipantConfig, Payload, QosValue,
    Reach, Result, ServiceCapabilities, Wait,
};

use crate::participant::GrpcParticipant;

/// What the adapter declares.
pub const CAPABILITIES: Capabilities = Capabilities {
    name: "grpc",
    title: "gRPC",
    version: env!("CARGO_PKG_VERSION"),
    middleware_version: "tonic 0.14.9",
    licence: "MIT",
    cost: "a sample is a protobuf message, whose header is copied once; tonic encodes it into a buffer of \
           its own and allocates for each message and each call",
    install: "",
    transports: &[("tcp", Carrier::Tcp)],
    options: options::OPTIONS,
    waits: &[Wait::Listener, Wait::Waitset, Wait::Poll],
    reach: &[Reach::Process, Reach::Host, Reach::Network],
    payloads: &Payload::ALL,
    qos: QOS,
    qos_mutable: &[],
    features: &[
        Feature::Locators,
        Feature::Matched,
        Feature::WriteInListener,
        Feature::KeepAllInListener,
    ],
    max_body_bytes: 64 << 20,
    security: &[],
    disclosures: &[Disclosure::Allocates],
    tuned: "",
    stored: (0, 0),
};

const QOS: &[QosValue] = &[QosValue::Reliable, QosValue::KeepAll, QosValue::Volatile];

/// The middleware.
pub struct Grpc;

impl Adapter for Grpc {
    type Participant = GrpcParticipant;

    const SERVICES: Option<ServiceCapabilities> = Some(ServiceCapabilities {
        waits: &[Wait::Waitset, Wait::Poll],
        qos: QOS,
        requests: 0,
        clients: 0,
    });

    fn capabilities() -> Capabilities {
        CAPABILITIES
    }

    fn participant(config: &ParticipantConfig) -> Result<GrpcParticipant> {
        GrpcParticipant::new(config)
    }
}

busmark_adapter::export!(Grpc);
