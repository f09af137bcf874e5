//! Services: a queryable, and a get of a querier for each request.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use busmark_adapter::{
    EndpointConfig, Error, Header, HotCell, LastError, Match, Payload, Result, Service, Sink,
    Status, Unanswered,
};
use zenoh::Wait;
use zenoh::bytes::ZBytes;
use zenoh::handlers::{Callback, FifoChannel, FifoChannelHandler, IntoHandler};
use zenoh::key_expr::KeyExpr;
use zenoh::liveliness::LivelinessToken;
use zenoh::query::{ConsolidationMode, Querier, Query, Queryable, Reply};

use crate::participant::{CONNECT_LIMIT, Peer, failed};
use crate::presence::{Others, announce};
use crate::sample::{Delivery, Prepared};

type Hot<T> = std::result::Result<T, Status>;

const CLIENT: &str = "client";
const SERVER: &str = "server";
/// Zenoh's own stamps are of its logical clock, which is off.
const UNSTAMPED: (i64, i64) = (0, 0);

/// What the thread has that takes: from one of zenoh's FIFO channels.
struct Taking<T> {
    /// What `wait` has received and `take` has not given yet.
    held: Option<T>,
    delivery: Delivery,
}

impl<T> Taking<T> {
    fn new() -> HotCell<Self> {
        HotCell::new(Self { held: None, delivery: Delivery::new(Payload::Octet) })
    }

    #[inline]
    fn next(&mut self, channel: &FifoChannelHandler<T>) -> Hot<Option<T>> {
        match self.held.take() {
            None => channel.try_recv().map_err(|_| Status::Failed),
            held => Ok(held),
        }
    }

    #[inline]
    fn wait(&mut self, channel: &FifoChannelHandler<T>, timeout: Duration) -> Hot<()> {
        if self.held.is_none() {
            self.held = channel.recv_timeout(timeout).map_err(|_| Status::Failed)?;
        }
        if self.held.is_some() { Ok(()) } else { Err(Status::Timeout) }
    }
}

/// A queryable. Queries that wait for their answer are kept: zenoh tells the client that nothing more
/// comes when one is dropped.
pub struct ZenohServer {
    // Dropped in this order, the session last.
    token: Option<LivelinessToken>,
    queryable: Option<Queryable<FifoChannelHandler<Query>>>,
    taking: HotCell<Taking<Query>>,
    unanswered: Unanswered<Query>,
    clients: Others,
    /// Declared, so that responses carry its number.
    key: KeyExpr<'static>,
    express: bool,
    failure: LastError,
    locator: String,
    _peer: Arc<Peer>,
}

impl ZenohServer {
    /// Declares the queryable.
    pub fn new(peer: Arc<Peer>, config: &EndpointConfig) -> Result<Self> {
        let key = peer.session.declare_keyexpr(peer.service_key(config)?).wait();
        let key = key.map_err(|error| failed("key expression", error))?;
        let queryable = peer
            .session
            .declare_queryable(key.clone())
            // One server of several answers.
            .complete(true)
            .with(FifoChannel::new(peer.settings.fifo_capacity(config)))
            .wait()
            .map_err(|error| failed("queryable", error))?;
        let clients = Others::new(&peer.session, &peer.presence(config, CLIENT))?;
        let name = peer.endpoint_name();
        // The queryable first: who sees the token knows of the queryable.
        let token = announce(&peer.session, &peer.presence(config, SERVER), &name)?;
        Ok(Self {
            token: Some(token),
            queryable: Some(queryable),
            taking: Taking::new(),
            unanswered: Unanswered::default(),
            clients,
            key,
            express: peer.settings.express(config),
            failure: LastError::default(),
            locator: peer.locator_of(&name),
            _peer: peer,
        })
    }

    #[inline]
    fn channel(&self) -> Hot<&FifoChannelHandler<Query>> {
        self.queryable.as_ref().map(Queryable::handler).ok_or(Status::Failed)
    }
}

impl Drop for ZenohServer {
    fn drop(&mut self) {
        self.token = None;
        let Some(queryable) = self.queryable.take() else { return };
        // A receive thread that waits for room in a full channel continues.
        while matches!(queryable.try_recv(), Ok(Some(_))) {}
        let _ = queryable.undeclare().wait();
    }
}

impl Service for ZenohServer {
    type Sample = Prepared;

    fn prepare(&self, body: &[u8]) -> Result<Prepared> {
        Ok(Prepared::new(Payload::Octet, body))
    }

