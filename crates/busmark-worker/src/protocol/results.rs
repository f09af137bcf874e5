//! Results of commands: those in the reply, and the tables in frames before it.

use std::collections::BTreeMap;

use busmark_adapter::Counters;
use busmark_measure::ClockPair;
use schemars::JsonSchema;
use serde::Serialize;

/// Result of `serve`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ServeResult {
    /// Address of the server, for the participants' option `server`.
    pub address: String,
}

/// Result of `setup`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct SetupResult {
    /// Locators of this worker's readers, by topic; empty where endpoints find each other by discovery,
    /// and where writers bind.
    pub locators: BTreeMap<String, Vec<String>>,
    /// Locators of this worker's writers, by topic; empty where endpoints find each other by discovery,
    /// and where readers bind.
    pub writer_locators: BTreeMap<String, Vec<String>>,
    /// Number of this worker's writers and readers, by topic.
    pub endpoints: BTreeMap<String, Endpoints>,
    /// Time at which the last endpoint had been made, ns.
    pub ready_ns: i64,
    /// Clocks of this worker's host.
    pub clocks: Clocks,
    /// Memory that this worker has reserved for its records, bytes.
    pub recorder_bytes: u64,
}

/// The same time by two clocks of a host.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub struct Clocks {
    /// Time by `CLOCK_MONOTONIC`, the clock of Busmark's time stamps, ns.
    pub monotonic_ns: i64,
    /// Time by `CLOCK_REALTIME`, the clock of packet captures and of the middleware's own time stamps,
    /// ns since 1970.
    pub realtime_ns: i64,
    /// Bound of the time between the two readings, in either direction, ns.
    pub bound_ns: i64,
}

impl From<ClockPair> for Clocks {
    fn from(pair: ClockPair) -> Self {
        let ClockPair { monotonic_ns, realtime_ns, bound_ns } = pair;
        Self { monotonic_ns, realtime_ns, bound_ns }
    }
}

/// Number of writers and readers.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
#[allow(missing_docs)]
pub struct Endpoints {
    pub writers: u32,
    pub readers: u32,
}

/// Result of `run`, one for each active role.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RunReport {
    /// Kind of the role: pinger, transmitter, batcher, late joiner, client or action client.
    pub role: String,
    /// Number of the role's writer.
    pub writer: u32,
    /// Number of samples written in the measured time.
    pub sent: u64,
    /// Start of the measured time, ns.
    pub begin_ns: i64,
    /// Time at which the last sample was sent, ns.
    pub last_ns: i64,
    /// End of the measured time, when the last write had returned, ns.
    pub end_ns: i64,
    /// Length of the warm-up, ns.
    pub warmup_ns: i64,
    /// What ended the measurement: duration, samples, `recorder_full`, stopped (by `set`), or late (the
    /// role could not keep up with its schedule).
    pub ended: String,
    /// Number of writes for which the middleware blocked the reliable writer.
    pub blocked: u64,
}

/// Number of one writer's samples that a reader received or missed: a row of the frame `accounts`.
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

/// Samples of a writer counted over time: columns of a row of the frame `accounts`, and rows of the frame
/// `intervals`.
#[derive(Debug, Default)]
pub struct IntervalReport {
    /// Writer of the samples.
    pub writer: u32,
    /// Length of an interval, ns.
    pub width_ns: i64,
    /// Times of the first and the last sample counted, ns.
    pub span_ns: Option<(i64, i64)>,
    /// Number of samples in each interval.
    pub samples: Vec<u64>,
    /// Bytes of the bodies in each interval.
    pub bytes: Vec<u64>,
}

/// What became of a client's requests of the measured time, beside its account, or of those that a server
/// received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RequestReport {
    /// Whether the service goes by two topics, for the adapter has none of its own.
    pub by_topics: bool,
    /// Client: number of responses that came after their time-out. Server: 0.
    pub late: u64,
    /// Client: number of responses that were another client's, or not to the request that they named.
    pub misrouted: u64,
    /// Client: number of requests that the middleware refused to send, within the time-out.
    pub refused: u64,
    /// Client: time from its first request to its first response, before the warm-up, ns; null: unknown.
    pub available_ns: Option<i64>,
    /// Client: number of requests without a response that it sent before the first one had a response.
    pub ignored: u64,
    /// Server: number of requests that it took, of the warm-up, too.
    pub taken: u64,
    /// Server: number of requests that it answered.
    pub answered: u64,
}

