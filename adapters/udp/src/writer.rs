//! The writer: a connected socket for each address that samples go to.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use busmark_adapter::{
    Batch, EndpointConfig, Error, Header, HotCell, LastError, Payload, Result, Status, Writer,
};
use rustix::io::Errno;
use rustix::net::{SendFlags, send};

use crate::many;
use crate::sockets::Sockets;

/// Sends samples of one topic.
pub struct UdpWriter {
    hot: HotCell<Vec<Target>>,
    failure: LastError,
    sockets: Arc<Sockets>,
    payload: Payload,
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
            failure: LastError::default(),
            sockets,
            payload: config.payload,
        }
    }
}

impl UdpWriter {
    #[cold]
    fn failed(&self, target: &Target, errno: Errno) -> Status {
        self.failure.keep(Status::Failed.error(format!("send to {}: {errno}", target.address)))
    }
}

/// What the network answers where a best-effort sample is lost, not the writer at fault: nobody there,
/// no way there, a full queue, a firewall.
pub fn is_loss(errno: Errno) -> bool {
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

/// The next send reports an error that an earlier datagram met, and then sends nothing: that one is
/// tried again.
#[cold]
fn send_again(target: &Target, bytes: &[u8]) -> std::result::Result<(), Errno> {
    loop {
        match send(&target.socket, bytes, SendFlags::NOSIGNAL) {
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(errno) if is_loss(errno) => return Ok(()),
            Err(errno) => return Err(errno),
        }
    }
}

/// Sends all of them to one address; how many were sent, and what the next one met.
fn send_all(target: &Target, batch: &Batch<Datagram>) -> (usize, std::result::Result<(), Errno>) {
    let mut sent = 0;
    while sent < batch.len() {
        let rest = batch.iter().skip(sent);
        match many::send(&target.socket, rest.map(|(d, header)| (header, &d.0[Header::BYTES..]))) {
            Ok(taken) => sent += taken,
            // Told of an earlier datagram: the same as in `send_again`.
            Err(Errno::INTR | Errno::CONNREFUSED) => {}
            Err(errno) if is_loss(errno) => sent += 1,
            Err(errno) => return (sent, Err(errno)),
        }
    }
    (sent, Ok(()))
}

impl Writer for UdpWriter {
    type Sample = Datagram;

    fn prepare(&self, body: &[u8]) -> Result<Datagram> {
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
                send_again(target, bytes).map_err(|errno| self.failed(target, errno))?;
            }
        }
        Ok(())
    }

    fn write_many(&self, batch: &Batch<Datagram>) -> (usize, std::result::Result<(), Status>) {
        let Some(targets) = self.hot.get() else { return (0, Err(Status::Invalid)) };
        for target in targets.iter() {
            let (sent, outcome) = send_all(target, batch);
            if let Err(errno) = outcome {
                return (sent, Err(self.failed(target, errno)));
            }
        }
        (batch.len(), Ok(()))
    }

    fn last_error(&self) -> Option<Error> {
        self.failure.get()
    }

    fn connect(&self, locator: &str) -> Result<()> {
        let address = self.sockets.address_of(locator)?;
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
