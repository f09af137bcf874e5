//! A socket that several threads share: one takes, others send.
//!
//! The library's sockets are for one thread at a time, so each call is made under a lock, and nobody sleeps
//! with it: the thread that waits sleeps on the socket's descriptor. That tells of changes only, and any
//! call may take note of one in its place. So a thread that has sent looks whether there is a message, where
//! another sleeps, and rings a bell.

use std::os::fd::{BorrowedFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use busmark_adapter::{Header, HotCell, Result, Status};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

use crate::ffi;
use crate::socket::{Message, Socket};

type Hot<T> = std::result::Result<T, Status>;

/// How long a thread sleeps that finds a queue full.
const PAUSE: Duration = Duration::from_millis(1);
/// To ask for more where there is none costs a system call: while messages come alone, only every so
/// manieth time.
const ASKS: u32 = 16;
/// Bytes of a request's number, which begins a message.
const NUMBER: usize = size_of::<u64>();

/// A DEALER or a ROUTER.
pub struct Shared {
    socket: Mutex<Socket>,
    /// The socket's, which lives as long.
    descriptor: RawFd,
    bell: OwnedFd,
    /// A thread waits, and does not hold the socket.
    sleeps: AtomicBool,
    taking: HotCell<Taking>,
    /// Messages begin with the name of the client that they are from.
    named: bool,
}

/// What the taking thread uses.
struct Taking {
    client: Message,
    head: Message,
    rest: Message,
    /// `wait` has received a message and nobody has taken it.
    pending: bool,
    /// The body is a part of its own.
    split: bool,
    /// Messages in a row that came alone, as far as was asked.
    alone: u32,
}

/// A request or a response.
pub struct Piece<'a> {
    /// From whom a ROUTER has it.
    pub client: &'a mut Message,
    /// The number of the request.
    pub number: u64,
    pub header: Header,
    pub body: &'a [u8],
}

impl Taking {
    fn new() -> Result<Self> {
        let [client, head, rest] = [Message::empty()?, Message::empty()?, Message::empty()?];
        Ok(Self { client, head, rest, pending: false, split: false, alone: 0 })
    }

    /// Receives one message, whose parts arrive together.
    #[inline]
    fn receive(&mut self, socket: &Socket, named: bool) -> Hot<()> {
        if named {
            socket.receive(&mut self.client, ffi::DONTWAIT)?;
            if !self.client.has_more() {
                return self.receive(socket, named);
            }
        }
        socket.receive(&mut self.head, ffi::DONTWAIT)?;
        self.split = self.head.has_more();
        if self.split {
            socket.receive(&mut self.rest, ffi::DONTWAIT)?;
            while self.rest.has_more() {
                socket.receive(&mut self.rest, ffi::DONTWAIT)?;
            }
        }
        Ok(())
    }

    /// Gives the message away; `false` for what is none of an adapter.
    #[inline]
    fn give(&mut self, give: &mut impl FnMut(Piece) -> Hot<()>) -> Hot<bool> {
        self.pending = false;
        let Some((number, rest)) = self.head.bytes().split_first_chunk::<NUMBER>() else {
            return Ok(false);
        };
        // A copy, for messages lie at any address.
        let Some(header) = Header::from_bytes(rest) else { return Ok(false) };
        let body = if self.split { self.rest.bytes() } else { &rest[Header::BYTES..] };
        let (number, client) = (u64::from_be_bytes(*number), &mut self.client);
        give(Piece { client, number, header, body })?;
        Ok(true)
    }
}

