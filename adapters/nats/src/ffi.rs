//! The functions of NATS' C client that are used here, found when they are first needed.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{Mutex, OnceLock, PoisonError};

use busmark_adapter::{Error, Result, Status};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

/// Its names: Debian 12 has the first. What is used of it is the same in all of version 3.
const LIBRARIES: [&str; 6] = [
    "libnats.so.3.4",
    "libnats.so.3.7",
    "libnats.so.3.8",
    "libnats.so.3.9",
    "libnats.so.3.10",
    "libnats.so",
];
/// The command that installs the client and the server.
pub const INSTALL: &str = "apt-get install nats-server libnats3.4";

/// `natsStatus`: success.
pub const OK: c_int = 0;
/// `NATS_SLOW_CONSUMER`: messages were dropped since the last call.
pub const SLOW_CONSUMER: c_int = 20;
/// `NATS_TIMEOUT`.
pub const TIMEOUT: c_int = 26;
/// `NATS_NO_RESPONDERS`: in place of an answer, the server's word that nobody had subscribed.
pub const NO_RESPONDERS: c_int = 34;
/// Milliseconds that the library may take to end its threads.
const CLOSE_MS: i64 = 5000;

macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $($(#[$doc])*
        #[repr(C)]
        pub struct $name {
            _private: [u8; 0],
        })*
    };
}

opaque! {
    /// `natsOptions`.
    Options;
    /// `natsConnection`.
    Connection;
    /// `natsSubscription`.
    Subscription;
    /// `natsMsg`.
    Message;
}

/// Called with a message, which the callee destroys.
pub type OnMessage =
    unsafe extern "C" fn(*mut Connection, *mut Subscription, *mut Message, *mut c_void);
/// Called with what went wrong outside of a call.
pub type OnError = unsafe extern "C" fn(*mut Connection, *mut Subscription, c_int, *mut c_void);
/// Called when no further message will come.
pub type OnComplete = unsafe extern "C" fn(*mut c_void);

busmark_server::functions! {
    "";
    open = "nats_Open": fn(i64) -> c_int;
    close_and_wait = "nats_CloseAndWait": fn(i64) -> c_int;
    text = "natsStatus_GetText": fn(c_int) -> *const c_char;
    last_error = "nats_GetLastError": fn(*mut c_int) -> *const c_char;
    options_create = "natsOptions_Create": fn(*mut *mut Options) -> c_int;
    options_destroy = "natsOptions_Destroy": fn(*mut Options);
    set_url = "natsOptions_SetURL": fn(*mut Options, *const c_char) -> c_int;
    set_timeout = "natsOptions_SetTimeout": fn(*mut Options, i64) -> c_int;
    set_allow_reconnect = "natsOptions_SetAllowReconnect": fn(*mut Options, bool) -> c_int;
    set_send_asap = "natsOptions_SetSendAsap": fn(*mut Options, bool) -> c_int;
    set_write_deadline = "natsOptions_SetWriteDeadline": fn(*mut Options, i64) -> c_int;
    connect = "natsConnection_Connect": fn(*mut *mut Connection, *mut Options) -> c_int;
    set_error_handler = "natsOptions_SetErrorHandler":
        fn(*mut Options, OnError, *mut c_void) -> c_int;
    set_secure = "natsOptions_SetSecure": fn(*mut Options, bool) -> c_int;
    set_trusted = "natsOptions_LoadCATrustedCertificates": fn(*mut Options, *const c_char) -> c_int;
    set_identity = "natsOptions_SetCertificatesChain":
        fn(*mut Options, *const c_char, *const c_char) -> c_int;
    set_expected_name = "natsOptions_SetExpectedHostname":
        fn(*mut Options, *const c_char) -> c_int;
    set_old_ciphers = "natsOptions_SetCiphers": fn(*mut Options, *const c_char) -> c_int;
    close = "natsConnection_Close": fn(*mut Connection);
    destroy = "natsConnection_Destroy": fn(*mut Connection);
    max_payload = "natsConnection_GetMaxPayload": fn(*mut Connection) -> i64;
    publish = "natsConnection_Publish":
        fn(*mut Connection, *const c_char, *const c_void, c_int) -> c_int;
    publish_request = "natsConnection_PublishRequest":
        fn(*mut Connection, *const c_char, *const c_char, *const c_void, c_int) -> c_int;
    inbox_create = "natsInbox_Create": fn(*mut *mut c_char) -> c_int;
    inbox_destroy = "natsInbox_Destroy": fn(*mut c_char);
    flush = "natsConnection_FlushTimeout": fn(*mut Connection, i64) -> c_int;
    subscribe = "natsConnection_Subscribe":
        fn(*mut *mut Subscription, *mut Connection, *const c_char, OnMessage, *mut c_void) -> c_int;
    subscribe_sync = "natsConnection_SubscribeSync":
        fn(*mut *mut Subscription, *mut Connection, *const c_char) -> c_int;
    on_complete = "natsSubscription_SetOnCompleteCB":
        fn(*mut Subscription, OnComplete, *mut c_void) -> c_int;
    next = "natsSubscription_NextMsg": fn(*mut *mut Message, *mut Subscription, i64) -> c_int;
    dropped = "natsSubscription_GetDropped": fn(*mut Subscription, *mut i64) -> c_int;
    unsubscribe = "natsSubscription_Unsubscribe": fn(*mut Subscription) -> c_int;
    subscription_destroy = "natsSubscription_Destroy": fn(*mut Subscription);
    data = "natsMsg_GetData": fn(*const Message) -> *const c_char;
    data_bytes = "natsMsg_GetDataLength": fn(*const Message) -> c_int;
    subject = "natsMsg_GetSubject": fn(*const Message) -> *const c_char;
    reply = "natsMsg_GetReply": fn(*const Message) -> *const c_char;
    message_destroy = "natsMsg_Destroy": fn(*mut Message);
}

