//! What is written on the bus: one JSON object in each sample.

use busmark_adapter::Qos;
use busmark_worker::protocol::{Failure, PROTOCOL};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::definition::{Definition, Kind};

/// Bytes of the longest message. A writer of a longer one refuses it; no reader takes one.
pub const LONGEST: usize = 32 * 1024;
/// Highest number of applications and groups.
pub const LAST_NUMBER: u32 = 1000;
/// Largest number that every reader of JSON can hold.
const LAST_ID: u64 = (1 << 53) - 1;

/// Everything that is written on the bus, for the schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, missing_docs)]
pub enum Message {
    Order(Box<Order>),
    News(Envelope<'static, News>),
    Trouble(Envelope<'static, Trouble>),
}

/// What a caller asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// Version of the protocol: 2.
    pub busmark: u32,
    /// A number of the caller's own, another for each of its processes.
    pub caller: u64,
    /// From 1, counted by the caller: what is not above the last was sent before.
    pub id: u64,
    /// Who is meant.
    pub to: Address,
    /// The member that is meant; one that has joined since under the same number is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<u64>,
    /// What to do.
    #[serde(rename = "do")]
    pub task: Task,
}

/// Who is meant by an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Address {
    /// Everybody on the bus.
    All,
    /// One application.
    App(u32),
    /// Every application of a group.
    Group(u32),
}

impl Address {
    /// Whether this member is meant.
    pub fn means(self, app: u32, group: Option<u32>) -> bool {
        match self {
            Self::All => true,
            Self::App(number) => number == app,
            Self::Group(number) => group == Some(number),
        }
    }
}

/// What a member can be asked to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "cmd", rename_all = "snake_case", deny_unknown_fields)]
pub enum Task {
    /// Tell who it is, and which tests it has.
    List {
        /// Whoever asks wants to join under the number that the question goes to.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        joining: bool,
    },
    /// Begin a test; the answer comes when it runs.
    Start {
        /// The test.
        definition: Definition,
    },
    /// Change a test: the answer comes when that is in effect.
    Set(Change),
    /// End tests: the answer has their results.
    Stop(Which),
}

/// Which tests of a member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// Test of this number; any without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<u32>,
    /// Test of this kind; any without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
}

impl Which {
    /// Whether this test is meant.
    pub fn means(self, kind: Kind, test: u32) -> bool {
        self.test.is_none_or(|number| number == test) && self.kind.is_none_or(|one| one == kind)
    }
}

/// Changes of a test. What is left out stays the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The test.
    pub test: u32,
    /// Its kind, where a member has several of this number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// Samples per second, above 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_hz: Option<f64>,
    /// Whether it sends nothing for the time being.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
    /// Quality of service of its endpoints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Value>")]
    pub qos: Option<Qos>,
}

/// A message of a member, with who says it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Envelope<'a, T> {
    /// Version of the protocol: 2.
    pub busmark: u32,
    /// Its application.
    pub app: u32,
    /// Its group.
    pub group: Option<u32>,
    /// A number of its own, another for each of its processes.
    pub instance: u64,
    /// From 1, counted on each topic.
    pub seq: u64,
    /// When it was sent, ns since 1970 by the clock of the member's host.
    pub at_realtime_ns: i64,
    /// The rest.
    #[serde(flatten)]
    pub what: &'a T,
}

/// On the topics of news and of live figures.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "news", rename_all = "snake_case")]
pub enum News {
    /// A member is there.
    Joined {
        /// As the answer to `list`.
        member: Value,
    },
    /// It goes.
    Left,
    /// To an order.
    Answer(Answer),
    /// A test tells something: an event of the control protocol.
    Event {
        /// The test.
        test: u32,
        /// Its kind.
        kind: Kind,
        /// The event.
        event: Value,
    },
    /// A test has ended.
    Ended {
        /// The test.
        test: u32,
        /// Its kind.
        kind: Kind,
        /// What it recorded.
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<Value>,
        /// Why it failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<Failure>,
    },
}

/// The answer to an order.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// Caller of the order.
    pub caller: u64,
    /// Number of the order.
    pub id: u64,
    /// Whether it was done.
    pub ok: bool,
    /// What it yields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// Why it was not done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// The order, for whoever records the bus: its caller may have gone before its writer was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Box<Asked>>,
}

