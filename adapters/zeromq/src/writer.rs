//! A writer: connects to every reader, or binds and lets readers connect.

use std::ffi::c_int;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use busmark_adapter::{
    ANY_OVERHEAD, EndpointConfig, Header, HotCell, HotGuard, Payload, Qos, Result, Status,
};

use crate::door::{self, Door, await_subscriptions};
use crate::endpoints::{Locator, Maker, WriterLocator};
use crate::ffi;
use crate::hall::Hall;
use crate::monitor::{Change, Monitor};
use crate::options::{Bind, Pattern, Transport};
use crate::sample::{HEAD, Prefix, Sample};
use crate::socket::{Message, Socket};

/// How long a write may block where the endpoint's configuration does not say. The library ships with
/// no limit, and a writer whose reader has stopped would never come back.
const WRITE_LIMIT: Duration = Duration::from_secs(5);

/// Pieces in which the other side's answer, and room for a sample, is waited for.
pub const SLICE_MS: i32 = 50;

/// An XPUB or PUSH socket.
pub struct ZmqWriter {
    hot: Arc<HotCell<Socket>>,
    /// Where it is bound, and the hall in which readers join; `None`: it connects.
    bound: Option<(String, Hall)>,
    prefix: Prefix,
    payload: Payload,
    /// How long a write may block.
    limit: Duration,
    connections: Mutex<Connections>,
    maker: Arc<Maker>,
}

struct Connections {
    /// Locators that it has connected to.
    locators: Vec<String>,
    /// Knows which of them are still there; not over `inproc`.
    monitor: Option<Monitor>,
    /// Readers over `inproc`; their sockets close when they are dropped.
    doors: Vec<Weak<Door>>,
    /// The socket is bound: the library itself forgets connections that have ended.
    bound: bool,
}

impl Connections {
    fn alive(&mut self) -> u32 {
        match &mut self.monitor {
            Some(monitor) => monitor.connections(),
            None => self.doors.iter().filter(|door| door.strong_count() > 0).count() as u32,
        }
    }

    /// Gives up the connections to readers that have gone. The library would keep their queues, and a
    /// reliable writer would wait for room in them.
    fn give_up_lost(&mut self, socket: &Socket, maker: &Maker) {
        if self.bound {
            return;
        }
        for end_point in self.monitor.as_mut().map(Monitor::lost).unwrap_or_default() {
            maker.give_up(socket, &end_point);
        }
    }
}

/// How long this QoS lets a write, a request or a response block.
pub fn limit(qos: &Qos) -> Duration {
    match qos.max_blocking_ns {
        1.. => Duration::from_nanos(qos.max_blocking_ns.unsigned_abs()),
        _ => WRITE_LIMIT,
    }
}

/// Bytes of an endpoint's largest message.
pub fn message_bytes(config: &EndpointConfig) -> u64 {
    config.max_body_bytes + (HEAD + ANY_OVERHEAD) as u64
}

/// The traffic class of a priority: both endpoints of a connection send with it.
pub fn set_priority(socket: &Socket, config: &EndpointConfig, transport: Transport) -> Result<()> {
    /// Bits of the traffic class below the code point (RFC 2474).
    const UNUSED: u32 = 2;
    match config.qos.transport_priority {
        None => Ok(()),
        Some(_) if transport != Transport::Tcp => {
            let text = "only TCP has a priority on the wire: QoS transport_priority needs the \
                        transport tcp";
            Err(Status::Unsupported.error(text))
        }
        Some(point @ 0..64) => socket.set(ffi::TOS, point << UNUSED),
        Some(other) => {
            let text = format!("transport_priority {other}: code points (DSCP) are 0 to 63");
            Err(Status::Invalid.error(text))
        }
    }
}

impl ZmqWriter {
    /// Without readers; binds if writers do.
    pub fn new(maker: Arc<Maker>, config: &EndpointConfig) -> Result<Self> {
        let settings = &maker.settings;
        let socket = match settings.pattern {
            Pattern::PubSub => {
                let socket = maker.socket(ffi::XPUB)?;
                if settings.bind == Bind::Reader {
                    // Subscriptions of the second reader, too, which connect waits for.
                    socket.set(ffi::XPUB_VERBOSE, 1)?;
                }
                // As shipped, samples beyond a full queue are dropped.
                if config.qos.reliable == Some(true) {
                    socket.set(ffi::XPUB_NODROP, 1)?;
                }
                socket.set(ffi::RCVTIMEO, SLICE_MS)?;
                socket
            }
            Pattern::PushPull if config.qos.reliable == Some(false) => {
                let text = "PUSH sockets drop nothing: best effort needs the option \
                            pattern=pub_sub";
                return Err(Status::Unsupported.error(text));
            }
            Pattern::PushPull => maker.socket(ffi::PUSH)?,
        };
        socket.set(ffi::SNDHWM, settings.send_hwm(message_bytes(config)))?;
        let limit = limit(&config.qos);
        let slice_ms = limit.as_nanos().div_ceil(1_000_000).min(SLICE_MS as u128);
        socket.set(ffi::SNDTIMEO, slice_ms as i32)?;
        set_priority(&socket, config, settings.transport)?;
        let monitor = match settings.transport {
            Transport::Inproc => None,
            Transport::Tcp | Transport::Ipc => {
                let monitor = Monitor::new(&maker, &socket)?;
                monitor.set_timeout(SLICE_MS)?;
                Some(monitor)
            }
        };
        let place = match settings.bind {
            Bind::Reader => None,
            Bind::Writer => Some(maker.bind(&socket)?),
        };
        let connections = Connections {
            locators: Vec::new(),
            monitor,
            doors: Vec::new(),
            bound: place.is_some(),
        };
        let hot = Arc::new(HotCell::new(socket));
        let bound = match place {
            None => None,
            Some(place) => Some((place, Hall::open(&maker, &hot)?)),
        };
        Ok(Self {
            hot,
            bound,
            prefix: Prefix::new(config, settings.domain, settings.pattern)?,
            payload: config.payload,
            limit,
            connections: Mutex::new(connections),
            maker,
        })
    }
}

