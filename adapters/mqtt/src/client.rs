//! One client of libmosquitto: one connection to the broker.
//!
//! A client begins *direct*: whoever uses it lets the library read and write
//! (`mosquitto_loop_read`, `mosquitto_loop_write`), and callbacks come from within these calls. After
//! [`Client::start_thread`] a thread of the library does both. A connection that is lost stays lost:
//! reconnecting would hide what happened, and the subscriptions would be gone.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::os::fd::BorrowedFd;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use busmark_adapter::{Result, Security, Status};
use busmark_server::Address;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{Shutdown, shutdown};

use crate::ffi::{
    Api, Message, Mosquitto, PROTOCOL_VERSION, Property, SUCCESS, TCP_NODELAY, VERSION_5, api,
};
use crate::options::Settings;
use crate::properties::{Properties, Received};

/// How long the broker may take to answer what is not traffic.
const ANSWER: Duration = Duration::from_secs(5);
/// How long a closing client waits for its last packets.
const FAREWELL: Duration = Duration::from_secs(2);
/// Seconds after which a client with a thread pings the broker, as mosquitto's own clients do. A
/// direct client has nobody who would ping; it asks the broker not to expect it (0). With a thread
/// that must not be: the thread of libmosquitto 2.0.11 would never sleep.
const KEEP_ALIVE: c_int = 60;
/// `SSL_VERIFY_PEER`.
const VERIFY_PEER: c_int = 1;
/// Granted QoS of a subscription that was refused.
const REFUSED: c_int = 128;

/// What becomes of what a client receives.
pub trait Handler: Send + Sync + 'static {
    /// A message. Hot.
    fn on_message(&self, _message: &Message) {}
    /// A message of MQTT 5. Hot.
    fn on_message_5(&self, _message: &Message, _properties: Received) {}
    /// The broker has the client's publication, or it has left.
    fn on_published(&self) {}
    /// The connection has ended.
    fn on_lost(&self) {}
}

/// For clients that only send.
pub struct Nothing;

impl Handler for Nothing {}

/// How to reach the broker.
#[derive(Clone, Debug)]
pub struct Route {
    /// Where it is.
    pub address: Address,
    /// The address that connections come from.
    pub interface: String,
    /// Settings of both sides.
    pub settings: Settings,
    /// Who this side is; `None`: plain.
    pub security: Option<Security>,
}

/// What the callbacks of a client know.
struct Context {
    handler: Arc<dyn Handler>,
    /// It decrypts the private key.
    password: String,
    connected: AtomicBool,
    refused: AtomicU32,
    subscribed: AtomicU32,
    published: AtomicU64,
    lost: AtomicBool,
    /// Somebody sleeps until `published` grows.
    awaited: AtomicBool,
    lock: Mutex<()>,
    progress: Condvar,
}

/// A client, connected.
pub struct Client {
    raw: *mut Mosquitto,
    api: &'static Api,
    // Boxed: the library keeps a pointer to it.
    context: Box<Context>,
    has_thread: bool,
    name: String,
    farewell: Option<CString>,
}

/// The protocol's version, in the words of its specifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// MQTT 3.1.1, the library's default.
    V311,
    /// MQTT 5, with properties.
    V5,
}

// SAFETY: the library guards its clients by locks; callbacks reach what is `Sync` only.
unsafe impl Send for Client {}
// SAFETY: as above.
unsafe impl Sync for Client {}

/// How waiting ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As was hoped.
    Done,
    /// Too late.
    TimedOut,
    /// The connection has ended.
    Lost,
}

impl Client {
    /// Connects; `keeps_alive` if it is to have a thread. With `presence` the broker is left a will: the retained message of that topic,
    /// followed by the client's name, goes when the connection does.
    pub fn connect(
        route: &Route,
        keeps_alive: bool,
        presence: Option<&str>,
        handler: Arc<dyn Handler>,
    ) -> Result<Self> {
        Self::connect_by(Version::V311, route, keeps_alive, presence, handler)
    }

