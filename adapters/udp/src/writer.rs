//! The writer: a connected socket for each address that samples go to.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use busmark_adapter::{EndpointConfig, Header, HotCell, Payload, Result, Status, Writer};
use rustix::io::Errno;
use rustix::net::{SendFlags, send};

use crate::sockets::Sockets;

/// Sends samples of one topic.
pub struct UdpWriter {
    hot: HotCell<Vec<Target>>,
    sockets: Arc<Sockets>,
    payload: Payload,
    max_body_bytes: u64,
}

struct Target {
    socket: OwnedFd,
    address: SocketAddr,
}

/// A datagram: header and body.
pub struct Datagram(Box<[u8]>);

impl UdpWriter {
    /// A writer that sends to nobody yet.
    pub fn new(sockets: Arc<Sockets>, config: &EndpointConfig) -> Self {
        Self {
            hot: HotCell::new(Vec::new()),
            sockets,
            payload: config.payload,
            max_body_bytes: config.max_body_bytes,
        }
    }
}

/// What the network answers where a best-effort sample is lost, not the writer at fault: nobody there,
/// no way there, a full queue, a firewall.
fn is_loss(errno: Errno) -> bool {
    matches!(
        errno,
        Errno::CONNREFUSED
            | Errno::HOSTUNREACH
            | Errno::NETUNREACH
            | Errno::NETDOWN
            | Errno::NOBUFS
            | Errno::PERM
    )
}

/// An error that an earlier datagram met is told by the next send, which then sends nothing: that one
/// is tried again.
#[cold]
fn send_again(target: &Target, bytes: &[u8]) -> std::result::Result<(), Status> {
    loop {
        match send(&target.socket, bytes, SendFlags::NOSIGNAL) {
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(errno) if is_loss(errno) => return Ok(()),
            Err(_) => return Err(Status::Failed),
        }
    }
}

impl Writer for UdpWriter {
    type Sample = Datagram;

    fn prepare(&self, body: &[u8]) -> Result<Datagram> {
        if body.len() as u64 > self.max_body_bytes {
            return Err(Status::Invalid.error(format!(
                "a body of {} bytes: the writer was made for at most {}",
                body.len(),
                self.max_body_bytes
            )));
        }
        let header = [0; Header::BYTES];
        Ok(Datagram([&header[..], &self.payload.to_wire(body)].concat().into()))
    }

    #[inline(always)]
    fn write(&self, sample: &mut Datagram, header: &Header) -> std::result::Result<(), Status> {
        let bytes = &mut sample.0[..];
        bytes[..Header::BYTES].copy_from_slice(header.as_bytes());
        let targets = self.hot.get().ok_or(Status::Invalid)?;
        for target in targets.iter() {
            if send(&target.socket, bytes, SendFlags::NOSIGNAL).is_err() {
                send_again(target, bytes)?;
            }
        }
        Ok(())
    }

    fn connect(&self, locator: &str) -> Result<()> {
        let address: SocketAddr = locator.parse().map_err(|_| {
            Status::Invalid.error(format!("{locator:?} is not a locator of udp (ADDRESS:PORT)"))
        })?;
        let busy = || Status::Invalid.error("the writer is in use by another thread");
        let mut targets = self.hot.get().ok_or_else(busy)?;
        // All readers of a group have one locator, and one datagram reaches them all.
        if !targets.iter().any(|target| target.address == address) {
            let socket = self.sockets.connected(address)?;
            targets.push(Target { socket, address });
        }
        Ok(())
    }
}
