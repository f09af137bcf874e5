//! Quality of service: what is asked for, as an XML profile of the library. What is not asked for stays
//! at the library's default (C8), or at what the library's own profile for such endpoints has.

use std::ffi::CStr;
use std::fmt::Write as _;

use busmark_adapter::{EndpointConfig, Qos, QosValue, Result};

use crate::config::{Base, Settings};
use crate::factory::escape;
use crate::types::Shape;

/// The values that have their effect here.
pub const HONOURED: &[QosValue] = &[
    QosValue::BestEffort,
    QosValue::Reliable,
    QosValue::KeepLast,
    QosValue::KeepAll,
    QosValue::Volatile,
    QosValue::TransientLocal,
    QosValue::Lifespan,
    QosValue::Deadline,
    QosValue::LatencyBudget,
    QosValue::TransportPriority,
    QosValue::Partition,
    QosValue::OwnershipStrength,
    QosValue::OrderBySource,
    QosValue::ResourceLimits,
    QosValue::TimeBasedFilter,
];

/// The values that can change while traffic flows. The library refuses a new transport priority; a new
/// latency budget parts writer and reader until both have it, and samples written meanwhile are lost.
pub const MUTABLE: &[QosValue] = &[
    QosValue::Lifespan,
    QosValue::Deadline,
    QosValue::Partition,
    QosValue::OwnershipStrength,
    QosValue::TimeBasedFilter,
];

/// Library and profile of [`Profile::document`].
pub const LIBRARY: &CStr = c"busmark_endpoints";
/// As above.
pub const PROFILE: &CStr = c"endpoint";

/// Bodies above this come from the heap, as in the library's profiles for large data; smaller ones
/// from a pool of buffers of the endpoint's size. Unbounded types need the bound.
const POOL_BUFFER_BYTES: u64 = 32_768;
/// Unacknowledged samples at which a writer of the library's reliable profiles blocks, and its marks.
const SEND_WINDOW: i32 = 40;
/// Samples of batches that a reader holds: the library's profile says to raise its 256 for them.
const BATCHED_SAMPLES: i32 = 8192;

/// An endpoint's profile: for a writer and for a reader.
#[derive(Clone, Debug)]
pub struct Profile {
    qos: Qos,
    base: Option<Starting>,
    asynchronous: bool,
    batch_bytes: Option<u64>,
    pool_bytes: u64,
}

impl Profile {
    /// For an endpoint of a participant with these settings.
    pub fn new(settings: &Settings, config: &EndpointConfig) -> Result<Self> {
        let wire_bytes = Shape::new(config).wire_bytes(config.max_body_bytes);
        let large = settings.exceeds_message(wire_bytes);
        Ok(Self {
            qos: config.qos.clone(),
            base: base(settings.base, &config.qos, large),
            asynchronous: settings.asynchronous(wire_bytes)?,
            batch_bytes: settings.batch_bytes,
            pool_bytes: wire_bytes.min(POOL_BUFFER_BYTES),
        })
    }

    /// Takes over what changes.
    pub fn change(&mut self, qos: &Qos) {
        let own = &mut self.qos;
        own.lifespan_ns = qos.lifespan_ns.or(own.lifespan_ns);
        own.deadline_ns = qos.deadline_ns.or(own.deadline_ns);
        own.partition = qos.partition.clone().or(own.partition.take());
        own.ownership_strength = qos.ownership_strength.or(own.ownership_strength);
        own.time_based_filter_ns = qos.time_based_filter_ns.or(own.time_based_filter_ns);
    }

    /// Values of the request that a writer has.
    pub fn concerns_writer(qos: &Qos) -> bool {
        qos.values().iter().any(|value| *value != QosValue::TimeBasedFilter)
    }

    /// Values of the request that a reader has.
    pub fn concerns_reader(qos: &Qos) -> bool {
        let writers = [QosValue::Lifespan, QosValue::OwnershipStrength];
        qos.values().iter().any(|value| !writers.contains(value))
    }

