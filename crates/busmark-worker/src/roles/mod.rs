//! What a participant does: one file per role, and here the parameters of a role, whether they are
//! possible, and how it is made.

mod action_client;
mod action_server;
mod actions;
mod batcher;
mod batches;
mod bodies;
mod client;
mod control;
mod echo;
mod goals;
mod idle_endpoint;
pub mod late_joiner;
mod pace;
mod patience;
mod pinger;
mod progress;
mod receiver;
mod requests;
mod resident;
mod responder;
mod senders;
mod server;
mod service_end;
mod sight;
mod spots;
mod stamps;
pub mod subscriber;
mod transmitter;

use std::sync::Arc;

use busmark_adapter::{
    EndpointConfig, Error, Feature, Library, ParticipantConfig, ParticipantHandle, ReaderHandle,
    ServiceHandle, Status, Wait, WriterHandle,
};
use busmark_measure::Row;
use schemars::JsonSchema;
use serde::Deserialize;

pub use self::control::Control;
use self::late_joiner::{Creates, Home, LateJoiner, New};
pub use self::sight::Sight;
use crate::output::Output;
use crate::protocol::{
    Count, Failure, First, Goals, RoleReport, RunReport, Schedule, Service, StreamSpec,
};
use crate::ranges::{
    BODY_BYTES, COUNT, INTERVALS, OUTSTANDING, PARTICIPANTS, RATE_HZ, ROWS, SERVER_THREADS,
    SLOWEST_HZ, count, real, schedule, stream, time, whole, writers,
};
use crate::watch::Counts;

/// What every role of a participant knows.
#[derive(Clone)]
pub struct Context {
    /// Where its endpoints live.
    pub participant: ParticipantHandle,
    /// Cookie of the run.
    pub cookie: u64,
    /// Threads share a CPU.
    pub yields: bool,
    /// Where a role says by itself what it sees; `None`: nobody listens.
    pub news: Option<Output>,
}

/// The writer of samples that were answered so far, and how many those are.
pub type Counter = Box<dyn Fn() -> (u32, u64) + Send>;

/// A role with its endpoints.
pub trait Role: Send {
    /// The number of its writer; no other role of the round has it.
    fn number(&self) -> u32;
    /// What may be asked of it while it runs; `None` for a passive role.
    fn control(&self) -> Option<Arc<Control>> {
        None
    }
    /// Topics and writers, to be connected and matched.
    fn writers(&self) -> Vec<(&str, &WriterHandle)>;
    /// Topics and readers, to be connected and matched.
    fn readers(&self) -> Vec<(&str, &ReaderHandle)>;
    /// Names and ends of services of the middleware's own, to be connected and matched; those by two
    /// topics are among the writers and readers.
    fn services(&self) -> Vec<(&str, &ServiceHandle)> {
        Vec::new()
    }
    /// Destroys its end of a service, or makes it anew; `None`: it is no server.
    fn serve(&mut self, _serving: bool) -> Option<Result<(), Failure>> {
        None
    }
    /// Starts threads that readers need.
    fn start(&mut self);
    /// Does the measurement; `None` for a passive role.
    fn run(&mut self) -> Option<Result<RunReport, Failure>> {
        None
    }
    /// What looks at its rows while it runs, where it records latencies.
    fn sight(&self) -> Option<Sight> {
        None
    }
    /// What counts while it runs, where something does; it keeps endpoints open.
    fn counter(&self) -> Option<Counter> {
        None
    }
    /// Distinct samples of the measured time received so far, by writer; empty where none counts.
    fn progress(&self) -> Vec<(u32, u64)> {
        Vec::new()
    }
    /// Distinct samples received so far, by writer, with whatever else the role counts while it runs.
    fn counts(&self) -> Counts {
        let role = self.number();
        let count = |(writer, samples)| Count::of(role, writer, samples);
        self.progress().into_iter().map(count).collect()
    }
    /// The first sample of each writer that it expects; empty where none is known.
    fn firsts(&self) -> Vec<Option<First>> {
        Vec::new()
    }
    /// Closes the readers, stops threads, and gives the account and the recorded rows.
    fn finish(&mut self) -> Result<Recorded, Failure>;
}

