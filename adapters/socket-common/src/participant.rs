//! A participant whose endpoints are over connections.

use std::sync::Arc;

use busmark_adapter::{
    EndpointConfig, Listener, Participant, QosValue, Result, ServiceCapabilities, ServiceEnd, Side,
    Wait,
};

use crate::service::{StreamClient, StreamServer};
use crate::{Family, StreamReader, StreamWriter};

/// Makes endpoints over the sockets of a family.
pub struct StreamParticipant(Arc<dyn Family>);

impl StreamParticipant {
    /// What its services can do.
    pub const SERVICES: ServiceCapabilities = ServiceCapabilities {
        waits: &[Wait::Waitset, Wait::Poll],
        qos: &[QosValue::Reliable, QosValue::KeepAll, QosValue::Volatile],
        requests: 0,
        clients: 0,
    };

    /// Over these.
    pub fn new(family: impl Family) -> Self {
        Self(Arc::new(family))
    }
}

impl Participant for StreamParticipant {
    type Writer = StreamWriter;
    type Reader = StreamReader;

    fn writer(&self, config: &EndpointConfig) -> Result<StreamWriter> {
        StreamWriter::new(Arc::clone(&self.0), config)
    }

    fn reader(&self, config: &EndpointConfig, listener: Option<Listener>) -> Result<StreamReader> {
        StreamReader::new(Arc::clone(&self.0), config, listener)
    }

    fn service(&self, config: &EndpointConfig, side: Side) -> Result<ServiceEnd> {
        let family = Arc::clone(&self.0);
        Ok(match side {
            Side::Client => ServiceEnd::new(StreamClient::new(family, config)?),
            Side::Server => ServiceEnd::new(StreamServer::new(family, config)?),
        })
    }
}
