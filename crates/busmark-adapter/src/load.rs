//! The worker's side of the border: opens adapter libraries and drives their tables.

use std::ffi::{CStr, CString, c_char, c_void};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::Duration;

use crate::abi::{
    AdapterFn, CountersC, EndpointConfigC, ErrorC, Handle, Header, ListenerC, MESSAGE_BYTES,
    ParticipantConfigC, ReceivedC, SYMBOL, SettingC, SinkFn, Table,
};
use crate::capabilities::CapabilityReport;
use crate::config::{Counters, EndpointConfig, ParticipantConfig, Qos};
use crate::error::{Result, Status};
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
        let capabilities = unsafe { CapabilityReport::from_c(&*table.capabilities) };
        let path = path.to_owned();
        Ok(Self(Arc::new(Inner { table, path, capabilities, library })))
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
        // SAFETY: the table is valid; every pointer lives during the call.
        let raw = create(|out, error| unsafe {
            (self.0.table.participant_create)(&raw const c, out, error)
        })?;
        Ok(ParticipantHandle(Arc::new(ParticipantInner { raw, library: self.clone() })))
    }
}

/// Calls `body` with an empty error and turns its outcome into a `Result`.
fn call(body: impl FnOnce(*mut ErrorC) -> u32) -> Result<()> {
    let mut error =
        ErrorC { struct_size: size_of::<ErrorC>() as u32, status: 0, message: [0; MESSAGE_BYTES] };
    Status::from_c(body(&raw mut error)).map_err(|status| {
        let text = CStr::from_bytes_until_nul(&error.message).unwrap_or_default();
        let given = text.to_string_lossy();
        let message = if given.is_empty() { "the adapter gave no reason" } else { &*given };
        status.error(message)
    })
}

fn create(body: impl FnOnce(*mut Handle, *mut ErrorC) -> u32) -> Result<Handle> {
    let mut out: Handle = std::ptr::null_mut();
    call(|error| body(&raw mut out, error))?;
    if out.is_null() {
        return Err(Status::Failed.error("the adapter reported success but gave no handle"));
    }
    Ok(out)
}

struct ParticipantInner {
    raw: Handle,
    library: Library,
}

// SAFETY: different endpoints of a participant may be used from different threads (C17).
unsafe impl Send for ParticipantInner {}
// SAFETY: as above.
unsafe impl Sync for ParticipantInner {}

impl Drop for ParticipantInner {
    fn drop(&mut self) {
        // SAFETY: endpoints hold this participant, so they are gone (C15).
        unsafe { (self.library.0.table.participant_destroy)(self.raw) }
    }
}

/// An attachment to the middleware.
#[derive(Clone)]
pub struct ParticipantHandle(Arc<ParticipantInner>);

impl ParticipantHandle {
    fn table(&self) -> &'static Table {
        self.0.library.0.table
    }

    /// The adapter it belongs to.
    pub fn library(&self) -> &Library {
        &self.0.library
    }

    /// Makes a writer.
    pub fn writer(&self, config: &EndpointConfig) -> Result<WriterHandle> {
        let raw = with_endpoint(config, |c| {
            // SAFETY: the handle is alive; every pointer lives during the call.
            create(|out, error| unsafe { (self.table().writer_create)(self.0.raw, c, out, error) })
        })?;
        let inner = WriterInner { raw, table: self.table(), _participant: self.clone() };
        Ok(WriterHandle(Arc::new(inner)))
    }

    /// Makes a reader. `on_data` is called as C20 says; it goes with the listener strategy only.
    pub fn reader(
        &self,
        config: &EndpointConfig,
        on_data: Option<Box<dyn OnData>>,
    ) -> Result<ReaderHandle> {
        let context = Box::new(ListenerContext {
            raw: AtomicPtr::new(std::ptr::null_mut()),
            table: self.table(),
            on_data,
        });
        let listener = ListenerC {
            struct_size: size_of::<ListenerC>() as u32,
            reserved: 0,
            on_data: announce,
            context: std::ptr::from_ref(&*context).cast_mut().cast(),
        };
        let listener =
            if context.on_data.is_some() { &raw const listener } else { std::ptr::null() };
        let raw = with_endpoint(config, |c| {
            // SAFETY: the handle is alive; every pointer lives during the call, and the context until
            // the reader is destroyed.
            create(|out, error| unsafe {
                (self.table().reader_create)(self.0.raw, c, listener, out, error)
            })
        })?;
        context.raw.store(raw, Ordering::Release);
        let inner =
            ReaderInner { raw, table: self.table(), _context: context, _participant: self.clone() };
        Ok(ReaderHandle(Arc::new(inner)))
    }
}

