//! Receiving from any number of connections on the worker's own thread, for the strategies waitset
//! and poll.
//!
//! One connection, the usual case, costs one blocking receive per batch and nothing else. With none or
//! several, epoll tells which to receive from.

use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use busmark_adapter::{Sink, Source, Status};
use rustix::event::{EventfdFlags, Timespec, epoll, eventfd};
use rustix::io::{Errno, read, write};
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{RecvFlags, recv};

use crate::connections::Link;
use crate::frame::FrameBuffer;
use crate::shield::Sealed;

/// The longest single sleep in a receive from the only connection: so late may a second one be seen.
const SLICE: Duration = Duration::from_millis(20);
/// Shortest time limit of a receive; 0 would mean none.
const SHORTEST: Duration = Duration::from_micros(1);
/// How long a new writer waits to be seen, at most; slices and scheduling are well within.
const PATIENCE: Duration = Duration::from_millis(500);
/// Number of the inbox among epoll's events; connections count from 0.
const INBOX: u64 = u64::MAX;
/// Events of one epoll call.
const EVENTS: usize = 64;

/// What has come over one connection, to be taken.
pub(crate) trait Incoming: Source {
    /// Where bytes go in.
    fn frames(&mut self) -> &mut FrameBuffer;
}

impl Incoming for FrameBuffer {
    #[inline]
    fn frames(&mut self) -> &mut FrameBuffer {
        self
    }
}

/// New connections on their way to the receiving thread.
pub(crate) struct Inbox<I = FrameBuffer> {
    new: Mutex<Vec<(Arc<Link>, I)>>,
    waiting: AtomicBool,
    /// The receiving thread may be asleep where only the one connection it has can wake it.
    asleep: AtomicBool,
    event: OwnedFd,
}

impl<I> Inbox<I> {
    pub(crate) fn new() -> Result<Self, Errno> {
        Ok(Self {
            new: Mutex::default(),
            waiting: AtomicBool::new(false),
            asleep: AtomicBool::new(false),
            event: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
        })
    }