    /// The same with this version of the protocol.
    pub fn connect_by(
        version: Version,
        route: &Route,
        keeps_alive: bool,
        presence: Option<&str>,
        handler: Arc<dyn Handler>,
    ) -> Result<Self> {
        let api = api()?;
        let context = Box::new(Context::new(handler, route));
        let name = unique_name();
        let id = CString::new(name.clone()).unwrap_or_default();
        let farewell = presence.map(|prefix| crate::topics::text(format!("{prefix}{name}")));
        let user = (&raw const *context).cast_mut().cast::<c_void>();
        // SAFETY: the identifier is copied; the context lives as long as the client.
        let raw = unsafe { (api.new)(id.as_ptr(), true, user) };
        if raw.is_null() {
            return Err(Status::Resources.error("libmosquitto makes no client"));
        }
        let client = Self { raw, api, context, has_thread: false, name, farewell };
        client.prepare(&route.settings)?;
        if version == Version::V5 {
            client.speak_5()?;
        }
        if let Some(security) = &route.security {
            client.protect(security)?;
        }
        client.open(route, if keeps_alive { KEEP_ALIVE } else { 0 })?;
        Ok(client)
    }

    fn prepare(&self, settings: &Settings) -> Result<()> {
        let (api, raw) = (self.api, self.raw);
        // SAFETY: the client is alive, the callbacks are of the types that the library wants, texts
        // are copied.
        unsafe {
            (api.on_connect)(raw, on_connect);
            (api.on_disconnect)(raw, on_disconnect);
            (api.on_publish)(raw, on_publish);
            (api.on_message)(raw, on_message);
            (api.on_subscribe)(raw, on_subscribe);
            let nodelay = c_int::from(settings.nodelay);
            api.check((api.int_option)(raw, TCP_NODELAY, nodelay), "TCP_NODELAY")?;
            let window = u32::from(settings.max_inflight);
            api.check((api.max_inflight)(raw, window), "max_inflight_messages")?;
            if let Some(topic) = &self.farewell {
                let code = (api.will_set)(raw, topic.as_ptr(), 0, null(), 1, true);
                api.check(code, "the client's will")?;
            }
        }
        Ok(())
    }

    fn speak_5(&self) -> Result<()> {
        let (api, raw) = (self.api, self.raw);
        // SAFETY: as above.
        unsafe {
            (api.on_message_5)(raw, on_message_5);
            api.check((api.int_option)(raw, PROTOCOL_VERSION, VERSION_5), "MQTT 5")
        }
    }

    /// Name that nobody else at the broker has.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// TLS 1.3 with both sides authenticated. Names are not compared: an identity has a participant's.
    fn protect(&self, security: &Security) -> Result<()> {
        let texts = [&security.identity_ca, &security.certificate, &security.private_key];
        let [ca, certificate, key] = texts.map(|path| crate::topics::text(path.clone()));
        let (api, raw) = (self.api, self.raw);
        // SAFETY: the client is alive, texts are copied, the callback is of the type that is wanted.
        unsafe {
            let (ca, certificate, key) = (ca.as_ptr(), certificate.as_ptr(), key.as_ptr());
            let code = (api.tls_set)(raw, ca, null(), certificate, key, Some(on_password));
            api.check(code, "TLS of the MQTT client")?;
            let code = (api.tls_opts_set)(raw, VERIFY_PEER, c"tlsv1.3".as_ptr(), null());
            api.check(code, "TLS 1.3 of the MQTT client")?;
            api.check((api.tls_insecure_set)(raw, true), "names of TLS")
        }
    }

    fn open(&self, route: &Route, keep_alive: c_int) -> Result<()> {
        let (host, port, from) = match &route.address {
            Address::Tcp { host, port } => {
                (host.clone(), c_int::from(*port), Some(route.interface.clone()))
            }
            // A path for a host and no port: so the library has it.
            Address::Unix(path) => (path.display().to_string(), 0, None),
        };
        let (host, from) = (crate::topics::text(host), from.map(crate::topics::text));
        let from = from.as_ref().map_or(null(), |from| from.as_ptr());
        // SAFETY: the client is alive, texts are copied.
        let code =
            unsafe { (self.api.connect_bind)(self.raw, host.as_ptr(), port, keep_alive, from) };
        let what = format!("connecting to the MQTT broker at {}", route.address);
        self.api.check(code, &what).map_err(|error| Status::Unavailable.error(error.message))?;
        let outcome = self.drive(ANSWER, || self.context.connected.load(Ordering::Acquire));
        let refused = self.context.refused.load(Ordering::Acquire);
        match outcome {
            _ if refused != 0 => {
                Err(Status::Failed.error(format!("{what}: refused with code {refused}")))
            }
            Outcome::Done => Ok(()),
            Outcome::TimedOut => Err(Status::Unavailable.error(format!("{what}: no answer"))),
            Outcome::Lost => Err(Status::Unavailable.error(format!("{what}: it closed it"))),
        }
    }

