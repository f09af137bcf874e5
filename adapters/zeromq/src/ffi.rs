//! The C functions of libzmq, found at run time: what is missing then has a name and a remedy.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;

use busmark_adapter::{Error, Result, Status};
use libloading::Library;

/// The shared library; its name stands for its binary interface, which 4.3 and later have kept.
const LIBRARY: &str = "libzmq.so.5";
/// How to get it.
pub const INSTALL: &str = "apt-get install libzmq5";
/// Oldest release that has every socket option used here.
const OLDEST: (c_int, c_int) = (4, 3);

pub const IO_THREADS: c_int = 1;

pub const PAIR: c_int = 0;
pub const SUB: c_int = 2;
pub const REQ: c_int = 3;
pub const REP: c_int = 4;
pub const DEALER: c_int = 5;
pub const ROUTER: c_int = 6;
pub const PULL: c_int = 7;
pub const PUSH: c_int = 8;
pub const XPUB: c_int = 9;

pub const SUBSCRIBE: c_int = 6;
pub const UNSUBSCRIBE: c_int = 7;
pub const SNDBUF: c_int = 11;
pub const RCVBUF: c_int = 12;
pub const FD: c_int = 14;
pub const EVENTS: c_int = 15;
pub const LINGER: c_int = 17;
pub const RECONNECT_IVL: c_int = 18;
pub const SNDHWM: c_int = 23;
pub const RCVHWM: c_int = 24;
pub const RCVTIMEO: c_int = 27;
pub const SNDTIMEO: c_int = 28;
pub const LAST_ENDPOINT: c_int = 32;
pub const ROUTER_MANDATORY: c_int = 33;
pub const XPUB_VERBOSE: c_int = 40;
pub const IPV6: c_int = 42;
pub const CURVE_SERVER: c_int = 47;
pub const CURVE_PUBLICKEY: c_int = 48;
pub const CURVE_SECRETKEY: c_int = 49;
pub const CURVE_SERVERKEY: c_int = 50;
pub const CONFLATE: c_int = 54;
pub const ZAP_DOMAIN: c_int = 55;
pub const TOS: c_int = 57;
pub const XPUB_NODROP: c_int = 69;
pub const ZAP_ENFORCE_DOMAIN: c_int = 93;

pub const DONTWAIT: c_int = 1;
pub const SNDMORE: c_int = 2;

/// The bit of `EVENTS` that says there is a message.
pub const POLLIN: c_int = 1;

pub const EVENT_DISCONNECTED: u16 = 0x0200;
pub const EVENT_MONITOR_STOPPED: u16 = 0x0400;
pub const EVENT_HANDSHAKE_SUCCEEDED: u16 = 0x1000;
/// Without a reason, against the protocol, not authorised.
pub const EVENT_HANDSHAKE_FAILED: u16 = 0x0800 | 0x2000 | 0x4000;

pub const EINTR: c_int = 4;
pub const EAGAIN: c_int = 11;
pub const EHOSTUNREACH: c_int = 113;
const ENOMEM: c_int = 12;
const ENFILE: c_int = 23;
const EMFILE: c_int = 24;

/// `zmq_msg_t`.
#[repr(C, align(8))]
pub struct RawMessage([u8; 64]);

impl RawMessage {
    /// To be initialised by the library.
    pub const BLANK: Self = Self([0; 64]);
}

macro_rules! functions {
    ($($name:ident($($argument:ty),*) -> $result:ty;)*) => {
        /// The functions, by their names.
        #[allow(missing_docs)]
        pub struct Zmq {
            $(pub $name: unsafe extern "C" fn($($argument),*) -> $result,)*
            // What they lie in.
            _library: Library,
        }

        impl Zmq {
            fn open() -> std::result::Result<Self, libloading::Error> {
                // SAFETY: the library's initialisers only set up C++ constants.
                let library = unsafe { Library::new(LIBRARY)? };
                // SAFETY: the types match zmq.h, whose binary interface the name stands for.
                unsafe {
                    Ok(Self {
                        $($name: *library.get(concat!(stringify!($name), "\0"))?,)*
                        _library: library,
                    })
                }
            }
        }
    };
}

