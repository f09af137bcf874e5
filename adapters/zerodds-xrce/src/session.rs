//! A session with an agent, and the thread that reads what the agent sends.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{SocketAddr, ToSocketAddrs};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{JoinHandle, ThreadId};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use busmark_adapter::{Error, ParticipantConfig, Result, Status};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use zerodds_xrce::header::ClientKey;
use zerodds_xrce::object_id::ObjectId;
use zerodds_xrce::object_info::ResultStatusCode;
use zerodds_xrce::object_kind::ObjectKind;
use zerodds_xrce::object_repr::{ObjectVariant, ObjectVariantExtra};
use zerodds_xrce::submessages::read_data::DataDeliveryControl;
use zerodds_xrce::submessages::timestamp::TimePoint;
use zerodds_xrce::submessages::write_data::DataFormat;
use zerodds_xrce_client::{ClientError, ClientEvent, XrceClient};

use crate::options::{OPTIONS, Settings};
use crate::reader::Inbox;
use crate::transport::{BEST_EFFORT, RELIABLE, Transport};

/// DDS-XRCE 1.0.
const VERSION: [u8; 2] = [1, 0];
/// A session whose messages carry no key: the agent knows the client by its address.
const SESSION: u8 = 0x81;
/// How long the agent may take to answer.
const ANSWER: Duration = Duration::from_secs(10);
/// Before the session is asked for again: the request is on no stream, and nobody repeats it.
const AGAIN: Duration = Duration::from_secs(1);
/// How often the client's clock runs, as its documentation advises.
const TICK: Duration = Duration::from_millis(100);
/// The agent forgets a client that says nothing for a minute.
const SILENCE: Duration = Duration::from_secs(20);
/// A `READ_DATA` that lasts until it is cancelled, and is not slowed down.
const CONTINUOUS: DataDeliveryControl = DataDeliveryControl {
    max_samples: u16::MAX,
    max_elapsed_time: 0,
    max_bytes_per_second: 0,
    min_pace_period: 0,
};
/// Numbers of objects have twelve bits.
const LAST_OBJECT: u16 = 0xFFF;

/// A session.
pub struct Session {
    inner: Mutex<Inner>,
    /// Something has come from the agent.
    changed: Condvar,
    waiting: OwnedFd,
    agent: String,
    begin: Instant,
    stop: AtomicBool,
    pump: OnceLock<ThreadId>,
    failure: OnceLock<String>,
}

/// The session as its owner has it: the thread ends with this.
pub struct Running {
    /// The session.
    pub session: Arc<Session>,
    thread: Option<JoinHandle<()>>,
}

