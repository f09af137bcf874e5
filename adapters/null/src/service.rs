//! Services without a middleware: a request goes into the server's queue, a response into its client's,
//! with nothing between them but a lock that both threads of an exchange take.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use busmark_adapter::{
    Error, Header, HotCell, Match, QosValue, Result, Service, ServiceCapabilities, ServiceEnd,
    Side, Sink, Status, Unanswered, Wait,
};

pub const SERVICES: ServiceCapabilities = ServiceCapabilities {
    waits: &[Wait::Waitset, Wait::Poll],
    qos: &[QosValue::Reliable, QosValue::KeepAll, QosValue::Volatile],
    requests: 0,
    clients: 0,
};

/// Messages that a queue has room for from the start.
const ROOM: usize = 4096;

struct Message {
    header: Header,
    body: Arc<[u8]>,
    /// The client's number of the request.
    number: u64,
    /// Where the response to a request goes; a response has none.
    client: Option<Arc<Inbox>>,
}

/// What has come to one end.
struct Inbox {
    messages: Mutex<VecDeque<Message>>,
    filled: Condvar,
    is_gone: AtomicBool,
    /// Number of clients that are connected to a server.
    clients: AtomicU32,
}

impl Inbox {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            messages: Mutex::new(VecDeque::with_capacity(ROOM)),
            filled: Condvar::new(),
            is_gone: AtomicBool::new(false),
            clients: AtomicU32::new(0),
        })
    }

    #[inline]
    fn lock(&self) -> MutexGuard<'_, VecDeque<Message>> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    fn push(&self, message: Message) {
        if !self.is_gone.load(Ordering::Relaxed) {
            self.lock().push_back(message);
            self.filled.notify_one();
        }
    }
}

/// Servers of this process by the number in their locator.
fn servers() -> MutexGuard<'static, HashMap<u64, Arc<Inbox>>> {
    static SERVERS: OnceLock<Mutex<HashMap<u64, Arc<Inbox>>>> = OnceLock::new();
    SERVERS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes one end.
pub fn end(side: Side) -> ServiceEnd {
    let inbox = Inbox::new();
    match side {
        Side::Client => ServiceEnd::new(Client {
            inbox,
            server: HotCell::new(None),
            known: Mutex::new(None),
            next: AtomicU64::new(1),
        }),
        Side::Server => {
            static NEXT: AtomicU64 = AtomicU64::new(1);
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            servers().insert(number, Arc::clone(&inbox));
            ServiceEnd::new(Server { number, inbox, unanswered: Unanswered::default() })
        }
    }
}

#[inline]
fn wait(inbox: &Inbox, timeout: Duration) -> std::result::Result<(), Status> {
    let end = Instant::now() + timeout;
    let mut messages = inbox.lock();
    while messages.is_empty() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Status::Timeout);
        }
        (messages, _) =
            inbox.filled.wait_timeout(messages, left).unwrap_or_else(PoisonError::into_inner);
    }
    Ok(())
}

/// Gives messages to the sink, one at a time, for whoever takes may cause the next.
#[inline]
fn take(
    inbox: &Inbox,
    max: usize,
    mut give: impl FnMut(Message) -> std::result::Result<(), Status>,
) -> std::result::Result<usize, Status> {
    let mut taken = 0;
    while taken < max {
        let Some(message) = inbox.lock().pop_front() else { break };
        give(message)?;
        taken += 1;
    }
    if taken == 0 { Err(Status::NoData) } else { Ok(taken) }
}

struct Client {
    inbox: Arc<Inbox>,
    /// As the sending thread has it.
    server: HotCell<Option<Arc<Inbox>>>,
    /// As all others have it.
    known: Mutex<Option<Arc<Inbox>>>,
    next: AtomicU64,
}

