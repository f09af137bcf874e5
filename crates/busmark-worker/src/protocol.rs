//! The control protocol: one JSON object per line. `busmark-worker schema` prints its JSON Schema,
//! which `schemas/control.schema.json` holds and both languages are tested against.
//!
//! Every command has an `id`, and exactly one reply carries the same `id`. Commands may come while roles
//! run, and are answered when they are done, so a reply may overtake an earlier one's. Events go out by
//! themselves, at any time between two messages. Before the reply to `collect` there are frames: a line
//! with `frame` and `bytes`, followed by that many bytes (an Arrow IPC stream) and a newline.

mod results;

use std::collections::BTreeMap;

use busmark_adapter::{LoadError, ParticipantConfig, Payload, Qos, Wait};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::results::{
    Appearance, BatchesReport, Best, Clocks, Conclusion, Endpoints, GoalReport, IntervalReport,
    OtherSize, RequestReport, RoleReport, RunReport, SentBatchesReport, ServeResult, SetupResult,
    Streamed, WriterAccount,
};
pub use crate::matching::Matched;
pub use crate::roles::RoleSpec;

/// Raised when a controller of the older protocol would misunderstand the newer one.
pub const PROTOCOL: u32 = 2;

/// A request of the controller: a command with its number.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Request {
    /// Number of the request, which its reply repeats.
    pub id: u64,
    /// The command and its arguments.
    #[serde(flatten)]
    pub command: Command,
}

/// Commands, in the order in which a round uses them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "cmd", rename_all = "snake_case")]
pub enum Command {
    /// Starts the server at which the participants meet, and keeps it until this worker ends.
    Serve {
        /// Path of the adapter's library.
        adapter: String,
        /// How the server attaches to the middleware, as a participant does.
        #[schemars(with = "serde_json::Value")]
        config: ParticipantConfig,
    },
    /// Loads the adapter and keeps the participants and roles that `setup` is to make. Most of the work
    /// that does not touch the bus is done here, so that all workers of a round begin `setup` at nearly
    /// the same moment.
    Prepare(Setup),
    /// Makes the participants, writers and readers of the last `prepare`.
    Setup,
    /// Connects writers to readers, and readers to writers, by locator (only for adapters without
    /// discovery).
    Connect {
        /// Locators of every reader, by topic.
        locators: BTreeMap<String, Vec<String>>,
        /// Locators of every writer, by topic.
        writer_locators: BTreeMap<String, Vec<String>>,
    },
    /// Waits until every writer and reader has matched all its counterparts.
    Match {
        /// Longest time to wait, seconds.
        timeout_s: f64,
        /// Number of writers and readers in the whole round, by topic.
        expect: BTreeMap<String, Expected>,
    },
    /// Starts the passive roles (responder, receiver, resident, idle endpoint).
    Start {
        /// Time between two events `interval` that count the samples received, ns; 0: no such events.
        /// They end with `drain`, or with `run`, whose `every_ns` then applies.
        #[serde(default)]
        every_ns: u64,
        /// Number of writers and readers that the roles' endpoints are to match, by topic. An event
        /// `matched` reports when all have matched, an event `first` the first sample of each writer.
        /// Empty: no such events.
        #[serde(default)]
        discovery: BTreeMap<String, Expected>,
    },
    /// Runs the active roles (pinger, transmitter, batcher, late joiner); the reply comes when the last
    /// has ended. `set` may come meanwhile.
    Run {
        /// Time between two events `interval`, ns; 0: no event but errors, so that no output disturbs
        /// the measurement.
        #[serde(default)]
        every_ns: u64,
        /// Whether an event `first` reports the first answer that each role receives.
        #[serde(default)]
        firsts: bool,
    },
    /// Changes a role; the reply comes when the change has taken effect.
    Set(Change),
    /// Waits until the receivers have every sample that was sent, or have received none for a while.
    Drain {
        /// Number of samples sent in the measured time, by writer.
        expect: Vec<SentBy>,
        /// Time without a new sample after which no more are awaited, seconds.
        idle_s: f64,
        /// Longest time to wait, seconds: samples that have not arrived by then count as lost.
        limit_s: f64,
    },
    /// Closes every endpoint and sends the recorded tables, in frames before the reply.
    Collect,
    /// Closes every endpoint and returns a summary instead of the recorded tables.
    Conclude,
}

