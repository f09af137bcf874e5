//! The functions of libmosquitto that are used here, found when they are first needed.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;

use busmark_adapter::{Error, Result, Status};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

/// Its name; the number belongs to its binary interface.
const LIBRARY: &str = "libmosquitto.so.1";
/// The command that installs the library and the broker.
pub const INSTALL: &str = "apt-get install mosquitto libmosquitto1";
/// The oldest library whose clients support `TCP_NODELAY` and connect to Unix-domain sockets.
const OLDEST: (c_int, c_int) = (2, 0);

/// `MOSQ_ERR_SUCCESS`.
pub const SUCCESS: c_int = 0;
/// `MOSQ_ERR_ERRNO`: the reason is in `errno`.
const ERRNO: c_int = 14;
/// `MOSQ_OPT_PROTOCOL_VERSION`.
pub const PROTOCOL_VERSION: c_int = 1;
/// `MQTT_PROTOCOL_V5`.
pub const VERSION_5: c_int = 5;
/// `MOSQ_OPT_TCP_NODELAY`.
pub const TCP_NODELAY: c_int = 11;
/// `MQTT_PROP_RESPONSE_TOPIC`.
pub const RESPONSE_TOPIC: c_int = 8;
/// `MQTT_PROP_CORRELATION_DATA`.
pub const CORRELATION_DATA: c_int = 9;

/// `struct mosquitto`, a client.
#[repr(C)]
pub struct Mosquitto {
    _private: [u8; 0],
}

/// `mosquitto_property`: the first of a list.
#[repr(C)]
pub struct Property {
    _private: [u8; 0],
}

/// `struct mosquitto_message`.
#[repr(C)]
pub struct Message {
    mid: c_int,
    topic: *const c_char,
    payload: *const c_void,
    payload_bytes: c_int,
    qos: c_int,
    retain: bool,
}

impl Message {
    /// Its payload.
    #[inline]
    pub fn payload(&self) -> &[u8] {
        if self.payload.is_null() {
            return &[];
        }
        // SAFETY: the library's pointer and length belong together and live as long as the message.
        unsafe {
            std::slice::from_raw_parts(
                self.payload.cast(),
                self.payload_bytes.unsigned_abs() as usize,
            )
        }
    }

    /// Its topic; empty if it is no UTF-8.
    pub fn topic(&self) -> &str {
        // SAFETY: the library gives a text that lives as long as the message.
        unsafe { CStr::from_ptr(self.topic) }.to_str().unwrap_or_default()
    }

    /// Whether the broker had kept it for whoever subscribes later.
    #[inline]
    pub fn is_retained(&self) -> bool {
        self.retain
    }
}

type Raw = *mut Mosquitto;
/// Called with a code: connection acknowledged, connection ended, publication done.
pub type OnCode = unsafe extern "C" fn(Raw, *mut c_void, c_int);
/// Called with a message.
pub type OnMessage = unsafe extern "C" fn(Raw, *mut c_void, *const Message);
/// Called with a message of MQTT 5 and its properties.
pub type OnMessage5 = unsafe extern "C" fn(Raw, *mut c_void, *const Message, *const Property);
/// Called when a subscription is acknowledged: identifier, count, granted QoS of each.
pub type OnSubscribe = unsafe extern "C" fn(Raw, *mut c_void, c_int, c_int, *const c_int);

/// Asks for the password of the private key: buffer, its size, unused, the client.
pub type OnPassword = unsafe extern "C" fn(*mut c_char, c_int, c_int, *mut c_void) -> c_int;

