//! Tests as they are defined on the bus, and what they are to a worker: the `prepare` and the `match` of
//! the control protocol. A definition names no file and no library.

use busmark_adapter::{CapabilityReport, Payload, Qos, Wait};
use busmark_worker::protocol::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::message::LAST_NUMBER;

/// Last number of a test.
const LAST_TEST: u32 = 65_535;
/// Bytes of the largest body: several are prepared for each writer.
const LARGEST: usize = 1 << 24;
/// Applications that one end expects.
const MOST_FROM: usize = 64;
/// Round trips that a test can record, 112 bytes each.
pub const MOST_ROWS: usize = 1_000_000;
/// Rows of a closed loop, whose rate nobody knows before.
const CLOSED_ROWS: usize = 500_000;
/// Ends of one kind in a test of an application: the result of all of them fits into one message.
const MOST_ENDS: u32 = 8;
const SECOND_NS: f64 = 1e9;
const LONGEST_S: f64 = 1e6;
/// Writers of an application have their own numbers: for its active ends, and for the others.
const WRITERS_OF_APP: u32 = 64;
const PASSIVE: u32 = 32;

/// What a test is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Measures round trips to transponders.
    Transceiver,
    /// Answers transceivers.
    Transponder,
    /// Sends a stream.
    Transmitter,
    /// Counts the streams of transmitters.
    Receiver,
}

impl Kind {
    /// Whether it runs on a thread of its own, to an end of its own.
    pub fn is_active(self) -> bool {
        matches!(self, Self::Transceiver | Self::Transmitter)
    }

    /// Whether it is about round trips.
    fn is_latency(self) -> bool {
        matches!(self, Self::Transceiver | Self::Transponder)
    }

    /// Its name in definitions.
    pub fn word(self) -> &'static str {
        match self {
            Self::Transceiver => "transceiver",
            Self::Transponder => "transponder",
            Self::Transmitter => "transmitter",
            Self::Receiver => "receiver",
        }
    }
}

/// A test, as one application is to take part in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The end of the test that the application is.
    pub kind: Kind,
    /// The test's number, which both of its ends have.
    pub test: u32,
    /// Applications whose transponders answer a transceiver, or whose transmitters a receiver expects.
    #[serde(default)]
    pub from: Vec<u32>,
    /// Ends that each of these applications has in this test.
    #[serde(default = "one")]
    pub from_each: u32,
    /// Ends of this kind that the application has: writers, or readers.
    #[serde(default = "one")]
    pub count: u32,
    /// Receivers that a transmitter waits for before it begins.
    #[serde(default = "one")]
    pub readers: u32,
    /// Kind of the body's elements.
    #[serde(default = "octet")]
    #[schemars(with = "String")]
    pub payload: Payload,
    /// Bytes of the body.
    #[serde(default = "size")]
    pub size: usize,
    /// How readers wait; by default as the adapter prefers.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub wait: Option<Wait>,
    /// Quality of service of its endpoints.
    #[serde(default)]
    #[schemars(with = "Value")]
    pub qos: Qos,
    /// Samples per second; 0: as fast as possible, round trips one after the other.
    #[serde(default)]
    pub rate_hz: f64,
    /// Time before the measurement, discarded, seconds.
    #[serde(default)]
    pub warmup_s: f64,
    /// Length of the measurement, seconds; what only answers or receives runs until it is stopped.
    #[serde(default = "duration_s")]
    pub duration_s: f64,
    /// How long it waits for the other ends before it begins, seconds.
    #[serde(default = "timeout_s")]
    pub timeout_s: f64,
    /// Time between two events with live figures, seconds; 0: none.
    #[serde(default = "every_s")]
    pub every_s: f64,
    /// Priority under `SCHED_FIFO` of its threads, 1 to 99.
    #[serde(default)]
    pub fifo: Option<u8>,
}

fn one() -> u32 {
    1
}
fn octet() -> Payload {
    Payload::Octet
}
fn size() -> usize {
    64
}
fn duration_s() -> f64 {
    60.0
}
fn timeout_s() -> f64 {
    10.0
}
fn every_s() -> f64 {
    1.0
}

fn invalid(text: impl Into<String>) -> Failure {
    Failure::new("invalid", text)
}

fn within(name: &str, value: f64, least: f64, most: f64) -> Result<(), Failure> {
    // Not a number is in no range.
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(invalid(format!("{name} = {value} is not within {least} to {most}")))
}