fn with_endpoint<T>(config: &EndpointConfig, body: impl FnOnce(*const EndpointConfigC) -> T) -> T {
    let topic = owned(&config.topic);
    let partition = config.qos.partition.as_deref().map(owned);
    let qos = config.qos.to_c(partition.as_deref());
    let c = EndpointConfigC {
        struct_size: size_of::<EndpointConfigC>() as u32,
        payload: config.payload as u32,
        wait: config.wait as u32,
        reserved: 0,
        max_body_bytes: config.max_body_bytes,
        topic: topic.as_ptr(),
        qos: &raw const qos,
    };
    body(&raw const c)
}

struct WriterInner {
    raw: Handle,
    table: &'static Table,
    _participant: ParticipantHandle,
}

// SAFETY: the contract's rules for threads (C17) are kept by the users of this handle in the worker:
// a writer has one thread that writes.
unsafe impl Send for WriterInner {}
// SAFETY: as above.
unsafe impl Sync for WriterInner {}

impl Drop for WriterInner {
    fn drop(&mut self) {
        // SAFETY: samples hold this writer, so they are gone (C15).
        unsafe { (self.table.writer_destroy)(self.raw) }
    }
}

/// Sends samples of one topic.
#[derive(Clone)]
pub struct WriterHandle(Arc<WriterInner>);

impl WriterHandle {
    /// Makes a native sample with this body.
    pub fn sample(&self, body: &[u8]) -> Result<SampleHandle> {
        let data = if body.is_empty() { std::ptr::null() } else { body.as_ptr().cast() };
        // SAFETY: the handle is alive, the body lives during the call.
        let raw = create(|out, error| unsafe {
            (self.0.table.sample_create)(self.0.raw, data, body.len() as u64, out, error)
        })?;
        Ok(SampleHandle { raw, writer: self.clone() })
    }

    /// Writes the sample with this header. Hot.
    #[inline]
    pub fn write(
        &self,
        sample: &mut SampleHandle,
        header: &Header,
    ) -> std::result::Result<(), Status> {
        // SAFETY: both handles are alive and `&mut` keeps the sample to one thread (C17).
        Status::from_c(unsafe { (self.0.table.write)(self.0.raw, sample.raw, header) })
    }

    /// Sends what the middleware holds back.
    pub fn flush(&self) -> std::result::Result<(), Status> {
        // SAFETY: the handle is alive.
        Status::from_c(unsafe { (self.0.table.flush)(self.0.raw) })
    }

    /// Readers that are ready (C24).
    pub fn matched(&self) -> std::result::Result<u32, Status> {
        let mut count = 0;
        // SAFETY: the handle is alive.
        Status::from_c(unsafe { (self.0.table.writer_matched)(self.0.raw, &raw mut count) })?;
        Ok(count)
    }

    /// Connects to a reader by its locator (C25).
    pub fn connect(&self, locator: &str) -> Result<()> {
        let locator = owned(locator);
        // SAFETY: the handle is alive, the text lives during the call.
        call(|error| unsafe { (self.0.table.writer_connect)(self.0.raw, locator.as_ptr(), error) })
    }

    /// Changes QoS while traffic flows (C26).
    pub fn set_qos(&self, qos: &Qos) -> Result<()> {
        let partition = qos.partition.as_deref().map(owned);
        let c = qos.to_c(partition.as_deref());
        // SAFETY: the handle is alive, the QoS lives during the call.
        call(|error| unsafe { (self.0.table.writer_set_qos)(self.0.raw, &raw const c, error) })
    }

    /// The middleware's own counters.
    pub fn counters(&self) -> Counters {
        let mut c = Counters::default().to_c();
        // SAFETY: the handle is alive.
        unsafe { (self.0.table.writer_counters)(self.0.raw, &raw mut c) };
        Counters::from_c(&c)
    }
}

/// A native sample of one writer.
pub struct SampleHandle {
    raw: Handle,
    writer: WriterHandle,
}

// SAFETY: a sample is used by one thread at a time (`&mut` in write).
unsafe impl Send for SampleHandle {}

impl Drop for SampleHandle {
    fn drop(&mut self) {
        // SAFETY: the writer is alive, the sample is given back once.
        unsafe { (self.writer.0.table.sample_destroy)(self.writer.0.raw, self.raw) }
    }
}

/// What the worker does when a reader in listener mode has samples.
pub trait OnData: Send + Sync {
    /// Takes and handles samples until `taker` returns fewer than asked for (C20). Hot.
    fn on_data(&self, taker: &Taker);
}

/// The right to take from a reader, given to [`OnData`].
pub struct Taker {
    raw: Handle,
    table: &'static Table,
}

struct ListenerContext {
    raw: AtomicPtr<c_void>,
    table: &'static Table,
    on_data: Option<Box<dyn OnData>>,
}

unsafe extern "C" fn announce(context: *mut c_void) {
    // SAFETY: the context lives until the reader is destroyed, after which no call comes (C22).
    let context = unsafe { &*context.cast::<ListenerContext>() };
    let mut raw = context.raw.load(Ordering::Acquire);
    while raw.is_null() {
        // Another thread has samples before reader_create returned (C20).
        std::thread::yield_now();
        raw = context.raw.load(Ordering::Acquire);
    }
    if let Some(on_data) = &context.on_data {
        on_data.on_data(&Taker { raw, table: context.table });
    }
}