struct Inner {
    client: XrceClient<Transport>,
    /// Requests that somebody waits for, and their answers.
    asked: BTreeMap<u16, Option<ResultStatusCode>>,
    /// What the agent said of a sample that it did not take.
    refused: Option<String>,
    inboxes: BTreeMap<u16, Arc<Inbox>>,
    numbers: BTreeSet<u16>,
    connected: Option<std::result::Result<(), ResultStatusCode>>,
    last_sent: Instant,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Running {
    /// Begins one with the agent of the option `server`.
    pub fn new(config: &ParticipantConfig, settings: &Settings) -> Result<Self> {
        let text = config.option(OPTIONS, "server");
        let agent = address(text)?;
        let unreachable = |why: String| {
            Status::Unavailable
                .error(format!("no agent at {text} over {}: {why}", config.transport))
        };
        let (transport, waiting) = Transport::open(&config.transport, agent, settings)
            .map_err(|error| unreachable(error.to_string()))?;
        let key = settings.client_key.unwrap_or_else(unique_key);
        let mut client = XrceClient::new(ClientKey(key), SESSION, transport);
        client.set_requested_mtu(settings.mtu);
        let session = Arc::new(Session {
            inner: Mutex::new(Inner {
                client,
                asked: BTreeMap::new(),
                refused: None,
                inboxes: BTreeMap::new(),
                numbers: BTreeSet::new(),
                connected: None,
                last_sent: Instant::now(),
            }),
            changed: Condvar::new(),
            waiting,
            agent: text.to_owned(),
            begin: Instant::now(),
            stop: AtomicBool::new(false),
            pump: OnceLock::new(),
            failure: OnceLock::new(),
        });
        let own = Arc::clone(&session);
        let thread = std::thread::Builder::new()
            .name("busmark-xrce".into())
            .spawn(move || own.run())
            .map_err(|error| Status::Failed.error(format!("a thread of the client: {error}")))?;
        let running = Self { session, thread: Some(thread) };
        running.session.connect(&unreachable)?;
        Ok(running)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        locked(&self.session.inner).client.disconnect();
        self.session.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Session {
    fn connect(&self, unreachable: &dyn Fn(String) -> Error) -> Result<()> {
        let deadline = Instant::now() + ANSWER;
        let mut inner = locked(&self.inner);
        loop {
            inner.client.transport_mut().reset();
            let sent = inner.client.connect(VERSION);
            if sent.is_err() {
                return Err(unreachable(Self::words(&mut inner)));
            }
            let again = Instant::now() + AGAIN;
            while Instant::now() < again {
                if let Some(why) = self.failure.get() {
                    return Err(unreachable(why.clone()));
                }
                match inner.connected {
                    Some(Ok(())) => return Ok(()),
                    Some(Err(code)) => {
                        return Err(unreachable(format!("it refuses the session: {code:?}")));
                    }
                    None => inner = self.wait(inner, again),
                }
            }
            if Instant::now() > deadline {
                let text = format!("it does not answer within {} s", ANSWER.as_secs());
                return Err(unreachable(text));
            }
            inner.client.disconnect();
        }
    }

    /// Has the agent make an object. Gives its id.
    pub fn create(
        &self,
        kind: ObjectKind,
        extra: ObjectVariantExtra,
        xml: String,
    ) -> Result<ObjectId> {
        let deadline = Instant::now() + ANSWER;
        let mut inner = self
            .with_room(locked(&self.inner), 1, deadline)
            .map_err(|_| Status::Failed.error(self.silent(&format!("{kind:?} was to be made"))))?;
        let number = (1..=LAST_OBJECT)
            .find(|number| !inner.numbers.contains(number))
            .ok_or_else(|| Status::Resources.error("a client has 4095 objects at most"))?;
        let object = ObjectId::new(number, kind)
            .map_err(|error| Status::Invalid.error(format!("{error:?}")))?;
        let variant = ObjectVariant::ByXmlString(xml);
        let request = inner
            .client
            .create_object(object, variant, extra, false, false, true)
            .map_err(|error| self.error(&mut inner, error))?;
        inner.last_sent = Instant::now();
        inner.numbers.insert(number);
        inner.asked.insert(request, None);
        loop {
            match inner.asked.get(&request) {
                Some(Some(code)) => {
                    let code = *code;
                    inner.asked.remove(&request);
                    if code.is_success() {
                        return Ok(object);
                    }
                    inner.numbers.remove(&number);
                    let text = format!("the agent at {} makes no {kind:?}: {code:?}", self.agent);
                    return Err(Status::Failed.error(text));
                }
                _ if Instant::now() > deadline || self.failure.get().is_some() => {
                    inner.asked.remove(&request);
                    let text = self.silent(&format!("{kind:?} was to be made"));
                    return Err(Status::Failed.error(text));
                }
                _ => inner = self.wait(inner, deadline),
            }
        }
    }

    /// Has the agent delete objects. Nobody waits for the answer.
    pub fn delete(&self, objects: &[ObjectId]) {
        let deadline = Instant::now() + AGAIN;
        for object in objects {
            let Ok(mut inner) = self.with_room(locked(&self.inner), 1, deadline) else { return };
            let _ = inner.client.delete_object(*object, true);
            inner.last_sent = Instant::now();
            inner.numbers.remove(&object.raw_id_12());
        }
    }

    /// Has the agent send what a `DataReader` gets, from now on.
    pub fn read(&self, reader: ObjectId, reliable: bool, inbox: &Arc<Inbox>) -> Result<()> {
        let late = || Status::Failed.error(self.silent("a read was to begin"));
        let deadline = Instant::now() + ANSWER;
        let mut inner = self.with_room(locked(&self.inner), 1, deadline).map_err(|_| late())?;
        inner.inboxes.insert(reader.raw(), Arc::clone(inbox));
        let stream = if reliable { RELIABLE } else { BEST_EFFORT };
        let asked = inner.client.request_read(
            reader,
            stream,
            DataFormat::Data,
            None,
            Some(CONTINUOUS),
            true,
        );
        inner.last_sent = Instant::now();
        asked.map(|_| ()).map_err(|error| self.error(&mut inner, error))
    }

    /// What comes for this reader is nobody's.
    pub fn forget(&self, reader: ObjectId) {
        locked(&self.inner).inboxes.remove(&reader.raw());
    }

    /// Writes a sample that takes this number of messages. Hot.
    #[inline]
    pub fn write(
        &self,
        writer: ObjectId,
        sample: &[u8],
        messages: usize,
        reliable: bool,
        blocking: Duration,
    ) -> std::result::Result<(), Status> {
        let mut inner = locked(&self.inner);
        if reliable && inner.client.transport_mut().room() < messages {
            inner = self.with_room(inner, messages, Instant::now() + blocking)?;
        }
        if self.failure.get().is_some() || inner.refused.is_some() {
            return Err(Status::Failed);
        }
        let sent = inner.client.request_write(writer, sample, reliable);
        inner.last_sent = Instant::now();
        match sent {
            Ok(_) => Ok(()),
            Err(ClientError::QueueFull) => Err(Status::Resources),
            Err(error) => Err(self.error(&mut inner, error).status),
        }
    }

    /// What failed last.
    pub fn last_error(&self) -> Option<Error> {
        if let Some(why) = self.failure.get() {
            let text = format!("the agent at {} is gone: {why}", self.agent);
            return Some(Status::Failed.error(text));
        }
        let mut inner = locked(&self.inner);
        if let Some(said) = inner.refused.take() {
            return Some(Status::Failed.error(said));
        }
        let full = inner.client.transport_mut().room() == 0;
        full.then(|| Status::Timeout.error(self.silent("messages are to be acknowledged")))
    }

    /// Whether it works no more.
    pub fn has_failed(&self) -> bool {
        self.failure.get().is_some()
    }

    fn silent(&self, what: &str) -> String {
        if let Some(why) = self.failure.get() {
            return format!("{what}, and the agent at {} is gone: {why}", self.agent);
        }
        format!(
            "{what}, and the agent at {} says nothing: it hangs, was started anew and does not know this \
             client, or has another client with the same key",
            self.agent
        )
    }

    fn words(inner: &mut Inner) -> String {
        let why = inner.client.transport_mut().broken.clone();
        why.unwrap_or_else(|| "the client cannot send".to_owned())
    }

    fn error(&self, inner: &mut Inner, error: ClientError) -> Error {
        if error == ClientError::Transport {
            let why = Self::words(inner);
            let why = self.failure.get_or_init(|| why);
            return Status::Failed.error(format!("the agent at {} is gone: {why}", self.agent));
        }
        Status::Failed.error(format!("the client for the agent at {}: {error:?}", self.agent))
    }

    /// Waits until the reliable stream takes so many messages.
    fn with_room<'a>(
        &'a self,
        mut inner: MutexGuard<'a, Inner>,
        messages: usize,
        deadline: Instant,
    ) -> std::result::Result<MutexGuard<'a, Inner>, Status> {
        while inner.client.transport_mut().room() < messages {
            if self.failure.get().is_some() {
                return Err(Status::Failed);
            }
            if Instant::now() >= deadline {
                return Err(Status::Timeout);
            }
            inner = self.wait(inner, deadline);
        }
        Ok(inner)
    }

    /// Until something has come, at most until the deadline or a tick.
    fn wait<'a>(
        &'a self,
        inner: MutexGuard<'a, Inner>,
        deadline: Instant,
    ) -> MutexGuard<'a, Inner> {
        let time = deadline.saturating_duration_since(Instant::now()).min(TICK);
        if self.pump.get() == Some(&std::thread::current().id()) {
            // Nobody else reads while this thread, which does, is here.
            drop(inner);
            self.sleep(time);
            let mut inner = locked(&self.inner);
            self.pump(&mut inner);
            return inner;
        }
        self.changed.wait_timeout(inner, time).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Until there is something to read.
    fn sleep(&self, time: Duration) {
        let time = Timespec::try_from(time).ok();
        let _ = poll(&mut [PollFd::new(&self.waiting, PollFlags::IN)], time.as_ref());
    }

