//! How messages get to the agent: datagrams, or a stream with two octets of length before each (DDS-XRCE
//! 1.0, 11.2 and 11.3). Nothing here waits.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use zerodds_xrce::header::StreamId;
use zerodds_xrce::reliable::{ReliableConfig, ReliableStreamState};
use zerodds_xrce::submessages::AckNackPayload;
use zerodds_xrce::{Message, SubmessageId};
use zerodds_xrce_client::{ClientError, ClientTransport};

use crate::options::{Settings, WINDOW};

/// The streams that the client uses.
pub const RELIABLE: u8 = 0x80;
/// The same for best effort.
pub const BEST_EFFORT: u8 = 0x01;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(5);
/// A pause before the rest of a message is tried again, where the system's buffer is full.
const FULL: Duration = Duration::from_micros(50);
const LARGEST: usize = 65_535;

enum Socket {
    Udp(UdpSocket),
    Tcp(TcpStream),
}

/// The way to one agent.
pub struct Transport {
    socket: Socket,
    /// What of a stream has been read and is no whole message yet.
    received: Vec<u8>,
    chunk: Box<[u8]>,
    /// Messages in flight: the client counts them too, and gives no access to the count.
    shadow: ReliableStreamState,
    /// The number that the next message of the reliable stream has.
    fresh: u16,
    /// The next number of the best-effort stream, where messages are numbered here.
    next: Option<u16>,
    /// Why it works no more.
    pub broken: Option<String>,
}

impl Transport {
    /// Opens it; the second is to wait at.
    pub fn open(
        transport: &str,
        agent: SocketAddr,
        settings: &Settings,
    ) -> io::Result<(Self, OwnedFd)> {
        let socket = if transport == "tcp" {
            let stream = TcpStream::connect_timeout(&agent, CONNECT)?;
            stream.set_nodelay(settings.nodelay)?;
            stream.set_nonblocking(true)?;
            Socket::Tcp(stream)
        } else {
            let any = if agent.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
            let socket = UdpSocket::bind(any)?;
            socket.connect(agent)?;
            socket.set_nonblocking(true)?;
            Socket::Udp(socket)
        };
        let waiting = match &socket {
            Socket::Udp(socket) => socket.as_fd().try_clone_to_owned()?,
            Socket::Tcp(stream) => stream.as_fd().try_clone_to_owned()?,
        };
        let own = Self {
            socket,
            received: Vec::new(),
            chunk: vec![0; LARGEST].into_boxed_slice(),
            shadow: ReliableStreamState::new(StreamId(RELIABLE), ReliableConfig::default()),
            fresh: 0,
            next: settings.number_best_effort.then_some(1),
            broken: None,
        };
        Ok((own, waiting))
    }

    /// A session begins anew.
    pub fn reset(&mut self) {
        self.shadow = ReliableStreamState::new(StreamId(RELIABLE), ReliableConfig::default());
        self.fresh = 0;
        self.next = self.next.map(|_| 1);
    }

    /// How many messages the reliable stream takes now.
    pub fn room(&self) -> usize {
        WINDOW.saturating_sub(self.shadow.in_flight_count())
    }

    fn fail<T>(&mut self, error: &io::Error) -> Result<T, ClientError> {
        let text = match error.kind() {
            ErrorKind::ConnectionRefused => "nobody listens there".to_owned(),
            ErrorKind::UnexpectedEof => "it closed the connection".to_owned(),
            _ => error.to_string(),
        };
        self.broken.get_or_insert(text);
        Err(ClientError::Transport)
    }

    fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.socket {
            Socket::Udp(socket) => loop {
                match socket.send(bytes) {
                    Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(FULL),
                    sent => return sent.map(|_| ()),
                }
            },
            Socket::Tcp(stream) => {
                let length = u16::try_from(bytes.len()).map_err(|_| ErrorKind::InvalidInput)?;
                let frame = [&length.to_le_bytes(), bytes].concat();
                let mut rest = &frame[..];
                while !rest.is_empty() {
                    match stream.write(rest) {
                        Ok(count) => rest = &rest[count..],
                        Err(error) if error.kind() == ErrorKind::WouldBlock => {
                            std::thread::sleep(FULL);
                        }
                        Err(error) => return Err(error),
                    }
                }
                Ok(())
            }
        }
    }

    fn pull(&mut self) -> io::Result<Option<Vec<u8>>> {
        match &mut self.socket {
            Socket::Udp(socket) => match socket.recv(&mut self.chunk) {
                Ok(count) => Ok(Some(self.chunk[..count].to_vec())),
                Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
                Err(error) => Err(error),
            },
            Socket::Tcp(stream) => loop {
                if let Some((&length, rest)) = self.received.split_first_chunk() {
                    let length = usize::from(u16::from_le_bytes(length));
                    if let Some(message) = rest.get(..length) {
                        let message = message.to_vec();
                        self.received.drain(..2 + length);
                        return Ok(Some(message));
                    }
                }
                match stream.read(&mut self.chunk) {
                    Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                    Ok(count) => self.received.extend_from_slice(&self.chunk[..count]),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                    Err(error) => return Err(error),
                }
            },
        }
    }

    /// Notes what the agent has acknowledged.
    fn acknowledged(&mut self, message: &[u8]) {
        // STREAMID_NONE, on which acknowledgements are.
        if message.get(1) != Some(&0) {
            return;
        }
        let Ok(message) = Message::decode(message) else { return };
        for each in &message.submessages {
            if each.header.submessage_id == SubmessageId::AckNack
                && let Ok(ack) = AckNackPayload::try_from_submessage(each)
                && ack.stream_id == RELIABLE
            {
                self.shadow.recv_acknack(ack);
            }
        }
    }
}

impl ClientTransport for Transport {
    fn send(&mut self, payload: &[u8]) -> Result<(), ClientError> {
        let stream = payload.get(1).copied();
        let sent = match (stream, self.next) {
            (Some(BEST_EFFORT), Some(number)) => {
                self.next = Some(number.wrapping_add(1));
                let mut message = payload.to_vec();
                message[2..4].copy_from_slice(&number.to_le_bytes());
                self.push(&message)
            }
            _ => self.push(payload),
        };
        if let Err(error) = sent {
            return self.fail(&error);
        }
        // A message that is sent again has a number from before.
        let number = payload.get(2..4).map(|two| u16::from_le_bytes([two[0], two[1]]));
        if stream == Some(RELIABLE) && number == Some(self.fresh) {
            self.fresh = self.fresh.wrapping_add(1);
            let _ = self.shadow.submit(Vec::new());
        }
        Ok(())
    }

    fn try_recv(&mut self) -> Result<Option<Vec<u8>>, ClientError> {
        match self.pull() {
            Ok(Some(message)) => {
                self.acknowledged(&message);
                Ok(Some(message))
            }
            Ok(None) => Ok(None),
            Err(error) => self.fail(&error),
        }
    }
}
