//! `abi/busmark_adapter.h`, declaration by declaration. The header explains; this file only mirrors.
//! A test compares sizes and offsets with the header as a C compiler sees it.

use std::ffi::{c_char, c_void};

pub use crate::qos::QosC;

/// Bytes of an error message, with its final zero.
pub const MESSAGE_BYTES: usize = 512;
/// A counter that the middleware does not keep.
pub const ABSENT: u64 = u64::MAX;
/// Bytes of a locator or an address, with its final zero.
pub const LOCATOR_BYTES: usize = 1024;
/// Bytes of the longest topic.
pub const TOPIC_BYTES: usize = 200;
/// Bytes of the longest run directory.
pub const RUN_DIR_BYTES: usize = 80;
/// Name of the one exported symbol.
pub const SYMBOL: &[u8] = b"busmark_adapter\0";

/// `busmark_header_t`: the fixed header of every sample, 64 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Cookie of the run; a sample with another cookie is foreign traffic.
    pub cookie: u64,
    /// Per writer, from 0, without gaps.
    pub seq: u64,
    /// When the sample should have been sent (open loop).
    pub intended_ns: i64,
    /// T1: just before write.
    pub sent_ns: i64,
    /// In a pong: T1 of its ping; else 0.
    pub echo_sent_ns: i64,
    /// In a pong: T3 of its ping at the responder; else 0.
    pub echo_delivered_ns: i64,
    /// In a pong: T4 of its ping at the responder; else 0.
    pub echo_read_ns: i64,
    /// Unique within the run.
    pub writer_id: u32,
    /// Bits of `busmark_flag_e`.
    pub flags: u32,
}

impl Header {
    /// Length in bytes on every border.
    pub const BYTES: usize = size_of::<Self>();
    /// Sent before the measurement began.
    pub const WARMUP: u32 = 1;
    /// A latency probe within a throughput stream; it is echoed.
    pub const PROBE: u32 = 2;
    /// The writer's last sample.
    pub const LAST: u32 = 4;
    /// The body follows the content pattern and may be verified.
    pub const CHECKED: u32 = 8;
    /// Announces a batch, or with `LAST` its end; it is answered and not counted.
    pub const CONTROL: u32 = 16;
    /// With `CONTROL`: the batch begins.
    pub const START: u32 = 32;
    /// With `CONTROL`: sent before, and not acknowledged in time.
    pub const RESENT: u32 = 64;
    /// A sample of a batch that is acknowledged by itself.
    pub const ANSWER: u32 = 128;

    /// Flags of the answer to this sample: its own, and above them whom it answers.
    pub fn answer_flags(&self) -> u32 {
        self.flags & 0xffff | self.writer_id << 16
    }

    /// In an answer: the writer that it answers.
    pub fn answers(&self) -> u32 {
        self.flags >> 16
    }

    /// The header as it lies in memory, for middleware without types.
    pub fn as_bytes(&self) -> &[u8; Self::BYTES] {
        // SAFETY: repr(C), 64 bytes, no padding, every bit pattern of the fields is initialised.
        unsafe { &*std::ptr::from_ref(self).cast() }
    }

    /// The header at the start of `bytes`; `None` if there are fewer than [`Header::BYTES`].
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.len() < Self::BYTES {
            return None;
        }
        // SAFETY: the length was checked, the type is plain integers, the read is unaligned.
        Some(unsafe { bytes.as_ptr().cast::<Self>().read_unaligned() })
    }
}

/// `busmark_struct_t`: one element of the struct payload, 16 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Struct {
    /// The IDL member `number`.
    pub number: i32,
    /// The IDL member `text`.
    pub text: [u8; 8],
    /// The IDL member `real`.
    pub real: f32,
}

#[repr(C)]
#[allow(missing_docs)]
pub struct ErrorC {
    pub struct_size: u32,
    pub status: u32,
    pub message: [u8; MESSAGE_BYTES],
}

#[repr(C)]
#[allow(missing_docs)]
pub struct OptionC {
    pub key: *const c_char,
    pub value: *const c_char,
    pub doc: *const c_char,
}

