//! The TCP adapter: each sample is one frame, one system call, on a connection from writer to reader.

mod tls;

use std::net::{IpAddr, SocketAddr};
use std::os::fd::OwnedFd;
use std::sync::Arc;

use busmark_adapter::{
    Adapter, Capabilities, Carrier, Feature, OptionSpec, ParticipantConfig, Payload, QosValue,
    Reach, Result, Security, ServiceCapabilities, Status, Wait,
};
use busmark_sockets::{
    Buffers, CONNECT_LIMIT, Family, Listening, MaybeShield, PAIR_MARK, Pair, RECEIVE_BUFFER,
    SEND_BUFFER, Side, StreamParticipant, os_error,
};
use busmark_tls::Identity;
use busmark_tls::rustls::client::UnbufferedClientConnection;
use busmark_tls::rustls::pki_types::ServerName;
use busmark_tls::rustls::server::UnbufferedServerConnection;
use busmark_tls::rustls::{ClientConfig, ServerConfig};
use rustix::net::sockopt::{Timeout, set_socket_timeout, set_tcp_nodelay};
use rustix::net::{
    AddressFamily, SocketFlags, SocketType, bind, connect, getpeername, getsockname, listen,
    socket_with,
};

const NODELAY: OptionSpec = OptionSpec {
    key: "nodelay",
    value: "true",
    doc: "true sends each sample at once (TCP_NODELAY); false lets the system hold small ones back \
          until earlier ones are acknowledged (Nagle's algorithm).",
};

const CONNECTION: OptionSpec = OptionSpec {
    key: "connection",
    value: "separate",
    doc: "separate gives each direction a connection of its own, from writer to reader, as publishers \
          and subscribers have them; shared has one connection carry both directions, as a request and \
          its reply have it, between a pair of participants with one writer and one reader each, and \
          refuses what is no pair.",
};

const OPTIONS: &[OptionSpec] = &[NODELAY, CONNECTION, RECEIVE_BUFFER, SEND_BUFFER];

const CAPABILITIES: Capabilities = Capabilities {
    name: "tcp",
    title: "TCP sockets",
    version: env!("CARGO_PKG_VERSION"),
    middleware_version: "Linux sockets",
    licence: "GPL-2.0-only WITH Linux-syscall-note",
    cost: "",
    install: "",
    transports: &[("tcp", Carrier::Tcp)],
    options: OPTIONS,
    waits: &[Wait::Listener, Wait::Waitset, Wait::Poll],
    reach: &[Reach::Process, Reach::Host, Reach::Network],
    payloads: &Payload::ALL,
    qos: &[QosValue::Reliable, QosValue::KeepAll, QosValue::Volatile],
    qos_mutable: &[],
    features: &[
        Feature::Locators,
        Feature::Matched,
        Feature::WriteInListener,
        Feature::KeepAllInListener,
        Feature::Security,
    ],
    max_body_bytes: 64 << 20,
    security: &[busmark_tls::PROFILE],
    disclosures: &[],
    tuned: "",
    stored: (0, 0),
};

use crate::tls::Tls;

struct Tcp;

impl Adapter for Tcp {
    type Participant = StreamParticipant;

    const SERVICES: Option<ServiceCapabilities> = Some(StreamParticipant::SERVICES);

    fn capabilities() -> Capabilities {
        CAPABILITIES
    }

    fn participant(config: &ParticipantConfig) -> Result<StreamParticipant> {
        let interface = config.interface()?;
        let nodelay = config.setting(OPTIONS, NODELAY.key).flag()?;
        // The kernel sizes TCP buffers by itself, and stops doing so when it is told a size.
        let buffers = Buffers::new(config, 0)?;
        let shared = config.setting(OPTIONS, CONNECTION.key);
        let shared = shared.choice(&[("separate", false), ("shared", true)])?;
        let pair = shared.then(Pair::default);
        let protection = config.security.as_deref().map(Protection::new).transpose()?;
        let family =
            TcpFamily { interface, nodelay, buffers, pair, protection, domain: config.domain };
        // Tells now, and not at the first endpoint, what the kernel does not grant.
        family.socket()?;
        Ok(StreamParticipant::new(family))
    }
}

