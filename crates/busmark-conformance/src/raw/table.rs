//! The adapter's table, called as a careless or an older worker would call it.

use std::ffi::{CStr, c_char};

use super::calls::recorded;
use busmark_adapter::abi::{
    AdapterFn, CapabilitiesC, ConnectFn, CountersC, EndpointConfigC, ErrorC, Handle, Header,
    ListenerC, LocatorFn, MESSAGE_BYTES, ParticipantConfigC, QosC, ReceivedC, SYMBOL, SettingC,
    Table, known, known_by_head,
};
use busmark_adapter::{EndpointConfig, Library, ParticipantConfig, SecurityTexts};
use libloading::os::unix::{Library as Unix, RTLD_LOCAL, RTLD_NOW};

const TAIL: usize = 64;

/// A structure with bytes behind it that the other side does not know (C2).
#[repr(C)]
struct Padded<T> {
    value: T,
    tail: [u8; TAIL],
}

impl<T> Padded<T> {
    fn new(value: T) -> Self {
        Self { value, tail: [0xA5; TAIL] }
    }

    const SIZE: u32 = (size_of::<T>() + TAIL) as u32;
}

/// How an endpoint is asked for.
#[derive(Clone, Copy, Default)]
pub(crate) struct Shape {
    /// Another payload kind than the configuration's.
    pub payload: Option<u32>,
    /// Another wait strategy than the configuration's.
    pub wait: Option<u32>,
    /// QoS bits on top of the configuration's.
    pub qos: u32,
}

/// A failure as the C side tells it.
#[derive(Debug)]
pub(crate) struct RawError {
    pub status: u32,
    /// `status` of the error structure.
    pub stored_status: u32,
    pub message: String,
}

/// The table of an open library.
pub(crate) struct RawTable {
    /// With NULL for what the library is too old to have (C1).
    table: &'static Table,
    /// As the library gives it; calls go through `table`, which records them.
    given: *const Table,
    entry: AdapterFn,
    // Keeps the code in place.
    _open: Unix,
    _library: Library,
}

impl RawTable {
    pub fn of(library: &Library) -> Result<Self, String> {
        // SAFETY: the library is open already; the symbol's type is the contract's, and the table has
        // been checked by `Library::open`.
        unsafe {
            let open = Unix::open(Some(library.path()), RTLD_NOW | RTLD_LOCAL)
                .map_err(|error| error.to_string())?;
            let entry = *open.get::<AdapterFn>(SYMBOL).map_err(|error| error.to_string())?;
            let given = entry();
            let size = given.cast::<[u32; 2]>().read()[1] as usize;
            // One for each library and test: what a test leaves is not worth a lifetime.
            let table: &'static Table = Box::leak(Box::new(known(given, size)));
            Ok(Self {
                table: recorded(table),
                given,
                entry,
                _open: open,
                _library: library.clone(),
            })
        }
    }

    pub fn table(&self) -> &'static Table {
        self.table
    }

    /// Whether `calls` more calls of the exported function give the same table.
    pub fn is_stable(&self, calls: usize) -> bool {
        // SAFETY: as in `of`.
        (0..calls).all(|_| std::ptr::eq(unsafe { (self.entry)() }, self.given))
    }

    /// The fields about services: waits, QoS, requests, clients; `None` where the structure ends before.
    pub fn services(&self) -> Option<[u32; 4]> {
        let end = std::mem::offset_of!(CapabilitiesC, service_clients) + size_of::<u32>();
        if self.table.capabilities.is_null() {
            return None;
        }
        // SAFETY: constant data of the library, copied as far as its size goes (C2).
        let c = unsafe { known_by_head(self.table.capabilities) };
        (c.struct_size as usize >= end).then_some([
            c.service_waits,
            c.service_qos,
            c.service_requests,
            c.service_clients,
        ])
    }

    /// Names of the entries about services, and whether the table has them.
    pub fn service_entries(&self) -> Vec<(&'static str, bool)> {
        macro_rules! there {
            ($($name:ident)*) => { vec![$((stringify!($name), self.table.$name.is_some())),*] };
        }
        there!(service_create service_destroy service_sample_create service_sample_destroy service_send
            service_take service_wait service_drop service_match service_last_error service_locator
            service_connect)
    }

    /// Capabilities as the raw structure; `None` for a NULL pointer.
    pub fn capabilities(&self) -> Option<&'static CapabilitiesC> {
        // SAFETY: NULL or constant data of the library (C10).
        unsafe { self.table.capabilities.as_ref() }
    }

    /// Bits of `busmark_disclosure_e`, unknown ones too; 0 where the structure ends before.
    pub fn disclosures(&self) -> u64 {
        if self.table.capabilities.is_null() {
            return 0;
        }
        // SAFETY: constant data of the library, copied as far as its size goes (C2).
        unsafe { known_by_head(self.table.capabilities) }.disclosures
    }

    /// Whether the capabilities tell what carries each transport.
    pub fn has_carriers(&self) -> bool {
        // SAFETY: as above.
        !self.table.capabilities.is_null()
            && !unsafe { known_by_head(self.table.capabilities) }.carriers.is_null()
    }
}

