//! Readers: clients that subscribe.
//!
//! With the listener strategy a thread of the library receives and calls. With the other two nobody
//! but the worker's thread does anything: it lets the library read the connection, and the library
//! hands over message by message, to the sink or, in `wait`, into memory of the reader's own, for
//! the library frees a message when its callback returns.

use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use busmark_adapter::{
    EndpointConfig, Header, HotCell, Listener, Reader, Result, Sink, Status, Wait,
};
use busmark_server::{One, Shape};

use crate::client::{Client, Handler};
use crate::ffi::Message;
use crate::participant::Membership;
use crate::presence::Count;

/// A reader.
pub struct MqttReader {
    way: Way,
    writers: Count,
}

enum Way {
    Listens { _client: Client },
    Asks(HotCell<Asking>),
}

impl MqttReader {
    pub(crate) fn new(
        here: &Membership,
        config: &EndpointConfig,
        listener: Option<Listener>,
    ) -> Result<Self> {
        let names = here.names(&config.topic)?;
        let writers = here.presence.count(names.presence(false))?;
        let filter = Filter {
            shape: Shape::new(config),
            retained: config.qos.transient_local != Some(false),
        };
        let connect = |handler: Arc<dyn Handler>| -> Result<Client> {
            let prefix = names.presence(true);
            let keeps_alive = config.wait == Wait::Listener;
            let client = Client::connect(&here.route, keeps_alive, Some(&prefix), handler)?;
            client.subscribe(&names.subscriptions(config), here.qos(&config.qos))?;
            Ok(client)
        };
        let way = if let Some(listener) = listener {
            let announcer = Arc::new(Announcer::new(filter, listener));
            let mut client = connect(announcer.clone())?;
            client.start_thread()?;
            announcer.live.store(true, Ordering::Release);
            client.announce()?;
            Way::Listens { _client: client }
        } else {
            let inbox = Arc::new(Inbox::new(filter));
            let client = connect(inbox.clone())?;
            client.announce()?;
            let exchanges = here.qos(&config.qos) == 2;
            Way::Asks(HotCell::new(Asking { client, inbox, exchanges }))
        };
        Ok(Self { way, writers })
    }
}

impl Reader for MqttReader {
    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        match &self.way {
            // Samples are in the listener's hands while it announces them, and nowhere else.
            Way::Listens { .. } => Err(Status::NoData),
            Way::Asks(hot) => hot.get().ok_or(Status::Invalid)?.take(max, sink),
        }
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        match &self.way {
            Way::Listens { .. } => Err(Status::Unsupported),
            Way::Asks(hot) => hot.get().ok_or(Status::Invalid)?.wait(timeout),
        }
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        Ok(self.writers.get())
    }
}

/// Which messages are samples of the endpoint.
struct Filter {
    shape: Shape,
    retained: bool,
}

impl Filter {
    #[inline]
    fn read<'a>(&self, message: &'a Message) -> Option<(Header, &'a [u8])> {
        if message.is_retained() && !self.retained {
            return None;
        }
        self.shape.read(message.payload())
    }
}

/// Hands samples to the listener on the library's thread.
struct Announcer {
    filter: Filter,
    listener: Listener,
    /// The library's thread has the client. Before that, samples are held: they must not be
    /// announced from within the reader's creation (C20).
    live: AtomicBool,
    holds: AtomicBool,
    held: HotCell<VecDeque<Vec<u8>>>,
}

impl Announcer {
    fn new(filter: Filter, listener: Listener) -> Self {
        Self {
            filter,
            listener,
            live: AtomicBool::new(false),
            holds: AtomicBool::new(false),
            held: HotCell::new(VecDeque::new()),
        }
    }

    #[cold]
    fn hold(&self, message: &[u8]) {
        if let Some(mut held) = self.held.get() {
            held.push_back(message.to_vec());
            self.holds.store(true, Ordering::Release);
        }
    }

    #[cold]
    fn let_go(&self) {
        self.holds.store(false, Ordering::Release);
        let Some(held) = self.held.get().map(|mut held| std::mem::take(&mut *held)) else { return };
        for message in &held {
            if let Some((header, body)) = self.filter.shape.read(message) {
                self.listener.notify_with(&mut One::new(header, body));
            }
        }
    }
}

impl Handler for Announcer {
    #[inline]
    fn on_message(&self, message: &Message) {
        let Some((header, body)) = self.filter.read(message) else { return };
        if !self.live.load(Ordering::Acquire) {
            self.hold(message.payload());
            return;
        }
        if self.holds.load(Ordering::Relaxed) {
            self.let_go();
        }
        self.listener.notify_with(&mut One::new(header, body));
    }

