//! The C table of an [`Adapter`]: what the [`export!`](crate::export) macro puts behind the symbol.

use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use crate::abi::{
    CapabilitiesC, CountersC, EndpointConfigC, EntityFn, ErrorC, Handle, Header, ListenerC,
    MESSAGE_BYTES, MatchC, ParticipantConfigC, QosC, SinkFn, Table, fill, known_by_head,
};
use crate::batch::Batch;
use crate::capabilities::{Capabilities, Feature, Wait};
use crate::config::{EndpointConfig, ParticipantConfig};
use crate::error::{Error, Result, Status};
use crate::events::Match;
use crate::listener::{Listener, Sink, Slot};
use crate::payload::Payload;
use crate::qos::Qos;
use crate::security::Security;
use crate::service::{Erased, ServiceEnd, Side};
use crate::strings::read;
use crate::traits::{Adapter, Participant, Reader, Server, Writer};

type W<A> = <<A as Adapter>::Participant as Participant>::Writer;
type R<A> = <<A as Adapter>::Participant as Participant>::Reader;
type S<A> = <W<A> as Writer>::Sample;

/// A writer behind its handle.
#[repr(C)]
struct WriterBox<A: Adapter> {
    // First, so that the hot path has it where the handle points.
    writer: W<A>,
    payload: Payload,
    max_body_bytes: u64,
}

struct ReaderBox<A: Adapter> {
    // Dropped first: its thread must end before the slot goes.
    reader: R<A>,
    slot: Arc<Slot>,
}

/// Exports an adapter: `busmark_adapter::export!(MyAdapter);`, once per library.
#[macro_export]
macro_rules! export {
    ($adapter:ty) => {
        /// The one exported symbol of the library (clause C1).
        #[unsafe(no_mangle)]
        pub extern "C" fn busmark_adapter() -> *const $crate::abi::Table {
            static TABLE: std::sync::OnceLock<$crate::abi::Table> = std::sync::OnceLock::new();
            TABLE.get_or_init($crate::export::table::<$adapter>)
        }
    };
}

/// The table of `A`.
pub fn table<A: Adapter>() -> Table {
    let capabilities: &'static CapabilitiesC =
        Box::leak(Box::new(A::capabilities().to_c(A::user_type(), A::SERVICES)));
    Table {
        abi_version: crate::ABI_VERSION,
        struct_size: size_of::<Table>() as u32,
        capabilities,
        probe: probe::<A>,
        participant_create: participant_create::<A>,
        participant_destroy: participant_destroy::<A>,
        writer_create: writer_create::<A>,
        writer_destroy: writer_destroy::<A>,
        reader_create: reader_create::<A>,
        reader_destroy: reader_destroy::<A>,
        sample_create: sample_create::<A>,
        sample_destroy: sample_destroy::<A>,
        write: write::<A>,
        flush: Some(flush::<A>),
        take: take::<A>,
        wait: Some(wait::<A>),
        writer_matched: Some(writer_matched::<A>),
        reader_matched: Some(reader_matched::<A>),
        reader_locator: Some(reader_locator::<A>),
        writer_connect: Some(writer_connect::<A>),
        writer_set_qos: Some(writer_set_qos::<A>),
        reader_set_qos: Some(reader_set_qos::<A>),
        writer_counters: Some(writer_counters::<A>),
        reader_counters: Some(reader_counters::<A>),
        server_create: has::<A>(Feature::Server).then_some(server_create::<A>),
        server_destroy: has::<A>(Feature::Server).then_some(server_destroy),
        attach: Some(crate::host::attach),
        writer_last_error: Some(writer_last_error::<A>),
        reader_last_error: Some(reader_last_error::<A>),
        writer_match: has::<A>(Feature::MatchEvents).then_some(writer_match::<A>),
        reader_match: has::<A>(Feature::MatchEvents).then_some(reader_match::<A>),
        write_many: has::<A>(Feature::WriteMany).then_some(write_many::<A>),
        loan: has::<A>(Feature::Loans).then_some(loan::<A>),
        publish: has::<A>(Feature::Loans).then_some(publish::<A>),
        writer_locator: has::<A>(Feature::WriterLocators).then_some(writer_locator::<A>),
        reader_connect: has::<A>(Feature::WriterLocators).then_some(reader_connect::<A>),
        entities: has::<A>(Feature::Entities).then_some(entities::<A>),
        service_create: serves::<A>().then_some(service_create::<A>),
        service_destroy: serves::<A>().then_some(service_destroy),
        service_sample_create: serves::<A>().then_some(service_sample_create),
        service_sample_destroy: serves::<A>().then_some(service_sample_destroy),
        service_send: serves::<A>().then_some(service_send),
        service_take: serves::<A>().then_some(service_take),
        service_wait: serves::<A>().then_some(service_wait),
        service_drop: serves::<A>().then_some(service_drop),
        service_match: serves::<A>().then_some(service_match),
        service_last_error: serves::<A>().then_some(service_last_error),
        service_locator: serves::<A>().then_some(service_locator),
        service_connect: serves::<A>().then_some(service_connect),
    }
}