/// What a role has recorded.
pub struct Recorded {
    /// The account.
    pub report: RoleReport,
    /// The rows, if the role records any.
    pub rows: Option<(Arc<busmark_measure::Recorder>, usize)>,
}

impl Recorded {
    /// The rows that were filled.
    pub fn rows(&self) -> &[Row] {
        self.rows.as_ref().map_or(&[], |(recorder, count)| recorder.rows(*count))
    }
}

/// Role of a participant, with its settings.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(tag = "role", rename_all = "snake_case", deny_unknown_fields)]
pub enum RoleSpec {
    /// Sends pings and records pongs.
    Pinger {
        /// Number of the writer of pings.
        writer: u32,
        /// Numbers of the responders' writers; each responder answers every ping.
        from: Vec<u32>,
        /// Topic of pings.
        ping: String,
        /// Topic of pongs.
        pong: String,
        /// Settings of the endpoints.
        stream: StreamSpec,
        /// Pace and length of the measurement.
        schedule: Schedule,
    },
    /// Answers every ping.
    Responder {
        /// Number of the writer of pongs.
        writer: u32,
        /// Topic of pings.
        ping: String,
        /// Topic of pongs.
        pong: String,
        /// Settings of the endpoints.
        stream: StreamSpec,
        /// Number of pongs for which the time at which the write returned is recorded; 0: none.
        #[serde(default)]
        rows: usize,
    },
    /// Sends a stream; one in `probe_every` samples, chosen at random, is a latency probe.
    Transmitter {
        /// Number of the role's writer.
        writer: u32,
        /// Topic of the stream.
        topic: String,
        /// Topic of echoed probes.
        echo: String,
        /// One in this many samples is a latency probe, on average; 0: no probes.
        probe_every: u64,
        /// Settings of the endpoints.
        stream: StreamSpec,
        /// Pace and length of the measurement.
        schedule: Schedule,
        /// Length of an interval counter, ns.
        interval_ns: i64,
    },
    /// Sends batches: announced, acknowledged, started, sent, ended, acknowledged.
    Batcher {
        /// Number of the role's writer.
        writer: u32,
        /// Numbers of the receivers' writers; each receiver acknowledges.
        from: Vec<u32>,
        /// Topic of the batches.
        topic: String,
        /// Topic of acknowledgements.
        echo: String,
        /// Number of samples in a batch.
        batch: u64,
        /// Whether every sample is acknowledged, too, before the next is sent.
        each: bool,
        /// Settings of the endpoints.
        stream: StreamSpec,
        /// Length of the measurement, in which one batch follows the other.
        schedule: Schedule,
        /// Length of an interval counter, ns.
        interval_ns: i64,
    },
    /// Counts a stream, times its samples and echoes its probes.
    Receiver {
        /// Number of the writer of echoes.
        writer: u32,
        /// Numbers of the writers whose samples the role expects.
        from: Vec<u32>,
        /// Topic of the stream.
        topic: String,
        /// Topic of echoed probes.
        echo: String,
        /// One in this many samples is a latency probe, on average; 0: no probes.
        probe_every: u64,
        /// One in this many samples is recorded; 0: none but probes.
        #[serde(default)]
        record_every: u64,
        /// Number of samples in a batch, which the role acknowledges; 0: the stream has no batches.
        batch: u64,
        /// Settings of the endpoints.
        stream: StreamSpec,
        /// Number of rows that can be recorded, of samples and probes or of batches.
        capacity: usize,
        /// Length of an interval counter, ns.
        interval_ns: i64,
        /// Number of interval counters.
        intervals: usize,
    },
    /// Creates a writer or reader, waits until it is discovered, closes it, and repeats this.
    LateJoiner {
        /// Number of the role's writer.
        writer: u32,
        /// The resident that discovers the endpoint, by the number of its writer.
        peer: u32,
        /// Endpoint that the role creates.
        new: New,
        /// Entities that each repetition creates.
        creates: Creates,
        /// Whether the resident's adapter counts matches.
        peer_matches: bool,
        /// Topic of the endpoint.
        topic: String,
        /// Settings of the endpoint.
        stream: StreamSpec,
        /// Rate of the writer, samples per second.
        rate_hz: f64,
        /// Largest number of repetitions in the measured time.
        repetitions: usize,
        /// Length of the warm-up, ns: repetitions that begin in it are discarded.
        warmup_ns: i64,
        /// Length of the measured time, ns: no repetition begins after it.
        duration_ns: i64,
        /// Longest time to wait for a match or a sample, ns; the repetition then ends without it.
        timeout_ns: i64,
    },
    /// Has the counterpart of a late joiner's endpoint, and reports when it has discovered this endpoint.
    Resident {
        /// Number of the role's writer.
        writer: u32,
        /// The late joiner, by the number of its writer.
        late_joiner: u32,
        /// Endpoint that the late joiner creates; the resident has the counterpart.
        new: New,
        /// Topic of the endpoint.
        topic: String,
        /// Settings of the endpoint.
        stream: StreamSpec,
        /// Rate, samples per second, where the resident writes.
        rate_hz: f64,
    },
    /// Sends requests and records their responses.
    Client {
        /// Number of the role.
        writer: u32,
        /// Name of the service.
        service: String,
        /// Settings of the end, and of requests.
        stream: StreamSpec,
        /// Size of a response's body, bytes.
        response_size: usize,
        /// Number of requests that wait for a response at a time, in a closed loop; at a rate the largest
        /// number.
        outstanding: usize,
        /// Pace and length of the measurement.
        schedule: Schedule,
        /// Length of an interval counter, ns.
        interval_ns: i64,
    },
    /// Answers requests.
    Server {
        /// Number of the role.
        writer: u32,
        /// Name of the service.
        service: String,
        /// Settings of the end, and of requests.
        stream: StreamSpec,
        /// Size of a response's body, bytes.
        response_size: usize,
        /// How it works.
        works: Service,
    },
    /// Sends goals of an action, and records what becomes of them.
    ActionClient {
        /// Number of the role.
        writer: u32,
        /// Name of the action.
        action: String,
        /// Settings of the endpoints, and of goals.
        stream: StreamSpec,
        /// What becomes of goals.
        goals: Goals,
        /// Number of goals under way at a time, in a closed loop; at a rate the largest number.
        outstanding: usize,
        /// Pace and length of the measurement.
        schedule: Schedule,
    },
    /// Executes the goals of an action.
    ActionServer {
        /// Number of the role.
        writer: u32,
        /// Name of the action.
        action: String,
        /// Settings of the endpoints, and of feedback and results.
        stream: StreamSpec,
        /// What becomes of goals.
        goals: Goals,
        /// Number of goals for which there is room.
        room: usize,
        /// Time after which a result that nobody has asked for is given up, ns.
        timeout_ns: i64,
    },
    /// Has endpoints that nothing uses.
    IdleEndpoint {
        /// Number of the role.
        writer: u32,
        /// Beginning of the names of the endpoints' topics.
        topic: String,
        /// Settings of the endpoints.
        stream: StreamSpec,
        /// Number of endpoints: writers and readers in turn, two on each topic.
        endpoints: usize,
    },
}