    /// From now on a thread of the library reads and writes.
    pub fn start_thread(&mut self) -> Result<()> {
        // SAFETY: the client is alive and has no thread.
        let code = unsafe { (self.api.loop_start)(self.raw) };
        self.api.check(code, "a thread of libmosquitto")?;
        self.has_thread = true;
        Ok(())
    }

    /// Subscribes and waits for the acknowledgement; direct clients only.
    pub fn subscribe(&self, topics: &[CString], qos: c_int) -> Result<()> {
        let before = self.context.subscribed.load(Ordering::Acquire);
        self.ask(topics, qos)?;
        let done = || self.context.subscribed.load(Ordering::Acquire) > before;
        if self.drive(ANSWER, done) != Outcome::Done {
            return Err(Status::Failed.error("the broker does not acknowledge the subscription"));
        }
        if self.context.refused.load(Ordering::Acquire) != 0 {
            return Err(Status::Failed.error("the broker refuses the subscription"));
        }
        Ok(())
    }

    /// Subscribes.
    pub fn ask(&self, topics: &[CString], qos: c_int) -> Result<()> {
        let pointers: Vec<*const c_char> = topics.iter().map(|topic| topic.as_ptr()).collect();
        let count = c_int::try_from(pointers.len()).unwrap_or(c_int::MAX);
        // SAFETY: as many texts as were counted, copied by the library.
        let code = unsafe {
            (self.api.subscribe)(self.raw, null_mut(), count, pointers.as_ptr(), qos, 0, null())
        };
        self.api.check(code, "subscribing")
    }

    /// Takes a subscription back.
    pub fn unsubscribe(&self, topic: &CStr) {
        // SAFETY: the text is copied. A connection that is gone has no subscriptions.
        let _ = unsafe { (self.api.unsubscribe)(self.raw, null_mut(), topic.as_ptr()) };
    }

    /// Hands a message to the library. Hot.
    #[inline]
    pub fn publish(&self, topic: &CStr, payload: &[u8], qos: c_int, retain: bool) -> bool {
        let Ok(bytes) = c_int::try_from(payload.len()) else { return false };
        // SAFETY: text and payload are copied.
        let code = unsafe {
            let payload = payload.as_ptr().cast();
            (self.api.publish)(self.raw, null_mut(), topic.as_ptr(), bytes, payload, qos, retain)
        };
        code == SUCCESS
    }

    /// The same with properties, for a client of MQTT 5. Hot.
    #[inline]
    pub fn publish_5(
        &self,
        topic: &CStr,
        payload: &[u8],
        qos: c_int,
        properties: &Properties,
    ) -> Result<()> {
        let bytes = c_int::try_from(payload.len()).unwrap_or(c_int::MAX);
        let (topic, payload) = (topic.as_ptr(), payload.as_ptr().cast());
        let properties = properties.raw();
        // SAFETY: text, payload and properties are copied.
        let code = unsafe {
            (self.api.publish_5)(
                self.raw,
                null_mut(),
                topic,
                bytes,
                payload,
                qos,
                false,
                properties,
            )
        };
        self.api.check(code, "publishing")
    }

    /// Tells whoever watches that this client is ready; a direct client waits until the broker knows.
    pub fn announce(&self) -> Result<()> {
        let Some(topic) = &self.farewell else { return Ok(()) };
        let before = self.published();
        if !self.publish(topic, b"1", 1, true) {
            return Err(Status::Failed.error("the broker has closed the connection"));
        }
        if self.has_thread || self.drive(ANSWER, || self.published() > before) == Outcome::Done {
            return Ok(());
        }
        Err(Status::Failed.error("the broker does not acknowledge a publication"))
    }

    /// Publications that the broker has (QoS 1 and 2) or that have left (QoS 0).
    #[inline]
    pub fn published(&self) -> u64 {
        self.context.published.load(Ordering::Acquire)
    }

