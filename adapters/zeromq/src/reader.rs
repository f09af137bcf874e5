//! A reader: binds and waits for writers to connect, or connects to every writer.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use busmark_adapter::{EndpointConfig, Header, Payload, Result, Sink, Status, decode_any};

use crate::door::{self, Door};

use crate::endpoints::{Locator, Maker, WriterLocator};
use crate::ffi;
use crate::hall::{self, Presence};
use crate::monitor::Monitor;
use crate::options::{Bind, Pattern, Transport};
use crate::sample::Prefix;
use crate::socket::{Message, Socket};
use crate::writer::{message_bytes, remove_file, set_priority};

/// To ask for more where there is none costs a system call (the library looks into its mailbox): while
/// samples come alone, only every so manieth time.
const ASKS: u32 = 16;

/// A SUB or PULL socket.
pub struct ZmqReader {
    door: Arc<Door>,
    /// Watches the monitor; over `inproc` there is none.
    watcher: Option<JoinHandle<()>>,
    way: Way,
    maker: Arc<Maker>,
}

/// How it and its writers meet.
enum Way {
    /// It is bound.
    Bound(Locator),
    /// It has connected to these.
    Connects(Mutex<Vec<Joined>>),
}

/// A writer that it has connected to.
struct Joined {
    locator: String,
    /// Over `inproc`.
    presence: Option<Arc<Presence>>,
}

/// What the taking thread uses.
pub struct Incoming {
    /// Bound, or connected.
    pub socket: Socket,
    /// The last message, or its first part.
    message: Message,
    /// Its second part.
    rest: Message,
    /// `wait` has received `message` and nobody has taken it.
    pending: bool,
    /// Samples in a row that came alone, as far as was asked.
    alone: u32,
    /// The socket's `RCVTIMEO`.
    timeout_ms: i32,
    prefix_bytes: usize,
    payload: Payload,
}

impl ZmqReader {
    /// Binds, if readers do.
    pub fn new(maker: &Arc<Maker>, config: &EndpointConfig) -> Result<Self> {
        let settings = &maker.settings;
        let prefix = Prefix::new(config, settings.domain, settings.pattern)?;
        let mut subscriptions = 0;
        let socket = match settings.pattern {
            Pattern::PubSub => {
                let socket = maker.socket(ffi::SUB)?;
                for subscription in prefix.subscriptions(config.filter_below) {
                    socket.set_bytes(ffi::SUBSCRIBE, &subscription)?;
                    subscriptions += 1;
                }
                socket
            }
            Pattern::PushPull if config.qos.reliable == Some(false) => {
                let text = "PULL sockets drop nothing: best effort needs the option \
                            pattern=pub_sub";
                return Err(Status::Unsupported.error(text));
            }
            Pattern::PushPull => maker.socket(ffi::PULL)?,
        };
        socket.set(ffi::RCVHWM, settings.receive_hwm(message_bytes(config)))?;
        if settings.conflate {
            socket.set(ffi::CONFLATE, 1)?;
        }
        set_priority(&socket, config, settings.transport)?;
        let monitor = match settings.transport {
            Transport::Inproc => None,
            Transport::Tcp | Transport::Ipc => Some(Monitor::new(maker, &socket)?),
        };
        let way = match settings.bind {
            Bind::Reader => {
                let (data, key) = (maker.bind(&socket)?, maker.key());
                Way::Bound(Locator { domain: settings.domain, subscriptions, data, key })
            }
            Bind::Writer => Way::Connects(Mutex::new(Vec::new())),
        };
        let door = Door::new(Incoming {
            socket,
            message: Message::empty()?,
            rest: Message::empty()?,
            pending: false,
            alone: 0,
            timeout_ms: -1,
            prefix_bytes: prefix.bytes(),
            payload: config.payload,
        });
        let watcher = match (monitor, &way) {
            (Some(monitor), _) => Some(door::watch(&door, monitor)?),
            (None, Way::Bound(locator)) => {
                door::enter(&locator.data, &door);
                None
            }
            (None, Way::Connects(_)) => None,
        };
        Ok(Self { door, watcher, way, maker: Arc::clone(maker) })
    }

    /// Connects, and waits until the writer has the subscriptions.
    fn join(&self, writer: &WriterLocator) -> Result<Option<Arc<Presence>>> {
        let token = hall::token();
        let target = self.maker.target(&writer.data);
        {
            let incoming = self.door.take();
            self.maker.connect(&incoming.socket, &writer.data, writer.key.as_deref())?;
            // After those to the topic, which go out with the connection.
            incoming.socket.set_bytes(ffi::SUBSCRIBE, &token)?;
        }
        let asked = hall::ask(&self.maker, writer, &token);
        let incoming = self.door.take();
        if asked.is_err() {
            incoming.socket.disconnect(&target);
        }
        incoming.socket.set_bytes(ffi::UNSUBSCRIBE, &token)?;
        asked
    }
}