impl Definition {
    /// Checks that this adapter can run the test.
    pub fn check(&self, adapter: &CapabilityReport) -> Result<(), Failure> {
        if self.test > LAST_TEST {
            return Err(invalid(format!("test {}: the last number is {LAST_TEST}", self.test)));
        }
        for (name, value) in [("count", self.count), ("from_each", self.from_each)] {
            if !(1..=MOST_ENDS).contains(&value) {
                return Err(invalid(format!("{name} = {value} is not within 1 to {MOST_ENDS}")));
            }
        }
        self.check_from()?;
        if self.payload == Payload::Type || !adapter.payloads.contains(&self.payload) {
            let text = format!("payload {:?}: not to be had here", self.payload).to_lowercase();
            return Err(Failure::new("unsupported", text));
        }
        let largest = (LARGEST as u64).min(adapter.max_body_bytes);
        if self.size as u64 > largest {
            return Err(invalid(format!("size {}: the largest is {largest}", self.size)));
        }
        if let Some(wait) = self.wait.filter(|wait| !adapter.waits.contains(wait)) {
            let text = format!("wait: {} has no {wait:?}", adapter.name).to_lowercase();
            return Err(Failure::new("unsupported", text));
        }
        self.check_qos(adapter)?;
        within("rate_hz", self.rate_hz, 0.0, 1e9)?;
        within("warmup_s", self.warmup_s, 0.0, LONGEST_S)?;
        within("duration_s", self.duration_s, 0.001, LONGEST_S)?;
        within("timeout_s", self.timeout_s, 0.0, 3600.0)?;
        if self.every_s != 0.0 {
            within("every_s", self.every_s, 0.1, LONGEST_S)?;
        }
        if self.fifo.is_some_and(|priority| !(1..=99).contains(&priority)) {
            return Err(invalid("fifo: a priority is within 1 to 99"));
        }
        self.rows().map(|_| ())
    }

