//! Gives orders on the bus, and hands on what members tell; for a recording everything that is said.

use std::io::BufRead;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use busmark_adapter::ParticipantHandle;
use busmark_measure::{clock_pair, now_ns};
use busmark_worker::output::Output;
use busmark_worker::protocol::{Failure, PROTOCOL};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::looking::{self, Question};
use crate::message::{Address, Order, Task, report};
use crate::topics::{Ear, Speaker, check, lasts};
use crate::{LIVE, NEWS, ORDERS, TROUBLES, own_number};

/// Messages that wait to be handed on; what comes beyond is dropped, and counted.
const QUEUE: usize = 4096;
/// An order that was not answered comes again after this, where the middleware does not keep it.
const AGAIN: Duration = Duration::from_millis(500);
/// Whoever joins within this time after an order is given it too. Then the writer goes, and with it what
/// the middleware keeps for late joiners: an order is not for who comes much later.
const KEPT: Duration = Duration::from_secs(15);
/// As long a recording asks who is there: where orders are repeated, it has as many answers.
const ASKS: Duration = Duration::from_secs(5);
/// Messages that are not in a recording are counted in one line for each of these periods.
const EVERY: Duration = Duration::from_secs(1);
const LONGEST_LINE: u64 = 1 << 20;

/// What a caller hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hears {
    /// News and troubles.
    News,
    /// Live figures too.
    Live,
    /// Everything, orders of others too, each message with its topic and time: for a recording.
    Everything,
}

impl Hears {
    /// The topics, by the names that a recording has for them.
    fn topics(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let all = [("news", NEWS), ("troubles", TROUBLES), ("live", LIVE), ("orders", ORDERS)];
        all.into_iter().take(match self {
            Self::News => 2,
            Self::Live => 3,
            Self::Everything => 4,
        })
    }
}

/// A message to a caller.
enum Message {
    Heard { topic: &'static str, at_ns: i64, body: Vec<u8> },
    Asked(String),
    Seen(Value),
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

fn count(one: &AtomicU64) {
    one.fetch_add(1, Ordering::Relaxed);
}

/// A line of standard input.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    to: Address,
    #[serde(default)]
    instance: Option<u64>,
    #[serde(rename = "do")]
    task: Task,
}

/// An order that may still be answered.
struct Open {
    order: Order,
    /// When it comes again.
    next: Option<Instant>,
    until: Instant,
}

impl Open {
    /// When there is something to do for it.
    fn due(&self) -> Instant {
        self.next.map_or(self.until, |next| next.min(self.until))
    }
}

/// A caller.
pub struct Caller {
    number: u64,
    last: u64,
    participant: ParticipantHandle,
    /// Writer of orders; only while orders are open.
    speaker: Option<Speaker>,
    open: Vec<Open>,
    repeats: bool,
    hears: Hears,
    lost: Arc<Lost>,
    /// When it was last told what was lost.
    counted: Instant,
    house: SyncSender<Message>,
    messages: Receiver<Message>,
    output: Output,
    peeking: Option<Ear>,
    _ears: Vec<Ear>,
}

impl Caller {
    /// Joins; what is heard goes to `output`, each message a line.
    pub fn join(
        participant: ParticipantHandle,
        hears: Hears,
        output: Output,
    ) -> Result<Self, Failure> {
        let adapter = participant.library().capabilities();
        check(adapter)?;
        let (house, messages) = sync_channel(QUEUE);
        let lost = Arc::<Lost>::default();
        let ear = |(topic, full)| {
            let (house, lost) = (house.clone(), Arc::clone(&lost));
            Ear::new(&participant, full, move |heard| {
                if !heard.ours {
                    return count(&lost.foreign);
                }
                let message = Message::Heard { topic, at_ns: now_ns(), body: heard.body };
                if house.try_send(message).is_err() {
                    count(&lost.overflow);
                }
            })
        };
        let ears = hears.topics().map(ear).collect::<Result<_, Failure>>()?;
        let repeats = !lasts(adapter);
        // There from the start, so that members are found before the first order.
        let speaker = Some(Speaker::new(&participant, ORDERS, 0)?);
        let mut caller = Self {
            number: own_number(),
            last: 0,
            participant,
            speaker,
            open: Vec::new(),
            repeats,
            hears,
            lost,
            counted: Instant::now(),
            house,
            messages,
            output,
            peeking: None,
            _ears: ears,
        };
        if hears == Hears::Everything {
            // Who is there, with which tests: orders of callers that have gone are not kept.
            caller.order(Address::All, None, Task::List { joining: false }, ASKS)?;
        }
        Ok(caller)
    }

    /// Takes orders from this input, one on each line, until it ends.
    pub fn work(mut self, input: impl BufRead + Send + 'static) -> std::io::Result<()> {
        self.output.line(&json!({"caller": self.number}))?;
        self.listen(input);
        loop {
            let message = match self.due() {
                Some(next) => {
                    let wait = next.saturating_duration_since(Instant::now());
                    self.messages.recv_timeout(wait).ok()
                }
                None => self.messages.recv().ok(),
            };
            match message {
                Some(Message::Heard { topic, at_ns, body }) => self.heard(topic, at_ns, &body)?,
                Some(Message::Asked(line)) => self.ask(&line)?,
                Some(Message::Seen(sample)) => self.output.line(&sample)?,
                Some(Message::Closed) => return self.tell_lost(),
                None => {}
            }
            self.repeat();
            if self.counted.elapsed() >= EVERY {
                self.tell_lost()?;
            }
        }
    }