fn lock(joined: &Mutex<Vec<Joined>>) -> MutexGuard<'_, Vec<Joined>> {
    joined.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for ZmqReader {
    fn drop(&mut self) {
        self.door.open.store(false, Ordering::Release);
        if let Some(watcher) = self.watcher.take() {
            self.door.take().socket.stop_monitor();
            let _ = watcher.join();
        }
        match &self.way {
            Way::Bound(locator) => {
                if self.maker.settings.transport == Transport::Inproc {
                    door::leave(&locator.data);
                }
                remove_file(&locator.data);
            }
            Way::Connects(joined) => {
                for presence in lock(joined).drain(..).filter_map(|joined| joined.presence) {
                    presence.readers.fetch_sub(1, Ordering::AcqRel);
                }
            }
        }
    }
}

impl Incoming {
    /// Gives `message` to the sink; nothing for what is no sample.
    #[inline]
    fn deliver(&mut self, sink: &mut Sink) -> std::result::Result<usize, Status> {
        self.pending = false;
        // All parts of a message arrive together, so nothing is waited for here.
        let shared = self.message.has_more();
        if shared {
            self.socket.receive(&mut self.rest, ffi::DONTWAIT)?;
        }
        let bytes = self.message.bytes();
        let Some(bytes) = bytes.get(self.prefix_bytes..) else { return Ok(0) };
        let Some((head, body)) = bytes.split_at_checked(Header::BYTES) else { return Ok(0) };
        // A copy, for messages lie at any address.
        let Some(header) = Header::from_bytes(head) else { return Ok(0) };
        let body = if shared { self.rest.bytes() } else { body };
        let body = if self.payload == Payload::Any { decode_any(body) } else { Some(body) };
        let Some(body) = body else { return Ok(0) };
        sink.deliver(&header, body);
        Ok(1)
    }
}

impl busmark_adapter::Reader for ZmqReader {
    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        let mut guard = self.door.take();
        let incoming = &mut *guard;
        let mut count = 0;
        if incoming.pending && max > 0 {
            count = incoming.deliver(sink)?;
            // The wait will tell of the rest (C19).
            if count > 0 && !incoming.alone.is_multiple_of(ASKS) {
                incoming.alone += 1;
                return Ok(count);
            }
        }
        while count < max {
            match incoming.socket.receive(&mut incoming.message, ffi::DONTWAIT) {
                Ok(()) => {}
                Err(Status::Timeout) => break,
                Err(status) => return Err(status),
            }
            count += incoming.deliver(sink)?;
        }
        incoming.alone = u32::from(count == 1);
        if count == 0 { Err(Status::NoData) } else { Ok(count) }
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        let mut guard = self.door.take();
        let incoming = &mut *guard;
        if incoming.pending {
            return Ok(());
        }
        let timeout_ms = timeout.as_nanos().div_ceil(1_000_000).min(i32::MAX as u128) as i32;
        if timeout_ms != incoming.timeout_ms {
            incoming.socket.set(ffi::RCVTIMEO, timeout_ms).map_err(|error| error.status)?;
            incoming.timeout_ms = timeout_ms;
        }
        incoming.socket.receive(&mut incoming.message, 0)?;
        incoming.pending = true;
        Ok(())
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        match &self.way {
            Way::Connects(joined) if self.maker.settings.transport == Transport::Inproc => {
                let open = |presence: &Arc<Presence>| !presence.closed.load(Ordering::Acquire);
                let joined = lock(joined);
                Ok(joined.iter().filter_map(|j| j.presence.as_ref()).filter(|p| open(p)).count()
                    as u32)
            }
            _ => Ok(self.door.writers.load(Ordering::Acquire)),
        }
    }

    fn locator(&self) -> std::result::Result<String, Status> {
        match &self.way {
            Way::Bound(locator) => Ok(locator.text()),
            Way::Connects(_) => Err(Status::Unsupported),
        }
    }

    fn connect(&self, text: &str) -> Result<()> {
        let Way::Connects(joined) = &self.way else {
            let text = "with bind=reader writers connect to readers";
            return Err(Status::Unsupported.error(text));
        };
        let writer = WriterLocator::parse(text, &self.maker)?;
        let mut joined = lock(joined);
        if joined.iter().any(|known| known.locator == text) {
            return Ok(());
        }
        let presence = self.join(&writer)?;
        if let Some(presence) = &presence {
            presence.readers.fetch_add(1, Ordering::AcqRel);
        }
        joined.push(Joined { locator: text.to_owned(), presence });
        Ok(())
    }
}
