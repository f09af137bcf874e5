//! A writer: a publisher, declared when the first reader is known.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use busmark_adapter::{EndpointConfig, Header, Result, Status, Writer};
use zenoh::Wait;
use zenoh::bytes::Encoding;
use zenoh::liveliness::LivelinessToken;
use zenoh::pubsub::Publisher;
use zenoh::qos::{CongestionControl, Reliability};

use crate::participant::{CONNECT_LIMIT, Peer, failed};
use crate::presence::{Others, announce};
use crate::sample::Prepared;

/// A publisher.
pub struct ZenohWriter {
    // Dropped in this order, the session last.
    token: Mutex<Option<LivelinessToken>>,
    /// A session hears all publishers of the sessions that it is connected to: a writer that is
    /// connected to nobody must not be one.
    publisher: OnceLock<Publisher<'static>>,
    readers: Others,
    config: EndpointConfig,
    peer: Arc<Peer>,
}

impl ZenohWriter {
    /// Without readers.
    pub fn new(peer: Arc<Peer>, config: &EndpointConfig) -> Result<Self> {
        peer.key(config)?;
        let readers = Others::new(&peer.session, &peer.presence(config, "reader"))?;
        let config = config.clone();
        Ok(Self { token: Mutex::new(None), publisher: OnceLock::new(), readers, config, peer })
    }

    fn declare(&self) -> Result<Publisher<'static>> {
        let (congestion, reliability) = match self.config.qos.reliable {
            Some(true) => (CongestionControl::Block, Reliability::Reliable),
            Some(false) => (CongestionControl::Drop, Reliability::BestEffort),
            // As shipped.
            None => (CongestionControl::Drop, Reliability::Reliable),
        };
        self.peer
            .session
            .declare_publisher(self.peer.key(&self.config)?)
            .encoding(Encoding::ZENOH_BYTES)
            .congestion_control(congestion)
            .reliability(reliability)
            .priority(self.peer.settings.priority)
            .express(self.peer.settings.express(&self.config))
            .wait()
            .map_err(|error| failed("publisher", error))
    }

    fn matches(&self) -> bool {
        let matching = self.publisher.get().map(|publisher| publisher.matching_status().wait());
        matching.is_some_and(|status| status.is_ok_and(|status| status.matching()))
    }
}

impl Writer for ZenohWriter {
    type Sample = Prepared;

    fn prepare(&self, body: &[u8]) -> Result<Prepared> {
        Ok(Prepared::new(self.config.payload, body))
    }

    #[inline]
    fn write(&self, sample: &mut Prepared, header: &Header) -> std::result::Result<(), Status> {
        match self.publisher.get() {
            Some(publisher) => {
                publisher.put(sample.payload(header)).wait().map_err(|_| Status::Failed)
            }
            // Nobody is there to read it.
            None => Ok(()),
        }
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        Ok(if self.matches() { self.readers.count() } else { 0 })
    }

    fn connect(&self, locator: &str) -> Result<()> {
        let reader = self.peer.connect(locator)?;
        let mut token = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        if token.is_none() {
            let publisher = self.declare()?;
            // Nobody else sets it, for the token is locked.
            let _ = self.publisher.set(publisher);
            let role = self.peer.presence(&self.config, "writer");
            *token = Some(announce(&self.peer.session, &role, &self.peer.endpoint_name())?);
        }
        // The reader declared its subscriber before its token.
        let start = Instant::now();
        while !(self.readers.has(&reader) && self.matches()) {
            if start.elapsed() > CONNECT_LIMIT {
                let text = format!("the reader of {locator} is not there, or of another topic");
                return Err(Status::Unavailable.error(text));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }
}
