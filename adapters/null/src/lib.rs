//! The null adapter: a write goes straight to the reader's listener, on the writer's thread.
//!
//! It has every step of a measurement except a middleware, so its figures are what the harness itself
//! costs: the floor of every report.

mod service;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use busmark_adapter::{
    Adapter, Capabilities, Carrier, EndpointConfig, Feature, Header, Listener, Participant,
    ParticipantConfig, Payload, QosValue, Reach, Reader, Result, ServiceCapabilities, ServiceEnd,
    Side, Sink, Source, Status, Wait, Writer,
};

const CAPABILITIES: Capabilities = Capabilities {
    name: "null",
    title: "Null (no middleware)",
    version: env!("CARGO_PKG_VERSION"),
    middleware_version: "none",
    licence: "Apache-2.0",
    cost: "",
    install: "",
    transports: &[("memory", Carrier::Memory)],
    options: &[],
    waits: &[Wait::Listener],
    reach: &[Reach::Process],
    payloads: &Payload::ALL,
    qos: &[QosValue::Reliable, QosValue::KeepAll, QosValue::KeepLast, QosValue::Volatile],
    qos_mutable: &[],
    features: &[
        Feature::Locators,
        Feature::Matched,
        Feature::WriteInListener,
        Feature::KeepAllInListener,
        Feature::Synchronous,
    ],
    max_body_bytes: 16 << 20,
    security: &[],
    disclosures: &[],
    tuned: "",
    stored: (0, 0),
};

struct Null;

impl Adapter for Null {
    type Participant = NullParticipant;

    const SERVICES: Option<ServiceCapabilities> = Some(service::SERVICES);

    fn capabilities() -> Capabilities {
        CAPABILITIES
    }

    fn participant(_config: &ParticipantConfig) -> Result<NullParticipant> {
        Ok(NullParticipant)
    }
}

struct NullParticipant;

/// What a writer knows of a reader.
struct Target {
    listener: Listener,
    writers: AtomicU32,
    closed: AtomicU32,
    /// A writer is in the listener: the reader must not go (C22).
    busy: AtomicBool,
}

/// Readers of this process by the number in their locator.
fn targets() -> &'static Mutex<HashMap<u64, Arc<Target>>> {
    static TARGETS: OnceLock<Mutex<HashMap<u64, Arc<Target>>>> = OnceLock::new();
    TARGETS.get_or_init(Mutex::default)
}

impl Participant for NullParticipant {
    type Writer = NullWriter;
    type Reader = NullReader;

    fn writer(&self, _config: &EndpointConfig) -> Result<NullWriter> {
        Ok(NullWriter { targets: OnceLock::new() })
    }

    fn service(&self, _config: &EndpointConfig, side: Side) -> Result<ServiceEnd> {
        Ok(service::end(side))
    }

    fn reader(&self, _config: &EndpointConfig, listener: Option<Listener>) -> Result<NullReader> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let listener =
            listener.ok_or_else(|| Status::Invalid.error("the null adapter needs a listener"))?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let target = Arc::new(Target {
            listener,
            writers: AtomicU32::new(0),
            closed: AtomicU32::new(0),
            busy: AtomicBool::new(false),
        });
        let mut all = targets().lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(number, Arc::clone(&target));
        Ok(NullReader { number, target })
    }
}

struct NullWriter {
    // One reader, and that reader one writer: more would not be a floor of anything.
    targets: OnceLock<Arc<Target>>,
}

impl Drop for NullWriter {
    fn drop(&mut self) {
        if let Some(target) = self.targets.get() {
            target.writers.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// The sample that is being written, as the reader takes it.
struct InFlight<'a> {
    header: &'a Header,
    body: &'a [u8],
    left: bool,
}

impl Source for InFlight<'_> {
    #[inline]
    fn take(&mut self, _max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        if !std::mem::take(&mut self.left) {
            return Err(Status::NoData);
        }
        sink.deliver(self.header, self.body);
        Ok(1)
    }
}

impl Writer for NullWriter {
    type Sample = Box<[u8]>;

    fn prepare(&self, body: &[u8]) -> Result<Box<[u8]>> {
        Ok(body.into())
    }

    #[inline]
    fn write(&self, sample: &mut Box<[u8]>, header: &Header) -> std::result::Result<(), Status> {
        if let Some(target) = self.targets.get() {
            // Told first and looked at second, as the reader's drop does the other way round: one of
            // the two sees the other.
            target.busy.swap(true, Ordering::SeqCst);
            if target.closed.load(Ordering::SeqCst) == 0 {
                target.listener.notify_with(&mut InFlight { header, body: sample, left: true });
            }
            target.busy.store(false, Ordering::Release);
        }
        Ok(())
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        Ok(self.targets.get().map_or(0, |t| 1 - t.closed.load(Ordering::Relaxed)))
    }

    fn connect(&self, locator: &str) -> Result<()> {
        let number: u64 = locator
            .parse()
            .map_err(|_| Status::Invalid.error(format!("{locator:?} is not a null locator")))?;
        let all = targets().lock().unwrap_or_else(PoisonError::into_inner);
        let target = all.get(&number).ok_or_else(|| {
            Status::Unavailable.error(format!("no null reader {number} in this process"))
        })?;
        // Two writers' threads would be in one listener at once (C20).
        if target.writers.compare_exchange(0, 1, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            return Err(Status::Resources.error("a null reader has one writer"));
        }
        if self.targets.set(Arc::clone(target)).is_err() {
            target.writers.store(0, Ordering::Relaxed);
            return Err(Status::Resources.error("a null writer has one reader"));
        }
        Ok(())
    }
}

struct NullReader {
    number: u64,
    target: Arc<Target>,
}

impl Drop for NullReader {
    fn drop(&mut self) {
        self.target.closed.store(1, Ordering::SeqCst);
        while self.target.busy.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        targets().lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
    }
}

impl Reader for NullReader {
    fn take(&self, _max: usize, _sink: &mut Sink) -> std::result::Result<usize, Status> {
        Err(Status::NoData)
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        Ok(self.target.writers.load(Ordering::Relaxed))
    }

    fn locator(&self) -> std::result::Result<String, Status> {
        Ok(self.number.to_string())
    }
}

busmark_adapter::export!(Null);
