//! A participant on the bus: takes orders, runs tests, and tells how they go.

mod progress;
mod tasks;

use std::io::{BufRead, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use busmark_adapter::{Oversize, ParticipantConfig, ParticipantHandle};
use busmark_measure::clock_pair;
use busmark_worker::output::Output;
use busmark_worker::protocol::{Failure, PROTOCOL};
use serde::Serialize;
use serde_json::Value;

use crate::message::{self, Answer, Asked, Envelope, LAST_NUMBER, News, Order, Trouble};
use crate::orders::{Orders, Standing};
use crate::test::{Asker, Outcome, Test};
use crate::topics::{Ear, Heard, Speaker};
use crate::troubles::{EVERY, Valve};
use crate::{LIVE, NEWS, ORDERS, TROUBLES, join, looking, own_number, topics};

/// Messages that wait to be read; what comes beyond is dropped, and counted.
const QUEUE: usize = 1024;
/// Tests have so long to end when the member goes.
const PATIENCE: Duration = Duration::from_secs(5);
/// The last news have so long to reach others before the writer goes.
const LINGER: Duration = Duration::from_millis(300);

/// Under what a member is on the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// Its application, which nobody else has.
    pub app: u32,
    /// Its group.
    pub group: Option<u32>,
}

impl Name {
    /// Checks that its numbers are within the limits.
    pub fn check(self) -> Result<(), Failure> {
        for (name, value) in [("app", Some(self.app)), ("group", self.group)] {
            if let Some(value) = value.filter(|value| *value > LAST_NUMBER) {
                let text = format!("--{name} {value}: the last number is {LAST_NUMBER}");
                return Err(Failure::new("invalid", text));
            }
        }
        Ok(())
    }
}

/// A message to a member.
pub enum Message {
    /// On the topic of orders.
    Heard(Heard),
    /// The desk of a test says a line.
    Said(u64, Vec<u8>),
    /// It has gone.
    Gone(u64),
    /// A reader of a test cannot have what comes.
    Oversize(Oversize),
    /// Whoever started this process wants it to end.
    Closed,
}

/// Tests that an order wants to end.
struct Stop {
    asker: Asker,
    left: usize,
    ended: Vec<Value>,
}

/// A participant on the bus.
pub struct Member {
    name: Name,
    instance: u64,
    /// The key by which the middleware knows its participant, if the adapter lists what is on the bus.
    key: Option<String>,
    participant: ParticipantHandle,
    config: ParticipantConfig,
    news: Speaker,
    live: Speaker,
    troubles: Speaker,
    valve: Valve,
    orders: Orders,
    tests: Vec<Test>,
    stops: Vec<Stop>,
    next_key: u64,
    house: SyncSender<Message>,
    messages: Receiver<Message>,
    dropped: Arc<AtomicU64>,
    ear: Option<Ear>,
    output: Output,
    leaving: Option<Instant>,
}

impl Member {
    /// Joins, unless somebody has this number. What it tells goes to `output` too.
    pub fn join(
        name: Name,
        participant: ParticipantHandle,
        config: ParticipantConfig,
        output: Output,
    ) -> Result<Self, Failure> {
        name.check()?;
        topics::check(participant.library().capabilities())?;
        join::nobody_has(name.app, &participant)?;
        Self::new(name, participant, config, output)
    }

    /// One that is there, whoever else is.
    pub(super) fn new(
        name: Name,
        participant: ParticipantHandle,
        config: ParticipantConfig,
        output: Output,
    ) -> Result<Self, Failure> {
        let (house, messages) = sync_channel(QUEUE);
        let mut member = Self {
            name,
            instance: own_number(),
            key: looking::own_key(&participant),
            news: Speaker::new(&participant, NEWS, name.app)?,
            live: Speaker::new(&participant, LIVE, name.app)?,
            troubles: Speaker::new(&participant, TROUBLES, name.app)?,
            participant,
            config,
            valve: Valve::default(),
            orders: Orders::default(),
            tests: Vec::new(),
            stops: Vec::new(),
            next_key: 0,
            house,
            messages,
            dropped: Arc::default(),
            ear: None,
            output,
            leaving: None,
        };
        let (house, dropped) = (member.house.clone(), Arc::clone(&member.dropped));
        let heard = move |heard| {
            if house.try_send(Message::Heard(heard)).is_err() {
                dropped.fetch_add(1, Ordering::Relaxed);
            }
        };
        let house = member.house.clone();
        member.participant.on_oversize(move |oversize| {
            // From within `take`: it must not wait. A full house has worse troubles to tell.
            let _ = house.try_send(Message::Oversize(oversize));
        });
        member.ear = Some(Ear::new(&member.participant, ORDERS, heard)?);
        Ok(member)
    }

    /// It goes when this input ends.
    pub fn until(&self, mut input: impl BufRead + Send + 'static) {
        let house = self.house.clone();
        std::thread::spawn(move || {
            let _ = std::io::copy(&mut input, &mut std::io::sink());
            let _ = house.send(Message::Closed);
        });
    }

