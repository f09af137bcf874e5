//! An end of a service of any adapter: the middleware's own, or by two topics where it has none.
//!
//! By two topics a request is a sample of the topic `NAME_request`, a response one of `NAME_response`, as
//! the basic profile of DDS-RPC 1.0 (OMG formal/17-04-01, 7.8.2) describes it: all clients read the one topic
//! of responses, and each keeps those whose related identity (writer and sequence number of the request)
//! is its own. Busmark's header carries that identity.
//!
//! Where nothing is said of it, both topics are reliable, keep all, and are volatile, as far as the adapter
//! declares that: what requesters and repliers of DDS do. Without the last a server that comes again
//! would be given, by some middleware, requests of before.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::abi::Header;
use crate::capabilities::{CapabilityReport, Feature};
use crate::config::EndpointConfig;
use crate::error::{Error, Result, Status};
use crate::events::Match;
use crate::handles::{ParticipantHandle, SampleHandle, WriterHandle};
use crate::qos::{Qos, QosValue};
use crate::reading::{ReaderHandle, Received};
use crate::service::Side;
use crate::service_handles::{ServiceHandle, ServiceSample};

/// One end of a service.
pub enum AnyService {
    /// The middleware's own.
    Native(ServiceHandle),
    /// Two topics.
    ByTopics(ServiceByTopics),
}

/// A request or response of one end.
pub enum AnyServiceSample {
    /// A sample of the middleware's own service.
    Native(ServiceSample),
    /// A sample of a topic.
    Topic(SampleHandle),
}

/// One end of a service by two topics.
pub struct ServiceByTopics {
    writer: WriterHandle,
    reader: ReaderHandle,
    side: Side,
    /// The client's number, by which it knows its responses.
    id: u32,
    /// Something may be held back in a batch, for which the other side would wait.
    batching: bool,
    /// Held by the thread that sends a response, where there are several: a writer is used by one at a
    /// time (C17), a server by several (C44).
    responding: Option<Mutex<()>>,
}

/// The topics of requests and responses of a service by two topics.
pub fn service_topics(name: &str) -> (String, String) {
    (format!("{name}_request"), format!("{name}_response"))
}

/// The QoS of both topics: what was asked for, and for the rest what the adapter declares of a service's.
fn topic_qos(asked: &Qos, capabilities: &CapabilityReport) -> Qos {
    let has = |value| capabilities.qos.contains(&value);
    Qos {
        reliable: asked.reliable.or(has(QosValue::Reliable).then_some(true)),
        keep_all: asked.keep_all.or(has(QosValue::KeepAll).then_some(true)),
        transient_local: asked.transient_local.or(has(QosValue::Volatile).then_some(false)),
        ..asked.clone()
    }
}

/// The number of a request by two topics: no other of its client has it, in or after the warm-up.
fn number(header: &Header) -> u64 {
    header.seq << 1 | u64::from(header.flags & Header::WARMUP)
}

impl AnyService {
    /// Makes one end: natively where the adapter has services. `id` is the number that a client writes
    /// into its headers, below 2^16.
    pub fn new(
        participant: &ParticipantHandle,
        config: &EndpointConfig,
        side: Side,
        id: u32,
    ) -> Result<Self> {
        if participant.library().capabilities().has(Feature::Services) {
            return participant.service(config, side).map(Self::Native);
        }
        let (requests, responses) = service_topics(&config.topic);
        let qos = topic_qos(&config.qos, participant.library().capabilities());
        let of = |topic| EndpointConfig { topic, qos: qos.clone(), ..config.clone() };
        let (written, read) = match side {
            Side::Client => (of(requests), of(responses)),
            Side::Server => (of(responses), of(requests)),
        };
        let reader = participant.reader(&read, None)?;
        let writer = participant.writer(&written)?;
        let batching = participant.library().capabilities().has(Feature::Batching);
        let responding = Some(Mutex::default());
        Ok(Self::ByTopics(ServiceByTopics { writer, reader, side, id, batching, responding }))
    }

    /// Has the caller promise that one thread alone sends, so that none waits for another.
    #[must_use]
    pub fn by_one_thread(mut self) -> Self {
        if let Self::ByTopics(service) = &mut self {
            service.responding = None;
        }
        self
    }