impl RoleSpec {
    /// Whether it makes its participant itself.
    pub fn attaches(&self) -> bool {
        matches!(self, Self::LateJoiner { creates: Creates::Participant, .. })
    }
}

/// Makes a role that makes its participant itself.
pub fn make_attaching(
    library: &Library,
    config: ParticipantConfig,
    (cookie, yields): (u64, bool),
    spec: RoleSpec,
) -> Result<Box<dyn Role>, Error> {
    let home = Home::New(library.clone(), config);
    Ok(Box::new(LateJoiner::new(home, cookie, yields, spec)?))
}

/// Makes the role that `spec` describes.
pub fn make(context: &Context, spec: RoleSpec) -> Result<Box<dyn Role>, Error> {
    Ok(match spec {
        RoleSpec::Pinger { writer, from, ping, pong, stream, schedule } => {
            Box::new(pinger::Pinger::new(context, writer, from, (ping, pong), &stream, schedule)?)
        }
        RoleSpec::Responder { writer, ping, pong, stream, rows } => {
            Box::new(responder::Responder::new(context, writer, (ping, pong), &stream, rows)?)
        }
        RoleSpec::Transmitter {
            writer,
            topic,
            echo,
            probe_every,
            stream,
            schedule,
            interval_ns,
        } => Box::new(transmitter::Transmitter::new(
            context,
            writer,
            (topic, echo),
            probe_every,
            &stream,
            schedule,
            interval_ns,
        )?),
        spec @ RoleSpec::Batcher { .. } => Box::new(batcher::Batcher::new(context, spec)?),
        spec @ RoleSpec::Receiver { .. } => Box::new(receiver::Receiver::new(context, spec)?),
        spec @ RoleSpec::LateJoiner { .. } => {
            if spec.attaches() {
                let text = "a late joiner with a participant of its own has no other role";
                return Err(Status::Invalid.error(text));
            }
            let home = Home::There(context.participant.clone());
            Box::new(LateJoiner::new(home, context.cookie, context.yields, spec)?)
        }
        spec @ RoleSpec::Resident { .. } => Box::new(resident::Resident::new(context, spec)?),
        spec @ RoleSpec::Client { .. } => Box::new(client::Client::new(context, spec)?),
        spec @ RoleSpec::Server { .. } => Box::new(server::Server::new(context, spec)?),
        spec @ RoleSpec::ActionClient { .. } => {
            Box::new(action_client::ActionClient::new(context, spec)?)
        }
        spec @ RoleSpec::ActionServer { .. } => {
            Box::new(action_server::ActionServer::new(context, spec)?)
        }
        spec @ RoleSpec::IdleEndpoint { .. } => {
            Box::new(idle_endpoint::IdleEndpoint::new(context, spec)?)
        }
    })
}

