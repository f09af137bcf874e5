//! Whether a process listens at an address, or waits for datagrams there. That somebody does would not be enough: a port that was
//! free a moment ago may have become another program's.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use busmark_adapter::{Result, Status};

/// On one host a connection is made or refused at once.
const CONNECT: Duration = Duration::from_millis(500);
/// The states in /proc/net: of a TCP socket that listens, of a UDP socket without a peer.
const LISTENING: &str = "0A";
const WITHOUT_PEER: &str = "07";

/// What kind of port a server has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    /// It accepts connections.
    Tcp,
    /// It waits for datagrams.
    Udp,
}

impl Port {
    /// One of this interface that nobody has at the moment.
    pub(crate) fn free(self, interface: IpAddr) -> Result<SocketAddr> {
        self.bind((interface, 0).into())
            .map_err(|error| Status::Failed.error(format!("no free port on {interface}: {error}")))
    }

    fn bind(self, address: SocketAddr) -> io::Result<SocketAddr> {
        match self {
            Self::Tcp => TcpListener::bind(address)?.local_addr(),
            Self::Udp => UdpSocket::bind(address)?.local_addr(),
        }
    }

    /// Whether `process` accepts connections, or waits for datagrams, at `address`: on its own or with
    /// all others of the host.
    pub(crate) fn is_held(self, process: u32, address: SocketAddr) -> bool {
        let (table, state) = match self {
            Self::Tcp => ("tcp", LISTENING),
            Self::Udp => ("udp", WITHOUT_PEER),
        };
        let any: IpAddr = match address {
            SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        let table = format!("{table}{}", if address.is_ipv4() { "" } else { "6" });
        let table = fs::read_to_string(format!("/proc/{process}/net/{table}")).unwrap_or_default();
        let local = [address, (any, address.port()).into()].map(hexadecimal);
        let mut inodes = table.lines().filter_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let is_local = local.iter().any(|own| words.get(1) == Some(&own.as_str()));
            let matches = is_local && words.get(3) == Some(&state);
            matches.then(|| words.get(9).map(|inode| (*inode).to_owned())).flatten()
        });
        let own = sockets(process);
        inodes.any(|inode| own.contains(&inode))
            && (self == Self::Udp || TcpStream::connect_timeout(&address, CONNECT).is_ok())
    }
}

/// Whether somebody accepts connections at `path`, which is in a folder of the server's own.
pub(crate) fn unix(path: &Path) -> bool {
    UnixStream::connect(path).is_ok()
}

/// An address as /proc/net/tcp and tcp6 have it: 32-bit words in the host's byte order.
fn hexadecimal(address: SocketAddr) -> String {
    let bytes: Vec<u8> = match address.ip() {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    let mut words = String::new();
    for word in bytes.chunks_exact(4) {
        let word = u32::from_ne_bytes([word[0], word[1], word[2], word[3]]);
        let _ = write!(words, "{word:08X}");
    }
    format!("{words}:{:04X}", address.port())
}

/// Inodes of a process's sockets.
fn sockets(process: u32) -> BTreeSet<String> {
    let entries = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
    let targets = entries.filter_map(|entry| fs::read_link(entry.path()).ok());
    targets
        .filter_map(|target| {
            let name = target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned();
            Some(name)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_seen(port: Port, address: SocketAddr, socket: impl Sized) {
        assert!(port.is_held(std::process::id(), address) && port.bind(address).is_err());
        assert!(!port.is_held(1, address) || std::process::id() == 1);
        drop(socket);
        assert!(!port.is_held(std::process::id(), address));
    }

    #[test]
    fn a_listener_is_seen_while_it_is_there_and_is_nobody_elses() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(address) else { continue }; // No IPv6 here.
            is_seen(Port::Tcp, listener.local_addr().expect("an address"), listener);
            let socket = UdpSocket::bind(address).expect("a socket");
            is_seen(Port::Udp, socket.local_addr().expect("an address"), socket);
        }
    }

    #[test]
    fn a_socket_of_all_addresses_is_at_each() {
        let socket = UdpSocket::bind("0.0.0.0:0").expect("a socket");
        let port = socket.local_addr().expect("an address").port();
        is_seen(Port::Udp, (Ipv4Addr::LOCALHOST, port).into(), socket);
    }
}
