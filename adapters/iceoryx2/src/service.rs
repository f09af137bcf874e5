//! Services: request-response of the library, and an event service for each direction that wakes those who
//! sleep.
//!
//! Ports and what they lend count references without atomic operations, so each end has its own behind a
//! lock: several threads respond, and a client's thread that sends is not the one that takes. The lock is
//! held for calls of the library only, never while a body is copied or given to the worker.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use busmark_adapter::{
    EndpointConfig, Header, HotCell, Match, QosValue, Result, Service, ServiceCapabilities,
    ServiceEnd, Side, Sink, Status, Wait,
};
use iceoryx2::active_request::ActiveRequest;
use iceoryx2::pending_response::PendingResponse;
use iceoryx2::port::client::{Client, RequestSendError};
use iceoryx2::port::listener::Listener;
use iceoryx2::port::notifier::{ListenerKey, Notifier};
use iceoryx2::port::port_name::PortName;
use iceoryx2::port::server::Server;
use iceoryx2::port::{BackpressureAction, ReceiveError, SendError};
use iceoryx2::prelude::{CallbackProgression, Node, PortFactory, Service as Iox, ServiceName};
use iceoryx2::response::Response;
use iceoryx2::service::port_factory::{event, request_response};

use crate::elements::{Octet, SampleHeader};
use crate::participant::{Inspection, MAX_NODES, failed};

type Hot<T> = std::result::Result<T, Status>;

/// Requests of a client that may wait for their response; the library ships with 4.
const REQUESTS: usize = 64;
/// Clients of a service; the library ships with 8.
const CLIENTS: usize = 16;
/// The library stamps nothing.
const UNSTAMPED: (i64, i64) = (0, 0);

/// What services can do.
pub const CAPABILITIES: ServiceCapabilities = ServiceCapabilities {
    waits: &[Wait::Waitset, Wait::Poll],
    qos: &[QosValue::Reliable, QosValue::KeepAll, QosValue::Volatile],
    requests: REQUESTS as u32,
    clients: CLIENTS as u32,
};

type Calls<S> = request_response::PortFactory<S, [Octet], SampleHeader, [Octet], SampleHeader>;
type Active<S> = ActiveRequest<S, [Octet], SampleHeader, [Octet], SampleHeader>;
type Pending<S> = PendingResponse<S, [Octet], SampleHeader, [Octet], SampleHeader>;

/// The library's services for one of ours.
struct Services<S: Iox> {
    calls: Calls<S>,
    /// Wakes the server.
    requests: event::PortFactory<S>,
    /// Wakes clients.
    responses: event::PortFactory<S>,
    inspection: Inspection,
    largest: usize,
}

impl<S: Iox> Services<S> {
    fn new(node: &Node<S>, config: &EndpointConfig) -> Result<Self> {
        let topic = &config.topic;
        let name = |text: &str| {
            ServiceName::new(text)
                .map_err(|error| Status::Invalid.error(format!("service {topic}: {error:?}")))
        };
        let what = format!("service {topic}");
        let calls = node
            .service_builder(&name(topic)?)
            .request_response::<[Octet], [Octet]>()
            .request_user_header::<SampleHeader>()
            .response_user_header::<SampleHeader>()
            .max_servers(1)
            .max_clients(CLIENTS)
            .max_nodes(MAX_NODES)
            .max_active_requests_per_client(REQUESTS)
            // A full buffer refuses a request and loses none.
            .enable_safe_overflow_for_requests(false)
            // Each request has one response.
            .max_response_buffer_size(1)
            .max_borrowed_responses_per_pending_response(1)
            .open_or_create()
            .map_err(|error| failed(&what, error))?;
        let event = |direction: &str| {
            node.service_builder(&name(&format!("{topic}/{direction}"))?)
                .event()
                .max_listeners(CLIENTS)
                .max_notifiers(CLIENTS)
                .max_nodes(MAX_NODES)
                .open_or_create()
                .map_err(|error| failed(&what, error))
        };
        Ok(Self {
            requests: event("requests")?,
            responses: event("responses")?,
            calls,
            inspection: Inspection::default(),
            // A slice of no elements still needs a place.
            largest: (config.max_body_bytes as usize).max(1),
        })
    }

    /// Ends of a process that crashed are counted until somebody cleans up after it.
    fn look_for_the_dead(&self) {
        if self.inspection.is_due() {
            let _ = self.calls.try_cleanup_dead_nodes();
        }
    }
}

