//! A connection of NATS' C client. It lives as long as the process.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::null_mut;

use bare_common::{Header, OnSample};

/// Milliseconds within which the server must answer, and a write must be taken by the system.
const ANSWER_MS: i64 = 5000;

macro_rules! opaque {
    ($($name:ident)*) => {$(
        #[repr(C)]
        struct $name {
            _private: [u8; 0],
        }
    )*};
}
opaque!(RawOptions RawConnection RawSubscription RawMessage);

type OnMessage =
    unsafe extern "C" fn(*mut RawConnection, *mut RawSubscription, *mut RawMessage, *mut c_void);

// By the file's name in Debian 12: the package for development, with another name for it, need not be
// here.
#[link(name = "libnats.so.3.4", kind = "dylib", modifiers = "+verbatim")]
unsafe extern "C" {
    fn natsStatus_GetText(code: c_int) -> *const c_char;
    fn natsOptions_Create(options: *mut *mut RawOptions) -> c_int;
    fn natsOptions_Destroy(options: *mut RawOptions);
    fn natsOptions_SetURL(options: *mut RawOptions, url: *const c_char) -> c_int;
    fn natsOptions_SetTimeout(options: *mut RawOptions, ms: i64) -> c_int;
    fn natsOptions_SetAllowReconnect(options: *mut RawOptions, allow: bool) -> c_int;
    fn natsOptions_SetSendAsap(options: *mut RawOptions, asap: bool) -> c_int;
    fn natsOptions_SetWriteDeadline(options: *mut RawOptions, ms: i64) -> c_int;
    fn natsConnection_Connect(to: *mut *mut RawConnection, options: *mut RawOptions) -> c_int;
    fn natsConnection_FlushTimeout(connection: *mut RawConnection, ms: i64) -> c_int;
    fn natsConnection_Publish(
        connection: *mut RawConnection,
        subject: *const c_char,
        data: *const c_void,
        bytes: c_int,
    ) -> c_int;
    fn natsConnection_Subscribe(
        to: *mut *mut RawSubscription,
        connection: *mut RawConnection,
        subject: *const c_char,
        callback: OnMessage,
        user: *mut c_void,
    ) -> c_int;
    fn natsConnection_PublishRequest(
        connection: *mut RawConnection,
        subject: *const c_char,
        reply: *const c_char,
        data: *const c_void,
        bytes: c_int,
    ) -> c_int;
    fn natsConnection_SubscribeSync(
        to: *mut *mut RawSubscription,
        connection: *mut RawConnection,
        subject: *const c_char,
    ) -> c_int;
    fn natsSubscription_NextMsg(
        to: *mut *mut RawMessage,
        subscription: *mut RawSubscription,
        ms: i64,
    ) -> c_int;
    fn natsMsg_GetReply(message: *const RawMessage) -> *const c_char;
    fn natsMsg_GetData(message: *const RawMessage) -> *const c_char;
    fn natsMsg_GetDataLength(message: *const RawMessage) -> c_int;
    fn natsMsg_Destroy(message: *mut RawMessage);
}

fn check(code: c_int, what: &str) -> Result<(), String> {
    if code == 0 {
        return Ok(());
    }
    // SAFETY: the library has a constant text for every number.
    let words = unsafe { CStr::from_ptr(natsStatus_GetText(code)) };
    Err(format!("{what}: {}", words.to_string_lossy()))
}

#[derive(Clone, Copy)]
pub struct Connection(*mut RawConnection);

// SAFETY: the library guards its connections by locks.
unsafe impl Send for Connection {}

impl Connection {
    /// To `HOST:PORT`, with the options as shipped but for reconnection and deadlines.
    pub fn new(server: &str) -> Result<Self, String> {
        let url = CString::new(format!("nats://{server}")).unwrap_or_default();
        let (mut options, mut raw) = (null_mut(), null_mut());
        // SAFETY: the options are filled in before they are used; texts are copied.
        unsafe {
            check(natsOptions_Create(&raw mut options), "options")?;
            check(natsOptions_SetURL(options, url.as_ptr()), "the server's address")?;
            check(natsOptions_SetTimeout(options, ANSWER_MS), "timeout")?;
            check(natsOptions_SetAllowReconnect(options, false), "reconnect")?;
            check(natsOptions_SetSendAsap(options, false), "send_asap")?;
            check(natsOptions_SetWriteDeadline(options, ANSWER_MS), "write deadline")?;
            check(natsConnection_Connect(&raw mut raw, options), &format!("server {server}"))?;
            natsOptions_Destroy(options);
        }
        Ok(Self(raw))
    }

