//! A client of libmosquitto. It lives as long as the process.

use std::cell::UnsafeCell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bare_common::{Header, OnSample};

const TCP_NODELAY: c_int = 11;
const WINDOW: u32 = 20;
/// At least once.
const QOS: c_int = 1;
const ANSWER: Duration = Duration::from_secs(5);
const STEP_MS: c_int = 1000;

#[repr(C)]
struct Mosquitto {
    _private: [u8; 0],
}

#[repr(C)]
struct Message {
    mid: c_int,
    topic: *const c_char,
    payload: *const c_void,
    payload_bytes: c_int,
    qos: c_int,
    retain: bool,
}

type Raw = *mut Mosquitto;
type OnCode = unsafe extern "C" fn(Raw, *mut c_void, c_int);
type OnMessage = unsafe extern "C" fn(Raw, *mut c_void, *const Message);
type OnSubscribe = unsafe extern "C" fn(Raw, *mut c_void, c_int, c_int, *const c_int);

// By the file's name: the package for development, with another name for it, need not be here.
#[link(name = "libmosquitto.so.1", kind = "dylib", modifiers = "+verbatim")]
unsafe extern "C" {
    fn mosquitto_lib_init() -> c_int;
    fn mosquitto_strerror(code: c_int) -> *const c_char;
    fn mosquitto_new(id: *const c_char, clean: bool, user: *mut c_void) -> Raw;
    fn mosquitto_int_option(client: Raw, option: c_int, value: c_int) -> c_int;
    fn mosquitto_max_inflight_messages_set(client: Raw, count: u32) -> c_int;
    fn mosquitto_connect_callback_set(client: Raw, callback: OnCode);
    fn mosquitto_publish_callback_set(client: Raw, callback: OnCode);
    fn mosquitto_message_callback_set(client: Raw, callback: OnMessage);
    fn mosquitto_subscribe_callback_set(client: Raw, callback: OnSubscribe);
    fn mosquitto_connect_bind(
        client: Raw,
        host: *const c_char,
        port: c_int,
        keep_alive: c_int,
        from: *const c_char,
    ) -> c_int;
    fn mosquitto_subscribe(client: Raw, id: *mut c_int, topic: *const c_char, qos: c_int) -> c_int;
    fn mosquitto_publish(
        client: Raw,
        id: *mut c_int,
        topic: *const c_char,
        bytes: c_int,
        payload: *const c_void,
        qos: c_int,
        retain: bool,
    ) -> c_int;
    fn mosquitto_socket(client: Raw) -> c_int;
    fn mosquitto_want_write(client: Raw) -> bool;
    fn mosquitto_loop_read(client: Raw, packets: c_int) -> c_int;
    fn mosquitto_loop_write(client: Raw, packets: c_int) -> c_int;
    fn mosquitto_loop_start(client: Raw) -> c_int;
}

fn check(code: c_int, what: &str) -> Result<(), String> {
    if code == 0 {
        return Ok(());
    }
    // SAFETY: the library has a constant text for every number.
    let words = unsafe { CStr::from_ptr(mosquitto_strerror(code)) };
    Err(format!("{what}: {}", words.to_string_lossy()))
}

pub fn text(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}

/// What callbacks know.
struct Context<H> {
    on_sample: UnsafeCell<H>,
    connected: AtomicBool,
    subscribed: AtomicBool,
    published: AtomicU64,
}

pub struct Client<H: 'static> {
    raw: Raw,
    context: &'static Context<H>,
}

// SAFETY: the library guards its clients by locks; its callbacks come from one thread at a time, and
// `on_sample` is used by them alone.
unsafe impl<H: Send> Send for Client<H> {}

impl<H: OnSample> Client<H> {
    /// Connects to `HOST:PORT`.
    pub fn connect(server: &str, keep_alive_s: c_int, on_sample: H) -> Result<Self, String> {
        let (host, port) = server.rsplit_once(':').ok_or("--server HOST:PORT is missing")?;
        let port = port.parse().map_err(|_| format!("--server {server}: no port"))?;
        let context: &Context<H> = Box::leak(Box::new(Context {
            on_sample: UnsafeCell::new(on_sample),
            connected: AtomicBool::new(false),
            subscribed: AtomicBool::new(false),
            published: AtomicU64::new(0),
        }));
        let user = std::ptr::from_ref(context).cast_mut().cast();
        // SAFETY: texts are copied, the context lives for ever, callbacks are of the types in
        // mosquitto.h.
        let client = unsafe {
            check(mosquitto_lib_init(), "libmosquitto")?;
            let raw = mosquitto_new(null(), true, user);
            mosquitto_connect_callback_set(raw, on_connect::<H>);
            mosquitto_publish_callback_set(raw, on_publish::<H>);
            mosquitto_message_callback_set(raw, on_message::<H>);
            mosquitto_subscribe_callback_set(raw, on_subscribe::<H>);
            check(mosquitto_int_option(raw, TCP_NODELAY, 0), "TCP_NODELAY")?;
            check(mosquitto_max_inflight_messages_set(raw, WINDOW), "max_inflight_messages")?;
            let (host, from) = (text(host), text("127.0.0.1"));
            let code =
                mosquitto_connect_bind(raw, host.as_ptr(), port, keep_alive_s, from.as_ptr());
            check(code, &format!("connecting to {server}"))?;
            Self { raw, context }
        };
        client.until("no answer", &context.connected)?;
        Ok(client)
    }