    /// The document with this one profile.
    pub fn document(&self) -> String {
        let mut x =
            String::from("<qos_library name='busmark_endpoints'><qos_profile name='endpoint'");
        if let Some(Starting { profile, snippet }) = self.base {
            put(&mut x, format_args!(" base_name='BuiltinQosLib::{profile}'>"));
            if let Some(snippet) = snippet {
                let library = "BuiltinQosSnippetLib::Optimization.ReliabilityProtocol";
                put(
                    &mut x,
                    format_args!("<base_name><element>{library}.{snippet}</element></base_name>"),
                );
            }
        } else {
            x.push('>');
        }
        self.group(&mut x, "publisher_qos");
        self.group(&mut x, "subscriber_qos");
        self.writer(&mut x);
        self.reader(&mut x);
        x.push_str("</qos_profile></qos_library>");
        x
    }

    fn group(&self, x: &mut String, tag: &str) {
        if let Some(partition) = &self.qos.partition {
            let name = escape(partition);
            put(
                x,
                format_args!(
                    "<{tag}><partition><name><element>{name}</element></name></partition></{tag}>"
                ),
            );
        }
    }

    fn writer(&self, x: &mut String) {
        x.push_str("<datawriter_qos>");
        self.common(x);
        if let Some(lifespan) = self.qos.lifespan_ns {
            put(
                x,
                format_args!("<lifespan>{}</lifespan>", Duration { tag: "duration", ns: lifespan }),
            );
        }
        if let Some(strength) = self.qos.ownership_strength {
            put(
                x,
                format_args!("<ownership_strength><value>{strength}</value></ownership_strength>"),
            );
        }
        if let Some(priority) = self.qos.transport_priority {
            put(
                x,
                format_args!("<transport_priority><value>{priority}</value></transport_priority>"),
            );
        }
        if self.asynchronous {
            x.push_str("<publish_mode><kind>ASYNCHRONOUS_PUBLISH_MODE_QOS</kind></publish_mode>");
        }
        if let Some(bytes) = self.batch_bytes {
            // The figures of the library's snippet QosPolicy.Batching.Enable.
            let delay = Duration { tag: "max_flush_delay", ns: 10_000_000 };
            put(
                x,
                format_args!(
                    "<batch><enable>true</enable><max_data_bytes>{bytes}</max_data_bytes>\
                     <max_samples>LENGTH_UNLIMITED</max_samples>{delay}</batch>"
                ),
            );
        }
        Self::limits(x, self.qos.max_samples);
        self.window(x);
        self.pool(x, "writer");
        x.push_str("</datawriter_qos>");
    }

    fn reader(&self, x: &mut String) {
        x.push_str("<datareader_qos>");
        self.common(x);
        if let Some(separation) = self.qos.time_based_filter_ns {
            let separation = Duration { tag: "minimum_separation", ns: separation };
            put(x, format_args!("<time_based_filter>{separation}</time_based_filter>"));
        }
        let batched = self.batch_bytes.is_some().then_some(BATCHED_SAMPLES);
        Self::limits(x, self.qos.max_samples.or(batched));
        self.pool(x, "reader");
        x.push_str("</datareader_qos>");
    }

    /// What writers and readers have in common.
    fn common(&self, x: &mut String) {
        let qos = &self.qos;
        if let Some(reliable) = qos.reliable {
            let kind = if reliable { "RELIABLE" } else { "BEST_EFFORT" };
            put(x, format_args!("<reliability><kind>{kind}_RELIABILITY_QOS</kind>"));
            if qos.max_blocking_ns > 0 {
                let limit = Duration { tag: "max_blocking_time", ns: qos.max_blocking_ns };
                put(x, format_args!("{limit}"));
            }
            x.push_str("</reliability>");
        }
        match qos.keep_all {
            Some(true) => x.push_str("<history><kind>KEEP_ALL_HISTORY_QOS</kind></history>"),
            Some(false) => put(
                x,
                format_args!(
                    "<history><kind>KEEP_LAST_HISTORY_QOS</kind><depth>{}</depth></history>",
                    qos.depth
                ),
            ),
            None => (),
        }
        if let Some(transient_local) = qos.transient_local {
            let kind = if transient_local { "TRANSIENT_LOCAL" } else { "VOLATILE" };
            put(x, format_args!("<durability><kind>{kind}_DURABILITY_QOS</kind></durability>"));
        }
        if let Some(ns) = qos.deadline_ns {
            put(x, format_args!("<deadline>{}</deadline>", Duration { tag: "period", ns }));
        }
        if let Some(ns) = qos.latency_budget_ns {
            let budget = Duration { tag: "duration", ns };
            put(x, format_args!("<latency_budget>{budget}</latency_budget>"));
        }
        if qos.ownership_strength.is_some() {
            x.push_str("<ownership><kind>EXCLUSIVE_OWNERSHIP_QOS</kind></ownership>");
        }
        if qos.order_by_source {
            x.push_str(
                "<destination_order><kind>BY_SOURCE_TIMESTAMP_DESTINATIONORDER_QOS</kind>\
                 </destination_order>",
            );
        }
    }