    /// Whether the connection has ended.
    #[inline]
    pub fn is_lost(&self) -> bool {
        self.context.lost.load(Ordering::Acquire)
    }

    /// There is no connection: nothing will ever come.
    #[cold]
    pub fn lose(&self) {
        self.context.lost.store(true, Ordering::Release);
    }

    /// Whether something has not left yet. Hot.
    #[inline]
    pub fn has_unsent(&self) -> bool {
        // SAFETY: the client is alive.
        unsafe { (self.api.want_write)(self.raw) }
    }

    /// Lets the library read what is there. Hot.
    #[inline]
    pub fn read(&self) {
        // An error ends the connection, which the callback tells.
        // SAFETY: the client is alive and direct.
        let _ = unsafe { (self.api.loop_read)(self.raw, 1) };
    }

    /// The connection, as long as there is one.
    #[inline]
    pub fn socket(&self) -> Option<BorrowedFd<'_>> {
        // SAFETY: the client is alive.
        let descriptor = unsafe { (self.api.socket)(self.raw) };
        // SAFETY: the descriptor is the library's, which closes it from within its calls only.
        (descriptor >= 0).then(|| unsafe { BorrowedFd::borrow_raw(descriptor) })
    }

    /// Whether the system has received something that the library has not read.
    pub fn is_readable(&self) -> bool {
        let Some(socket) = self.socket() else { return false };
        let mut state = [PollFd::new(&socket, PollFlags::IN)];
        matches!(poll(&mut state, Some(&Timespec::default())), Ok(1..))
    }

    /// Lets the library write what it can.
    pub fn write(&self) {
        // SAFETY: the client is alive and direct.
        let _ = unsafe { (self.api.loop_write)(self.raw, 1) };
    }

    /// Sleeps until the broker has sent something, at most this long, then lets the library read and
    /// write. Hot.
    #[inline]
    pub fn step(&self, timeout: Duration) {
        let Some(socket) = self.socket() else {
            self.lose();
            return;
        };
        let mut events = PollFlags::IN;
        events.set(PollFlags::OUT, self.has_unsent());
        let mut state = [PollFd::new(&socket, events)];
        let timeout = Timespec::try_from(timeout).ok();
        if !matches!(poll(&mut state, timeout.as_ref()), Ok(1..)) {
            return;
        }
        let found = state[0].revents();
        if found.contains(PollFlags::OUT) {
            self.write();
        }
        if found.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR) {
            self.read();
        }
    }

    /// [Steps](Self::step) until `done`. With a thread of the library it only waits.
    pub fn drive(&self, limit: Duration, done: impl Fn() -> bool) -> Outcome {
        let begin = Instant::now();
        loop {
            if done() {
                return Outcome::Done;
            }
            if self.is_lost() {
                return Outcome::Lost;
            }
            let left = limit.saturating_sub(begin.elapsed());
            if left.is_zero() {
                return Outcome::TimedOut;
            }
            if self.has_thread {
                self.context.sleep(left, &done);
            } else {
                self.step(left);
            }
        }
    }

    /// Whether a thread of the library reads and writes.
    pub fn has_thread(&self) -> bool {
        self.has_thread
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some(topic) = &self.farewell {
            let _ = self.publish(topic, b"", 0, true);
        }
        // SAFETY: the client is alive.
        unsafe { (self.api.disconnect)(self.raw) };
        if self.drive(FAREWELL, || self.is_lost()) == Outcome::TimedOut {
            // The library closes it, if at all, at this very moment: then nothing happens.
            if let Some(socket) = self.socket() {
                let _ = shutdown(socket, Shutdown::Both);
            }
        }
        if self.has_thread {
            // SAFETY: the client has a thread, which ends because the connection has.
            unsafe { (self.api.loop_stop)(self.raw, false) };
        }
        // SAFETY: given back once; no thread of the library uses it any more.
        unsafe { (self.api.destroy)(self.raw) };
    }
}

impl Context {
    fn new(handler: Arc<dyn Handler>, route: &Route) -> Self {
        let security = route.security.as_ref();
        Self {
            handler,
            password: security.map(|s| s.password.clone()).unwrap_or_default(),
            connected: AtomicBool::new(false),
            refused: AtomicU32::new(0),
            subscribed: AtomicU32::new(0),
            published: AtomicU64::new(0),
            lost: AtomicBool::new(false),
            awaited: AtomicBool::new(false),
            lock: Mutex::new(()),
            progress: Condvar::new(),
        }
    }

