//! A channel of tonic over one connection, which is not made again: a locator is good for one server, and
//! its port may be somebody else's afterwards.

use std::future::{Ready, ready};
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll};

use busmark_adapter::{Result, Status};
use hyper_util::rt::TokioIo;
use tonic::codegen::Service;
use tonic::codegen::http::Uri;
use tonic::transport::{Channel, Endpoint};

use crate::connection::{Connection, Link};
use crate::engine::Engine;
use crate::options::Settings;
use crate::participant::CONNECT_LIMIT;

/// Gives the connection to the channel, once.
struct Once(Option<Connection>);

impl Service<Uri> for Once {
    type Response = TokioIo<Connection>;
    type Error = std::io::Error;
    type Future = Ready<std::io::Result<Self::Response>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let gone = || std::io::Error::other("the connection has ended");
        ready(self.0.take().map(TokioIo::new).ok_or_else(gone))
    }
}

/// Connects, as the engine's own thread.
pub fn connect(
    engine: &Engine,
    settings: &Settings,
    address: SocketAddr,
) -> Result<(Channel, Arc<Link>)> {
    let connecting = async {
        let connection = Connection::connect(address, settings, engine.traffic()).await?;
        let link = Arc::clone(connection.link());
        let failed = |error: &dyn std::error::Error| {
            Status::Failed.error(format!("{address}: {}", in_words(error)))
        };
        let mut endpoint = Endpoint::from_shared(format!("http://{address}"))
            .map_err(|error| failed(&error))?
            .initial_stream_window_size(settings.stream_window);
        endpoint = endpoint.initial_connection_window_size(settings.connection_window);
        let channel = endpoint.connect_with_connector(Once(Some(connection))).await;
        Ok((channel.map_err(|error| failed(&error))?, link))
    };
    engine.drive(CONNECT_LIMIT, connecting).unwrap_or_else(|| {
        let text = format!("nobody answers at {address} within {} s", CONNECT_LIMIT.as_secs());
        Err(Status::Unavailable.error(text))
    })
}

/// An error with its causes.
pub fn in_words(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
