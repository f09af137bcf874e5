//! Services: each request and each response is one datagram, of header, number and body. The number is the
//! client's; a response goes to the address that its request came from.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use busmark_adapter::{
    EndpointConfig, Error, Header, HotCell, LastError, Result, Service, Sink, Status, Unanswered,
};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recvfrom, send, sendto};

use crate::limit::Limit;
use crate::sockets::Sockets;
use crate::writer::is_loss;

type Hot<T> = std::result::Result<T, Status>;

/// Bytes of a request's number.
const NUMBER: usize = 8;
/// Bytes before a body.
const HEAD: usize = Header::BYTES + NUMBER;
/// No stamps of the system's.
const UNSTAMPED: (i64, i64) = (0, 0);

/// A request or a response as it is sent.
pub struct Message(Box<[u8]>);

impl Message {
    fn new(body: &[u8]) -> Self {
        Self([&[0; HEAD], body].concat().into())
    }

    #[inline]
    fn complete(&mut self, header: &Header, number: u64) -> &[u8] {
        self.0[..Header::BYTES].copy_from_slice(header.as_bytes());
        self.0[Header::BYTES..HEAD].copy_from_slice(&number.to_le_bytes());
        &self.0
    }
}

/// A socket, and the datagram that was received and not yet taken.
struct Receiving {
    socket: Arc<OwnedFd>,
    room: Box<[u8]>,
    /// Its length, and where it came from.
    datagram: Option<(usize, SocketAddr)>,
    limit: Limit,
}

impl Receiving {
    fn new(socket: &Arc<OwnedFd>, config: &EndpointConfig) -> Self {
        let room = vec![0; HEAD + config.max_body_bytes as usize].into();
        Self { socket: Arc::clone(socket), room, datagram: None, limit: Limit::default() }
    }

    /// One system call. What is no message leaves nothing to take. Hot; always inlined, for the first
    /// return from a function that a thread slept in is mispredicted.
    #[inline(always)]
    fn receive(&mut self, flags: RecvFlags) -> std::result::Result<(), Errno> {
        // With TRUNC the kernel gives the datagram's length even where it did not fit.
        let (_, bytes, from) =
            recvfrom(&*self.socket, &mut self.room[..], flags | RecvFlags::TRUNC)?;
        if (HEAD..=self.room.len()).contains(&bytes)
            && let Some(Ok(from)) = from.map(SocketAddr::try_from)
        {
            self.datagram = Some((bytes, from));
        }
        Ok(())
    }

    /// Sleeps in a receive until something comes or the time is over.
    #[inline(always)]
    fn receive_within(&mut self, timeout: Duration) -> std::result::Result<(), Errno> {
        if timeout.is_zero() {
            return self.receive(RecvFlags::DONTWAIT);
        }
        self.limit.set(&self.socket, timeout)?;
        self.receive(RecvFlags::empty())
    }

    #[inline(always)]
    fn wait(&mut self, timeout: Duration) -> Hot<()> {
        if self.datagram.is_some() {
            return Ok(());
        }
        match self.receive_within(timeout) {
            Ok(()) if self.datagram.is_some() => Ok(()),
            Err(Errno::AGAIN) => Err(Status::Timeout),
            _ => self.wait_on(timeout),
        }
    }

    /// Something came that was no message, a signal, or an error that an earlier datagram met: the wait
    /// continues.
    #[cold]
    fn wait_on(&mut self, timeout: Duration) -> Hot<()> {
        let start = Instant::now();
        loop {
            let left = timeout.saturating_sub(start.elapsed());
            match self.receive_within(left) {
                Ok(()) if self.datagram.is_some() => return Ok(()),
                Err(Errno::AGAIN) => return Err(Status::Timeout),
                _ if left.is_zero() => return Err(Status::Timeout),
                _ => {}
            }
        }
    }

    /// The next message: where it came from, number, header, body.
    #[inline]
    fn next(&mut self) -> Option<(SocketAddr, u64, Header, &[u8])> {
        if self.datagram.is_none() {
            self.receive(RecvFlags::DONTWAIT).ok()?;
        }
        let (bytes, from) = self.datagram.take()?;
        let message = &self.room[..bytes];
        let header = Header::from_bytes(message)?;
        let (number, body) = message[Header::BYTES..].split_first_chunk()?;
        Some((from, u64::from_le_bytes(*number), header, body))
    }
}

/// What a request needs to be answered.
struct Asked {
    from: SocketAddr,
    number: u64,
}

/// Takes requests from whoever sends to its socket, and answers them from there.
pub struct UdpServer {
    socket: Arc<OwnedFd>,
    locator: String,
    receiving: HotCell<Receiving>,
    unanswered: Unanswered<Asked>,
    failure: LastError,
}

impl UdpServer {
    /// Receives on an address of its own, or in the service's group.
    pub fn new(sockets: &Sockets, config: &EndpointConfig) -> Result<Self> {
        let (socket, locator) = sockets.serving(&config.topic)?;
        let socket = Arc::new(socket);
        Ok(Self {
            receiving: HotCell::new(Receiving::new(&socket, config)),
            socket,
            locator,
            unanswered: Unanswered::default(),
            failure: LastError::default(),
        })
    }
}

impl Service for UdpServer {
    type Sample = Message;

