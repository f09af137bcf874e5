//! The control protocol: one JSON object per line. `busmark-worker schema` prints its JSON Schema,
//! which `schemas/control.schema.json` holds and both languages are tested against.
//!
//! Every command has an `id`, and exactly one reply carries the same `id`. Between a command and its
//! reply there may be frames: a line with `frame` and `bytes`, followed by that many bytes (an Arrow
//! IPC stream) and a newline.

use std::collections::BTreeMap;
use std::error::Error as _;

use busmark_adapter::{Counters, LoadError, ParticipantConfig, Payload, Qos, Wait};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Raised when a controller of the older protocol would misunderstand the newer one.
pub const PROTOCOL: u32 = 1;

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
    /// Loads the adapter and makes participants, writers and readers.
    Setup(Setup),
    /// Connects writers to readers by locator (only for adapters without discovery).
    Connect {
        /// Locators of every reader, by topic.
        locators: BTreeMap<String, Vec<String>>,
    },
    /// Waits until every endpoint has found its counterparts.
    Match {
        /// How long at most, seconds.
        timeout_s: f64,
        /// Readers and writers in the whole round, by topic.
        expect: BTreeMap<String, Expected>,
    },
    /// Starts the passive roles (ponger, receiver).
    Start,
    /// Runs the active roles (pinger, transmitter, batcher) to their end; the reply comes then.
    Run,
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
    /// Of Poisson arrivals.
    pub seed: u64,
    /// Time before the measurement, discarded, ns.
    pub warmup_ns: i64,
    /// Length of the measurement, ns.
    pub duration_ns: i64,
    /// At most so many samples in the measured time; 0: no bound.
    pub samples: u64,
    /// Rows to record; the measurement ends when they are full.
    pub capacity: usize,
    /// A ping that waited so long counts as lost, and the loop goes on; ns.
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

/// What a participant does.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(tag = "role", rename_all = "snake_case", deny_unknown_fields)]
pub enum RoleSpec {
    /// Sends pings and records pongs.
    Pinger {
        /// Of its pings.
        writer: u32,
        /// Writers of the pongers, each of which answers every ping.
        from: Vec<u32>,
        /// Topic of pings.
        ping: String,
        /// Topic of pongs.
        pong: String,
        /// Endpoints.
        stream: StreamSpec,
        /// Pace and length.
        schedule: Schedule,
    },
    /// Answers every ping.
    Ponger {
        /// Of its pongs.
        writer: u32,
        /// Topic of pings.
        ping: String,
        /// Topic of pongs.
        pong: String,
        /// Endpoints.
        stream: StreamSpec,
    },
    /// Sends a stream, one in `probe_every` samples being a latency probe.
    Transmitter {
        /// Of its samples.
        writer: u32,
        /// Topic of the stream.
        topic: String,
        /// Topic of echoed probes.
        echo: String,
        /// 0: no probes.
        probe_every: u64,
        /// Endpoints.
        stream: StreamSpec,
        /// Pace and length.
        schedule: Schedule,
        /// Length of an interval counter, ns.
        interval_ns: i64,
    },
    /// Sends batches: announced, acknowledged, started, sent, ended, acknowledged.
    Batcher {
        /// Of its samples.
        writer: u32,
        /// Writers of the receivers, each of which acknowledges.
        from: Vec<u32>,
        /// Topic of the batches.
        topic: String,
        /// Topic of acknowledgements.
        echo: String,
        /// Samples of a batch.
        batch: u64,
        /// Endpoints.
        stream: StreamSpec,
        /// Length; batches follow each other.
        schedule: Schedule,
        /// Length of an interval counter, ns.
        interval_ns: i64,
    },
    /// Counts a stream and echoes its probes.
    Receiver {
        /// Of its echoes.
        writer: u32,
        /// Writers whose samples it expects.
        from: Vec<u32>,
        /// Topic of the stream.
        topic: String,
        /// Topic of echoed probes.
        echo: String,
        /// 0: no probes.
        probe_every: u64,
        /// Whether samples come in batches, which it acknowledges.
        batches: bool,
        /// Endpoints.
        stream: StreamSpec,
        /// Rows for probes.
        capacity: usize,
        /// Length of an interval counter, ns.
        interval_ns: i64,
        /// Number of interval counters.
        intervals: usize,
    },
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
        /// Of the request.
        id: u64,
        /// Always true.
        ok: bool,
        /// What the command yields.
        result: serde_json::Value,
    },
    /// It was not.
    Failed {
        /// Of the request.
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
        // What is missing, such as a symbol or a further library, only the loader's own words tell.
        let cause = match &error {
            LoadError::Open(_, cause) => cause.source().map(|words| format!(": {words}")),
            _ => None,
        };
        Self::new("load", format!("{error}{}", cause.unwrap_or_default()))
    }
}