functions! {
    zmq_version(*mut c_int, *mut c_int, *mut c_int) -> ();
    zmq_errno() -> c_int;
    zmq_strerror(c_int) -> *const c_char;
    zmq_has(*const c_char) -> c_int;
    zmq_z85_encode(*mut c_char, *const u8, usize) -> *mut c_char;
    zmq_z85_decode(*mut u8, *const c_char) -> *mut u8;
    zmq_curve_public(*mut c_char, *const c_char) -> c_int;
    zmq_ctx_new() -> *mut c_void;
    zmq_ctx_set(*mut c_void, c_int, c_int) -> c_int;
    zmq_ctx_term(*mut c_void) -> c_int;
    zmq_socket(*mut c_void, c_int) -> *mut c_void;
    zmq_close(*mut c_void) -> c_int;
    zmq_setsockopt(*mut c_void, c_int, *const c_void, usize) -> c_int;
    zmq_getsockopt(*mut c_void, c_int, *mut c_void, *mut usize) -> c_int;
    zmq_bind(*mut c_void, *const c_char) -> c_int;
    zmq_connect(*mut c_void, *const c_char) -> c_int;
    zmq_disconnect(*mut c_void, *const c_char) -> c_int;
    zmq_socket_monitor(*mut c_void, *const c_char, c_int) -> c_int;
    zmq_send(*mut c_void, *const c_void, usize, c_int) -> c_int;
    zmq_msg_init(*mut RawMessage) -> c_int;
    zmq_msg_init_size(*mut RawMessage, usize) -> c_int;
    zmq_msg_copy(*mut RawMessage, *mut RawMessage) -> c_int;
    zmq_msg_send(*mut RawMessage, *mut c_void, c_int) -> c_int;
    zmq_msg_recv(*mut RawMessage, *mut c_void, c_int) -> c_int;
    zmq_msg_close(*mut RawMessage) -> c_int;
    zmq_msg_data(*mut RawMessage) -> *mut c_void;
    zmq_msg_size(*const RawMessage) -> usize;
    zmq_msg_more(*const RawMessage) -> c_int;
}

impl Zmq {
    fn version(&self) -> (c_int, c_int, c_int) {
        let (mut major, mut minor, mut patch) = (0, 0, 0);
        // SAFETY: three numbers to be filled in.
        unsafe { (self.zmq_version)(&raw mut major, &raw mut minor, &raw mut patch) };
        (major, minor, patch)
    }

    /// The number of the error that the last call of this thread left.
    #[inline]
    pub fn errno(&self) -> c_int {
        // SAFETY: no arguments.
        unsafe { (self.zmq_errno)() }
    }

    /// That error with what failed and the library's own words.
    pub fn error(&self, what: &str) -> Error {
        let errno = self.errno();
        // SAFETY: the library answers every number with a constant text.
        let words = unsafe { CStr::from_ptr((self.zmq_strerror)(errno)) }.to_string_lossy();
        let status = match errno {
            ENOMEM | ENFILE | EMFILE => Status::Resources,
            EAGAIN => Status::Timeout,
            _ => Status::Failed,
        };
        status.error(format!("{what}: {words}"))
    }
}

/// The library, opened at the first call and never closed: threads of its own may still be ending.
pub fn zmq() -> Result<&'static Zmq> {
    static ZMQ: OnceLock<std::result::Result<Zmq, String>> = OnceLock::new();
    let open = || {
        let zmq = Zmq::open().map_err(|error| format!("ZeroMQ is missing ({error}); {INSTALL}"))?;
        let (major, minor, patch) = zmq.version();
        if (major, minor) < OLDEST {
            return Err(format!(
                "libzmq {major}.{minor}.{patch} is too old, this adapter needs {}.{}; {INSTALL}",
                OLDEST.0, OLDEST.1
            ));
        }
        Ok(zmq)
    };
    ZMQ.get_or_init(open).as_ref().map_err(|text| Status::Unavailable.error(text.clone()))
}