    /// The middleware's own end.
    pub fn native(&self) -> Option<&ServiceHandle> {
        match self {
            Self::Native(service) => Some(service),
            Self::ByTopics(_) => None,
        }
    }

    /// Its endpoints, where it goes by two topics.
    pub fn endpoints(&self) -> Option<(&WriterHandle, &ReaderHandle)> {
        match self {
            Self::Native(_) => None,
            Self::ByTopics(service) => Some((&service.writer, &service.reader)),
        }
    }

    /// Makes a native request or response with this body.
    pub fn sample(&self, body: &[u8]) -> Result<AnyServiceSample> {
        match self {
            Self::Native(service) => service.sample(body).map(AnyServiceSample::Native),
            Self::ByTopics(service) => service.writer.sample(body).map(AnyServiceSample::Topic),
        }
    }

    /// Sends a request and stores its number, or answers the request with this handle (C40). Hot.
    #[inline]
    pub fn send(
        &self,
        sample: &mut AnyServiceSample,
        header: &Header,
        request: &mut u64,
    ) -> std::result::Result<(), Status> {
        match (self, sample) {
            (Self::Native(service), AnyServiceSample::Native(sample)) => {
                service.send(sample, header, request)
            }
            (Self::ByTopics(service), AnyServiceSample::Topic(sample)) => {
                if service.side == Side::Client {
                    *request = number(header);
                    return service.write(sample, header);
                }
                let _one = service
                    .responding
                    .as_ref()
                    .map(|turn| turn.lock().unwrap_or_else(PoisonError::into_inner));
                service.write(sample, header)
            }
            _ => Err(Status::Invalid),
        }
    }

    /// Gives at most `max` requests or responses to `body`; their number, which by two topics is 0 where
    /// only others' responses were there. Hot.
    #[inline]
    pub fn take<F: FnMut(&Received)>(
        &self,
        max: u32,
        body: &mut F,
    ) -> std::result::Result<u32, Status> {
        match self {
            Self::Native(service) => service.take(max, body),
            Self::ByTopics(service) => service.take(max, body),
        }
    }

    /// Sleeps until there is something to take. Hot.
    #[inline]
    pub fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        match self {
            Self::Native(service) => service.wait(timeout),
            Self::ByTopics(service) => service.reader.wait(timeout),
        }
    }

    /// Awaits this response no more, or will not answer this request (C41). Hot.
    #[inline]
    pub fn forget(&self, request: u64) -> std::result::Result<(), Status> {
        match self {
            Self::Native(service) => service.forget(request),
            Self::ByTopics(_) => Ok(()),
        }
    }

    /// Ends of the other side that are ready (C43): by two topics those that read what this end writes
    /// and write what it reads.
    pub fn matched(&self) -> std::result::Result<Match, Status> {
        match self {
            Self::Native(service) => service.matched(),
            Self::ByTopics(ServiceByTopics { writer, reader, .. }) => {
                let count = writer.matched()?.min(reader.matched()?);
                let changed = |event: std::result::Result<Match, Status>| {
                    event.map_or(0, |event| event.changed_ns)
                };
                let (written, read) =
                    (changed(writer.match_event()), changed(reader.match_event()));
                let known = written != 0 && read != 0;
                Ok(Match { count, changed_ns: if known { written.max(read) } else { 0 } })
            }
        }
    }

    /// What failed last on the hot path (C32).
    pub fn last_error(&self) -> Option<Error> {
        match self {
            Self::Native(service) => service.last_error(),
            Self::ByTopics(service) => {
                service.writer.last_error().or_else(|| service.reader.last_error())
            }
        }
    }
}

impl ServiceByTopics {
    #[inline]
    fn write(&self, sample: &mut SampleHandle, header: &Header) -> std::result::Result<(), Status> {
        self.writer.write(sample, header)?;
        if self.batching { self.writer.flush() } else { Ok(()) }
    }

    #[inline]
    fn take<F: FnMut(&Received)>(
        &self,
        max: u32,
        body: &mut F,
    ) -> std::result::Result<u32, Status> {
        let mut own = 0;
        self.reader.take(max, &mut |received| {
            let header = received.header;
            if self.side == Side::Client && header.answers() != self.id {
                return; // another client's response
            }
            own += 1;
            body(&Received { request: number(header), ..*received });
        })?;
        Ok(own)
    }
}
