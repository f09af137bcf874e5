//! Messages on the bus: one JSON object in each sample.

use busmark_adapter::Qos;
use busmark_worker::protocol::{Failure, PROTOCOL};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::definition::{Definition, Kind};

/// Size of the longest message, bytes. Members neither write a longer message nor accept one.
pub const LONGEST: usize = 32 * 1024;
/// Highest number of an application or group.
pub const LAST_NUMBER: u32 = 1000;
/// Largest integer that every JSON parser represents exactly.
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

/// An order of a caller to members of the bus.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// Version of the protocol: 2.
    pub busmark: u32,
    /// Number that identifies the caller's process.
    pub caller: u64,
    /// Number of the order, counted by the caller from 1: an order whose number is not above the caller's
    /// last is a repetition.
    pub id: u64,
    /// Members that the order is for.
    pub to: Address,
    /// Identifier of the one member that the order is for; a member that has joined since with the same
    /// application number ignores it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<u64>,
    /// Task that the members carry out.
    #[serde(rename = "do")]
    pub task: Task,
}

/// Members that an order is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Address {
    /// Every member of the bus.
    All,
    /// The application with this number.
    App(u32),
    /// Every application of the group with this number.
    Group(u32),
}

impl Address {
    /// Returns whether the order is for this member.
    pub fn means(self, app: u32, group: Option<u32>) -> bool {
        match self {
            Self::All => true,
            Self::App(number) => number == app,
            Self::Group(number) => group == Some(number),
        }
    }
}

/// Tasks that a member carries out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "cmd", rename_all = "snake_case", deny_unknown_fields)]
pub enum Task {
    /// Answer with the member's properties and its tests.
    List {
        /// Whether the caller is about to join with the application number that the order is for.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        joining: bool,
    },
    /// Start a test; the answer comes when the test runs.
    Start {
        /// Definition of the test.
        definition: Definition,
    },
    /// Change a test; the answer comes when the change has taken effect.
    Set(Change),
    /// End tests; the answer has their results.
    Stop(Which),
}

/// Selection of a member's tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// Number of the tests; without it, tests of any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<u32>,
    /// Kind of the tests; without it, tests of any kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
}

impl Which {
    /// Returns whether this test is selected.
    pub fn means(self, kind: Kind, test: u32) -> bool {
        self.test.is_none_or(|number| number == test) && self.kind.is_none_or(|one| one == kind)
    }
}

/// Changes of a test. A setting that is left out does not change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// Number of the test.
    pub test: u32,
    /// Kind of the test, where a member has tests of several kinds with this number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// New rate, samples per second, above 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_hz: Option<f64>,
    /// Whether the test pauses; false lets it continue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
    /// QoS policies to change on the test's endpoints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Value>")]
    pub qos: Option<Qos>,
}

/// A message of a member, with the member's identity.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Envelope<'a, T> {
    /// Version of the protocol: 2.
    pub busmark: u32,
    /// Number of the member's application.
    pub app: u32,
    /// Number of the member's group; null: none.
    pub group: Option<u32>,
    /// Number that identifies the member's process.
    pub instance: u64,
    /// Number of the message, counted from 1 on each topic.
    pub seq: u64,
    /// Time of sending by the clock of the member's host, ns since 1970.
    pub at_realtime_ns: i64,
    /// Content of the message.
    #[serde(flatten)]
    pub what: &'a T,
}

/// Messages on the topics of news and of live figures.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "news", rename_all = "snake_case")]
pub enum News {
    /// The member has joined the bus.
    Joined {
        /// Properties and tests of the member, as in the answer to `list`.
        member: Value,
    },
    /// The member leaves the bus.
    Left,
    /// The member answers an order.
    Answer(Answer),
    /// A test reports an event of the control protocol.
    Event {
        /// Number of the test.
        test: u32,
        /// Kind of the test.
        kind: Kind,
        /// Event of the control protocol.
        event: Value,
    },
    /// A test has ended.
    Ended {
        /// Number of the test.
        test: u32,
        /// Kind of the test.
        kind: Kind,
        /// Result of the test.
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<Value>,
        /// Reason why the test failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<Failure>,
    },
}

/// The answer to an order.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// Identifier of the caller of the order.
    pub caller: u64,
    /// Number of the order.
    pub id: u64,
    /// Whether the order was carried out.
    pub ok: bool,
    /// Result of the order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// Reason why the order was not carried out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// The order itself, for recorders of the bus, which may not have discovered the caller's writer in
    /// time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Box<Asked>>,
}

/// An order, as its answer repeats it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Asked {
    /// Members that the order was for.
    pub to: Address,
    /// Task that was carried out.
    #[serde(rename = "do")]
    pub task: Task,
    /// Time at which the member received the order, ns since 1970 by the clock of its host.
    pub heard_realtime_ns: i64,
}

impl Asked {
    /// Size of the longest order that an answer repeats, bytes: answers are kept to be given again.
    const LONGEST: usize = 8 * 1024;

    /// Returns the part of an order that its answer repeats; None: the order changes nothing, or is too
    /// long.
    pub fn of(to: Address, task: &Task, heard_realtime_ns: i64) -> Option<Box<Self>> {
        if matches!(task, Task::List { .. }) {
            return None;
        }
        let length = serde_json::to_vec(task).ok()?.len();
        let asked = || Box::new(Self { to, task: task.clone(), heard_realtime_ns });
        (length <= Self::LONGEST).then(asked)
    }
}

/// A message on the topic of troubles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Trouble {
    /// Kind of the trouble: malformed, foreign, stale, overflow or contradiction.
    pub trouble: &'static str,
    /// Description of the trouble.
    pub message: String,
    /// Number of earlier troubles that were not reported, because there were too many at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<u64>,
}

impl Trouble {
    /// Makes a trouble of this kind.
    pub fn new(trouble: &'static str, message: impl Into<String>) -> Self {
        Self { trouble, message: message.into(), omitted: None }
    }
}

/// Reads an order.
///
/// # Errors
/// A trouble, if the bytes are of another protocol version (foreign) or are no order (malformed).
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

/// Returns the beginning of a message, by which readers of the trouble can find its sender.
fn excerpt(bytes: &[u8]) -> String {
    const MOST: usize = 60;
    let begin = String::from_utf8_lossy(&bytes[..bytes.len().min(MOST)]);
    let text: String = begin.chars().map(visible).collect();
    if bytes.len() > MOST { format!("\"{text}…\"") } else { format!("\"{text}\"") }
}

/// Reads a message of a member.
///
/// # Errors
/// A trouble, if no member can have written the bytes.
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