    /// The life of the thread.
    fn run(&self) {
        let _ = self.pump.set(std::thread::current().id());
        while !self.stop.load(Ordering::Acquire) {
            self.sleep(TICK);
            let mut inner = locked(&self.inner);
            self.pump(&mut inner);
            let told: Vec<_> =
                inner.inboxes.values().filter(|inbox| inbox.has_news()).cloned().collect();
            drop(inner);
            self.changed.notify_all();
            for inbox in told {
                inbox.announce();
            }
            if self.has_failed() {
                locked(&self.inner).inboxes.values().for_each(|inbox| inbox.wake());
                return;
            }
        }
    }

    /// Reads all that is there, and lets the client's clock run.
    fn pump(&self, inner: &mut Inner) {
        let now = self.begin.elapsed();
        let events = inner.client.poll(now);
        let ticked = inner.client.tick(now);
        let Ok(events) = events.and_then(|events| ticked.map(|()| events)) else {
            let why = Self::words(inner);
            self.failure.get_or_init(|| why);
            return;
        };
        for event in events {
            inner.take(event);
        }
        if inner.last_sent.elapsed() > SILENCE && inner.connected == Some(Ok(())) {
            let _ = inner.client.send_timestamp(TimePoint::default());
            inner.last_sent = Instant::now();
        }
    }
}

