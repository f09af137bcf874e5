//! Whether a process listens at an address. That somebody does would not be enough: a port that was
//! free a moment ago may have become another program's.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// On one host a connection is made or refused at once.
const CONNECT: Duration = Duration::from_millis(500);
/// The state of a listening socket in /proc/net/tcp.
const LISTEN: &str = "0A";

/// Whether `process` accepts connections at `address`.
pub(crate) fn tcp(process: u32, address: SocketAddr) -> bool {
    let table = if address.is_ipv4() { "tcp" } else { "tcp6" };
    let table = fs::read_to_string(format!("/proc/{process}/net/{table}")).unwrap_or_default();
    let local = hexadecimal(address);
    let mut listening = table.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let matches = words.get(1) == Some(&local.as_str()) && words.get(3) == Some(&LISTEN);
        matches.then(|| words.get(9).map(|inode| (*inode).to_owned())).flatten()
    });
    let own = sockets(process);
    listening.any(|inode| own.contains(&inode))
        && TcpStream::connect_timeout(&address, CONNECT).is_ok()
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
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_listener_is_seen_while_it_is_there_and_is_nobody_elses() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(address) else { continue }; // No IPv6 here.
            let address = listener.local_addr().expect("an address");
            assert!(tcp(std::process::id(), address));
            assert!(!tcp(1, address) || std::process::id() == 1);
            drop(listener);
            assert!(!tcp(std::process::id(), address));
        }
    }
}