struct TcpFamily {
    interface: IpAddr,
    nodelay: bool,
    buffers: Buffers,
    pair: Option<Pair>,
    protection: Option<Protection>,
    domain: u32,
}

/// TLS of both sides of a connection.
struct Protection {
    accepts: Arc<ServerConfig>,
    connects: Arc<ClientConfig>,
}

impl Protection {
    fn new(security: &Security) -> Result<Self> {
        let identity = Identity::read(security)?;
        Ok(Self {
            accepts: Arc::new(identity.server_config()?),
            connects: Arc::new(identity.client_config()?),
        })
    }
}

/// Connections that may wait to be accepted; the system's own limit is the same or lower.
const BACKLOG: i32 = 4096;

impl TcpFamily {
    /// A socket with its buffers, bound to the interface.
    fn socket(&self) -> Result<OwnedFd> {
        let family =
            if self.interface.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let socket = socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC, None)
            .map_err(|errno| os_error("socket", errno))?;
        self.buffers.apply(&socket)?;
        let address = SocketAddr::new(self.interface, 0);
        bind(&socket, &address).map_err(|errno| os_error(format!("bind to {address}"), errno))?;
        Ok(socket)
    }

    fn set_nodelay(&self, socket: &OwnedFd) -> Result<()> {
        set_tcp_nodelay(socket, self.nodelay).map_err(|errno| os_error("TCP_NODELAY", errno))
    }
}

impl Family for TcpFamily {
    fn listen(&self) -> Result<Listening> {
        let socket = self.socket()?;
        listen(&socket, BACKLOG).map_err(|errno| os_error("listen", errno))?;
        let address = getsockname(&socket).map_err(|errno| os_error("getsockname", errno))?;
        let address = SocketAddr::try_from(address).map_err(|e| os_error("getsockname", e))?;
        let address = address.to_string();
        let locator = self.pair.as_ref().map(|pair| pair.locator(&address)).unwrap_or(address);
        Ok(Listening { socket, locator, keep: None })
    }

    fn connect(&self, locator: &str) -> Result<OwnedFd> {
        let address: SocketAddr = locator.parse().map_err(|_| {
            let why = if locator.contains(PAIR_MARK) {
                "; its reader has connection=shared: the option must be the same on both sides"
            } else {
                ""
            };
            let text = format!("{locator:?} is not a locator of tcp (ADDRESS:PORT){why}");
            Status::Invalid.error(text)
        })?;
        let socket = self.socket()?;
        // The limit of sends also applies to connecting.
        set_socket_timeout(&socket, Timeout::Send, Some(CONNECT_LIMIT))
            .map_err(|errno| os_error("time limit", errno))?;
        connect(&socket, &address)
            .map_err(|errno| os_error(format!("connect to {address}"), errno))?;
        self.set_nodelay(&socket)?;
        Ok(socket)
    }

    fn accepted(&self, connection: &OwnedFd) -> Result<()> {
        self.set_nodelay(connection)
    }

    fn domain(&self) -> u32 {
        self.domain
    }

    fn shield(&self, connection: &OwnedFd, side: Side) -> Result<MaybeShield> {
        let Some(protection) = &self.protection else { return Ok(None) };
        let refused = |error| Status::Failed.error(format!("TLS: {error}"));
        Ok(Some(match side {
            Side::Accepts => {
                let session = UnbufferedServerConnection::new(Arc::clone(&protection.accepts));
                Arc::new(Tls::shake_hands(session.map_err(refused)?, connection)?)
            }
            Side::Connects => {
                let peer = getpeername(connection).ok().flatten();
                let peer = peer.and_then(|peer| SocketAddr::try_from(peer).ok());
                let name = peer.map_or(self.interface, |peer| peer.ip());
                let name = ServerName::IpAddress(name.into());
                let session =
                    UnbufferedClientConnection::new(Arc::clone(&protection.connects), name);
                Arc::new(Tls::shake_hands(session.map_err(refused)?, connection)?)
            }
        }))
    }

    fn pair(&self) -> Option<&Pair> {
        self.pair.as_ref()
    }
}

busmark_adapter::export!(Tcp);
