//! Sockets that carry samples in one direction each, as the adapters do: a receiving end has an
//! address, a sending end connects to it. Over TCP one connection may carry both directions.

use std::fs;
use std::io::{Error, ErrorKind, Result};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout, set_tcp_nodelay};
use rustix::net::{RecvFlags, SendFlags, recv, send};

use crate::options::{Options, Transport, Wait};

/// Bytes of a sample's header.
pub const HEADER: usize = 64;
/// A stream's frame begins with its length and ends with one byte, as the adapters frame samples.
const LENGTH: usize = 4;
const TRAILER: usize = 1;
const BUFFER: usize = 256 << 10;
const LIMIT: Duration = Duration::from_secs(1);

fn text_error(text: String) -> Error {
    Error::new(ErrorKind::InvalidInput, text)
}

/// A receiving end that nobody has connected to yet.
pub enum Bound {
    Udp(UdpSocket),
    Tcp(TcpListener),
    Uds(UnixListener, String),
}

impl Bound {
    pub fn new(options: &Options, name: &str) -> Result<Self> {
        Ok(match options.transport {
            Transport::Udp => Self::Udp(UdpSocket::bind("127.0.0.1:0")?),
            Transport::Tcp => Self::Tcp(TcpListener::bind("127.0.0.1:0")?),
            Transport::Uds => {
                let path = options.address.as_ref().map(|a| format!("{a}{name}"));
                let path = path.ok_or_else(|| text_error("uds needs --address PATH".into()))?;
                Self::Uds(UnixListener::bind(&path)?, path)
            }
        })
    }

    pub fn address(&self) -> Result<String> {
        Ok(match self {
            Self::Udp(socket) => socket.local_addr()?.to_string(),
            Self::Tcp(socket) => socket.local_addr()?.to_string(),
            Self::Uds(_, path) => path.clone(),
        })
    }

    /// The receiving end proper: the socket that samples come from.
    pub fn accept(self, options: &Options) -> Result<Receiver> {
        let fd: OwnedFd = match self {
            Self::Udp(socket) => socket.into(),
            Self::Tcp(listener) => listener.accept()?.0.into(),
            Self::Uds(listener, path) => {
                let stream = listener.accept()?.0;
                fs::remove_file(path)?;
                stream.into()
            }
        };
        Receiver::new(options, fd)
    }
}

/// As `recv` of the C library: a function around the system call.
#[inline(never)]
fn library_recv(fd: &OwnedFd, buffer: &mut [u8], flags: RecvFlags) -> rustix::io::Result<usize> {
    recv(fd, buffer, flags).map(|(_, bytes)| bytes)
}

/// As `send` of the C library.
#[inline(never)]
fn library_send(fd: &OwnedFd, bytes: &[u8]) -> rustix::io::Result<usize> {
    send(fd, bytes, SendFlags::NOSIGNAL)
}

/// Sends samples of one size.
pub struct Sender {
    fd: OwnedFd,
    library: bool,
    frame: Vec<u8>,
    header: usize,
}

impl Sender {
    pub fn connect(options: &Options, address: &str) -> Result<Self> {
        let parsed =
            || address.parse::<SocketAddr>().map_err(|e| text_error(format!("{address}: {e}")));
        let fd: OwnedFd = match options.transport {
            Transport::Udp => {
                let socket = UdpSocket::bind("127.0.0.1:0")?;
                socket.connect(parsed()?)?;
                socket.into()
            }
            Transport::Tcp => {
                let stream = TcpStream::connect(parsed()?)?;
                stream.set_nodelay(true)?;
                stream.into()
            }
            Transport::Uds => UnixStream::connect(address)?.into(),
        };
        Ok(Self::new(options, fd))
    }

    /// To where the samples come from.
    pub fn back(options: &Options, receiver: &Receiver) -> Result<Self> {
        let fd = receiver.fd.try_clone()?;
        set_tcp_nodelay(&fd, true)?;
        Ok(Self::new(options, fd))
    }