/// Result of `serve`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ServeResult {
    /// What participants are told in their option `server`.
    pub address: String,
}

/// Result of `setup`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SetupResult {
    /// Locators of this worker's readers, by topic; empty with discovery.
    pub locators: BTreeMap<String, Vec<String>>,
    /// Endpoints of this worker, by topic.
    pub endpoints: BTreeMap<String, Endpoints>,
    /// When the last of them had been made, ns.
    pub ready_ns: i64,
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
    /// pinger, transmitter or batcher.
    pub role: String,
    /// Its writer.
    pub writer: u32,
    /// Samples written in the measured time.
    pub sent: u64,
    /// First and last moment of the measured time, ns.
    pub begin_ns: i64,
    /// See `begin_ns`.
    pub end_ns: i64,
    /// Length of the warm-up, ns.
    pub warmup_ns: i64,
    /// duration, samples or `recorder_full`.
    pub ended: String,
    /// Writes that the middleware refused for a while (reliable writer blocked).
    pub blocked: u64,
}

/// Account of one writer's samples at a reader.
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

/// Counters over time.
#[derive(Debug, Default, Serialize, JsonSchema)]
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

/// Result of `collect`, one for each role.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct RoleReport {
    /// pinger, ponger, transmitter, batcher or receiver.
    pub role: String,
    /// Of its own samples.
    pub writer: u32,
    /// By writer.
    pub accounts: Vec<WriterAccount>,
    /// Samples with another cookie, or of a writer that nobody announced.
    pub foreign: u64,
    /// Bodies that differ from the pattern; absent when not verified.
    pub corrupted: Option<u64>,
    /// Samples that could not be echoed.
    pub echo_failures: u64,
    /// Rows in the frame that precedes this reply.
    pub rows: usize,
    /// Counters over time by writer, where the role keeps them.
    pub intervals: Vec<IntervalReport>,
    /// The middleware's own counters of the role's writer.
    #[schemars(with = "serde_json::Value")]
    pub writer_counters: Option<Counters>,
    /// The middleware's own counters of the role's reader.
    #[schemars(with = "serde_json::Value")]
    pub reader_counters: Option<Counters>,
    /// How the role answers or goes on: inline (from the listener), thread (handed over) or loop.
    pub reply_mode: String,
}

/// Announces a frame.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FrameHead {
    /// `samples`.
    pub frame: &'static str,
    /// Which role recorded it.
    pub role: String,
    /// Which writer the role has.
    pub writer: u32,
    /// Length of the frame, without the newline after it.
    pub bytes: usize,
}

/// Everything that crosses the pipe, for the schema.
#[derive(JsonSchema)]
#[allow(dead_code, missing_docs)]
pub struct Protocol {
    pub request: Request,
    pub hello: Hello,
    pub reply: Reply,
    pub frame_head: FrameHead,
    pub serve_result: ServeResult,
    pub setup_result: SetupResult,
    pub run_result: Vec<RunReport>,
    pub collect_result: Vec<RoleReport>,
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

impl Schedule {
    /// The arrival model of an open loop.
    pub fn arrivals(&self) -> busmark_measure::Arrivals {
        use busmark_measure::Arrivals as A;
        match self.arrivals {
            ArrivalModel::Poisson => A::Poisson { rate_hz: self.rate_hz, seed: self.seed },
            ArrivalModel::Closed | ArrivalModel::Constant => A::Constant { rate_hz: self.rate_hz },
        }
    }
}
