//! A member over the null adapter: orders as they come on the topic, and what it tells.

#[path = "../../busmark-worker/tests/common/mod.rs"]
mod common;

use std::io::Write;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use busmark_adapter::Library;
use busmark_worker::output::Output;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use serde_json::{Value, json};

use crate::member::{Member, Message, Name};
use crate::topics::Heard;

/// Everything here is done in milliseconds on a machine that has time.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Clone, Default)]
struct Printed(Arc<Mutex<Vec<u8>>>);

impl Write for Printed {
    fn write(&mut self, data: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("nobody panicked").extend_from_slice(data);
        Ok(data.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A member at work, application 3 of group 1.
struct Alone {
    door: SyncSender<Message>,
    printed: Printed,
    thread: Option<JoinHandle<()>>,
}

impl Alone {
    fn new() -> Self {
        let library = Library::open(common::null_library()).expect("the null adapter loads");
        let config = serde_json::from_value(common::config()).expect("a configuration");
        let participant = library.participant(&config).expect("a participant");
        let printed = Printed::default();
        let name = Name { app: 3, group: Some(1) };
        let output = Output::new(printed.clone());
        let member = Member::new(name, participant, config, output).expect("a member");
        let door = member.door();
        let thread = Some(std::thread::spawn(move || member.work()));
        Self { door, printed, thread }
    }

    fn hear(&self, ours: bool, body: impl Into<Vec<u8>>) {
        let heard = Heard { ours, body: body.into() };
        self.door.send(Message::Heard(heard)).expect("the member listens");
    }

    fn order(&self, caller: u64, id: u64, to: &Value, task: &Value) {
        let order = json!({"busmark": 2, "caller": caller, "id": id, "to": to, "do": task});
        self.hear(true, order.to_string());
    }

    fn messages(&self) -> Vec<Value> {
        let bytes = self.printed.0.lock().expect("nobody panicked").clone();
        let lines = bytes.split_inclusive(|b| *b == b'\n').filter(|line| line.ends_with(b"\n"));
        lines.map(|line| serde_json::from_slice(line).expect("a message")).collect()
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

    fn answer(&self, caller: u64, id: u64) -> Value {
        self.wait("an answer", |m| m["caller"] == caller && m["id"] == id)
    }

    /// Orders it of application 3, and waits for the answer.
    fn ask(&self, id: u64, task: &Value) -> Value {
        self.order(9, id, &json!({"app": 3}), task);
        self.answer(9, id)
    }

    fn refused(&self, id: u64, task: &Value) -> String {
        let answer = self.ask(id, task);
        assert_eq!(answer["ok"], false, "{answer}");
        answer["error"]["message"].as_str().expect("words").to_owned()
    }

    fn trouble(&self, kind: &str) -> String {
        let text = self.wait(kind, |message| message["trouble"] == kind);
        text["message"].as_str().expect("words").to_owned()
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        let _ = self.door.send(Message::Closed);
        let ended = self.thread.take().map(JoinHandle::join);
        if !std::thread::panicking() {
            ended.expect("a thread").expect("it did not panic");
        }
    }
}

fn receiver(test: u32) -> Value {
    json!({"cmd": "start", "definition": {"kind": "receiver", "test": test, "from": [4]}})
}

#[test]
fn whoever_is_meant_answers_and_nobody_else() {
    let member = Alone::new();
    let tos = [json!("all"), json!({"app": 3}), json!({"group": 1})];
    let others = [json!({"app": 4}), json!({"group": 2})];
    for (id, to) in (1..).zip(tos.iter().chain(&others)) {
        member.order(7, id, to, &json!({"cmd": "list"}));
    }
    member.ask(1, &json!({"cmd": "list"}));
    let answered = |id: u64| member.messages().iter().any(|m| m["caller"] == 7 && m["id"] == id);
    assert_eq!([1, 2, 3, 4, 5].map(answered), [true, true, true, false, false]);
}

#[test]
fn an_answer_repeats_the_order_and_the_list_holds_definitions_and_changes() {
    let member = Alone::new();
    let task = receiver(7);
    let order = member.ask(1, &task)["order"].clone();
    assert_eq!(order["to"], json!({"app": 3}));
    assert_eq!(order["do"]["definition"]["from"], json!([4]));
    assert!(order["heard_realtime_ns"].as_i64().is_some_and(|at| at > 0));
    let listed = member.ask(2, &json!({"cmd": "list"}));
    assert_eq!(listed.get("order"), None, "a question changes nothing");
    let test = listed["result"]["tests"][0].clone();
    assert_eq!(test["definition"], task["definition"]);
    assert_eq!(test["changed"], json!({}));
    assert!(test["running_s"].as_f64().is_some_and(|seconds| seconds >= 0.0));
    let refused = member.ask(3, &json!({"cmd": "stop", "test": 9}));
    assert_eq!(refused["order"]["do"], json!({"cmd": "stop", "test": 9}));
}

#[test]
fn several_tests_run_at_once_and_end_by_themselves_or_together() {
    let member = Alone::new();
    for (id, test) in [(1, 7), (2, 8), (3, 9)] {
        assert_eq!(member.ask(id, &receiver(test))["ok"], true);
    }
    let listed = member.ask(4, &json!({"cmd": "list"}));
    let states: Vec<_> = listed["result"]["tests"]
        .as_array()
        .expect("tests")
        .iter()
        .map(|test| (test["test"].as_u64(), test["state"].as_str()))
        .collect();
    assert_eq!(states, [7, 8, 9].map(|test| (Some(test), Some("running"))));
    assert!(member.refused(5, &receiver(7)).contains("receiver 7 is here already"));
    let ended = member.ask(6, &json!({"cmd": "stop", "test": 8}))["result"].clone();
    assert_eq!(ended, json!({"ended": [{"test": 8, "kind": "receiver"}]}));
    let result = member.wait("a result", |m| m["news"] == "ended" && m["test"] == 8);
    assert_eq!(result["result"]["roles"][0]["accounts"][0]["received"], 0);
    let all = member.ask(7, &json!({"cmd": "stop"}))["result"]["ended"].clone();
    assert_eq!(all.as_array().map(Vec::len), Some(2));
    assert!(member.refused(8, &json!({"cmd": "stop"})).contains("has no test"));
}

#[test]
fn several_ends_of_a_test_count_for_themselves_and_are_summed_up_in_one_message() {
    let member = Alone::new();
    let from: Vec<u32> = (0..64).collect();
    let many = json!({
        "kind": "receiver", "test": 7, "from": from, "from_each": 8, "count": 8,
    });
    let started = member.ask(1, &json!({"cmd": "start", "definition": many}));
    let writers = started["result"]["writers"].as_array().expect("writers").clone();
    assert_eq!(
        writers.iter().map(Value::as_u64).collect::<Vec<_>>(),
        [224, 225, 226, 227, 228, 229, 230, 231].map(Some)
    );
    let mut more = many.clone();
    more["test"] = json!(8);
    assert_eq!(member.ask(2, &json!({"cmd": "start", "definition": more}))["ok"], true);
    more["test"] = json!(9);
    let text = member.refused(3, &json!({"cmd": "start", "definition": more}));
    assert!(text.contains("writers to account for"), "{text}");
    member.ask(4, &json!({"cmd": "stop", "test": 7}));
    let ended = member.wait("a result", |m| m["news"] == "ended");
    let roles = ended["result"]["roles"].as_array().expect("roles").clone();
    assert_eq!(roles.len(), 8);
    assert!(roles.iter().all(|role| role["received"] == 0 && role["accounts"] == json!([])));
    assert!(ended.to_string().len() <= crate::message::LONGEST);
}

#[test]
fn an_active_test_without_its_other_end_says_what_to_start_first() {
    let member = Alone::new();
    for (id, kind, other) in [(1, "transceiver", "transponder"), (2, "transmitter", "receiver")] {
        let mut task =
            json!({"cmd": "start", "definition": {"kind": kind, "test": 7, "timeout_s": 0.0}});
        if kind == "transceiver" {
            task["definition"]["from"] = json!([4]);
        }
        let text = member.refused(id, &task);
        assert!(text.contains("matched 0 of 1") && text.contains(other), "{text}");
    }
    let listed = member.ask(3, &json!({"cmd": "list"}));
    assert_eq!(listed["result"]["tests"], json!([]));
}

#[test]
fn definitions_that_cannot_be_are_refused_in_words() {
    let member = Alone::new();
    let base = json!({"kind": "transceiver", "test": 7, "from": [4]});
    for (id, (key, value, words)) in (1..).zip([
        ("from", json!([]), "names the applications"),
        ("from", json!([4, 4]), "named twice"),
        ("from", json!([1001]), "no application 1001"),
        ("test", json!(70_000), "the last number is 65535"),
        ("size", json!(1_u64 << 40), "the largest is"),
        ("rate_hz", json!(-1.0), "is not within"),
        ("duration_s", json!(1e9), "is not within"),
        ("every_s", json!(0.001), "is not within"),
        ("fifo", json!(0), "within 1 to 99"),
        ("count", json!(0), "is not within"),
        ("count", json!(9), "is not within"),
        ("payload", json!("type"), "not to be had"),
        ("qos", json!({"deadline_ns": 5}), "does not honour deadline"),
    ]) {
        let mut definition = base.clone();
        definition[key] = value;
        let text = member.refused(id, &json!({"cmd": "start", "definition": definition}));
        assert!(text.contains(words), "{key}: {text}");
    }
    let long =
        json!({"kind": "transceiver", "test": 7, "from": [4], "rate_hz": 1e4, "duration_s": 1e4});
    assert!(member.refused(99, &json!({"cmd": "start", "definition": long})).contains("row"));
}

#[test]
fn qos_that_may_not_change_is_refused_by_name() {
    let member = Alone::new();
    member.ask(1, &receiver(7));
    let change = json!({"cmd": "set", "test": 7, "qos": {"reliable": false}});
    let text = member.refused(2, &change);
    assert!(text.starts_with("best_effort cannot change"), "{text}");
    let text = member.refused(3, &json!({"cmd": "set", "test": 7, "rate_hz": 5.0}));
    assert!(text.contains("sends nothing by itself"), "{text}");
    assert!(member.refused(4, &json!({"cmd": "set", "test": 8})).contains("has no test 8"));
}

#[test]
fn an_order_to_several_is_answered_by_what_was_done_here() {
    let member = Alone::new();
    let stream = json!({
        "kind": "transmitter", "test": 7, "readers": 0, "rate_hz": 10.0, "duration_s": 600.0,
    });
    assert_eq!(member.ask(1, &json!({"cmd": "start", "definition": stream}))["ok"], true);
    let group = json!({"group": 1});
    for (id, task) in [
        (2, json!({"cmd": "set", "test": 8, "rate_hz": 5.0})),
        (3, json!({"cmd": "set", "test": 7, "kind": "transceiver", "rate_hz": 5.0})),
        (4, json!({"cmd": "stop", "test": 8})),
    ] {
        member.order(9, id, &group, &task);
        let answer = member.answer(9, id);
        assert_eq!(answer["ok"], true, "{answer}");
        assert!(answer["result"]["none"].as_str().is_some_and(|text| text.contains("has no")));
    }
    member.order(9, 5, &group, &json!({"cmd": "set", "test": 7, "rate_hz": 5.0}));
    let done = member.answer(9, 5)["result"].clone();
    assert_eq!((&done["kind"], &done["test"]), (&json!("transmitter"), &json!(7)));
    assert_eq!(done.get("none"), None);
}

#[test]
fn a_paused_test_is_listed_as_paused_until_it_resumes() {
    let member = Alone::new();
    let stream = json!({
        "kind": "transmitter", "test": 7, "readers": 0, "rate_hz": 10.0, "duration_s": 600.0,
    });
    member.ask(1, &json!({"cmd": "start", "definition": stream}));
    let mut id = 1;
    for (paused, state) in [(true, "paused"), (false, "running")] {
        id += 2;
        member.ask(id, &json!({"cmd": "set", "test": 7, "paused": paused}));
        let listed = member.ask(id + 1, &json!({"cmd": "list"}));
        assert_eq!(listed["result"]["tests"][0]["state"], state);
    }
}

#[test]
fn an_order_that_comes_again_is_answered_again_and_not_done_again() {
    let member = Alone::new();
    member.ask(1, &receiver(7));
    member.order(9, 1, &json!({"app": 3}), &receiver(7));
    member.ask(2, &json!({"cmd": "list"}));
    let answers: Vec<_> =
        member.messages().into_iter().filter(|m| m["caller"] == 9 && m["id"] == 1).collect();
    assert_eq!(answers.len(), 2);
    assert!(answers.iter().all(|answer| answer["ok"] == true), "{answers:?}");
}

#[test]
fn stale_foreign_and_malformed_orders_are_told_as_troubles_and_nothing_else_happens() {
    let member = Alone::new();
    member.ask(5, &json!({"cmd": "list"}));
    member.order(9, 4, &json!({"app": 3}), &json!({"cmd": "stop"}));
    assert!(member.trouble("stale").contains("whose last was 5"));
    member.hear(false, "x");
    assert!(member.trouble("foreign").contains("cookie"));
    member.hear(true, "\u{0}{");
    assert!(member.trouble("malformed").contains("not an order"));
    let here_before = json!({
        "busmark": 2, "caller": 9, "id": 6, "to": "all", "instance": 1, "do": {"cmd": "stop"},
    });
    member.hear(true, here_before.to_string());
    member.wait("stale", |m| m["message"].as_str().is_some_and(|t| t.contains("here before")));
    assert!(member.messages().iter().all(|m| m["id"] != 4 && m["id"] != 6));
}

#[test]
fn too_many_tests_are_refused() {
    let member = Alone::new();
    for test in 0..64 {
        assert_eq!(member.ask(u64::from(test) + 1, &receiver(test))["ok"], true);
    }
    assert!(member.refused(65, &receiver(64)).contains("at most 64 tests"));
}

#[test]
fn a_flood_of_garbage_is_survived_and_told_in_a_few_lines() {
    let member = Alone::new();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let bytes = proptest::collection::vec(any::<u8>(), 0..200);
    for _ in 0..5000 {
        let body = bytes.new_tree(&mut runner).expect("bytes").current();
        member.hear(true, body);
    }
    assert_eq!(member.ask(1, &json!({"cmd": "list"}))["ok"], true);
    let reported = member.messages().iter().filter(|m| m.get("trouble").is_some()).count();
    assert!((1..5000).contains(&reported), "{reported}");
}
