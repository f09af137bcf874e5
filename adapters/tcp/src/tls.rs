//! TLS over a connection: the handshake, then records of rustls in memory that is ours.
//!
//! rustls is driven by its unbuffered interface: it encrypts into, and decrypts from, the memory that
//! the system sends from and receives into. So a sample of up to 16 KiB is one record and one call.

use std::os::fd::OwnedFd;
use std::sync::{Mutex, PoisonError};

use busmark_adapter::{Error, Result, Status};
use busmark_sockets::{CONNECT_LIMIT, Over, RECORD_HEADER, Shield, os_error};
use busmark_tls::rustls;
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{RecvFlags, SendFlags, recv, send};
use rustls::client::{ClientConnectionData, UnbufferedClientConnection};
use rustls::server::{ServerConnectionData, UnbufferedServerConnection};
use rustls::unbuffered::{
    ConnectionState, EncodeError, EncryptError, InsufficientSizeError, UnbufferedStatus,
};

/// Bytes of plaintext in one record, at most.
const PLAIN: usize = 16 << 10;
/// What a record adds, at most: header, type and tag.
const ADDED: usize = RECORD_HEADER + 1 + 16;
/// Bytes of a record's content, at most.
const CONTENT: usize = PLAIN + 256;

/// A connection of rustls, of either side.
pub(crate) trait Session: Send {
    /// What the other side of the border differs in.
    type Data;

    /// As rustls has it.
    fn process<'c, 'i>(
        &'c mut self,
        received: &'i mut [u8],
    ) -> UnbufferedStatus<'c, 'i, Self::Data>;
}

impl Session for UnbufferedClientConnection {
    type Data = ClientConnectionData;

    fn process<'c, 'i>(
        &'c mut self,
        received: &'i mut [u8],
    ) -> UnbufferedStatus<'c, 'i, Self::Data> {
        self.process_tls_records(received)
    }
}

impl Session for UnbufferedServerConnection {
    type Data = ServerConnectionData;

    fn process<'c, 'i>(
        &'c mut self,
        received: &'i mut [u8],
    ) -> UnbufferedStatus<'c, 'i, Self::Data> {
        self.process_tls_records(received)
    }
}

/// A connection after its handshake. The lock is held while records are made or opened, never while a
/// call of the system waits.
pub(crate) struct Tls<S>(Mutex<S>);

impl<S: Session> Tls<S> {
    /// The handshake, within the limits of connecting.
    pub(crate) fn shake_hands(mut session: S, socket: &OwnedFd) -> Result<Self> {
        set_socket_timeout(socket, Timeout::Recv, Some(CONNECT_LIMIT))
            .and_then(|()| set_socket_timeout(socket, Timeout::Send, Some(CONNECT_LIMIT)))
            .map_err(|errno| os_error("time limit", errno))?;
        let (mut received, mut out) = (Vec::new(), Vec::new());
        loop {
            let next = step(&mut session, &mut received, &mut out);
            if !out.is_empty() {
                // An alert is sent, too: the other side is to know why.
                let sent = send_all(socket, &out);
                out.clear();
                if next.is_ok() {
                    sent.map_err(|errno| os_error("TLS handshake", errno))?;
                }
            }
            match next? {
                Next::Receive => receive_record(socket, &mut received)?,
                Next::Step => {}
                Next::Done => break,
            }
        }
        set_socket_timeout(socket, Timeout::Recv, None)
            .and_then(|()| set_socket_timeout(socket, Timeout::Send, None))
            .map_err(|errno| os_error("time limit", errno))?;
        Ok(Self(Mutex::new(session)))
    }
}

enum Next {
    Receive,
    Step,
    Done,
}