/// Changes of a role. A setting that is left out does not change.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The role, by the number of its writer.
    pub writer: u32,
    /// New rate of a role that sends at a rate, samples per second, above 0.
    #[serde(default)]
    pub rate_hz: Option<f64>,
    /// Whether the role pauses; false lets it continue.
    #[serde(default)]
    pub paused: Option<bool>,
    /// Whether the role ends its measurement now.
    #[serde(default)]
    pub stop: bool,
    /// QoS policies to change on its writers and readers; an endpoint that cannot change them keeps
    /// its own.
    #[serde(default)]
    #[schemars(with = "Option<serde_json::Value>")]
    pub qos: Option<Qos>,
    /// Endpoints whose QoS changes; null: all of the role.
    #[serde(default)]
    pub side: Option<Side>,
    /// For a server: whether its end of the service is there; false destroys it with what it holds, true
    /// makes it anew.
    #[serde(default)]
    pub serving: Option<bool>,
    /// For a late joiner: a match or first sample that its resident has observed.
    #[serde(default)]
    pub sighting: Option<Sighting>,
}

/// Endpoints of a role that a change of QoS is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Side {
    Writers,
    Readers,
}

/// A resident's observation of its late joiner: a match, or its first sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sighting {
    /// Number of endpoints that the resident now matches; null where a sample was observed.
    #[serde(default)]
    pub count: Option<u32>,
    /// Sequence number of the first sample received from a new writer; null where a match was observed.
    #[serde(default)]
    pub seq: Option<u64>,
    /// For a match, the last time at which the endpoints were observed not to match, ns: equal to `at_ns`
    /// where the middleware's own event gives the time; null: not known.
    #[serde(default)]
    pub after_ns: Option<i64>,
    /// Time of the match, or time at which the middleware announced the sample, ns; where it announces
    /// none, the time at which the sample was read.
    pub at_ns: i64,
}

/// Result of `set`.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct SetResult {
    /// Time at which the change had taken effect, ns.
    pub at_ns: i64,
    /// Number of endpoints of the role whose QoS has changed.
    pub changed: u32,
}

/// A message that a worker sends without having been asked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The measured time of a role has begun.
    Progress {
        /// The role, by the number of its writer.
        writer: u32,
        /// Start of the measured time, ns.
        begin_ns: i64,
    },
    /// Samples counted in an interval.
    Interval {
        /// Start of the interval, ns.
        begin_ns: i64,
        /// End of the interval, ns.
        end_ns: i64,
        /// Number of samples received in the measured time, by role and writer.
        counts: Vec<Count>,
        /// A selection of the latest rows of each active role of this worker that records latencies.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        seen: Vec<Seen>,
    },
    /// All endpoints of the passive roles have matched their counterparts.
    Matched(Matched),
    /// The first sample of a writer has been received.
    First(First),
    /// A resident has observed a match with its late joiner, or its first sample.
    Sighting {
        /// The resident, by the number of its writer.
        writer: u32,
        /// The observation.
        sighting: Sighting,
    },
    /// A role has failed. `run` then fails, too, when the other roles have ended.
    Error {
        /// The role, by the number of its writer.
        writer: u32,
        /// Reason of the failure.
        error: Failure,
    },
}

/// Number of samples of one writer that a role has received.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Count {
    /// The role, by the number of its own writer.
    pub role: u32,
    /// Writer of the samples; for a pinger its own number: its pings that were answered are counted.
    pub writer: u32,
    /// Number of samples received in the interval.
    pub samples: u64,
    /// At a receiver: number of samples that it would have received in the interval if none had been
    /// lost, by their sequence numbers.
    pub theoretical: Option<u64>,
    /// At a receiver: number of sequence numbers below the highest received that are missing so far.
    pub missing: Option<u64>,
    /// At a receiver: bytes of the bodies received in the interval.
    pub bytes: Option<u64>,
}

/// The first sample received from a writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct First {
    /// The role that received the sample, by the number of its own writer.
    pub role: u32,
    /// Writer of the sample; for a pinger its own number: the sample is its first ping that was answered.
    pub writer: u32,
    /// Time at which the sample had been received, ns.
    pub at_ns: i64,
    /// Number of samples that the writer had sent before, by the sample's sequence number.
    pub before: u64,
}