    /// A thread of the library calls `on_sample`, which lives as long as the process.
    pub fn subscribe<H: OnSample>(self, subject: &CStr, on_sample: H) -> Result<(), String> {
        let user = std::ptr::from_mut(Box::leak(Box::new(on_sample))).cast();
        let mut raw = null_mut();
        // SAFETY: the connection is alive, the text is copied, and `user` is what the callback takes.
        let code = unsafe {
            natsConnection_Subscribe(&raw mut raw, self.0, subject.as_ptr(), on_message::<H>, user)
        };
        check(code, "subscribing")
    }

    #[inline]
    pub fn publish(self, subject: &CStr, payload: &[u8]) -> bool {
        let Ok(bytes) = c_int::try_from(payload.len()) else { return false };
        let payload = payload.as_ptr().cast();
        // SAFETY: the connection is alive; text and payload are copied or sent.
        unsafe { natsConnection_Publish(self.0, subject.as_ptr(), payload, bytes) == 0 }
    }

    /// What comes is kept until it is taken.
    pub fn queue(self, subject: &CStr) -> Result<Queue, String> {
        let mut raw = null_mut();
        // SAFETY: the connection is alive, and the text is copied.
        let code = unsafe { natsConnection_SubscribeSync(&raw mut raw, self.0, subject.as_ptr()) };
        check(code, "subscribing")?;
        Ok(Queue(raw))
    }

    #[inline]
    pub fn request(self, subject: &CStr, reply: &CStr, payload: &[u8]) -> bool {
        let Ok(bytes) = c_int::try_from(payload.len()) else { return false };
        let (reply, payload) = (reply.as_ptr(), payload.as_ptr().cast());
        // SAFETY: the connection is alive; texts and payload are copied or sent.
        unsafe {
            natsConnection_PublishRequest(self.0, subject.as_ptr(), reply, payload, bytes) == 0
        }
    }

    /// Returns when the server has worked off all that was sent before.
    pub fn flush(self) -> Result<(), String> {
        // SAFETY: the connection is alive.
        check(unsafe { natsConnection_FlushTimeout(self.0, ANSWER_MS) }, "no answer")
    }
}

/// A subscription without a callback. It lives as long as the process.
pub struct Queue(*mut RawSubscription);

impl Queue {
    /// Hands over the next message and the subject for its answer, which is empty if it wants none.
    #[inline]
    pub fn next<T>(&mut self, give: impl FnOnce(&[u8], &CStr) -> T) -> Result<T, String> {
        let mut message = null_mut();
        // SAFETY: the subscription is alive.
        let code = unsafe { natsSubscription_NextMsg(&raw mut message, self.0, ANSWER_MS) };
        check(code, "no message")?;
        // SAFETY: pointer and length belong together, as the text does to the message, until it is
        // destroyed.
        unsafe {
            let bytes = natsMsg_GetDataLength(message).unsigned_abs() as usize;
            let payload = std::slice::from_raw_parts(natsMsg_GetData(message).cast(), bytes);
            let reply = natsMsg_GetReply(message);
            let given = give(payload, if reply.is_null() { c"" } else { CStr::from_ptr(reply) });
            natsMsg_Destroy(message);
            Ok(given)
        }
    }
}

unsafe extern "C" fn on_message<H: OnSample>(
    _: *mut RawConnection,
    _: *mut RawSubscription,
    message: *mut RawMessage,
    user: *mut c_void,
) {
    // SAFETY: `user` is the leaked `H`, which the one thread of this subscription uses; pointer and
    // length belong together until the message is destroyed.
    unsafe {
        let bytes = natsMsg_GetDataLength(message).unsigned_abs() as usize;
        let payload = std::slice::from_raw_parts(natsMsg_GetData(message).cast(), bytes);
        if let Some(header) = Header::from_bytes(payload) {
            (*user.cast::<H>())(&header);
        }
        natsMsg_Destroy(message);
    }
}