fn has<A: Adapter>(feature: Feature) -> bool {
    A::capabilities().features.contains(&feature)
}

fn serves<A: Adapter>() -> bool {
    A::SERVICES.is_some()
}

/// Runs `body`; a panic becomes an error, for it must not cross the border (C4).
fn guard<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        Err(Status::Failed.error(format!("the adapter panicked: {text}")))
    })
}

fn hot(body: impl FnOnce() -> std::result::Result<(), Status>) -> u32 {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => 0,
        Ok(Err(status)) => status as u32,
        Err(_) => Status::Failed as u32,
    }
}

unsafe fn report(result: Result<()>, out: *mut ErrorC) -> u32 {
    let Err(Error { status, message }) = result else { return 0 };
    // SAFETY: the caller's error structure is valid (C3).
    if let Some(out) = unsafe { out.as_mut() } {
        let mut end = message.len().min(MESSAGE_BYTES - 1);
        while !message.is_char_boundary(end) {
            end -= 1;
        }
        out.message[..end].copy_from_slice(&message.as_bytes()[..end]);
        out.message[end] = 0;
        out.status = status as u32;
    }
    status as u32
}

/// Runs `body`, stores its value as a handle, reports its error.
unsafe fn create<T>(out: *mut Handle, error: *mut ErrorC, body: impl FnOnce() -> Result<T>) -> u32 {
    let result = guard(body).map(|value| {
        // SAFETY: `out` is valid (contract).
        unsafe { *out = Box::into_raw(Box::new(value)).cast() }
    });
    // SAFETY: `error` is valid (contract).
    unsafe { report(result, error) }
}

unsafe fn destroy<T>(handle: Handle) {
    // SAFETY: the handle came from `create::<T>` and is given back once (C15).
    let _ = guard(|| {
        drop(unsafe { Box::from_raw(handle.cast::<T>()) });
        Ok(())
    });
}

/// The object behind a handle.
unsafe fn object<'a, T>(handle: Handle) -> &'a T {
    // SAFETY: the handle came from `create::<T>` and has not been destroyed (contract).
    unsafe { &*handle.cast::<T>() }
}

/// Refuses what the capabilities do not list, so that no adapter must repeat it (C4).
fn check_participant(c: &Capabilities, config: &ParticipantConfig) -> Result<()> {
    let transports: Vec<_> = c.transports.iter().map(|(name, _)| *name).collect();
    if !transports.contains(&config.transport.as_str()) {
        let text = format!(
            "{} has no transport {:?}; it has {}",
            c.name,
            config.transport,
            transports.join(", ")
        );
        return Err(Status::Unsupported.error(text));
    }
    for (key, _) in &config.settings {
        if !c.options.iter().any(|o| o.key == key) {
            let known: Vec<_> = c.options.iter().map(|o| o.key).collect();
            let text = format!("{} has no option {key:?}; it has {}", c.name, known.join(", "));
            return Err(Status::Invalid.error(text));
        }
    }
    if !["default", "tuned"].contains(&config.profile.as_str()) {
        let text = format!("no profile {:?}; there are default and tuned", config.profile);
        return Err(Status::Invalid.error(text));
    }
    check_security(c, config.security.as_deref())
}

fn check_security(c: &Capabilities, security: Option<&Security>) -> Result<()> {
    let Some(Security { profile, .. }) = security else { return Ok(()) };
    if c.security.is_empty() {
        let text = format!("{} has no security; {profile:?} was asked for", c.name);
        return Err(Status::Unsupported.error(text));
    }
    if !c.security.contains(&profile.as_str()) {
        let known = c.security.join(", ");
        let text = format!("{} has no security profile {profile:?}; it has {known}", c.name);
        return Err(Status::Unsupported.error(text));
    }
    Ok(())
}

