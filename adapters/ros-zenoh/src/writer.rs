//! A publisher.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use busmark_adapter::{EndpointConfig, Header, Match, Qos, Result, Status, Writer};
use zenoh::Wait;
use zenoh::liveliness::LivelinessToken;
use zenoh::matching::MatchingListener;
use zenoh::qos::{CongestionControl, Reliability};
use zenoh_ext::{AdvancedPublisher, AdvancedPublisherBuilderExt, CacheConfig, MissDetectionConfig};

use crate::attachment::{GID_BYTES, attachment};
use crate::graph::Watch;
use crate::message::{message, serialised};
use crate::participant::{Context, announce, failed};
use crate::token::{self, Kind};

/// How often a reliable publisher with a cache says which sample was its last, if it has written since.
const HEARTBEAT: Duration = Duration::from_millis(500);

/// A publisher.
pub struct RosWriter {
    // Dropped in this order, the session last.
    _token: LivelinessToken,
    _matching: MatchingListener<()>,
    publisher: AdvancedPublisher<'static>,
    sequence: AtomicI64,
    gid: [u8; GID_BYTES],
    /// Ready while zenoh knows of a subscriber.
    readers: Watch,
    /// Whether late readers get what was written before.
    keeps: bool,
    _context: Arc<Context>,
}

impl RosWriter {
    /// Declares it.
    pub fn new(context: Arc<Context>, config: &EndpointConfig) -> Result<Self> {
        let topic = busmark_ros::topic(&config.topic);
        let qos = busmark_ros::settled(&config.qos);
        let publisher = declare(&context, &topic, &qos)?;
        let name = context.node.endpoint(context.next(), Kind::Publisher, &topic, &qos);
        let gid = token::gid(&name);
        let readers = context.graph.watch(Kind::Publisher.other(), &topic);
        let matching = matching(&publisher, &readers)?;
        let token = announce(&context.session, name)?;
        Ok(Self {
            _token: token,
            _matching: matching,
            publisher,
            sequence: AtomicI64::new(1),
            gid,
            readers,
            keeps: qos.transient_local == Some(true),
            _context: context,
        })
    }
}

/// As the document maps QoS: only who is reliable and keeps all waits for room.
fn declare(context: &Context, topic: &str, qos: &Qos) -> Result<AdvancedPublisher<'static>> {
    let reliable = qos.reliable == Some(true);
    let keep_all = qos.keep_all == Some(true);
    let (congestion, reliability) = match (reliable, keep_all) {
        (true, true) => (CongestionControl::Block, Reliability::Reliable),
        (true, false) => (CongestionControl::Drop, Reliability::Reliable),
        (false, _) => (CongestionControl::Drop, Reliability::BestEffort),
    };
    let mut builder = context
        .session
        .declare_publisher(token::key(context.node.domain, topic))
        .congestion_control(congestion)
        .reliability(reliability)
        .advanced();
    if qos.transient_local == Some(true) {
        let cache = CacheConfig::default().max_samples(kept(qos));
        builder = builder.publisher_detection().cache(cache);
        if reliable {
            let heartbeats = MissDetectionConfig::default().sporadic_heartbeat(HEARTBEAT);
            builder = builder.sample_miss_detection(heartbeats);
        }
    }
    builder.wait().map_err(|error| failed("publisher", error))
}

/// Keeps the watch ready while there is a subscriber.
fn matching(publisher: &AdvancedPublisher, readers: &Watch) -> Result<MatchingListener<()>> {
    let wrong = |error| failed("matching", error);
    let set = readers.gate();
    set(false);
    let gate = readers.gate();
    let listener = publisher.matching_listener().callback(move |status| gate(status.matching()));
    let listener = listener.wait().map_err(wrong)?;
    // It says what changes from now on.
    if publisher.matching_status().wait().map_err(wrong)?.matching() {
        set(true);
    }
    Ok(listener)
}

/// Samples that a cache or a queue keeps.
pub fn kept(qos: &Qos) -> usize {
    if qos.keep_all == Some(true) { usize::MAX } else { qos.depth.max(1) as usize }
}

impl Writer for RosWriter {
    type Sample = Vec<u8>;

    fn prepare(&self, body: &[u8]) -> Result<Vec<u8>> {
        Ok(message(body))
    }

    #[inline]
    fn write(&self, sample: &mut Vec<u8>, header: &Header) -> std::result::Result<(), Status> {
        let sequence = self.sequence.fetch_add(1, Ordering::Relaxed);
        // Nobody is there to read it, and zenoh would drop it; but to a session that it has just connected
        // to it would send it all the same, where a reader may be made before it arrives.
        if !self.keeps && !self.readers.ready() {
            return Ok(());
        }
        self.publisher
            .put(serialised(sample, header))
            .attachment(attachment(sequence, &self.gid))
            .wait()
            .map_err(|_| Status::Failed)
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        Ok(self.readers.get().count)
    }

    fn match_event(&self) -> std::result::Result<Match, Status> {
        Ok(self.readers.get())
    }
}
