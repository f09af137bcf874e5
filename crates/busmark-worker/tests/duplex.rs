//! Commands while roles run: whoever asks is answered, on the way and by the number of the command.

mod common;

use std::io::Write;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use busmark_worker::carrier::Carrier;
use busmark_worker::desk::Desk;
use busmark_worker::output::Output;
use serde_json::{Value, json};

/// Everything here is done in milliseconds on a machine that has time.
const PATIENCE: Duration = Duration::from_secs(60);
const HOUR_NS: i64 = 3_600_000_000_000;

/// A carrier whose commands a test gives.
struct Given(Receiver<String>);

impl Carrier for Given {
    fn next(&mut self) -> Option<String> {
        self.0.recv().ok()
    }
}

/// What a worker sent to one carrier.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<u8>>>);

impl Write for Heard {
    fn write(&mut self, data: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("nobody panicked").extend_from_slice(data);
        Ok(data.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// One end of a carrier.
struct Line {
    commands: Sender<String>,
    heard: Heard,
}

impl Line {
    fn new(desk: &mut Desk) -> Self {
        let (commands, given) = channel();
        let heard = Heard::default();
        desk.listen(Given(given), Output::new(heard.clone()));
        Self { commands, heard }
    }

    fn send(&self, command: &Value) {
        self.commands.send(command.to_string()).expect("the desk listens");
    }

    /// Messages so far, without frames.
    fn messages(&self) -> Vec<Value> {
        let heard = self.heard.0.lock().expect("nobody panicked").clone();
        let mut rest = &heard[..];
        let mut found = Vec::new();
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let message: Value = serde_json::from_slice(&rest[..end]).expect("a message");
            rest = &rest[end + 1..];
            if let Some(bytes) = message.get("bytes").and_then(Value::as_u64) {
                // If a frame is still being sent, the rest comes later.
                let Some(after) = rest.get(bytes as usize + 1..) else { break };
                rest = after;
            } else {
                found.push(message);
            }
        }
        found
    }

    fn wait(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            if let Some(message) = self.messages().into_iter().find(&wanted) {
                return message;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        panic!("{what} did not come: {:?}", self.messages());
    }

    fn answer(&self, id: u64) -> Value {
        self.wait(&format!("answer {id}"), |message| message["id"] == id)
    }

    /// Sends a command and waits for what it yields.
    fn ask(&self, command: &Value) -> Value {
        self.send(command);
        let answer = self.answer(command["id"].as_u64().expect("an id"));
        assert_eq!(answer["ok"], true, "{answer}");
        answer["result"].clone()
    }

    /// Sends a command that is refused; why.
    fn refused(&self, command: &Value) -> String {
        self.send(command);
        let answer = self.answer(command["id"].as_u64().expect("an id"));
        assert_eq!(answer["ok"], false, "{answer}");
        answer["error"]["message"].as_str().expect("a message").to_owned()
    }
}

fn roles(active: Value, passive: Value) -> Value {
    let stream = json!({
        "payload": "octet", "size": 8, "wait": "listener", "qos": {}, "verify": false,
    });
    let both = [active, passive].map(|mut role| {
        role["stream"] = stream.clone();
        role
    });
    json!(both)
}

fn schedule(rate_hz: f64, warmup_ns: i64) -> Value {
    json!({
        "arrivals": if rate_hz > 0.0 { "constant" } else { "closed" }, "rate_hz": rate_hz,
        "seed": 1, "warmup_ns": warmup_ns, "duration_ns": HOUR_NS, "samples": 0,
        "capacity": 1_000_000, "timeout_ns": 1_000_000_000,
    })
}

fn stream(rate_hz: f64) -> Value {
    roles(
        json!({
            "role": "transmitter", "writer": 1, "topic": "a", "echo": "b", "probe_every": 0,
            "interval_ns": 1_000_000_000, "schedule": schedule(rate_hz, 0),
        }),
        json!({
            "role": "receiver", "writer": 2, "from": [1], "topic": "a", "echo": "b",
            "probe_every": 0, "batch": 0, "capacity": 10, "interval_ns": 1_000_000_000,
            "intervals": 10_000,
        }),
    )
}

fn pings(rate_hz: f64) -> Value {
    roles(
        json!({
            "role": "pinger", "writer": 1, "from": [2], "ping": "a", "pong": "b",
            // A closed loop would soon have filled all rows: it stays in its warm-up.
            "schedule": schedule(rate_hz, if rate_hz > 0.0 { 0 } else { HOUR_NS }),
        }),
        json!({"role": "responder", "writer": 2, "ping": "a", "pong": "b"}),
    )
}

/// A worker whose endpoints are connected, and two carriers.
fn connected(roles: &Value) -> (Line, Line, JoinHandle<()>) {
    let mut desk = Desk::new(|| ());
    let (first, second) = (Line::new(&mut desk), Line::new(&mut desk));
    let thread = std::thread::spawn(move || desk.work().expect("works"));
    first.ask(&json!({
        "id": 0, "cmd": "prepare", "adapter": common::null_library(), "cookie": "7", "yields": false,
        "participants": [{"config": common::config(), "roles": roles}],
    }));
    let made = first.ask(&json!({"id": 1, "cmd": "setup"}));
    first.ask(&json!({
        "id": 2, "cmd": "connect", "locators": made["locators"],
        "writer_locators": made["writer_locators"],
    }));
    (first, second, thread)
}

/// A worker whose roles run, and two carriers: the first has sent `run` as command 4.
fn running(roles: &Value, every_ns: u64) -> (Line, Line, JoinHandle<()>) {
    let (first, second, thread) = connected(roles);
    first.ask(&json!({"id": 3, "cmd": "start"}));
    first.send(&json!({"id": 4, "cmd": "run", "every_ns": every_ns}));
    // Commands of one carrier are taken in their order: the second may come now.
    first.ask(&json!({"id": 5, "cmd": "set", "writer": 1, "paused": false}));
    (first, second, thread)
}

fn end(first: Line, second: Line, thread: JoinHandle<()>) {
    drop((first.commands, second.commands));
    thread.join().expect("the desk ends when no carrier has any more commands");
}

/// Whether the loop is a stream at full speed, or of pings, or at a rate.
fn every_kind() -> [Value; 4] {
    [stream(0.0), stream(1000.0), pings(0.0), pings(1000.0)]
}

#[test]
fn whoever_asks_is_answered_while_roles_run() {
    for roles in every_kind() {
        let (first, second, thread) = running(&roles, 0);
        let mut last = 0;
        for (id, paused) in [(10, true), (11, false)] {
            let at_ns = second.ask(&json!({"id": id, "cmd": "set", "writer": 1, "paused": paused}))
                ["at_ns"]
                .as_i64();
            assert!(at_ns.expect("a time") > last);
            last = at_ns.expect("a time");
        }
        assert!(first.messages().iter().all(|message| message["id"] != 4), "it still runs");
        second.ask(&json!({"id": 12, "cmd": "set", "writer": 1, "stop": true}));
        let reports = first.answer(4)["result"].clone();
        assert_eq!(reports[0]["ended"], "stopped");
        assert!(first.messages().iter().all(|message| message["id"].as_u64() < Some(10)));
        assert_eq!(
            first.ask(&json!({"id": 6, "cmd": "collect"})).as_array().map(Vec::len),
            Some(2)
        );
        end(first, second, thread);
    }
}

#[test]
fn a_rate_is_another_from_then_on() {
    // One sample in half an hour: the next comes only if the rate has changed.
    let (first, second, thread) = running(&stream(1.0 / 1800.0), 1_000_000);
    first.wait("the begin", |message| message["event"] == "progress");
    second.ask(&json!({"id": 10, "cmd": "set", "writer": 1, "rate_hz": 1000.0}));
    let many = |message: &Value| {
        message["event"] == "interval" && message["counts"][0]["samples"].as_u64() > Some(0)
    };
    first.wait("samples", many);
    second.ask(&json!({"id": 11, "cmd": "set", "writer": 1, "stop": true}));
    let sent = first.answer(4)["result"][0]["sent"].as_u64().expect("a number");
    assert!(sent > 1, "{sent}");
    end(first, second, thread);
}

#[test]
fn a_pause_holds_everything_back() {
    for roles in [stream(0.0), stream(1000.0), pings(1000.0)] {
        let (first, second, thread) = running(&roles, 1_000_000);
        first.wait("the begin", |message| message["event"] == "progress");
        second.ask(&json!({"id": 10, "cmd": "set", "writer": 1, "paused": true}));
        // What is on its way may still come; after two empty intervals nothing is.
        let quiet = || {
            let intervals: Vec<bool> = first
                .messages()
                .iter()
                .filter(|message| message["event"] == "interval")
                .map(|message| message["counts"][0]["samples"] == 0)
                .collect();
            intervals.ends_with(&[true, true])
        };
        let begin = Instant::now();
        while !quiet() {
            assert!(begin.elapsed() < PATIENCE, "samples come in a pause");
            std::thread::sleep(Duration::from_millis(2));
        }
        let before = first.messages().len();
        second.ask(&json!({"id": 11, "cmd": "set", "writer": 1, "paused": false}));
        let again = || {
            first.messages()[before..]
                .iter()
                .any(|message| message["counts"][0]["samples"].as_u64() > Some(0))
        };
        let begin = Instant::now();
        while !again() {
            assert!(begin.elapsed() < PATIENCE, "nothing comes after a pause");
            std::thread::sleep(Duration::from_millis(2));
        }
        second.ask(&json!({"id": 12, "cmd": "set", "writer": 1, "stop": true}));
        first.answer(4);
        end(first, second, thread);
    }
}

#[test]
fn whoever_watches_sees_round_trips_and_what_was_not_answered() {
    let (first, second, thread) = running(&pings(1000.0), 1_000_000);
    let looked = |message: &Value| {
        let seen = &message["seen"][0];
        seen["asked"].as_u64() > Some(0) && seen["unanswered"] == 0
    };
    first.wait("a look at answered pings", looked);
    let timed = |message: &Value| {
        let times = message["seen"][0]["round_trips_ns"].as_array();
        times.is_some_and(|all| !all.is_empty() && all.iter().all(|ns| ns.as_i64() > Some(0)))
    };
    first.wait("round trips", timed);
    second.ask(&json!({"id": 10, "cmd": "set", "writer": 1, "stop": true}));
    first.answer(4);
    end(first, second, thread);
}

#[test]
fn passive_roles_are_watched_from_their_start_until_the_drain() {
    let (first, second, thread) = connected(&stream(1000.0));
    first.ask(&json!({"id": 3, "cmd": "start", "every_ns": 1_000_000}));
    first.wait("an interval before any run", |message| message["event"] == "interval");
    first.ask(&json!({"id": 4, "cmd": "drain", "expect": [], "idle_s": 0.0, "limit_s": 1.0}));
    let before = first.messages().len();
    // Answers come after whatever was sent before them.
    first.ask(&json!({"id": 5, "cmd": "collect"}));
    let after = first.messages()[before..].iter().filter(|m| m["event"] == "interval").count();
    assert_eq!(after, 0, "nobody watches any more");
    end(first, second, thread);
}

#[test]
fn nobody_is_told_anything_who_did_not_ask() {
    let (first, second, thread) = running(&pings(1000.0), 0);
    second.ask(&json!({"id": 10, "cmd": "set", "writer": 1, "stop": true}));
    first.answer(4);
    assert!(first.messages().iter().all(|message| message.get("event").is_none()));
    end(first, second, thread);
}

#[test]
fn what_cannot_be_done_is_refused_in_words() {
    let (first, second, thread) = running(&stream(0.0), 0);
    for (id, command, words) in [
        (10, json!({"cmd": "collect"}), "roles are running"),
        (11, json!({"cmd": "run"}), "roles are running"),
        (12, json!({"cmd": "set", "writer": 9, "stop": true}), "there is no role 9"),
        (13, json!({"cmd": "set", "writer": 2, "paused": true}), "does not run"),
        (14, json!({"cmd": "set", "writer": 1, "rate_hz": 10.0}), "has no rate"),
        (15, json!({"cmd": "set", "writer": 1, "rate_hz": 0.0}), "is not within"),
        (16, json!({"cmd": "dance"}), "not a command"),
    ] {
        let mut command = command;
        command["id"] = json!(id);
        let text = second.refused(&command);
        assert!(text.contains(words), "{text}");
    }
    let qos = json!({"id": 17, "cmd": "set", "writer": 1, "qos": {"lifespan_ns": 1_000_000}});
    assert_eq!(second.ask(&qos)["changed"], 0, "the null adapter changes nothing");
    second.ask(&json!({"id": 18, "cmd": "set", "writer": 1, "stop": true}));
    first.answer(4);
    let late = second.refused(&json!({"id": 19, "cmd": "set", "writer": 1, "paused": true}));
    assert!(late.contains("does not run"), "{late}");
    end(first, second, thread);
}

#[test]
fn a_desk_that_nobody_needs_any_more_says_so() {
    static DESERTED: OnceLock<()> = OnceLock::new();
    let mut desk = Desk::new(|| DESERTED.set(()).expect("once"));
    let (first, second) = (Line::new(&mut desk), Line::new(&mut desk));
    let thread = std::thread::spawn(move || desk.work().expect("works"));
    drop(first.commands);
    assert!(second.refused(&json!({"id": 1, "cmd": "dance"})).contains("not a command"));
    assert!(DESERTED.get().is_none(), "the second carrier is there");
    drop(second.commands);
    thread.join().expect("ends");
    let begin = Instant::now();
    while DESERTED.get().is_none() {
        assert!(begin.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(2));
    }
}
