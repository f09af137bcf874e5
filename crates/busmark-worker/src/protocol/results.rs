//! What commands yield: results in the reply, and what comes in frames before it.

use std::collections::BTreeMap;

use busmark_adapter::Counters;
use busmark_measure::ClockPair;
use schemars::JsonSchema;
use serde::Serialize;

/// Result of `serve`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ServeResult {
    /// Address that participants get in their option `server`.
    pub address: String,
}

/// Result of `setup`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct SetupResult {
    /// Locators of this worker's readers, by topic; empty with discovery, and where writers bind.
    pub locators: BTreeMap<String, Vec<String>>,
    /// Locators of this worker's writers, by topic; empty with discovery, and where readers bind.
    pub writer_locators: BTreeMap<String, Vec<String>>,
    /// Endpoints of this worker, by topic.
    pub endpoints: BTreeMap<String, Endpoints>,
    /// When the last of them had been made, ns.
    pub ready_ns: i64,
    /// Both clocks of this worker's host.
    pub clocks: Clocks,
    /// Memory of this worker's process that holds what it records, bytes.
    pub recorder_bytes: u64,
}

/// The same moment by two clocks.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub struct Clocks {
    /// `CLOCK_MONOTONIC`, ns: the clock of all stamps.
    pub monotonic_ns: i64,
    /// `CLOCK_REALTIME`, ns since 1970: the clock of packet captures and of a middleware's own
    /// stamps.
    pub realtime_ns: i64,
    /// How far the moments may be apart, either way, ns.
    pub bound_ns: i64,
}

impl From<ClockPair> for Clocks {
    fn from(pair: ClockPair) -> Self {
        let ClockPair { monotonic_ns, realtime_ns, bound_ns } = pair;
        Self { monotonic_ns, realtime_ns, bound_ns }
    }
}

/// Number of endpoints.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
#[allow(missing_docs)]
pub struct Endpoints {
    pub writers: u32,
    pub readers: u32,
}

/// Result of `run`, one for each active role.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RunReport {
    /// pinger, transmitter, batcher or late joiner.
    pub role: String,
    /// Its writer.
    pub writer: u32,
    /// Samples written in the measured time.
    pub sent: u64,
    /// Start of the measured time, ns.
    pub begin_ns: i64,
    /// When the last sample was sent, ns.
    pub last_ns: i64,
    /// End of the measured time, ns: the last write had returned.
    pub end_ns: i64,
    /// Length of the warm-up, ns.
    pub warmup_ns: i64,
    /// duration, samples, `recorder_full`, stopped (by `set`), or late: the schedule could not be kept up
    /// with.
    pub ended: String,
    /// Writes that the middleware refused for a while (reliable writer blocked).
    pub blocked: u64,
}

/// Account of one writer's samples at a reader: a row of the frame `accounts`.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[allow(missing_docs)]
pub struct WriterAccount {
    pub writer: u32,
    pub received: u64,
    pub missing: u64,
    pub duplicated: u64,
    pub out_of_order: u64,
    pub ancient: u64,
}

/// Counters over time: a row of the frame `accounts`, and rows of the frame `intervals`.
#[derive(Debug, Default)]
pub struct IntervalReport {
    /// Whose samples are counted.
    pub writer: u32,
    /// Length of an interval, ns.
    pub width_ns: i64,
    /// When the first and last sample was counted, ns.
    pub span_ns: Option<(i64, i64)>,
    /// Samples per interval.
    pub samples: Vec<u64>,
    /// Bytes per interval.
    pub bytes: Vec<u64>,
}

/// Batches of one writer as a reader saw them; one entry of each list for each batch that began: a row
/// of the frame `batches`.
#[derive(Debug, Default)]
pub struct BatchesReport {
    /// Whose batches.
    pub writer: u32,
    /// From 0, without the batches of the warm-up.
    pub number: Vec<u64>,
    /// When its start came; of several the last before its first sample.
    pub start_ns: Vec<i64>,
    /// When its end came, or the last of its samples if that was later. Where the end as first sent
    /// never came, when the last sample came; null if none did.
    pub end_ns: Vec<Option<i64>>,
    /// Whether the end came as first sent.
    pub ended: Vec<bool>,
    /// Distinct samples.
    pub received: Vec<u64>,
    /// Bytes of their bodies.
    pub bytes: Vec<u64>,
}

/// What a batcher knows of its batches beside their stamps; one entry of each list for each batch: a row
/// of the frame `sent_batches`.
#[derive(Debug, Default)]
pub struct SentBatchesReport {
    /// Samples that every reader acknowledged; empty where single samples are not acknowledged.
    pub acknowledged: Vec<u64>,
    /// Time for which acknowledgements of single samples were awaited in vain, ns.
    pub waited_ns: Vec<i64>,
}

