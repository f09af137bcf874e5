//! The first words on a connection, by which both sides know that the other is there and is Busmark.

use std::os::fd::AsFd;

use busmark_adapter::{Result, Status};
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{RecvFlags, SendFlags, recv, send};

use crate::CONNECT_LIMIT;
use crate::errors::os_error;

const HELLO: &[u8; 8] = b"busmark1";
const WELCOME: &[u8; 8] = b"welcome1";

/// The writer's part: says hello and waits for the welcome, after which samples will be received.
pub(crate) fn say_hello(socket: impl AsFd, domain: u32, locator: &str) -> Result<()> {
    let mut hello = [0; 12];
    hello[..8].copy_from_slice(HELLO);
    hello[8..].copy_from_slice(&domain.to_le_bytes());
    send(&socket, &hello, SendFlags::NOSIGNAL).map_err(|errno| os_error(locator, errno))?;
    let mut answer = [0; 8];
    match hear(&socket, &mut answer) {
        Ok(()) if answer == *WELCOME => Ok(()),
        Ok(()) => Err(Status::Failed.error(format!("{locator}: not a reader of Busmark"))),
        Err(error) => {
            Err(os_error(format!("{locator}: the reader did not answer (domain {domain})"), error))
        }
    }
}

/// The reader's part, first half: whether a writer of this domain said hello.
pub(crate) fn hear_hello(socket: impl AsFd, domain: u32) -> bool {
    let mut hello = [0; 12];
    hear(socket, &mut hello).is_ok() && hello[..8] == *HELLO && hello[8..] == domain.to_le_bytes()
}

/// The reader's part, second half.
pub(crate) fn say_welcome(socket: impl AsFd) -> bool {
    send(socket, WELCOME, SendFlags::NOSIGNAL).is_ok()
}

/// Receives exactly this many bytes within the time limit, and takes the limit away again.
fn hear(socket: impl AsFd, bytes: &mut [u8]) -> std::result::Result<(), Errno> {
    set_socket_timeout(&socket, Timeout::Recv, Some(CONNECT_LIMIT))?;
    let mut heard = 0;
    while heard < bytes.len() {
        match recv(&socket, &mut bytes[heard..], RecvFlags::empty()) {
            Ok((0, _)) => return Err(Errno::CONNRESET),
            Ok((n, _)) => heard += n,
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    set_socket_timeout(&socket, Timeout::Recv, None)
}
