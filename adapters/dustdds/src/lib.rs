//! Busmark adapter for Dust DDS.
//!
//! `NOTES.md` says what it does and does not do; `idl/busmark.idl` is what it sends.

#[cfg(any(test, feature = "user-type"))]
mod cdr;
mod entities;
mod errors;
mod options;
mod participant;
mod qos;
mod reader;
mod runtime;
mod topic;
mod transport;
pub mod types;
#[cfg(feature = "user-type")]
mod user_type;
mod waiting;
mod writer;

use busmark_adapter::{
    Adapter, Capabilities, Carrier, Disclosure, Feature, ParticipantConfig, Payload, Reach, Result,
    Wait,
};

use crate::participant::DustParticipant;

#[cfg(not(feature = "user-type"))]
const PAYLOADS: &[Payload] = &Payload::ALL;
#[cfg(feature = "user-type")]
const PAYLOADS: &[Payload] = &Payload::WITH_TYPE;

/// What the adapter declares.
pub const CAPABILITIES: Capabilities = Capabilities {
    name: "dustdds",
    title: "Dust DDS",
    version: env!("CARGO_PKG_VERSION"),
    middleware_version: "Dust DDS 0.16.0",
    licence: "Apache-2.0",
    cost: "write copies the sample, which the crate takes by value; char and struct bodies are \
           converted element by element from the crate's types when taken; \
           memory grows by some 18 KiB with each pair of endpoints",
    install: "",
    transports: &[("udp", Carrier::Udp)],
    options: options::OPTIONS,
    waits: &[Wait::Listener, Wait::Waitset, Wait::Poll],
    reach: &[Reach::Process, Reach::Host, Reach::Network],
    payloads: PAYLOADS,
    qos: qos::HONOURED,
    qos_mutable: qos::MUTABLE,
    // Not WriteInListener: a write waits for the thread that calls the listener.
    features: &[Feature::Matched, Feature::SourceTime, Feature::Keys, Feature::Entities],
    // 256 fragments of the default size would be 336 KiB.
    max_body_bytes: 256 << 10,
    security: &[],
    disclosures: &[Disclosure::GrowsByEndpoint, Disclosure::Allocates, Disclosure::Loses],
    tuned: "",
    stored: (0, 0),
};

/// The middleware.
pub struct DustDds;

impl Adapter for DustDds {
    type Participant = DustParticipant;

    fn capabilities() -> Capabilities {
        CAPABILITIES
    }

    #[cfg(feature = "user-type")]
    fn user_type() -> Option<&'static str> {
        Some(user_type::NAME)
    }

    fn participant(config: &ParticipantConfig) -> Result<DustParticipant> {
        DustParticipant::new(config)
    }
}

busmark_adapter::export!(DustDds);
