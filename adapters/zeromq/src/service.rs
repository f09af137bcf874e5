//! Services: a ROUTER, and a DEALER for each client.
//!
//! A message is the number of a request, which is the client's own, header and body. The ROUTER names the
//! client that a request is from, and sends the response to the client of that name.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use busmark_adapter::{
    EndpointConfig, Header, Match, Payload, Result, Service, Sink, Status, Unanswered,
};

use crate::door::await_subscriptions;
use crate::endpoints::{Locator, Maker};
use crate::ffi;
use crate::monitor::{Change, Monitor};
use crate::options::Transport;
use crate::sample::{Prefix, Sample};
use crate::shared::{Piece, Shared};
use crate::socket::{Message, Socket};
use crate::writer::{SLICE_MS, limit, message_bytes, remove_file, send, set_priority};

type Hot<T> = std::result::Result<T, Status>;

/// The library stamps no messages.
const UNSTAMPED: (i64, i64) = (0, 0);

/// Who uses a server over `inproc`, which the monitor does not know.
#[derive(Debug, Default)]
struct Presence {
    clients: AtomicU32,
    closed: AtomicBool,
}

impl Presence {
    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }
}

/// Servers of this process over `inproc`, by their end points.
static SERVERS: Mutex<Option<HashMap<String, Arc<Presence>>>> = Mutex::new(None);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A socket for an end of a service, and who watches it.
fn end(maker: &Maker, config: &EndpointConfig, kind: i32) -> Result<(Socket, Option<Monitor>)> {
    let (settings, bytes) = (&maker.settings, message_bytes(config));
    let socket = maker.socket(kind)?;
    socket.set(ffi::SNDHWM, settings.send_hwm(bytes))?;
    socket.set(ffi::RCVHWM, settings.receive_hwm(bytes))?;
    set_priority(&socket, config, settings.transport)?;
    let monitor = match settings.transport {
        Transport::Inproc => None,
        Transport::Tcp | Transport::Ipc => {
            let monitor = Monitor::new(maker, &socket)?;
            monitor.set_timeout(SLICE_MS)?;
            Some(monitor)
        }
    };
    Ok((socket, monitor))
}

fn prepare(maker: &Maker, body: &[u8]) -> Result<Sample> {
    Sample::new(&Prefix::number(), Payload::Octet, body, maker.settings.zero_copy_from)
}

/// A DEALER.
pub struct ZmqClient {
    shared: Shared,
    servers: Mutex<Servers>,
    next: AtomicU64,
    limit: Duration,
    maker: Arc<Maker>,
}

/// Servers that it has connected to.
struct Servers {
    /// Knows which of them are still there; not over `inproc`.
    monitor: Option<Monitor>,
    /// Those of this process, with their end points.
    near: Vec<(String, Arc<Presence>)>,
}

impl Servers {
    fn alive(&mut self) -> u32 {
        match &mut self.monitor {
            Some(monitor) => monitor.connections(),
            None => self.near.iter().filter(|(_, server)| !server.is_closed()).count() as u32,
        }
    }

    /// The end points of those that have gone since the last call.
    fn lost(&mut self) -> Vec<String> {
        if let Some(monitor) = &mut self.monitor {
            return monitor.lost();
        }
        // The library closes a socket some time after `zmq_close`, and its queue takes requests until then.
        let gone = self.near.extract_if(.., |(_, server)| server.is_closed());
        gone.map(|(end_point, _)| end_point).collect()
    }
}

impl ZmqClient {
    /// Without a server.
    pub fn new(maker: Arc<Maker>, config: &EndpointConfig) -> Result<Self> {
        let (socket, monitor) = end(&maker, config, ffi::DEALER)?;
        Ok(Self {
            shared: Shared::new(socket, false)?,
            servers: Mutex::new(Servers { monitor, near: Vec::new() }),
            next: AtomicU64::new(0),
            limit: limit(&config.qos),
            maker,
        })
    }

    /// Gives up the connections to servers that have gone. The library would share requests out to their
    /// queues, too.
    fn give_up_lost(&self, servers: &mut Servers) {
        let lost = servers.lost();
        if lost.is_empty() {
            return;
        }
        let socket = self.shared.socket();
        for end_point in lost {
            self.maker.give_up(&socket, &end_point);
        }
        self.shared.wake(&socket);
    }
}

impl Service for ZmqClient {
    type Sample = Sample;

    fn prepare(&self, body: &[u8]) -> Result<Sample> {
        prepare(&self.maker, body)
    }

