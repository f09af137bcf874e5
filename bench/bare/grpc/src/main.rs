//! The smallest unary call over gRPC: tonic's own client and server, each on a runtime of one thread, with
//! the message of Busmark's adapter, and nothing of Busmark.

use std::sync::Arc;

use bare_common::{Header, Options, Services};
use prost::bytes::Bytes;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};

use crate::generated::requests_client::RequestsClient;
use crate::generated::requests_server::{Requests, RequestsServer};

#[allow(missing_docs, clippy::pedantic)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/bare.Requests.rs"));
}

/// A request or a response.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Sample {
    /// The header.
    #[prost(bytes = "bytes", tag = "1")]
    pub header: Bytes,
    /// The body.
    #[prost(bytes = "bytes", tag = "2")]
    pub body: Bytes,
}

impl Sample {
    fn new(header: &Header, body: &Bytes) -> Self {
        Self { header: Bytes::copy_from_slice(header.as_bytes()), body: body.clone() }
    }
}

/// The largest message that is taken.
const ROOM: usize = 16 << 20;

struct Answering {
    body: Bytes,
    ends: Arc<Notify>,
}

#[tonic::async_trait]
impl Requests for Answering {
    async fn call(&self, request: Request<Sample>) -> Result<Response<Sample>, Status> {
        let header = Header::from_bytes(&request.get_ref().header);
        let header = header.ok_or_else(|| Status::invalid_argument("no header"))?;
        if header.is_last() {
            self.ends.notify_one();
        }
        Ok(Response::new(Sample::new(&header, &self.body)))
    }
}

fn runtime() -> Result<Runtime, String> {
    Builder::new_current_thread().enable_io().enable_time().build().map_err(in_words)
}

fn in_words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

struct Grpc;

impl Services for Grpc {
    type Client = Box<dyn FnMut(&Header) -> Result<(), String>>;

    fn client(options: &Options) -> Result<Self::Client, String> {
        let runtime = runtime()?;
        let connecting = RequestsClient::connect(format!("http://{}", options.address));
        let client = runtime.block_on(connecting).map_err(in_words)?;
        let mut client = client.max_decoding_message_size(ROOM);
        let body = Bytes::from(vec![1; options.size]);
        Ok(Box::new(move |request| {
            let sample = Sample::new(request, &body);
            let response = runtime.block_on(client.call(sample)).map_err(in_words)?;
            let header = Header::from_bytes(&response.get_ref().header);
            let is_its = header.is_some_and(|header| header.seq == request.seq);
            if is_its { Ok(()) } else { Err("not the response to this request".to_owned()) }
        }))
    }

    fn serve(options: &Options) -> Result<(), String> {
        let body = Bytes::from(vec![1; options.size]);
        runtime()?.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.map_err(in_words)?;
            let address = listener.local_addr().map_err(in_words)?;
            let ends = Arc::new(Notify::new());
            let answering = Answering { body, ends: Arc::clone(&ends) };
            let service = RequestsServer::new(answering).max_decoding_message_size(ROOM);
            let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
            bare_common::tell(&address.to_string());
            Server::builder()
                .add_service(service)
                .serve_with_incoming_shutdown(incoming, async { ends.notified().await })
                .await
                .map_err(in_words)
        })
    }
}

fn main() -> Result<(), String> {
    bare_common::run_services::<Grpc>()
}
