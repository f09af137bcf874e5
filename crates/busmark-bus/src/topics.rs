//! The topics of the bus, as a member or a caller uses them.

use std::sync::Arc;
use std::time::Duration;

use busmark_adapter::{
    CapabilityReport, EndpointConfig, Feature, Header, OnData, ParticipantHandle, Payload, Qos,
    QosValue, Reach, Received, Status, Taker, Wait, WriterHandle,
};
use busmark_measure::now_ns;
use busmark_worker::protocol::Failure;
use busmark_worker::roles::Context;
use busmark_worker::roles::subscriber::Subscriber;
use serde::Serialize;

use crate::message::LONGEST;

/// Cookie of every sample on these topics: a sample with another one is foreign traffic.
const COOKIE: u64 = 0xB05B_0B05_B05B_0B05;
/// Messages that a writer keeps for whoever joins late, and a reader for whoever is slow.
const DEPTH: i32 = 256;
/// Messages taken at a time.
const BATCH: u32 = 64;
/// A write that the middleware holds up is tried again so often, each as long as that blocks.
const TRIES: u32 = 20;

/// What has come on a topic.
pub struct Heard {
    /// Whether it bears the cookie of the bus.
    pub ours: bool,
    /// The message.
    pub body: Vec<u8>,
}

/// Checks that participants of this adapter can find each other without a controller.
pub fn check(adapter: &CapabilityReport) -> Result<(), Failure> {
    let refused = |why: &str| {
        let text = format!(
            "{}: {why}, so participants cannot find each other without a controller; use an adapter \
             with discovery, such as cyclonedds",
            adapter.name
        );
        Err(Failure::new("unsupported", text))
    };
    if adapter.features.contains(&Feature::Locators)
        || adapter.features.contains(&Feature::WriterLocators)
    {
        return refused("this middleware has no discovery");
    }
    if !adapter.reach.contains(&Reach::Host) && !adapter.reach.contains(&Reach::Network) {
        return refused("it does not leave its process");
    }
    if !adapter.payloads.contains(&Payload::Octet) || adapter.max_body_bytes < LONGEST as u64 {
        return refused("it does not carry messages of 32 KiB");
    }
    Ok(())
}

/// Whether what was written reaches everybody, also who joins later.
pub fn lasts(adapter: &CapabilityReport) -> bool {
    [QosValue::Reliable, QosValue::TransientLocal].iter().all(|value| adapter.qos.contains(value))
}

/// How readers wait here: so that they sleep, if the adapter can.
pub fn wait(adapter: &CapabilityReport) -> Wait {
    let strategies = [Wait::Waitset, Wait::Listener, Wait::Poll];
    strategies.into_iter().find(|wait| adapter.waits.contains(wait)).unwrap_or(Wait::Poll)
}

/// How a topic of the bus is written and read.
pub fn endpoint(adapter: &CapabilityReport, topic: &str) -> EndpointConfig {
    let has = |value: QosValue| adapter.qos.contains(&value);
    EndpointConfig {
        topic: topic.to_owned(),
        payload: Payload::Octet,
        wait: wait(adapter),
        max_body_bytes: LONGEST as u64,
        qos: Qos {
            reliable: has(QosValue::Reliable).then_some(true),
            transient_local: has(QosValue::TransientLocal).then_some(true),
            keep_all: has(QosValue::KeepLast).then_some(false),
            depth: DEPTH,
            ..Qos::default()
        },
        instances: 0,
        filter_below: 0,
    }
}

/// Writes messages on a topic.
pub struct Speaker {
    writer: WriterHandle,
    number: u32,
    seq: u64,
}

impl Speaker {
    /// On this topic; `number` is the application's, 0 for a caller.
    pub fn new(participant: &ParticipantHandle, topic: &str, number: u32) -> Result<Self, Failure> {
        let writer = participant.writer(&endpoint(participant.library().capabilities(), topic))?;
        Ok(Self { writer, number, seq: 0 })
    }

    /// Number of the next message, from 1.
    pub fn next(&self) -> u64 {
        self.seq + 1
    }

    /// Writes one message.
    pub fn say(&mut self, message: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_vec(message)
            .map_err(|error| Failure::new("failed", error.to_string()))?;
        if text.len() > LONGEST {
            let text = format!("a message of {} bytes; the longest has {LONGEST}", text.len());
            return Err(Failure::new("resources", text));
        }
        self.write(&text)
    }

    fn write(&mut self, body: &[u8]) -> Result<(), Failure> {
        let mut sample = self.writer.sample(body)?;
        let now = now_ns();
        let header = Header {
            cookie: COOKIE,
            seq: self.seq,
            intended_ns: now,
            sent_ns: now,
            writer_id: self.number,
            ..Header::default()
        };
        self.seq += 1;
        let mut outcome = Err(Status::Timeout);
        for _ in 0..TRIES {
            outcome = self.writer.write(&mut sample, &header);
            if outcome != Err(Status::Timeout) {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.writer.flush();
        outcome.map_err(|status| not_written("a message", &self.writer, status))
    }
}

/// Why a sample was not written: in the middleware's words, where it has some.
pub fn not_written(what: &str, writer: &WriterHandle, status: Status) -> Failure {
    let words = match writer.last_error() {
        Some(error) if error.status == status => error.to_string(),
        _ => status.to_string(),
    };
    Failure::new("failed", format!("{what} could not be written: {words}"))
}

/// Hands on what comes on a topic, on a thread of the middleware's or of its own.
pub struct Ear(Subscriber<Handler>);

struct Handler(Box<dyn Fn(&Received) + Send + Sync>);

impl OnData for Handler {
    fn on_data(&self, taker: &Taker) {
        while taker.take(BATCH, &mut |received| self.0(received)).is_ok_and(|taken| taken == BATCH)
        {
        }
    }
}

impl Ear {
    /// On this topic of the bus. `heard` must not block for long: the middleware may wait for it.
    pub fn new(
        participant: &ParticipantHandle,
        topic: &str,
        heard: impl Fn(Heard) + Send + Sync + 'static,
    ) -> Result<Self, Failure> {
        let config = endpoint(participant.library().capabilities(), topic);
        Self::of(participant, &config, move |received| {
            let ours = received.header.cookie == COOKIE;
            heard(Heard { ours, body: received.body.to_vec() });
        })
    }

    /// On any topic.
    pub fn of(
        participant: &ParticipantHandle,
        config: &EndpointConfig,
        taken: impl Fn(&Received) + Send + Sync + 'static,
    ) -> Result<Self, Failure> {
        let yields = config.wait == Wait::Poll;
        let participant = participant.clone();
        let context = Context { participant, cookie: COOKIE, yields, news: None };
        let handler = Arc::new(Handler(Box::new(taken)));
        let mut subscriber = Subscriber::new(&context, config, handler)?;
        subscriber.start();
        Ok(Self(subscriber))
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        self.0.close();
    }
}
