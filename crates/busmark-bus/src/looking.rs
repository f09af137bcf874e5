//! What a caller sees of the bus by itself: everything that the middleware has discovered, and samples of
//! Busmark's own types. What others have made is looked at and never changed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use busmark_adapter::{
    EndpointConfig, Entity, EntityKind, Feature, Header, ParticipantHandle, Payload, Qos,
    fill_pattern,
};
use busmark_measure::{clock_pair, now_ns};
use busmark_worker::protocol::Failure;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::own_number;
use crate::topics::{Ear, not_written, wait};

/// Bytes of a body that are shown.
const SHOWN: usize = 64;
/// Samples of one injection.
const MOST: u32 = 1000;
/// Bytes of the largest body that is read or injected.
const LARGEST: u64 = 1 << 24;
/// Injected samples have so long to reach their readers before the writer goes.
const LINGER: Duration = Duration::from_millis(500);
/// Readers have so long to be found before samples are injected.
const FOUND: Duration = Duration::from_secs(10);

/// A line of standard input that is no order.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Question {
    /// What is on the bus?
    Entities {},
    /// Show samples of a topic from now on; of another one no longer.
    Peek(Peek),
    /// Write samples on a topic.
    Inject(Inject),
}

/// Whose samples are shown.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Peek {
    topic: String,
    payload: Payload,
    /// The topic's type has a key.
    #[serde(default)]
    keyed: bool,
    #[serde(default)]
    qos: Qos,
}

/// What is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inject {
    topic: String,
    payload: Payload,
    /// The topic's type has a key.
    #[serde(default)]
    keyed: bool,
    #[serde(default)]
    qos: Qos,
    /// Bytes of the body.
    size: usize,
    /// How many samples.
    count: u32,
    /// Readers that are awaited first.
    readers: u32,
}

impl Question {
    /// `None`: the line is an order, or nothing.
    pub fn of(line: &str) -> Option<Result<Self, Failure>> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Asked {
            ask: Question,
        }

        let value: Value = serde_json::from_str(line).ok()?;
        value.get("ask")?;
        let asked = serde_json::from_value::<Asked>(value);
        let wrong = |error| Failure::new("invalid", format!("not a question: {error}"));
        Some(asked.map(|asked| asked.ask).map_err(wrong))
    }
}

/// The key by which others know this participant, where the adapter lists what is on the bus.
pub fn own_key(participant: &ParticipantHandle) -> Option<String> {
    if !participant.library().capabilities().has(Feature::Entities) {
        return None;
    }
    let is_own = |entity: &Entity| entity.own && entity.kind == EntityKind::Participant;
    participant.entities().ok()?.into_iter().find(is_own).map(|entity| entity.key)
}

/// Everything that is on the bus.
pub fn entities(participant: &ParticipantHandle) -> Result<Value, Failure> {
    let found = participant.entities()?;
    Ok(json!({"entities": found, "at_realtime_ns": clock_pair().realtime_ns}))
}

fn endpoint(
    participant: &ParticipantHandle,
    topic: &str,
    payload: Payload,
    keyed: bool,
    qos: &Qos,
) -> Result<EndpointConfig, Failure> {
    let adapter = participant.library().capabilities();
    if !adapter.payloads.contains(&payload) {
        let text = format!("{} has no payload kind {payload:?}", adapter.name);
        return Err(Failure::new("unsupported", text));
    }
    Ok(EndpointConfig {
        topic: topic.to_owned(),
        payload,
        wait: wait(adapter),
        max_body_bytes: LARGEST.min(adapter.max_body_bytes),
        qos: qos.clone(),
        instances: keyed.into(),
        filter_below: 0,
    })
}

/// A reader whose samples are shown. What comes faster than that is left out; `number` counts all.
pub fn peek(
    participant: &ParticipantHandle,
    Peek { topic, payload, keyed, qos }: &Peek,
    show: impl Fn(Value) + Send + Sync + 'static,
) -> Result<Ear, Failure> {
    let config = endpoint(participant, topic, *payload, *keyed, qos)?;
    let seen = AtomicU64::new(0);
    Ear::of(participant, &config, move |received| {
        let Header { cookie, seq, sent_ns, writer_id, flags, .. } = *received.header;
        let number = seen.fetch_add(1, Ordering::Relaxed) + 1;
        let body = &received.body[..received.body.len().min(SHOWN)];
        show(json!({
            "sample": {
                "number": number, "cookie": cookie.to_string(), "seq": seq, "sent_ns": sent_ns,
                "writer": writer_id, "flags": flags, "bytes": received.body.len(), "body": body,
            },
            "at_realtime_ns": clock_pair().realtime_ns,
        }));
    })
}

/// Writes samples with a cookie of their own: participants that measure count them as foreign traffic.
pub fn inject(participant: &ParticipantHandle, inject: &Inject) -> Result<Value, Failure> {
    if !(1..=MOST).contains(&inject.count) {
        let text = format!("{} samples: from 1 to {MOST} are injected", inject.count);
        return Err(Failure::new("invalid", text));
    }
    let config = endpoint(participant, &inject.topic, inject.payload, inject.keyed, &inject.qos)?;
    if inject.size as u64 > config.max_body_bytes {
        let text = format!("{} bytes: a body has at most {}", inject.size, config.max_body_bytes);
        return Err(Failure::new("invalid", text));
    }
    let writer = participant.writer(&config)?;
    let found = await_readers(|| writer.matched().ok(), inject.readers);
    let mut body = vec![0; inject.size];
    fill_pattern(inject.payload, &mut body);
    let mut sample = writer.sample(&body)?;
    let cookie = own_number();
    for seq in 0..u64::from(inject.count) {
        let now = now_ns();
        let header = Header { cookie, seq, intended_ns: now, sent_ns: now, ..Header::default() };
        writer
            .write(&mut sample, &header)
            .map_err(|status| not_written(&format!("sample {seq}"), &writer, status))?;
    }
    let _ = writer.flush();
    std::thread::sleep(LINGER);
    Ok(json!({"injected": inject.count, "readers": found, "cookie": cookie.to_string()}))
}

/// How many there were at last; `None` where that is not known.
fn await_readers(count: impl Fn() -> Option<u32>, wanted: u32) -> Option<u32> {
    let end = std::time::Instant::now() + FOUND;
    loop {
        match count() {
            Some(found) if found < wanted && std::time::Instant::now() < end => {
                std::thread::sleep(Duration::from_millis(10));
            }
            found => return found,
        }
    }
}
