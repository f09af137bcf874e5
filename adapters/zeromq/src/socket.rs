//! Contexts, sockets and messages of libzmq as owned values.

use std::ffi::{CString, c_int, c_void};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use busmark_adapter::{Result, Status};

use crate::ffi::{self, RawMessage, Zmq, zmq};

/// A context: the library's threads and its names for `inproc`. Ends when its last socket has gone.
pub struct Context {
    zmq: &'static Zmq,
    raw: *mut c_void,
}

// SAFETY: contexts are thread-safe (zmq.h).
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    /// With so many threads for input and output.
    pub fn new(io_threads: i32) -> Result<Arc<Self>> {
        let zmq = zmq()?;
        // SAFETY: a new context, whose number of threads is set before the first socket.
        unsafe {
            let raw = (zmq.zmq_ctx_new)();
            if raw.is_null() {
                return Err(zmq.error("zmq_ctx_new"));
            }
            let context = Arc::new(Self { zmq, raw });
            if (zmq.zmq_ctx_set)(raw, ffi::IO_THREADS, io_threads) != 0 {
                return Err(zmq.error(&format!("{io_threads} threads for input and output")));
            }
            Ok(context)
        }
    }

    /// The one that all participants of this process share: `inproc` reaches no further than it.
    pub fn of_process() -> Result<Arc<Self>> {
        static SHARED: Mutex<Weak<Context>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(context) = shared.upgrade() {
            return Ok(context);
        }
        let context = Self::new(1)?;
        *shared = Arc::downgrade(&context);
        Ok(context)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: sockets hold their context, so all are closed; what they still have to send ends
        // with their linger time.
        while unsafe { (self.zmq.zmq_ctx_term)(self.raw) } != 0 && self.zmq.errno() == ffi::EINTR {}
    }
}

/// A socket, used by one thread at a time.
pub struct Socket {
    zmq: &'static Zmq,
    raw: *mut c_void,
    // Ends after it.
    _context: Arc<Context>,
}

// SAFETY: sockets may move between threads with a full fence (zmq_socket), which the cell or the lock
// that holds them is.
unsafe impl Send for Socket {}

impl Socket {
    /// A socket of this type.
    pub fn new(context: &Arc<Context>, kind: c_int) -> Result<Self> {
        let zmq = context.zmq;
        // SAFETY: the context is alive.
        let raw = unsafe { (zmq.zmq_socket)(context.raw, kind) };
        if raw.is_null() {
            return Err(zmq.error("zmq_socket"));
        }
        Ok(Self { zmq, raw, _context: Arc::clone(context) })
    }

    /// Sets an option that is a number.
    pub fn set(&self, option: c_int, value: i32) -> Result<()> {
        self.set_bytes(option, &value.to_ne_bytes())
    }

    /// Sets an option.
    pub fn set_bytes(&self, option: c_int, value: &[u8]) -> Result<()> {
        // SAFETY: the value lives during the call.
        let result = unsafe {
            (self.zmq.zmq_setsockopt)(self.raw, option, value.as_ptr().cast(), value.len())
        };
        if result == 0 { Ok(()) } else { Err(self.zmq.error(&format!("socket option {option}"))) }
    }

    /// Binds; the end point as it came out.
    pub fn bind(&self, end_point: &str) -> Result<String> {
        let text = c_text(end_point)?;
        // SAFETY: the text lives during the call.
        if unsafe { (self.zmq.zmq_bind)(self.raw, text.as_ptr()) } != 0 {
            return Err(self.zmq.error(&format!("bind to {end_point}")));
        }
        let mut text = [0_u8; 512];
        let mut length = text.len();
        // SAFETY: the buffer has the length given.
        let result = unsafe {
            (self.zmq.zmq_getsockopt)(
                self.raw,
                ffi::LAST_ENDPOINT,
                text.as_mut_ptr().cast(),
                &raw mut length,
            )
        };
        if result != 0 {
            return Err(self.zmq.error("the bound end point"));
        }
        Ok(String::from_utf8_lossy(&text[..length.saturating_sub(1)]).into_owned())
    }

    /// Begins to connect.
    pub fn connect(&self, end_point: &str) -> Result<()> {
        let text = c_text(end_point)?;
        // SAFETY: the text lives during the call.
        let result = unsafe { (self.zmq.zmq_connect)(self.raw, text.as_ptr()) };
        if result == 0 { Ok(()) } else { Err(self.zmq.error(&format!("connect to {end_point}"))) }
    }

    /// Gives up what was begun by [`Socket::connect`] with the same text; `false`: there is no such.
    pub fn disconnect(&self, end_point: &str) -> bool {
        let Ok(text) = c_text(end_point) else { return false };
        // SAFETY: the text lives during the call.
        unsafe { (self.zmq.zmq_disconnect)(self.raw, text.as_ptr()) == 0 }
    }

    /// Reports handshakes and ends of connections at this `inproc` end point.
    pub fn monitor(&self, end_point: &str) -> Result<()> {
        let text = c_text(end_point)?;
        let events = ffi::EVENT_DISCONNECTED
            | ffi::EVENT_MONITOR_STOPPED
            | ffi::EVENT_HANDSHAKE_SUCCEEDED
            | ffi::EVENT_HANDSHAKE_FAILED;
        // SAFETY: the text lives during the call.
        let result =
            unsafe { (self.zmq.zmq_socket_monitor)(self.raw, text.as_ptr(), c_int::from(events)) };
        if result == 0 { Ok(()) } else { Err(self.zmq.error("zmq_socket_monitor")) }
    }