    /// Sleeps until a callback has told of progress.
    fn sleep(&self, limit: Duration, done: &impl Fn() -> bool) {
        let guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.awaited.store(true, Ordering::SeqCst);
        if !done() && !self.lost.load(Ordering::SeqCst) {
            drop(self.progress.wait_timeout(guard, limit));
        }
        self.awaited.store(false, Ordering::SeqCst);
    }

    /// Wakes whoever sleeps.
    #[inline]
    fn wake(&self) {
        if self.awaited.load(Ordering::SeqCst) {
            let _guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
            self.progress.notify_all();
        }
    }
}

/// Short enough for brokers that keep to the 23 characters of MQTT 3.1, and nobody else's.
fn unique_name() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed) & 0xffff;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("bm{:x}-{number:x}-{:08x}", std::process::id(), now.subsec_nanos())
}

unsafe fn context<'a>(user: *mut c_void) -> &'a Context {
    // SAFETY: the library gives back what it was given; the context outlives the client.
    unsafe { &*user.cast::<Context>() }
}

unsafe extern "C" fn on_password(
    buffer: *mut c_char,
    size: c_int,
    _: c_int,
    client: *mut c_void,
) -> c_int {
    let Ok(api) = api() else { return 0 };
    // SAFETY: OpenSSL hands on the client that the library gave it, whose context lives as long.
    let context = unsafe { &*(api.userdata)(client.cast()).cast::<Context>() };
    let password = context.password.as_bytes();
    if password.len() > size.unsigned_abs() as usize {
        return 0;
    }
    // SAFETY: the buffer has that size.
    unsafe { std::ptr::copy_nonoverlapping(password.as_ptr(), buffer.cast(), password.len()) };
    c_int::try_from(password.len()).unwrap_or(0)
}

unsafe extern "C" fn on_connect(_: *mut Mosquitto, user: *mut c_void, code: c_int) {
    // SAFETY: see `context`.
    let context = unsafe { context(user) };
    context.refused.store(code.unsigned_abs(), Ordering::Release);
    context.connected.store(true, Ordering::Release);
}

unsafe extern "C" fn on_disconnect(raw: *mut Mosquitto, user: *mut c_void, _: c_int) {
    // SAFETY: see `context`.
    let context = unsafe { context(user) };
    context.handler.on_lost();
    context.lost.store(true, Ordering::SeqCst);
    context.wake();
    if let Ok(api) = api() {
        // Otherwise a thread of the library would connect again.
        // SAFETY: the library is in a callback of this client, which is alive.
        unsafe { (api.disconnect)(raw) };
    }
}

unsafe extern "C" fn on_publish(_: *mut Mosquitto, user: *mut c_void, _: c_int) {
    // SAFETY: see `context`.
    let context = unsafe { context(user) };
    context.published.fetch_add(1, Ordering::SeqCst);
    context.wake();
    context.handler.on_published();
}

unsafe extern "C" fn on_message(_: *mut Mosquitto, user: *mut c_void, message: *const Message) {
    // SAFETY: see `context`; the message lives during the call.
    unsafe { context(user).handler.on_message(&*message) }
}

unsafe extern "C" fn on_message_5(
    _: *mut Mosquitto,
    user: *mut c_void,
    message: *const Message,
    properties: *const Property,
) {
    // SAFETY: see `context`; message and properties live during the call.
    unsafe { context(user).handler.on_message_5(&*message, Received::new(properties)) }
}

unsafe extern "C" fn on_subscribe(
    _: *mut Mosquitto,
    user: *mut c_void,
    _: c_int,
    count: c_int,
    granted: *const c_int,
) {
    // SAFETY: see `context`.
    let context = unsafe { context(user) };
    for index in 0..count.unsigned_abs() as usize {
        // SAFETY: the library gives so many numbers.
        if unsafe { *granted.add(index) } >= REFUSED {
            context.refused.fetch_add(1, Ordering::Release);
        }
    }
    context.subscribed.fetch_add(1, Ordering::Release);
}