    #[inline]
    fn send(&self, sample: &mut Sample, header: &Header, request: &mut u64) -> Hot<()> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        sample.set_number(number, header);
        self.shared.send(self.limit, |socket| send(socket, sample, ffi::DONTWAIT))?;
        *request = number;
        Ok(())
    }

    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> Hot<usize> {
        self.shared.take(max, |Piece { number, header, body, .. }| {
            sink.deliver_request(number, &header, body, UNSTAMPED);
            Ok(())
        })
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> Hot<()> {
        self.shared.wait(timeout)
    }

    fn matched(&self) -> Hot<Match> {
        let mut servers = locked(&self.servers);
        let count = servers.alive();
        self.give_up_lost(&mut servers);
        Ok(Match { count, changed_ns: 0 })
    }

    fn connect(&self, text: &str) -> Result<()> {
        let locator = Locator::parse(text, &self.maker)?;
        let mut servers = locked(&self.servers);
        self.give_up_lost(&mut servers);
        let near = match &servers.monitor {
            Some(_) => None,
            None => Some(find(&locator.data)?),
        };
        {
            let socket = self.shared.socket();
            self.maker.connect(&socket, &locator.data, locator.key.as_deref())?;
            self.shared.wake(&socket);
        }
        if let Some(monitor) = &mut servers.monitor {
            let connected = await_subscriptions(1, &locator.data, || {
                Ok(u32::from(monitor.next(0)? == Change::Connected))
            });
            if connected.is_err() {
                // Requests would be shared out to its queue, too.
                let socket = self.shared.socket();
                self.maker.give_up(&socket, &locator.data);
                self.shared.wake(&socket);
                return connected;
            }
        }
        if let Some(server) = near {
            server.clients.fetch_add(1, Ordering::AcqRel);
            servers.near.push((locator.data, server));
        }
        Ok(())
    }
}

/// The server over `inproc` that is bound to this end point.
fn find(end_point: &str) -> Result<Arc<Presence>> {
    let found = locked(&SERVERS).as_ref().and_then(|servers| servers.get(end_point).cloned());
    found.ok_or_else(|| {
        let text = format!("no server of this process is bound to {end_point}");
        Status::Unavailable.error(text)
    })
}

impl Drop for ZmqClient {
    fn drop(&mut self) {
        for (_, server) in locked(&self.servers).near.drain(..) {
            server.clients.fetch_sub(1, Ordering::AcqRel);
        }
        // A socket that is closed while it is monitored keeps its descriptors until the context ends.
        self.shared.socket().stop_monitor();
    }
}

/// A ROUTER.
pub struct ZmqServer {
    shared: Shared,
    unanswered: Unanswered<Asked>,
    monitor: Option<Mutex<Monitor>>,
    presence: Arc<Presence>,
    locator: Locator,
    limit: Duration,
    maker: Arc<Maker>,
}

/// A request that is to be answered.
struct Asked {
    /// Locked by who answers; nobody waits for it.
    client: Mutex<Message>,
    number: u64,
}

impl ZmqServer {
    /// Binds.
    pub fn new(maker: Arc<Maker>, config: &EndpointConfig) -> Result<Self> {
        let (socket, monitor) = end(&maker, config, ffi::ROUTER)?;
        // As shipped, responses beyond a full queue are dropped.
        socket.set(ffi::ROUTER_MANDATORY, 1)?;
        let (data, key) = (maker.bind(&socket)?, maker.key());
        let presence = Arc::<Presence>::default();
        if monitor.is_none() {
            let mut servers = locked(&SERVERS);
            servers.get_or_insert_default().insert(data.clone(), Arc::clone(&presence));
        }
        Ok(Self {
            shared: Shared::new(socket, true)?,
            unanswered: Unanswered::default(),
            monitor: monitor.map(Mutex::new),
            presence,
            locator: Locator { domain: maker.settings.domain, subscriptions: 0, data, key },
            limit: limit(&config.qos),
            maker,
        })
    }
}

impl Service for ZmqServer {
    type Sample = Sample;

    fn prepare(&self, body: &[u8]) -> Result<Sample> {
        prepare(&self.maker, body)
    }

    #[inline]
    fn send(&self, sample: &mut Sample, header: &Header, request: &mut u64) -> Hot<()> {
        let asked = self.unanswered.claim(*request).ok_or(Status::Invalid)?;
        sample.set_number(asked.number, header);
        {
            let mut client = locked(&asked.client);
            self.shared.send(self.limit, |socket| {
                // A client that has gone needs no answer.
                if socket.begin(&mut client)? { send(socket, sample, 0) } else { Ok(()) }
            })?;
        }
        drop(asked.answered());
        Ok(())
    }

    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> Hot<usize> {
        self.shared.take(max, |Piece { client, number, header, body }| {
            let next = Message::empty().map_err(|error| error.status)?;
            let client = Mutex::new(std::mem::replace(client, next));
            let asked = self.unanswered.insert(Asked { client, number });
            let handle = asked.ok_or(Status::Resources)?;
            sink.deliver_request(handle, &header, body, UNSTAMPED);
            Ok(())
        })
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> Hot<()> {
        self.shared.wait(timeout)
    }

    fn forget(&self, request: u64) -> Hot<()> {
        drop(self.unanswered.claim(request).ok_or(Status::Invalid)?.answered());
        Ok(())
    }

    fn matched(&self) -> Hot<Match> {
        let count = match &self.monitor {
            Some(monitor) => locked(monitor).connections(),
            None => self.presence.clients.load(Ordering::Acquire),
        };
        Ok(Match { count, changed_ns: 0 })
    }

    fn locator(&self) -> Hot<String> {
        Ok(self.locator.text())
    }
}

impl Drop for ZmqServer {
    fn drop(&mut self) {
        self.presence.closed.store(true, Ordering::Release);
        if let Some(servers) = locked(&SERVERS).as_mut() {
            servers.remove(&self.locator.data);
        }
        remove_file(&self.locator.data);
        // As above.
        self.shared.socket().stop_monitor();
    }
}
