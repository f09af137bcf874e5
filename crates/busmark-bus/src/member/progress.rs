//! How tests get on: what their desks say, from the first command to the result.

use busmark_adapter::Oversize;
use busmark_worker::protocol::Failure;
use serde_json::{Value, json};

use super::Member;
use crate::message::{LONGEST, News, Trouble};
use crate::test::{Asker, Outcome, Test, number};
use crate::{Definition, Kind, brief};

/// Bytes of a result that fit into one message beside what else is in it.
const MOST_OF_RESULT: usize = LONGEST - 2048;

impl Member {
    /// A line of a test's desk.
    pub(super) fn said(&mut self, key: u64, line: &[u8]) {
        let Some(at) = self.tests.iter().position(|test| test.key == key) else { return };
        let Ok(message) = serde_json::from_slice::<Value>(line) else { return };
        if message.get("event").is_some() {
            return self.event(at, message, line.len());
        }
        let test = &mut self.tests[at];
        let definition = &test.definition;
        let Some(id) = message.get("id").and_then(Value::as_u64) else { return };
        let outcome = outcome(&message);
        match id {
            number::PREPARE | number::SETUP | number::MATCH | number::START => match outcome {
                Ok(result) => {
                    match id {
                        number::SETUP => test.discovery.created(&result),
                        number::MATCH => test.discovery.matched(&result),
                        _ => {}
                    }
                    self.came_to(at, id);
                    if matches!(id, number::SETUP | number::MATCH) {
                        self.tell_discovery(at);
                    }
                }
                Err(failure) => {
                    let failure = could_not_start(definition, id, failure);
                    self.end(at, None, Some(failure));
                }
            },
            number::RUN => {
                test.ran = Some(match outcome {
                    Ok(reports) => json!({"reports": reports}),
                    Err(error) => json!({"error": error}),
                });
                test.go_on(id);
            }
            number::CONCLUDE => {
                let (ran, error) = ran(test.ran.take());
                let error = error.or_else(|| test.contradiction.take());
                match outcome {
                    Ok(roles) => {
                        let rate_hz = ordered_hz(test);
                        let result = json!({"run": ran, "roles": roles, "rate_hz": rate_hz});
                        self.end(at, Some(result), error);
                    }
                    Err(failure) => self.end(at, None, Some(failure)),
                }
            }
            _ => {
                if let Some((asker, outcome)) = changed(test, id, outcome) {
                    self.answer(asker, outcome);
                }
            }
        }
    }

    /// An event of a test's desk, with the length of its line.
    fn event(&mut self, at: usize, mut event: Value, length: usize) {
        let test = &mut self.tests[at];
        match event["event"].as_str() {
            Some("matched") => test.discovery.matched(&event),
            Some("first") => test.discovery.first(&test.definition, &event),
            _ => {
                if length > MOST_OF_RESULT {
                    without_segments(&mut event);
                }
                let found = test.discovery.interval(&event);
                let (test, kind) = (test.definition.test, test.definition.kind);
                self.tell_live(&News::Event { test, kind, event });
                if !found {
                    return;
                }
            }
        }
        self.tell_discovery(at);
    }

    /// What has been found so far.
    fn tell_discovery(&mut self, at: usize) {
        let Some(test) = self.tests.get(at) else { return };
        let mut event = json!(test.discovery);
        event["event"] = json!("discovery");
        let (test, kind) = (test.definition.test, test.definition.kind);
        self.tell_live(&News::Event { test, kind, event });
    }

    /// Bodies come that are larger than a test's own definition says; its other end has another one.
    pub(super) fn oversize(&mut self, Oversize { topic, bytes, largest }: &Oversize) {
        let reads = |test: &&mut Test| test.definition.reads() == *topic;
        let Some(test) = self.tests.iter_mut().find(reads) else { return };
        let (kind, number) = (test.definition.kind.word(), test.definition.test);
        let text = format!(
            "{kind} {number} is for bodies of {largest} bytes, and the other end sends {bytes}: what is \
             larger is not read. The test ends here: start it with --size {bytes}"
        );
        if test.contradiction.is_none() {
            // What it cannot read it does not wait for either.
            test.contradiction = Some(Failure::new("invalid", text.clone()));
            test.end();
        }
        self.trouble(Trouble::new("contradiction", text));
    }

    /// A command of a test's begin was carried out.
    fn came_to(&mut self, at: usize, done: u64) {
        let app = self.name.app;
        let test = &mut self.tests[at];
        test.go_on(done);
        if done == number::START
            && let Some(asker) = test.starter.take()
        {
            let definition = &test.definition;
            let writers = definition.writers(app);
            let result =
                json!({"test": definition.test, "kind": definition.kind, "writers": writers});
            self.answer(asker, Ok(result));
        }
    }