    fn check_from(&self) -> Result<(), Failure> {
        let needed = matches!(self.kind, Kind::Transceiver | Kind::Receiver);
        if needed && self.from.is_empty() {
            let others =
                if self.kind.is_latency() { "transponders answer it" } else { "streams it counts" };
            let kind = self.kind.word();
            return Err(invalid(format!("from: a {kind} names the applications whose {others}")));
        }
        if !needed && !self.from.is_empty() {
            let kind = self.kind.word();
            return Err(invalid(format!("from: a {kind} takes all that come")));
        }
        if self.from.len() > MOST_FROM {
            return Err(invalid(format!("from: at most {MOST_FROM} applications")));
        }
        if let Some(number) = self.from.iter().find(|number| **number > LAST_NUMBER) {
            return Err(invalid(format!(
                "from: no application {number}; the last is {LAST_NUMBER}"
            )));
        }
        let mut sorted = self.from.clone();
        sorted.sort_unstable();
        if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(invalid("from: an application is named twice"));
        }
        Ok(())
    }

    fn check_qos(&self, adapter: &CapabilityReport) -> Result<(), Failure> {
        for value in self.qos.values() {
            if !adapter.qos.contains(&value) {
                let text = format!("qos: {} does not honour {}", adapter.name, name_of(value));
                return Err(Failure::new("unsupported", text));
            }
        }
        Ok(())
    }

    /// Rows that all its ends record.
    pub fn rows(&self) -> Result<usize, Failure> {
        Ok(self.rows_of_each()? * self.count as usize)
    }

    /// Bytes of the bodies of all its ends.
    pub fn bytes(&self) -> usize {
        self.size * self.count as usize
    }

    /// Accounts that all its ends keep: one for each writer that they hear.
    pub fn accounts(&self) -> usize {
        self.others().len() * self.count as usize
    }

    fn rows_of_each(&self) -> Result<usize, Failure> {
        if self.kind != Kind::Transceiver {
            return Ok(0);
        }
        if self.rate_hz == 0.0 {
            return Ok(CLOSED_ROWS);
        }
        let needed = self.rate_hz * self.duration_s * 1.1 + 100.0;
        if needed > MOST_ROWS as f64 {
            let text = format!(
                "{} Hz for {} s: a transceiver keeps a row for every round trip, at most \
                 {MOST_ROWS}: shorten duration_s, or lower rate_hz",
                self.rate_hz, self.duration_s
            );
            return Err(invalid(text));
        }
        Ok(needed as usize)
    }

    /// Topics of the samples and of their answers.
    fn topics(&self) -> (String, String) {
        let number = self.test;
        if self.kind.is_latency() {
            (format!("busmark_bus_{number}_ping"), format!("busmark_bus_{number}_pong"))
        } else {
            (format!("busmark_bus_{number}_data"), format!("busmark_bus_{number}_echo"))
        }
    }

    /// The topic that it reads.
    pub fn reads(&self) -> String {
        let (samples, answers) = self.topics();
        if self.kind.is_active() { answers } else { samples }
    }

    /// Numbers of this test's writers in an application.
    pub fn writers(&self, app: u32) -> Vec<u32> {
        let first = app * WRITERS_OF_APP + if self.kind.is_active() { 0 } else { PASSIVE };
        (first..first + self.count).collect()
    }

    /// Numbers of the writers at the other end.
    fn others(&self) -> Vec<u32> {
        let slot = if self.kind == Kind::Transceiver { PASSIVE } else { 0 };
        let firsts = self.from.iter().map(|app| app * WRITERS_OF_APP + slot);
        firsts.flat_map(|first| first..first + self.from_each).collect()
    }

    /// The command `prepare`, without its number.
    pub fn preparing(&self, app: u32, adapter: &CapabilityReport) -> Result<Value, Failure> {
        let wait = self.wait.or(adapter.waits.first().copied()).unwrap_or(Wait::Poll);
        let stream = json!({
            "payload": self.payload, "size": self.size, "wait": wait, "qos": self.qos,
            "verify": false,
        });
        let (topic, answers) = self.topics();
        let schedule = json!({
            "arrivals": if self.rate_hz > 0.0 { "constant" } else { "closed" },
            "rate_hz": self.rate_hz, "seed": 1, "warmup_ns": ns(self.warmup_s),
            "duration_ns": ns(self.duration_s), "samples": 0, "capacity": self.rows_of_each()?,
            "timeout_ns": 1_000_000_000,
        });
        let role = |writer: u32| match self.kind {
            Kind::Transceiver => json!({
                "role": "pinger", "writer": writer, "from": self.others(), "ping": topic,
                "pong": answers, "stream": stream, "schedule": schedule,
            }),
            Kind::Transponder => json!({
                "role": "responder", "writer": writer, "ping": topic, "pong": answers,
                "stream": stream,
            }),
            // Sums are all that is made of counters: one interval, and memory that does not grow.
            Kind::Transmitter => json!({
                "role": "transmitter", "writer": writer, "topic": topic, "echo": answers,
                "probe_every": 0, "stream": stream, "schedule": schedule,
                "interval_ns": ns(self.duration_s),
            }),
            Kind::Receiver => json!({
                "role": "receiver", "writer": writer, "from": self.others(), "topic": topic,
                "echo": answers, "probe_every": 0, "batch": 0, "stream": stream, "capacity": 0,
                "interval_ns": 1_000_000_000, "intervals": 1,
            }),
        };
        let roles: Vec<Value> = self.writers(app).into_iter().map(role).collect();
        // Both ends of a test agree on its cookie by its number.
        let cookie = format!("b05b{:x}{:04x}", u8::from(self.kind.is_latency()), self.test);
        Ok(json!({
            "cmd": "prepare", "adapter": "", "cookie": cookie, "yields": wait == Wait::Poll,
            "participants": [{"config": no_config(), "roles": roles}],
        }))
    }

    /// The command `start`, without its number: what is passive tells of its discovery.
    pub fn starting(&self) -> Value {
        let (topic, answers) = self.topics();
        match self.kind {
            // What only answers counts nothing.
            Kind::Transponder => json!({
                "cmd": "start", "every_ns": 0,
                "discovery": {
                    topic: {"writers": 1, "readers": 0}, answers: {"writers": 0, "readers": 1},
                },
            }),
            Kind::Receiver => json!({
                "cmd": "start", "every_ns": ns(self.every_s),
                "discovery": {topic: {"writers": self.others().len(), "readers": 0}},
            }),
            // What is active tells of itself from `run` on.
            Kind::Transceiver | Kind::Transmitter => json!({"cmd": "start", "every_ns": 0}),
        }
    }

    /// The command `match`, without its number.
    pub fn matching(&self) -> Value {
        let (topic, answers) = self.topics();
        let others = self.others().len();
        let expect = if self.kind == Kind::Transceiver {
            json!({
                topic: {"writers": 0, "readers": others}, answers: {"writers": others, "readers": 0},
            })
        } else {
            json!({topic: {"writers": 0, "readers": self.readers}})
        };
        json!({"cmd": "match", "timeout_s": self.timeout_s, "expect": expect})
    }
}

/// The application of a writer of this number.
pub fn app_of(writer: u32) -> u32 {
    writer / WRITERS_OF_APP
}

/// Participants are there already.
fn no_config() -> Value {
    json!({
        "domain": 0, "interface_name": "", "interface_address": "", "transport": "", "profile": "",
        "run_dir": "", "settings": [],
    })
}

/// Seconds in nanoseconds.
pub fn ns(seconds: f64) -> u64 {
    (seconds * SECOND_NS) as u64
}

/// A policy's name, as scenarios have it.
pub fn name_of(value: busmark_adapter::QosValue) -> String {
    serde_json::to_value(value).ok().and_then(|v| Some(v.as_str()?.to_owned())).unwrap_or_default()
}
