//! A writer: `WRITE_DATA` for a `DataWriter` of the agent's.

use std::time::{Duration, Instant};

use busmark_adapter::{EndpointConfig, Error, Header, Payload, Result, Status, Writer};

use crate::options::Settings;
use crate::participant::Made;
use crate::sample::Sample;

/// How long a write may wait where nothing else is asked for.
const BLOCKING: Duration = Duration::from_secs(1);

/// A writer.
pub struct XrceWriter {
    made: Made,
    payload: Payload,
    settings: Settings,
    reliable: bool,
    blocking: Duration,
    settled: Instant,
}

impl XrceWriter {
    pub(crate) fn new(made: Made, config: &EndpointConfig, settings: &Settings) -> Self {
        let blocking = u64::try_from(config.qos.max_blocking_ns).unwrap_or(0);
        Self {
            made,
            payload: config.payload,
            settings: settings.clone(),
            reliable: config.qos.reliable.unwrap_or(true),
            blocking: if blocking == 0 { BLOCKING } else { Duration::from_nanos(blocking) },
            settled: Instant::now() + Duration::from_millis(settings.settle_ms),
        }
    }
}

impl Writer for XrceWriter {
    type Sample = Sample;

    fn prepare(&self, body: &[u8]) -> Result<Sample> {
        Ok(Sample::new(self.payload, body))
    }

    #[inline]
    fn write(&self, sample: &mut Sample, header: &Header) -> std::result::Result<(), Status> {
        let bytes = sample.stamped(header);
        let messages = self.settings.messages(bytes.len());
        let Made { session, endpoint, .. } = &self.made;
        session.write(*endpoint, bytes, messages, self.reliable, self.blocking)
    }

    /// Unknown; but until then the agent has matched it.
    fn matched(&self) -> std::result::Result<u32, Status> {
        std::thread::sleep(self.settled.saturating_duration_since(Instant::now()));
        Err(Status::Unsupported)
    }

    fn last_error(&self) -> Option<Error> {
        self.made.session.last_error()
    }
}
