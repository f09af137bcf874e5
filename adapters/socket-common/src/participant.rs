//! A participant whose endpoints are over connections.

use std::sync::Arc;

use busmark_adapter::{EndpointConfig, Listener, Participant, Result};

use crate::{Family, StreamReader, StreamWriter};

/// Makes endpoints over the sockets of a family.
pub struct StreamParticipant(Arc<dyn Family>);

impl StreamParticipant {
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
}