/// Batches of one writer, as received by a reader; each list has one entry for each batch that began: a
/// row of the frame `batches`.
#[derive(Debug, Default)]
pub struct BatchesReport {
    /// Writer of the batches.
    pub writer: u32,
    /// Number of the batch, from 0, without the batches of the warm-up.
    pub number: Vec<u64>,
    /// Time at which the start message was received; of several, the last before the first sample.
    pub start_ns: Vec<i64>,
    /// Time at which the end message was received, or the last sample if that was later. Where the first
    /// end message was lost, the time of the last sample; null if no sample was received.
    pub end_ns: Vec<Option<i64>>,
    /// Whether the first end message was received, not a repetition.
    pub ended: Vec<bool>,
    /// Number of distinct samples received.
    pub received: Vec<u64>,
    /// Bytes of the bodies received.
    pub bytes: Vec<u64>,
}

/// Acknowledgements of a batcher's batches; each list has one entry for each batch: a row of the frame
/// `sent_batches`.
#[derive(Debug, Default)]
pub struct SentBatchesReport {
    /// Number of samples that every reader acknowledged; empty where single samples are not acknowledged.
    pub acknowledged: Vec<u64>,
    /// Time spent waiting for acknowledgements of single samples that did not arrive, ns.
    pub waited_ns: Vec<i64>,
}

/// One repetition of a late joiner: a row of the frame `discoveries`. Times are by `CLOCK_MONOTONIC` of the
/// host that took them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Appearance {
    /// Time just before the first call that creates an entity.
    pub begin_ns: i64,
    /// Time at which the participant had been created, if one was.
    pub attached_ns: Option<i64>,
    /// Time at which the call that creates the endpoint had returned.
    pub created_ns: i64,
    /// Last time at which the late joiner's own endpoint was observed not to match.
    pub own_after_ns: Option<i64>,
    /// Time of the match at the late joiner's own endpoint.
    pub own_at_ns: Option<i64>,
    /// Last time at which the resident's endpoint was observed not to match, by the resident's clock.
    pub peer_after_ns: Option<i64>,
    /// Time of the match at the resident's endpoint, by the resident's clock.
    pub peer_at_ns: Option<i64>,
    /// Time at which the first sample had been received, by the clock of the reader's host.
    pub first_ns: Option<i64>,
    /// Number of samples that a new writer sent.
    pub sent: i64,
    /// Number of samples lost before the first received one, of those sent after the endpoint had been
    /// created.
    pub lost: Option<i64>,
    /// Time at which the endpoint, and a participant of its own, had been closed again.
    pub closed_ns: i64,
}

/// A goal of an action's client: a row of the frame `goals`. Times are by `CLOCK_MONOTONIC` of the client's
/// host, unless another is named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GoalReport {
    /// Number of the goal, from the first of the measured time.
    pub number: u64,
    /// Time at which it should have been sent.
    pub intended_ns: i64,
    /// Time just before the call that sent it.
    pub sent_ns: i64,
    /// Time at which the response that accepts it had been received.
    pub accepted_ns: Option<i64>,
    /// Time at which its first feedback had been received.
    pub first_feedback_ns: Option<i64>,
    /// Number of different feedback messages received.
    pub feedback: u64,
    /// Number of feedback messages that the server had sent, as its result says.
    pub feedback_sent: Option<u64>,
    /// Sum of the times from the sending of a feedback message, by the server's clock, to its reception.
    pub feedback_total_ns: i64,
    /// Longest of these times.
    pub feedback_most_ns: i64,
    /// Number of status messages received.
    pub statuses: u64,
    /// Time just before the call that asked to cancel it.
    pub cancel_sent_ns: Option<i64>,
    /// Time at which the answer to that had been received.
    pub cancel_answered_ns: Option<i64>,
    /// Time at which it ended at the server, by the server's clock.
    pub ended_ns: Option<i64>,
    /// Time at which its result had been received, in time.
    pub result_ns: Option<i64>,
    /// Whether its result is that it was cancelled.
    pub cancelled: bool,
    /// Whether the server, or the middleware, refused it.
    pub refused: bool,
}