    /// Hands a connection over. Returns when the receiving thread has it or will look here before
    /// it sleeps again.
    pub(crate) fn put(&self, link: Arc<Link>, incoming: I, stop: &AtomicBool) {
        self.new.lock().unwrap_or_else(PoisonError::into_inner).push((link, incoming));
        self.waiting.store(true, Ordering::SeqCst);
        // Cannot fail but by overflow, and then the thread has been woken already.
        let _ = write(&self.event, &1_u64.to_ne_bytes());
        let start = Instant::now();
        while self.asleep.load(Ordering::SeqCst)
            && self.waiting.load(Ordering::SeqCst)
            && !stop.load(Ordering::SeqCst)
            && start.elapsed() < PATIENCE
        {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

struct Connection<I> {
    number: u64,
    link: Arc<Link>,
    incoming: I,
    /// There where the connection is protected.
    sealed: Option<Sealed>,
    /// The time limit of receives that is set.
    limit: Duration,
    /// By epoll.
    watched: bool,
}

/// What a receive came to.
enum Outcome {
    /// Bytes have come, enough for a sample or not.
    Some,
    /// None have within the time.
    None,
    /// The other side has closed, or sends garbage.
    Ended,
}

impl<I: Incoming> Connection<I> {
    /// Always inlined, for the first return from a function that a thread slept in is mispredicted
    /// and costs up to a microsecond.
    #[inline(always)]
    fn receive(&mut self, flags: RecvFlags) -> Outcome {
        let received = match (self.link.shield(), &mut self.sealed) {
            (Some(shield), Some(sealed)) => {
                let frames = self.incoming.frames();
                sealed.receive(&self.link, shield, flags, &mut |plain| frames.push(plain))
            }
            _ => {
                recv(&self.link.socket, self.incoming.frames().space(), flags).map(|(bytes, _)| {
                    self.incoming.frames().advance(bytes);
                    bytes
                })
            }
        };
        match received {
            Ok(0) => Outcome::Ended,
            Ok(_) => {
                if self.incoming.frames().ready().is_ok() {
                    Outcome::Some
                } else {
                    Outcome::Ended
                }
            }
            Err(Errno::AGAIN) => Outcome::None,
            // Not the end of the time limit: the caller looks and continues.
            Err(Errno::INTR) => Outcome::Some,
            Err(_) => Outcome::Ended,
        }
    }

    #[inline]
    fn ready(&mut self) -> bool {
        self.incoming.frames().ready() == Ok(true)
    }

    /// Sleeps in a receive for at most `limit`.
    #[inline(always)]
    fn receive_within(&mut self, limit: Duration) -> Outcome {
        if limit.is_zero() {
            return self.receive(RecvFlags::DONTWAIT);
        }
        let limit = limit.max(SHORTEST);
        if self.limit != limit {
            if set_socket_timeout(&self.link.socket, Timeout::Recv, Some(limit)).is_err() {
                return Outcome::Ended;
            }
            self.limit = limit;
        }
        self.receive(RecvFlags::empty())
    }
}

/// All connections of a reader.
pub(crate) struct ReceiveSet<I = FrameBuffer> {
    connections: Vec<Connection<I>>,
    inbox: Arc<Inbox<I>>,
    epoll: OwnedFd,
    /// Number of the next connection.
    next: u64,
    /// Where the last take ended, so that no connection is always first.
    turn: usize,
}

impl<I: Incoming> ReceiveSet<I> {
    pub(crate) fn new(inbox: Arc<Inbox<I>>) -> Result<Self, Errno> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        epoll::add(&epoll, &inbox.event, epoll::EventData::new_u64(INBOX), epoll::EventFlags::IN)?;
        Ok(Self { connections: Vec::new(), inbox, epoll, next: 0, turn: 0 })
    }

    /// Takes new connections in, if there are any.
    #[inline]
    fn look_into_inbox(&mut self) {
        if self.inbox.waiting.load(Ordering::SeqCst) {
            self.take_in();
        }
    }

    #[cold]
    fn take_in(&mut self) {
        let _ = read(&self.inbox.event, &mut [0_u8; 8]);
        self.inbox.waiting.store(false, Ordering::SeqCst);
        let new =
            std::mem::take(&mut *self.inbox.new.lock().unwrap_or_else(PoisonError::into_inner));
        for (link, incoming) in new {
            let (number, limit, watched) = (self.next, Duration::ZERO, false);
            self.next += 1;
            let sealed = link.shield().map(|_| Sealed::new());
            self.connections.push(Connection { number, link, incoming, sealed, limit, watched });
        }
        self.watch();
    }

    /// Several connections are watched by epoll. A single one is not: epoll would be notified of
    /// each sample, which costs time.
    fn watch(&mut self) {
        let several = self.connections.len() > 1;
        for connection in &mut self.connections {
            let socket = &connection.link.socket;
            if several && !connection.watched {
                let data = epoll::EventData::new_u64(connection.number);
                connection.watched =
                    epoll::add(&self.epoll, socket, data, epoll::EventFlags::IN).is_ok();
            } else if !several && connection.watched {
                connection.watched = epoll::delete(&self.epoll, socket).is_err();
            }
        }
    }

    #[cold]
    fn remove(&mut self, index: usize, removed: &impl Fn(&Arc<Link>)) {
        let connection = self.connections.remove(index);
        if connection.watched {
            let _ = epoll::delete(&self.epoll, &connection.link.socket);
        }
        removed(&connection.link);
        self.watch();
    }

    #[inline]
    fn ready(&mut self) -> bool {
        self.connections.iter_mut().any(Connection::ready)
    }

    /// Gives what has been received to the sink.
    #[inline]
    fn drain(&mut self, max: usize, sink: &mut Sink) -> usize {
        let mut count = 0;
        let all = self.connections.len();
        for step in 0..all {
            let index = (self.turn + step) % all;
            count += self.connections[index].incoming.take(max - count, sink).unwrap_or(0);
            if count == max {
                self.turn = index;
                break;
            }
        }
        count
    }

    /// As [`busmark_adapter::Reader::take`].
    #[inline]
    pub(crate) fn take(
        &mut self,
        max: usize,
        sink: &mut Sink,
        removed: impl Fn(&Arc<Link>),
    ) -> Result<usize, Status> {
        let mut count = self.drain(max, sink);
        if count == 0 {
            self.look_into_inbox();
            if let [only] = &mut self.connections[..] {
                if let Outcome::Ended = only.receive(RecvFlags::DONTWAIT) {
                    self.remove(0, &removed);
                }
            } else {
                self.receive_ready(Duration::ZERO, &removed);
            }
            count = self.drain(max, sink);
        }
        if let Some(index) =
            self.connections.iter_mut().position(|c| c.incoming.frames().ready().is_err())
        {
            self.remove(index, &removed);
        }
        if count == 0 { Err(Status::NoData) } else { Ok(count) }
    }

    /// Receives from those connections that epoll names within the time.
    fn receive_ready(&mut self, timeout: Duration, removed: &impl Fn(&Arc<Link>)) {
        let timeout = Timespec::try_from(timeout).ok();
        let mut events = [MaybeUninit::<epoll::Event>::uninit(); EVENTS];
        let Ok((events, _)) = epoll::wait(&self.epoll, &mut events, timeout.as_ref()) else {
            return;
        };
        for event in events {
            let number = event.data.u64();
            if number == INBOX {
                self.take_in();
            } else if let Ok(index) = self.connections.binary_search_by_key(&number, |c| c.number)
                && let Outcome::Ended = self.connections[index].receive(RecvFlags::DONTWAIT)
            {
                self.remove(index, removed);
            }
        }
    }

    /// As [`busmark_adapter::Reader::wait`].
    #[inline(always)]
    pub(crate) fn wait(
        &mut self,
        timeout: Duration,
        removed: impl Fn(&Arc<Link>),
    ) -> Result<(), Status> {
        if self.ready() {
            return Ok(());
        }
        let mut left = timeout;
        loop {
            self.look_into_inbox();
            if self.connections.len() == 1 {
                let limit = left.min(SLICE);
                self.inbox.asleep.store(true, Ordering::SeqCst);
                if self.inbox.waiting.load(Ordering::SeqCst) {
                    self.inbox.asleep.store(false, Ordering::SeqCst);
                    continue;
                }
                let outcome = self.connections[0].receive_within(limit);
                self.inbox.asleep.store(false, Ordering::Release);
                match outcome {
                    Outcome::Some => {}
                    Outcome::None => left -= limit,
                    Outcome::Ended => self.remove(0, &removed),
                }
            } else {
                let start = Instant::now();
                self.receive_ready(left, &removed);
                left = left.saturating_sub(start.elapsed());
            }
            if self.ready() {
                return Ok(());
            }
            if left.is_zero() {
                return Err(Status::Timeout);
            }
        }
    }
}