fn step<S: Session>(session: &mut S, received: &mut Vec<u8>, out: &mut Vec<u8>) -> Result<Next> {
    let UnbufferedStatus { discard, state, .. } = session.process(received);
    let next = match state {
        Ok(ConnectionState::EncodeTlsData(mut data)) => {
            append(out, |room| data.encode(room)).map(|()| Next::Step)
        }
        Ok(ConnectionState::TransmitTlsData(data)) => {
            data.done();
            Ok(Next::Step)
        }
        Ok(ConnectionState::BlockedHandshake) => Ok(Next::Receive),
        Ok(ConnectionState::WriteTraffic(_)) => Ok(Next::Done),
        Ok(_) => Err(failed("the other side ended it")),
        Err(error) => {
            // What rustls has to say to the other side about it.
            if let UnbufferedStatus {
                state: Ok(ConnectionState::EncodeTlsData(mut data)), ..
            } = session.process(&mut [])
            {
                let _ = append(out, |room| data.encode(room));
            }
            return Err(failed(&error.to_string()));
        }
    };
    received.drain(..discard);
    next
}

fn failed(why: &str) -> Error {
    Status::Failed.error(format!("TLS handshake: {why}"))
}

/// Appends what `encode` gives for room enough.
fn append(
    out: &mut Vec<u8>,
    mut encode: impl FnMut(&mut [u8]) -> std::result::Result<usize, EncodeError>,
) -> Result<()> {
    let start = out.len();
    out.resize(start + CONTENT, 0);
    loop {
        match encode(&mut out[start..]) {
            Ok(bytes) => {
                out.truncate(start + bytes);
                return Ok(());
            }
            Err(EncodeError::InsufficientSize(InsufficientSizeError { required_size })) => {
                out.resize(start + required_size, 0);
            }
            Err(error) => {
                out.truncate(start);
                return Err(failed(&error.to_string()));
            }
        }
    }
}