fn check_endpoint(c: &Capabilities, config: &EndpointConfig, reader: bool) -> Result<()> {
    if config.topic.is_empty() {
        return Err(Status::Invalid.error("the topic has no name"));
    }
    if !c.payloads.contains(&config.payload) {
        let text = format!("{} has no payload kind {:?}", c.name, config.payload);
        return Err(Status::Unsupported.error(text));
    }
    if config.max_body_bytes > c.max_body_bytes {
        let text = format!(
            "{} carries at most {} bytes, {} were asked for",
            c.name, c.max_body_bytes, config.max_body_bytes
        );
        return Err(Status::Invalid.error(text));
    }
    if reader && !c.waits.contains(&config.wait) {
        let text = format!("{} cannot wait by {:?}", c.name, config.wait);
        return Err(Status::Unsupported.error(text));
    }
    check_instances(c, config)?;
    config.qos.require(c.qos)
}

/// Keys (C27) and content filters (C28).
fn check_instances(c: &Capabilities, config: &EndpointConfig) -> Result<()> {
    if config.instances > 0 {
        if !c.features.contains(&Feature::Keys) {
            return Err(Status::Unsupported.error(format!("{} has no keyed topics", c.name)));
        }
        if config.payload != Payload::Octet {
            return Err(Status::Unsupported.error("keyed topics carry the payload kind octet only"));
        }
    }
    if config.filter_below > 0 {
        if !c.features.contains(&Feature::ContentFilter) {
            return Err(Status::Unsupported.error(format!("{} has no content filter", c.name)));
        }
        if config.instances == 0 {
            return Err(Status::Invalid.error("a filter on instances needs a keyed topic"));
        }
    }
    Ok(())
}

unsafe extern "C" fn probe<A: Adapter>(error: *mut ErrorC) -> u32 {
    // SAFETY: `error` is valid (contract).
    unsafe { report(guard(A::probe), error) }
}

unsafe extern "C" fn participant_create<A: Adapter>(
    config: *const ParticipantConfigC,
    out: *mut Handle,
    error: *mut ErrorC,
) -> u32 {
    // SAFETY: pointers are valid during the call (C14).
    unsafe {
        create(out, error, || {
            let config = ParticipantConfig::from_c(&known_by_head(config));
            check_participant(&A::capabilities(), &config)?;
            A::participant(&config)
        })
    }
}

unsafe extern "C" fn participant_destroy<A: Adapter>(handle: Handle) {
    // SAFETY: contract.
    unsafe { destroy::<A::Participant>(handle) }
}

unsafe extern "C" fn writer_create<A: Adapter>(
    participant: Handle,
    config: *const EndpointConfigC,
    out: *mut Handle,
    error: *mut ErrorC,
) -> u32 {
    // SAFETY: pointers are valid during the call (C14).
    unsafe {
        create(out, error, || {
            let config = EndpointConfig::from_c(&known_by_head(config), false)?;
            check_endpoint(&A::capabilities(), &config, false)?;
            let EndpointConfig { payload, max_body_bytes, .. } = config;
            let writer = object::<A::Participant>(participant).writer(&config)?;
            Ok(WriterBox::<A> { writer, payload, max_body_bytes })
        })
    }
}

unsafe extern "C" fn writer_destroy<A: Adapter>(handle: Handle) {
    // SAFETY: contract.
    unsafe { destroy::<WriterBox<A>>(handle) }
}

unsafe extern "C" fn reader_create<A: Adapter>(
    participant: Handle,
    config: *const EndpointConfigC,
    listener: *const ListenerC,
    out: *mut Handle,
    error: *mut ErrorC,
) -> u32 {
    // SAFETY: pointers are valid during the call (C14).
    unsafe {
        create(out, error, || {
            let config = EndpointConfig::from_c(&known_by_head(config), true)?;
            check_endpoint(&A::capabilities(), &config, true)?;
            if (config.wait == Wait::Listener) == listener.is_null() {
                let text = "a listener goes with the listener strategy and with no other";
                return Err(Status::Invalid.error(text));
            }
            let slot = Arc::new(Slot::default());
            let listener = (!listener.is_null())
                .then(|| Listener::new(known_by_head(listener), Arc::clone(&slot)));
            let reader = object::<A::Participant>(participant).reader(&config, listener)?;
            Ok(ReaderBox::<A> { reader, slot })
        })
    }
}

