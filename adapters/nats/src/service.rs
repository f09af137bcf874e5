//! Services: requests with a subject for the answer.
//!
//! A client has one inbox for all of its answers, as clients of NATS have: it subscribes to
//! `_INBOX.NAME.*`, and the answer to a request goes to `_INBOX.NAME.NUMBER`. The server answers to the subject
//! that the request names.

use std::ffi::{CStr, CString};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use busmark_adapter::{
    EndpointConfig, Error, Header, HotCell, LastError, Match, Result, Service, Sink, Status,
    Unanswered,
};
use busmark_server::{Sample, Shape};

use crate::connection::{Asked, Link, Received};
use crate::ffi::{NO_RESPONDERS, SLOW_CONSUMER, TIMEOUT};
use crate::participant::Membership;
use crate::presence::{Member, Side};

type Hot<T> = std::result::Result<T, Status>;

/// NATS stamps no messages.
const UNSTAMPED: (i64, i64) = (0, 0);
/// Hexadecimal digits of a request's number.
const DIGITS: usize = 16;

/// Messages of a subscription, of which a thread takes those that are requests or responses.
struct Incoming {
    queue: Asked,
    /// What a wait has found.
    found: HotCell<Option<Received>>,
    shape: Shape,
}

impl Incoming {
    fn new(link: &Arc<Link>, subject: &CStr, config: &EndpointConfig) -> Result<Self> {
        let queue = Asked::new(link, subject)?;
        Ok(Self { queue, found: HotCell::new(None), shape: Shape::new(config) })
    }

    /// The next one, if it comes within this time. The server's word that nobody answers is passed over.
    #[inline]
    fn next(&self, timeout_ms: i64) -> Hot<Received> {
        loop {
            match self.queue.next(timeout_ms) {
                Ok(message) if self.shape.read(message.payload()).is_some() => return Ok(message),
                Ok(_) | Err(SLOW_CONSUMER | NO_RESPONDERS) => {}
                Err(TIMEOUT) => return Err(Status::Timeout),
                Err(_) => return Err(Status::Failed),
            }
        }
    }

    /// Gives at most `max` to `give`, which tells whether it took one; how many, never 0.
    #[inline]
    fn take(&self, max: usize, mut give: impl FnMut(&Shape, Received) -> Hot<bool>) -> Hot<usize> {
        let mut found = self.found.get().ok_or(Status::Invalid)?;
        let mut count = 0;
        while count < max {
            match found.take().map_or_else(|| self.next(0), Ok) {
                Ok(message) => count += usize::from(give(&self.shape, message)?),
                Err(Status::Timeout) if count == 0 => return Err(Status::NoData),
                Err(status) if count == 0 => return Err(status),
                Err(_) => break,
            }
        }
        Ok(count)
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> Hot<()> {
        let mut found = self.found.get().ok_or(Status::Invalid)?;
        if found.is_none() {
            // The library knows milliseconds; less than one becomes one.
            let whole = timeout.as_nanos().div_ceil(1_000_000);
            *found = Some(self.next(i64::try_from(whole).unwrap_or(i64::MAX))?);
        }
        Ok(())
    }
}

/// A client.
pub struct NatsClient {
    // Ends first: then nobody is told that a client has gone which still receives.
    answers: Incoming,
    member: Member,
    link: Arc<Link>,
    requests: CString,
    /// Where the answer to a request goes; its number is written in.
    reply: HotCell<Vec<u8>>,
    next: AtomicU64,
    failure: LastError,
    shape: Shape,
}

impl NatsClient {
    pub(crate) fn new(here: &Membership, config: &EndpointConfig) -> Result<Self> {
        let names = here.names(&config.topic)?;
        here.check_size(config)?;
        let inbox = here.link.inbox()?;
        let all = [inbox.as_bytes(), b".*"].concat();
        let answers = Incoming::new(&here.link, &CString::new(all).unwrap_or_default(), config)?;
        let reply = [inbox.as_bytes(), b".", &[b'0'; DIGITS], b"\0"].concat();
        Ok(Self {
            answers,
            // Which flushes: whoever hears of this client can reach it.
            member: here.presence.join(names.ends(), Side::Writer)?,
            link: Arc::clone(&here.link),
            requests: names.requests(),
            reply: HotCell::new(reply),
            next: AtomicU64::new(0),
            failure: LastError::default(),
            shape: Shape::new(config),
        })
    }
}

/// Writes the number into the last digits of a subject, which ends with a zero.
#[inline]
fn write_number(subject: &mut [u8], number: u64) {
    const HEXADECIMAL: &[u8; 16] = b"0123456789abcdef";
    let start = subject.len() - 1 - DIGITS;
    for (digits, byte) in subject[start..].chunks_exact_mut(2).zip(number.to_be_bytes()) {
        digits[0] = HEXADECIMAL[usize::from(byte >> 4)];
        digits[1] = HEXADECIMAL[usize::from(byte & 15)];
    }
}

/// The number in the last digits of a subject.
#[inline]
fn read_number(subject: &[u8]) -> Option<u64> {
    let digits = &subject[subject.len().checked_sub(DIGITS)?..];
    digits.iter().try_fold(0, |number, digit| {
        Some(number << 4 | u64::from(char::from(*digit).to_digit(16)?))
    })
}

impl Service for NatsClient {
    type Sample = Sample;