#[repr(C)]
#[allow(missing_docs)]
pub struct CapabilitiesC {
    pub struct_size: u32,
    pub waits: u32,
    pub reach: u32,
    pub payloads: u32,
    pub qos: u32,
    pub qos_mutable: u32,
    pub features: u64,
    pub max_body_bytes: u64,
    pub name: *const c_char,
    pub title: *const c_char,
    pub version: *const c_char,
    pub middleware_version: *const c_char,
    pub licence: *const c_char,
    pub cost: *const c_char,
    pub install: *const c_char,
    pub transports: *const *const c_char,
    pub options: *const OptionC,
    pub user_type: *const c_char,
    pub disclosures: u64,
    pub carriers: *const u32,
    pub security: *const *const c_char,
    pub tuned: *const c_char,
    pub stored_samples: u64,
    pub stored_bytes: u64,
    pub service_waits: u32,
    pub service_qos: u32,
    pub service_requests: u32,
    pub service_clients: u32,
}

#[repr(C)]
#[allow(missing_docs)]
pub struct SettingC {
    pub key: *const c_char,
    pub value: *const c_char,
}

#[repr(C)]
#[allow(missing_docs)]
pub struct SecurityC {
    pub struct_size: u32,
    pub reserved: u32,
    pub profile: *const c_char,
    pub identity_ca: *const c_char,
    pub certificate: *const c_char,
    pub private_key: *const c_char,
    pub password: *const c_char,
    pub permissions_ca: *const c_char,
    pub governance: *const c_char,
    pub permissions: *const c_char,
}

#[repr(C)]
#[allow(missing_docs)]
pub struct ParticipantConfigC {
    pub struct_size: u32,
    pub domain: u32,
    pub interface_name: *const c_char,
    pub interface_address: *const c_char,
    pub transport: *const c_char,
    pub profile: *const c_char,
    pub run_dir: *const c_char,
    pub settings: *const SettingC,
    pub security: *const SecurityC,
}

#[repr(C)]
#[allow(missing_docs)]
pub struct EndpointConfigC {
    pub struct_size: u32,
    pub payload: u32,
    pub wait: u32,
    pub reserved: u32,
    pub max_body_bytes: u64,
    pub topic: *const c_char,
    pub qos: *const QosC,
    pub instances: u32,
    pub filter_below: u32,
}

#[repr(C)]
#[allow(missing_docs)]
pub struct ReceivedC {
    pub struct_size: u32,
    pub reserved: u32,
    pub header: *const Header,
    pub body: *const c_void,
    pub body_bytes: u64,
    pub source_ns: i64,
    pub reception_ns: i64,
    pub request: u64,
}

#[allow(missing_docs)]
pub type SinkFn = unsafe extern "C" fn(*mut c_void, *const ReceivedC);
#[allow(missing_docs)]
pub type OnDataFn = unsafe extern "C" fn(*mut c_void);

#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_docs)]
pub struct ListenerC {
    pub struct_size: u32,
    pub reserved: u32,
    pub on_data: OnDataFn,
    pub context: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_docs)]
pub struct CountersC {
    pub struct_size: u32,
    pub reserved: u32,
    pub lost: u64,
    pub rejected: u64,
    pub deadline_missed: u64,
    pub retransmitted: u64,
    pub injected_drops: u64,
    pub injected_duplicates: u64,
    pub injected_reorders: u64,
    pub injected_corruptions: u64,
    pub injected_delays: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct MatchC {
    pub struct_size: u32,
    pub count: u32,
    pub changed_ns: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_docs)]
pub struct EntityC {
    pub struct_size: u32,
    pub kind: u32,
    pub own: u32,
    pub vendor: u32,
    pub key: *const c_char,
    pub participant: *const c_char,
    pub name: *const c_char,
    pub host: *const c_char,
    pub process: *const c_char,
    pub topic: *const c_char,
    pub type_name: *const c_char,
    pub qos: *const QosC,
    pub more: *const c_char,
}

#[allow(missing_docs)]
pub type EntityFn = unsafe extern "C" fn(*mut c_void, *const EntityC);

