//! Where a server listens.

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use busmark_adapter::{Result, Status};

/// Prefix that distinguishes a Unix-domain address from a TCP one.
const UNIX: &str = "unix:";
/// Bytes of a Unix-domain socket's path without its final zero: `sun_path` of `sockaddr_un`.
const LONGEST_PATH: usize = 107;

/// An address as given to participants: `HOST:PORT` or `unix:PATH`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// TCP, by name or number.
    Tcp {
        /// A name or an IP address.
        host: String,
        /// The port.
        port: u16,
    },
    /// A Unix-domain socket.
    Unix(PathBuf),
}

impl Address {
    /// Reads the option `server`.
    pub fn parse(text: &str) -> Result<Self> {
        if let Some(path) = text.strip_prefix(UNIX) {
            return Self::unix(Path::new(path));
        }
        let invalid = || Status::Invalid.error(format!("option server: {text:?} is not HOST:PORT"));
        let (host, port) = text.rsplit_once(':').ok_or_else(invalid)?;
        let port = port.parse().map_err(|_| invalid())?;
        let host = host.trim_start_matches('[').trim_end_matches(']');
        if host.is_empty() {
            return Err(invalid());
        }
        Ok(Self::Tcp { host: host.to_owned(), port })
    }

    /// A Unix-domain socket with this path.
    pub fn unix(path: &Path) -> Result<Self> {
        if path.as_os_str().is_empty() || path.as_os_str().len() > LONGEST_PATH {
            let text = format!(
                "a socket's path has 1 to {LONGEST_PATH} bytes, which {} has not; use a shorter \
                 run directory (TMPDIR)",
                path.display()
            );
            return Err(Status::Invalid.error(text));
        }
        Ok(Self::Unix(path.to_owned()))
    }
}

impl From<SocketAddr> for Address {
    fn from(address: SocketAddr) -> Self {
        Self::Tcp { host: address.ip().to_string(), port: address.port() }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self::Tcp { host, port } => write!(f, "{host}:{port}"),
            Self::Unix(path) => write!(f, "{UNIX}{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_can_be_read() {
        for text in ["127.0.0.1:1883", "broker.example:65535", "[::1]:1883", "unix:/run/x/socket"] {
            assert_eq!(Address::parse(text).expect(text).to_string(), text);
        }
    }

    #[test]
    fn anything_else_is_refused() {
        let long = format!("unix:/{}", "x".repeat(LONGEST_PATH));
        for text in ["", "localhost", ":1883", "localhost:", "localhost:65536", "unix:", &long] {
            assert_eq!(Address::parse(text).map_err(|e| e.status), Err(Status::Invalid), "{text}");
        }
    }
}