    /// When there is something to do, whether or not a message comes.
    fn due(&self) -> Option<Instant> {
        let tells = (self.hears == Hears::Everything).then_some(self.counted + EVERY);
        self.open.iter().map(Open::due).chain(tells).min()
    }

    fn listen(&self, mut input: impl BufRead + Send + 'static) {
        let house = self.house.clone();
        std::thread::spawn(move || {
            use std::io::Read as _;
            loop {
                let mut line = String::new();
                match input.by_ref().take(LONGEST_LINE).read_line(&mut line) {
                    Ok(0) | Err(_) => break,
                    Ok(_) => {
                        if house.send(Message::Asked(line)).is_err() {
                            return;
                        }
                    }
                }
            }
            let _ = house.send(Message::Closed);
        });
    }

    fn ask(&mut self, line: &str) -> std::io::Result<()> {
        if let Some(question) = Question::of(line) {
            let answer = question.and_then(|question| self.look(question));
            return match answer {
                Ok(Some(answer)) => self.output.line(&answer),
                Ok(None) => Ok(()),
                Err(failure) => self.output.line(&json!({"refused": failure})),
            };
        }
        let Line { to, instance, task } = match serde_json::from_str(line) {
            Ok(line) => line,
            Err(error) => {
                let failure = Failure::new("invalid", format!("not an order: {error}"));
                return self.output.line(&json!({"refused": failure}));
            }
        };
        match self.order(to, instance, task, KEPT) {
            Ok(()) => self.output.line(&json!({"ordered": self.last, "at_ns": now_ns()})),
            Err(failure) => self.output.line(&json!({"refused": failure, "id": self.last})),
        }
    }

    /// Gives an order, to whoever is there or comes within this time.
    fn order(
        &mut self,
        to: Address,
        instance: Option<u64>,
        task: Task,
        kept: Duration,
    ) -> Result<(), Failure> {
        self.last += 1;
        let (caller, id) = (self.number, self.last);
        let order = Order { busmark: PROTOCOL, caller, id, to, instance, task };
        self.say(&order)?;
        let now = Instant::now();
        let next = self.repeats.then_some(now + AGAIN);
        self.open.push(Open { order, next, until: now + kept });
        Ok(())
    }

    /// Answers from what this process itself sees on the bus: nobody is asked.
    fn look(&mut self, question: Question) -> Result<Option<Value>, Failure> {
        match question {
            Question::Entities {} => looking::entities(&self.participant).map(Some),
            Question::Peek(peek) => {
                let house = self.house.clone();
                let shown = looking::peek(&self.participant, &peek, move |sample| {
                    let _ = house.try_send(Message::Seen(sample));
                })?;
                self.peeking = Some(shown);
                Ok(None)
            }
            Question::Inject(inject) => looking::inject(&self.participant, &inject).map(Some),
        }
    }

    fn say(&mut self, order: &Order) -> Result<(), Failure> {
        if self.speaker.is_none() {
            self.speaker = Some(Speaker::new(&self.participant, ORDERS, 0)?);
        }
        self.speaker.as_mut().map_or(Ok(()), |speaker| speaker.say(order))
    }

    fn repeat(&mut self) {
        let now = Instant::now();
        if let Some(speaker) = &mut self.speaker {
            for open in self.open.iter_mut().filter(|open| open.next.is_some_and(|at| at <= now)) {
                // One that could not be written comes again.
                let _ = speaker.say(&open.order);
                open.next = Some(now + AGAIN);
            }
        }
        self.close(|open| open.until <= now);
    }

    /// Has done with these orders.
    fn close(&mut self, done: impl Fn(&Open) -> bool) {
        let before = self.open.len();
        self.open.retain(|open| !done(open));
        if self.open.is_empty() && before > 0 {
            self.speaker = None;
        }
    }

    fn heard(&mut self, topic: &str, at_ns: i64, body: &[u8]) -> std::io::Result<()> {
        let Ok(message) = report(body) else {
            count(&self.lost.malformed);
            return Ok(());
        };
        self.acknowledge(&message);
        if self.hears != Hears::Everything {
            return self.output.line(&message);
        }
        let mut line = stamped(at_ns);
        line["topic"] = json!(topic);
        line["message"] = message;
        self.output.line(&line)
    }

    /// Tells what is not in a recording, where anything is not.
    fn tell_lost(&mut self) -> std::io::Result<()> {
        self.counted = Instant::now();
        let Lost { foreign, malformed, overflow } = &*self.lost;
        let counts = [foreign, malformed, overflow].map(|one| one.swap(0, Ordering::Relaxed));
        if self.hears != Hears::Everything || counts == [0; 3] {
            return Ok(());
        }
        let [foreign, malformed, overflow] = counts;
        let mut line = stamped(now_ns());
        line["lost"] = json!({"foreign": foreign, "malformed": malformed, "overflow": overflow});
        self.output.line(&line)
    }

    /// An order for one application is done with its answer; others may still answer one for several.
    fn acknowledge(&mut self, message: &Value) {
        if message["caller"] == self.number {
            let id = message["id"].as_u64();
            self.close(|open| {
                Some(open.order.id) == id && matches!(open.order.to, Address::App(_))
            });
        }
    }
}

/// A moment of the monotonic clock by both clocks.
fn stamped(at_ns: i64) -> Value {
    let now = clock_pair();
    let realtime_ns = now.realtime_ns - (now.monotonic_ns - at_ns);
    json!({"monotonic_ns": at_ns, "realtime_ns": realtime_ns})
}
