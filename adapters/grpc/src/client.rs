//! A client of a service: a unary call for each request.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use busmark_adapter::{
    EndpointConfig, Error, Header, HotCell, LastError, Match, Payload, Result, Service, Sink,
    Status,
};
use prost::bytes::Bytes;
use tokio::sync::mpsc::Sender;
use tokio::task::AbortHandle;
use tonic::transport::Channel;

use crate::channel::{connect, in_words};
use crate::connection::Link;
use crate::engine::{Duty, Engine};
use crate::generated::requests_client::RequestsClient;
use crate::inbox::Inbox;
use crate::message::{Prepared, Shape};
use crate::participant::{Membership, send_limit};

/// A client, and the calls that it has made.
pub struct GrpcClient {
    server: Mutex<Option<Server>>,
    inbox: HotCell<Inbox<Answer>>,
    answers: Sender<Answer>,
    calls: Arc<Calls>,
    failed: Arc<LastError>,
    payload: Payload,
    shape: Shape,
    limit: Duration,
    here: Membership,
    engine: Engine,
}

/// The server that it is connected to.
struct Server {
    client: RequestsClient<Channel>,
    link: Arc<Link>,
}

/// A response, with the number of its request.
struct Answer {
    request: u64,
    header: Header,
    body: Bytes,
}

/// Calls that are under way.
#[derive(Default)]
struct Calls(Mutex<Table>);

#[derive(Default)]
struct Table {
    next: u64,
    tasks: HashMap<u64, AbortHandle>,
}

impl Calls {
    #[inline]
    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GrpcClient {
    /// Without a server.
    pub fn new(here: Membership, config: &EndpointConfig) -> Result<Self> {
        let (answers, inbox) = Inbox::new(config.max_body_bytes);
        Ok(Self {
            server: Mutex::new(None),
            inbox: HotCell::new(inbox),
            answers,
            calls: Arc::default(),
            failed: Arc::default(),
            payload: config.payload,
            shape: Shape::new(config),
            limit: send_limit(&config.qos),
            here,
            engine: Engine::new(Duty::Connects)?,
        })
    }

    #[inline]
    fn server(&self) -> MutexGuard<'_, Option<Server>> {
        self.server.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the system takes more; its own thread does the rest where others drive.
    #[cold]
    fn await_room(&self, link: &Link) -> std::result::Result<(), Status> {
        self.engine.send_the_rest(self.limit, || link.is_stalled());
        if link.is_stalled() { Err(Status::Timeout) } else { Ok(()) }
    }
}

impl Service for GrpcClient {
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
        let server = self.server().as_ref().map(|s| (s.client.clone(), Arc::clone(&s.link)));
        let Some((mut client, link)) = server else {
            return Err(self.failed.keep(Status::Failed.error("the client has no server")));
        };
        if link.is_stalled() {
            self.await_room(&link)?;
        }
        let message = sample.message(header);
        let (calls, answers) = (Arc::clone(&self.calls), self.answers.clone());
        let (failed, shape) = (Arc::clone(&self.failed), self.shape);
        *request = self.engine.post(|| {
            let mut table = self.calls.table();
            let number = table.next;
            table.next += 1;
            let task = self.engine.handle().spawn(async move {
                let answered = client.call(message).await;
                // Gone from the table: it is not awaited any more.
                if calls.table().tasks.remove(&number).is_none() {
                    return;
                }
                match answered {
                    Ok(response) => {
                        if let Some((header, body)) = shape.read(response.into_inner()) {
                            let _ = answers.send(Answer { request: number, header, body }).await;
                        }
                    }
                    Err(status) => {
                        failed.keep(unanswered(&status));
                    }
                }
            });
            table.tasks.insert(number, task.abort_handle());
            number
        });
        self.engine.send_the_rest(self.limit, || link.is_stalled());
        Ok(())
    }

    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        self.inbox.get().ok_or(Status::Invalid)?.take(&self.engine, max, |answer| {
            let Answer { request, header, body } = answer;
            sink.deliver_request(request, &header, &body, (0, 0));
        })
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        self.inbox.get().ok_or(Status::Invalid)?.wait(&self.engine, timeout)
    }

    /// Cancels the call, of which the server learns.
    fn forget(&self, request: u64) -> std::result::Result<(), Status> {
        let task = self.calls.table().tasks.remove(&request);
        if let Some(task) = task {
            self.engine.post(|| task.abort());
        }
        Ok(())
    }

    fn matched(&self) -> std::result::Result<Match, Status> {
        self.engine.pass();
        let is_open = self.server().as_ref().is_some_and(|server| server.link.is_open());
        Ok(Match { count: u32::from(is_open), changed_ns: 0 })
    }

    fn last_error(&self) -> Option<Error> {
        self.failed.get()
    }

    fn connect(&self, locator: &str) -> Result<()> {
        let address = self.here.address(locator)?;
        self.engine.pass();
        let mut server = self.server();
        if server.as_ref().is_some_and(|server| server.link.is_open()) {
            let text = "a client of grpc has one server, and the one that it has is still there";
            return Err(Status::Unsupported.error(text));
        }
        let (channel, link) = connect(&self.engine, &self.here.settings, address)?;
        let client = RequestsClient::new(channel).max_decoding_message_size(self.shape.room());
        *server = Some(Server { client, link });
        Ok(())
    }
}

fn unanswered(status: &tonic::Status) -> Error {
    Status::Failed.error(format!("a request is not answered: {}", in_words(status)))
}
