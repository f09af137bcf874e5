//! The server of a service: each call waits until the worker answers it.

use std::sync::Arc;
use std::time::Duration;

use busmark_adapter::{
    EndpointConfig, Header, HotCell, Match, Payload, Result, Service, Sink, Status, Unanswered,
};
use prost::bytes::Bytes;
use tokio::sync::mpsc::Sender;
use tokio::sync::oneshot;
use tonic::{Request, Response};

use crate::connection::Link;
use crate::engine::{Duty, Engine};
use crate::generated::requests_server::{Requests, RequestsServer};
use crate::inbox::Inbox;
use crate::message::{Prepared, Sample, Shape};
use crate::participant::Membership;

/// How long a responding thread sends what the system does not take at once, before it leaves the rest to
/// others: a client that does not read must not hold up those that do.
const PATIENCE: Duration = Duration::from_millis(1);

/// A server of requests.
pub struct GrpcServer {
    inbox: HotCell<Inbox<Asked>>,
    unanswered: Arc<Unanswered<Answer>>,
    payload: Payload,
    locator: String,
    engine: Engine,
}

/// A request, with its handle.
struct Asked {
    request: u64,
    header: Header,
    body: Bytes,
}

/// The way back to a call.
struct Answer {
    call: oneshot::Sender<Sample>,
    link: Option<Arc<Link>>,
}

/// What tonic calls.
struct Answering {
    inbox: Sender<Asked>,
    unanswered: Arc<Unanswered<Answer>>,
    shape: Shape,
}

/// Gives up a request that its client has cancelled before the worker could see it.
struct Unseen<'a> {
    unanswered: &'a Unanswered<Answer>,
    request: Option<u64>,
}

impl Drop for Unseen<'_> {
    fn drop(&mut self) {
        if let Some(claim) = self.request.and_then(|request| self.unanswered.claim(request)) {
            claim.answered();
        }
    }
}

#[tonic::async_trait]
impl Requests for Answering {
    async fn call(
        &self,
        request: Request<Sample>,
    ) -> std::result::Result<Response<Sample>, tonic::Status> {
        let link = request.extensions().get::<Arc<Link>>().cloned();
        let not_one = || tonic::Status::invalid_argument("not a request of this service");
        let (header, body) = self.shape.read(request.into_inner()).ok_or_else(not_one)?;
        let (call, answered) = oneshot::channel();
        let handle = self.unanswered.insert(Answer { call, link });
        let full = || tonic::Status::resource_exhausted("too many requests wait for an answer");
        let request = handle.ok_or_else(full)?;
        let mut unseen = Unseen { unanswered: &self.unanswered, request: Some(request) };
        let asked = self.inbox.send(Asked { request, header, body }).await;
        asked.map_err(|_| tonic::Status::unavailable("the server ends"))?;
        unseen.request = None;
        let unanswered = |_| tonic::Status::cancelled("the server does not answer this request");
        answered.await.map(Response::new).map_err(unanswered)
    }
}

impl GrpcServer {
    /// Listens.
    pub fn new(here: Membership, config: &EndpointConfig) -> Result<Self> {
        let shape = Shape::new(config);
        let (sender, inbox) = Inbox::new(config.max_body_bytes);
        let unanswered = Arc::<Unanswered<Answer>>::default();
        let engine = Engine::new(Duty::Accepts)?;
        let answering = Answering { inbox: sender, unanswered: Arc::clone(&unanswered), shape };
        let service = RequestsServer::new(answering).max_decoding_message_size(shape.room());
        let locator = here.serve(&engine, service)?;
        engine.stand_in();
        let inbox = HotCell::new(inbox);
        Ok(Self { inbox, unanswered, payload: config.payload, locator, engine })
    }
}

impl Service for GrpcServer {
    type Sample = Prepared;

    fn prepare(&self, body: &[u8]) -> Result<Prepared> {
        Ok(Prepared::new(self.payload, body))
    }

    #[inline]
    fn send(
        &self,
        sample: &mut Prepared,
        header: &Header,
        request: &mut u64,
    ) -> std::result::Result<(), Status> {
        let claim = self.unanswered.claim(*request).ok_or(Status::Invalid)?;
        let Answer { call, link } = claim.answered().ok_or(Status::Invalid)?;
        // A client that has gone needs no answer.
        let _ = self.engine.post(|| call.send(sample.message(header)));
        if let Some(link) = link {
            self.engine.send_the_rest(PATIENCE, || link.is_stalled());
        }
        Ok(())
    }

    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        self.inbox.get().ok_or(Status::Invalid)?.take(&self.engine, max, |asked| {
            let Asked { request, header, body } = asked;
            sink.deliver_request(request, &header, &body, (0, 0));
        })
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        self.inbox.get().ok_or(Status::Invalid)?.wait(&self.engine, timeout)
    }

    /// The client learns that there will be no answer.
    fn forget(&self, request: u64) -> std::result::Result<(), Status> {
        let claim = self.unanswered.claim(request).ok_or(Status::Invalid)?;
        self.engine.post(|| drop(claim.answered()));
        Ok(())
    }

    fn matched(&self) -> std::result::Result<Match, Status> {
        self.engine.pass();
        Ok(Match { count: self.engine.traffic().connections(), changed_ns: 0 })
    }

    fn locator(&self) -> std::result::Result<String, Status> {
        Ok(self.locator.clone())
    }
}
