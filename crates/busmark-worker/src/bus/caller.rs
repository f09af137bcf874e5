//! Gives orders on the bus, and hands on everything that members tell.

use std::io::BufRead;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use busmark_adapter::ParticipantHandle;
use busmark_measure::now_ns;
use serde::Deserialize;
use serde_json::{Value, json};

use super::looking::{self, Peeking, Question};
use super::message::{Address, Order, Task, report};
use super::topics::{Ear, Heard, Speaker, check, lasts};
use super::{LIVE, NEWS, ORDERS, TROUBLES, own_number};
use crate::output::Output;
use crate::protocol::{Failure, PROTOCOL};

const QUEUE: usize = 4096;
/// An order that was not answered comes again after this, where the middleware does not keep it.
const AGAIN: Duration = Duration::from_millis(500);
/// Whoever joins within this time after an order is given it too. Then the writer goes, and with it what
/// the middleware keeps for late joiners: an order is not for who comes much later.
const KEPT: Duration = Duration::from_secs(15);
const LONGEST_LINE: u64 = 1 << 20;

/// A message to a caller.
enum Message {
    Heard(Heard),
    Asked(String),
    Seen(Value),
    Closed,
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
    house: SyncSender<Message>,
    messages: Receiver<Message>,
    output: Output,
    peeking: Option<Peeking>,
    _ears: Vec<Ear>,
}

impl Caller {
    /// Joins; what is heard goes to `output`, each message a line: with `live`, live figures too.
    pub fn join(
        participant: ParticipantHandle,
        live: bool,
        output: Output,
    ) -> Result<Self, Failure> {
        let adapter = participant.library().capabilities();
        check(adapter)?;
        let (house, messages) = sync_channel(QUEUE);
        let ear = |topic| {
            let house = house.clone();
            Ear::new(&participant, topic, move |heard| {
                let _ = house.try_send(Message::Heard(heard));
            })
        };
        let topics = [NEWS, TROUBLES].into_iter().chain(live.then_some(LIVE));
        let ears = topics.map(ear).collect::<Result<_, Failure>>()?;
        let repeats = !lasts(adapter);
        // There from the start, so that members are found before the first order.
        let speaker = Some(Speaker::new(&participant, ORDERS, 0)?);
        Ok(Self {
            number: own_number(),
            last: 0,
            participant,
            speaker,
            open: Vec::new(),
            repeats,
            house,
            messages,
            output,
            peeking: None,
            _ears: ears,
        })
    }

    /// Takes orders from this input, one on each line, until it ends.
    pub fn work(mut self, input: impl BufRead + Send + 'static) -> std::io::Result<()> {
        self.output.line(&json!({"caller": self.number}))?;
        self.listen(input);
        loop {
            let message = match self.open.iter().map(Open::due).min() {
                Some(next) => {
                    let wait = next.saturating_duration_since(Instant::now());
                    self.messages.recv_timeout(wait).ok()
                }
                None => self.messages.recv().ok(),
            };
            match message {
                Some(Message::Heard(heard)) => self.heard(&heard)?,
                Some(Message::Asked(line)) => self.ask(&line)?,
                Some(Message::Seen(sample)) => self.output.line(&sample)?,
                Some(Message::Closed) => return Ok(()),
                None => self.repeat(),
            }
        }
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
        self.last += 1;
        let (caller, id) = (self.number, self.last);
        let order = Order { busmark: PROTOCOL, caller, id, to, instance, task };
        if let Err(failure) = self.say(&order) {
            return self.output.line(&json!({"refused": failure, "id": id}));
        }
        let at_ns = now_ns();
        let now = Instant::now();
        let next = self.repeats.then_some(now + AGAIN);
        self.open.push(Open { order, next, until: now + KEPT });
        self.output.line(&json!({"ordered": id, "at_ns": at_ns}))
    }

    /// Answers from what this process itself sees on the bus: nobody is asked.
    fn look(&mut self, question: Question) -> Result<Option<Value>, Failure> {
        match question {
            Question::Entities {} => looking::entities(&self.participant).map(Some),
            Question::Peek(peek) => {
                let house = self.house.clone();
                let peeking = Peeking::begin(&self.participant, &peek, move |sample| {
                    let _ = house.try_send(Message::Seen(sample));
                })?;
                self.peeking = Some(peeking);
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

    fn heard(&mut self, heard: &Heard) -> std::io::Result<()> {
        let message = if heard.ours { report(&heard.body) } else { return Ok(()) };
        let Ok(message) = message else { return Ok(()) };
        self.acknowledge(&message);
        self.output.line(&message)
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
