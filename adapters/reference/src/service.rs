//! Services: the requests of a client and its responses go through two queues, the server's and the
//! client's, like samples.
//!
//! A client connects to the server's queue and introduces itself by the locator of its own, to which the
//! server connects. A request carries the client's number for it, and the server keeps both, client and
//! number, behind the handle of each request that it has not answered.
//!
//! Faults are drawn for by the request's header (`faults.rs`), so that a request and its response can be
//! accounted for by whoever knows the seed.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use busmark_adapter::{
    EndpointConfig, Error, Header, LastError, Match, ParticipantConfig, QosValue, Result, Service,
    ServiceCapabilities, ServiceEnd, Side, Sink, Status, Wait,
};

use crate::clock::realtime_ns;
use crate::delay::DelayLine;
use crate::endpoint::Quality;
use crate::link::{Client, Link, Parcel, Place};
use crate::locator::Locator;
use crate::memory::{Card, Greeter};
use crate::options::Options;
use crate::queue::{Message, Queue};
use crate::reader::Inlet;

type Hot<T> = std::result::Result<T, Status>;

/// Requests of one client that may wait for a response at a time.
const REQUESTS: u32 = 1024;

pub const SERVICES: ServiceCapabilities = ServiceCapabilities {
    waits: &[Wait::Waitset, Wait::Poll],
    qos: &[
        QosValue::BestEffort,
        QosValue::Reliable,
        QosValue::KeepLast,
        QosValue::KeepAll,
        QosValue::Volatile,
        QosValue::ResourceLimits,
    ],
    requests: REQUESTS,
    clients: 0,
};

