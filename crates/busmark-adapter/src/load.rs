//! The worker's side of the border: opens adapter libraries.

use std::ffi::{CStr, CString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::abi::{
    AdapterFn, ErrorC, Handle, MESSAGE_BYTES, ParticipantConfigC, SYMBOL, SettingC, Table,
};
use crate::capabilities::CapabilityReport;
use crate::config::ParticipantConfig;
use crate::error::{Result, Status};
use crate::handles::{ParticipantHandle, ServerHandle};
use crate::strings::owned;

/// Why a library is not a usable adapter.
#[derive(Debug)]
pub enum LoadError {
    /// The system could not load it.
    Open(PathBuf, libloading::Error),
    /// It does not export `busmark_adapter`.
    NotAnAdapter(PathBuf),
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
            Self::Open(path, error) => write!(f, "{}: cannot be loaded: {error}", path.display()),
            Self::NotAnAdapter(path) => write!(
                f,
                "{}: not a Busmark adapter: it does not export busmark_adapter()",
                path.display()
            ),
            Self::WrongVersion { path, abi_version, struct_size } => write!(
                f,
                "{}: speaks version {abi_version} of the adapter contract (table of {struct_size} \
                 bytes), this worker speaks version {} (at least {} bytes): rebuild the adapter \
                 against this release's abi/busmark_adapter.h",
                path.display(),
                crate::ABI_VERSION,
                size_of::<Table>()
            ),
        }
    }
}

impl std::error::Error for LoadError {}

struct Inner {
    table: &'static Table,
    path: PathBuf,
    capabilities: CapabilityReport,
    /// Closed when the last handle is gone.
    library: libloading::os::unix::Library,
}

/// An adapter's library, open as long as any handle of it lives.
#[derive(Clone)]
pub struct Library(Arc<Inner>);

impl Library {
    /// Opens the library (`RTLD_NOW | RTLD_LOCAL`) and checks its table (C1).
    pub fn open(path: &Path) -> std::result::Result<Self, LoadError> {
        use libloading::os::unix::{Library as Unix, RTLD_LOCAL, RTLD_NOW};
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
            return Err(LoadError::NotAnAdapter(path.to_owned()));
        };
        if abi_version != crate::ABI_VERSION || (struct_size as usize) < size_of::<Table>() {
            let path = path.to_owned();
            return Err(LoadError::WrongVersion { path, abi_version, struct_size });
        }
        // SAFETY: version and size fit, so the table is ours; it lives until the library is closed.
        let table = unsafe { &*table };
        // SAFETY: capabilities are constant data of the library (C10).
        let capabilities = unsafe { CapabilityReport::from_c(table.capabilities) };
        let path = path.to_owned();
        Ok(Self(Arc::new(Inner { table, path, capabilities, library })))
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

    /// Whether two calls of the exported function give this same table (C1).
    pub fn table_is_stable(&self) -> bool {
        // SAFETY: as in `open`.
        unsafe {
            self.0
                .library
                .get::<AdapterFn>(SYMBOL)
                .is_ok_and(|entry| std::ptr::eq(entry(), self.0.table))
        }
    }

    /// Attaches to the middleware.
    pub fn participant(&self, config: &ParticipantConfig) -> Result<ParticipantHandle> {
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
        let mut address = [0u8; 256];
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
    let c = ParticipantConfigC {
        struct_size: size_of::<ParticipantConfigC>() as u32,
        domain: config.domain,
        interface_name: interface_name.as_ptr(),
        interface_address: interface_address.as_ptr(),
        transport: transport.as_ptr(),
        profile: profile.as_ptr(),
        run_dir: run_dir.as_ptr(),
        settings: settings.as_ptr(),
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

/// As [`call`], for a function that gives a handle.
pub(crate) fn create(body: impl FnOnce(*mut Handle, *mut ErrorC) -> u32) -> Result<Handle> {
    let mut out: Handle = std::ptr::null_mut();
    call(|error| body(&raw mut out, error))?;
    if out.is_null() {
        return Err(Status::Failed.error("the adapter reported success but gave no handle"));
    }
    Ok(out)
}