impl Client {
    fn known(&self) -> MutexGuard<'_, Option<Arc<Inbox>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.inbox.is_gone.store(true, Ordering::Relaxed);
        if let Some(server) = &*self.known() {
            server.clients.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Service for Client {
    type Sample = Arc<[u8]>;

    fn prepare(&self, body: &[u8]) -> Result<Arc<[u8]>> {
        Ok(body.into())
    }

    #[inline]
    fn send(
        &self,
        sample: &mut Arc<[u8]>,
        header: &Header,
        request: &mut u64,
    ) -> std::result::Result<(), Status> {
        let server = self.server.get().ok_or(Status::Invalid)?;
        let Some(server) = &*server else { return Err(Status::Unavailable) };
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let client = Some(Arc::clone(&self.inbox));
        server.push(Message { header: *header, body: Arc::clone(sample), number, client });
        *request = number;
        Ok(())
    }

    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        take(&self.inbox, max, |Message { header, body, number, .. }| {
            sink.deliver_request(number, &header, &body, (0, 0));
            Ok(())
        })
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        wait(&self.inbox, timeout)
    }

    fn matched(&self) -> std::result::Result<Match, Status> {
        let there = self.known().as_ref().is_some_and(|one| !one.is_gone.load(Ordering::Relaxed));
        Ok(Match { count: u32::from(there), changed_ns: 0 })
    }

    fn last_error(&self) -> Option<Error> {
        let apart = self.known().is_none();
        apart.then(|| Status::Unavailable.error("the client is connected to no server"))
    }

    fn connect(&self, locator: &str) -> Result<()> {
        let number: u64 = locator
            .parse()
            .map_err(|_| Status::Invalid.error(format!("{locator:?} is not a null locator")))?;
        let server = servers().get(&number).cloned().ok_or_else(|| {
            Status::Unavailable.error(format!("no null server {number} in this process"))
        })?;
        server.clients.fetch_add(1, Ordering::Relaxed);
        let busy = || Status::Invalid.error("a client that sends cannot be connected");
        *self.server.get().ok_or_else(busy)? = Some(Arc::clone(&server));
        if let Some(before) = self.known().replace(server) {
            before.clients.fetch_sub(1, Ordering::Relaxed);
        }
        Ok(())
    }
}

struct Server {
    number: u64,
    inbox: Arc<Inbox>,
    unanswered: Unanswered<(Arc<Inbox>, u64)>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.inbox.is_gone.store(true, Ordering::Relaxed);
        servers().remove(&self.number);
        self.inbox.lock().clear();
    }
}

impl Service for Server {
    type Sample = Arc<[u8]>;

    fn prepare(&self, body: &[u8]) -> Result<Arc<[u8]>> {
        Ok(body.into())
    }

    #[inline]
    fn send(
        &self,
        sample: &mut Arc<[u8]>,
        header: &Header,
        request: &mut u64,
    ) -> std::result::Result<(), Status> {
        let claim = self.unanswered.claim(*request).ok_or(Status::Invalid)?;
        let (client, number) = claim.answered().ok_or(Status::Invalid)?;
        client.push(Message { header: *header, body: Arc::clone(sample), number, client: None });
        Ok(())
    }

    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        take(&self.inbox, max, |Message { header, body, number, client }| {
            let client = client.ok_or(Status::Failed)?;
            let handle = self.unanswered.insert((client, number)).ok_or(Status::Resources)?;
            sink.deliver_request(handle, &header, &body, (0, 0));
            Ok(())
        })
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        wait(&self.inbox, timeout)
    }

    fn forget(&self, request: u64) -> std::result::Result<(), Status> {
        self.unanswered.claim(request).ok_or(Status::Invalid)?.answered();
        Ok(())
    }

    fn matched(&self) -> std::result::Result<Match, Status> {
        Ok(Match { count: self.inbox.clients.load(Ordering::Relaxed), changed_ns: 0 })
    }

    fn locator(&self) -> std::result::Result<String, Status> {
        Ok(self.number.to_string())
    }
}