/// What an end has that is of one thread at a time.
///
/// The library's values in it and all that they lend share counts of references: whoever makes, uses or
/// drops one of them has the lock.
struct Locked<T>(Mutex<Kept<T>>);

struct Kept<T>(T);

// SAFETY: as said above, one thread at a time uses what shares its counts.
unsafe impl<T> Send for Kept<T> {}

impl<T> Locked<T> {
    fn new(value: T) -> Self {
        Self(Mutex::new(Kept(value)))
    }

    #[inline]
    fn lock(&self) -> MutexGuard<'_, Kept<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The listener of an end that waits; used by the taking thread alone.
struct Ear<S: Iox>(Option<Listener<S>>);

// SAFETY: a listener shares no counts with other ports, and a cell gives it to one thread at a time.
unsafe impl<S: Iox> Send for Ear<S> {}

impl<S: Iox> Ear<S> {
    /// Sleeps until `is_there`.
    #[inline]
    fn wait(&self, timeout: Duration, is_there: impl Fn() -> Hot<bool>) -> Hot<()> {
        let Some(listener) = &self.0 else { return Err(Status::Unsupported) };
        if is_there()? {
            return Ok(());
        }
        let mut left = timeout;
        let start = Instant::now();
        loop {
            if left.is_zero() {
                return Err(Status::Timeout);
            }
            // The system counts microseconds, and none of them means for ever.
            let limit = left.max(Duration::from_micros(1));
            listener.timed_wait(|_| {}, limit).map_err(|_| Status::Failed)?;
            if is_there()? {
                return Ok(());
            }
            left = timeout.saturating_sub(start.elapsed());
        }
    }
}

fn listener<S: Iox>(
    events: &event::PortFactory<S>,
    config: &EndpointConfig,
) -> Result<Option<Listener<S>>> {
    let create = || events.listener_builder().create().map_err(|error| failed("listener", error));
    (config.wait == Wait::Waitset).then(create).transpose()
}

fn notifier<S: Iox>(events: &event::PortFactory<S>) -> Result<Notifier<S>> {
    events.notifier_builder().create().map_err(|error| failed("notifier", error))
}

/// Makes an end of a service.
pub fn end<S: Iox + 'static>(
    node: &Node<S>,
    config: &EndpointConfig,
    side: Side,
) -> Result<ServiceEnd> {
    let services = Services::new(node, config)?;
    Ok(match side {
        Side::Client => ServiceEnd::new(IoxClient::new(services, config)?),
        Side::Server => ServiceEnd::new(IoxServer::new(services, config)?),
    })
}

/// A body as it will lie in loaned memory.
pub struct Body(Box<[u8]>);

/// Header and body of what the library has lent, where they lie.
#[derive(Clone, Copy)]
struct Lent {
    header: *const Header,
    body: *const [Octet],
}

impl Lent {
    #[inline]
    fn new(header: &SampleHeader, body: &[Octet]) -> Self {
        Self { header: &raw const header.0, body: &raw const *body }
    }

    /// # Safety
    /// What has lent it has not been dropped.
    #[inline]
    unsafe fn deliver(self, request: u64, sink: &mut Sink) {
        // SAFETY: promised by the caller; an octet is a byte.
        unsafe {
            let body = std::slice::from_raw_parts(self.body.cast::<u8>(), self.body.len());
            sink.deliver_request(request, &*self.header, body, UNSTAMPED);
        }
    }
}

/// Takes requests, and keeps each until it is answered.
struct IoxServer<S: Iox> {
    serving: Locked<Serving<S>>,
    bell: Locked<Notifier<S>>,
    ear: HotCell<Ear<S>>,
    services: Services<S>,
}

struct Serving<S: Iox> {
    slots: Vec<Slot<S>>,
    free: Vec<u32>,
    /// Clients that have asked, and whom to wake.
    clients: Vec<(u128, Option<ListenerKey>)>,
    server: Server<S, [Octet], SampleHeader, [Octet], SampleHeader>,
}

/// A request, behind a handle of generation and index.
struct Slot<S: Iox> {
    generation: u32,
    request: Option<Active<S>>,
    wake: Option<ListenerKey>,
    /// Its body is with the worker.
    lent: bool,
    /// Some thread is answering it, or has.
    claimed: bool,
    /// It has been answered, or will not be.
    done: bool,
}

