//! Busmark adapter for `ZeroMQ`, whose library is found at run time.
//!
//! `NOTES.md` says what it does and does not do.

mod curve;
mod door;
mod endpoints;
mod ffi;
mod hall;
mod monitor;
mod options;
mod reader;
mod sample;
mod service;
mod shared;
mod socket;
mod writer;
mod zap;

use std::sync::Arc;

use busmark_adapter::{
    Adapter, Capabilities, Carrier, Disclosure, EndpointConfig, Feature, Listener, Participant,
    ParticipantConfig, Payload, QosValue, Reach, Result, ServiceCapabilities, ServiceEnd, Side,
    Status, Wait,
};

use crate::endpoints::Maker;
use crate::options::Settings;
use crate::reader::ZmqReader;
use crate::service::{ZmqClient, ZmqServer};
use crate::writer::ZmqWriter;

/// What the adapter declares.
pub const CAPABILITIES: Capabilities = Capabilities {
    name: "zeromq",
    title: "ZeroMQ",
    version: env!("CARGO_PKG_VERSION"),
    middleware_version: "libzmq 4.3 (the system's)",
    licence: "LGPL-3.0-or-later",
    cost: "with bind = writer memory grows by some 9 KiB with each pair of endpoints; a participant's end gives it back",
    install: ffi::INSTALL,
    transports: &[("tcp", Carrier::Tcp), ("ipc", Carrier::Local), ("inproc", Carrier::Memory)],
    options: options::OPTIONS,
    waits: &[Wait::Waitset, Wait::Poll],
    reach: &[Reach::Process, Reach::Host, Reach::Network],
    payloads: &Payload::ALL,
    qos: &[
        QosValue::BestEffort,
        QosValue::Reliable,
        QosValue::KeepAll,
        QosValue::Volatile,
        QosValue::TransportPriority,
    ],
    qos_mutable: &[],
    features: &[
        Feature::Locators,
        Feature::WriterLocators,
        Feature::Matched,
        Feature::Keys,
        Feature::ContentFilter,
        Feature::Security,
    ],
    max_body_bytes: 64 << 20,
    security: &[curve::PROFILE],
    disclosures: &[Disclosure::GrowsByEndpoint, Disclosure::Allocates],
    tuned: "zero copy for bodies from 8192 B",
    stored: (0, 0),
};

/// The middleware.
pub struct ZeroMq;

impl Adapter for ZeroMq {
    type Participant = ZmqParticipant;

    const SERVICES: Option<ServiceCapabilities> = Some(ServiceCapabilities {
        waits: &[Wait::Waitset, Wait::Poll],
        qos: &[
            QosValue::Reliable,
            QosValue::KeepAll,
            QosValue::Volatile,
            QosValue::TransportPriority,
        ],
        requests: 0,
        clients: 0,
    });

    fn capabilities() -> Capabilities {
        CAPABILITIES
    }

    fn probe() -> Result<()> {
        ffi::zmq().map(drop)
    }

    fn participant(config: &ParticipantConfig) -> Result<ZmqParticipant> {
        Ok(ZmqParticipant(Arc::new(Maker::new(
            Settings::new(config)?,
            config.security.as_deref(),
        )?)))
    }
}

/// A context of the library, or the use of the process's for `inproc`.
pub struct ZmqParticipant(Arc<Maker>);

impl Participant for ZmqParticipant {
    type Writer = ZmqWriter;
    type Reader = ZmqReader;

    fn writer(&self, config: &EndpointConfig) -> Result<ZmqWriter> {
        ZmqWriter::new(Arc::clone(&self.0), config)
    }

    fn reader(&self, config: &EndpointConfig, listener: Option<Listener>) -> Result<ZmqReader> {
        if listener.is_some() {
            return Err(Status::Unsupported.error("ZeroMQ does not call back"));
        }
        ZmqReader::new(&self.0, config)
    }

    fn service(&self, config: &EndpointConfig, side: Side) -> Result<ServiceEnd> {
        let maker = Arc::clone(&self.0);
        Ok(match side {
            Side::Client => ServiceEnd::new(ZmqClient::new(maker, config)?),
            Side::Server => ServiceEnd::new(ZmqServer::new(maker, config)?),
        })
    }
}

busmark_adapter::export!(ZeroMq);