/// A selection of a role's recorded rows: a few hundred, equally spaced.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Seen {
    /// The role, by the number of its own writer.
    pub role: u32,
    /// Round-trip times of the selected pings or probes of the interval that were answered, each from
    /// the scheduled time of sending to the reading of the answer.
    pub round_trips_ns: Vec<i64>,
    /// Number of selected pings or probes of the interval before.
    pub asked: u32,
    /// Number of pings or probes among `asked` that have not been answered yet.
    pub unanswered: u32,
    /// Durations of the segments of the selected round trips, for each segment that begins and ends on
    /// one clock.
    pub segments: BTreeMap<&'static str, Vec<Best>>,
}

/// Number of samples that a writer has sent.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[allow(missing_docs)]
pub struct SentBy {
    pub writer: u32,
    pub sent: u64,
}

/// Number of writers and readers of a topic.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[allow(missing_docs)]
pub struct Expected {
    pub writers: u32,
    pub readers: u32,
}

/// Participants and roles that one worker hosts in a round.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// Path of the adapter's library.
    pub adapter: String,
    /// The run's cookie, hexadecimal.
    pub cookie: String,
    /// Whether threads that poll yield the CPU, because several share one.
    pub yields: bool,
    /// Participants with their roles.
    pub participants: Vec<ParticipantSpec>,
}

/// One participant with its roles.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParticipantSpec {
    /// How the participant attaches to the middleware.
    #[schemars(with = "serde_json::Value")]
    pub config: ParticipantConfig,
    /// Roles of the participant.
    pub roles: Vec<RoleSpec>,
}

/// Settings that all writers and readers of a role share.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamSpec {
    /// Kind of the body's elements.
    #[schemars(with = "String")]
    pub payload: Payload,
    /// Size of the largest body, bytes.
    pub size: usize,
    /// How readers wait for samples.
    #[schemars(with = "String")]
    pub wait: Wait,
    /// QoS of writers and readers.
    #[schemars(with = "serde_json::Value")]
    pub qos: Qos,
    /// Whether readers compare every body with the content that was written.
    pub verify: bool,
    /// Number of instances of a keyed topic; 0: a topic without a key.
    #[serde(default)]
    pub instances: u32,
    /// The readers' content filter admits instances below this number; 0: all instances.
    #[serde(default)]
    pub filter_below: u32,
    /// Body sizes of successive samples, bytes, repeated in this order; their number is a power of two.
    /// Empty: every body has `size` bytes.
    #[serde(default)]
    pub sizes: Vec<usize>,
    /// Path of a file with which bodies are filled; null: bodies are filled with the content pattern.
    #[serde(default)]
    pub body_file: Option<String>,
}

/// Pace and length of a role's measurement.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// Arrival model: closed, constant or poisson.
    pub arrivals: ArrivalModel,
    /// Rate, samples per second; 0 for a closed loop or full speed.
    pub rate_hz: f64,
    /// Seed of Poisson arrivals.
    pub seed: u64,
    /// Length of the warm-up, which is not recorded, ns.
    pub warmup_ns: i64,
    /// Length of the measured time, ns.
    pub duration_ns: i64,
    /// Largest number of samples in the measured time; 0: no limit.
    pub samples: u64,
    /// Number of rows that can be recorded; the measurement ends when all are filled.
    pub capacity: usize,
    /// Time after which a ping without an answer counts as lost, and the loop continues, ns.
    pub timeout_ns: i64,
}

/// How a server works on requests.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Service {
    /// Number of threads that take, work and respond, one request at a time each.
    pub threads: usize,
    /// Time that the work on a request takes, ns; of a distribution its mean.
    pub work_ns: i64,
    /// How the times of work are distributed.
    pub work: Work,
    /// Number of requests that a thread takes at a time, before it answers the last of them first; 1: in
    /// the order of arrival.
    pub reverses: u32,
    /// Seed of the times of work.
    pub seed: u64,
}

/// What becomes of the goals of an action.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Goals {
    /// Time that a goal is under way unless it is cancelled, ns.
    pub time_ns: i64,
    /// Time between two feedback messages of a goal, ns; the first comes at once. 0: none.
    pub feedback_ns: i64,
    /// One goal in this many is cancelled by its client, after half of its time; 0: none.
    pub cancel_every: u64,
}

/// Distribution of the times of work: all equal, or exponential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Work {
    Fixed,
    Exponential,
}

