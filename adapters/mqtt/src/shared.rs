//! A direct client that several threads share: one takes, others publish.
//!
//! libmosquitto's own locks do not go so far: what one thread publishes while another is in a callback
//! stays where it is. So every call of the library is made under a lock, and nobody sleeps with it.

use std::collections::VecDeque;
use std::ffi::{CStr, c_int};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use busmark_adapter::{Error, Header, LastError, Result, Status};
use busmark_server::Shape;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

use crate::client::{Client, Handler};
use crate::ffi::Message;
use crate::properties::{Properties, Received};

type Hot<T> = std::result::Result<T, Status>;

/// How long a thread that waits for acknowledgements sleeps before it looks whether another has read them.
const LOOK: Duration = Duration::from_millis(1);

/// What becomes of the properties of a message.
pub trait Tag: Send + 'static {
    /// What is kept; `None` for what is no request, or no response.
    fn of(properties: Received) -> Option<Self>
    where
        Self: Sized;
}

/// Messages that have come and were not taken.
pub struct Inbox<T> {
    shape: Shape,
    state: Mutex<State<T>>,
}

struct State<T> {
    waiting: VecDeque<Piece<T>>,
    /// Memory of what was taken, which is used again.
    spare: Vec<Vec<u8>>,
}

/// A message.
pub struct Piece<T> {
    /// Kept of its properties.
    pub tag: T,
    payload: Vec<u8>,
}

impl<T> Inbox<T> {
    /// An empty one.
    pub fn new(shape: Shape) -> Self {
        let state = State { waiting: VecDeque::with_capacity(16), spare: Vec::with_capacity(16) };
        Self { shape, state: Mutex::new(state) }
    }

    #[inline]
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_empty(&self) -> bool {
        self.state().waiting.is_empty()
    }

    /// The next message, if there is one.
    #[inline]
    fn next(&self) -> Option<Piece<T>> {
        self.state().waiting.pop_front()
    }
}

impl<T: Tag> Handler for Inbox<T> {
    #[inline]
    fn on_message_5(&self, message: &Message, properties: Received) {
        if self.shape.read(message.payload()).is_none() {
            return;
        }
        let Some(tag) = T::of(properties) else { return };
        let mut state = self.state();
        let mut payload = state.spare.pop().unwrap_or_default();
        payload.clear();
        payload.extend_from_slice(message.payload());
        state.waiting.push_back(Piece { tag, payload });
    }
}

/// A client, and what goes through it.
pub struct Shared<T> {
    client: Client,
    /// Held for every call of the library.
    library: Mutex<()>,
    inbox: Arc<Inbox<T>>,
    /// Wakes the thread that takes, where another has read.
    bell: OwnedFd,
    qos: c_int,
    /// Publications that may be under way.
    window: u64,
    limit: Duration,
    /// Publications so far.
    sent: AtomicU64,
    /// Publications of which the client tells, but which are none of these.
    others: u64,
    /// What failed last.
    pub failure: LastError,
}