/// What an adapter may read during a call only; can be overwritten afterwards (C14).
pub(crate) struct Buffers {
    texts: Vec<Box<[u8]>>,
    qos: Option<Box<Padded<QosC>>>,
    settings: Vec<SettingC>,
}

impl Buffers {
    fn new() -> Self {
        Self { texts: Vec::new(), qos: None, settings: Vec::new() }
    }

    fn text(&mut self, text: &str) -> *const c_char {
        let mut bytes: Vec<u8> = text.bytes().filter(|b| *b != 0).collect();
        bytes.push(0);
        self.texts.push(bytes.into_boxed_slice());
        self.texts.last().expect("just pushed").as_ptr().cast()
    }

    /// Overwrites everything, keeping the memory.
    pub fn scribble(&mut self) {
        for text in &mut self.texts {
            let end = text.len() - 1;
            text[..end].fill(b'#');
        }
        if let Some(qos) = &mut self.qos {
            qos.value.present = 0;
            qos.value.depth = -1;
            qos.value.lifespan_ns = 1;
            qos.value.partition = std::ptr::null();
        }
    }

    fn qos(&mut self, config: &EndpointConfig, extra: u32) -> *const QosC {
        let c = config.qos.to_c(None);
        let partition = config.qos.partition.as_deref().map_or(std::ptr::null(), |p| self.text(p));
        let (struct_size, present) = (Padded::<QosC>::SIZE, c.present | extra);
        let value = QosC { struct_size, present, partition, ..c };
        &raw const self.qos.insert(Box::new(Padded::new(value))).value
    }

    fn endpoint(&mut self, config: &EndpointConfig, shape: Shape) -> Padded<EndpointConfigC> {
        Padded::new(EndpointConfigC {
            struct_size: Padded::<EndpointConfigC>::SIZE,
            payload: shape.payload.unwrap_or(config.payload as u32),
            wait: shape.wait.unwrap_or(config.wait as u32),
            reserved: 0,
            max_body_bytes: config.max_body_bytes,
            topic: self.text(&config.topic),
            qos: self.qos(config, shape.qos),
            instances: config.instances,
            filter_below: config.filter_below,
        })
    }
}

/// Calls `body` with an empty error structure that is followed by unknown bytes.
fn call(body: impl FnOnce(*mut ErrorC) -> u32) -> Result<(), RawError> {
    let mut error = Padded::new(ErrorC {
        struct_size: Padded::<ErrorC>::SIZE,
        status: 0,
        message: [0; MESSAGE_BYTES],
    });
    let status = body(&raw mut error.value);
    if status == 0 {
        return Ok(());
    }
    let message = CStr::from_bytes_until_nul(&error.value.message).map_or_else(
        |_| "(without a final zero)".to_owned(),
        |text| text.to_string_lossy().into_owned(),
    );
    Err(RawError { status, stored_status: error.value.status, message })
}

fn create(body: impl FnOnce(*mut Handle, *mut ErrorC) -> u32) -> Result<Handle, RawError> {
    let mut out: Handle = std::ptr::null_mut();
    call(|error| body(&raw mut out, error))?;
    Ok(out)
}

/// A participant without the safety of `ParticipantHandle`: endpoints are destroyed by hand, before it.
pub(crate) struct RawParticipant {
    pub handle: Handle,
    pub table: &'static Table,
    pub buffers: Buffers,
}

