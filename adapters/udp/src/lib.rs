//! The UDP adapter: each sample is one datagram, sent and received by one system call.

mod batch;
mod limit;
mod many;
mod reader;
mod receiver;
mod service;
mod sockets;
mod writer;

use std::sync::Arc;

use busmark_adapter::{
    Adapter, Capabilities, Carrier, EndpointConfig, Feature, Header, Listener, OptionSpec,
    Participant, ParticipantConfig, Payload, QosValue, Reach, Result, ServiceCapabilities,
    ServiceEnd, Side, Wait,
};
use busmark_sockets::{RECEIVE_BUFFER, SEND_BUFFER};

use reader::UdpReader;
use service::{UdpClient, UdpServer};
use sockets::Sockets;
use writer::UdpWriter;

const OPTIONS: &[OptionSpec] = &[RECEIVE_BUFFER, SEND_BUFFER];

/// What one datagram of IPv4 carries.
const LARGEST_DATAGRAM: u64 = 65_507;

const CAPABILITIES: Capabilities = Capabilities {
    name: "udp",
    title: "UDP sockets",
    version: env!("CARGO_PKG_VERSION"),
    middleware_version: "Linux sockets",
    licence: "GPL-2.0-only WITH Linux-syscall-note",
    cost: "",
    install: "",
    transports: &[("unicast", Carrier::Udp), ("multicast", Carrier::Udp)],
    options: OPTIONS,
    waits: &[Wait::Listener, Wait::Waitset, Wait::Poll],
    reach: &[Reach::Process, Reach::Host, Reach::Network],
    payloads: &Payload::ALL,
    qos: &[QosValue::BestEffort, QosValue::Volatile],
    qos_mutable: &[],
    features: &[Feature::Locators, Feature::WriteInListener, Feature::WriteMany],
    // The kind any takes the most.
    max_body_bytes: LARGEST_DATAGRAM - (Header::BYTES + Payload::Any.wire_overhead()) as u64,
    security: &[],
    disclosures: &[],
    tuned: "send and receive buffers 4 MiB, or as much as the kernel grants",
    stored: (0, 0),
};

struct Udp;

impl Adapter for Udp {
    type Participant = UdpParticipant;

    const SERVICES: Option<ServiceCapabilities> = Some(ServiceCapabilities {
        waits: &[Wait::Waitset, Wait::Poll],
        qos: &[QosValue::BestEffort, QosValue::Volatile],
        requests: 0,
        clients: 0,
    });

    fn capabilities() -> Capabilities {
        CAPABILITIES
    }

    fn participant(config: &ParticipantConfig) -> Result<UdpParticipant> {
        Ok(UdpParticipant(Arc::new(Sockets::new(config)?)))
    }
}

struct UdpParticipant(Arc<Sockets>);

impl Participant for UdpParticipant {
    type Writer = UdpWriter;
    type Reader = UdpReader;

    fn writer(&self, config: &EndpointConfig) -> Result<UdpWriter> {
        Ok(UdpWriter::new(Arc::clone(&self.0), config))
    }

    fn reader(&self, config: &EndpointConfig, listener: Option<Listener>) -> Result<UdpReader> {
        let (socket, locator) = self.0.receiving(&config.topic)?;
        UdpReader::new(socket, locator, config, listener)
    }

    fn service(&self, config: &EndpointConfig, side: Side) -> Result<ServiceEnd> {
        let sockets = Arc::clone(&self.0);
        Ok(match side {
            Side::Client => ServiceEnd::new(UdpClient::new(sockets, config)?),
            Side::Server => ServiceEnd::new(UdpServer::new(&sockets, config)?),
        })
    }
}

busmark_adapter::export!(Udp);
