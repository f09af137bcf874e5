//! Ends of services of a loaded adapter (C39 to C44).

use std::sync::Arc;
use std::time::Duration;

use crate::abi::{Handle, Header, MatchC, ServiceSendFn, Table, TakeFn};
use crate::config::EndpointConfig;
use crate::error::{Error, Result, Status};
use crate::events::Match;
use crate::handles::{ParticipantHandle, with_endpoint};
use crate::limits;
use crate::load::{call_entry, create, last_error, locator};
use crate::reading::{ListenerContext, Received, Taker};
use crate::service::Side;
use crate::strings::owned;

struct ServiceInner {
    raw: Handle,
    send: ServiceSendFn,
    take: TakeFn,
    table: &'static Table,
    side: Side,
    context: Box<ListenerContext>,
}

// SAFETY: the contract's rules for threads (C44) are kept by the users of this handle in the worker.
unsafe impl Send for ServiceInner {}
// SAFETY: as above.
unsafe impl Sync for ServiceInner {}

impl Drop for ServiceInner {
    fn drop(&mut self) {
        if let Some(destroy) = self.table.service_destroy {
            // SAFETY: samples hold this end, so they are gone (C39); it is given back once.
            unsafe { destroy(self.raw) }
        }
    }
}

/// One end of a service: its server, or a client.
#[derive(Clone)]
pub struct ServiceHandle(Arc<ServiceInner>);

impl ParticipantHandle {
    /// Makes one end of a service (C39).
    pub fn service(&self, config: &EndpointConfig, side: Side) -> Result<ServiceHandle> {
        limits::topic(&config.topic)?;
        let table = self.table();
        let (Some(make), Some(send), Some(take)) =
            (table.service_create, table.service_send, table.service_take)
        else {
            let name = &self.library().capabilities().name;
            return Err(Status::Unsupported.error(format!("{name} has no services of its own")));
        };
        let raw = with_endpoint(config, |c| {
            // SAFETY: the handle is alive; every pointer lives during the call.
            create(|out, error| unsafe { make(self.raw(), c, side as u32, out, error) })
        })?;
        let context = Box::new(ListenerContext::new(self, config, None));
        Ok(ServiceHandle(Arc::new(ServiceInner { raw, send, take, table, side, context })))
    }
}

impl ServiceHandle {
    /// Which end it is.
    pub fn side(&self) -> Side {
        self.0.side
    }

    /// Makes a native request or response with this body.
    pub fn sample(&self, body: &[u8]) -> Result<ServiceSample> {
        let data = if body.is_empty() { std::ptr::null() } else { body.as_ptr().cast() };
        let mut raw: Handle = std::ptr::null_mut();
        // SAFETY: the handle is alive, the body lives during the call.
        call_entry(self.0.table.service_sample_create, |make, error| unsafe {
            make(self.0.raw, data, body.len() as u64, &raw mut raw, error)
        })?;
        if raw.is_null() {
            return Err(Status::Failed.error("the adapter reported success but gave no handle"));
        }
        Ok(ServiceSample { raw, service: self.clone() })
    }

    /// Sends a request and stores its number, or answers the request with this handle (C40). Hot.
    #[inline]
    pub fn send(
        &self,
        sample: &mut ServiceSample,
        header: &Header,
        request: &mut u64,
    ) -> std::result::Result<(), Status> {
        // SAFETY: both handles are alive and `&mut` keeps the sample to one thread (C44).
        Status::from_c(unsafe { (self.0.send)(self.0.raw, sample.raw, header, request) })
    }

    /// The right to take.
    #[inline]
    pub fn taker(&self) -> Taker {
        self.0.context.taker_by(self.0.raw, self.0.take)
    }

    /// Gives at most `max` responses or requests to `body`; their number. Hot.
    #[inline]
    pub fn take<F: FnMut(&Received)>(
        &self,
        max: u32,
        body: &mut F,
    ) -> std::result::Result<u32, Status> {
        self.taker().take(max, body)
    }

    /// Sleeps until there is something to take (C42). Hot.
    #[inline]
    pub fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        // SAFETY: the handle is alive.
        Status::of_entry(self.0.table.service_wait, |wait| unsafe {
            wait(self.0.raw, timeout.as_nanos() as i64)
        })
    }

    /// Awaits this response no more, or will not answer this request (C41). Hot.
    #[inline]
    pub fn forget(&self, request: u64) -> std::result::Result<(), Status> {
        // SAFETY: the handle is alive.
        Status::of_entry(self.0.table.service_drop, |forget| unsafe { forget(self.0.raw, request) })
    }

    /// Ends of the other side that are ready, and when that changed (C43).
    pub fn matched(&self) -> std::result::Result<Match, Status> {
        let mut c = MatchC { struct_size: size_of::<MatchC>() as u32, ..MatchC::default() };
        // SAFETY: the handle is alive.
        Status::of_entry(self.0.table.service_match, |ask| unsafe { ask(self.0.raw, &raw mut c) })?;
        Ok(Match { count: c.count, changed_ns: c.changed_ns })
    }

    /// What failed last on the hot path, if the adapter keeps it (C32).
    pub fn last_error(&self) -> Option<Error> {
        last_error(self.0.table.service_last_error, self.0.raw)
    }

    /// The text by which clients find this server (C25).
    pub fn locator(&self) -> std::result::Result<String, Status> {
        locator(self.0.table.service_locator, self.0.raw)
    }

    /// Connects a client to a server by its locator (C25).
    pub fn connect(&self, locator: &str) -> Result<()> {
        let locator = owned(locator);
        // SAFETY: the handle is alive, the text lives during the call.
        call_entry(self.0.table.service_connect, |connect, error| unsafe {
            connect(self.0.raw, locator.as_ptr(), error)
        })
    }
}

/// A native request or response of one end of a service.
pub struct ServiceSample {
    raw: Handle,
    service: ServiceHandle,
}

// SAFETY: a sample is used by one thread at a time (`&mut` in send).
unsafe impl Send for ServiceSample {}

impl Drop for ServiceSample {
    fn drop(&mut self) {
        if let Some(destroy) = self.service.0.table.service_sample_destroy {
            // SAFETY: the end is alive, the sample is given back once.
            unsafe { destroy(self.service.0.raw, self.raw) }
        }
    }
}