impl<S: Iox> Serving<S> {
    /// Keeps a request; its index and handle.
    #[inline]
    fn keep(&mut self, request: Active<S>, wake: Option<ListenerKey>) -> (u32, u64) {
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot {
                generation: 1,
                request: None,
                wake: None,
                lent: false,
                claimed: false,
                done: false,
            });
            self.slots.len() as u32 - 1
        });
        let slot = &mut self.slots[index as usize];
        (slot.request, slot.wake, slot.lent) = (Some(request), wake, true);
        (index, u64::from(slot.generation) << 32 | u64::from(index))
    }

    /// The slot of a request that nobody else answers.
    #[inline]
    fn claim(&mut self, handle: u64) -> Hot<&mut Slot<S>> {
        let slot = self.slots.get_mut(handle as u32 as usize).ok_or(Status::Invalid)?;
        if slot.generation != (handle >> 32) as u32 || slot.request.is_none() || slot.claimed {
            return Err(Status::Invalid);
        }
        slot.claimed = true;
        Ok(slot)
    }

    /// The body of a request is not with the worker any more.
    #[inline]
    fn take_back(&mut self, index: u32) {
        self.slots[index as usize].lent = false;
        self.settle(index);
    }

    /// Drops a request that is done, once its body is not with the worker any more.
    #[inline]
    fn settle(&mut self, index: u32) {
        let slot = &mut self.slots[index as usize];
        if slot.done && !slot.lent {
            slot.request = None;
            (slot.claimed, slot.done) = (false, false);
            slot.generation = slot.generation.wrapping_add(1).max(1);
            self.free.push(index);
        }
    }
}

impl<S: Iox> IoxServer<S> {
    fn new(services: Services<S>, config: &EndpointConfig) -> Result<Self> {
        // One that crashed would be in the way.
        let _ = services.calls.try_cleanup_dead_nodes();
        // The listener first: once a client counts the server, its notices arrive.
        let ear = HotCell::new(Ear(listener(&services.requests, config)?));
        let bell = Locked::new(notifier(&services.responses)?);
        let server = services
            .calls
            .server_builder()
            .initial_max_slice_len(services.largest)
            .max_loaned_responses_per_request(1)
            .set_backpressure_handler(|_| BackpressureAction::DiscardDataAndFail)
            .create()
            .map_err(|error| failed("server", error))?;
        let room = CLIENTS * REQUESTS;
        let serving = Locked::new(Serving {
            slots: Vec::with_capacity(room),
            free: Vec::with_capacity(room),
            clients: Vec::with_capacity(CLIENTS),
            server,
        });
        Ok(Self { serving, bell, ear, services })
    }

    /// The next request: its index, handle, and where it lies.
    #[inline]
    fn next(&self, serving: &mut Serving<S>) -> Hot<Option<(u32, u64, Lent)>> {
        let received = serving.server.receive().map_err(|error| match error {
            // As many of one client are kept as may be.
            ReceiveError::ExceedsMaxBorrows => Status::Resources,
            ReceiveError::ConnectionFailure(_) => Status::Failed,
        })?;
        let Some(request) = received else { return Ok(None) };
        let wake = self.wake(&mut serving.clients, request.origin().value());
        let lent = Lent::new(request.user_header(), request.payload());
        let (index, handle) = serving.keep(request, wake);
        Ok(Some((index, handle, lent)))
    }

    /// Whom to wake when this client has its response: the listener after which it is named.
    #[inline]
    fn wake(
        &self,
        clients: &mut Vec<(u128, Option<ListenerKey>)>,
        id: u128,
    ) -> Option<ListenerKey> {
        match clients.iter().find(|(known, _)| *known == id) {
            Some((_, key)) => *key,
            None => self.meet(clients, id),
        }
    }

    /// A client that has not asked before. Those that have gone are forgotten.
    #[cold]
    fn meet(
        &self,
        clients: &mut Vec<(u128, Option<ListenerKey>)>,
        id: u128,
    ) -> Option<ListenerKey> {
        let (mut there, mut name) = (Vec::new(), None);
        self.services.calls.dynamic_config().list_clients(|client| {
            there.push(client.client_id.value());
            if client.client_id.value() == id {
                name = Some(client.client_name);
            }
            CallbackProgression::Continue
        });
        clients.retain(|(known, _)| there.contains(known));
        let mut key = None;
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            self.bell.lock().0.for_each_listener(|listener, details| {
                if *name == *name_of(details.listener_id.value()) {
                    key = Some(listener.listener_key());
                    return CallbackProgression::Stop;
                }
                CallbackProgression::Continue
            });
        }
        clients.push((id, key));
        key
    }
}

