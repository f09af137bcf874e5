//! A connection to the server, and subscriptions on it.

use std::ffi::{CStr, CString, c_int, c_void};
use std::ptr::null_mut;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use busmark_adapter::{Result, Status};
use busmark_server::Address;

use crate::ffi::{Api, Connection, Message, OK, Options, Running, Subscription};
use crate::options::Settings;
use crate::tls::Client;

/// Milliseconds within which the server must answer, and a write must be taken by the system.
const ANSWER_MS: i64 = 5000;
/// How long a closing subscription waits for a callback that is under way.
const LAST_CALL: Duration = Duration::from_secs(9);

/// A connection. One that is lost stays lost: reconnecting would hide what happened.
pub struct Link {
    raw: *mut Connection,
    running: Running,
    /// Subscriptions that have ended. The client's reading thread may still use one whose message it
    /// has just read, and up to 3.4.1 nothing keeps it from being freed (nats.c, issue 637): so they
    /// are destroyed when that thread has ended.
    ended: Mutex<Vec<*mut Subscription>>,
}

// SAFETY: the library guards its connections by locks.
unsafe impl Send for Link {}
// SAFETY: as above.
unsafe impl Sync for Link {}

impl Link {
    /// Connects.
    pub fn new(address: &Address, settings: &Settings, tls: Option<&Client>) -> Result<Self> {
        let running = Running::new()?;
        let api = running.api();
        let mut options: *mut Options = null_mut();
        // SAFETY: a pointer to a pointer that is filled in.
        api.check(unsafe { (api.options_create)(&raw mut options) }, "options")?;
        let mut raw = null_mut();
        let url = CString::new(format!("nats://{address}")).unwrap_or_default();
        // SAFETY: the options are alive; the library copies the text.
        let outcome = unsafe {
            api.check((api.set_url)(options, url.as_ptr()), "the server's address")
                .and_then(|()| api.check((api.set_timeout)(options, ANSWER_MS), "timeout"))
                .and_then(|()| {
                    let code = (api.set_error_handler)(options, on_error, null_mut());
                    api.check(code, "error handler")
                })
                .and_then(|()| api.check((api.set_allow_reconnect)(options, false), "reconnect"))
                .and_then(|()| {
                    api.check((api.set_send_asap)(options, settings.send_asap), "send_asap")
                })
                .and_then(|()| {
                    api.check((api.set_write_deadline)(options, ANSWER_MS), "write deadline")
                })
        };
        let outcome = outcome.and_then(|()| tls.map_or(Ok(()), |tls| tls.protect(api, options)));
        let outcome = outcome.and_then(|()| {
            let what = format!("connecting to the NATS server at {address}");
            // SAFETY: the options are alive, which the library copies.
            api.check(unsafe { (api.connect)(&raw mut raw, options) }, &what)
                .map_err(|error| Status::Unavailable.error(error.message))
        });
        // SAFETY: made above, given back once.
        unsafe { (api.options_destroy)(options) };
        outcome.map(|()| Self { raw, running, ended: Mutex::default() })
    }