/// An order, as its answer repeats it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Asked {
    /// Who was meant.
    pub to: Address,
    /// What to do.
    #[serde(rename = "do")]
    pub task: Task,
    /// When the member heard it, ns since 1970 by the clock of its host.
    pub heard_realtime_ns: i64,
}

impl Asked {
    /// Bytes of the longest that an answer repeats: answers are kept to be given again.
    const LONGEST: usize = 8 * 1024;

    /// What an answer repeats of an order; None: it changes nothing, or it is too long.
    pub fn of(to: Address, task: &Task, heard_realtime_ns: i64) -> Option<Box<Self>> {
        if matches!(task, Task::List { .. }) {
            return None;
        }
        let length = serde_json::to_vec(task).ok()?.len();
        let asked = || Box::new(Self { to, task: task.clone(), heard_realtime_ns });
        (length <= Self::LONGEST).then(asked)
    }
}

/// On the topic of troubles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Trouble {
    /// malformed, foreign, stale, overflow, contradiction.
    pub trouble: &'static str,
    /// What was wrong, in words.
    pub message: String,
    /// Troubles that were not reported before this one, for there were too many at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<u64>,
}

impl Trouble {
    /// Trouble of this kind.
    pub fn new(trouble: &'static str, message: impl Into<String>) -> Self {
        Self { trouble, message: message.into(), omitted: None }
    }
}

/// Reads an order.
///
/// # Errors
/// What is wrong with the bytes: they are of another format (foreign), or of none (malformed).
pub fn order(bytes: &[u8]) -> Result<Order, Trouble> {
    #[derive(Deserialize)]
    struct Head {
        busmark: u32,
    }

    if bytes.len() > LONGEST {
        let text = format!("a message of {} bytes; the longest has {LONGEST}", bytes.len());
        return Err(Trouble::new("malformed", text));
    }
    // Nesting beyond 128 is an error of the parser's, not a stack that overflows.
    match serde_json::from_slice::<Head>(bytes) {
        Ok(Head { busmark: PROTOCOL }) => {}
        Ok(Head { busmark }) => {
            let text = format!("an order of protocol {busmark}; this is protocol {PROTOCOL}");
            return Err(Trouble::new("foreign", text));
        }
        Err(error) => {
            return Err(no_order(bytes, &error));
        }
    }
    let order: Order = serde_json::from_slice(bytes).map_err(|error| no_order(bytes, &error))?;
    check(&order).map_err(|text| Trouble::new("malformed", text))?;
    Ok(order)
}

fn check(order: &Order) -> Result<(), String> {
    for (name, value) in [("caller", order.caller), ("id", order.id)] {
        if !(1..=LAST_ID).contains(&value) {
            return Err(format!("{name} = {value} is not within 1 to {LAST_ID}"));
        }
    }
    match order.to {
        Address::App(number) | Address::Group(number) if number > LAST_NUMBER => {
            Err(format!("to: no such number: {number}; the last is {LAST_NUMBER}"))
        }
        _ => Ok(()),
    }
}

fn no_order(bytes: &[u8], error: &serde_json::Error) -> Trouble {
    // The parser repeats names that it does not know, however long.
    const MOST: usize = 200;
    let words: String = error.to_string().chars().take(MOST).map(visible).collect();
    Trouble::new("malformed", format!("not an order: {words}: {}", excerpt(bytes)))
}

fn visible(character: char) -> char {
    if character.is_control() { char::REPLACEMENT_CHARACTER } else { character }
}

/// The begin of what came, so that whoever reads the trouble can find its sender.
fn excerpt(bytes: &[u8]) -> String {
    const MOST: usize = 60;
    let begin = String::from_utf8_lossy(&bytes[..bytes.len().min(MOST)]);
    let text: String = begin.chars().map(visible).collect();
    if bytes.len() > MOST { format!("\"{text}…\"") } else { format!("\"{text}\"") }
}

