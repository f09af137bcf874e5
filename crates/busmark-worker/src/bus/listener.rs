//! Hears everything that is said on the bus, orders of others too, and stamps it: for a recording.

use std::io::BufRead;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use busmark_adapter::ParticipantHandle;
use busmark_measure::{clock_pair, now_ns};
use serde_json::{Value, json};

use super::message::{Address, Order, Task, report};
use super::topics::{Ear, Speaker, check, lasts};
use super::{LIVE, NEWS, ORDERS, TROUBLES, own_number};
use crate::output::Output;
use crate::protocol::{Failure, PROTOCOL};

/// Messages that wait to be handed on; what comes beyond is dropped, and counted.
const QUEUE: usize = 4096;
/// Whoever is there is asked for this time; where the middleware keeps nothing, again and again.
const ASKS: Duration = Duration::from_secs(5);
const AGAIN: Duration = Duration::from_millis(500);
/// Messages that could not be handed on are counted in one line for each of these periods.
const EVERY: Duration = Duration::from_secs(1);

/// The topics, by the names that a recording has for them.
const TOPICS: [(&str, &str); 4] =
    [("orders", ORDERS), ("news", NEWS), ("live", LIVE), ("troubles", TROUBLES)];

/// A message to a listener.
enum Message {
    Heard { topic: &'static str, at_ns: i64, body: Vec<u8> },
    Closed,
}

/// Counts of what was not handed on.
#[derive(Default)]
struct Lost {
    /// Without the cookie of the bus.
    foreign: AtomicU64,
    /// With the cookie of the bus, but no message of this protocol.
    malformed: AtomicU64,
    /// More at once than there was room for.
    overflow: AtomicU64,
}

impl Lost {
    /// Counts since the last time; None: nothing was lost.
    fn take(&self) -> Option<Value> {
        let once = |count: &AtomicU64| count.swap(0, Ordering::Relaxed);
        let counts = (once(&self.foreign), once(&self.malformed), once(&self.overflow));
        (counts != (0, 0, 0))
            .then(|| json!({"foreign": counts.0, "malformed": counts.1, "overflow": counts.2}))
    }
}

fn count(one: &AtomicU64) {
    one.fetch_add(1, Ordering::Relaxed);
}

/// A listener.
pub struct Listener {
    question: Question,
    house: SyncSender<Message>,
    messages: Receiver<Message>,
    lost: Arc<Lost>,
    output: Output,
    _ears: Vec<Ear>,
}

/// Who is there, and which tests they have: orders of callers that have gone are not kept.
struct Question {
    order: Order,
    speaker: Option<Speaker>,
    until: Instant,
    /// When it is asked again.
    next: Option<Instant>,
}

impl Listener {
    /// Joins; what is heard goes to `output`, each message a line.
    pub fn join(participant: &ParticipantHandle, output: Output) -> Result<Self, Failure> {
        let adapter = participant.library().capabilities();
        check(adapter)?;
        let (house, messages) = sync_channel(QUEUE);
        let lost = Arc::<Lost>::default();
        let ear = |(topic, full): (&'static str, &str)| {
            let (house, lost) = (house.clone(), Arc::clone(&lost));
            Ear::new(participant, full, move |heard| {
                if !heard.ours {
                    return count(&lost.foreign);
                }
                let message = Message::Heard { topic, at_ns: now_ns(), body: heard.body };
                if house.try_send(message).is_err() {
                    count(&lost.overflow);
                }
            })
        };
        let ears = TOPICS.into_iter().map(ear).collect::<Result<_, Failure>>()?;
        let question = Question::ask(participant, lasts(adapter))?;
        Ok(Self { question, house, messages, lost, output, _ears: ears })
    }

    /// Hands on what is heard until this input ends.
    pub fn work(mut self, mut input: impl BufRead + Send + 'static) -> std::io::Result<()> {
        let house = self.house.clone();
        std::thread::spawn(move || {
            let _ = std::io::copy(&mut input, &mut std::io::sink());
            let _ = house.send(Message::Closed);
        });
        self.output.line(&json!({"listener": self.question.order.caller}))?;
        let mut counted = Instant::now();
        loop {
            match self.messages.recv_timeout(AGAIN) {
                Ok(Message::Heard { topic, at_ns, body }) => self.hand_on(topic, at_ns, &body)?,
                Ok(Message::Closed) => break,
                Err(_) => {}
            }
            self.question.repeat();
            if counted.elapsed() >= EVERY {
                counted = Instant::now();
                self.tell_lost()?;
            }
        }
        self.tell_lost()
    }

    fn hand_on(&self, topic: &str, at_ns: i64, body: &[u8]) -> std::io::Result<()> {
        let Ok(message) = report(body) else {
            count(&self.lost.malformed);
            return Ok(());
        };
        let mut line = stamped(at_ns);
        line["topic"] = json!(topic);
        line["message"] = message;
        self.output.line(&line)
    }

    fn tell_lost(&self) -> std::io::Result<()> {
        let Some(lost) = self.lost.take() else { return Ok(()) };
        let mut line = stamped(now_ns());
        line["lost"] = lost;
        self.output.line(&line)
    }
}

/// A moment of the monotonic clock by both clocks.
fn stamped(at_ns: i64) -> Value {
    let now = clock_pair();
    let realtime_ns = now.realtime_ns - (now.monotonic_ns - at_ns);
    json!({"monotonic_ns": at_ns, "realtime_ns": realtime_ns})
}

impl Question {
    fn ask(participant: &ParticipantHandle, lasts: bool) -> Result<Self, Failure> {
        let task = Task::List { joining: false };
        let order = Order {
            busmark: PROTOCOL,
            caller: own_number(),
            id: 1,
            to: Address::All,
            instance: None,
            task,
        };
        let mut speaker = Speaker::new(participant, ORDERS, 0)?;
        speaker.say(&order)?;
        let now = Instant::now();
        let next = (!lasts).then_some(now + AGAIN);
        Ok(Self { order, speaker: Some(speaker), until: now + ASKS, next })
    }

    fn repeat(&mut self) {
        let now = Instant::now();
        if now >= self.until {
            self.speaker = None;
        }
        if let (Some(speaker), Some(next)) = (&mut self.speaker, self.next)
            && next <= now
        {
            // One that could not be written comes again.
            let _ = speaker.say(&self.order);
            self.next = Some(now + AGAIN);
        }
    }
}
