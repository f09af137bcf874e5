//! The C functions of libzmq that are used here.

use std::ffi::{CStr, CString, c_char, c_int, c_void};

pub const SUB: c_int = 2;
pub const DEALER: c_int = 5;
pub const ROUTER: c_int = 6;
pub const XPUB: c_int = 9;

pub const SUBSCRIBE: c_int = 6;
const EVENTS: c_int = 15;
pub const LINGER: c_int = 17;
pub const RECONNECT_IVL: c_int = 18;
pub const RCVTIMEO: c_int = 27;
const LAST_ENDPOINT: c_int = 32;
pub const ROUTER_MANDATORY: c_int = 33;
pub const XPUB_NODROP: c_int = 69;

pub const DONTWAIT: c_int = 1;
const SNDMORE: c_int = 2;

#[repr(C, align(8))]
struct RawMessage([u8; 64]);

// By the file's name: the package for development, with another name for it, need not be here.
#[link(name = "libzmq.so.5", kind = "dylib", modifiers = "+verbatim")]
unsafe extern "C" {
    fn zmq_errno() -> c_int;
    fn zmq_strerror(code: c_int) -> *const c_char;
    fn zmq_ctx_new() -> *mut c_void;
    fn zmq_ctx_term(context: *mut c_void) -> c_int;
    fn zmq_socket(context: *mut c_void, kind: c_int) -> *mut c_void;
    fn zmq_close(socket: *mut c_void) -> c_int;
    fn zmq_setsockopt(s: *mut c_void, option: c_int, value: *const c_void, bytes: usize) -> c_int;
    fn zmq_getsockopt(
        s: *mut c_void,
        option: c_int,
        value: *mut c_void,
        bytes: *mut usize,
    ) -> c_int;
    fn zmq_bind(socket: *mut c_void, place: *const c_char) -> c_int;
    fn zmq_connect(socket: *mut c_void, place: *const c_char) -> c_int;
    fn zmq_send(socket: *mut c_void, bytes: *const c_void, count: usize, flags: c_int) -> c_int;
    fn zmq_msg_init(message: *mut RawMessage) -> c_int;
    fn zmq_msg_recv(message: *mut RawMessage, socket: *mut c_void, flags: c_int) -> c_int;
    fn zmq_msg_close(message: *mut RawMessage) -> c_int;
    fn zmq_msg_data(message: *mut RawMessage) -> *mut c_void;
    fn zmq_msg_size(message: *const RawMessage) -> usize;
}

fn check(code: c_int, what: &str) -> Result<(), String> {
    if code == 0 {
        return Ok(());
    }
    // SAFETY: the library has a constant text for every number.
    let words = unsafe { CStr::from_ptr(zmq_strerror(zmq_errno())) };
    Err(format!("{what}: {}", words.to_string_lossy()))
}

fn text(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}

pub struct Context(*mut c_void);

impl Context {
    pub fn new() -> Self {
        // SAFETY: no arguments.
        Self(unsafe { zmq_ctx_new() })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: ended once; all sockets have been closed.
        unsafe { zmq_ctx_term(self.0) };
    }
}

/// Used by one thread at a time, and closed before its context.
pub struct Socket(*mut c_void);

// SAFETY: a socket may move between threads with a full fence, which the lock is that holds it.
unsafe impl Send for Socket {}

impl Socket {
    pub fn new(context: &Context, kind: c_int) -> Result<Self, String> {
        // SAFETY: the context is alive.
        let raw = unsafe { zmq_socket(context.0, kind) };
        check(-c_int::from(raw.is_null()), "zmq_socket")?;
        Ok(Self(raw))
    }

    pub fn set(&self, option: c_int, value: i32) -> Result<(), String> {
        self.set_bytes(option, &value.to_ne_bytes())
    }

    pub fn set_bytes(&self, option: c_int, value: &[u8]) -> Result<(), String> {
        // SAFETY: the value lives during the call.
        let code = unsafe { zmq_setsockopt(self.0, option, value.as_ptr().cast(), value.len()) };
        check(code, "socket option")
    }

    pub fn bind(&self, place: &str) -> Result<String, String> {
        let (mut bound, mut length) = ([0_u8; 256], 256);
        // SAFETY: texts and the buffer, which has the length given, live during the calls.
        unsafe {
            check(zmq_bind(self.0, text(place).as_ptr()), place)?;
            let to = bound.as_mut_ptr().cast();
            check(zmq_getsockopt(self.0, LAST_ENDPOINT, to, &raw mut length), "bound place")?;
        }
        Ok(String::from_utf8_lossy(&bound[..length.saturating_sub(1)]).into_owned())
    }

    pub fn connect(&self, place: &str) -> Result<(), String> {
        // SAFETY: the text lives during the call.
        check(unsafe { zmq_connect(self.0, text(place).as_ptr()) }, place)
    }

    /// Lets the library do what its threads have asked this socket to do.
    pub fn process(&self) {
        let (mut events, mut length) = (0 as c_int, size_of::<c_int>());
        let to = (&raw mut events).cast();
        // SAFETY: the buffer has the length given.
        unsafe { zmq_getsockopt(self.0, EVENTS, to, &raw mut length) };
    }

    #[inline]
    pub fn send(&self, bytes: &[u8]) -> bool {
        // SAFETY: the bytes live during the call.
        unsafe { zmq_send(self.0, bytes.as_ptr().cast(), bytes.len(), 0) >= 0 }
    }

    /// The first part of a message.
    #[inline]
    pub fn begin(&self, bytes: &[u8]) -> bool {
        // SAFETY: the bytes live during the call.
        unsafe { zmq_send(self.0, bytes.as_ptr().cast(), bytes.len(), SNDMORE) >= 0 }
    }

    #[inline]
    pub fn receive(&self, message: &mut Message, flags: c_int) -> bool {
        // SAFETY: the message is initialised; the library frees what it held.
        unsafe { zmq_msg_recv(&raw mut message.0, self.0, flags) >= 0 }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // SAFETY: closed once.
        unsafe { zmq_close(self.0) };
    }
}

pub struct Message(RawMessage);

// SAFETY: a message is memory.
unsafe impl Send for Message {}

impl Message {
    pub fn new() -> Self {
        let mut message = Self(RawMessage([0; 64]));
        // SAFETY: initialises it.
        unsafe { zmq_msg_init(&raw mut message.0) };
        message
    }

    #[inline]
    pub fn bytes(&mut self) -> &[u8] {
        // SAFETY: the content lives until the message is received into or closed.
        unsafe {
            let length = zmq_msg_size(&raw const self.0);
            std::slice::from_raw_parts(zmq_msg_data(&raw mut self.0).cast(), length)
        }
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        // SAFETY: initialised, closed once.
        unsafe { zmq_msg_close(&raw mut self.0) };
    }
}
