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
    Appearance, BatchesReport, Best, Clocks, Conclusion, Endpoints, IntervalReport, OtherSize,
    RoleReport, RunReport, SentBatchesReport, ServeResult, SetupResult, Streamed, WriterAccount,
};
pub use crate::matching::Matched;
pub use crate::roles::RoleSpec;

/// Raised when a controller of the older protocol would misunderstand the newer one.
pub const PROTOCOL: u32 = 2;

/// What the controller asks for.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Request {
    /// Comes back in the reply.
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
        /// As participants attach.
        #[schemars(with = "serde_json::Value")]
        config: ParticipantConfig,
    },
    /// Loads the adapter and keeps what is to be made. The larger part of the work that does not touch
    /// the bus: with it behind them, all workers of a round begin `setup` at nearly the same moment.
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
    /// Waits until every endpoint has found its counterparts.
    Match {
        /// How long at most, seconds.
        timeout_s: f64,
        /// Readers and writers in the whole round, by topic.
        expect: BTreeMap<String, Expected>,
    },
    /// Starts the passive roles (responder, receiver, resident, idle endpoint).
    Start {
        /// Time between two events `interval` on what they receive, ns; 0: none. They end with `drain`,
        /// or with `run`, which has its own.
        #[serde(default)]
        every_ns: u64,
        /// Counterparts that their endpoints are to find, by topic. An event `matched` tells when all
        /// are found, an event `first` of the first sample of each writer. Empty: neither.
        #[serde(default)]
        discovery: BTreeMap<String, Expected>,
    },
    /// Runs the active roles (pinger, transmitter, batcher, late joiner) to their end; the reply comes then. Other
    /// commands may come meanwhile.
    Run {
        /// Time between two events `interval`, ns; 0: no event but errors, so that nothing disturbs
        /// what is measured.
        #[serde(default)]
        every_ns: u64,
        /// An event `first` tells of the first answer.
        #[serde(default)]
        firsts: bool,
    },
    /// Changes a role: the reply comes when that is in effect.
    Set(Change),
    /// Waits until the receivers have everything, or nothing has come for a while.
    Drain {
        /// Samples sent in the measured time, by writer.
        expect: Vec<SentBy>,
        /// Nothing new for this long, seconds, means that no more will come.
        idle_s: f64,
        /// What has not come after this long, seconds, is lost, though some still come.
        limit_s: f64,
    },
    /// Closes every endpoint and hands over what was recorded.
    Collect,
    /// Closes every endpoint and sums up what was recorded, where rows cannot be handed over.
    Conclude,
}

/// Changes of a role. What is left out stays the same.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The role, by its writer.
    pub writer: u32,
    /// Samples per second, above 0; of a role that sends at a rate.
    #[serde(default)]
    pub rate_hz: Option<f64>,
    /// Whether it sends nothing for the time being.
    #[serde(default)]
    pub paused: Option<bool>,
    /// It ends its measurement.
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
    /// For a late joiner: what its resident saw of it.
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

/// What a resident saw of a late joiner: its matches, or its first sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sighting {
    /// The resident's matches from now on; null: it is about a sample.
    #[serde(default)]
    pub count: Option<u32>,
    /// The first sample that came of a new writer; null: it is about a match.
    #[serde(default)]
    pub seq: Option<u64>,
    /// For a match, the last moment at which it was not there: equal to `at_ns` where the middleware's
    /// own event had the time; null: not known.
    #[serde(default)]
    pub after_ns: Option<i64>,
    /// When it was there, ns: for a sample when it was announced, or read where nothing is announced.
    pub at_ns: i64,
}

/// Result of `set`.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct SetResult {
    /// When the change had taken effect, ns.
    pub at_ns: i64,
    /// Endpoints of the role whose quality of service has changed.
    pub changed: u32,
}

/// What a worker tells by itself.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The measured time of a role has begun.
    Progress {
        /// The role, by its writer.
        writer: u32,
        /// When, ns.
        begin_ns: i64,
    },
    /// What was counted in an interval.
    Interval {
        /// Its begin, ns.
        begin_ns: i64,
        /// Its end, ns.
        end_ns: i64,
        /// Samples of the measured time that have come, by role and writer.
        counts: Vec<Count>,
        /// A look at the active roles of this worker that record latencies.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        seen: Vec<Seen>,
    },
    /// All endpoints of the passive roles have found their counterparts.
    Matched(Matched),
    /// The first sample of a writer has come.
    First(First),
    /// A resident has seen something of its late joiner.
    Sighting {
        /// The resident, by its writer.
        writer: u32,
        /// What.
        sighting: Sighting,
    },
    /// A role has failed; `run` fails too, when the others have ended.
    Error {
        /// The role, by its writer.
        writer: u32,
        /// Why.
        error: Failure,
    },
}

/// Samples that a role has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Count {
    /// The role, by its own writer.
    pub role: u32,
    /// Whose samples; of a pinger its own pings, answered.
    pub writer: u32,
    /// How many, in the interval.
    pub samples: u64,
    /// At a receiver, by sequence numbers: what would have come in the interval, had nothing been
    /// lost.
    pub theoretical: Option<u64>,
    /// At a receiver: sequence numbers below the highest that have not come so far.
    pub missing: Option<u64>,
    /// At a receiver: bytes of the bodies that came in the interval.
    pub bytes: Option<u64>,
}