    fn until(&self, what: &str, condition: &AtomicBool) -> Result<(), String> {
        let start = Instant::now();
        while !condition.load(Ordering::Acquire) {
            if start.elapsed() > ANSWER {
                return Err(what.to_owned());
            }
            self.step();
        }
        Ok(())
    }

    pub fn subscribe(&self, topic: &str) -> Result<(), String> {
        // SAFETY: the text is copied.
        let code = unsafe { mosquitto_subscribe(self.raw, null_mut(), text(topic).as_ptr(), QOS) };
        check(code, "subscribing")?;
        self.until("no subscription", &self.context.subscribed)
    }

    /// From now on a thread of the library reads and writes.
    pub fn start_thread(&self) -> Result<(), String> {
        // SAFETY: the client is alive and has no thread.
        check(unsafe { mosquitto_loop_start(self.raw) }, "a thread")
    }

    #[inline]
    pub fn publish(&self, topic: &CStr, payload: &[u8]) -> bool {
        let Ok(bytes) = c_int::try_from(payload.len()) else { return false };
        let payload = payload.as_ptr().cast();
        // SAFETY: text and payload are copied.
        let code = unsafe {
            mosquitto_publish(self.raw, null_mut(), topic.as_ptr(), bytes, payload, QOS, false)
        };
        code == 0
    }

    /// Publications that the broker has.
    #[inline]
    pub fn published(&self) -> u64 {
        self.context.published.load(Ordering::Acquire)
    }

    /// Whether something has not left yet.
    #[inline]
    pub fn has_unsent(&self) -> bool {
        // SAFETY: the client is alive.
        unsafe { mosquitto_want_write(self.raw) }
    }

    /// Sleeps until the broker has sent something or takes something, then lets the library read and
    /// write.
    pub fn step(&self) {
        // SAFETY: the client is alive and has no thread; one descriptor is asked about.
        unsafe {
            let events =
                if self.has_unsent() { libc::POLLIN | libc::POLLOUT } else { libc::POLLIN };
            let mut state = libc::pollfd { fd: mosquitto_socket(self.raw), events, revents: 0 };
            if libc::poll(&raw mut state, 1, STEP_MS) <= 0 {
                return;
            }
            if state.revents & libc::POLLOUT != 0 {
                mosquitto_loop_write(self.raw, 1);
            }
            if state.revents & !libc::POLLOUT != 0 {
                mosquitto_loop_read(self.raw, 1);
            }
        }
    }
}

unsafe fn context<'a, H>(user: *mut c_void) -> &'a Context<H> {
    // SAFETY: the library gives back what it was given, which lives for ever.
    unsafe { &*user.cast::<Context<H>>() }
}

unsafe extern "C" fn on_connect<H>(_: Raw, user: *mut c_void, code: c_int) {
    // SAFETY: see `context`.
    unsafe { context::<H>(user) }.connected.store(code == 0, Ordering::Release);
}

unsafe extern "C" fn on_publish<H>(_: Raw, user: *mut c_void, _: c_int) {
    // SAFETY: see `context`.
    unsafe { context::<H>(user) }.published.fetch_add(1, Ordering::Release);
}

unsafe extern "C" fn on_subscribe<H>(
    _: Raw,
    user: *mut c_void,
    _: c_int,
    _: c_int,
    _: *const c_int,
) {
    // SAFETY: see `context`.
    unsafe { context::<H>(user) }.subscribed.store(true, Ordering::Release);
}

unsafe extern "C" fn on_message<H: OnSample>(_: Raw, user: *mut c_void, message: *const Message) {
    // SAFETY: see `context` and `Send`; the message lives during the call, and its pointer and length
    // belong together.
    unsafe {
        let message = &*message;
        let bytes = message.payload_bytes.unsigned_abs() as usize;
        if bytes < Header::BYTES {
            return;
        }
        let payload = std::slice::from_raw_parts(message.payload.cast(), bytes);
        if let Some(header) = Header::from_bytes(payload) {
            (*context::<H>(user).on_sample.get())(&header);
        }
    }
}
