//! The adapter for Unix-domain sockets: as TCP, without a network.

use std::fs;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use busmark_adapter::{
    Adapter, Capabilities, Carrier, Feature, OptionSpec, ParticipantConfig, Payload, QosValue,
    Reach, Result, ServiceCapabilities, Status, Wait,
};
use busmark_sockets::{
    Buffers, CONNECT_LIMIT, Family, Listening, RECEIVE_BUFFER, SEND_BUFFER, StreamParticipant,
    os_error,
};
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout, socket_send_buffer_size};
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, connect, listen, socket_with,
};

const OPTIONS: &[OptionSpec] = &[RECEIVE_BUFFER, SEND_BUFFER];

/// What the tuned profile tries for each buffer: room for several samples of a megabyte.
const TUNED_BUFFER: usize = 4 << 20;

const CAPABILITIES: Capabilities = Capabilities {
    name: "uds",
    title: "Unix-domain sockets",
    version: env!("CARGO_PKG_VERSION"),
    middleware_version: "Linux sockets",
    licence: "GPL-2.0-only WITH Linux-syscall-note",
    cost: "",
    install: "",
    transports: &[("stream", Carrier::Local), ("seqpacket", Carrier::Local)],
    options: OPTIONS,
    waits: &[Wait::Listener, Wait::Waitset, Wait::Poll],
    reach: &[Reach::Process, Reach::Host],
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
    security: &[],
    disclosures: &[],
    tuned: "send and receive buffers 4 MiB, or as much as the kernel grants",
    stored: (0, 0),
};

struct Uds;

impl Adapter for Uds {
    type Participant = StreamParticipant;

    const SERVICES: Option<ServiceCapabilities> = Some(StreamParticipant::SERVICES);

    fn capabilities() -> Capabilities {
        CAPABILITIES
    }

    fn participant(config: &ParticipantConfig) -> Result<StreamParticipant> {
        let mut family = UdsFamily {
            folder: PathBuf::from(&config.run_dir),
            kind: SocketType::STREAM,
            packet: usize::MAX,
            buffers: Buffers::new(config, TUNED_BUFFER)?,
            domain: config.domain,
        };
        // Tells now, and not at the first endpoint, what the kernel does not grant.
        let socket = family.socket()?;
        if config.transport == "seqpacket" {
            family.kind = SocketType::SEQPACKET;
            family.packet = largest_packet(&socket)?;
        }
        Ok(StreamParticipant::new(family))
    }
}

/// What the kernel takes off the send buffer for its own records.
const RECORDS: usize = 32;
/// The pieces of memory that the kernel makes one packet of: 17 of 32 KiB. Bigger packets are
/// refused, whatever the buffers.
const PIECES: usize = 17 * (32 << 10);

/// Bytes of the largest packet that this socket can send.
fn largest_packet(socket: &OwnedFd) -> Result<usize> {
    let booked = socket_send_buffer_size(socket).map_err(|errno| os_error("SO_SNDBUF", errno))?;
    Ok((booked - RECORDS).min(PIECES))
}

struct UdsFamily {
    folder: PathBuf,
    kind: SocketType,
    packet: usize,
    buffers: Buffers,
    domain: u32,
}

/// The socket's file; removed with its reader.
struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Connections that may wait to be accepted; the system's own limit is the same or lower.
const BACKLOG: i32 = 4096;
/// Longest path that a socket's address holds, without its final zero.
const LONGEST_PATH: usize = 107;

fn address(path: &Path) -> Result<SocketAddrUnix> {
    let bytes = path.as_os_str().len();
    if bytes > LONGEST_PATH {
        return Err(Status::Invalid.error(format!(
            "the socket's path has {bytes} bytes, the system allows {LONGEST_PATH}: use a shorter \
             run directory than {}",
            path.parent().unwrap_or(path).display()
        )));
    }
    SocketAddrUnix::new(path).map_err(|errno| os_error(path.display(), errno))
}

impl UdsFamily {
    /// A socket with its buffers.
    fn socket(&self) -> Result<OwnedFd> {
        let socket = socket_with(AddressFamily::UNIX, self.kind, SocketFlags::CLOEXEC, None)
            .map_err(|errno| os_error("socket", errno))?;
        self.buffers.apply(&socket)?;
        Ok(socket)
    }

    /// Binds to a path that nobody else has.
    fn bind(&self, socket: &OwnedFd) -> Result<SocketFile> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = self.folder.join(format!("uds-{}-{number}", std::process::id()));
            match bind(socket, &address(&path)?) {
                Ok(()) => return Ok(SocketFile(path)),
                // Left by another process with this number: it ended badly, or lives elsewhere.
                Err(Errno::ADDRINUSE) => {}
                Err(errno) => return Err(os_error(format!("bind to {}", path.display()), errno)),
            }
        }
    }
}

impl Family for UdsFamily {
    fn listen(&self) -> Result<Listening> {
        let socket = self.socket()?;
        let file = self.bind(&socket)?;
        listen(&socket, BACKLOG).map_err(|errno| os_error("listen", errno))?;
        let locator = file.0.to_str().map(str::to_owned).ok_or_else(|| {
            Status::Invalid.error(format!("{} is not UTF-8", self.folder.display()))
        })?;
        Ok(Listening { socket, locator, keep: Some(Box::new(file)) })
    }

    fn connect(&self, locator: &str) -> Result<OwnedFd> {
        let address = address(Path::new(locator))?;
        let socket = self.socket()?;
        // The limit of sends also applies to connecting.
        set_socket_timeout(&socket, Timeout::Send, Some(CONNECT_LIMIT))
            .map_err(|errno| os_error("time limit", errno))?;
        connect(&socket, &address)
            .map_err(|errno| os_error(format!("connect to {locator}"), errno))?;
        Ok(socket)
    }

    fn accepted(&self, connection: &OwnedFd) -> Result<()> {
        // An accepted connection has the system's default buffers, whatever the listening socket has.
        self.buffers.apply(connection)
    }

    fn packet(&self) -> usize {
        self.packet
    }

    fn domain(&self) -> u32 {
        self.domain
    }
}

busmark_adapter::export!(Uds);