impl Inner {
    fn take(&mut self, event: ClientEvent) {
        match event {
            ClientEvent::Connected { .. } => self.connected = Some(Ok(())),
            ClientEvent::ConnectRejected { code } => self.connected = Some(Err(code)),
            ClientEvent::Status { request_id, object_id, code } => {
                if let Some(answer) = self.asked.get_mut(&request_id) {
                    *answer = Some(code);
                } else if !code.is_success() && object_id.kind() == Ok(ObjectKind::DataWriter) {
                    let text = format!("the agent did not take a sample: {code:?}");
                    self.refused.get_or_insert(text);
                }
            }
            ClientEvent::Data { reader, payload, .. } => {
                if let Some(inbox) = self.inboxes.get(&reader.raw()) {
                    inbox.push(payload);
                }
            }
            _ => {}
        }
    }
}

fn address(text: &str) -> Result<SocketAddr> {
    if text.is_empty() {
        return Err(Status::Invalid.error("no agent: the option server is empty"));
    }
    let invalid = |why: String| Status::Invalid.error(format!("option server: {text:?}: {why}"));
    text.to_socket_addrs()
        .map_err(|error| invalid(error.to_string()))?
        .next()
        .ok_or_else(|| invalid("no address".to_owned()))
}

/// A key that no other client has: what is not unique about the process is its time.
fn unique_key() -> [u8; 4] {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().subsec_nanos();
    // 0 is no key.
    let key = (std::process::id() << 16) ^ (nanos >> 4) ^ number.wrapping_mul(0x9E37_79B9);
    key.max(1).to_be_bytes()
}
