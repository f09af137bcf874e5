//! One side of a service, with the names by which its endpoints are listed.

use std::ops::Deref;

use busmark_adapter::{
    AnyService, EndpointConfig, Error, ReaderHandle, ServiceHandle, Side, Status, WriterHandle,
    service_topics,
};

use super::Context;
use crate::protocol::Failure;

/// A client or a server of a service.
pub struct ServiceEnd {
    name: String,
    written: String,
    read: String,
    end: AnyService,
}

impl ServiceEnd {
    /// Makes one side of the service that `config` names by its topic.
    pub fn new(
        context: &Context,
        config: &EndpointConfig,
        side: Side,
        id: u32,
    ) -> Result<Self, Error> {
        let (requests, responses) = service_topics(&config.topic);
        let (written, read) = match side {
            Side::Client => (requests, responses),
            Side::Server => (responses, requests),
        };
        let end = AnyService::new(&context.participant, config, side, id)?;
        Ok(Self { name: config.topic.clone(), written, read, end })
    }

    /// Has the caller promise that one thread alone sends, so that nothing is locked.
    pub fn by_one_thread(self) -> Self {
        Self { end: self.end.by_one_thread(), ..self }
    }

    /// The writer with its topic, where the service goes by two topics.
    pub fn writer(&self) -> Option<(&str, &WriterHandle)> {
        self.end.endpoints().map(|(writer, _)| (self.written.as_str(), writer))
    }

    /// The reader with its topic, where the service goes by two topics.
    pub fn reader(&self) -> Option<(&str, &ReaderHandle)> {
        self.end.endpoints().map(|(_, reader)| (self.read.as_str(), reader))
    }

    /// The middleware's own end with its name, where it has services.
    pub fn named(&self) -> Option<(&str, &ServiceHandle)> {
        self.end.native().map(|end| (self.name.as_str(), end))
    }

    /// Why `what` could not be sent after `count` of them, in the middleware's words.
    #[cold]
    pub fn failure(&self, what: &str, count: u64, status: Status) -> Failure {
        let words = match self.end.last_error() {
            Some(error) if error.status == status => error.to_string(),
            _ => status.to_string(),
        };
        Failure::new("failed", format!("a {what} failed after {count} {what}s: {words}"))
    }
}

impl Deref for ServiceEnd {
    type Target = AnyService;

    #[inline]
    fn deref(&self) -> &AnyService {
        &self.end
    }
}