/// A sample as the sink sees it; borrowed from the middleware.
pub struct Received<'a> {
    /// Its header.
    pub header: &'a Header,
    /// Its body.
    pub body: &'a [u8],
    /// The middleware's stamp of sending, `CLOCK_REALTIME` ns; 0: absent.
    pub source_ns: i64,
    /// The middleware's stamp of reception, `CLOCK_REALTIME` ns; 0: absent.
    pub reception_ns: i64,
}

unsafe extern "C" fn sink<F: FnMut(&Received)>(context: *mut c_void, received: *const ReceivedC) {
    // SAFETY: context and function came together in `Taker::take`; the sample lives during the call.
    unsafe {
        let body = &mut *context.cast::<F>();
        let c = &*received;
        let bytes = if c.body.is_null() {
            &[][..]
        } else {
            std::slice::from_raw_parts(c.body.cast::<u8>(), c.body_bytes as usize)
        };
        body(&Received {
            header: &*c.header,
            body: bytes,
            source_ns: c.source_ns,
            reception_ns: c.reception_ns,
        });
    }
}

impl Taker {
    /// Gives at most `max` samples to `body`; their number (C19). Hot.
    #[inline]
    pub fn take<F: FnMut(&Received)>(
        &self,
        max: u32,
        body: &mut F,
    ) -> std::result::Result<u32, Status> {
        let function: SinkFn = sink::<F>;
        let mut taken = 0;
        // SAFETY: the reader is alive; `body` lives during the call.
        Status::from_c(unsafe {
            (self.table.take)(
                self.raw,
                max,
                function,
                std::ptr::from_mut(body).cast(),
                &raw mut taken,
            )
        })?;
        Ok(taken)
    }
}

struct ReaderInner {
    raw: Handle,
    table: &'static Table,
    _context: Box<ListenerContext>,
    _participant: ParticipantHandle,
}

// SAFETY: the contract's rules for threads (C17) are kept by the users of this handle in the worker:
// a reader has one thread that waits and takes.
unsafe impl Send for ReaderInner {}
// SAFETY: as above.
unsafe impl Sync for ReaderInner {}

impl Drop for ReaderInner {
    fn drop(&mut self) {
        // SAFETY: given back once; the context outlives this call (C22).
        unsafe { (self.table.reader_destroy)(self.raw) }
    }
}

/// Receives samples of one topic.
#[derive(Clone)]
pub struct ReaderHandle(Arc<ReaderInner>);

impl ReaderHandle {
    /// The right to take, for the waitset and poll strategies.
    #[inline]
    pub fn taker(&self) -> Taker {
        Taker { raw: self.0.raw, table: self.0.table }
    }

    /// As [`Taker::take`], for the waitset and poll strategies. Hot.
    #[inline]
    pub fn take<F: FnMut(&Received)>(
        &self,
        max: u32,
        body: &mut F,
    ) -> std::result::Result<u32, Status> {
        self.taker().take(max, body)
    }

    /// Sleeps until there is something to take (C23). Hot.
    #[inline]
    pub fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        // SAFETY: the handle is alive.
        Status::from_c(unsafe { (self.0.table.wait)(self.0.raw, timeout.as_nanos() as i64) })
    }

    /// Writers that are ready (C24).
    pub fn matched(&self) -> std::result::Result<u32, Status> {
        let mut count = 0;
        // SAFETY: the handle is alive.
        Status::from_c(unsafe { (self.0.table.reader_matched)(self.0.raw, &raw mut count) })?;
        Ok(count)
    }

    /// The text by which writers find this reader (C25).
    pub fn locator(&self) -> std::result::Result<String, Status> {
        let mut text = [0_u8; 1024];
        // SAFETY: the handle is alive, the buffer has the length given.
        Status::from_c(unsafe {
            (self.0.table.reader_locator)(
                self.0.raw,
                text.as_mut_ptr().cast::<c_char>(),
                text.len(),
            )
        })?;
        let text = CStr::from_bytes_until_nul(&text).unwrap_or_default();
        Ok(text.to_string_lossy().into_owned())
    }

    /// Changes QoS while traffic flows (C26).
    pub fn set_qos(&self, qos: &Qos) -> Result<()> {
        let partition = qos.partition.as_deref().map(owned);
        let c = qos.to_c(partition.as_deref());
        // SAFETY: the handle is alive, the QoS lives during the call.
        call(|error| unsafe { (self.0.table.reader_set_qos)(self.0.raw, &raw const c, error) })
    }

    /// The middleware's own counters.
    pub fn counters(&self) -> Counters {
        let mut c: CountersC = Counters::default().to_c();
        // SAFETY: the handle is alive.
        unsafe { (self.0.table.reader_counters)(self.0.raw, &raw mut c) };
        Counters::from_c(&c)
    }
}