    /// The way by which messages come.
    #[cfg(test)]
    pub(super) fn door(&self) -> SyncSender<Message> {
        self.house.clone()
    }

    /// Takes orders until it is to go.
    pub fn work(mut self) {
        let member = self.description();
        self.tell(&News::Joined { member });
        loop {
            let message = match self.leaving {
                None if self.valve.holds() => self.messages.recv_timeout(EVERY).ok(),
                None => self.messages.recv().ok(),
                Some(until) => {
                    let left = until.saturating_duration_since(Instant::now());
                    if self.tests.is_empty() || left.is_zero() {
                        break;
                    }
                    self.messages.recv_timeout(left).ok()
                }
            };
            match message {
                Some(Message::Heard(heard)) => self.heard(&heard),
                Some(Message::Said(key, line)) => self.said(key, &line),
                Some(Message::Gone(key)) => self.gone(key),
                Some(Message::Oversize(oversize)) => self.oversize(&oversize),
                Some(Message::Closed) => self.leave(),
                None => {}
            }
            let dropped = self.dropped.swap(0, Ordering::Relaxed);
            if dropped > 0 {
                let text = format!("{dropped} messages came faster than they could be read");
                self.trouble(Trouble::new("overflow", text));
            }
            for trouble in self.valve.rest(Instant::now()) {
                self.tell_trouble(&trouble);
            }
        }
        self.tell(&News::Left);
        std::thread::sleep(LINGER);
    }

    fn leave(&mut self) {
        self.leaving = Some(Instant::now() + PATIENCE);
        self.ear = None;
        for test in &mut self.tests {
            test.end();
        }
    }

    fn tell(&mut self, news: &News) {
        self.say(|member| &mut member.news, news);
    }

    fn tell_live(&mut self, news: &News) {
        self.say(|member| &mut member.live, news);
    }

    fn trouble(&mut self, trouble: Trouble) {
        if let Some(trouble) = self.valve.pass(trouble, Instant::now()) {
            self.tell_trouble(&trouble);
        }
    }

    fn tell_trouble(&mut self, trouble: &Trouble) {
        self.say(|member| &mut member.troubles, trouble);
    }

    /// Says it on a topic, and to whoever started this process.
    fn say(&mut self, topic: fn(&mut Self) -> &mut Speaker, what: &impl Serialize) {
        let envelope = Envelope {
            busmark: PROTOCOL,
            app: self.name.app,
            group: self.name.group,
            instance: self.instance,
            seq: topic(self).next(),
            at_realtime_ns: clock_pair().realtime_ns,
            what,
        };
        if let Err(error) = topic(self).say(&envelope) {
            let _ = writeln!(std::io::stderr(), "{}", error.message);
        }
        // Whoever started this process may not listen; the bus does.
        let _ = self.output.line(&envelope);
    }

    fn heard(&mut self, heard: &Heard) {
        if !heard.ours {
            let text = format!("a sample of {} bytes without the cookie", heard.body.len());
            return self.trouble(Trouble::new("foreign", text));
        }
        match message::order(&heard.body) {
            Ok(order) if order.to.means(self.name.app, self.name.group) => self.take(order),
            Ok(_) => {}
            Err(trouble) => self.trouble(trouble),
        }
    }

    fn take(&mut self, order: Order) {
        let Order { caller, id, to, instance, task, .. } = order;
        if instance.is_some_and(|instance| instance != self.instance) {
            let text = format!("order {id} of caller {caller} is for one that was here before");
            return self.trouble(Trouble::new("stale", text));
        }
        let asker = (caller, id);
        let asked = Asked::of(to, &task, clock_pair().realtime_ns);
        match self.orders.take(caller, id, asked) {
            Standing::New => match self.execute(to, task, asker) {
                Ok(Some(result)) => self.answer(asker, Ok(result)),
                Ok(None) => {} // the answer comes later
                Err(failure) => self.answer(asker, Err(failure)),
            },
            Standing::Pending => {}
            // To an order that came again, for its caller may not have had the answer.
            Standing::Answered(answer) => self.tell(&News::Answer(answer)),
            Standing::Stale(last) => {
                let text = format!("order {id} of caller {caller}, whose last was {last}");
                self.trouble(Trouble::new("stale", text));
            }
            Standing::Busy => {
                let text =
                    format!("order {id} of caller {caller}: too many wait for their answers");
                self.trouble(Trouble::new("overflow", text));
            }
        }
    }

    fn answer(&mut self, (caller, id): Asker, outcome: Outcome) {
        let (result, error) = match outcome {
            Ok(result) => (Some(result), None),
            Err(error) => (None, Some(error)),
        };
        let order = self.orders.asked(caller, id);
        let answer = Answer { caller, id, ok: error.is_none(), result, error, order };
        self.orders.answered(&answer);
        self.tell(&News::Answer(answer));
    }
}