    fn prepare(&self, body: &[u8]) -> Result<Message> {
        Ok(Message::new(body))
    }

    #[inline]
    fn send(&self, sample: &mut Message, header: &Header, request: &mut u64) -> Hot<()> {
        let asked = self.unanswered.claim(*request).ok_or(Status::Invalid)?;
        let bytes = sample.complete(header, asked.number);
        deliver(|| sendto(&*self.socket, bytes, SendFlags::NOSIGNAL, &asked.from))
            .map_err(|errno| failed(&self.failure, Some(asked.from), errno))?;
        asked.answered();
        Ok(())
    }

    #[inline]
    fn take(&self, _max: usize, sink: &mut Sink) -> Hot<usize> {
        let mut receiving = self.receiving.get().ok_or(Status::Invalid)?;
        let (from, number, header, body) = receiving.next().ok_or(Status::NoData)?;
        let handle = self.unanswered.insert(Asked { from, number }).ok_or(Status::Resources)?;
        sink.deliver_request(handle, &header, body, UNSTAMPED);
        Ok(1)
    }

    #[inline(always)]
    fn wait(&self, timeout: Duration) -> Hot<()> {
        self.receiving.get().ok_or(Status::Invalid)?.wait(timeout)
    }

    fn forget(&self, request: u64) -> Hot<()> {
        self.unanswered.claim(request).ok_or(Status::Invalid)?.answered();
        Ok(())
    }

    fn last_error(&self) -> Option<Error> {
        self.failure.get()
    }

    fn locator(&self) -> Hot<String> {
        Ok(self.locator.clone())
    }
}

/// Sends once, and again where the socket reports an error that an earlier datagram met, and sent nothing.
#[inline]
fn deliver(
    mut send: impl FnMut() -> std::result::Result<usize, Errno>,
) -> std::result::Result<(), Errno> {
    if send().is_ok() {
        return Ok(());
    }
    loop {
        match send() {
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => {}
            // Lost, as best effort allows.
            Err(errno) if is_loss(errno) => return Ok(()),
            Err(errno) => return Err(errno),
        }
    }
}

#[cold]
fn failed(failure: &LastError, to: Option<SocketAddr>, errno: Errno) -> Status {
    let to = to.map_or_else(|| "the server".to_owned(), |to| to.to_string());
    failure.keep(Status::Failed.error(format!("send to {to}: {errno}")))
}

/// Sends requests to the server that it was connected to last.
pub struct UdpClient {
    sockets: Arc<Sockets>,
    socket: Arc<OwnedFd>,
    sending: HotCell<Sending>,
    receiving: HotCell<Receiving>,
    failure: LastError,
}

/// What the thread has that sends.
#[derive(Default)]
struct Sending {
    server: Server,
    /// Number of the last request.
    number: u64,
}

#[derive(Default)]
enum Server {
    /// Requests are lost.
    #[default]
    None,
    /// The socket is connected to it.
    Connected,
    /// It is in this group.
    Group(SocketAddr),
}

impl UdpClient {
    /// A client without a server.
    pub fn new(sockets: Arc<Sockets>, config: &EndpointConfig) -> Result<Self> {
        let socket = Arc::new(sockets.own()?);
        Ok(Self {
            receiving: HotCell::new(Receiving::new(&socket, config)),
            sockets,
            socket,
            sending: HotCell::new(Sending::default()),
            failure: LastError::default(),
        })
    }
}

impl Service for UdpClient {
    type Sample = Message;

    fn prepare(&self, body: &[u8]) -> Result<Message> {
        Ok(Message::new(body))
    }

    #[inline]
    fn send(&self, sample: &mut Message, header: &Header, request: &mut u64) -> Hot<()> {
        let mut sending = self.sending.get().ok_or(Status::Invalid)?;
        sending.number += 1;
        let bytes = sample.complete(header, sending.number);
        let flags = SendFlags::NOSIGNAL;
        match &sending.server {
            Server::Connected => deliver(|| send(&*self.socket, bytes, flags))
                .map_err(|errno| failed(&self.failure, None, errno))?,
            Server::Group(group) => deliver(|| sendto(&*self.socket, bytes, flags, group))
                .map_err(|errno| failed(&self.failure, Some(*group), errno))?,
            Server::None => {}
        }
        *request = sending.number;
        Ok(())
    }

    #[inline]
    fn take(&self, _max: usize, sink: &mut Sink) -> Hot<usize> {
        let mut receiving = self.receiving.get().ok_or(Status::Invalid)?;
        let (_, number, header, body) = receiving.next().ok_or(Status::NoData)?;
        sink.deliver_request(number, &header, body, UNSTAMPED);
        Ok(1)
    }

    #[inline(always)]
    fn wait(&self, timeout: Duration) -> Hot<()> {
        self.receiving.get().ok_or(Status::Invalid)?.wait(timeout)
    }

    fn last_error(&self) -> Option<Error> {
        self.failure.get()
    }

    fn connect(&self, locator: &str) -> Result<()> {
        let busy = || Status::Invalid.error("the client is in use by another thread");
        let mut sending = self.sending.get().ok_or_else(busy)?;
        sending.server = match self.sockets.point_to(&self.socket, locator)? {
            None => Server::Connected,
            Some(group) => Server::Group(group),
        };
        Ok(())
    }
}