unsafe extern "C" fn reader_destroy<A: Adapter>(handle: Handle) {
    // SAFETY: contract.
    unsafe { destroy::<ReaderBox<A>>(handle) }
}

unsafe extern "C" fn sample_create<A: Adapter>(
    writer: Handle,
    body: *const c_void,
    body_bytes: u64,
    out: *mut Handle,
    error: *mut ErrorC,
) -> u32 {
    // SAFETY: `body` is valid for `body_bytes`, or NULL with 0 (contract).
    unsafe {
        create(out, error, || {
            let body = if body.is_null() || body_bytes == 0 {
                &[][..]
            } else {
                std::slice::from_raw_parts(body.cast::<u8>(), body_bytes as usize)
            };
            let WriterBox { writer, payload, max_body_bytes } = object::<WriterBox<A>>(writer);
            payload.check(body, *max_body_bytes)?;
            writer.prepare(body)
        })
    }
}

unsafe extern "C" fn sample_destroy<A: Adapter>(_writer: Handle, sample: Handle) {
    // SAFETY: contract.
    unsafe { destroy::<S<A>>(sample) }
}

unsafe extern "C" fn write<A: Adapter>(
    writer: Handle,
    sample: Handle,
    header: *const Header,
) -> u32 {
    // SAFETY: handles and header are valid; one thread uses the sample (C17).
    hot(|| unsafe { object::<W<A>>(writer).write(&mut *sample.cast::<S<A>>(), &*header) })
}

unsafe extern "C" fn write_many<A: Adapter>(
    writer: Handle,
    samples: *const Handle,
    headers: *const Header,
    count: u32,
    written: *mut u32,
) -> u32 {
    hot(|| {
        // SAFETY: `count` samples and headers are valid; one thread uses them (C17).
        let (sent, outcome) = unsafe {
            *written = 0;
            let samples = std::slice::from_raw_parts(samples, count as usize);
            let headers = std::slice::from_raw_parts(headers, count as usize);
            object::<W<A>>(writer).write_many(&Batch::new(samples, headers))
        };
        // SAFETY: `written` is valid (contract).
        unsafe { *written = sent as u32 };
        outcome
    })
}

unsafe extern "C" fn loan<A: Adapter>(writer: Handle, bytes: u64, body: *mut *mut c_void) -> u32 {
    hot(|| {
        // SAFETY: the handle is valid (contract).
        let lent = unsafe { object::<W<A>>(writer) }.loan(bytes as usize)?;
        // SAFETY: `body` is valid (contract).
        unsafe { *body = lent.cast() };
        Ok(())
    })
}

unsafe extern "C" fn publish<A: Adapter>(writer: Handle, header: *const Header) -> u32 {
    // SAFETY: handle and header are valid, the header may be NULL (contract).
    hot(|| unsafe { object::<W<A>>(writer).publish(header.as_ref()) })
}

unsafe extern "C" fn flush<A: Adapter>(writer: Handle) -> u32 {
    // SAFETY: the handle is valid (contract).
    hot(|| unsafe { object::<W<A>>(writer).flush() })
}

unsafe extern "C" fn take<A: Adapter>(
    reader: Handle,
    max: u32,
    sink: SinkFn,
    context: *mut c_void,
    taken: *mut u32,
) -> u32 {
    hot(|| {
        // SAFETY: the handle is valid (contract).
        let reader = unsafe { object::<ReaderBox<A>>(reader) };
        let mut sink = Sink::new(sink, context);
        let count = match reader.slot.take(max as usize, &mut sink) {
            Some(result) => result?,
            None => reader.reader.take(max as usize, &mut sink)?,
        };
        // SAFETY: `taken` is valid (contract).
        unsafe { *taken = count as u32 };
        if count == 0 { Err(Status::NoData) } else { Ok(()) }
    })
}

unsafe extern "C" fn wait<A: Adapter>(reader: Handle, timeout_ns: i64) -> u32 {
    let timeout = Duration::from_nanos(timeout_ns.max(0) as u64);
    // SAFETY: the handle is valid (contract).
    hot(|| unsafe { object::<ReaderBox<A>>(reader).reader.wait(timeout) })
}