impl<T: Tag> Shared<T> {
    /// With a client that has announced itself, whose messages go into the inbox.
    pub fn new(
        client: Client,
        inbox: Arc<Inbox<T>>,
        qos: c_int,
        window: u16,
        limit: Duration,
    ) -> Result<Self> {
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK);
        let words = |error| Status::Resources.error(format!("eventfd: {error}"));
        Ok(Self {
            others: client.published(),
            client,
            library: Mutex::new(()),
            inbox,
            bell: bell.map_err(words)?,
            qos,
            window: u64::from(window),
            limit,
            sent: AtomicU64::new(0),
            failure: LastError::default(),
        })
    }

    #[inline]
    fn library(&self) -> MutexGuard<'_, ()> {
        self.library.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    fn under_way(&self) -> u64 {
        let told = self.client.published() - self.others;
        self.sent.load(Ordering::Relaxed).saturating_sub(told)
    }

    fn gone(&self) -> Status {
        self.failure.keep(Status::Failed.error("the connection to the broker has ended"))
    }

    /// Publishes, from any thread. Hot.
    #[inline]
    pub fn publish(&self, topic: &CStr, payload: &[u8], properties: &Properties) -> Hot<()> {
        if self.under_way() >= self.window {
            self.await_room()?;
        }
        let is_left = {
            let _library = self.library();
            let published = self.client.publish_5(topic, payload, self.qos, properties);
            published.map_err(|error| self.failure.keep(error))?;
            self.sent.fetch_add(1, Ordering::Relaxed);
            self.client.has_unsent()
        };
        if is_left {
            self.send_the_rest();
        }
        Ok(())
    }

    /// Reads acknowledgements, for nobody else may.
    #[cold]
    fn await_room(&self) -> Hot<()> {
        let begin = Instant::now();
        while self.under_way() >= self.window {
            if self.client.is_lost() {
                return Err(self.gone());
            }
            let left = self.limit.saturating_sub(begin.elapsed());
            if left.is_zero() {
                return Err(Status::Timeout);
            }
            self.step(left.min(LOOK), false);
            self.ring();
        }
        Ok(())
    }

    /// A message that the system did not take at once. It is under way and must not be sent again, so a
    /// stall of the connection is the next one's business.
    #[cold]
    fn send_the_rest(&self) {
        let begin = Instant::now();
        loop {
            let left = self.limit.saturating_sub(begin.elapsed());
            let is_left = {
                let _library = self.library();
                self.client.has_unsent()
            };
            if !is_left || left.is_zero() || self.client.is_lost() {
                break;
            }
            self.step(left.min(LOOK), false);
        }
        self.ring();
    }

    /// Wakes the thread that takes, if there is something for it.
    fn ring(&self) {
        if !self.inbox.is_empty() || self.client.is_lost() {
            // Where it cannot be rung any more, it has been.
            let _ = rustix::io::write(&self.bell, &1_u64.to_ne_bytes());
        }
    }

    /// Sleeps until there is something to read or room to write, at most this long, and does both.
    #[inline]
    fn step(&self, timeout: Duration, takes: bool) {
        let (socket, is_left) = {
            let _library = self.library();
            (self.client.socket(), self.client.has_unsent())
        };
        let Some(socket) = socket else { return self.client.lose() };
        let mut events = PollFlags::IN;
        events.set(PollFlags::OUT, is_left);
        let bell = if takes { PollFlags::IN } else { PollFlags::empty() };
        let mut states = [PollFd::new(&socket, events), PollFd::new(&self.bell, bell)];
        let timeout = Timespec::try_from(timeout).ok();
        if !matches!(poll(&mut states, timeout.as_ref()), Ok(1..)) {
            return;
        }
        let [found, rung] = [states[0].revents(), states[1].revents()];
        if rung.contains(PollFlags::IN) {
            let _ = rustix::io::read(&self.bell, &mut [0; 8]);
        }
        if found.is_empty() {
            return;
        }
        let _library = self.library();
        if found.contains(PollFlags::OUT) {
            self.client.write();
        }
        if found.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR) {
            self.client.read();
        }
    }

    /// Gives at most `max` messages to `give`, which tells whether it took one; how many, never 0. For
    /// one thread at a time. Hot.
    #[inline]
    pub fn take(
        &self,
        max: usize,
        mut give: impl FnMut(T, Header, &[u8]) -> Hot<()>,
    ) -> Hot<usize> {
        let mut count = 0;
        while count < max {
            let mut next = self.inbox.next();
            if next.is_none() {
                {
                    let _library = self.library();
                    self.client.read();
                }
                next = self.inbox.next();
            }
            let Some(Piece { tag, payload }) = next else { break };
            if let Some((header, body)) = self.inbox.shape.read(&payload) {
                give(tag, header, body)?;
                count += 1;
            }
            self.inbox.state().spare.push(payload);
        }
        match count {
            0 if self.client.is_lost() => Err(self.gone()),
            0 => Err(Status::NoData),
            _ => Ok(count),
        }
    }

    /// Waits until there is a message to take. For the same thread. Hot.
    #[inline]
    pub fn wait(&self, timeout: Duration) -> Hot<()> {
        let mut left = timeout;
        let mut begin = None;
        loop {
            if !self.inbox.is_empty() {
                return Ok(());
            }
            if self.client.is_lost() {
                return Err(self.gone());
            }
            // A message that comes at once needs no clock.
            if let Some(begin) = begin {
                left = timeout.saturating_sub(Instant::elapsed(&begin));
                if left.is_zero() {
                    return Err(Status::Timeout);
                }
            }
            begin = begin.or_else(|| Some(Instant::now()));
            self.step(left, true);
        }
    }

    /// What failed last.
    pub fn last_error(&self) -> Option<Error> {
        self.failure.get()
    }
}