    /// The broker has the reader's announcement, which the library's thread sent: the first occasion
    /// to announce what was held.
    fn on_published(&self) {
        if self.live.load(Ordering::Acquire) && self.holds.load(Ordering::Relaxed) {
            self.let_go();
        }
    }
}

/// A reader whose thread asks.
struct Asking {
    client: Client,
    inbox: Arc<Inbox>,
    /// QoS 2: not every packet is a sample.
    exchanges: bool,
}

impl Asking {
    #[inline]
    fn take(&mut self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        let mut count = self.inbox.drain(max, sink);
        while count < max {
            let (messages, given) = self.inbox.give_to(sink, max - count, || self.client.read());
            count += given;
            if messages == 0 && !(self.exchanges && self.client.is_readable()) {
                break;
            }
        }
        match count {
            0 if self.client.is_lost() => Err(Status::Failed),
            0 => Err(Status::NoData),
            _ => Ok(count),
        }
    }

    #[inline]
    fn wait(&mut self, timeout: Duration) -> std::result::Result<(), Status> {
        let mut left = timeout;
        let mut begin = None;
        loop {
            if self.inbox.has_samples() {
                return Ok(());
            }
            if self.client.is_lost() {
                return Err(Status::Failed);
            }
            // A message that comes at once needs no clock.
            if let Some(begin) = begin {
                left = timeout.saturating_sub(Instant::elapsed(&begin));
                if left.is_zero() {
                    return Err(Status::Timeout);
                }
            }
            begin = begin.or_else(|| Some(Instant::now()));
            self.client.step(left);
        }
    }
}

/// Where the library's callback puts samples: to the sink of the `take` that is under way, else here.
struct Inbox {
    filter: Filter,
    state: UnsafeCell<State>,
}

// SAFETY: `state` is used by the thread that has the reader's hot cell (or makes the reader), and by
// callbacks of the library, which come from within its calls on that very thread.
unsafe impl Sync for Inbox {}
// SAFETY: as above; the sink's pointer is there during a call only.
unsafe impl Send for Inbox {}

struct State {
    /// Messages, in order; their memory is used again and again.
    waiting: VecDeque<Vec<u8>>,
    spare: Vec<Vec<u8>>,
    sink: *mut Sink,
    room: usize,
    given: usize,
    messages: usize,
}

impl Inbox {
    fn new(filter: Filter) -> Self {
        let state = State {
            waiting: VecDeque::with_capacity(16),
            spare: vec![Vec::with_capacity(filter.shape.room())],
            sink: std::ptr::null_mut(),
            room: 0,
            given: 0,
            messages: 0,
        };
        Self { filter, state: UnsafeCell::new(state) }
    }

    fn has_samples(&self) -> bool {
        // SAFETY: see `Sync`; no other reference lives.
        !unsafe { &*self.state.get() }.waiting.is_empty()
    }

    /// Gives what waits to the sink.
    #[inline]
    fn drain(&self, max: usize, sink: &mut Sink) -> usize {
        let mut count = 0;
        while count < max {
            // SAFETY: see `Sync`; no reference lives while the sink runs.
            let Some(message) = (unsafe { &mut *self.state.get() }).waiting.pop_front() else {
                break;
            };
            if let Some((header, body)) = self.filter.shape.read(&message) {
                sink.deliver(&header, body);
                count += 1;
            }
            // SAFETY: see `Sync`.
            unsafe { &mut *self.state.get() }.spare.push(message);
        }
        count
    }

    /// Runs `read`, whose callbacks give at most `room` samples to the sink: the number of messages
    /// that came, and of samples that were given.
    #[inline]
    fn give_to(&self, sink: &mut Sink, room: usize, read: impl FnOnce()) -> (usize, usize) {
        // SAFETY: see `Sync`; no reference lives while `read` runs.
        unsafe {
            let state = &mut *self.state.get();
            (state.sink, state.room, state.given, state.messages) = (sink, room, 0, 0);
        }
        read();
        // SAFETY: as above.
        let state = unsafe { &mut *self.state.get() };
        state.sink = std::ptr::null_mut();
        (state.messages, state.given)
    }
}

impl Handler for Inbox {
    #[inline]
    fn on_message(&self, message: &Message) {
        // SAFETY: see `Sync`; no other reference lives during a call of the library.
        let state = unsafe { &mut *self.state.get() };
        state.messages += 1;
        let Some((header, body)) = self.filter.read(message) else { return };
        // SAFETY: set by `give_to`, whose borrow of the sink lasts as long as the pointer.
        let sink = unsafe { state.sink.as_mut() };
        if state.given < state.room
            && let Some(sink) = sink
        {
            state.given += 1;
            sink.deliver(&header, body);
            return;
        }
        let mut copy = state.spare.pop().unwrap_or_default();
        copy.clear();
        copy.extend_from_slice(message.payload());
        state.waiting.push_back(copy);
    }
}