/// Checks that the numbers of a role are within the limits.
pub(crate) fn check(spec: &RoleSpec) -> Result<(), Failure> {
    match spec {
        RoleSpec::Pinger { writer, from, stream: of, schedule: when, .. } => {
            writers(*writer, from)?;
            stream(of)?;
            schedule(when)
        }
        RoleSpec::Responder { writer, stream: of, rows, .. } => {
            writers(*writer, &[])?;
            count("rows", *rows as u64, ROWS)?;
            stream(of)
        }
        RoleSpec::Transmitter {
            writer,
            probe_every,
            stream: of,
            schedule: when,
            interval_ns,
            ..
        } => {
            writers(*writer, &[])?;
            count("probe_every", *probe_every, COUNT)?;
            time("interval_ns", *interval_ns, 1)?;
            stream(of)?;
            schedule(when)
        }
        RoleSpec::Batcher {
            writer, from, batch, stream: of, schedule: when, interval_ns, ..
        } => {
            writers(*writer, from)?;
            whole("batch", *batch, 1..=COUNT)?;
            time("interval_ns", *interval_ns, 1)?;
            stream(of)?;
            schedule(when)
        }
        RoleSpec::Receiver {
            writer,
            from,
            probe_every,
            record_every,
            stream: of,
            capacity,
            interval_ns,
            intervals,
            ..
        } => {
            writers(*writer, from)?;
            count("probe_every", *probe_every, COUNT)?;
            count("record_every", *record_every, COUNT)?;
            count("capacity", *capacity as u64, ROWS)?;
            count("intervals", *intervals as u64, INTERVALS)?;
            // Each writer has counters of its own.
            count("intervals of all writers", (*intervals * from.len().max(1)) as u64, ROWS)?;
            time("interval_ns", *interval_ns, 1)?;
            stream(of)
        }
        RoleSpec::LateJoiner {
            writer,
            peer,
            stream: of,
            rate_hz,
            repetitions,
            warmup_ns,
            duration_ns,
            timeout_ns,
            ..
        } => {
            writers(*writer, &[*peer])?;
            real("rate_hz", *rate_hz, SLOWEST_HZ..=RATE_HZ)?;
            whole("repetitions", *repetitions as u64, 1..=INTERVALS)?;
            time("warmup_ns", *warmup_ns, 0)?;
            time("duration_ns", *duration_ns, 1)?;
            time("timeout_ns", *timeout_ns, 1)?;
            stream(of)
        }
        RoleSpec::Resident { writer, late_joiner, stream: of, rate_hz, .. } => {
            writers(*writer, &[*late_joiner])?;
            real("rate_hz", *rate_hz, SLOWEST_HZ..=RATE_HZ)?;
            stream(of)
        }
        RoleSpec::Client { .. } | RoleSpec::Server { .. } => check_service(spec),
        RoleSpec::ActionClient { .. } | RoleSpec::ActionServer { .. } => check_action(spec),
        RoleSpec::IdleEndpoint { writer, stream: of, endpoints, .. } => {
            writers(*writer, &[])?;
            count("endpoints", *endpoints as u64, PARTICIPANTS)?;
            stream(of)
        }
    }
}