/// Hands a sample to the library.
#[inline]
pub fn send(socket: &Socket, sample: &mut Sample, flags: c_int) -> std::result::Result<(), Status> {
    let Some(body) = &mut sample.shared else { return socket.send(&sample.head, flags) };
    socket.send(&sample.head, ffi::SNDMORE | flags)?;
    loop {
        // A message is sent whole or not at all: once its first part is accepted, so is the next,
        // unless a signal comes in between.
        match socket.send_shared(body, 0) {
            Err(Status::Timeout) => {}
            result => return result,
        }
    }
}

impl ZmqWriter {
    /// The writing thread's access. Only `matched` may have the socket at the same time, for a moment,
    /// when a reader has gone.
    #[inline]
    fn socket(&self) -> HotGuard<'_, Socket> {
        loop {
            match self.hot.get() {
                Some(socket) => return socket,
                None => std::thread::yield_now(),
            }
        }
    }

    /// A queue is full.
    #[cold]
    fn wait_for_room(
        &self,
        socket: &Socket,
        sample: &mut Sample,
    ) -> std::result::Result<(), Status> {
        let start = Instant::now();
        loop {
            self.lock().give_up_lost(socket, &self.maker);
            match send(socket, sample, 0) {
                Err(Status::Timeout) if start.elapsed() < self.limit => {}
                result => return result,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Connections> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl busmark_adapter::Writer for ZmqWriter {
    type Sample = Sample;

    fn prepare(&self, body: &[u8]) -> Result<Sample> {
        Sample::new(&self.prefix, self.payload, body, self.maker.settings.zero_copy_from)
    }

    #[inline]
    fn write(&self, sample: &mut Sample, header: &Header) -> std::result::Result<(), Status> {
        sample.set_header(&self.prefix, header);
        let socket = self.socket();
        match send(&socket, sample, ffi::DONTWAIT) {
            Err(Status::Timeout) => self.wait_for_room(&socket, sample),
            result => result,
        }
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        if let (Some((_, hall)), Transport::Inproc) = (&self.bound, self.maker.settings.transport) {
            return Ok(hall.presence.readers.load(Ordering::Acquire));
        }
        let mut connections = self.lock();
        let alive = connections.alive();
        if let Some(socket) = self.hot.get() {
            connections.give_up_lost(&socket, &self.maker);
        }
        Ok(alive)
    }

    fn locator(&self) -> std::result::Result<String, Status> {
        let (data, hall) = self.bound.as_ref().ok_or(Status::Unsupported)?;
        let (domain, key) = (self.maker.settings.domain, self.maker.key());
        Ok(WriterLocator { domain, data: data.clone(), hall: hall.place.clone(), key }.text())
    }

    fn connect(&self, text: &str) -> Result<()> {
        if self.bound.is_some() {
            let text = "with bind=writer readers connect to writers";
            return Err(Status::Unsupported.error(text));
        }
        let locator = Locator::parse(text, &self.maker)?;
        let mut connections = self.lock();
        let Connections { locators, monitor, doors, .. } = &mut *connections;
        if locators.iter().any(|known| known == text) {
            return Ok(());
        }
        if self.maker.settings.pattern == Pattern::PushPull && !locators.is_empty() {
            let text = "a PUSH socket shares its samples out among its readers: one reader for each \
                        writer, or the option pattern=pub_sub";
            return Err(Status::Resources.error(text));
        }
        let door = match monitor {
            Some(_) => None,
            None => Some(door::find(&locator.data)?),
        };
        let socket = self.socket();
        self.maker.connect(&socket, &locator.data, locator.key.as_deref())?;
        if let Some(door) = &door {
            door.attach();
        }
        // A publisher drops what nobody has subscribed to. Each subscription that has arrived here is
        // in force.
        let mut message = Message::empty()?;
        await_subscriptions(locator.subscriptions, &locator.data, || {
            socket.receive(&mut message, 0)?;
            Ok(u32::from(message.bytes().first() == Some(&1)))
        })?;
        if let (Some(monitor), 0) = (monitor, locator.subscriptions) {
            await_subscriptions(1, &locator.data, || {
                Ok(u32::from(monitor.next(0)? == Change::Connected))
            })?;
        }
        if let Some(door) = door {
            door.writers.fetch_add(1, Ordering::AcqRel);
            doors.push(Arc::downgrade(&door));
        }
        locators.push(text.to_owned());
        Ok(())
    }
}

impl Drop for ZmqWriter {
    fn drop(&mut self) {
        for door in self.lock().doors.drain(..).filter_map(|door| door.upgrade()) {
            door.writers.fetch_sub(1, Ordering::AcqRel);
        }
        if let Some((data, hall)) = self.bound.take() {
            for place in [&data, &hall.place] {
                remove_file(place);
            }
        }
        // A socket that is closed while it is monitored keeps its descriptors until the context ends.
        // The hall, whose thread looks into the socket too, has ended.
        if let Some(socket) = self.hot.get() {
            socket.stop_monitor();
        }
    }
}

/// Removes the socket's file of an end point, which the library leaves where it is.
pub fn remove_file(end_point: &str) {
    if let Some(path) = end_point.strip_prefix("ipc://") {
        let _ = std::fs::remove_file(path);
    }
}
