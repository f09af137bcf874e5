//! The first words on a connection, by which both sides know that the other is there and is Busmark.

use busmark_adapter::{Error, Result, Status};
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};

use crate::CONNECT_LIMIT;
use crate::connections::Link;
use crate::errors::os_error;
use crate::shield;

/// Who connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Caller {
    /// A writer, to a reader.
    Writer,
    /// A client, to the server of its service.
    Client,
}

impl Caller {
    fn hello(self) -> &'static [u8; 8] {
        match self {
            Self::Writer => b"busmark1",
            Self::Client => b"busmark3",
        }
    }

    /// The other side.
    fn other(self) -> &'static str {
        match self {
            Self::Writer => "reader",
            Self::Client => "server",
        }
    }
}

/// Greeting of a writer that shares its connection.
const PAIR_HELLO: &[u8; 8] = b"busmark2";

/// What a reader answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Samples are received from this connection.
    Welcome,
    /// They are received from the connection that there is between the two participants.
    Already,
    /// The reader's participant has another peer.
    Refused,
}

impl Answer {
    const ALL: [Self; 3] = [Self::Welcome, Self::Already, Self::Refused];

    fn word(self) -> &'static [u8; 8] {
        match self {
            Self::Welcome => b"welcome1",
            Self::Already => b"already1",
            Self::Refused => b"refused1",
        }
    }
}

/// What a writer says that shares its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PairHello {
    /// The name of its participant.
    pub(crate) name: u64,
    /// It has accepted a connection from the reader's participant, and counts on it.
    pub(crate) has: bool,
}

/// The caller's part: says hello and waits for the welcome, after which what it sends will be received.
pub(crate) fn say_hello(link: &Link, caller: Caller, domain: u32, locator: &str) -> Result<()> {
    let mut hello = [0; 12];
    hello[..8].copy_from_slice(caller.hello());
    hello[8..].copy_from_slice(&domain.to_le_bytes());
    match exchange(link, caller, &hello, domain, locator)? {
        Answer::Welcome => Ok(()),
        _ => Err(nobody(caller, locator)),
    }
}

/// The writer's part where it shares its connection.
pub(crate) fn say_pair_hello(
    link: &Link,
    domain: u32,
    said: PairHello,
    locator: &str,
) -> Result<Answer> {
    let mut hello = [0; 21];
    hello[..8].copy_from_slice(PAIR_HELLO);
    hello[8..12].copy_from_slice(&domain.to_le_bytes());
    hello[12..20].copy_from_slice(&said.name.to_le_bytes());
    hello[20] = said.has.into();
    exchange(link, Caller::Writer, &hello, domain, locator)
}

fn nobody(caller: Caller, locator: &str) -> Error {
    Status::Failed.error(format!("{locator}: not a {} of Busmark", caller.other()))
}

fn exchange(
    link: &Link,
    caller: Caller,
    hello: &[u8],
    domain: u32,
    locator: &str,
) -> Result<Answer> {
    shield::say(link, hello).map_err(|errno| os_error(locator, errno))?;
    let mut heard = [0; 8];
    match hear(link, &mut heard) {
        Ok(()) => Answer::ALL
            .into_iter()
            .find(|answer| *answer.word() == heard)
            .ok_or_else(|| nobody(caller, locator)),
        Err(error) => {
            let other = caller.other();
            Err(os_error(format!("{locator}: the {other} did not answer (domain {domain})"), error))
        }
    }
}

/// The other side's part, first half: whether such a caller of this domain said hello.
pub(crate) fn hear_hello(link: &Link, caller: Caller, domain: u32) -> bool {
    let mut hello = [0; 12];
    hear(link, &mut hello).is_ok()
        && hello[..8] == *caller.hello()
        && hello[8..] == domain.to_le_bytes()
}

/// The same where the reader shares its connection: what a writer of this domain said.
pub(crate) fn hear_pair_hello(link: &Link, domain: u32) -> Option<PairHello> {
    let mut hello = [0; 21];
    hear(link, &mut hello).ok()?;
    let [said @ .., has] = &hello;
    let (greeting, name) = said.split_last_chunk()?;
    let known = greeting[..8] == *PAIR_HELLO && greeting[8..] == domain.to_le_bytes();
    known.then(|| PairHello { name: u64::from_le_bytes(*name), has: *has != 0 })
}

/// The other side's part, second half.
pub(crate) fn say(link: &Link, answer: Answer) -> bool {
    shield::say(link, answer.word()).is_ok()
}

/// Receives exactly this many bytes within the time limit, and takes the limit away again.
fn hear(link: &Link, bytes: &mut [u8]) -> std::result::Result<(), Errno> {
    set_socket_timeout(&link.socket, Timeout::Recv, Some(CONNECT_LIMIT))?;
    shield::hear(link, bytes)?;
    set_socket_timeout(&link.socket, Timeout::Recv, None)
}