/// The name of a client whose listener is this one.
fn name_of(listener: u128) -> String {
    format!("{listener:x}")
}

impl<S: Iox + 'static> Service for IoxServer<S> {
    type Sample = Body;

    fn prepare(&self, body: &[u8]) -> Result<Body> {
        Ok(Body(body.into()))
    }

    #[inline]
    fn send(&self, sample: &mut Body, header: &Header, request: &mut u64) -> Hot<()> {
        let body = &sample.0;
        let (mut loan, room) = {
            let mut serving = self.serving.lock();
            let slot = serving.0.claim(*request)?;
            let lent = slot.request.as_ref().map(|active| active.loan_slice_uninit(body.len()));
            let Some(Ok(mut loan)) = lent else {
                slot.claimed = false;
                return Err(Status::Resources);
            };
            let room = loan.payload_mut().as_mut_ptr().cast::<u8>();
            (loan, room)
        };
        loan.user_header_mut().0 = *header;
        // SAFETY: the loan has room for as many octets, and is this thread's.
        unsafe { std::ptr::copy_nonoverlapping(body.as_ptr(), room, body.len()) };
        let wake = {
            let mut serving = self.serving.lock();
            // SAFETY: every octet was just copied.
            let sent = unsafe { loan.assume_init() }.send();
            let index = *request as u32;
            let slot = &mut serving.0.slots[index as usize];
            if let Err(error) = sent {
                slot.claimed = false;
                return Err(match error {
                    SendError::UnableToDeliver => Status::Timeout,
                    _ => Status::Failed,
                });
            }
            let wake = slot.wake;
            slot.done = true;
            serving.0.settle(index);
            wake
        };
        if let Some(key) = wake {
            // A client that has gone away meanwhile is no failure of this response.
            let _ = self.bell.lock().0.notify_single_listener(&key);
        }
        Ok(())
    }

    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> Hot<usize> {
        let mut count = 0;
        let mut given = None;
        loop {
            let next = {
                let mut serving = self.serving.lock();
                if let Some(index) = given.take() {
                    serving.0.take_back(index);
                }
                if count == max { Ok(None) } else { self.next(&mut serving.0) }
            };
            let (index, handle, lent) = match next {
                Ok(Some(next)) => next,
                Err(status) if count == 0 => return Err(status),
                Ok(None) | Err(_) => break,
            };
            // SAFETY: its slot keeps the request until it is taken back.
            unsafe { lent.deliver(handle, sink) };
            given = Some(index);
            count += 1;
        }
        if count == 0 { Err(Status::NoData) } else { Ok(count) }
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> Hot<()> {
        let ear = self.ear.get().ok_or(Status::Invalid)?;
        ear.wait(timeout, || {
            self.serving.lock().0.server.has_requests().map_err(|_| Status::Failed)
        })
    }

    fn forget(&self, request: u64) -> Hot<()> {
        let mut serving = self.serving.lock();
        serving.0.claim(request)?.done = true;
        serving.0.settle(request as u32);
        Ok(())
    }

    fn matched(&self) -> Hot<Match> {
        self.services.look_for_the_dead();
        let count = self.services.calls.dynamic_config().number_of_clients() as u32;
        Ok(Match { count, changed_ns: 0 })
    }
}

/// Sends requests, and keeps each until it has its response.
struct IoxClient<S: Iox> {
    asking: Locked<Asking<S>>,
    bell: Locked<Notifier<S>>,
    ear: HotCell<Ear<S>>,
    services: Services<S>,
}

struct Asking<S: Iox> {
    /// In the order in which they were sent. Each has a place of its own for its response: they are
    /// looked at one after the other.
    pending: VecDeque<(u64, Pending<S>)>,
    /// Number of the last request.
    number: u64,
    client: Client<S, [Octet], SampleHeader, [Octet], SampleHeader>,
}

impl<S: Iox> Asking<S> {
    /// A request with its response.
    #[inline]
    fn answered(&mut self) -> Hot<Option<Answered<S>>> {
        for at in 0..self.pending.len() {
            if let Some(response) = self.pending[at].1.receive().map_err(|_| Status::Failed)? {
                let Some((number, request)) = self.pending.remove(at) else { break };
                return Ok(Some(Answered { number, response, _request: request }));
            }
        }
        Ok(None)
    }
}