#[allow(missing_docs)]
pub type LogFn = unsafe extern "C" fn(*mut c_void, u32, *const c_char);

#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_docs)]
pub struct HostC {
    pub struct_size: u32,
    pub abi_version: u32,
    pub table_bytes: u64,
    pub name: *const c_char,
    pub log: Option<LogFn>,
    pub context: *mut c_void,
}

/// What of a structure the other side's `size` covers; zeros for the rest (C2).
///
/// # Safety
/// `from` is valid for `size` bytes, and zeros are valid for the fields of `T` that come after the first
/// release's.
#[inline]
pub unsafe fn known<T>(from: *const T, size: usize) -> T {
    let mut value = std::mem::MaybeUninit::<T>::zeroed();
    // SAFETY: both are valid for the bytes that are copied (caller).
    unsafe {
        let bytes = size.min(size_of::<T>());
        std::ptr::copy_nonoverlapping(from.cast::<u8>(), value.as_mut_ptr().cast(), bytes);
        value.assume_init()
    }
}

/// As [`known`], for a structure that begins with its size.
///
/// # Safety
/// As there.
#[inline]
pub unsafe fn known_by_head<T>(from: *const T) -> T {
    // SAFETY: the structure begins with `struct_size` (C2).
    unsafe { known(from, from.cast::<u32>().read() as usize) }
}

/// Fills in a structure of the caller's, so far as its `struct_size` goes, which stays as it is (C2).
///
/// # Safety
/// `to` begins with `struct_size` and is valid for that many bytes.
pub unsafe fn fill<T>(to: *mut T, value: &T) {
    let head = size_of::<u32>();
    // SAFETY: both are valid for the bytes that are copied (caller).
    unsafe {
        let size = (to.cast::<u32>().read() as usize).min(size_of::<T>());
        let from = std::ptr::from_ref(value).cast::<u8>().add(head);
        std::ptr::copy_nonoverlapping(from, to.cast::<u8>().add(head), size.saturating_sub(head));
    }
}

/// An owning handle of the C side.
pub type Handle = *mut c_void;
type Err = *mut ErrorC;

/// `busmark_adapter_t`.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_docs)]
pub struct Table {
    pub abi_version: u32,
    pub struct_size: u32,
    pub capabilities: *const CapabilitiesC,
    pub probe: unsafe extern "C" fn(Err) -> u32,
    pub participant_create:
        unsafe extern "C" fn(*const ParticipantConfigC, *mut Handle, Err) -> u32,
    pub participant_destroy: unsafe extern "C" fn(Handle),
    pub writer_create:
        unsafe extern "C" fn(Handle, *const EndpointConfigC, *mut Handle, Err) -> u32,
    pub writer_destroy: unsafe extern "C" fn(Handle),
    pub reader_create: unsafe extern "C" fn(
        Handle,
        *const EndpointConfigC,
        *const ListenerC,
        *mut Handle,
        Err,
    ) -> u32,
    pub reader_destroy: unsafe extern "C" fn(Handle),
    pub sample_create: unsafe extern "C" fn(Handle, *const c_void, u64, *mut Handle, Err) -> u32,
    pub sample_destroy: unsafe extern "C" fn(Handle, Handle),
    pub write: unsafe extern "C" fn(Handle, Handle, *const Header) -> u32,
    pub flush: Option<unsafe extern "C" fn(Handle) -> u32>,
    pub take: TakeFn,
    pub wait: Option<unsafe extern "C" fn(Handle, i64) -> u32>,
    pub writer_matched: Option<MatchedFn>,
    pub reader_matched: Option<MatchedFn>,
    pub reader_locator: Option<LocatorFn>,
    pub writer_connect: Option<ConnectFn>,
    pub writer_set_qos: Option<SetQosFn>,
    pub reader_set_qos: Option<SetQosFn>,
    pub writer_counters: Option<CountersFn>,
    pub reader_counters: Option<CountersFn>,
    pub server_create: Option<ServerCreateFn>,
    pub server_destroy: Option<unsafe extern "C" fn(Handle)>,
    pub attach: Option<unsafe extern "C" fn(*const HostC)>,
    pub writer_last_error: Option<LastErrorFn>,
    pub reader_last_error: Option<LastErrorFn>,
    pub writer_match: Option<MatchFn>,
    pub reader_match: Option<MatchFn>,
    pub write_many: Option<WriteManyFn>,
    pub loan: Option<unsafe extern "C" fn(Handle, u64, *mut *mut c_void) -> u32>,
    pub publish: Option<unsafe extern "C" fn(Handle, *const Header) -> u32>,
    pub writer_locator: Option<LocatorFn>,
    pub reader_connect: Option<ConnectFn>,
    pub entities: Option<EntitiesFn>,
    pub service_create: Option<ServiceCreateFn>,
    pub service_destroy: Option<unsafe extern "C" fn(Handle)>,
    pub service_sample_create:
        Option<unsafe extern "C" fn(Handle, *const c_void, u64, *mut Handle, Err) -> u32>,
    pub service_sample_destroy: Option<unsafe extern "C" fn(Handle, Handle)>,
    pub service_send: Option<ServiceSendFn>,
    pub service_take: Option<TakeFn>,
    pub service_wait: Option<unsafe extern "C" fn(Handle, i64) -> u32>,
    pub service_drop: Option<unsafe extern "C" fn(Handle, u64) -> u32>,
    pub service_match: Option<MatchFn>,
    pub service_last_error: Option<LastErrorFn>,
    pub service_locator: Option<LocatorFn>,
    pub service_connect: Option<ConnectFn>,
}

