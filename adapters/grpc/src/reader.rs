//! A reader: a server, to which each writer sends a stream of samples.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use busmark_adapter::{EndpointConfig, Header, HotCell, Listener, Reader, Result, Sink, Status};
use prost::bytes::Bytes;
use tokio::sync::mpsc::Sender;
use tonic::{Request, Response, Streaming};

use crate::engine::{Duty, Engine};
use crate::generated::samples_server::{Samples, SamplesServer};
use crate::inbox::Inbox;
use crate::message::{Nothing, One, Sample, Shape};
use crate::participant::Membership;

/// A server of samples.
pub struct GrpcReader {
    way: Way,
    engine: Arc<Engine>,
    writers: Arc<AtomicU32>,
    locator: String,
}

type Piece = (Header, Bytes);

enum Way {
    /// The worker's thread takes.
    Asks(HotCell<Inbox<Piece>>),
    /// A thread calls the listener.
    Listens(Option<JoinHandle<()>>),
}

/// What tonic calls.
struct Publishing {
    inbox: Sender<Piece>,
    shape: Shape,
    writers: Arc<AtomicU32>,
}

/// A writer that is there.
struct Present(Arc<AtomicU32>);

impl Drop for Present {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[tonic::async_trait]
impl Samples for Publishing {
    async fn publish(
        &self,
        request: Request<Streaming<Sample>>,
    ) -> std::result::Result<Response<Nothing>, tonic::Status> {
        self.writers.fetch_add(1, Ordering::AcqRel);
        let _present = Present(Arc::clone(&self.writers));
        let mut samples = request.into_inner();
        while let Some(message) = samples.message().await? {
            if let Some(sample) = self.shape.read(message)
                && self.inbox.send(sample).await.is_err()
            {
                break;
            }
        }
        Ok(Response::new(Nothing {}))
    }
}

impl GrpcReader {
    /// Listens.
    pub fn new(
        here: Membership,
        config: &EndpointConfig,
        listener: Option<Listener>,
    ) -> Result<Self> {
        let shape = Shape::new(config);
        let (sender, mut inbox) = Inbox::new(config.max_body_bytes);
        let writers = Arc::<AtomicU32>::default();
        let engine = Arc::new(Engine::new(Duty::Accepts)?);
        let publishing = Publishing { inbox: sender, shape, writers: Arc::clone(&writers) };
        let service = SamplesServer::new(publishing).max_decoding_message_size(shape.room());
        let locator = here.serve(&engine, service)?;
        let way = if let Some(listener) = listener {
            let engine = Arc::clone(&engine);
            let thread = std::thread::Builder::new()
                .name("grpc-listener".to_owned())
                .spawn(move || announce(&engine, &mut inbox, &listener));
            let words = |error| Status::Resources.error(format!("a thread: {error}"));
            Way::Listens(Some(thread.map_err(words)?))
        } else {
            engine.stand_in();
            Way::Asks(HotCell::new(inbox))
        };
        Ok(Self { way, engine, writers, locator })
    }
}

/// Calls the listener for each sample, outside of the runtime: it may write.
fn announce(engine: &Engine, inbox: &mut Inbox<Piece>, listener: &Listener) {
    while let Some(sample) = engine.drive_on(inbox.next()) {
        listener.notify_with(&mut One::new(sample));
        while !engine.is_stopped()
            && let Some(sample) = inbox.try_next()
        {
            listener.notify_with(&mut One::new(sample));
        }
    }
}

impl Reader for GrpcReader {
    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        let Way::Asks(inbox) = &self.way else {
            // Samples are in the listener's hands while it announces them, and nowhere else.
            return Err(Status::NoData);
        };
        let mut inbox = inbox.get().ok_or(Status::Invalid)?;
        inbox.take(&self.engine, max, |(header, body)| sink.deliver(&header, &body))
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        let Way::Asks(inbox) = &self.way else { return Err(Status::Unsupported) };
        inbox.get().ok_or(Status::Invalid)?.wait(&self.engine, timeout)
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        self.engine.pass();
        Ok(self.writers.load(Ordering::Acquire))
    }

    fn locator(&self) -> std::result::Result<String, Status> {
        Ok(self.locator.clone())
    }
}

impl Drop for GrpcReader {
    fn drop(&mut self) {
        if let Way::Listens(thread) = &mut self.way {
            self.engine.stop();
            // It waits for a call that is under way.
            let _ = thread.take().map(JoinHandle::join);
        }
    }
}