    #[inline]
    fn send(&self, sample: &mut Prepared, header: &Header, request: &mut u64) -> Hot<()> {
        let query = self.unanswered.claim(*request).ok_or(Status::Invalid)?;
        query
            .reply(&self.key, sample.payload(header))
            .express(self.express)
            .wait()
            .map_err(|error| self.failure.keep(failed("reply", error)))?;
        // Dropped, it ends the client's get.
        drop(query.answered());
        Ok(())
    }

    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> Hot<usize> {
        let mut taking = self.taking.get().ok_or(Status::Invalid)?;
        let channel = self.channel()?;
        let mut count = 0;
        while count < max
            && let Some(query) = taking.next(channel)?
        {
            // Shared, not copied: the query is kept elsewhere while the sink reads.
            let Some(payload) = query.payload().cloned() else { continue };
            if let Some((header, body)) = taking.delivery.split(&payload) {
                let handle = self.unanswered.insert(query).ok_or(Status::Resources)?;
                sink.deliver_request(handle, &header, body, UNSTAMPED);
                count += 1;
            }
        }
        if count == 0 { Err(Status::NoData) } else { Ok(count) }
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> Hot<()> {
        self.taking.get().ok_or(Status::Invalid)?.wait(self.channel()?, timeout)
    }

    fn forget(&self, request: u64) -> Hot<()> {
        drop(self.unanswered.claim(request).ok_or(Status::Invalid)?.answered());
        Ok(())
    }

    fn matched(&self) -> Hot<Match> {
        Ok(Match { count: self.clients.count(), changed_ns: 0 })
    }

    fn last_error(&self) -> Option<Error> {
        self.failure.get()
    }

    fn locator(&self) -> Hot<String> {
        Ok(self.locator.clone())
    }
}

/// A response, with the number of its request.
type Numbered = (u64, ZBytes);

/// A querier; the responses to all its gets come into one channel.
pub struct ZenohClient {
    // Dropped in this order, the session last.
    token: Option<LivelinessToken>,
    querier: Option<Querier<'static>>,
    channel: FifoChannelHandler<Numbered>,
    taking: HotCell<Taking<Numbered>>,
    /// Into the channel.
    response: Callback<Numbered>,
    /// Number of the next request.
    next: AtomicU64,
    servers: Others,
    failure: LastError,
    peer: Arc<Peer>,
}

impl ZenohClient {
    /// Declares the querier.
    pub fn new(peer: Arc<Peer>, config: &EndpointConfig) -> Result<Self> {
        let querier = peer
            .session
            .declare_querier(peer.service_key(config)?)
            .consolidation(ConsolidationMode::None)
            .timeout(peer.settings.query_timeout)
            .priority(peer.settings.priority)
            .express(peer.settings.express(config))
            .wait()
            .map_err(|error| failed("querier", error))?;
        let servers = Others::new(&peer.session, &peer.presence(config, SERVER))?;
        let (response, channel) =
            FifoChannel::new(peer.settings.fifo_capacity(config)).into_handler();
        let role = peer.presence(config, CLIENT);
        let token = announce(&peer.session, &role, &peer.endpoint_name())?;
        Ok(Self {
            token: Some(token),
            querier: Some(querier),
            channel,
            taking: Taking::new(),
            response,
            next: AtomicU64::new(1),
            servers,
            failure: LastError::default(),
            peer,
        })
    }

    fn matches(&self) -> bool {
        let matching = self.querier.as_ref().map(|querier| querier.matching_status().wait());
        matching.is_some_and(|status| status.is_ok_and(|status| status.matching()))
    }
}

impl Drop for ZenohClient {
    fn drop(&mut self) {
        self.token = None;
        // A receive thread that waits for room in a full channel continues.
        while matches!(self.channel.try_recv(), Ok(Some(_))) {}
        if let Some(querier) = self.querier.take() {
            let _ = querier.undeclare().wait();
        }
    }
}

impl Service for ZenohClient {
    type Sample = Prepared;

    fn prepare(&self, body: &[u8]) -> Result<Prepared> {
        Ok(Prepared::new(Payload::Octet, body))
    }

    #[inline]
    fn send(&self, sample: &mut Prepared, header: &Header, request: &mut u64) -> Hot<()> {
        let querier = self.querier.as_ref().ok_or(Status::Failed)?;
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let response = self.response.clone();
        let reply = move |reply: Reply| {
            // An error is zenoh's word that its own timeout is over.
            if let Ok(sample) = reply.into_result() {
                response.call((number, sample.payload().clone()));
            }
        };
        querier
            .get()
            .payload(sample.payload(header))
            .callback(reply)
            .wait()
            .map_err(|error| self.failure.keep(failed("get", error)))?;
        *request = number;
        Ok(())
    }

    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> Hot<usize> {
        let mut taking = self.taking.get().ok_or(Status::Invalid)?;
        let mut count = 0;
        while count < max
            && let Some((number, payload)) = taking.next(&self.channel)?
        {
            if let Some((header, body)) = taking.delivery.split(&payload) {
                sink.deliver_request(number, &header, body, UNSTAMPED);
                count += 1;
            }
        }
        if count == 0 { Err(Status::NoData) } else { Ok(count) }
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> Hot<()> {
        self.taking.get().ok_or(Status::Invalid)?.wait(&self.channel, timeout)
    }

    fn matched(&self) -> Hot<Match> {
        let count = if self.matches() { self.servers.count() } else { 0 };
        Ok(Match { count, changed_ns: 0 })
    }

    fn last_error(&self) -> Option<Error> {
        self.failure.get()
    }

    fn connect(&self, locator: &str) -> Result<()> {
        let server = self.peer.connect(locator)?;
        // The server declared its queryable before its token.
        let start = Instant::now();
        while !(self.servers.has(&server) && self.matches()) {
            if start.elapsed() > CONNECT_LIMIT {
                let text = format!("the server of {locator} is not there, or of another service");
                return Err(Status::Unavailable.error(text));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }
}
