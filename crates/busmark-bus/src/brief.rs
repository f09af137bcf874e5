//! Definitions and changes in as few bytes as possible: the answer to `list` has one of each test, in one
//! message.

use busmark_adapter::Qos;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::definition::Definition;
use crate::message::Change;

/// A definition without what is as it is by default.
pub fn definition(of: &Definition) -> Value {
    let named = json!({"kind": of.kind, "test": of.test});
    let plain = serde_json::from_value::<Definition>(named.clone()).map(|plain| object(&plain));
    let mut brief = without(object(of), &plain.unwrap_or_default());
    if brief.contains_key("qos") {
        brief.insert("qos".to_owned(), Value::Object(qos(&of.qos)));
    }
    for key in ["kind", "test"] {
        brief.insert(key.to_owned(), named[key].clone());
    }
    Value::Object(brief)
}

/// The values that a change sets, by the keys of `set`.
pub fn change(of: &Change) -> Map<String, Value> {
    let mut brief = object(of);
    brief.retain(|key, _| !matches!(key.as_str(), "test" | "kind"));
    if let Some(asked) = &of.qos {
        brief.insert("qos".to_owned(), Value::Object(qos(asked)));
    }
    brief
}

/// Adds a later change to what was changed before.
pub fn add(later: Map<String, Value>, before: &mut Map<String, Value>) {
    for (key, value) in later {
        match (before.get_mut(&key), value) {
            (Some(Value::Object(old)), Value::Object(new)) => old.extend(new),
            (_, value) => {
                before.insert(key, value);
            }
        }
    }
}

fn qos(of: &Qos) -> Map<String, Value> {
    without(object(of), &object(&Qos::default()))
}

fn object(of: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(of) {
        Ok(Value::Object(object)) => object,
        _ => Map::new(),
    }
}

fn without(mut object: Map<String, Value>, plain: &Map<String, Value>) -> Map<String, Value> {
    object.retain(|key, value| plain.get(key) != Some(value));
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &Value) -> Definition {
        serde_json::from_value(value.clone()).expect("a definition")
    }

    #[test]
    fn a_brief_definition_is_the_same_test_in_few_bytes() {
        for more in [
            json!({}),
            json!({"from": [4], "rate_hz": 100.0, "qos": {"reliable": true, "lifespan_ns": 5}}),
            json!({"size": 1000, "count": 3, "fifo": 30, "wait": "poll", "every_s": 0.0}),
        ] {
            let mut value = json!({"kind": "transceiver", "test": 7});
            value.as_object_mut().expect("an object").extend(object(&more));
            let brief = definition(&read(&value));
            assert_eq!(brief, value);
            assert_eq!(read(&brief), read(&value));
        }
    }

    #[test]
    fn later_changes_are_added_policy_by_policy() {
        let read = |value: Value| -> Change { serde_json::from_value(value).expect("a change") };
        let first = json!({"test": 7, "rate_hz": 5.0, "qos": {"lifespan_ns": 5}});
        let later = json!({"test": 7, "paused": true, "qos": {"deadline_ns": 6}});
        let mut all = change(&read(first));
        add(change(&read(later)), &mut all);
        let wanted =
            json!({"rate_hz": 5.0, "paused": true, "qos": {"lifespan_ns": 5, "deadline_ns": 6}});
        assert_eq!(Value::Object(all), wanted);
    }
}