    /// Reports a last event.
    pub fn stop_monitor(&self) {
        // SAFETY: no end point stands for the end of reporting.
        unsafe { (self.zmq.zmq_socket_monitor)(self.raw, std::ptr::null(), 0) };
    }

    /// Lets the library do what its threads have asked this socket to do.
    pub fn process(&self) {
        let _ = self.number(ffi::EVENTS);
    }

    /// The same; whether there is a message then.
    pub fn has_message(&self) -> bool {
        self.number(ffi::EVENTS).is_ok_and(|events| events & ffi::POLLIN != 0)
    }

    /// An option that is a number.
    pub fn number(&self, option: c_int) -> Result<c_int> {
        let mut value: c_int = 0;
        let mut length = size_of::<c_int>();
        // SAFETY: the buffer has the length given.
        let result = unsafe {
            let value = (&raw mut value).cast();
            (self.zmq.zmq_getsockopt)(self.raw, option, value, &raw mut length)
        };
        if result == 0 {
            Ok(value)
        } else {
            Err(self.zmq.error(&format!("socket option {option}")))
        }
    }

    /// The state behind a call that failed.
    #[inline]
    fn status(&self) -> Status {
        match self.zmq.errno() {
            ffi::EAGAIN | ffi::EINTR => Status::Timeout,
            _ => Status::Failed,
        }
    }

    /// Sends a copy of these bytes; blocks as long as the socket's option says.
    #[inline]
    pub fn send(&self, bytes: &[u8], flags: c_int) -> std::result::Result<(), Status> {
        // SAFETY: the bytes live during the call.
        let sent =
            unsafe { (self.zmq.zmq_send)(self.raw, bytes.as_ptr().cast(), bytes.len(), flags) };
        if sent >= 0 { Ok(()) } else { Err(self.status()) }
    }

    /// Sends the name of a client, which begins a message of a ROUTER; `false`: it has gone. The library
    /// says so where `ROUTER_MANDATORY` is set.
    #[inline]
    pub fn begin(&self, client: &mut Message) -> std::result::Result<bool, Status> {
        match self.send_shared(client, ffi::SNDMORE | ffi::DONTWAIT) {
            Err(Status::Failed) if self.zmq.errno() == ffi::EHOSTUNREACH => Ok(false),
            result => result.map(|()| true),
        }
    }

    /// Sends another reference to this message's content.
    #[inline]
    pub fn send_shared(
        &self,
        message: &mut Message,
        flags: c_int,
    ) -> std::result::Result<(), Status> {
        let mut copy = RawMessage::BLANK;
        // SAFETY: `copy` is initialised before use and closed unless the library took it.
        unsafe {
            (self.zmq.zmq_msg_init)(&raw mut copy);
            (self.zmq.zmq_msg_copy)(&raw mut copy, &raw mut message.raw);
            if (self.zmq.zmq_msg_send)(&raw mut copy, self.raw, flags) >= 0 {
                return Ok(());
            }
            let status = self.status();
            // It cannot fail, and so leaves the number of the error.
            (self.zmq.zmq_msg_close)(&raw mut copy);
            Err(status)
        }
    }

    /// Receives in place of what the message held.
    #[inline]
    pub fn receive(&self, message: &mut Message, flags: c_int) -> std::result::Result<(), Status> {
        // SAFETY: the message is initialised; the library frees what it held.
        let received = unsafe { (self.zmq.zmq_msg_recv)(&raw mut message.raw, self.raw, flags) };
        if received >= 0 { Ok(()) } else { Err(self.status()) }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // SAFETY: closed once.
        unsafe { (self.zmq.zmq_close)(self.raw) };
    }
}

fn c_text(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Status::Invalid.error("a zero byte in an end point"))
}

/// A message.
pub struct Message {
    zmq: &'static Zmq,
    raw: RawMessage,
}

// SAFETY: a message is memory; its content is reference-counted with atomic operations.
unsafe impl Send for Message {}

impl Message {
    /// Without content, to receive into.
    pub fn empty() -> Result<Self> {
        let mut message = Self { zmq: zmq()?, raw: RawMessage::BLANK };
        // SAFETY: initialises the message; cannot fail.
        unsafe { (message.zmq.zmq_msg_init)(&raw mut message.raw) };
        Ok(message)
    }

    /// With a copy of these bytes.
    pub fn with(bytes: &[u8]) -> Result<Self> {
        let mut message = Self::empty()?;
        // SAFETY: the empty message owns nothing, so it may be initialised again; the new content has
        // the length of `bytes`.
        unsafe {
            if (message.zmq.zmq_msg_init_size)(&raw mut message.raw, bytes.len()) != 0 {
                (message.zmq.zmq_msg_init)(&raw mut message.raw);
                return Err(message.zmq.error(&format!("a message of {} bytes", bytes.len())));
            }
            let data = (message.zmq.zmq_msg_data)(&raw mut message.raw);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), data.cast(), bytes.len());
        }
        Ok(message)
    }

    /// Its content.
    #[inline]
    pub fn bytes(&mut self) -> &[u8] {
        // SAFETY: the content lives as long as the message is not received into or closed.
        unsafe {
            let length = (self.zmq.zmq_msg_size)(&raw const self.raw);
            let data = (self.zmq.zmq_msg_data)(&raw mut self.raw);
            if length == 0 { &[] } else { std::slice::from_raw_parts(data.cast(), length) }
        }
    }

    /// Whether another part of the same message follows.
    #[inline]
    pub fn has_more(&self) -> bool {
        // SAFETY: the message is initialised.
        unsafe { (self.zmq.zmq_msg_more)(&raw const self.raw) != 0 }
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        // SAFETY: initialised, closed once.
        unsafe { (self.zmq.zmq_msg_close)(&raw mut self.raw) };
    }
}
