//! The TCP adapter: each sample is one frame, one system call, on a connection from writer to reader.

use std::net::{IpAddr, SocketAddr};
use std::os::fd::OwnedFd;
use std::sync::Arc;

use busmark_adapter::{
    Adapter, Capabilities, EndpointConfig, Feature, Listener, OptionSpec, Participant,
    ParticipantConfig, Payload, QosValue, Reach, Result, Status, Wait,
};
use busmark_sockets::{
    Buffers, CONNECT_LIMIT, Family, Listening, RECEIVE_BUFFER, SEND_BUFFER, StreamReader,
    StreamWriter, os_error,
};
use rustix::net::sockopt::{Timeout, set_socket_timeout, set_tcp_nodelay};
use rustix::net::{
    AddressFamily, SocketFlags, SocketType, bind, connect, getsockname, listen, socket_with,
};

const NODELAY: OptionSpec = OptionSpec {
    key: "nodelay",
    value: "true",
    doc: "true sends each sample at once (TCP_NODELAY); false lets the system hold small ones back \
          until earlier ones are acknowledged (Nagle's algorithm).",
};

const OPTIONS: &[OptionSpec] = &[NODELAY, RECEIVE_BUFFER, SEND_BUFFER];

const CAPABILITIES: Capabilities = Capabilities {
    name: "tcp",
    title: "TCP sockets",
    version: env!("CARGO_PKG_VERSION"),
    middleware_version: "Linux sockets",
    licence: "GPL-2.0-only WITH Linux-syscall-note",
    cost: "",
    install: "",
    transports: &["tcp"],
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
    ],
    max_body_bytes: 64 << 20,
};

struct Tcp;

impl Adapter for Tcp {
    type Participant = TcpParticipant;

    fn capabilities() -> Capabilities {
        CAPABILITIES
    }

    fn participant(config: &ParticipantConfig) -> Result<TcpParticipant> {
        let interface: IpAddr = config.interface_address.parse().map_err(|_| {
            Status::Invalid.error(format!("{:?} is not an IP address", config.interface_address))
        })?;
        let nodelay = match config.option(OPTIONS, NODELAY.key) {
            "true" => true,
            "false" => false,
            other => {
                let text = format!("option nodelay: {other:?} is neither true nor false");
                return Err(Status::Invalid.error(text));
            }
        };
        // The kernel sizes TCP buffers by itself, and stops doing so when it is told a size.
        let buffers = Buffers::new(config, 0)?;
        let family = TcpFamily { interface, nodelay, buffers, domain: config.domain };
        // Tells now, and not at the first endpoint, what the kernel does not grant.
        family.socket()?;
        Ok(TcpParticipant(Arc::new(family)))
    }
}

struct TcpParticipant(Arc<TcpFamily>);

impl Participant for TcpParticipant {
    type Writer = StreamWriter;
    type Reader = StreamReader;

    fn writer(&self, config: &EndpointConfig) -> Result<StreamWriter> {
        Ok(StreamWriter::new(self.0.clone(), config))
    }

    fn reader(&self, config: &EndpointConfig, listener: Option<Listener>) -> Result<StreamReader> {
        StreamReader::new(self.0.clone(), config, listener)
    }
}

struct TcpFamily {
    interface: IpAddr,
    nodelay: bool,
    buffers: Buffers,
    domain: u32,
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
        Ok(Listening { socket, locator: address.to_string(), keep: None })
    }

    fn connect(&self, locator: &str) -> Result<OwnedFd> {
        let address: SocketAddr = locator.parse().map_err(|_| {
            Status::Invalid.error(format!("{locator:?} is not a locator of tcp (ADDRESS:PORT)"))
        })?;
        let socket = self.socket()?;
        // The limit of sends is that of connecting, too.
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
}

busmark_adapter::export!(Tcp);