fn send_all(socket: &OwnedFd, mut bytes: &[u8]) -> std::result::Result<(), Errno> {
    while !bytes.is_empty() {
        match send(socket, bytes, SendFlags::NOSIGNAL) {
            Ok(sent) => bytes = &bytes[sent..],
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

/// Receives one record and nothing of what follows it.
fn receive_record(socket: &OwnedFd, into: &mut Vec<u8>) -> Result<()> {
    let mut header = [0; RECORD_HEADER];
    receive_all(socket, &mut header)?;
    let bytes = record(header).ok_or_else(|| failed("the other side does not speak TLS"))?;
    let start = into.len();
    into.extend_from_slice(&header);
    into.resize(start + bytes, 0);
    receive_all(socket, &mut into[start + RECORD_HEADER..])
}

fn receive_all(socket: &OwnedFd, bytes: &mut [u8]) -> Result<()> {
    let mut heard = 0;
    while heard < bytes.len() {
        match recv(socket, &mut bytes[heard..], RecvFlags::empty()) {
            Ok((0, _)) => return Err(failed("the other side closed the connection")),
            Ok((n, _)) => heard += n,
            Err(Errno::INTR) => {}
            Err(errno) => return Err(os_error("TLS handshake", errno)),
        }
    }
    Ok(())
}

/// Bytes of the record with this header: type, version, length.
fn record(header: [u8; RECORD_HEADER]) -> Option<usize> {
    let [kind, major, _, high, low] = header;
    let content = usize::from(u16::from_be_bytes([high, low]));
    let is_record = (20..=23).contains(&kind) && major == 3 && content <= CONTENT;
    is_record.then_some(RECORD_HEADER + content)
}

impl<S: Session> Shield for Tls<S> {
    fn seal(&self, plain: &[u8], out: &mut Vec<u8>) -> std::result::Result<usize, Over> {
        let mut session = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Nothing is allocated here once the largest sample has been written.
        let room = plain.len() + (plain.len() / PLAIN + 1) * ADDED;
        if out.len() < room {
            out.resize(room, 0);
        }
        let mut end = 0;
        loop {
            match session.process(&mut []).state {
                Ok(ConnectionState::WriteTraffic(mut traffic)) => {
                    match traffic.encrypt(plain, &mut out[end..]) {
                        Ok(bytes) => return Ok(end + bytes),
                        Err(EncryptError::InsufficientSize(needed)) => {
                            out.resize(end + needed.required_size, 0);
                        }
                        Err(_) => return Err(Over),
                    }
                }
                // A new key, after as many records as the cipher allows with one.
                Ok(ConnectionState::EncodeTlsData(mut data)) => {
                    // The same place would be too short for both.
                    out.resize(end + CONTENT + room, 0);
                    end += data.encode(&mut out[end..]).map_err(|_| Over)?;
                }
                Ok(ConnectionState::TransmitTlsData(data)) => data.done(),
                _ => return Err(Over),
            }
        }
    }

    fn open(
        &self,
        received: &mut [u8],
        plain: &mut dyn FnMut(&[u8]),
    ) -> std::result::Result<usize, Over> {
        let mut session = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut opened = 0;
        loop {
            let UnbufferedStatus { mut discard, state, .. } =
                session.process(&mut received[opened..]);
            match state {
                Ok(ConnectionState::ReadTraffic(mut traffic)) => {
                    while let Some(record) = traffic.next_record() {
                        let record = record.map_err(|_| Over)?;
                        discard += record.discard;
                        plain(record.payload);
                    }
                }
                Ok(ConnectionState::WriteTraffic(_)) => return Ok(opened + discard),
                // Nothing that this side has to say goes with what it receives.
                _ => return Err(Over),
            }
            opened += discard;
        }
    }

    fn record(&self, header: [u8; RECORD_HEADER]) -> Option<usize> {
        record(header)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;

    use busmark_tls::Identity;
    use busmark_tls::testing::Authority;

    use super::*;

    /// Records that a key may seal here; rustls' own limit is 2^23 or 2^24.
    const LIMIT: u64 = 100;
    const SAMPLES: usize = 3000;

    fn connected() -> (Tls<UnbufferedClientConnection>, Tls<UnbufferedServerConnection>) {
        let authority = Authority::new();
        let identity = |name| {
            let identity = Identity::read(&authority.identity(name)).expect("an identity");
            identity.with_key_limit(LIMIT)
        };
        let client = Arc::new(identity("client").client_config().expect("a configuration"));
        let server = Arc::new(identity("server").server_config().expect("a configuration"));
        let name = "127.0.0.1".try_into().expect("a name");
        let (near, far) = UnixStream::pair().expect("sockets");
        std::thread::scope(|scope| {
            let accepts = scope.spawn(|| {
                let session = UnbufferedServerConnection::new(server).expect("a session");
                Tls::shake_hands(session, &OwnedFd::from(far)).expect("a handshake")
            });
            let session = UnbufferedClientConnection::new(client, name).expect("a session");
            let connects = Tls::shake_hands(session, &OwnedFd::from(near)).expect("a handshake");
            (connects, accepts.join().expect("a handshake"))
        })
    }

    /// Seals here, opens there; whether a new key came with it.
    fn passes(from: &dyn Shield, to: &dyn Shield, plain: &[u8], sealed: &mut Vec<u8>) -> bool {
        let length = from.seal(plain, sealed).expect("sealed");
        let mut opened = Vec::new();
        let taken = to.open(&mut sealed[..length], &mut |bytes| opened.extend_from_slice(bytes));
        assert_eq!((taken, opened.as_slice()), (Ok(length), plain));
        length > plain.len() + plain.len().div_ceil(PLAIN) * ADDED
    }

    #[test]
    fn keys_are_replaced_before_they_have_sealed_as_many_records_as_they_may() {
        let (near, far) = connected();
        let (mut there, mut back) = (Vec::new(), Vec::new());
        let (mut keys, mut records) = (0, 0);
        for number in 0..SAMPLES {
            // Some of several records.
            let plain =
                vec![number.to_le_bytes()[0]; if number % 50 == 0 { 3 * PLAIN } else { 20 }];
            keys += u64::from(passes(&near, &far, &plain, &mut there));
            records += plain.len().div_ceil(PLAIN) as u64;
            if number % 7 == 0 {
                passes(&far, &near, &plain, &mut back);
            }
        }
        assert!(keys >= records / LIMIT, "{keys} keys for {records} records");
        let grown = there.capacity();
        passes(&near, &far, &vec![0; 3 * PLAIN], &mut there);
        assert_eq!(there.capacity(), grown, "memory grows");
    }
}