/// The first sample that came of a writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct First {
    /// The role to which it came, by its own writer.
    pub role: u32,
    /// Whose it is; of a pinger its own ping, answered.
    pub writer: u32,
    /// When it had come, ns.
    pub at_ns: i64,
    /// How many the writer had sent before it, by its number.
    pub before: u64,
}

/// A look at some of the rows of a role: a few hundred, at equal distances.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Seen {
    /// The role, by its own writer.
    pub role: u32,
    /// Round trips of pings or probes of the interval that were answered: from when they should
    /// have been sent to when the answer was read.
    pub round_trips_ns: Vec<i64>,
    /// Pings or probes of the interval before that were looked at.
    pub asked: u32,
    /// Those of them that had no answer yet.
    pub unanswered: u32,
    /// Segments of the round trips of the interval that were looked at, those by one clock.
    pub segments: BTreeMap<&'static str, Vec<Best>>,
}

/// What a writer sent.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[allow(missing_docs)]
pub struct SentBy {
    pub writer: u32,
    pub sent: u64,
}

/// Counterparts of a topic.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[allow(missing_docs)]
pub struct Expected {
    pub writers: u32,
    pub readers: u32,
}

/// Everything that one worker hosts in a round.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// Path of the adapter's library.
    pub adapter: String,
    /// The run's cookie, hexadecimal.
    pub cookie: String,
    /// Threads that share a CPU must give way to each other while they wait actively.
    pub yields: bool,
    /// Participants with their roles.
    pub participants: Vec<ParticipantSpec>,
}

/// One participant and what it does.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParticipantSpec {
    /// Its attachment to the middleware.
    #[schemars(with = "serde_json::Value")]
    pub config: ParticipantConfig,
    /// What it does.
    pub roles: Vec<RoleSpec>,
}

/// What all endpoints of a role have in common.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamSpec {
    /// Kind of the body's elements.
    #[schemars(with = "String")]
    pub payload: Payload,
    /// Bytes of the largest body.
    pub size: usize,
    /// How readers wait.
    #[schemars(with = "String")]
    pub wait: Wait,
    /// Quality of service of writers and readers.
    #[schemars(with = "serde_json::Value")]
    pub qos: Qos,
    /// Whether bodies are compared with the content pattern.
    pub verify: bool,
    /// Instances of a keyed topic; 0: no key.
    #[serde(default)]
    pub instances: u32,
    /// Readers take only instances below this; 0: all.
    #[serde(default)]
    pub filter_below: u32,
    /// Bytes of the body of each sample, a power of two of them, over and over; empty: all `size`.
    #[serde(default)]
    pub sizes: Vec<usize>,
    /// Path of the file whose bytes are in the bodies; without it the content pattern is.
    #[serde(default)]
    pub body_file: Option<String>,
}

/// When samples are sent, and how long.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// closed, constant or poisson.
    pub arrivals: ArrivalModel,
    /// Samples per second; 0 for a closed loop or full speed.
    pub rate_hz: f64,
    /// Seed of Poisson arrivals.
    pub seed: u64,
    /// Time before the measurement, discarded, ns.
    pub warmup_ns: i64,
    /// Length of the measurement, ns.
    pub duration_ns: i64,
    /// At most so many samples in the measured time; 0: no bound.
    pub samples: u64,
    /// Rows to record; the measurement ends when they are full.
    pub capacity: usize,
    /// A ping that waited for this time counts as lost, and the loop continues; ns.
    pub timeout_ns: i64,
}

/// The arrival model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum ArrivalModel {
    Closed,
    Constant,
    Poisson,
}

/// The first line of a worker.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Hello {
    /// Always `hello`.
    pub event: &'static str,
    /// Version of this protocol.
    pub protocol: u32,
    /// Version of the worker.
    pub version: &'static str,
    /// Its process.
    pub pid: u32,
}

/// Answer to a request.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Reply {
    /// It was done.
    Done {
        /// Number of the request.
        id: u64,
        /// Always true.
        ok: bool,
        /// What the command yields.
        result: serde_json::Value,
    },
    /// It was not.
    Failed {
        /// Number of the request.
        id: u64,
        /// Always false.
        ok: bool,
        /// Why.
        error: Failure,
    },
}

/// Why a command failed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Failure {
    /// protocol, load, unsupported, invalid, unavailable, timeout, resources, failed.
    pub kind: String,
    /// What failed and what to do.
    pub message: String,
}

impl Failure {
    /// A failure of this kind.
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

/// Announces a frame.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FrameHead {
    /// samples, accounts, intervals, batches, `sent_batches` or discoveries.
    pub frame: String,
    /// Which role recorded it.
    pub role: String,
    /// Which writer the role has.
    pub writer: u32,
    /// Length of the frame, without the newline after it.
    pub bytes: usize,
}

/// Announces a reply that is too long for a line.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReplyHead {
    /// `reply`.
    pub frame: &'static str,
    /// Length of the reply, without the newline after it.
    pub bytes: usize,
}

/// Everything that crosses the pipe, for the schema.
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