    /// The library.
    #[inline]
    pub fn api(&self) -> &'static Api {
        self.running.api()
    }

    /// Hands a message to the library. Hot.
    #[inline]
    pub fn publish(&self, subject: &CStr, payload: &[u8]) -> bool {
        let Ok(bytes) = c_int::try_from(payload.len()) else { return false };
        // SAFETY: the connection is alive; text and payload are copied or sent.
        let code = unsafe {
            (self.api().publish)(self.raw, subject.as_ptr(), payload.as_ptr().cast(), bytes)
        };
        code == OK
    }

    /// Hands a message to the library to which `reply` is where the answer goes. Hot.
    #[inline]
    pub fn ask(&self, subject: &CStr, reply: &CStr, payload: &[u8]) -> Result<()> {
        let bytes = c_int::try_from(payload.len()).unwrap_or(c_int::MAX);
        let (subject, reply, data) = (subject.as_ptr(), reply.as_ptr(), payload.as_ptr().cast());
        // SAFETY: the connection is alive; texts and payload are copied or sent.
        let code = unsafe { (self.api().publish_request)(self.raw, subject, reply, data, bytes) };
        self.api().check(code, "a request")
    }

    /// Answers a request, if it says where to. Hot.
    #[inline]
    pub fn answer(&self, request: &Received, payload: &[u8]) -> Result<()> {
        let Some(reply) = request.reply() else { return Ok(()) };
        let bytes = c_int::try_from(payload.len()).unwrap_or(c_int::MAX);
        // SAFETY: as above.
        let code = unsafe {
            (self.api().publish)(self.raw, reply.as_ptr(), payload.as_ptr().cast(), bytes)
        };
        self.api().check(code, "a response")
    }

    /// A subject that nobody else has.
    pub fn inbox(&self) -> Result<CString> {
        let mut raw = null_mut();
        // SAFETY: a pointer that is filled in.
        self.api().check(unsafe { (self.api().inbox_create)(&raw mut raw) }, "an inbox")?;
        // SAFETY: a text of the library's, given back when it has been copied.
        unsafe {
            let inbox = CStr::from_ptr(raw).to_owned();
            (self.api().inbox_destroy)(raw);
            Ok(inbox)
        }
    }

    /// Returns when the server has worked off all that was sent before.
    pub fn flush(&self) -> Result<()> {
        // SAFETY: the connection is alive.
        let code = unsafe { (self.api().flush)(self.raw, ANSWER_MS) };
        self.api().check(code, "an answer of the NATS server")
    }

    /// Ends a subscription.
    fn end(&self, subscription: *mut Subscription) {
        // SAFETY: the subscription is alive, and is when the connection ends.
        unsafe { (self.api().unsubscribe)(subscription) };
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).push(subscription);
    }

    /// Bytes of the largest message that the server admits.
    pub fn max_payload(&self) -> u64 {
        // SAFETY: the connection is alive.
        unsafe { (self.api().max_payload)(self.raw) }.unsigned_abs()
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        let api = self.api();
        let ended = self.ended.get_mut().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: closes the connection and waits for its threads. Everything is given back once.
        unsafe {
            (api.close)(self.raw);
            for subscription in ended {
                (api.subscription_destroy)(*subscription);
            }
            (api.destroy)(self.raw);
        }
    }
}

/// What is called with messages, on a thread of the library.
pub trait Handler: Send + Sync + 'static {
    /// A message's payload. Hot.
    fn on_message(&self, payload: &[u8]);
}

/// A subscription whose messages are asked for.
pub struct Asked {
    raw: *mut Subscription,
    link: Arc<Link>,
}

// SAFETY: the library guards its subscriptions by locks.
unsafe impl Send for Asked {}
// SAFETY: as above.
unsafe impl Sync for Asked {}

impl Asked {
    /// Subscribes.
    pub fn new(link: &Arc<Link>, subject: &CStr) -> Result<Self> {
        let mut raw = null_mut();
        let api = link.api();
        // SAFETY: the connection is alive; the text is copied.
        let code = unsafe { (api.subscribe_sync)(&raw mut raw, link.raw, subject.as_ptr()) };
        api.check(code, "subscribing")?;
        Ok(Self { raw, link: Arc::clone(link) })
    }

    /// The next message, if it comes within so many milliseconds; else the library's code. Hot.
    #[inline]
    pub fn next(&self, timeout_ms: i64) -> std::result::Result<Received, c_int> {
        let mut raw = null_mut();
        // SAFETY: the subscription is alive.
        let code = unsafe { (self.link.api().next)(&raw mut raw, self.raw, timeout_ms) };
        if code == OK { Ok(Received { raw, api: self.link.api() }) } else { Err(code) }
    }

    /// Messages that the library has dropped because nobody took them.
    pub fn dropped(&self) -> Option<u64> {
        dropped(&self.link, self.raw)
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.link.end(self.raw);
    }
}

/// A message, owned.
pub struct Received {
    raw: *mut Message,
    api: &'static Api,
}

// SAFETY: a message belongs to whoever has it.
unsafe impl Send for Received {}

impl Received {
    /// Its payload.
    #[inline]
    pub fn payload(&self) -> &[u8] {
        // SAFETY: the message is alive.
        unsafe { payload(self.api, self.raw) }
    }

    /// Where it was sent to.
    #[inline]
    pub fn subject(&self) -> &CStr {
        // SAFETY: the message is alive, and every message has a subject.
        unsafe { CStr::from_ptr((self.api.subject)(self.raw)) }
    }

