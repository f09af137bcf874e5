//! What protects the bytes of a connection, such as TLS.

use std::sync::Arc;

use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};

use crate::connections::Link;

/// Bytes that the ciphertext of one receive may have.
const READ: usize = 128 << 10;

/// The protection has failed or has ended: nothing more can be sent or received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Over;

/// Encrypts what is sent over one connection and decrypts what comes. Both directions may be used at
/// the same time.
pub trait Shield: Send + Sync {
    /// Puts what must be sent for `plain` at the front of `out`, which grows where it is too short; how
    /// many bytes these are. Hot.
    fn seal(&self, plain: &[u8], out: &mut Vec<u8>) -> Result<usize, Over>;

    /// Gives what the whole records at the front of `received` hold to `plain`; how many bytes they
    /// had. Hot.
    fn open(&self, received: &mut [u8], plain: &mut dyn FnMut(&[u8])) -> Result<usize, Over>;

    /// Bytes of the record that begins so; `None`: it is none.
    fn record(&self, header: [u8; RECORD_HEADER]) -> Option<usize>;
}

/// Bytes of a record from which its length is known.
pub const RECORD_HEADER: usize = 5;

/// Ciphertext that has been received and not been decrypted.
pub(crate) struct Sealed {
    bytes: Box<[u8]>,
    used: usize,
}

impl Sealed {
    pub(crate) fn new() -> Self {
        Self { bytes: vec![0; READ].into(), used: 0 }
    }

    /// One receive; how many bytes came, of which `plain` has what they hold. Hot.
    #[inline]
    pub(crate) fn receive(
        &mut self,
        link: &Link,
        shield: &dyn Shield,
        flags: RecvFlags,
        plain: &mut dyn FnMut(&[u8]),
    ) -> Result<usize, Errno> {
        let (bytes, _) = recv(&link.socket, &mut self.bytes[self.used..], flags)?;
        self.used += bytes;
        let opened =
            shield.open(&mut self.bytes[..self.used], plain).map_err(|Over| Errno::PROTO)?;
        self.bytes.copy_within(opened..self.used, 0);
        self.used -= opened;
        Ok(bytes)
    }
}

/// Sends these few bytes, protected if the connection is.
pub(crate) fn say(link: &Link, bytes: &[u8]) -> Result<(), Errno> {
    match link.shield() {
        None => send(&link.socket, bytes, SendFlags::NOSIGNAL).map(drop),
        Some(shield) => {
            let mut sealed = Vec::new();
            let length = shield.seal(bytes, &mut sealed).map_err(|Over| Errno::PROTO)?;
            send(&link.socket, &sealed[..length], SendFlags::NOSIGNAL).map(drop)
        }
    }
}

/// Receives exactly this many bytes, and takes nothing of what follows them.
pub(crate) fn hear(link: &Link, bytes: &mut [u8]) -> Result<(), Errno> {
    let Some(shield) = link.shield() else { return receive_all(link, bytes) };
    let mut heard = Vec::new();
    while heard.len() < bytes.len() {
        let mut header = [0; RECORD_HEADER];
        receive_all(link, &mut header)?;
        let mut record = vec![0; shield.record(header).ok_or(Errno::PROTO)?];
        record[..RECORD_HEADER].copy_from_slice(&header);
        receive_all(link, &mut record[RECORD_HEADER..])?;
        shield
            .open(&mut record, &mut |plain| heard.extend_from_slice(plain))
            .map_err(|Over| Errno::PROTO)?;
    }
    if heard.len() > bytes.len() {
        return Err(Errno::PROTO);
    }
    bytes.copy_from_slice(&heard);
    Ok(())
}

fn receive_all(link: &Link, bytes: &mut [u8]) -> Result<(), Errno> {
    let mut heard = 0;
    while heard < bytes.len() {
        match recv(&link.socket, &mut bytes[heard..], RecvFlags::empty()) {
            Ok((0, _)) => return Err(Errno::CONNRESET),
            Ok((n, _)) => heard += n,
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

/// Which side of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// It connects.
    Connects,
    /// It accepts.
    Accepts,
}

/// What protects a connection; `None`: nothing does.
pub type MaybeShield = Option<Arc<dyn Shield>>;
