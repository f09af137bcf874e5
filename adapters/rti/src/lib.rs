//! Busmark adapter for RTI Connext DDS, through the library of RTI Connector.
//!
//! `NOTES.md` says what it does and does not do; `idl/busmark.idl` is what it sends.

mod announced;
mod builtin;
mod entities;
mod errors;
mod ffi;
mod library;
mod log;
mod options;
mod participant;
mod profiles;
mod qos;
mod reader;
mod sample;
mod sequence;
mod taking;
mod topic;
mod transport;
mod types;
mod waiting;
mod writer;
mod xml;

use busmark_adapter::{
    Adapter, Capabilities, Carrier, Disclosure, Feature, ParticipantConfig, Payload, Reach, Result,
    Wait,
};

use crate::participant::RtiParticipant;

/// What the adapter declares.
pub const CAPABILITIES: Capabilities = Capabilities {
    name: "rti",
    title: "RTI Connext DDS",
    version: env!("CARGO_PKG_VERSION"),
    middleware_version: "RTI Connext DDS 6.1.2 of RTI Connector 1.2.4",
    licence: "LicenseRef-RTI-Connext-Professional OR LicenseRef-RTI-Non-Commercial-4040",
    cost: "samples are the vendor's DynamicData: write makes them of a serialised sample \
           (from_cdr_buffer), take has them serialised again to be read (to_cdr_buffer), which types \
           of the vendor's code generator would not need; \
           memory grows by up to 1.4 KiB with each sample; its sockets receive on all interfaces",
    install: library::INSTALL,
    transports: &[("udp", Carrier::Udp), ("shm", Carrier::SharedMemory)],
    options: options::OPTIONS,
    waits: &[Wait::Listener, Wait::Waitset, Wait::Poll],
    reach: &[Reach::Process, Reach::Host, Reach::Network],
    payloads: &Payload::ALL,
    qos: qos::HONOURED,
    qos_mutable: qos::MUTABLE,
    features: &[
        Feature::Matched,
        Feature::WriteInListener,
        Feature::KeepAllInListener,
        Feature::SourceTime,
        Feature::ReceptionTime,
        Feature::Keys,
        Feature::ContentFilter,
        Feature::Entities,
    ],
    max_body_bytes: 16 << 20,
    security: &[],
    // Allocates: while samples wait for their acknowledgement, the writer's history grows.
    disclosures: &[Disclosure::AllInterfaces, Disclosure::GrowsBySample, Disclosure::Allocates],
    tuned: "BuiltinQosSnippetLib::Optimization.ReliabilityProtocol.LowLatency, socket buffers 2 MiB receive and 512 KiB send, shared memory 2 MiB",
    stored: (0, 0),
};

/// The middleware.
pub struct Rti;

impl Adapter for Rti {
    type Participant = RtiParticipant;

    fn capabilities() -> Capabilities {
        CAPABILITIES
    }

    fn probe() -> Result<()> {
        library::api().map(drop)
    }

    fn participant(config: &ParticipantConfig) -> Result<RtiParticipant> {
        RtiParticipant::new(config)
    }
}

busmark_adapter::export!(Rti);