    pub(super) fn gone(&mut self, key: u64) {
        if let Some(at) = self.tests.iter().position(|test| test.key == key) {
            let failure = Failure::new("failed", "the thread of the test has ended");
            self.end(at, None, Some(failure));
        }
    }

    /// A test is over: whoever waits for it is answered.
    fn end(&mut self, at: usize, result: Option<Value>, error: Option<Failure>) {
        let test = self.tests.remove(at);
        let (kind, number) = (test.definition.kind, test.definition.test);
        if let Some(starter) = test.starter {
            let ended = || Failure::new("failed", "the test was stopped before it ran");
            self.answer(starter, Err(error.clone().unwrap_or_else(ended)));
        } else {
            self.tell_end(number, kind, result, error);
        }
        for setter in test.setters {
            self.answer(setter.asker, Err(Failure::new("invalid", "the test had ended before")));
        }
        for asker in test.stoppers {
            let Some(index) = self.stops.iter().position(|stop| stop.asker == asker) else {
                continue;
            };
            let stop = &mut self.stops[index];
            stop.ended.push(json!({"test": number, "kind": kind}));
            stop.left -= 1;
            if stop.left == 0 {
                let stop = self.stops.remove(index);
                self.answer(asker, Ok(json!({"ended": stop.ended})));
            }
        }
    }

    /// Reports in one message that a test has ended: where the accounts of its writers do not fit, with
    /// their sums, and for segments with all samples together.
    fn tell_end(
        &mut self,
        test: u32,
        kind: Kind,
        mut result: Option<Value>,
        error: Option<Failure>,
    ) {
        let length = result.as_ref().map_or(0, |result| result.to_string().len());
        if length > MOST_OF_RESULT
            && let Some(roles) = result.as_mut().and_then(|result| result["roles"].as_array_mut())
        {
            for role in roles {
                role["accounts"] = json!([]);
                role["streams"] = json!([]);
                let Some(segments) = role["segments"].as_object_mut() else { continue };
                for segment in segments.values_mut() {
                    if let Some(shares) = segment.as_array_mut() {
                        shares.truncate(1);
                    }
                }
            }
        }
        self.tell(&News::Ended { test, kind, result, error });
    }
}

/// The rate that was ordered of each of its writers, where it was one from begin to end.
fn ordered_hz(test: &Test) -> Option<f64> {
    let one = test.definition.kind.is_active() && test.definition.rate_hz > 0.0;
    let same = !["rate_hz", "paused"].iter().any(|key| test.changed.contains_key(*key));
    (one && same).then_some(test.definition.rate_hz)
}

/// Live figures of many ends, of which the segments do not fit into one message with the rest.
fn without_segments(event: &mut Value) {
    for seen in event["seen"].as_array_mut().into_iter().flatten() {
        if let Some(seen) = seen.as_object_mut() {
            seen.remove("segments");
        }
    }
}

/// An end of a test has taken a change, or not; the answer to the change, with the last of them.
fn changed(test: &mut Test, id: u64, mut outcome: Outcome) -> Option<(Asker, Outcome)> {
    for index in 0..test.setters.len() {
        match test.setters[index].take(id, outcome) {
            Ok(None) => return None,
            Ok(Some(all)) => {
                let setter = test.setters.remove(index);
                let all = all.map(|mut done| {
                    brief::add(setter.change, &mut test.changed);
                    done["test"] = json!(test.definition.test);
                    done["kind"] = json!(test.definition.kind);
                    done
                });
                return Some((setter.asker, all));
            }
            Err(others) => outcome = others,
        }
    }
    None
}

/// What a reply says.
fn outcome(message: &Value) -> Outcome {
    if message.get("ok").and_then(Value::as_bool) == Some(true) {
        return Ok(message.get("result").cloned().unwrap_or_default());
    }
    let word = |key: &str| message["error"][key].as_str().map(str::to_owned);
    Err(Failure {
        kind: word("kind").unwrap_or_else(|| "failed".to_owned()),
        message: word("message").unwrap_or_else(|| "no reason is known".to_owned()),
    })
}

fn could_not_start(definition: &Definition, id: u64, failure: Failure) -> Failure {
    if id != number::MATCH {
        return failure;
    }
    let other = if definition.kind == Kind::Transceiver { "transponder" } else { "receiver" };
    let text = format!(
        "{}: start the {other} of test {} first, with a QoS that goes with this one's",
        failure.message, definition.test
    );
    Failure { message: text, ..failure }
}

/// The reports of `run`, or why it failed.
fn ran(answer: Option<Value>) -> (Option<Value>, Option<Failure>) {
    let Some(answer) = answer else { return (None, None) };
    let error = answer.get("error").map(|error| Failure {
        kind: error["kind"].as_str().unwrap_or("failed").to_owned(),
        message: error["message"].as_str().unwrap_or_default().to_owned(),
    });
    (answer.get("reports").cloned(), error)
}