unsafe extern "C" fn server_create<A: Adapter>(
    config: *const ParticipantConfigC,
    out: *mut Handle,
    address: *mut c_char,
    bytes: usize,
    error: *mut ErrorC,
) -> u32 {
    // SAFETY: pointers are valid during the call (C14); `address` has room for `bytes`.
    unsafe {
        create(out, error, || {
            let config = ParticipantConfig::from_c(&known_by_head(config));
            check_participant(&A::capabilities(), &config)?;
            let server = A::server(&config)?;
            if !copy_text(&server.address, address, bytes) {
                return Err(Status::Resources.error("the server's address is too long"));
            }
            Ok(server)
        })
    }
}

unsafe extern "C" fn server_destroy(handle: Handle) {
    // SAFETY: contract.
    unsafe { destroy::<Server>(handle) }
}

/// Copies the text with its final zero, if it fits.
unsafe fn copy_text(from: &str, to: *mut c_char, bytes: usize) -> bool {
    if from.len() >= bytes {
        return false;
    }
    // SAFETY: `to` has room for `bytes` (contract), which was checked to be enough.
    unsafe {
        std::ptr::copy_nonoverlapping(from.as_ptr(), to.cast(), from.len());
        *to.add(from.len()) = 0;
    }
    true
}

fn store(value: std::result::Result<u32, Status>, out: *mut u32) -> u32 {
    // SAFETY: `out` is valid (contract).
    hot(|| value.map(|v| unsafe { *out = v }))
}

unsafe extern "C" fn writer_matched<A: Adapter>(writer: Handle, count: *mut u32) -> u32 {
    // SAFETY: the handle is valid (contract).
    store(unsafe { object::<W<A>>(writer).matched() }, count)
}

unsafe extern "C" fn reader_matched<A: Adapter>(reader: Handle, count: *mut u32) -> u32 {
    // SAFETY: the handle is valid (contract).
    store(unsafe { object::<ReaderBox<A>>(reader).reader.matched() }, count)
}

/// Stores a locator, if it fits (C25).
fn store_locator(
    found: impl FnOnce() -> std::result::Result<String, Status>,
    text: *mut c_char,
    bytes: usize,
) -> u32 {
    hot(|| {
        let locator = found()?;
        // SAFETY: `text` has room for `bytes` (contract).
        unsafe { copy_text(&locator, text, bytes) }.then_some(()).ok_or(Status::Resources)
    })
}

unsafe extern "C" fn reader_locator<A: Adapter>(
    reader: Handle,
    text: *mut c_char,
    bytes: usize,
) -> u32 {
    // SAFETY: the handle is valid (contract).
    store_locator(|| unsafe { object::<ReaderBox<A>>(reader) }.reader.locator(), text, bytes)
}

unsafe extern "C" fn writer_locator<A: Adapter>(
    writer: Handle,
    text: *mut c_char,
    bytes: usize,
) -> u32 {
    // SAFETY: the handle is valid (contract).
    store_locator(|| unsafe { object::<W<A>>(writer) }.locator(), text, bytes)
}

unsafe extern "C" fn reader_connect<A: Adapter>(
    reader: Handle,
    locator: *const c_char,
    error: *mut ErrorC,
) -> u32 {
    // SAFETY: pointers are valid (contract).
    unsafe {
        let connect = || object::<ReaderBox<A>>(reader).reader.connect(&read(locator));
        report(guard(connect), error)
    }
}

unsafe extern "C" fn writer_connect<A: Adapter>(
    writer: Handle,
    locator: *const c_char,
    error: *mut ErrorC,
) -> u32 {
    // SAFETY: pointers are valid (contract).
    unsafe { report(guard(|| object::<W<A>>(writer).connect(&read(locator))), error) }
}

fn check_mutable<A: Adapter>(qos: &Qos) -> Result<()> {
    qos.require(A::capabilities().qos_mutable)
}

unsafe extern "C" fn writer_set_qos<A: Adapter>(
    writer: Handle,
    qos: *const QosC,
    error: *mut ErrorC,
) -> u32 {
    // SAFETY: pointers are valid (contract).
    unsafe {
        let change = || {
            let qos = Qos::from_c(&known_by_head(qos))?;
            check_mutable::<A>(&qos)?;
            object::<W<A>>(writer).set_qos(&qos)
        };
        report(guard(change), error)
    }
}