impl RawParticipant {
    /// With structures longer than the contract's.
    pub fn new(raw: &RawTable, config: &ParticipantConfig) -> Result<Self, RawError> {
        let mut buffers = Buffers::new();
        let mut settings: Vec<SettingC> = config
            .settings
            .iter()
            .map(|(k, v)| SettingC { key: buffers.text(k), value: buffers.text(v) })
            .collect();
        settings.push(SettingC { key: std::ptr::null(), value: std::ptr::null() });
        let documents = config.security.as_deref().map(SecurityTexts::new);
        let security = documents.as_ref().map(SecurityTexts::to_c);
        let c = Padded::new(ParticipantConfigC {
            struct_size: Padded::<ParticipantConfigC>::SIZE,
            domain: config.domain,
            interface_name: buffers.text(&config.interface_name),
            interface_address: buffers.text(&config.interface_address),
            transport: buffers.text(&config.transport),
            profile: buffers.text(&config.profile),
            run_dir: buffers.text(&config.run_dir),
            settings: settings.as_ptr(),
            security: security.as_ref().map_or(std::ptr::null(), std::ptr::from_ref),
        });
        let table = raw.table();
        // SAFETY: the table is valid; every pointer lives during the call.
        let handle = create(|out, error| unsafe {
            (table.participant_create)(&raw const c.value, out, error)
        })?;
        buffers.settings = settings;
        Ok(Self { handle, table, buffers })
    }

    pub fn writer(&mut self, config: &EndpointConfig, shape: Shape) -> Result<RawWriter, RawError> {
        let c = self.buffers.endpoint(config, shape);
        // SAFETY: the participant is alive; every pointer lives during the call.
        let handle = create(|out, error| unsafe {
            (self.table.writer_create)(self.handle, &raw const c.value, out, error)
        })?;
        Ok(RawWriter { handle, table: self.table })
    }

    /// An end of a service; `side` is passed on unchecked.
    pub fn service(
        &mut self,
        config: &EndpointConfig,
        shape: Shape,
        side: u32,
    ) -> Result<RawService, RawError> {
        let c = self.buffers.endpoint(config, shape);
        let Some(make) = self.table.service_create else {
            let message = "the table has no service_create".to_owned();
            return Err(RawError { status: 3, stored_status: 3, message });
        };
        // SAFETY: the participant is alive; every pointer lives during the call.
        let handle = create(|out, error| unsafe {
            make(self.handle, &raw const c.value, side, out, error)
        })?;
        Ok(RawService { handle, table: self.table })
    }

    /// `listener` is passed on unchecked, whether it goes with the strategy or not.
    pub fn reader(
        &mut self,
        config: &EndpointConfig,
        shape: Shape,
        listener: Option<ListenerC>,
    ) -> Result<RawReader, RawError> {
        let c = self.buffers.endpoint(config, shape);
        let listener = listener
            .map(|l| Padded::new(ListenerC { struct_size: Padded::<ListenerC>::SIZE, ..l }));
        let pointer = listener.as_ref().map_or(std::ptr::null(), |l| &raw const l.value);
        // SAFETY: as above; context and function of a listener outlive the reader.
        let handle = create(|out, error| unsafe {
            (self.table.reader_create)(self.handle, &raw const c.value, pointer, out, error)
        })?;
        Ok(RawReader { handle, table: self.table })
    }
}

impl Drop for RawParticipant {
    fn drop(&mut self) {
        // SAFETY: the tests drop endpoints before their participant (C15).
        unsafe { (self.table.participant_destroy)(self.handle) }
    }
}

pub(crate) struct RawWriter {
    handle: Handle,
    table: &'static Table,
}

impl RawWriter {
    /// Makes a sample of `body`, overwrites `body`, writes the sample, destroys it.
    pub fn write_scribbled(&self, mut body: Vec<u8>, header: &Header) -> Result<u32, RawError> {
        let data = if body.is_empty() { std::ptr::null() } else { body.as_ptr().cast() };
        // SAFETY: the writer is alive, the body lives during the call.
        let sample = create(|out, error| unsafe {
            (self.table.sample_create)(self.handle, data, body.len() as u64, out, error)
        })?;
        body.fill(0xEE);
        // SAFETY: writer and sample are alive; the sample is given back once.
        unsafe {
            let status = (self.table.write)(self.handle, sample, header);
            self.table.flush.map(|flush| flush(self.handle));
            (self.table.sample_destroy)(self.handle, sample);
            Ok(status)
        }
    }

    pub fn connect(&self, locator: &str) -> Result<(), RawError> {
        connect(self.table.writer_connect, self.handle, locator)
    }

    /// As [`RawReader::locator`] (C36).
    pub fn locator(&self, room: usize) -> Result<String, u32> {
        locator(self.table.writer_locator, self.handle, room)
    }

    /// Bytes past the size that the contract knows and whether a call changed them.
    pub fn counters_overrun(&self) -> bool {
        let mut counters = Padded::new(empty_counters());
        // SAFETY: the writer is alive; there is more room than the structure needs.
        if let Some(ask) = self.table.writer_counters {
            unsafe { ask(self.handle, &raw mut counters.value) };
        }
        counters.tail != [0xA5; TAIL]
    }
}

