//! Connections of TCP, of which it is known whether the system takes more.

use std::io::{self, IoSlice};
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use busmark_adapter::{Error, Result, Status};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Notify;
use tonic::codegen::tokio_stream::Stream;
use tonic::transport::server::Connected;

use crate::options::Settings;

/// Connections that may wait to be accepted; the system's own limit is the same or lower.
const BACKLOG: u32 = 4096;

/// What failed at a socket.
pub fn failed(what: impl std::fmt::Display, error: &io::Error) -> Error {
    let status = match error.kind() {
        io::ErrorKind::ConnectionRefused | io::ErrorKind::TimedOut => Status::Unavailable,
        _ => Status::Failed,
    };
    status.error(format!("{what}: {error}"))
}

/// What the connections of an endpoint are doing.
#[derive(Debug, Default)]
pub struct Traffic {
    /// Open connections.
    open: AtomicU32,
    /// Connections of which the system does not take more at the moment.
    stalled: AtomicUsize,
    /// Bytes of messages that the system has not taken, of connections that count them.
    unsent: AtomicU64,
    /// One of these, or a stream's room, has changed.
    pub progress: Notify,
}

impl Traffic {
    /// Open connections.
    pub fn connections(&self) -> u32 {
        self.open.load(Ordering::Acquire)
    }

    /// Whether the system has not taken all that was sent.
    #[inline]
    pub fn is_left(&self) -> bool {
        self.stalled.load(Ordering::Relaxed) > 0 || self.unsent.load(Ordering::Relaxed) > 0
    }

    /// Waits until this is so, when all that can run has run. For the thread that drives.
    pub async fn until(&self, is_so: impl Fn() -> bool) {
        loop {
            tokio::task::yield_now().await;
            if is_so() {
                return;
            }
            self.progress.notified().await;
        }
    }
}

/// One connection, as others see it.
#[derive(Debug)]
pub struct Link {
    traffic: Arc<Traffic>,
    open: AtomicBool,
    stalled: AtomicBool,
    unsent: AtomicU64,
}

impl Link {
    /// Whether it has not been closed.
    pub fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire)
    }

    /// Whether the system takes no more at the moment.
    #[inline]
    pub fn is_stalled(&self) -> bool {
        self.stalled.load(Ordering::Relaxed)
    }

    /// A message with so many bytes is to be sent: HTTP/2 may hold back a part of it, and does not say so.
    /// Whoever calls this does so for all messages of the connection.
    #[inline]
    pub fn count(&self, bytes: usize) {
        self.unsent.fetch_add(bytes as u64, Ordering::Relaxed);
        self.traffic.unsent.fetch_add(bytes as u64, Ordering::Relaxed);
        if !self.is_open() {
            self.give_up();
        }
    }

    /// The system has taken so many bytes of messages.
    #[inline]
    fn sent(&self, bytes: u64) {
        // Nothing is to be subtracted where nobody counts.
        let counted = self.unsent.load(Ordering::Relaxed).min(bytes);
        if counted > 0 {
            self.unsent.fetch_sub(counted, Ordering::Relaxed);
            self.traffic.unsent.fetch_sub(counted, Ordering::Relaxed);
            self.traffic.progress.notify_one();
        }
    }

    /// What is left will not be sent.
    pub fn give_up(&self) {
        let unsent = self.unsent.swap(0, Ordering::Relaxed);
        self.traffic.unsent.fetch_sub(unsent, Ordering::Relaxed);
        self.traffic.progress.notify_one();
    }

    #[inline]
    fn stall(&self, stalled: bool) {
        if self.stalled.load(Ordering::Relaxed) != stalled {
            self.stalled.store(stalled, Ordering::Relaxed);
            if stalled {
                self.traffic.stalled.fetch_add(1, Ordering::Relaxed);
            } else {
                self.traffic.stalled.fetch_sub(1, Ordering::Relaxed);
            }
            self.traffic.progress.notify_one();
        }
    }
}

/// Follows the frames of HTTP/2 that are written.
#[derive(Debug)]
struct Frames {
    head: [u8; Self::HEAD],
    /// Bytes of the head that are known.
    known: usize,
    /// Bytes of the frame that are to come.
    left: usize,
    is_data: bool,
}

impl Frames {
    /// Bytes in front of a frame: three of its length, its type, and what is of no interest here.
    const HEAD: usize = 9;
    /// The type of frames with messages.
    const DATA: u8 = 0;
    /// What a client writes before the first frame.
    const PREFACE: usize = 24;

    fn new() -> Self {
        Self { head: [0; Self::HEAD], known: 0, left: Self::PREFACE, is_data: false }
    }

    /// How many of these bytes, which were written next, belong to messages.
    #[inline]
    fn data(&mut self, mut bytes: &[u8]) -> u64 {
        let mut data = 0;
        while !bytes.is_empty() {
            if self.left > 0 {
                let count = self.left.min(bytes.len());
                self.left -= count;
                bytes = &bytes[count..];
                data += if self.is_data { count as u64 } else { 0 };
                continue;
            }
            let count = (Self::HEAD - self.known).min(bytes.len());
            self.head[self.known..][..count].copy_from_slice(&bytes[..count]);
            self.known += count;
            bytes = &bytes[count..];
            if self.known == Self::HEAD {
                let [high, middle, low, kind, ..] = self.head;
                self.left = u32::from_be_bytes([0, high, middle, low]) as usize;
                self.is_data = kind == Self::DATA;
                self.known = 0;
            }
        }
        data
    }
}

