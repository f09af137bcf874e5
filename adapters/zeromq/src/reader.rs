//! A reader: binds, and waits for writers to connect.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;

use busmark_adapter::{EndpointConfig, Header, Payload, Result, Sink, Status, decode_any};

use crate::door::{self, Door};

use crate::endpoints::{Locator, Maker};
use crate::ffi;
use crate::monitor::Monitor;
use crate::options::{Pattern, Transport};
use crate::sample::Prefix;
use crate::socket::{Message, Socket};
use crate::writer::{message_bytes, set_priority};

/// To ask for more where there is none costs a system call (the library looks into its mailbox): while
/// samples come alone, only every so manieth time.
const ASKS: u32 = 16;

/// A SUB or PULL socket.
pub struct ZmqReader {
    door: Arc<Door>,
    /// Watches the monitor; over `inproc` there is none.
    watcher: Option<JoinHandle<()>>,
    locator: Locator,
}

/// What the taking thread uses.
pub struct Incoming {
    /// Bound.
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
    /// Binds.
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
        let data = socket.bind(&maker.end_point())?;
        let locator = Locator { domain: settings.domain, subscriptions, data };
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
        let watcher = if let Some(monitor) = monitor {
            Some(door::watch(&door, monitor)?)
        } else {
            door::enter(&locator.data, &door);
            None
        };
        Ok(Self { door, watcher, locator })
    }
}

impl Drop for ZmqReader {
    fn drop(&mut self) {
        self.door.open.store(false, Ordering::Release);
        if let Some(watcher) = self.watcher.take() {
            self.door.take().socket.stop_monitor();
            let _ = watcher.join();
        } else {
            door::leave(&self.locator.data);
        }
        // The library leaves the file where it is.
        if let Some(path) = self.locator.data.strip_prefix("ipc://") {
            let _ = std::fs::remove_file(path);
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
        Ok(self.door.writers.load(Ordering::Acquire))
    }

    fn locator(&self) -> std::result::Result<String, Status> {
        Ok(self.locator.text())
    }
}