    /// Where an answer to it goes.
    #[inline]
    pub fn reply(&self) -> Option<&CStr> {
        // SAFETY: the message is alive.
        let reply = unsafe { (self.api.reply)(self.raw) };
        // SAFETY: a text of the message's.
        (!reply.is_null()).then(|| unsafe { CStr::from_ptr(reply) })
    }
}

impl Drop for Received {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: given back once.
        unsafe { (self.api.message_destroy)(self.raw) };
    }
}

unsafe fn payload<'a>(api: &Api, raw: *const Message) -> &'a [u8] {
    // SAFETY: the message is alive (caller); pointer and length belong together.
    unsafe {
        let data = (api.data)(raw);
        if data.is_null() {
            return &[];
        }
        std::slice::from_raw_parts(data.cast(), (api.data_bytes)(raw).unsigned_abs() as usize)
    }
}

/// A subscription whose messages are called out on a thread of the library.
pub struct Called {
    raw: *mut Subscription,
    link: Arc<Link>,
    closure: Arc<Closure>,
}

/// What the callbacks know.
struct Closure {
    api: &'static Api,
    handler: Box<dyn Handler>,
    over: Mutex<bool>,
    told: Condvar,
}

// SAFETY: the library guards its subscriptions by locks; the handler is `Sync`.
unsafe impl Send for Called {}
// SAFETY: as above.
unsafe impl Sync for Called {}

impl Called {
    /// Subscribes.
    pub fn new(link: &Arc<Link>, subject: &CStr, handler: Box<dyn Handler>) -> Result<Self> {
        let api = link.api();
        let closure =
            Arc::new(Closure { api, handler, over: Mutex::new(false), told: Condvar::new() });
        let user = Arc::as_ptr(&closure).cast_mut().cast::<c_void>();
        let mut raw = null_mut();
        // SAFETY: the connection is alive, the text is copied, and the closure lives until the library
        // has said that it calls no more.
        let code =
            unsafe { (api.subscribe)(&raw mut raw, link.raw, subject.as_ptr(), on_message, user) };
        api.check(code, "subscribing")?;
        // SAFETY: as above.
        let code = unsafe { (api.on_complete)(raw, on_complete, user) };
        let called = Self { raw, link: Arc::clone(link), closure };
        api.check(code, "the end of a subscription")?;
        Ok(called)
    }

    /// Messages that the library has dropped because nobody took them.
    pub fn dropped(&self) -> Option<u64> {
        dropped(&self.link, self.raw)
    }
}

impl Drop for Called {
    fn drop(&mut self) {
        // After its last call comes the one that says so.
        self.link.end(self.raw);
        let over = self.closure.over.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.closure.told.wait_timeout_while(over, LAST_CALL, |over| !*over);
        if waited.is_ok_and(|(_, timeout)| timeout.timed_out()) {
            // A callback does not come back: what it uses must stay.
            std::mem::forget(Arc::clone(&self.closure));
        }
    }
}

unsafe extern "C" fn on_message(
    _: *mut Connection,
    _: *mut Subscription,
    message: *mut Message,
    user: *mut c_void,
) {
    // SAFETY: the closure lives until `on_complete`.
    let closure = unsafe { &*user.cast::<Closure>() };
    let message = Received { raw: message, api: closure.api };
    closure.handler.on_message(message.payload());
}

/// In place of the library's own, which prints. What matters is in the counters and the return codes.
unsafe extern "C" fn on_error(_: *mut Connection, _: *mut Subscription, _: c_int, _: *mut c_void) {}

unsafe extern "C" fn on_complete(user: *mut c_void) {
    // SAFETY: the closure lives until this has come.
    let closure = unsafe { &*user.cast::<Closure>() };
    let mut over = closure.over.lock().unwrap_or_else(PoisonError::into_inner);
    *over = true;
    closure.told.notify_all();
}

fn dropped(link: &Link, raw: *mut Subscription) -> Option<u64> {
    let mut count = 0;
    // SAFETY: the subscription is alive.
    let code = unsafe { (link.api().dropped)(raw, &raw mut count) };
    (code == OK).then_some(count.unsigned_abs())
}