/// Result of `collect`, one for each role.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct RoleReport {
    /// Kind of the role: pinger, responder, transmitter, batcher, receiver, late joiner, resident, idle
    /// endpoint, client, server, action client or action server.
    pub role: String,
    /// Number of the role's own writer.
    pub writer: u32,
    /// Accounts of the samples received, by writer; in a frame.
    #[serde(skip)]
    pub accounts: Vec<WriterAccount>,
    /// Number of samples of another run, or of a writer that the role does not expect.
    pub foreign: u64,
    /// Number of bodies that differ from what was written: of all bodies if they are verified, else of one
    /// in a thousand. Null where the reader has no access to bodies.
    pub corrupted: Option<u64>,
    /// Bodies of another size than the reader expects, which `corrupted` does not count.
    pub other_size: Option<OtherSize>,
    /// Number of samples that the role failed to echo.
    pub echo_failures: u64,
    /// Number of rows in the role's frame `samples`, which precedes this reply.
    pub rows: usize,
    /// Number of samples that a receiver did not record because all its rows were filled.
    pub unrecorded: u64,
    /// Number of rows in the role's other frames, by the name of the table; a table without rows has no
    /// frame.
    pub frames: BTreeMap<String, usize>,
    /// Samples counted over time, by writer, where the role counts them; in frames.
    #[serde(skip)]
    pub intervals: Vec<IntervalReport>,
    /// Batches that a receiver received, by writer; in a frame.
    #[serde(skip)]
    pub batches: Vec<BatchesReport>,
    /// Batches that a batcher sent; in a frame.
    #[serde(skip)]
    pub sent_batches: Option<SentBatchesReport>,
    /// Repetitions of a late joiner; in a frame.
    #[serde(skip)]
    pub appearances: Vec<Appearance>,
    /// Goals of an action's client; in a frame.
    #[serde(skip)]
    pub goals: Vec<GoalReport>,
    /// The middleware's own counters of the role's writer.
    #[schemars(with = "Option<BTreeMap<String, Option<u64>>>")]
    pub writer_counters: Option<Counters>,
    /// The middleware's own counters of the role's reader.
    #[schemars(with = "Option<BTreeMap<String, Option<u64>>>")]
    pub reader_counters: Option<Counters>,
    /// What became of requests; null where the role is no end of a service.
    pub requests: Option<RequestReport>,
    /// Thread on which the role answers or continues: inline (the listener's), thread (one that the
    /// listener wakes) or loop (one that polls or waits).
    pub reply_mode: String,
}

/// Received bodies of another size than the reader expects: on the bus, each end of a test has its own
/// definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OtherSize {
    /// Number of such bodies among those compared.
    pub samples: u64,
    /// Size of the last such body, bytes.
    pub bytes: u64,
    /// Size that the reader expected, bytes.
    pub expected: u64,
}

/// Result of `conclude`, one for each role.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Conclusion {
    /// Kind of the role, as in the result of `collect`.
    pub role: String,
    /// Number of the role's own writer.
    pub writer: u32,
    /// Number of foreign samples, as in the result of `collect`.
    pub foreign: u64,
    /// Number of corrupted bodies, as in the result of `collect`.
    pub corrupted: Option<u64>,
    /// Bodies of another size, as in the result of `collect`.
    pub other_size: Option<OtherSize>,
    /// Number of samples that could not be echoed, as in the result of `collect`.
    pub echo_failures: u64,
    /// Number of samples received from all writers.
    pub received: u64,
    /// Number of samples missing from all writers, by their sequence numbers.
    pub missing: u64,
    /// Samples received and missing by their sequence numbers, by writer.
    pub accounts: Vec<WriterAccount>,
    /// Samples and bytes received, and over which time, by writer.
    pub streams: Vec<Streamed>,
    /// Durations of each segment of the round trip: the shortest 100, 99.9, 99 and 90 percent. Segments
    /// that begin and end on different clocks are left out, as are segments without a sample.
    pub segments: BTreeMap<&'static str, Vec<Best>>,
}

/// Samples of a writer that were received.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Streamed {
    /// Writer of the samples.
    pub writer: u32,
    /// Number of samples.
    pub samples: u64,
    /// Bytes of their bodies.
    pub bytes: u64,
    /// Time from the first to the last sample, ns; null without a sample.
    pub span_ns: Option<i64>,
}

/// Statistics of the shortest of a segment's durations.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Best {
    /// Share of the durations that are counted, in percent, the shortest first.
    pub percent: f64,
    /// Number of durations counted.
    pub count: usize,
    /// Shortest duration, ns.
    pub min_ns: i64,
    /// Mean of the durations, ns.
    pub mean_ns: f64,
    /// Longest duration counted, ns.
    pub max_ns: i64,
    /// Sample standard deviation of the durations, ns; null for one.
    pub deviation_ns: Option<f64>,
}

impl IntervalReport {
    /// Returns the counters of the intervals that have ended.
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
