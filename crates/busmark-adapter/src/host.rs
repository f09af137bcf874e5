//! The host from both sides (C31): what the worker hands to an adapter, and how an adapter logs.

use std::ffi::{CStr, CString, c_char, c_void};
use std::io::Write as _;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::abi::{HostC, LogFn, Table, known_by_head};
use crate::strings::{owned, read};

/// `busmark_log_level_e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Level {
    /// Something failed.
    Error = 0,
    /// Something may be wrong.
    Warning = 1,
    /// Good to know.
    Info = 2,
}

impl Level {
    fn from_c(value: u32) -> Self {
        match value {
            0 => Self::Error,
            1 => Self::Warning,
            _ => Self::Info,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

/// Takes a line of an adapter's log: its name, the level, the text.
pub type LogLine = Box<dyn Fn(&str, Level, &str) + Send + Sync>;

/// "cyclonedds: warning: …"; not `eprintln!`, which panics where standard error is closed.
pub(crate) fn to_standard_error(adapter: &str, level: Level, text: &str) {
    let _ = writeln!(std::io::stderr(), "{adapter}: {}: {text}", level.word());
}

/// What an adapter may call as long as it is loaded.
pub(crate) struct Host {
    c: HostC,
    _name: CString,
    adapter: String,
    log: LogLine,
}

impl Host {
    /// Never freed: one library may be opened twice, and its adapter keeps the host that came last.
    pub(crate) fn new(adapter: &str, log: LogLine) -> &'static Self {
        let name = owned(concat!("busmark ", env!("CARGO_PKG_VERSION")));
        let c = HostC {
            struct_size: size_of::<HostC>() as u32,
            abi_version: crate::ABI_VERSION,
            table_bytes: size_of::<Table>() as u64,
            name: name.as_ptr(),
            log: Some(take_line as LogFn),
            context: std::ptr::null_mut(),
        };
        let mut host = Box::new(Self { c, _name: name, adapter: adapter.to_owned(), log });
        host.c.context = std::ptr::from_ref(&*host).cast_mut().cast();
        Box::leak(host)
    }

    pub(crate) fn as_c(&self) -> *const HostC {
        &raw const self.c
    }
}

/// Longer lines are cut: a log is for people.
const LINE_BYTES: usize = 4096;

unsafe extern "C" fn take_line(context: *mut c_void, level: u32, text: *const c_char) {
    if text.is_null() {
        return;
    }
    // SAFETY: the context is the host that came with this function and is never freed;
    // the text ends with a zero (contract).
    let (host, text) = unsafe { (&*context.cast::<Host>(), CStr::from_ptr(text)) };
    let bytes = text.to_bytes();
    let line = String::from_utf8_lossy(&bytes[..bytes.len().min(LINE_BYTES)]);
    // Control characters would reach a terminal.
    let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    (host.log)(&host.adapter, Level::from_c(level), line.trim_end());
}

/// The host of this library, an adapter; NULL before it has attached.
static HOST: AtomicPtr<HostC> = AtomicPtr::new(std::ptr::null_mut());

pub(crate) unsafe extern "C" fn attach(host: *const HostC) {
    HOST.store(host.cast_mut(), Ordering::Release);
}

/// Logs a line of the middleware or the adapter `name` with the host (C31); to standard error where
/// the host takes none. Not for the hot path.
pub fn log(name: &str, level: Level, text: &str) {
    let host = HOST.load(Ordering::Acquire);
    // SAFETY: the host's structure is never freed; it is as long as it says.
    let host = (!host.is_null()).then(|| unsafe { known_by_head(host.cast_const()) });
    match host.and_then(|host| host.log.map(|log| (log, host.context))) {
        Some((log, context)) => {
            let text = owned(text);
            // SAFETY: function and context came together.
            unsafe { log(context, level as u32, text.as_ptr()) }
        }
        None => to_standard_error(name, level, text),
    }
}

/// The name of the host, such as "busmark 0.1.0"; `None` before it has attached.
pub fn host_name() -> Option<String> {
    let host = HOST.load(Ordering::Acquire);
    // SAFETY: as in `log`.
    (!host.is_null()).then(|| unsafe { read(known_by_head(host.cast_const()).name) })
}
