//! What an adapter implements. The clauses of `abi/busmark_adapter.h` bind; they are not repeated here.

use std::time::Duration;

use crate::abi::Header;
use crate::batch::Batch;
use crate::capabilities::{Capabilities, ServiceCapabilities};
use crate::config::{Counters, EndpointConfig, ParticipantConfig};
use crate::entity::Entity;
use crate::error::{Error, Result, Status};
use crate::events::Match;
use crate::listener::{Listener, Sink};
use crate::qos::Qos;
use crate::service::{ServiceEnd, Side};

/// A running server: stopped, and its files removed, when this is dropped.
pub struct Server {
    /// By which participants find it: the value of their option `server`.
    pub address: String,
    /// What keeps it running.
    pub guard: Box<dyn Send>,
}

/// A middleware.
pub trait Adapter: 'static {
    /// Its attachment to the middleware.
    type Participant: Participant;

    /// What its services can do (C39); `None`: it has none of its own.
    const SERVICES: Option<ServiceCapabilities> = None;

    /// What it can do; constant (C9, C10).
    fn capabilities() -> Capabilities;

    /// The user's type with which the library was compiled, for adapters with `Payload::Type` (C30).
    fn user_type() -> Option<&'static str> {
        None
    }

    /// Whether the middleware can be used on this host; the error says why not and what to do.
    fn probe() -> Result<()> {
        Ok(())
    }

    /// Starts the server at which participants meet, for adapters with the feature `Server` (C29).
    fn server(_config: &ParticipantConfig) -> Result<Server> {
        Err(Status::Unsupported.error("this middleware needs no server"))
    }

    /// Attaches to the middleware. The transport and every option have been checked against the
    /// capabilities; option values have not.
    fn participant(config: &ParticipantConfig) -> Result<Self::Participant>;
}

/// An attachment to the middleware. Endpoints are dropped before it (C15).
pub trait Participant: Send + Sync + 'static {
    /// Its writers.
    type Writer: Writer;
    /// Its readers.
    type Reader: Reader;

    /// Makes a writer. Payload kind, QoS values and size have been checked against the capabilities.
    fn writer(&self, config: &EndpointConfig) -> Result<Self::Writer>;

    /// Makes a reader; `listener` is there exactly when `config.wait` is the listener.
    fn reader(&self, config: &EndpointConfig, listener: Option<Listener>) -> Result<Self::Reader>;

    /// What the middleware knows of on this bus (C37), for adapters with `Entities`.
    fn entities(&self) -> Result<Vec<Entity>> {
        Err(Status::Unsupported.error("this middleware does not list what is on the bus"))
    }

    /// Makes one end of a service (C39), for adapters with `SERVICES`. Kind, size, wait strategy and QoS
    /// have been checked against them.
    fn service(&self, _config: &EndpointConfig, _side: Side) -> Result<ServiceEnd> {
        Err(Status::Unsupported.error("this middleware has no services"))
    }
}

/// Sends samples of one topic. State of the hot path belongs in a [`HotCell`](crate::HotCell).
pub trait Writer: Send + Sync + 'static {
    /// A native sample, prepared once.
    type Sample: Send + 'static;

    /// Makes a native sample with this body, which is a whole number of elements and no larger than the
    /// endpoint's largest.
    fn prepare(&self, body: &[u8]) -> Result<Self::Sample>;

    /// Hands the sample with this header to the middleware (C18). Hot.
    fn write(&self, sample: &mut Self::Sample, header: &Header) -> std::result::Result<(), Status>;

    /// Hands several samples to the middleware (C34), for adapters with `WriteMany`: how many were
    /// sent, and why not all. Hot.
    fn write_many(&self, _batch: &Batch<Self::Sample>) -> (usize, std::result::Result<(), Status>) {
        (0, Err(Status::Unsupported))
    }

    /// Lends memory for one body (C35), for adapters with `Loans`: valid until `publish`. Hot.
    fn loan(&self, _bytes: usize) -> std::result::Result<*mut u8, Status> {
        Err(Status::Unsupported)
    }

    /// Sends the body that was lent, filled in since, with this header; `None`: it is given back. Hot.
    fn publish(&self, _header: Option<&Header>) -> std::result::Result<(), Status> {
        Err(Status::Unsupported)
    }

    /// Sends what the middleware holds back in a batch.
    fn flush(&self) -> std::result::Result<(), Status> {
        Ok(())
    }

    /// Readers that are ready (C24).
    fn matched(&self) -> std::result::Result<u32, Status> {
        Err(Status::Unsupported)
    }

    /// The count and when it became that (C33), for adapters with `MatchEvents`.
    fn match_event(&self) -> std::result::Result<Match, Status> {
        Err(Status::Unsupported)
    }

    /// What failed last on the hot path, in the middleware's words (C32).
    fn last_error(&self) -> Option<Error> {
        None
    }

    /// Connects to a reader by its locator (C25).
    fn connect(&self, _locator: &str) -> Result<()> {
        Err(Status::Unsupported.error("writers of this middleware do not connect to readers"))
    }

    /// The text by which readers find this writer (C36), for adapters with `WriterLocators`.
    fn locator(&self) -> std::result::Result<String, Status> {
        Err(Status::Unsupported)
    }

    /// Changes QoS while traffic flows (C26).
    fn set_qos(&self, _qos: &Qos) -> Result<()> {
        Err(Status::Unsupported.error("no QoS of this writer can change at run time"))
    }

    /// The middleware's own counters.
    fn counters(&self) -> Counters {
        Counters::default()
    }
}

/// Receives samples of one topic. State of the hot path belongs in a [`HotCell`](crate::HotCell).
pub trait Reader: Send + Sync + 'static {
    /// Gives at most `max` samples to the sink and returns their number, never 0 (C19). Hot.
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status>;

    /// Sleeps until there is something to take (C23). Hot.
    fn wait(&self, _timeout: Duration) -> std::result::Result<(), Status> {
        Err(Status::Unsupported)
    }

    /// Writers that are ready (C24).
    fn matched(&self) -> std::result::Result<u32, Status> {
        Err(Status::Unsupported)
    }

    /// The count and when it became that (C33), for adapters with `MatchEvents`.
    fn match_event(&self) -> std::result::Result<Match, Status> {
        Err(Status::Unsupported)
    }

    /// What failed last on the hot path, in the middleware's words (C32).
    fn last_error(&self) -> Option<Error> {
        None
    }

    /// The text by which writers find this reader (C25).
    fn locator(&self) -> std::result::Result<String, Status> {
        Err(Status::Unsupported)
    }

    /// Connects to a writer by its locator (C36), for adapters with `WriterLocators`.
    fn connect(&self, _locator: &str) -> Result<()> {
        Err(Status::Unsupported.error("readers of this middleware do not connect to writers"))
    }

    /// Changes QoS while traffic flows (C26).
    fn set_qos(&self, _qos: &Qos) -> Result<()> {
        Err(Status::Unsupported.error("no QoS of this reader can change at run time"))
    }

    /// The middleware's own counters.
    fn counters(&self) -> Counters {
        Counters::default()
    }
}