impl Api {
    /// Fails with the library's words unless `code` is success.
    pub fn check(&self, code: c_int, what: &str) -> Result<()> {
        if code == OK {
            return Ok(());
        }
        let mut last = OK;
        // SAFETY: the library gives texts that live until this thread's next call.
        let words = unsafe {
            let detail = (self.last_error)(&raw mut last);
            let text = (self.text)(code);
            let text = if detail.is_null() || last != code { text } else { detail };
            CStr::from_ptr(text).to_string_lossy().into_owned()
        };
        Err(Status::Failed.error(format!("{what}: {words}")))
    }
}

/// The library, which then stays mapped.
pub fn api() -> Result<&'static Api> {
    static API: OnceLock<Result<Api>> = OnceLock::new();
    API.get_or_init(load).as_ref().map_err(Error::clone)
}

fn load() -> Result<Api> {
    let mut reasons = Vec::new();
    for name in LIBRARIES {
        // SAFETY: the library's initialisers do nothing but set up its own state.
        let api = unsafe { Library::open(Some(name), RTLD_NOW | RTLD_LOCAL) }.and_then(|library| {
            let api = Api::of(&library)?;
            // Its functions are used until the process ends.
            std::mem::forget(library);
            Ok(api)
        });
        match api {
            Ok(api) => return Ok(api),
            Err(error) => reasons.push(error.to_string()),
        }
    }
    Err(Status::Unavailable.error(format!("{}; {INSTALL}", reasons[0])))
}

/// The library's own threads, which are there as long as somebody has one of these.
pub struct Running(&'static Api);

static USERS: Mutex<usize> = Mutex::new(0);

impl Running {
    /// Starts them, if nobody has.
    pub fn new() -> Result<Self> {
        let api = api()?;
        let mut users = USERS.lock().unwrap_or_else(PoisonError::into_inner);
        if *users == 0 {
            // SAFETY: not at the same time as the closing call, by the lock. -1: the library's own
            // number of spins.
            let code = unsafe { (api.open)(-1) };
            api.check(code, "the NATS client does not start")?;
        }
        *users += 1;
        Ok(Self(api))
    }

    /// The functions.
    #[inline]
    pub fn api(&self) -> &'static Api {
        self.0
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut users = USERS.lock().unwrap_or_else(PoisonError::into_inner);
        *users -= 1;
        if *users == 0 {
            // SAFETY: no object of the library is left, and this is none of its threads.
            unsafe { (self.0.close_and_wait)(CLOSE_MS) };
        }
    }
}
