//! A writer: a client with a stream of samples to each reader.

use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use busmark_adapter::{EndpointConfig, Error, Header, HotCell, LastError, Result, Status, Writer};
use prost::Message as _;
use tonic::codegen::tokio_stream::Stream;

use crate::channel::{connect, in_words};
use crate::connection::{Link, Traffic};
use crate::engine::{Duty, Engine};
use crate::generated::samples_client::SamplesClient;
use crate::message::{Prepared, Sample};
use crate::participant::{Membership, send_limit};

/// Bytes that gRPC puts in front of each message.
const PREFIX: usize = 5;
/// How long a closing writer waits until its readers have everything.
const FAREWELL: Duration = Duration::from_secs(3);

/// A client of the readers.
pub struct GrpcWriter {
    readers: HotCell<Vec<Arc<Slot>>>,
    /// How many of them are there.
    count: Arc<AtomicU32>,
    failed: Arc<LastError>,
    limit: Duration,
    payload: busmark_adapter::Payload,
    here: Membership,
    engine: Engine,
}

/// What is to go into the stream to one reader.
struct Slot {
    state: Mutex<State>,
    link: Arc<Link>,
    traffic: Arc<Traffic>,
}

#[derive(Default)]
struct State {
    sample: Option<Sample>,
    /// The stream waits for the next sample.
    asks: Option<Waker>,
    /// No further sample will come.
    ends: bool,
    /// The reader has the whole stream, or has gone.
    over: bool,
}

impl Slot {
    #[inline]
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_over(&self) -> bool {
        self.state().over
    }

    /// Whether a sample can be put in.
    #[inline]
    fn has_room(&self) -> bool {
        let state = self.state();
        state.sample.is_none() || state.over
    }

    #[inline]
    fn put(&self, sample: Sample, bytes: usize) {
        self.link.count(bytes);
        self.change(|state| state.sample = Some(sample));
    }

    /// Changes what the stream waits for.
    #[inline]
    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        change(&mut state);
        let asks = state.asks.take();
        drop(state);
        if let Some(stream) = asks {
            stream.wake();
        }
    }
}

/// The stream to one reader.
struct Outgoing(Arc<Slot>);

impl Stream for Outgoing {
    type Item = Sample;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Sample>> {
        let mut state = self.0.state();
        if let Some(sample) = state.sample.take() {
            self.0.traffic.progress.notify_one();
            return Poll::Ready(Some(sample));
        }
        if state.ends {
            return Poll::Ready(None);
        }
        state.asks = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl GrpcWriter {
    /// Without readers.
    pub fn new(here: Membership, config: &EndpointConfig) -> Result<Self> {
        Ok(Self {
            readers: HotCell::new(Vec::new()),
            count: Arc::default(),
            failed: Arc::default(),
            limit: send_limit(&config.qos),
            payload: config.payload,
            here,
            engine: Engine::new(Duty::Connects)?,
        })
    }
}

fn ended(status: &tonic::Status) -> Error {
    Status::Failed.error(format!("a reader's stream has ended: {}", in_words(status)))
}

impl Writer for GrpcWriter {
    type Sample = Prepared;

    fn prepare(&self, body: &[u8]) -> Result<Prepared> {
        Ok(Prepared::new(self.payload, body))
    }

    #[inline]
    fn write(&self, sample: &mut Prepared, header: &Header) -> std::result::Result<(), Status> {
        let mut readers = self.readers.get().ok_or(Status::Invalid)?;
        readers.retain(|reader| !reader.is_over());
        let mut limit = self.limit;
        if readers.iter().any(|reader| !reader.has_room()) {
            let start = Instant::now();
            let has_room = || readers.iter().all(|reader| reader.has_room());
            if self.engine.drive(limit, self.engine.traffic().until(has_room)).is_none() {
                return Err(Status::Timeout);
            }
            limit = limit.saturating_sub(start.elapsed());
        }
        let message = sample.message(header);
        let bytes = PREFIX + message.encoded_len();
        self.engine.post(|| {
            for reader in readers.iter() {
                reader.put(message.clone(), bytes);
            }
        });
        // A part of it may have left, so it is on its way, whatever becomes of the rest.
        self.engine.send_the_rest(limit, || self.engine.traffic().is_left());
        Ok(())
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        self.engine.pass();
        Ok(self.count.load(Ordering::Acquire))
    }

    fn last_error(&self) -> Option<Error> {
        self.failed.get()
    }

    fn connect(&self, locator: &str) -> Result<()> {
        let address = self.here.address(locator)?;
        let (channel, link) = connect(&self.engine, &self.here.settings, address)?;
        let traffic = Arc::clone(self.engine.traffic());
        let slot = Arc::new(Slot { state: Mutex::default(), link, traffic });
        let stream = Outgoing(Arc::clone(&slot));
        let (reader, count) = (Arc::clone(&slot), Arc::clone(&self.count));
        let failed = Arc::clone(&self.failed);
        count.fetch_add(1, Ordering::AcqRel);
        self.engine.handle().spawn(async move {
            if let Err(status) = SamplesClient::new(channel).publish(stream).await {
                failed.keep(ended(&status));
            }
            count.fetch_sub(1, Ordering::AcqRel);
            reader.state().over = true;
            reader.link.give_up();
            reader.traffic.progress.notify_one();
        });
        self.engine.pass();
        let busy = || Status::Invalid.error("a writer is connected by the thread that writes");
        self.readers.get().ok_or_else(busy)?.push(slot);
        Ok(())
    }
}

impl Drop for GrpcWriter {
    fn drop(&mut self) {
        let Some(readers) = self.readers.get() else { return };
        for reader in readers.iter() {
            reader.change(|state| state.ends = true);
        }
        let all_over = || readers.iter().all(|reader| reader.is_over());
        self.engine.drive(FAREWELL, self.engine.traffic().until(all_over));
    }
}
