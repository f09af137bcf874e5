//! One test of a member: a desk of its own, whose commands come from the bus.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel};
use std::time::Instant;

use busmark_adapter::ParticipantHandle;
use busmark_worker::carrier::Carrier;
use busmark_worker::desk::Desk;
use busmark_worker::output::Output;
use busmark_worker::platform::limits;
use busmark_worker::protocol::{Failure, Reply};
use serde_json::{Map, Value, json};

use crate::brief;
use crate::definition::{Definition, ns};
use crate::found::Discovery;
use crate::member::Message;
use crate::message::Change;

/// An order that waits for its answer: caller and number.
pub type Asker = (u64, u64);

/// Commands of a test, by their numbers; the commands of `set` are above.
pub mod number {
    pub const PREPARE: u64 = 1;
    pub const SETUP: u64 = 2;
    pub const MATCH: u64 = 3;
    pub const START: u64 = 4;
    pub const RUN: u64 = 5;
    pub const CONCLUDE: u64 = 6;
    pub const STOP: u64 = 7;
    pub const FIRST_SET: u64 = 10;
}

/// How far a test is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Its endpoints are being made, or wait for the other ends.
    Starting,
    /// It measures, or answers.
    Running,
    /// It is being summed up.
    Ending,
}

/// A change that is being made, by a command for each end.
pub struct Setter {
    /// Who asked for it.
    pub asker: Asker,
    /// What changes, by the keys of `set`.
    pub change: Map<String, Value>,
    left: Vec<u64>,
    at_ns: i64,
    changed: u64,
    failure: Option<Failure>,
}

impl Setter {
    /// One end has taken it, or not; the whole outcome with the last of them. `Err`: another's number.
    pub fn take(&mut self, id: u64, outcome: Outcome) -> Result<Option<Outcome>, Outcome> {
        let Some(at) = self.left.iter().position(|left| *left == id) else {
            return Err(outcome);
        };
        self.left.remove(at);
        match outcome {
            Ok(result) => {
                self.at_ns = self.at_ns.max(result["at_ns"].as_i64().unwrap_or_default());
                self.changed += result["changed"].as_u64().unwrap_or_default();
            }
            Err(failure) => self.failure = Some(failure),
        }
        if !self.left.is_empty() {
            return Ok(None);
        }
        let done = || json!({"at_ns": self.at_ns, "changed": self.changed});
        Ok(Some(self.failure.take().map_or_else(|| Ok(done()), Err)))
    }
}

/// What a command yielded.
pub type Outcome = Result<Value, Failure>;

/// A test.
pub struct Test {
    /// The definition with which it was ordered.
    pub definition: Definition,
    /// Tells it from one that had the same number before.
    pub key: u64,
    /// How far it is.
    pub phase: Phase,
    /// Who had it started, until that is answered.
    pub starter: Option<Asker>,
    /// Whoever wants it to end.
    pub stoppers: Vec<Asker>,
    /// Who has changed it, until that is answered.
    pub setters: Vec<Setter>,
    /// What `run` yielded.
    pub ran: Option<Value>,
    /// What was changed since it began, by the keys of `set`.
    pub changed: Map<String, Value>,
    /// The part of its definition that contradicts the other end's.
    pub contradiction: Option<Failure>,
    /// When it began to run.
    pub began: Option<Instant>,
    /// How its ends came to find each other.
    pub discovery: Discovery,
    app: u32,
    commands: Sender<String>,
    next: u64,
}

impl Test {
    /// Begins a test on a thread of its own. What its desk says goes to `house` under this key.
    pub fn begin(
        definition: Definition,
        key: u64,
        starter: Asker,
        host: &ParticipantHandle,
        app: u32,
        house: &SyncSender<Message>,
    ) -> Result<Self, Failure> {
        let preparing = definition.preparing(app, host.library().capabilities())?;
        let (commands, given) = channel();
        let output = Output::new(Lines { key, house: house.clone(), line: Vec::new() });
        let (host, fifo) = (host.clone(), definition.fifo);
        std::thread::Builder::new()
            .name(format!("test {}", definition.test))
            .spawn(move || work(host, fifo, given, output))
            .map_err(|error| Failure::new("resources", format!("no thread: {error}")))?;
        let test = Self {
            definition,
            key,
            phase: Phase::Starting,
            starter: Some(starter),
            stoppers: Vec::new(),
            setters: Vec::new(),
            ran: None,
            changed: Map::new(),
            contradiction: None,
            began: None,
            discovery: Discovery::begin(),
            app,
            commands,
            next: number::FIRST_SET,
        };
        test.send(number::PREPARE, preparing);
        Ok(test)
    }