/// Reads a message of a member.
///
/// # Errors
/// Why it cannot have been a member.
pub fn report(bytes: &[u8]) -> Result<Value, Trouble> {
    let wrong = |text: String| Trouble::new("malformed", format!("{text}: {}", excerpt(bytes)));
    if bytes.len() > LONGEST {
        return Err(wrong(format!("a message of {} bytes", bytes.len())));
    }
    let value: Value = serde_json::from_slice(bytes).map_err(|_| wrong("no message".to_owned()))?;
    match value.get("busmark").and_then(Value::as_u64) {
        Some(version) if version == u64::from(PROTOCOL) => Ok(value),
        Some(version) => Err(Trouble::new("foreign", format!("a message of protocol {version}"))),
        None => Err(wrong("a message of no protocol".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn list() -> Value {
        json!({"busmark": 2, "caller": 7, "id": 1, "to": {"app": 3}, "do": {"cmd": "list"}})
    }

    fn read(value: &Value) -> Result<Order, Trouble> {
        order(value.to_string().as_bytes())
    }

    #[test]
    fn an_order_is_read_as_it_was_written() {
        let definition = json!({"kind": "transceiver", "test": 7, "from": [4], "rate_hz": 100.0});
        for (to, task) in [
            (json!("all"), json!({"cmd": "list"})),
            (json!({"group": 1}), json!({"cmd": "start", "definition": definition})),
            (json!({"app": 3}), json!({"cmd": "stop", "test": 7})),
            (json!({"app": 3}), json!({"cmd": "stop"})),
            (json!({"app": 3}), json!({"cmd": "set", "test": 7, "qos": {"lifespan_ns": 5}})),
        ] {
            let mut value = list();
            value["to"] = to;
            value["do"] = task;
            let first = read(&value).expect("an order");
            let again = order(&serde_json::to_vec(&first).expect("writes")).expect("an order");
            assert_eq!(first, again);
        }
    }

    #[test]
    fn what_is_no_order_differs_from_what_is_of_another_format() {
        for (bytes, trouble) in [
            (&b"\xff\x00"[..], "malformed"),
            (b"", "malformed"),
            (b"[1, 2]", "malformed"),
            (b"{\"busmark\": 2}", "malformed"),
            (b"{\"busmark\": 3, \"anything\": true}", "foreign"),
        ] {
            assert_eq!(order(bytes).expect_err("no order").trouble, trouble, "{bytes:?}");
        }
        for (key, value) in [
            ("id", json!(0)),
            ("id", json!(-1)),
            ("caller", json!(u64::MAX)),
            ("to", json!({"app": 1001})),
            ("to", json!("nobody")),
            ("surplus", json!(1)),
            ("do", json!({"cmd": "dance"})),
            ("do", json!({"cmd": "list", "surplus": 1})),
            ("do", json!({"cmd": "setup", "adapter": "/tmp/evil.so"})),
        ] {
            let mut bad = list();
            bad[key] = value;
            assert_eq!(read(&bad).expect_err("refused").trouble, "malformed", "{bad}");
        }
    }

    #[test]
    fn an_order_that_is_too_long_or_nested_too_deep_is_refused() {
        let long = vec![b' '; LONGEST + 1];
        assert!(order(&long).is_err_and(|t| t.message.contains("longest")));
        let deep = |depth: usize, end: &str| {
            let (open, close) = ("[".repeat(depth), end.repeat(depth));
            format!("{{\"busmark\": 2, \"do\": {{\"x\": {open}{close}}}}}")
        };
        let text = order(deep(10_000, "]").as_bytes()).expect_err("refused").message;
        assert!(text.contains("recursion limit"), "{text}");
        assert!(order(deep(30_000, "").as_bytes()).is_err());
    }

    proptest! {
        #[test]
        fn random_bytes_never_panic_and_are_reported_in_few_words(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
            if let Err(trouble) = order(&bytes) {
                prop_assert!(trouble.message.len() < 1000, "{}", trouble.message);
                prop_assert!(!trouble.message.chars().any(char::is_control));
            }
            let _ = report(&bytes);
        }

        #[test]
        fn an_order_with_some_bytes_changed_never_panics(
            changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..6)
        ) {
            let mut bytes = list().to_string().into_bytes();
            for (index, byte) in changes {
                let at = index.index(bytes.len());
                bytes[at] = byte;
            }
            if let Err(trouble) = order(&bytes) {
                prop_assert!(trouble.message.len() < 1000);
            }
        }
    }
}
