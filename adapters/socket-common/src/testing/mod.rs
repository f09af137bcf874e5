//! For the adapters' own tests: the library as it was built, driven as the worker drives it.

pub mod stream;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

pub use busmark_adapter::testing::{RunDir, WATCHDOG, body, eventually, library};
use busmark_adapter::testing::{connect, threads as threads_named};
use busmark_adapter::{
    EndpointConfig, Header, OnData, ParticipantHandle, Payload, ReaderHandle, Status, Taker, Wait,
    WriterHandle, testing, verify_pattern,
};

/// A participant of this adapter, over this transport.
pub fn participant(name: &str, transport: &str, run_dir: &RunDir) -> ParticipantHandle {
    library(name).participant(&run_dir.participant(transport, &[])).expect("a participant")
}

/// An endpoint of octets.
pub fn endpoint(wait: Wait, max_body_bytes: u64) -> EndpointConfig {
    EndpointConfig { wait, ..testing::endpoint("test", max_body_bytes) }
}

/// What has arrived, by writer: sequence numbers and whether every body carried its pattern.
#[derive(Default)]
pub struct Arrived {
    samples: Mutex<BTreeMap<u32, Vec<(u64, usize)>>>,
    count: AtomicUsize,
    damaged: AtomicUsize,
    payload: Option<Payload>,
}

impl Arrived {
    /// Expects bodies with the pattern of this kind.
    pub fn new(payload: Payload) -> Arc<Self> {
        Arc::new(Self { payload: Some(payload), ..Self::default() })
    }

    fn add(&self, header: &Header, body: &[u8]) {
        if !self.payload.is_none_or(|kind| verify_pattern(kind, body)) {
            self.damaged.fetch_add(1, Ordering::Relaxed);
        }
        let mut samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        samples.entry(header.writer_id).or_default().push((header.seq, body.len()));
        self.count.fetch_add(1, Ordering::Release);
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// How many bodies were damaged.
    pub fn damaged(&self) -> usize {
        self.damaged.load(Ordering::Acquire)
    }

    /// Sequence numbers and body lengths of one writer, in the order of arrival.
    pub fn of(&self, writer: u32) -> Vec<(u64, usize)> {
        let samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        samples.get(&writer).cloned().unwrap_or_default()
    }

    /// Takes what is there. Returns how many.
    pub fn take(&self, reader: &ReaderHandle) -> usize {
        match reader.take(16, &mut |r| self.add(r.header, r.body)) {
            Ok(n) => n as usize,
            Err(Status::NoData) => 0,
            Err(status) => panic!("take: {status}"),
        }
    }
}

impl Arrived {
    /// Takes what is there, unless the listener does.
    pub fn take_if(&self, reader: &ReaderHandle, wait: Wait) {
        if wait != Wait::Listener {
            self.take(reader);
        }
    }
}

struct Collector(Arc<Arrived>);

impl OnData for Collector {
    fn on_data(&self, taker: &Taker) {
        while let Ok(16) = taker.take(16, &mut |r| self.0.add(r.header, r.body)) {}
    }
}

/// A reader that fills `arrived`; with the strategies other than the listener by [`receive`].
pub fn reader(
    participant: &ParticipantHandle,
    config: &EndpointConfig,
    arrived: &Arc<Arrived>,
) -> ReaderHandle {
    let on_data: Option<Box<dyn OnData>> = match config.wait {
        Wait::Listener => Some(Box::new(Collector(Arc::clone(arrived)))),
        _ => None,
    };
    participant.reader(config, on_data).expect("a reader")
}

/// A writer that is connected to these readers.
pub fn writer(
    participant: &ParticipantHandle,
    config: &EndpointConfig,
    readers: &[&ReaderHandle],
) -> WriterHandle {
    let writer = participant.writer(config).expect("a writer");
    for reader in readers {
        connect(&writer, reader);
    }
    writer
}

/// Writes samples `from..to` with this body.
pub fn write(writer: &WriterHandle, id: u32, from: u64, to: u64, body: &[u8]) {
    let mut sample = writer.sample(body).expect("a sample");
    for seq in from..to {
        let header = Header { seq, writer_id: id, cookie: 42, ..Header::default() };
        writer.write(&mut sample, &header).expect("a write");
    }
}

/// Waits, by the reader's strategy, until `count` samples have arrived.
pub fn receive(reader: &ReaderHandle, wait: Wait, arrived: &Arrived, count: usize) {
    let start = Instant::now();
    while arrived.count() < count {
        assert!(start.elapsed() < WATCHDOG, "{} of {count} samples arrived", arrived.count());
        match wait {
            Wait::Listener => sleep(Duration::from_millis(1)),
            Wait::Waitset => {
                let _ = reader.wait(Duration::from_millis(100));
                arrived.take(reader);
            }
            Wait::Poll => {
                arrived.take(reader);
            }
        }
    }
}

/// Every kind of payload that sockets carry, with a length of a whole number of elements.
pub const KINDS: [(Payload, usize); 7] = [
    (Payload::Empty, 0),
    (Payload::Octet, 1001),
    (Payload::Char, 77),
    (Payload::Short, 2 * 501),
    (Payload::Float, 4 * 333),
    (Payload::Long, 4 * 1000),
    (Payload::Struct, 16 * 100),
];

/// Every strategy.
pub const WAITS: [Wait; 3] = [Wait::Listener, Wait::Waitset, Wait::Poll];

/// Open descriptors of this process.
pub fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

/// Threads of this process.
pub fn threads() -> usize {
    threads_named(&[""])
}