    /// Gives its desk a command.
    pub fn send(&self, id: u64, mut command: Value) {
        command["id"] = json!(id);
        // A desk that has gone has said so.
        let _ = self.commands.send(command.to_string());
    }

    /// The next command on the way to its measurement, after `done` was carried out.
    pub fn go_on(&mut self, done: u64) {
        let every_ns = ns(self.definition.every_s);
        let active = self.definition.kind.is_active();
        match done {
            number::PREPARE => {
                self.discovery = Discovery::begin();
                self.send(number::SETUP, json!({"cmd": "setup"}));
            }
            number::SETUP if active => self.send(number::MATCH, self.definition.matching()),
            number::SETUP | number::MATCH => self.send(number::START, self.definition.starting()),
            number::START => {
                self.phase = Phase::Running;
                self.began = Some(Instant::now());
                if active {
                    let run = json!({"cmd": "run", "every_ns": every_ns, "firsts": true});
                    self.send(number::RUN, run);
                }
                if !self.stoppers.is_empty() || self.contradiction.is_some() {
                    self.end();
                }
            }
            _ => self.conclude(),
        }
    }

    /// Ends it, as soon as it runs.
    pub fn end(&mut self) {
        if self.phase != Phase::Running {
            return;
        }
        if self.definition.kind.is_active() {
            for writer in self.definition.writers(self.app) {
                self.send(number::STOP, json!({"cmd": "set", "writer": writer, "stop": true}));
            }
        } else {
            self.conclude();
        }
    }

    /// Has it summed up: what is active has come to its end.
    fn conclude(&mut self) {
        self.phase = Phase::Ending;
        self.send(number::CONCLUDE, json!({"cmd": "conclude"}));
    }

    /// Changes it while it runs.
    pub fn change(&mut self, change: &Change, asker: Asker) {
        let mut command = json!({"cmd": "set"});
        if let Some(rate_hz) = change.rate_hz {
            command["rate_hz"] = json!(rate_hz);
        }
        if let Some(paused) = change.paused {
            command["paused"] = json!(paused);
        }
        if let Some(qos) = &change.qos {
            command["qos"] = json!(qos);
        }
        let mut left = Vec::new();
        for writer in self.definition.writers(self.app) {
            command["writer"] = json!(writer);
            left.push(self.next);
            self.send(self.next, command.clone());
            self.next += 1;
        }
        self.setters.push(Setter {
            asker,
            change: brief::change(change),
            left,
            at_ns: 0,
            changed: 0,
            failure: None,
        });
    }
}

/// The desk's thread, from which its roles inherit their scheduling class.
fn work(host: ParticipantHandle, fifo: Option<u8>, given: Receiver<String>, output: Output) {
    if let Some(Err(error)) = fifo.map(limits::fifo) {
        let _ = output.line(&Reply::Failed { id: number::PREPARE, ok: false, error });
        return;
    }
    let mut desk = Desk::new(|| ()).hosted(host);
    desk.listen(Commands(given), output);
    let _ = desk.work();
}

/// Commands as the member gives them.
struct Commands(Receiver<String>);

impl Carrier for Commands {
    fn next(&mut self) -> Option<String> {
        self.0.recv().ok()
    }
}

/// Hands on whole lines of what a desk says; and that it has gone.
struct Lines {
    key: u64,
    house: SyncSender<Message>,
    line: Vec<u8>,
}

impl Write for Lines {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        for part in data.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                let _ = self.house.send(Message::Said(self.key, line));
            }
        }
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let _ = self.house.send(Message::Gone(self.key));
    }
}