unsafe extern "C" fn reader_set_qos<A: Adapter>(
    reader: Handle,
    qos: *const QosC,
    error: *mut ErrorC,
) -> u32 {
    // SAFETY: pointers are valid (contract).
    unsafe {
        let change = || {
            let qos = Qos::from_c(&known_by_head(qos))?;
            check_mutable::<A>(&qos)?;
            object::<ReaderBox<A>>(reader).reader.set_qos(&qos)
        };
        report(guard(change), error)
    }
}

unsafe extern "C" fn writer_counters<A: Adapter>(writer: Handle, out: *mut CountersC) -> u32 {
    // SAFETY: pointers are valid (contract).
    hot(|| unsafe {
        fill(out, &object::<W<A>>(writer).counters().to_c());
        Ok(())
    })
}

unsafe extern "C" fn reader_counters<A: Adapter>(reader: Handle, out: *mut CountersC) -> u32 {
    // SAFETY: pointers are valid (contract).
    hot(|| unsafe {
        fill(out, &object::<ReaderBox<A>>(reader).reader.counters().to_c());
        Ok(())
    })
}

/// Tells the words on the last failure (C32); no data where nothing has failed.
unsafe fn told(last: impl FnOnce() -> Option<Error>, out: *mut ErrorC) -> u32 {
    let Ok(Some(error)) = guard(|| Ok(last())) else { return Status::NoData as u32 };
    // SAFETY: the caller's error structure is valid (C3).
    unsafe { report(Err(error), out) };
    0
}

unsafe extern "C" fn writer_last_error<A: Adapter>(writer: Handle, error: *mut ErrorC) -> u32 {
    // SAFETY: pointers are valid (contract).
    unsafe { told(|| object::<W<A>>(writer).last_error(), error) }
}

unsafe extern "C" fn reader_last_error<A: Adapter>(reader: Handle, error: *mut ErrorC) -> u32 {
    // SAFETY: pointers are valid (contract).
    unsafe { told(|| object::<ReaderBox<A>>(reader).reader.last_error(), error) }
}

fn store_match(
    found: impl FnOnce() -> std::result::Result<Match, Status>,
    out: *mut MatchC,
) -> u32 {
    hot(|| {
        let Match { count, changed_ns } = found()?;
        // SAFETY: `out` is valid for the size that it says (contract).
        unsafe { fill(out, &MatchC { struct_size: 0, count, changed_ns }) };
        Ok(())
    })
}

unsafe extern "C" fn writer_match<A: Adapter>(writer: Handle, out: *mut MatchC) -> u32 {
    // SAFETY: pointers are valid (contract).
    store_match(|| unsafe { object::<W<A>>(writer) }.match_event(), out)
}

unsafe extern "C" fn reader_match<A: Adapter>(reader: Handle, out: *mut MatchC) -> u32 {
    // SAFETY: pointers are valid (contract).
    store_match(|| unsafe { object::<ReaderBox<A>>(reader) }.reader.match_event(), out)
}

unsafe extern "C" fn entities<A: Adapter>(
    participant: Handle,
    sink: EntityFn,
    context: *mut c_void,
    error: *mut ErrorC,
) -> u32 {
    // SAFETY: the handle is valid, sink and context came together (contract).
    unsafe {
        let list = || {
            let found = object::<A::Participant>(participant).entities()?;
            for entity in &found {
                entity.with_c(|c| sink(context, c));
            }
            Ok(())
        };
        report(guard(list), error)
    }
}

/// An end of a service behind its handle.
struct ServiceBox {
    // First, so that the hot path has it where the handle points.
    end: Box<dyn Erased>,
    payload: Payload,
    max_body_bytes: u64,
}

fn check_service<A: Adapter>(config: &EndpointConfig) -> Result<()> {
    let (c, services) = (A::capabilities(), A::SERVICES.unwrap_or_default());
    if !services.waits.contains(&config.wait) {
        let text = format!("services of {} cannot wait by {:?}", c.name, config.wait);
        return Err(Status::Unsupported.error(text));
    }
    if !matches!(config.payload, Payload::Octet | Payload::Empty) {
        return Err(Status::Unsupported.error("services carry octets, or nothing"));
    }
    if config.instances > 0 || config.filter_below > 0 {
        return Err(Status::Unsupported.error("services have neither keys nor filters"));
    }
    check_endpoint(&Capabilities { qos: services.qos, ..c }, config, false)
}