/// When samples are sent: after the answer to the one before (closed), at equal intervals (constant)
/// or at random intervals (poisson).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum ArrivalModel {
    Closed,
    Constant,
    Poisson,
}

/// The first message of a worker.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Hello {
    /// Always `hello`.
    pub event: &'static str,
    /// Version of this protocol.
    pub protocol: u32,
    /// Version of the worker.
    pub version: &'static str,
    /// Process identifier of the worker.
    pub pid: u32,
}

/// The reply to a request.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Reply {
    /// The command was carried out.
    Done {
        /// Number of the request.
        id: u64,
        /// Always true.
        ok: bool,
        /// Result of the command.
        result: serde_json::Value,
    },
    /// The command failed.
    Failed {
        /// Number of the request.
        id: u64,
        /// Always false.
        ok: bool,
        /// Reason of the failure.
        error: Failure,
    },
}

/// Why a command failed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Failure {
    /// Kind of the failure: protocol, load, unsupported, invalid, unavailable, timeout, resources or
    /// failed.
    pub kind: String,
    /// Message that says what failed and what to do.
    pub message: String,
}

impl Failure {
    /// Makes a failure of this kind.
    pub fn new(kind: &str, message: impl Into<String>) -> Self {
        Self { kind: kind.to_owned(), message: message.into() }
    }

    /// The controller cannot be written to, or read from.
    pub fn unreachable(error: impl std::fmt::Display) -> Self {
        Self::new("protocol", format!("the controller cannot be reached: {error}"))
    }
}

impl From<busmark_adapter::Error> for Failure {
    fn from(error: busmark_adapter::Error) -> Self {
        use busmark_adapter::Status as S;
        let kind = match error.status {
            S::Timeout => "timeout",
            S::Unsupported => "unsupported",
            S::Invalid => "invalid",
            S::Resources => "resources",
            S::Unavailable => "unavailable",
            S::NoData | S::Failed => "failed",
        };
        Self::new(kind, error.message)
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        Self::new("load", error.to_string())
    }
}

/// Line that precedes a frame.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FrameHead {
    /// Table in the frame: samples, accounts, intervals, batches, `sent_batches`, discoveries or goals.
    pub frame: String,
    /// Kind of the role that recorded the table.
    pub role: String,
    /// Number of the role's writer.
    pub writer: u32,
    /// Length of the frame, bytes, without the newline after it.
    pub bytes: usize,
}

/// Line that precedes a reply which is too long for a line.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReplyHead {
    /// Always `reply`.
    pub frame: &'static str,
    /// Length of the reply, bytes, without the newline after it.
    pub bytes: usize,
}

/// Messages that cross the pipe, for the schema.
#[derive(JsonSchema)]
#[allow(dead_code, missing_docs)]
pub struct Protocol {
    pub request: Request,
    pub hello: Hello,
    pub reply: Reply,
    pub event: Event,
    pub frame_head: FrameHead,
    pub reply_head: ReplyHead,
    pub serve_result: ServeResult,
    pub setup_result: SetupResult,
    pub match_result: crate::matching::Matched,
    pub run_result: Vec<RunReport>,
    pub set_result: SetResult,
    pub collect_result: Vec<RoleReport>,
    pub conclude_result: Vec<Conclusion>,
}

impl Count {
    /// Samples alone.
    pub fn of(role: u32, writer: u32, samples: u64) -> Self {
        Self { role, writer, samples, theoretical: None, missing: None, bytes: None }
    }
}

impl Schedule {
    /// Whether samples are sent at a rate.
    pub fn is_paced(&self) -> bool {
        self.arrivals != ArrivalModel::Closed && self.rate_hz > 0.0
    }

    /// When a role that started then is over at the latest, unless it is held up, ns.
    pub fn end_ns(&self, started_ns: i64, begin_ns: Option<i64>) -> i64 {
        begin_ns.unwrap_or(started_ns + self.warmup_ns) + self.duration_ns
    }

    /// The arrival model of an open loop.
    pub fn arrivals(&self) -> busmark_measure::Arrivals {
        use busmark_measure::Arrivals as A;
        match self.arrivals {
            ArrivalModel::Poisson => A::Poisson { rate_hz: self.rate_hz, seed: self.seed },
            ArrivalModel::Closed | ArrivalModel::Constant => A::Constant { rate_hz: self.rate_hz },
        }
    }
}