impl Shared {
    /// Shares this socket.
    pub fn new(socket: Socket, named: bool) -> Result<Self> {
        let words = |error| Status::Resources.error(format!("eventfd: {error}"));
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).map_err(words)?;
        let descriptor = socket.number(ffi::FD)?;
        Ok(Self {
            socket: Mutex::new(socket),
            descriptor,
            bell,
            sleeps: AtomicBool::new(false),
            taking: HotCell::new(Taking::new()?),
            named,
        })
    }

    /// The socket, for a call.
    #[inline]
    pub fn socket(&self) -> MutexGuard<'_, Socket> {
        self.socket.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has `hand_over` send, from any thread, until there is room or the time is over. Hot.
    #[inline]
    pub fn send(&self, limit: Duration, mut hand_over: impl FnMut(&Socket) -> Hot<()>) -> Hot<()> {
        match self.try_send(&mut hand_over) {
            Err(Status::Timeout) => self.send_later(limit, &mut hand_over),
            outcome => outcome,
        }
    }

    #[inline]
    fn try_send(&self, hand_over: &mut impl FnMut(&Socket) -> Hot<()>) -> Hot<()> {
        let socket = self.socket();
        let outcome = hand_over(&socket);
        self.wake(&socket);
        outcome
    }

    #[cold]
    fn send_later(
        &self,
        limit: Duration,
        hand_over: &mut impl FnMut(&Socket) -> Hot<()>,
    ) -> Hot<()> {
        let start = Instant::now();
        loop {
            let left = limit.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Err(Status::Timeout);
            }
            std::thread::sleep(left.min(PAUSE));
            match self.try_send(hand_over) {
                Err(Status::Timeout) => {}
                outcome => return outcome,
            }
        }
    }

    /// Wakes the thread that waits, if a call has taken note of a message in its place. After every call of
    /// another thread's.
    #[inline]
    pub fn wake(&self, socket: &Socket) {
        if self.sleeps.load(Ordering::Relaxed) && socket.has_message() {
            // Where it cannot be rung any more, it has been.
            let _ = rustix::io::write(&self.bell, &1_u64.to_ne_bytes());
        }
    }

    /// Gives at most `max` messages away; how many, never 0. For one thread at a time. Hot.
    #[inline]
    pub fn take(&self, max: usize, mut give: impl FnMut(Piece) -> Hot<()>) -> Hot<usize> {
        let mut taking = self.taking.get().ok_or(Status::Invalid)?;
        let mut count = 0;
        if taking.pending && max > 0 {
            count = usize::from(taking.give(&mut give)?);
            // The wait will tell of the rest (C19).
            if count > 0 && !taking.alone.is_multiple_of(ASKS) {
                taking.alone += 1;
                return Ok(count);
            }
        }
        while count < max {
            // Not held while the message is given away: the worker may respond then.
            let received = taking.receive(&self.socket(), self.named);
            match received {
                Ok(()) => count += usize::from(taking.give(&mut give)?),
                Err(Status::Timeout) => break,
                Err(status) => return Err(status),
            }
        }
        taking.alone = u32::from(count == 1);
        if count == 0 { Err(Status::NoData) } else { Ok(count) }
    }

    /// Waits until there is a message to take. For the same thread. Hot.
    #[inline]
    pub fn wait(&self, timeout: Duration) -> Hot<()> {
        let mut taking = self.taking.get().ok_or(Status::Invalid)?;
        let mut left = timeout;
        let mut begin = None;
        while !taking.pending {
            {
                let socket = self.socket();
                match taking.receive(&socket, self.named) {
                    Ok(()) => {
                        taking.pending = true;
                        break;
                    }
                    Err(Status::Timeout) => self.sleeps.store(true, Ordering::Relaxed),
                    Err(status) => return Err(status),
                }
            }
            // A message that comes at once needs no clock.
            if let Some(begin) = begin {
                left = timeout.saturating_sub(Instant::elapsed(&begin));
            }
            begin = begin.or_else(|| Some(Instant::now()));
            if !left.is_zero() {
                self.sleep(left);
            }
            self.sleeps.store(false, Ordering::Relaxed);
            if left.is_zero() {
                return Err(Status::Timeout);
            }
        }
        Ok(())
    }

    fn sleep(&self, timeout: Duration) {
        // SAFETY: the descriptor is the socket's, which is closed with this.
        let socket = unsafe { BorrowedFd::borrow_raw(self.descriptor) };
        let mut states =
            [PollFd::new(&socket, PollFlags::IN), PollFd::new(&self.bell, PollFlags::IN)];
        let timeout = Timespec::try_from(timeout).ok();
        if matches!(poll(&mut states, timeout.as_ref()), Ok(1..))
            && states[1].revents().contains(PollFlags::IN)
        {
            let _ = rustix::io::read(&self.bell, &mut [0; 8]);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;
    use crate::ffi::{DEALER, ROUTER, zmq};
    use crate::socket::Context;

    fn is_readable(descriptor: BorrowedFd) -> bool {
        let mut state = [PollFd::new(&descriptor, PollFlags::IN)];
        poll(&mut state, Some(&Timespec::default())) == Ok(1)
    }

    #[test]
    fn a_thread_that_sleeps_is_woken_for_a_message_that_another_has_taken_note_of() {
        if zmq().is_err() {
            return; // The library is not here.
        }
        let context = Context::new(1).expect("a context");
        let server = Socket::new(&context, ROUTER).expect("a socket");
        server.bind("inproc://shared-test").expect("bound");
        let client = Socket::new(&context, DEALER).expect("a socket");
        client.connect("inproc://shared-test").expect("connected");
        client.send(b"a request", 0).expect("sent");
        let shared = Shared::new(client, false).expect("a bell");
        let bell = shared.bell.as_fd();
        // SAFETY: the descriptor is the socket's, which is there.
        let descriptor = unsafe { BorrowedFd::borrow_raw(shared.descriptor) };
        let mut name = Message::empty().expect("a message");
        let mut request = Message::empty().expect("a message");
        server.receive(&mut name, 0).expect("a name");
        server.receive(&mut request, 0).expect("a request");
        assert!(server.begin(&mut name).expect("it is there"));
        server.send(b"a response", 0).expect("sent");
        let socket = shared.socket();
        assert!(socket.has_message() && !is_readable(descriptor), "it is not told twice");
        shared.wake(&socket);
        assert!(!is_readable(bell), "nobody sleeps");
        shared.sleeps.store(true, Ordering::Relaxed);
        shared.wake(&socket);
        assert!(is_readable(bell));
        drop(socket);
        // It ends, and the bell is silent then.
        shared.sleep(Duration::from_secs(60));
        assert!(!is_readable(bell));
    }
}
