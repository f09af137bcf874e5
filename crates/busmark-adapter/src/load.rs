//! The worker's side of the border: opens adapter libraries.

use std::ffi::{CStr, CString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::abi::{
    AdapterFn, ErrorC, Handle, LOCATOR_BYTES, LastErrorFn, LocatorFn, MESSAGE_BYTES,
    ParticipantConfigC, SYMBOL, SettingC, Table, known,
};
use crate::capabilities::CapabilityReport;
use crate::config::ParticipantConfig;
use crate::error::{Error, Result, Status};
use crate::handles::{ParticipantHandle, ServerHandle};
use crate::host::{Host, LogLine};
use crate::limits;
use crate::security::SecurityTexts;
use crate::strings::owned;

/// Why a library is not a usable adapter.
#[derive(Debug)]
pub enum LoadError {
    /// The system could not load it.
    Open(PathBuf, libloading::Error),
    /// It does not export `busmark_adapter`.
    NotAnAdapter(PathBuf),
    /// Its `busmark_adapter` gives NULL instead of a table.
    NoTable(PathBuf),
    /// Its capabilities are not what the contract allows; the text says which.
    Capabilities(PathBuf, String),
    /// Its table lacks something that every adapter has.
    Incomplete(PathBuf, &'static str),
    /// It speaks another version of the contract.
    WrongVersion {
        /// The library.
        path: PathBuf,
        /// Its `abi_version`.
        abi_version: u32,
        /// Its `struct_size`.
        struct_size: u32,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(path, error) => {
                write!(f, "{}: cannot be loaded: {}", path.display(), words(error))
            }
            Self::NotAnAdapter(path) => write!(
                f,
                "{}: not a Busmark adapter: it does not export busmark_adapter()",
                path.display()
            ),
            Self::NoTable(path) => write!(
                f,
                "{}: not a Busmark adapter: busmark_adapter() gave NULL instead of a table (C1)",
                path.display()
            ),
            Self::Incomplete(path, entry) => write!(
                f,
                "{}: not a usable Busmark adapter: {entry} of its table is NULL, which every adapter \
                 must have",
                path.display()
            ),
            Self::Capabilities(path, fault) => write!(
                f,
                "{}: declares what cannot be: {fault}; correct the adapter's capabilities (C10)",
                path.display()
            ),
            Self::WrongVersion { path, abi_version, struct_size } => write!(
                f,
                "{}: speaks version {abi_version} of the adapter contract (table of {struct_size} \
                 bytes), this worker speaks version {} (at least {} bytes): rebuild the adapter \
                 against this release's abi/busmark_adapter.h",
                path.display(),
                crate::ABI_VERSION,
                Table::MIN_SIZE
            ),
        }
    }
}

impl std::error::Error for LoadError {}

/// The dynamic linker's own words, which `libloading` keeps apart from its own.
fn words(error: &libloading::Error) -> String {
    let told = std::error::Error::source(error);
    told.map_or_else(|| error.to_string(), ToString::to_string)
}

struct Inner {
    /// As the library gave it, with NULL for the entries that it is too old to have (C1).
    table: &'static Table,
    path: PathBuf,
    capabilities: CapabilityReport,
    /// Closed when the last handle is gone.
    _library: libloading::os::unix::Library,
}

// SAFETY: the table is constant data.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

/// An adapter's library, open as long as any handle of it lives.
#[derive(Clone)]
pub struct Library(Arc<Inner>);

impl Library {
    /// Opens the library (`RTLD_NOW | RTLD_LOCAL`) and checks its table (C1).
    /// What it logs goes to standard error.
    pub fn open(path: &Path) -> std::result::Result<Self, LoadError> {
        Self::open_through(path, |table| table)
    }

    /// As [`Library::open`]; calls go through the table that `watch` gives for the library's.
    pub fn open_through(
        path: &Path,
        watch: fn(&'static Table) -> &'static Table,
    ) -> std::result::Result<Self, LoadError> {
        Self::open_watched(path, watch, Box::new(crate::host::to_standard_error))
    }

    /// As [`Library::open`], with a place of the caller's for what the adapter logs (C31).
    pub fn open_with(path: &Path, log: LogLine) -> std::result::Result<Self, LoadError> {
        Self::open_watched(path, |table| table, log)
    }

    fn open_watched(
        path: &Path,
        watch: fn(&'static Table) -> &'static Table,
        log: LogLine,
    ) -> std::result::Result<Self, LoadError> {
        use libloading::os::unix::{Library as Unix, RTLD_LOCAL, RTLD_NOW};
        // A name without a slash, such as "libx.so", would be looked for in the library path.
        let path = &*std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let failed = |error| LoadError::Open(path.to_owned(), error);
        // SAFETY: loading runs the library's initialisers: that is what the user asked for by naming
        // the adapter. The symbol's type is the contract's.
        let (library, table) = unsafe {
            let library = Unix::open(Some(path), RTLD_NOW | RTLD_LOCAL).map_err(failed)?;
            let entry: AdapterFn = *library
                .get::<AdapterFn>(SYMBOL)
                .map_err(|_| LoadError::NotAnAdapter(path.to_owned()))?;
            (library, entry())
        };
        // SAFETY: non-null tables are valid for at least their first two words, whatever the version.
        let head = unsafe { table.cast::<[u32; 2]>().as_ref() };
        let Some(&[abi_version, struct_size]) = head else {
            return Err(LoadError::NoTable(path.to_owned()));
        };
        if abi_version != crate::ABI_VERSION || (struct_size as usize) < Table::MIN_SIZE {
            let path = path.to_owned();
            return Err(LoadError::WrongVersion { path, abi_version, struct_size });
        }
        // SAFETY: the words of a table are pointers, of which NULL is asked for first.
        if let Some(entry) = unsafe { missing(table.cast(), Table::MIN_SIZE) } {
            return Err(LoadError::Incomplete(path.to_owned(), entry));
        }
        // SAFETY: version and size fit, so the table is ours, and what every adapter has is there.
        // One for each opening, and never freed: handles keep references to it.
        let table: &'static Table =
            Box::leak(Box::new(unsafe { known(table, struct_size as usize) }));
        // SAFETY: capabilities are constant data of the library (C10).
        let capabilities = unsafe { CapabilityReport::from_c(table.capabilities) }
            .map_err(|fault| LoadError::Capabilities(path.to_owned(), fault))?;
        let host = Host::new(&capabilities.name, log);
        if let Some(attach) = table.attach {
            // SAFETY: the host's structure lives as long as the process.
            unsafe { attach(host.as_c()) };
        }
        let path = path.to_owned();
        Ok(Self(Arc::new(Inner { table: watch(table), path, capabilities, _library: library })))
    }

    pub(crate) fn table(&self) -> &'static Table {
        self.0.table
    }

    /// Where it was loaded from.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// What it declares.
    pub fn capabilities(&self) -> &CapabilityReport {
        &self.0.capabilities
    }

    /// Whether the middleware can be used here.
    pub fn probe(&self) -> Result<()> {
        // SAFETY: the table is valid while the library is open.
        call(|error| unsafe { (self.0.table.probe)(error) })
    }

    /// A library that knows nothing of security would run unsecured and not say so.
    fn check(&self, config: &ParticipantConfig) -> Result<()> {
        limits::run_dir(&config.run_dir)?;
        let capabilities = self.capabilities();
        match &config.security {
            Some(security) if !capabilities.security.contains(&security.profile) => {
                let (name, profile) = (&capabilities.name, &security.profile);
                let text = format!("{name} has no security profile {profile:?}");
                Err(Status::Unsupported.error(text))
            }
            _ => Ok(()),
        }
    }

    /// Attaches to the middleware.
    pub fn participant(&self, config: &ParticipantConfig) -> Result<ParticipantHandle> {
        self.check(config)?;
        let raw = with_participant(config, |c| {
            // SAFETY: the table is valid; every pointer lives during the call.
            create(|out, error| unsafe { (self.0.table.participant_create)(c, out, error) })
        })?;
        Ok(ParticipantHandle::new(raw, self.clone()))
    }

    /// Starts the server at which participants meet (C29), with its address.
    pub fn server(&self, config: &ParticipantConfig) -> Result<(ServerHandle, String)> {
        let Some(entry) = self.0.table.server_create else {
            return Err(Status::Unsupported.error("this middleware needs no server"));
        };
        self.check(config)?;
        let mut address = [0u8; LOCATOR_BYTES];
        let raw = with_participant(config, |c| {
            // SAFETY: the table is valid; every pointer lives during the call.
            create(|out, error| unsafe {
                entry(c, out, address.as_mut_ptr().cast(), address.len(), error)
            })
        })?;
        let text = CStr::from_bytes_until_nul(&address).unwrap_or_default();
        let server = ServerHandle::new(raw, self.clone());
        Ok((server, text.to_string_lossy().into_owned()))
    }
}

/// Runs `body` with the C structure of a configuration.
fn with_participant<T>(
    config: &ParticipantConfig,
    body: impl FnOnce(*const ParticipantConfigC) -> T,
) -> T {
    let texts: Vec<(CString, CString)> =
        config.settings.iter().map(|(k, v)| (owned(k), owned(v))).collect();
    let end = SettingC { key: std::ptr::null(), value: std::ptr::null() };
    let settings: Vec<SettingC> = texts
        .iter()
        .map(|(k, v)| SettingC { key: k.as_ptr(), value: v.as_ptr() })
        .chain([end])
        .collect();
    let interface_name = owned(&config.interface_name);
    let interface_address = owned(&config.interface_address);
    let transport = owned(&config.transport);
    let profile = owned(&config.profile);
    let run_dir = owned(&config.run_dir);
    let documents = config.security.as_deref().map(SecurityTexts::new);
    let security = documents.as_ref().map(SecurityTexts::to_c);
    let c = ParticipantConfigC {
        struct_size: size_of::<ParticipantConfigC>() as u32,
        domain: config.domain,
        interface_name: interface_name.as_ptr(),
        interface_address: interface_address.as_ptr(),
        transport: transport.as_ptr(),
        profile: profile.as_ptr(),
        run_dir: run_dir.as_ptr(),
        settings: settings.as_ptr(),
        security: security.as_ref().map_or(std::ptr::null(), std::ptr::from_ref),
    };
    body(&raw const c)
}

/// Calls `body` with an empty error and turns its outcome into a `Result`.
pub(crate) fn call(body: impl FnOnce(*mut ErrorC) -> u32) -> Result<()> {
    let mut error =
        ErrorC { struct_size: size_of::<ErrorC>() as u32, status: 0, message: [0; MESSAGE_BYTES] };
    Status::from_c(body(&raw mut error)).map_err(|status| {
        let text = CStr::from_bytes_until_nul(&error.message).unwrap_or_default();
        let given = text.to_string_lossy();
        let message = if given.is_empty() { "the adapter gave no reason" } else { &*given };
        status.error(message)
    })
}

/// As [`call`], for an entry that an adapter may do without.
pub(crate) fn call_entry<F>(
    entry: Option<F>,
    body: impl FnOnce(F, *mut ErrorC) -> u32,
) -> Result<()> {
    let Some(entry) = entry else {
        return Err(Status::Unsupported.error("this adapter has no such function"));
    };
    call(|error| body(entry, error))
}

/// The locator of an endpoint (C25, C36).
pub(crate) fn locator(
    entry: Option<LocatorFn>,
    endpoint: Handle,
) -> std::result::Result<String, Status> {
    let mut text = [0_u8; LOCATOR_BYTES];
    // SAFETY: the endpoint is alive, the buffer has the length given.
    Status::of_entry(entry, |locator| unsafe {
        locator(endpoint, text.as_mut_ptr().cast(), text.len())
    })?;
    let text = CStr::from_bytes_until_nul(&text).unwrap_or_default();
    Ok(text.to_string_lossy().into_owned())
}

/// The words on the last failure of an endpoint's hot path (C32).
pub(crate) fn last_error(entry: Option<LastErrorFn>, endpoint: Handle) -> Option<Error> {
    let entry = entry?;
    let mut error =
        ErrorC { struct_size: size_of::<ErrorC>() as u32, status: 0, message: [0; MESSAGE_BYTES] };
    // SAFETY: the endpoint is alive; the error is as large as it says.
    Status::from_c(unsafe { entry(endpoint, &raw mut error) }).ok()?;
    let text = CStr::from_bytes_until_nul(&error.message).ok()?.to_string_lossy();
    let status = Status::from_c(error.status).err()?;
    (!text.is_empty()).then(|| status.error(text))
}

/// The first entry that every adapter has and this table has not. Read as words, for a function
/// pointer must not be NULL.
unsafe fn missing(table: *const u8, size: usize) -> Option<&'static str> {
    macro_rules! entries {
        ($($entry:ident)*) => { [$((stringify!($entry), std::mem::offset_of!(Table, $entry)),)*] };
    }
    let entries = entries!(
        capabilities probe participant_create participant_destroy writer_create writer_destroy
        reader_create reader_destroy sample_create sample_destroy write take
    );
    // SAFETY: the table has `size` bytes (caller); bytes need no alignment.
    let is_null = |at: usize| unsafe { table.add(at).cast::<[u8; 8]>().read() == [0; 8] };
    entries.into_iter().find(|(_, at)| at + 8 <= size && is_null(*at)).map(|(name, _)| name)
}

/// As [`call`], for a function that gives a handle.
pub(crate) fn create(body: impl FnOnce(*mut Handle, *mut ErrorC) -> u32) -> Result<Handle> {
    let mut out: Handle = std::ptr::null_mut();
    call(|error| body(&raw mut out, error))?;
    if out.is_null() {
        return Err(Status::Failed.error("the adapter reported success but gave no handle"));
    }
    Ok(out)
}