    fn prepare(&self, body: &[u8]) -> Result<Sample> {
        Ok(Sample::new(&self.shape, body))
    }

    #[inline]
    fn send(&self, sample: &mut Sample, header: &Header, request: &mut u64) -> Hot<()> {
        let mut reply = self.reply.get().ok_or(Status::Invalid)?;
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        write_number(&mut reply, number);
        let reply = CStr::from_bytes_with_nul(&reply).map_err(|_| Status::Failed)?;
        self.link
            .ask(&self.requests, reply, sample.stamped(header))
            .map_err(|error| self.failure.keep(error))?;
        *request = number;
        Ok(())
    }

    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> Hot<usize> {
        self.answers.take(max, |shape, message| {
            let number = read_number(message.subject().to_bytes());
            let (Some(number), Some((header, body))) = (number, shape.read(message.payload()))
            else {
                return Ok(false);
            };
            sink.deliver_request(number, &header, body, UNSTAMPED);
            Ok(true)
        })
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> Hot<()> {
        self.answers.wait(timeout)
    }

    fn matched(&self) -> Hot<Match> {
        Ok(Match { count: self.member.others(), changed_ns: 0 })
    }

    fn last_error(&self) -> Option<Error> {
        self.failure.get()
    }
}

/// A server.
pub struct NatsServer {
    // As above.
    requests: Incoming,
    member: Member,
    link: Arc<Link>,
    /// They know where their answer goes.
    unanswered: Unanswered<Received>,
    failure: LastError,
    shape: Shape,
}

impl NatsServer {
    pub(crate) fn new(here: &Membership, config: &EndpointConfig) -> Result<Self> {
        let names = here.names(&config.topic)?;
        here.check_size(config)?;
        Ok(Self {
            requests: Incoming::new(&here.link, &names.requests(), config)?,
            // As above.
            member: here.presence.join(names.ends(), Side::Reader)?,
            link: Arc::clone(&here.link),
            unanswered: Unanswered::default(),
            failure: LastError::default(),
            shape: Shape::new(config),
        })
    }
}

impl Service for NatsServer {
    type Sample = Sample;

    fn prepare(&self, body: &[u8]) -> Result<Sample> {
        Ok(Sample::new(&self.shape, body))
    }

    #[inline]
    fn send(&self, sample: &mut Sample, header: &Header, request: &mut u64) -> Hot<()> {
        let asked = self.unanswered.claim(*request).ok_or(Status::Invalid)?;
        self.link
            .answer(&asked, sample.stamped(header))
            .map_err(|error| self.failure.keep(error))?;
        drop(asked.answered());
        Ok(())
    }

    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> Hot<usize> {
        self.requests.take(max, |_, message| {
            let handle = self.unanswered.insert(message).ok_or(Status::Resources)?;
            // Nobody else knows its handle before the sink has it.
            let asked = self.unanswered.claim(handle).ok_or(Status::Failed)?;
            let sample = self.shape.read(asked.payload());
            let (header, body) = sample.ok_or(Status::Failed)?;
            sink.deliver_request(handle, &header, body, UNSTAMPED);
            Ok(true)
        })
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> Hot<()> {
        self.requests.wait(timeout)
    }

    fn forget(&self, request: u64) -> Hot<()> {
        drop(self.unanswered.claim(request).ok_or(Status::Invalid)?.answered());
        Ok(())
    }

    fn matched(&self) -> Hot<Match> {
        Ok(Match { count: self.member.others(), changed_ns: 0 })
    }

    fn last_error(&self) -> Option<Error> {
        self.failure.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_as_it_was_written() {
        let mut subject = b"_INBOX.name.0000000000000000\0".to_vec();
        for number in [0, 1, 15, 16, 0x0123_4567_89ab_cdef, u64::MAX, 7] {
            write_number(&mut subject, number);
            let text = CStr::from_bytes_with_nul(&subject).expect("a text");
            assert!(text.to_bytes().starts_with(b"_INBOX.name."));
            assert_eq!(read_number(text.to_bytes()), Some(number), "{text:?}");
        }
        for other in [&b""[..], b"1", b"_INBOX.name.000000000000000g"] {
            assert_eq!(read_number(other), None);
        }
    }
}