/// One repetition of a late joiner: a row of the frame `discoveries`. Times are by `CLOCK_MONOTONIC` of the
/// host that took them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Appearance {
    /// Just before the first call that makes something.
    pub begin_ns: i64,
    /// When the participant had been made, if one was.
    pub attached_ns: Option<i64>,
    /// When the call that makes the endpoint had returned.
    pub created_ns: i64,
    /// As `after_ns` of a sighting, for the late joiner's own match.
    pub own_after_ns: Option<i64>,
    /// When the late joiner's own match was there.
    pub own_at_ns: Option<i64>,
    /// The same on the resident's side.
    pub peer_after_ns: Option<i64>,
    /// When the resident's match was there, by its clock.
    pub peer_at_ns: Option<i64>,
    /// When the first sample had been received, by the clock of who received it.
    pub first_ns: Option<i64>,
    /// Samples that a new writer sent.
    pub sent: i64,
    /// Samples before the first received one that did not arrive, though the creation had returned.
    pub lost: Option<i64>,
    /// When everything was closed again.
    pub closed_ns: i64,
}

/// Result of `collect`, one for each role.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct RoleReport {
    /// pinger, responder, transmitter, batcher, receiver, late joiner, resident or idle endpoint.
    pub role: String,
    /// Writer of its own samples.
    pub writer: u32,
    /// By writer; in a frame.
    #[serde(skip)]
    pub accounts: Vec<WriterAccount>,
    /// Samples with another cookie, or of a writer that nobody announced.
    pub foreign: u64,
    /// Bodies that differ from what was written: of all if they are verified, else of one in a thousand.
    /// Absent where bodies cannot be seen.
    pub corrupted: Option<u64>,
    /// Bodies of another size than this end is for, which `corrupted` does not count.
    pub other_size: Option<OtherSize>,
    /// Samples that could not be echoed.
    pub echo_failures: u64,
    /// Rows in its frame `samples`, which precedes this reply.
    pub rows: usize,
    /// Samples that a receiver was to record and had no row for.
    pub unrecorded: u64,
    /// Rows in its other frames, by their names; there is none without rows.
    pub frames: BTreeMap<String, usize>,
    /// Counters over time by writer, where the role keeps them; in frames.
    #[serde(skip)]
    pub intervals: Vec<IntervalReport>,
    /// A receiver's batches, by writer; in a frame.
    #[serde(skip)]
    pub batches: Vec<BatchesReport>,
    /// A batcher's own; in a frame.
    #[serde(skip)]
    pub sent_batches: Option<SentBatchesReport>,
    /// A late joiner's repetitions; in a frame.
    #[serde(skip)]
    pub appearances: Vec<Appearance>,
    /// The middleware's own counters of the role's writer.
    #[schemars(with = "Option<BTreeMap<String, Option<u64>>>")]
    pub writer_counters: Option<Counters>,
    /// The middleware's own counters of the role's reader.
    #[schemars(with = "Option<BTreeMap<String, Option<u64>>>")]
    pub reader_counters: Option<Counters>,
    /// How the role answers or continues: inline (from the listener), thread (handed over) or loop.
    pub reply_mode: String,
}

/// Bodies that were looked at, of another size than the reading end is for: on the bus each end has a
/// definition of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OtherSize {
    /// How many.
    pub samples: u64,
    /// Bytes of the last of them.
    pub bytes: u64,
    /// Bytes that its reader expected.
    pub expected: u64,
}

/// Result of `conclude`, one for each role.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Conclusion {
    /// As in the result of `collect`.
    pub role: String,
    /// Writer of its own samples.
    pub writer: u32,
    /// As in the result of `collect`.
    pub foreign: u64,
    /// As in the result of `collect`.
    pub corrupted: Option<u64>,
    /// As in the result of `collect`.
    pub other_size: Option<OtherSize>,
    /// As in the result of `collect`.
    pub echo_failures: u64,
    /// Samples received of all writers.
    pub received: u64,
    /// Samples that are missing of all writers, by their sequence numbers.
    pub missing: u64,
    /// By writer: what was received of what its sequence numbers say was sent.
    pub accounts: Vec<WriterAccount>,
    /// By writer: what was counted, and from when to when.
    pub streams: Vec<Streamed>,
    /// By segment: the best 100, 99.9, 99 and 90 percent. Segments between two clocks are not among
    /// them, nor is one without a sample.
    pub segments: BTreeMap<&'static str, Vec<Best>>,
}

/// What was counted of a writer's samples.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Streamed {
    /// Whose samples.
    pub writer: u32,
    /// Samples.
    pub samples: u64,
    /// Bytes of their bodies.
    pub bytes: u64,
    /// From the first to the last, ns; null before the first.
    pub span_ns: Option<i64>,
}

/// The shortest of many times.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Best {
    /// How many of a hundred.
    pub percent: f64,
    /// How many.
    pub count: usize,
    /// The shortest.
    pub min_ns: i64,
    /// Their mean.
    pub mean_ns: f64,
    /// The longest of them.
    pub max_ns: i64,
    /// Their sample standard deviation; null for one.
    pub deviation_ns: Option<f64>,
}

impl IntervalReport {
    /// The counters as they stand.
    pub fn of(writer: u32, intervals: &busmark_measure::Intervals) -> Self {
        let finished = intervals.finished();
        Self {
            writer,
            width_ns: intervals.width_ns(),
            span_ns: intervals.span_ns(),
            samples: finished.iter().map(|i| i.samples).collect(),
            bytes: finished.iter().map(|i| i.bytes).collect(),
        }
    }
}