struct Answered<S: Iox> {
    number: u64,
    response: Response<S, [Octet], SampleHeader>,
    _request: Pending<S>,
}

impl<S: Iox> IoxClient<S> {
    fn new(services: Services<S>, config: &EndpointConfig) -> Result<Self> {
        // The listener first: once the server has a request, its notices arrive.
        let listener = listener(&services.responses, config)?;
        let name = listener.as_ref().map_or_else(String::new, |l| name_of(l.id().value()));
        let name = PortName::new(&name).map_err(|error| failed("client\'s name", error))?;
        let bell = Locked::new(notifier(&services.requests)?);
        let client = services
            .calls
            .client_builder()
            .name(&name)
            .initial_max_slice_len(services.largest)
            .set_backpressure_handler(|_| BackpressureAction::DiscardDataAndFail)
            .create()
            .map_err(|error| failed("client", error))?;
        let asking =
            Locked::new(Asking { pending: VecDeque::with_capacity(REQUESTS), number: 0, client });
        Ok(Self { asking, bell, ear: HotCell::new(Ear(listener)), services })
    }
}

impl<S: Iox + 'static> Service for IoxClient<S> {
    type Sample = Body;

    fn prepare(&self, body: &[u8]) -> Result<Body> {
        Ok(Body(body.into()))
    }

    #[inline]
    fn send(&self, sample: &mut Body, header: &Header, request: &mut u64) -> Hot<()> {
        let body = &sample.0;
        let (mut loan, room) = {
            let asking = self.asking.lock();
            if asking.0.pending.len() == REQUESTS {
                return Err(Status::Resources);
            }
            let loan = asking.0.client.loan_slice_uninit(body.len());
            let mut loan = loan.map_err(|_| Status::Resources)?;
            let room = loan.payload_mut().as_mut_ptr().cast::<u8>();
            (loan, room)
        };
        loan.user_header_mut().0 = *header;
        // SAFETY: the loan has room for as many octets, and is this thread's.
        unsafe { std::ptr::copy_nonoverlapping(body.as_ptr(), room, body.len()) };
        {
            let mut asking = self.asking.lock();
            // SAFETY: every octet was just copied.
            let sent = unsafe { loan.assume_init() }.send();
            let pending = sent.map_err(|error| match error {
                RequestSendError::ExceedsMaxActiveRequests
                | RequestSendError::SendError(SendError::UnableToDeliver) => Status::Resources,
                RequestSendError::SendError(_) => Status::Failed,
            })?;
            asking.0.number += 1;
            *request = asking.0.number;
            asking.0.pending.push_back((*request, pending));
        }
        if self.services.requests.dynamic_config().number_of_listeners() > 0 {
            // A server that has gone away meanwhile is no failure of this request.
            let _ = self.bell.lock().0.notify();
        }
        Ok(())
    }

    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> Hot<usize> {
        let mut count = 0;
        let mut given = None;
        loop {
            let next = {
                let mut asking = self.asking.lock();
                drop(given.take());
                if count == max { Ok(None) } else { asking.0.answered() }.map(|answered| {
                    answered.map(|answered| {
                        let response = &answered.response;
                        (Lent::new(response.user_header(), response.payload()), answered)
                    })
                })
            };
            let (lent, answered) = match next {
                Ok(Some(next)) => next,
                Err(status) if count == 0 => return Err(status),
                Ok(None) | Err(_) => break,
            };
            // SAFETY: the response is dropped in the next turn.
            unsafe { lent.deliver(answered.number, sink) };
            given = Some(answered);
            count += 1;
        }
        if count == 0 { Err(Status::NoData) } else { Ok(count) }
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> Hot<()> {
        let ear = self.ear.get().ok_or(Status::Invalid)?;
        ear.wait(timeout, || {
            Ok(self.asking.lock().0.pending.iter().any(|(_, request)| request.has_response()))
        })
    }

    fn forget(&self, request: u64) -> Hot<()> {
        let mut asking = self.asking.lock();
        let pending = &mut asking.0.pending;
        if let Some(at) = pending.iter().position(|(number, _)| *number == request) {
            drop(pending.remove(at));
        }
        Ok(())
    }

    fn matched(&self) -> Hot<Match> {
        self.services.look_for_the_dead();
        let count = self.services.calls.dynamic_config().number_of_servers() as u32;
        Ok(Match { count, changed_ns: 0 })
    }
}