    fn new(options: &Options, fd: OwnedFd) -> Self {
        let sample = HEADER + options.size;
        let (header, bytes) = if options.transport == Transport::Udp {
            (0, sample)
        } else {
            (LENGTH, LENGTH + sample + TRAILER)
        };
        let mut frame = vec![0; bytes];
        frame[..header].copy_from_slice(&((bytes - header) as u32).to_le_bytes()[..header]);
        Self { fd, library: options.library, frame, header }
    }

    /// Sends one sample with this number in its header.
    #[inline(always)]
    pub fn send(&mut self, number: u64) -> Result<()> {
        let at = self.header;
        self.frame[at..at + 8].copy_from_slice(&number.to_le_bytes());
        let mut rest = &self.frame[..];
        while !rest.is_empty() {
            let sent = if self.library {
                library_send(&self.fd, rest)?
            } else {
                send(&self.fd, rest, SendFlags::NOSIGNAL)?
            };
            rest = &rest[sent..];
        }
        Ok(())
    }

    /// Sends a text, outside any measurement.
    pub fn send_text(&mut self, text: &str) -> Result<()> {
        let at = self.header;
        self.frame[at + 8..at + HEADER].fill(0);
        self.frame[at + 8..][..text.len()].copy_from_slice(text.as_bytes());
        self.send(0)
    }
}

/// Receives samples.
pub struct Receiver {
    fd: OwnedFd,
    library: bool,
    flags: RecvFlags,
    framed: bool,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl Receiver {
    fn new(options: &Options, fd: OwnedFd) -> Result<Self> {
        if options.wait == Wait::Waitset {
            set_socket_timeout(&fd, Timeout::Recv, Some(LIMIT))?;
        }
        let flags =
            if options.wait == Wait::Poll { RecvFlags::DONTWAIT } else { RecvFlags::empty() };
        let framed = options.transport != Transport::Udp;
        let buffer = vec![0; BUFFER.max(2 * (HEADER + options.size))];
        Ok(Self { fd, library: options.library, flags, framed, buffer, start: 0, end: 0 })
    }

    /// From where the samples go to.
    pub fn back(options: &Options, sender: &Sender) -> Result<Self> {
        Self::new(options, sender.fd.try_clone()?)
    }

    /// The bytes of the next sample, header first; `None` when the other side has closed.
    #[inline(always)]
    pub fn next(&mut self) -> Result<Option<&[u8]>> {
        loop {
            if self.framed && self.end - self.start >= LENGTH {
                let mut length = [0; LENGTH];
                length.copy_from_slice(&self.buffer[self.start..self.start + LENGTH]);
                let length = u32::from_le_bytes(length) as usize;
                if self.end - self.start >= LENGTH + length {
                    let from = self.start + LENGTH;
                    self.start = from + length;
                    return Ok(Some(&self.buffer[from..self.start]));
                }
            }
            if !self.framed || self.start == self.end {
                (self.start, self.end) = (0, 0);
            } else if self.end == self.buffer.len() {
                self.buffer.copy_within(self.start..self.end, 0);
                (self.start, self.end) = (0, self.end - self.start);
            }
            let space = &mut self.buffer[self.end..];
            let received = if self.library {
                library_recv(&self.fd, space, self.flags)
            } else {
                recv(&self.fd, space, self.flags).map(|(_, bytes)| bytes)
            };
            match received {
                Ok(0) => return Ok(None),
                Ok(bytes) if !self.framed => return Ok(Some(&self.buffer[..bytes])),
                Ok(bytes) => self.end += bytes,
                Err(Errno::AGAIN) if self.flags.contains(RecvFlags::DONTWAIT) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// As [`Receiver::next`], for a text.
    pub fn next_text(&mut self) -> Result<String> {
        let bytes = self.next()?.ok_or(ErrorKind::UnexpectedEof)?;
        let text: Vec<u8> = bytes[8..HEADER].iter().copied().take_while(|b| *b != 0).collect();
        String::from_utf8(text).map_err(|error| text_error(error.to_string()))
    }

    /// Gives up after a while from now on, whatever the strategy.
    pub fn limit(&mut self) -> Result<()> {
        Ok(set_socket_timeout(&self.fd, Timeout::Recv, Some(LIMIT))?)
    }
}
