//! One end of a service (C39 to C44): its server, or a client.

use std::ffi::c_void;
use std::time::Duration;

use crate::abi::{Handle, Header};
use crate::error::{Error, Result, Status};
use crate::events::Match;
use crate::listener::Sink;

/// `busmark_side_e`: an end of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Sends requests, takes responses.
    Client = 1,
    /// Takes requests, sends responses.
    Server = 2,
}

impl Side {
    pub(crate) fn from_c(side: u32) -> Result<Self> {
        match side {
            1 => Ok(Self::Client),
            2 => Ok(Self::Server),
            _ => Err(Status::Invalid.error(format!("a service has no side {side}"))),
        }
    }
}

/// One end of a service. State of the hot path belongs in a [`HotCell`](crate::HotCell): one thread
/// takes, waits and drops, another may send (C44).
pub trait Service: Send + Sync + 'static {
    /// A native request or response, prepared once.
    type Sample: Send + 'static;

    /// Makes a native request or response with this body, no larger than the end's largest.
    fn prepare(&self, body: &[u8]) -> Result<Self::Sample>;

    /// Client: hands a request to the middleware and stores the number by which its response will be
    /// known. Server: answers the request with this handle (C40). Hot.
    fn send(
        &self,
        sample: &mut Self::Sample,
        header: &Header,
        request: &mut u64,
    ) -> std::result::Result<(), Status>;

    /// Gives at most `max` responses or requests to the sink, by
    /// [`Sink::deliver_request`], and returns how many, never 0. Hot.
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status>;

    /// Sleeps until there is something to take (C23), for adapters whose services have the waitset. Hot.
    fn wait(&self, _timeout: Duration) -> std::result::Result<(), Status> {
        Err(Status::Unsupported)
    }

    /// Client: awaits this response no more. Server: will not answer this request (C41). Hot.
    fn forget(&self, _request: u64) -> std::result::Result<(), Status> {
        Ok(())
    }

    /// Ends of the other side that are ready, and when that changed (C43).
    fn matched(&self) -> std::result::Result<Match, Status> {
        Err(Status::Unsupported)
    }

    /// What failed last on the hot path, in the middleware's words (C32).
    fn last_error(&self) -> Option<Error> {
        None
    }

    /// The text by which clients find this server (C39, C25).
    fn locator(&self) -> std::result::Result<String, Status> {
        Err(Status::Unsupported)
    }

    /// Connects a client to a server by its locator (C39, C25).
    fn connect(&self, _locator: &str) -> Result<()> {
        Err(Status::Unsupported.error("clients of this middleware do not connect to servers"))
    }
}

/// An end of a service of any adapter: `ServiceEnd::new(my_client)`.
pub struct ServiceEnd(pub(crate) Box<dyn Erased>);

/// [`Service`] with samples behind handles.
pub(crate) trait Erased: Send + Sync {
    fn prepare(&self, body: &[u8]) -> Result<Handle>;
    /// # Safety
    /// The sample came from `prepare` of this end, and is given back once.
    unsafe fn discard(&self, sample: Handle);
    /// # Safety
    /// The sample came from `prepare` of this end, and no other thread uses it.
    unsafe fn send(
        &self,
        sample: Handle,
        header: &Header,
        request: &mut u64,
    ) -> std::result::Result<(), Status>;
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status>;
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status>;
    fn forget(&self, request: u64) -> std::result::Result<(), Status>;
    fn matched(&self) -> std::result::Result<Match, Status>;
    fn last_error(&self) -> Option<Error>;
    fn locator(&self) -> std::result::Result<String, Status>;
    fn connect(&self, locator: &str) -> Result<()>;
}

impl<T: Service> Erased for T {
    fn prepare(&self, body: &[u8]) -> Result<Handle> {
        Ok(Box::into_raw(Box::new(Service::prepare(self, body)?)).cast::<c_void>())
    }

    unsafe fn discard(&self, sample: Handle) {
        // SAFETY: promised by the caller.
        drop(unsafe { Box::from_raw(sample.cast::<T::Sample>()) });
    }

    #[inline]
    unsafe fn send(
        &self,
        sample: Handle,
        header: &Header,
        request: &mut u64,
    ) -> std::result::Result<(), Status> {
        // SAFETY: promised by the caller.
        Service::send(self, unsafe { &mut *sample.cast::<T::Sample>() }, header, request)
    }

    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        Service::take(self, max, sink)
    }

    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        Service::wait(self, timeout)
    }

    fn forget(&self, request: u64) -> std::result::Result<(), Status> {
        Service::forget(self, request)
    }

    fn matched(&self) -> std::result::Result<Match, Status> {
        Service::matched(self)
    }

    fn last_error(&self) -> Option<Error> {
        Service::last_error(self)
    }

    fn locator(&self) -> std::result::Result<String, Status> {
        Service::locator(self)
    }

    fn connect(&self, locator: &str) -> Result<()> {
        Service::connect(self, locator)
    }
}

impl ServiceEnd {
    /// This client or server.
    pub fn new(end: impl Service) -> Self {
        Self(Box::new(end))
    }
}