impl Table {
    /// `BUSMARK_ADAPTER_MIN_SIZE`: what every table of version 1 has.
    pub const MIN_SIZE: usize = std::mem::offset_of!(Self, server_create);
}

/// Type of the entries `take` and `service_take`.
pub type TakeFn = unsafe extern "C" fn(Handle, u32, SinkFn, *mut c_void, *mut u32) -> u32;
/// Type of the entry `service_create`.
pub type ServiceCreateFn =
    unsafe extern "C" fn(Handle, *const EndpointConfigC, u32, *mut Handle, Err) -> u32;
/// Type of the entry `service_send`.
pub type ServiceSendFn = unsafe extern "C" fn(Handle, Handle, *const Header, *mut u64) -> u32;
/// Type of the entry `write_many`.
pub type WriteManyFn =
    unsafe extern "C" fn(Handle, *const Handle, *const Header, u32, *mut u32) -> u32;
/// Type of the entries `reader_locator` and `writer_locator`.
pub type LocatorFn = unsafe extern "C" fn(Handle, *mut c_char, usize) -> u32;
/// Type of the entries `writer_connect` and `reader_connect`.
pub type ConnectFn = unsafe extern "C" fn(Handle, *const c_char, Err) -> u32;
/// Type of the entries `writer_matched` and `reader_matched`.
pub type MatchedFn = unsafe extern "C" fn(Handle, *mut u32) -> u32;
/// Type of the entries `writer_set_qos` and `reader_set_qos`.
pub type SetQosFn = unsafe extern "C" fn(Handle, *const QosC, Err) -> u32;
/// Type of the entries `writer_counters` and `reader_counters`.
pub type CountersFn = unsafe extern "C" fn(Handle, *mut CountersC) -> u32;
/// Type of the entries `writer_last_error` and `reader_last_error`.
pub type LastErrorFn = unsafe extern "C" fn(Handle, Err) -> u32;
/// Type of the entries `writer_match` and `reader_match`.
pub type MatchFn = unsafe extern "C" fn(Handle, *mut MatchC) -> u32;

/// Type of the entry `entities`.
pub type EntitiesFn = unsafe extern "C" fn(Handle, EntityFn, *mut c_void, Err) -> u32;

/// Type of the entry `server_create`.
pub type ServerCreateFn =
    unsafe extern "C" fn(*const ParticipantConfigC, *mut Handle, *mut c_char, usize, Err) -> u32;

/// Type of the exported function.
pub type AdapterFn = unsafe extern "C" fn() -> *const Table;

// SAFETY: the tables and capabilities are constant data that live until the library is closed (C1).
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}