busmark_server::functions! {
    "mosquitto_";
    lib_version = "lib_version": fn(*mut c_int, *mut c_int, *mut c_int) -> c_int;
    lib_init = "lib_init": fn() -> c_int;
    strerror = "strerror": fn(c_int) -> *const c_char;
    new = "new": fn(*const c_char, bool, *mut c_void) -> Raw;
    destroy = "destroy": fn(Raw);
    int_option = "int_option": fn(Raw, c_int, c_int) -> c_int;
    max_inflight = "max_inflight_messages_set": fn(Raw, u32) -> c_int;
    will_set = "will_set": fn(Raw, *const c_char, c_int, *const c_void, c_int, bool) -> c_int;
    userdata = "userdata": fn(Raw) -> *mut c_void;
    tls_set = "tls_set":
        fn(Raw, *const c_char, *const c_char, *const c_char, *const c_char, Option<OnPassword>) -> c_int;
    tls_opts_set = "tls_opts_set": fn(Raw, c_int, *const c_char, *const c_char) -> c_int;
    tls_insecure_set = "tls_insecure_set": fn(Raw, bool) -> c_int;
    on_connect = "connect_callback_set": fn(Raw, OnCode);
    on_disconnect = "disconnect_callback_set": fn(Raw, OnCode);
    on_publish = "publish_callback_set": fn(Raw, OnCode);
    on_message = "message_callback_set": fn(Raw, OnMessage);
    on_subscribe = "subscribe_callback_set": fn(Raw, OnSubscribe);
    connect_bind = "connect_bind": fn(Raw, *const c_char, c_int, c_int, *const c_char) -> c_int;
    disconnect = "disconnect": fn(Raw) -> c_int;
    subscribe = "subscribe_multiple":
        fn(Raw, *mut c_int, c_int, *const *const c_char, c_int, c_int, *const c_void) -> c_int;
    unsubscribe = "unsubscribe": fn(Raw, *mut c_int, *const c_char) -> c_int;
    publish = "publish":
        fn(Raw, *mut c_int, *const c_char, c_int, *const c_void, c_int, bool) -> c_int;
    on_message_5 = "message_v5_callback_set": fn(Raw, OnMessage5);
    publish_5 = "publish_v5":
        fn(Raw, *mut c_int, *const c_char, c_int, *const c_void, c_int, bool, *const Property) -> c_int;
    add_binary = "property_add_binary": fn(*mut *mut Property, c_int, *const c_void, u16) -> c_int;
    add_string = "property_add_string": fn(*mut *mut Property, c_int, *const c_char) -> c_int;
    read_binary = "property_read_binary":
        fn(*const Property, c_int, *mut *mut c_void, *mut u16, bool) -> *const Property;
    read_string = "property_read_string":
        fn(*const Property, c_int, *mut *mut c_char, bool) -> *const Property;
    properties_free = "property_free_all": fn(*mut *mut Property);
    socket = "socket": fn(Raw) -> c_int;
    want_write = "want_write": fn(Raw) -> bool;
    loop_read = "loop_read": fn(Raw, c_int) -> c_int;
    loop_write = "loop_write": fn(Raw, c_int) -> c_int;
    loop_start = "loop_start": fn(Raw) -> c_int;
    loop_stop = "loop_stop": fn(Raw, bool) -> c_int;
}

impl Api {
    /// Fails with the library's words unless `code` is success.
    pub fn check(&self, code: c_int, what: &str) -> Result<()> {
        if code == SUCCESS {
            return Ok(());
        }
        let words = if code == ERRNO {
            std::io::Error::last_os_error().to_string()
        } else {
            // SAFETY: the library gives a constant text for every number.
            unsafe { CStr::from_ptr((self.strerror)(code)) }.to_string_lossy().into_owned()
        };
        Err(Status::Failed.error(format!("{what}: {words}")))
    }
}

/// The library, which then stays open.
pub fn api() -> Result<&'static Api> {
    static API: OnceLock<Result<Api>> = OnceLock::new();
    API.get_or_init(open).as_ref().map_err(Error::clone)
}

fn open() -> Result<Api> {
    let missing = |why: String| Status::Unavailable.error(format!("{why}; {INSTALL}"));
    // SAFETY: the library's initialisers do nothing but set up its own state.
    let library = unsafe { Library::open(Some(LIBRARY), RTLD_NOW | RTLD_LOCAL) }
        .map_err(|error| missing(error.to_string()))?;
    let api = Api::of(&library).map_err(|error| missing(error.to_string()))?;
    // Its functions are used until the process ends.
    std::mem::forget(library);
    let (mut major, mut minor, mut revision) = (0, 0, 0);
    // SAFETY: pointers to three numbers.
    unsafe { (api.lib_version)(&raw mut major, &raw mut minor, &raw mut revision) };
    if (major, minor) < OLDEST {
        let (oldest, version) = (OLDEST, (major, minor));
        let text = format!(
            "libmosquitto {}.{} is here, {}.{} is needed",
            version.0, version.1, oldest.0, oldest.1
        );
        return Err(missing(text));
    }
    // SAFETY: counted by the library; called before anything else.
    let code = unsafe { (api.lib_init)() };
    api.check(code, "libmosquitto does not start")?;
    Ok(api)
}