/// Makes one end of a service.
pub fn end(
    participant: &ParticipantConfig,
    options: &Options,
    config: &EndpointConfig,
    side: Side,
) -> Result<ServiceEnd> {
    Ok(match side {
        Side::Server => ServiceEnd::new(ServerEnd::new(participant, options, config)?),
        Side::Client => ServiceEnd::new(ClientEnd::new(participant, options, config)?),
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A message that never expires.
fn message(header: &Header, body: &Arc<[u8]>, request: u64, from: Option<Arc<Client>>) -> Message {
    let body = Arc::clone(body);
    let (header, source_ns) = (*header, realtime_ns());
    Message { header, body, expires_ns: i64::MAX, source_ns, request, from }
}

/// What both ends have.
struct Base {
    // Before the queue that it fills.
    _inlet: Inlet,
    queue: Arc<Queue>,
    locator: Locator,
    run_dir: String,
    options: Options,
    quality: Quality,
}

impl Base {
    fn new(
        participant: &ParticipantConfig,
        options: &Options,
        config: &EndpointConfig,
        greeter: Option<Greeter>,
    ) -> Result<Self> {
        let quality = Quality::of(config, options)?;
        let queue = Arc::new(Queue::new(&quality));
        let (inlet, at) = Inlet::open(participant, &queue, &quality, greeter)?;
        let locator = Locator { service: true, ..Locator::of(participant, config, &quality, at) };
        let (run_dir, options) = (participant.run_dir.clone(), options.clone());
        Ok(Self { _inlet: inlet, queue, locator, run_dir, options, quality })
    }

    /// Until when a full queue of the other end is waited for.
    fn patience(&self) -> Option<Instant> {
        Instant::now().checked_add(self.quality.blocking)
    }
}

impl Drop for Base {
    fn drop(&mut self) {
        // Nobody waits for room here any more.
        self.queue.close();
    }
}

/// The clients that have introduced themselves, the oldest first.
type Clients = Arc<RwLock<Vec<Arc<Client>>>>;

/// A request that has been taken and not been answered.
struct Taken {
    client: Arc<Client>,
    /// The client's number.
    request: u64,
    /// The writer in the request's header: faults are drawn by it.
    writer_id: u32,
    seq: u64,
}

struct ServerEnd {
    base: Base,
    clients: Clients,
    /// By handle.
    taken: Mutex<HashMap<u64, Taken>>,
    next: AtomicU64,
    delay: Option<DelayLine>,
}

impl ServerEnd {
    fn new(
        participant: &ParticipantConfig,
        options: &Options,
        config: &EndpointConfig,
    ) -> Result<Self> {
        let clients = Clients::default();
        let reliable = Quality::of(config, options)?.reliable;
        let (known, run_dir) = (Arc::clone(&clients), participant.run_dir.clone());
        let greeter: Greeter = Box::new(move |locator: &Locator| {
            let client = Client::connect(locator, &run_dir, reliable)?;
            let mut known = known.write().unwrap_or_else(PoisonError::into_inner);
            known.retain(|client| client.is_open());
            known.push(Arc::clone(&client));
            Ok(client)
        });
        Ok(Self {
            base: Base::new(participant, options, config, Some(greeter))?,
            clients,
            // All at once, so that taking a request does not allocate.
            taken: Mutex::new(HashMap::with_capacity(options.max_samples.min(1 << 16))),
            next: AtomicU64::new(1),
            delay: options.faults.delays().then(DelayLine::start).transpose()?,
        })
    }

    /// The client after this one, which gets what is misrouted; the same if there is no other.
    fn beside<'a>(clients: &'a [Arc<Client>], client: &'a Arc<Client>) -> &'a Arc<Client> {
        let at = clients.iter().position(|other| Arc::ptr_eq(other, client));
        at.map_or(client, |at| &clients[(at + 1) % clients.len()])
    }

    /// Sends the response as the schedule wants it.
    fn respond(&self, taken: &Taken, body: &Arc<[u8]>, header: &Header) -> Hot<()> {
        let fate = self.base.options.faults.response_fate(taken.writer_id, taken.seq);
        if fate.drop {
            return Ok(());
        }
        let clients = self.clients.read().unwrap_or_else(PoisonError::into_inner);
        let to = if fate.misroute { Self::beside(&clients, &taken.client) } else { &taken.client };
        let links = Arc::clone(to.links());
        drop(clients);
        let until = self.base.patience();
        for link in links.iter() {
            link.reserve(until)?;
        }
        let message = message(header, body, taken.request, None);
        let parcel = Parcel { message, links, duplicate: fate.duplicate };
        match (&self.delay, fate.delay_ns) {
            (Some(line), Some(delay_ns)) => line.put(delay_ns, parcel),
            _ => parcel.deliver(),
        }
        Ok(())
    }
}

impl Service for ServerEnd {
    type Sample = Arc<[u8]>;

    fn prepare(&self, body: &[u8]) -> Result<Arc<[u8]>> {
        Ok(body.into())
    }

    fn send(&self, sample: &mut Arc<[u8]>, header: &Header, request: &mut u64) -> Hot<()> {
        // Taken out first: of two threads with one handle one answers.
        let taken = lock(&self.taken).remove(request).ok_or(Status::Invalid)?;
        let sent = self.respond(&taken, sample, header);
        if sent.is_err() {
            lock(&self.taken).insert(*request, taken);
        }
        sent
    }

    fn take(&self, max: usize, sink: &mut Sink) -> Hot<usize> {
        self.base.queue.take_each(max, |stored| {
            let Message { header, body, source_ns, request, from, .. } = stored.message;
            let handle = self.next.fetch_add(1, Ordering::Relaxed);
            if let Some(client) = from {
                let Header { writer_id, seq, .. } = header;
                let taken = Taken { client, request, writer_id, seq };
                lock(&self.taken).insert(handle, taken);
            }
            sink.deliver_request(handle, &header, &body, (source_ns, stored.reception_ns));
        })
    }

    fn wait(&self, timeout: Duration) -> Hot<()> {
        self.base.queue.wait(timeout)
    }

    fn forget(&self, request: u64) -> Hot<()> {
        lock(&self.taken).remove(&request);
        Ok(())
    }

    fn matched(&self) -> Hot<Match> {
        let mut clients = self.clients.write().unwrap_or_else(PoisonError::into_inner);
        clients.retain(|client| client.is_open());
        Ok(Match { count: clients.len() as u32, changed_ns: 0 })
    }

    fn locator(&self) -> Hot<String> {
        Ok(self.base.locator.to_string())
    }

    fn connect(&self, _locator: &str) -> Result<()> {
        Err(Status::Unsupported.error("clients connect to their server"))
    }
}

/// A client's way to its server.
struct Way {
    link: Link,
    /// As the server knows this client; in a pipe it knows that by the stream.
    own: Option<Arc<Client>>,
}

struct ClientEnd {
    base: Base,
    way: RwLock<Option<Way>>,
    /// Requests without a response, by number.
    awaited: Mutex<HashSet<u64>>,
    next: AtomicU64,
    failure: LastError,
}

impl ClientEnd {
    fn new(
        participant: &ParticipantConfig,
        options: &Options,
        config: &EndpointConfig,
    ) -> Result<Self> {
        Ok(Self {
            base: Base::new(participant, options, config, None)?,
            way: RwLock::default(),
            awaited: Mutex::new(HashSet::with_capacity(2 * REQUESTS as usize)),
            next: AtomicU64::new(1),
            failure: LastError::default(),
        })
    }

    /// A new number, unless too many wait for their response.
    fn number(&self) -> Hot<u64> {
        let mut awaited = lock(&self.awaited);
        if awaited.len() >= REQUESTS as usize {
            return Err(Status::Resources);
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        awaited.insert(number);
        Ok(number)
    }
}

impl Service for ClientEnd {
    type Sample = Arc<[u8]>;

    fn prepare(&self, body: &[u8]) -> Result<Arc<[u8]>> {
        Ok(body.into())
    }

    fn send(&self, sample: &mut Arc<[u8]>, header: &Header, request: &mut u64) -> Hot<()> {
        let fate = self.base.options.faults.request_fate(header.writer_id, header.seq);
        if fate.fail {
            let text = format!("request {} fails on purpose (option fail)", header.seq);
            return Err(self.failure.keep(Status::Failed.error(text)));
        }
        let number = self.number()?;
        let way = self.way.read().unwrap_or_else(PoisonError::into_inner);
        // Without a server nobody gets it, like a sample without a reader.
        if let Some(Way { link, own }) = way.as_ref().filter(|_| !fate.drop) {
            if let Err(status) = link.reserve(self.base.patience()) {
                lock(&self.awaited).remove(&number);
                return Err(status);
            }
            link.send(&message(header, sample, number, own.clone()), Place::Reserved);
        }
        *request = number;
        Ok(())
    }

    fn take(&self, max: usize, sink: &mut Sink) -> Hot<usize> {
        self.base.queue.take_each(max, |stored| {
            let Message { header, body, source_ns, request, .. } = &stored.message;
            lock(&self.awaited).remove(request);
            sink.deliver_request(*request, header, body, (*source_ns, stored.reception_ns));
        })
    }

    fn wait(&self, timeout: Duration) -> Hot<()> {
        self.base.queue.wait(timeout)
    }

    fn forget(&self, request: u64) -> Hot<()> {
        lock(&self.awaited).remove(&request);
        Ok(())
    }

    fn matched(&self) -> Hot<Match> {
        let way = self.way.read().unwrap_or_else(PoisonError::into_inner);
        let open = way.as_ref().is_some_and(|way| way.link.is_open());
        Ok(Match { count: u32::from(open), changed_ns: 0 })
    }

    fn last_error(&self) -> Option<Error> {
        self.failure.get()
    }

    fn connect(&self, locator: &str) -> Result<()> {
        let base = &self.base;
        let locator: Locator = locator.parse()?;
        locator.check(&base.locator)?;
        if self.matched().is_ok_and(|found| found.count > 0) {
            return Err(Status::Invalid.error("the client is connected to a server already"));
        }
        let reliable = base.quality.reliable && locator.reliable;
        let link = Link::connect(&locator, &base.run_dir, &Arc::<Card>::default(), reliable)?;
        let own = link.greet(&base.locator)?;
        *self.way.write().unwrap_or_else(PoisonError::into_inner) = Some(Way { link, own });
        Ok(())
    }
}