/// The same of an end of a service.
fn check_service(spec: &RoleSpec) -> Result<(), Failure> {
    match spec {
        RoleSpec::Client {
            writer,
            stream: of,
            response_size,
            outstanding,
            schedule: when,
            interval_ns,
            ..
        } => {
            writers(*writer, &[])?;
            count("response_size", *response_size as u64, BODY_BYTES)?;
            whole("outstanding", *outstanding as u64, 1..=OUTSTANDING)?;
            time("interval_ns", *interval_ns, 1)?;
            time("timeout_ns", when.timeout_ns, 1)?;
            stream(of)?;
            schedule(when)
        }
        RoleSpec::Server { writer, stream: of, response_size, works, .. } => {
            writers(*writer, &[])?;
            count("response_size", *response_size as u64, BODY_BYTES)?;
            whole("threads", works.threads as u64, 1..=SERVER_THREADS)?;
            whole("reverses", u64::from(works.reverses), 1..=64)?;
            time("work_ns", works.work_ns, 0)?;
            stream(of)
        }
        _ => Ok(()),
    }
}

/// The same of a side of an action.
fn check_action(spec: &RoleSpec) -> Result<(), Failure> {
    let (writer, of, goals) = match spec {
        RoleSpec::ActionClient {
            writer, stream: of, goals, outstanding, schedule: when, ..
        } => {
            whole("outstanding", *outstanding as u64, 1..=OUTSTANDING)?;
            time("timeout_ns", when.timeout_ns, 1)?;
            schedule(when)?;
            (writer, of, goals)
        }
        RoleSpec::ActionServer { writer, stream: of, goals, room, timeout_ns, .. } => {
            whole("room", *room as u64, 1..=OUTSTANDING)?;
            time("timeout_ns", *timeout_ns, 1)?;
            (writer, of, goals)
        }
        _ => return Ok(()),
    };
    writers(*writer, &[])?;
    time("time_ns", goals.time_ns, 0)?;
    time("feedback_ns", goals.feedback_ns, 0)?;
    count("cancel_every", goals.cancel_every, COUNT)?;
    stream(of)
}

impl StreamSpec {
    /// Configuration of an endpoint of this stream.
    fn endpoint(&self, topic: &str) -> EndpointConfig {
        EndpointConfig {
            topic: topic.to_owned(),
            payload: self.payload,
            wait: self.wait,
            max_body_bytes: self.size as u64,
            qos: self.qos.clone(),
            instances: self.instances,
            filter_below: self.filter_below,
        }
    }

    /// Whether a sample must be handed to a thread instead of being written from the listener (C21).
    fn hands_over(&self, context: &Context) -> bool {
        let capabilities = context.participant.library().capabilities();
        let keep_all = self.qos.keep_all == Some(true) && self.qos.reliable != Some(false);
        let allowed = capabilities.has(Feature::WriteInListener)
            && (!keep_all || capabilities.has(Feature::KeepAllInListener));
        self.wait == Wait::Listener && !allowed
    }
}