impl RawWriter {
    /// Whether the counters' `struct_size` is after a call what it was before.
    pub fn keeps_room(&self) -> bool {
        let mut counters = Padded::new(empty_counters());
        counters.value.struct_size = Padded::<CountersC>::SIZE;
        if let Some(ask) = self.table.writer_counters {
            // SAFETY: the writer is alive; there is the room that the size says.
            unsafe { ask(self.handle, &raw mut counters.value) };
        }
        counters.value.struct_size == Padded::<CountersC>::SIZE
    }
}

fn empty_counters() -> CountersC {
    // SAFETY: plain integers, for which zeros are valid.
    let zero: CountersC = unsafe { std::mem::zeroed() };
    CountersC { struct_size: size_of::<CountersC>() as u32, ..zero }
}

impl Drop for RawWriter {
    fn drop(&mut self) {
        // SAFETY: given back once; its samples are gone.
        unsafe { (self.table.writer_destroy)(self.handle) }
    }
}

pub(crate) struct RawService {
    handle: Handle,
    table: &'static Table,
}

impl RawService {
    /// As [`RawReader::locator`] (C39).
    pub fn locator(&self, room: usize) -> Result<String, u32> {
        locator(self.table.service_locator, self.handle, room)
    }

    pub fn connect(&self, locator: &str) -> Result<(), RawError> {
        connect(self.table.service_connect, self.handle, locator)
    }
}

impl Drop for RawService {
    fn drop(&mut self) {
        if let Some(destroy) = self.table.service_destroy {
            // SAFETY: given back once.
            unsafe { destroy(self.handle) }
        }
    }
}

pub(crate) struct RawReader {
    pub handle: Handle,
    table: &'static Table,
}

impl RawReader {
    /// The locator, asked for with a buffer of this size.
    pub fn locator(&self, room: usize) -> Result<String, u32> {
        locator(self.table.reader_locator, self.handle, room)
    }

    pub fn connect(&self, locator: &str) -> Result<(), RawError> {
        connect(self.table.reader_connect, self.handle, locator)
    }

    /// Takes what is there; each sample with the size of its structure.
    pub fn take(&self, max: u32) -> Taken {
        let mut got: Taken = Vec::new();
        let mut taken = 0;
        // SAFETY: the reader is alive, `got` lives during the call.
        unsafe {
            (self.table.take)(
                self.handle,
                max,
                sink,
                std::ptr::from_mut(&mut got).cast(),
                &raw mut taken,
            );
        }
        got
    }
}

impl Drop for RawReader {
    fn drop(&mut self) {
        // SAFETY: given back once.
        unsafe { (self.table.reader_destroy)(self.handle) }
    }
}

/// An endpoint's locator, asked for with a buffer of this size.
fn locator(entry: Option<LocatorFn>, endpoint: Handle, room: usize) -> Result<String, u32> {
    let mut text = vec![0x7f_u8; room + 16];
    // SAFETY: the endpoint is alive, the buffer is larger than the size that is given.
    let status = unsafe { entry.map_or(3, |ask| ask(endpoint, text.as_mut_ptr().cast(), room)) };
    if text[room..].iter().any(|b| *b != 0x7f) {
        return Ok("(written past the end of the buffer)".to_owned());
    }
    if status != 0 {
        return Err(status);
    }
    let text = CStr::from_bytes_until_nul(&text[..room]);
    Ok(text.map_or_else(|_| "(no end)".to_owned(), |t| t.to_string_lossy().into_owned()))
}

/// Connects an endpoint by a locator, which is overwritten afterwards.
fn connect(entry: Option<ConnectFn>, endpoint: Handle, locator: &str) -> Result<(), RawError> {
    let mut buffers = Buffers::new();
    let text = buffers.text(locator);
    // SAFETY: the endpoint is alive, the text lives during the call.
    let result = call(|error| unsafe { entry.map_or(3, |connect| connect(endpoint, text, error)) });
    buffers.scribble();
    result
}

/// Samples with the `struct_size` under which each was given.
pub(crate) type Taken = Vec<(u32, Header, Vec<u8>)>;

/// A sink that copies into a [`Taken`].
pub(super) unsafe extern "C" fn sink(context: *mut libc::c_void, received: *const ReceivedC) {
    // SAFETY: `take` above gives the address of a vector; the sample lives during the call.
    unsafe {
        let c = &*received;
        let body = if c.body.is_null() || c.body_bytes == 0 {
            Vec::new()
        } else {
            std::slice::from_raw_parts(c.body.cast::<u8>(), c.body_bytes as usize).to_vec()
        };
        (*context.cast::<Taken>()).push((c.struct_size, *c.header, body));
    }
}