    fn limits(x: &mut String, max_samples: Option<i32>) {
        if let Some(limit) = max_samples {
            let initial = limit.min(32);
            put(
                x,
                format_args!(
                    "<resource_limits><max_samples>{limit}</max_samples>\
                     <initial_samples>{initial}</initial_samples>\
                     <max_samples_per_instance>{limit}</max_samples_per_instance>\
                     </resource_limits>"
                ),
            );
        }
    }

    /// The window of unacknowledged samples and its marks must not exceed what a writer holds.
    fn window(&self, x: &mut String) {
        let Some(limit) = self.qos.max_samples.filter(|limit| *limit < SEND_WINDOW) else { return };
        let window = limit.max(1);
        let (high, low, beats) = ((window * 5 / 8).max(1), window / 4, window.min(8));
        put(
            x,
            format_args!(
                "<protocol><rtps_reliable_writer><max_send_window_size>{window}\
                 </max_send_window_size><min_send_window_size>{window}</min_send_window_size>\
                 <high_watermark>{high}</high_watermark><low_watermark>{low}</low_watermark>\
                 <heartbeats_per_max_samples>{beats}</heartbeats_per_max_samples>\
                 </rtps_reliable_writer></protocol>"
            ),
        );
    }

    fn pool(&self, x: &mut String, side: &str) {
        let bytes = self.pool_bytes;
        put(
            x,
            format_args!(
                "<property><value><element>\
                 <name>dds.data_{side}.history.memory_manager.fast_pool.pool_buffer_max_size</name>\
                 <value>{bytes}</value></element></value></property>"
            ),
        );
    }
}

/// What the library itself brings for an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Starting {
    profile: &'static str,
    snippet: Option<&'static str>,
}

/// The library's own profile for such an endpoint; `None` for its plain defaults.
fn base(base: Base, qos: &Qos, large: bool) -> Option<Starting> {
    if base == Base::None || qos.reliable != Some(true) {
        return None;
    }
    let keep_all = qos.keep_all == Some(true);
    let profile = match (keep_all, large) {
        (true, false) => "Generic.StrictReliable",
        (true, true) => "Generic.StrictReliable.LargeData",
        (false, false) => "Generic.KeepLastReliable",
        (false, true) => "Generic.KeepLastReliable.LargeData",
    };
    // These bound what is unacknowledged, which is for writers that keep all, and small samples.
    let snippet = match base {
        Base::LowLatency if keep_all && !large => Some("LowLatency"),
        Base::HighRate if keep_all && !large => Some("HighRate"),
        _ => None,
    };
    Some(Starting { profile, snippet })
}

/// A duration in the library's XML.
struct Duration {
    tag: &'static str,
    ns: i64,
}

impl std::fmt::Display for Duration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (tag, ns) = (self.tag, self.ns.max(0));
        // The library's times end in 2038 and its durations at 2^31 - 1 seconds.
        let (sec, nanosec) = (ns / 1_000_000_000, ns % 1_000_000_000);
        if sec >= i64::from(i32::MAX) {
            write!(
                f,
                "<{tag}><sec>DURATION_INFINITE_SEC</sec><nanosec>DURATION_INFINITE_NSEC</nanosec>\
                 </{tag}>"
            )
        } else {
            write!(f, "<{tag}><sec>{sec}</sec><nanosec>{nanosec}</nanosec></{tag}>")
        }
    }
}

fn put(x: &mut String, text: std::fmt::Arguments) {
    x.write_fmt(text).expect("a String takes all");
}