unsafe extern "C" fn service_create<A: Adapter>(
    participant: Handle,
    config: *const EndpointConfigC,
    side: u32,
    out: *mut Handle,
    error: *mut ErrorC,
) -> u32 {
    // SAFETY: pointers are valid during the call (C14).
    unsafe {
        create(out, error, || {
            let side = Side::from_c(side)?;
            let config = EndpointConfig::from_c(&known_by_head(config), true)?;
            check_service::<A>(&config)?;
            let EndpointConfig { payload, max_body_bytes, .. } = config;
            let ServiceEnd(end) = object::<A::Participant>(participant).service(&config, side)?;
            Ok(ServiceBox { end, payload, max_body_bytes })
        })
    }
}

unsafe extern "C" fn service_destroy(handle: Handle) {
    // SAFETY: contract.
    unsafe { destroy::<ServiceBox>(handle) }
}

unsafe extern "C" fn service_sample_create(
    service: Handle,
    body: *const c_void,
    body_bytes: u64,
    out: *mut Handle,
    error: *mut ErrorC,
) -> u32 {
    // SAFETY: `body` is valid for `body_bytes`, or NULL with 0 (contract).
    let result = guard(|| unsafe {
        let body = if body.is_null() || body_bytes == 0 {
            &[][..]
        } else {
            std::slice::from_raw_parts(body.cast::<u8>(), body_bytes as usize)
        };
        let ServiceBox { end, payload, max_body_bytes } = object::<ServiceBox>(service);
        payload.check(body, *max_body_bytes)?;
        *out = end.prepare(body)?;
        Ok(())
    });
    // SAFETY: `error` is valid (contract).
    unsafe { report(result, error) }
}

unsafe extern "C" fn service_sample_destroy(service: Handle, sample: Handle) {
    // SAFETY: the sample came from this end and is given back once (C15).
    let _ = guard(|| {
        unsafe { object::<ServiceBox>(service).end.discard(sample) };
        Ok(())
    });
}

unsafe extern "C" fn service_send(
    service: Handle,
    sample: Handle,
    header: *const Header,
    request: *mut u64,
) -> u32 {
    // SAFETY: handles, header and number are valid; one thread uses the sample (C44).
    hot(|| unsafe { object::<ServiceBox>(service).end.send(sample, &*header, &mut *request) })
}

unsafe extern "C" fn service_take(
    service: Handle,
    max: u32,
    sink: SinkFn,
    context: *mut c_void,
    taken: *mut u32,
) -> u32 {
    hot(|| {
        let mut sink = Sink::new(sink, context);
        // SAFETY: the handle is valid (contract).
        let count = unsafe { object::<ServiceBox>(service) }.end.take(max as usize, &mut sink)?;
        // SAFETY: `taken` is valid (contract).
        unsafe { *taken = count as u32 };
        if count == 0 { Err(Status::NoData) } else { Ok(()) }
    })
}

unsafe extern "C" fn service_wait(service: Handle, timeout_ns: i64) -> u32 {
    let timeout = Duration::from_nanos(timeout_ns.max(0) as u64);
    // SAFETY: the handle is valid (contract).
    hot(|| unsafe { object::<ServiceBox>(service).end.wait(timeout) })
}

unsafe extern "C" fn service_drop(service: Handle, request: u64) -> u32 {
    // SAFETY: the handle is valid (contract).
    hot(|| unsafe { object::<ServiceBox>(service).end.forget(request) })
}

unsafe extern "C" fn service_match(service: Handle, out: *mut MatchC) -> u32 {
    // SAFETY: pointers are valid (contract).
    store_match(|| unsafe { object::<ServiceBox>(service) }.end.matched(), out)
}

unsafe extern "C" fn service_last_error(service: Handle, error: *mut ErrorC) -> u32 {
    // SAFETY: pointers are valid (contract).
    unsafe { told(|| object::<ServiceBox>(service).end.last_error(), error) }
}

unsafe extern "C" fn service_locator(service: Handle, text: *mut c_char, bytes: usize) -> u32 {
    // SAFETY: the handle is valid (contract).
    store_locator(|| unsafe { object::<ServiceBox>(service) }.end.locator(), text, bytes)
}

unsafe extern "C" fn service_connect(
    service: Handle,
    locator: *const c_char,
    error: *mut ErrorC,
) -> u32 {
    // SAFETY: pointers are valid (contract).
    unsafe {
        let connect = || object::<ServiceBox>(service).end.connect(&read(locator));
        report(guard(connect), error)
    }
}