/// A connection, as tonic uses it.
pub struct Connection {
    stream: TcpStream,
    link: Arc<Link>,
    /// Followed where the connection is a client's.
    frames: Option<Frames>,
}

impl Connection {
    fn new(stream: TcpStream, settings: &Settings, traffic: &Arc<Traffic>) -> io::Result<Self> {
        stream.set_nodelay(settings.nodelay)?;
        traffic.open.fetch_add(1, Ordering::AcqRel);
        let link = Arc::new(Link {
            traffic: Arc::clone(traffic),
            open: AtomicBool::new(true),
            stalled: AtomicBool::new(false),
            unsent: AtomicU64::new(0),
        });
        Ok(Self { stream, link, frames: None })
    }

    /// Connects from the interface.
    pub async fn connect(
        address: SocketAddr,
        settings: &Settings,
        traffic: &Arc<Traffic>,
    ) -> Result<Self> {
        let socket = bound(settings)?;
        let words = |error: io::Error| failed(format!("connect to {address}"), &error);
        let stream = socket.connect(address).await.map_err(words)?;
        let mut connection = Self::new(stream, settings, traffic).map_err(words)?;
        connection.frames = Some(Frames::new());
        Ok(connection)
    }

    /// As others see it.
    pub fn link(&self) -> &Arc<Link> {
        &self.link
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.link.stall(false);
        self.link.open.store(false, Ordering::Release);
        self.link.give_up();
        self.link.traffic.open.fetch_sub(1, Ordering::AcqRel);
        self.link.traffic.progress.notify_one();
    }
}

impl Connected for Connection {
    type ConnectInfo = Arc<Link>;

    fn connect_info(&self) -> Arc<Link> {
        Arc::clone(&self.link)
    }
}

impl AsyncRead for Connection {
    #[inline]
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Connection {
    #[inline]
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let Self { stream, link, frames } = &mut *self;
        let written = Pin::new(stream).poll_write(cx, bytes);
        link.stall(written.is_pending());
        if let (Some(frames), Poll::Ready(Ok(written))) = (frames, &written) {
            link.sent(frames.data(&bytes[..*written]));
        }
        written
    }

    #[inline]
    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let Self { stream, link, frames } = &mut *self;
        let written = Pin::new(stream).poll_write_vectored(cx, slices);
        link.stall(written.is_pending());
        if let (Some(frames), Poll::Ready(Ok(written))) = (frames, &written) {
            let mut left = *written;
            let mut data = 0;
            for slice in slices {
                let count = slice.len().min(left);
                data += frames.data(&slice[..count]);
                left -= count;
            }
            link.sent(data);
        }
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    #[inline]
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// A socket with its buffers, bound to the interface.
fn bound(settings: &Settings) -> Result<TcpSocket> {
    let words = |error: io::Error| failed("socket", &error);
    let socket = match settings.interface {
        IpAddr::V4(_) => TcpSocket::new_v4(),
        IpAddr::V6(_) => TcpSocket::new_v6(),
    };
    let socket = socket.map_err(words)?;
    settings.buffers.apply(&socket)?;
    let address = SocketAddr::new(settings.interface, 0);
    socket.bind(address).map_err(|error| failed(format!("bind to {address}"), &error))?;
    Ok(socket)
}

/// Tells now, and not at the first endpoint, what the system does not grant. Needs no runtime.
pub fn check(settings: &Settings) -> Result<()> {
    bound(settings).map(drop)
}

/// Connections that come in.
pub struct Incoming {
    listener: TcpListener,
    settings: Settings,
    traffic: Arc<Traffic>,
}

impl Incoming {
    /// Listens on the interface, at a port that nobody else has. Within a runtime.
    pub fn listen(settings: Settings, traffic: &Arc<Traffic>) -> Result<(Self, SocketAddr)> {
        let socket = bound(&settings)?;
        let listener = socket.listen(BACKLOG).map_err(|error| failed("listen", &error))?;
        let address = listener.local_addr().map_err(|error| failed("listen", &error))?;
        Ok((Self { listener, settings, traffic: Arc::clone(traffic) }, address))
    }
}

impl Stream for Incoming {
    type Item = io::Result<Connection>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let (stream, _) = ready!(self.listener.poll_accept(cx))?;
        Poll::Ready(Some(Connection::new(stream, &self.settings, &self.traffic)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_messages_are_counted_however_they_are_cut() {
        let frame = |kind: u8, bytes: usize| {
            let length = u32::try_from(bytes).expect("a length").to_be_bytes();
            [&length[1..], &[kind, 0, 0, 0, 0, 1], &vec![7; bytes]].concat()
        };
        let frames = [(4, 0), (1, 300), (0, 70_000), (8, 4), (0, 0), (0, 1), (0, 16_384)];
        let mut written = vec![0; Frames::PREFACE];
        for (kind, bytes) in frames {
            written.extend(frame(kind, bytes));
        }
        let data = frames.iter().filter(|(kind, _)| *kind == Frames::DATA).map(|f| f.1 as u64);
        let data: u64 = data.sum();
        for piece in [1, 2, 9, 13, 1000, written.len()] {
            let mut frames = Frames::new();
            let counted: u64 = written.chunks(piece).map(|bytes| frames.data(bytes)).sum();
            assert_eq!(counted, data, "in pieces of {piece}");
        }
    }
}
