//! Makes a writer or a reader again and again, waits each time until it is discovered, and closes it.
//!
//! One repetition: `begin`, create (the participant too, if asked), `created`; then a writer sends at
//! its rate until the resident has its first sample, and a reader waits for the resident's. Both sides'
//! matches are noted beside that. What the resident sees comes through the controller, after the moments
//! have been taken: it ends a repetition and is part of no time.

mod discovered;
mod first;

use std::sync::Arc;
use std::time::Duration;

use busmark_adapter::{
    EndpointConfig, Error, Header, Library, ParticipantConfig, ParticipantHandle, ReaderHandle,
    Status, WriterHandle,
};
use busmark_measure::now_ns;
use schemars::JsonSchema;
use serde::Deserialize;

use self::discovered::{Discovered, Waiting};
use self::first::First;
use super::bodies::Bodies;
use super::control::{Control, STOPPED};
use super::patience;
use super::subscriber::Subscriber;
use super::{Context, Recorded, Role, RoleSpec};
use crate::protocol::{Appearance, Failure, RoleReport, RunReport};

/// Pause between two questions where the middleware has no event for a match.
const PAUSE: Duration = Duration::from_micros(100);
/// How long the resident may take to notice that the endpoint of the repetition before has gone.
const GONE_NS: i64 = 1_000_000_000;
/// Time between two repetitions, so that the resident's schedule has no fixed phase to them.
const BETWEEN_NS: i64 = 5_000_000;

/// Endpoint that is new in each repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum New {
    /// A writer, which the resident's reader discovers.
    Writer,
    /// A reader, which the resident's writer discovers.
    Reader,
}

/// Entities that each repetition creates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Creates {
    /// The endpoint alone, in a participant that exists already.
    Entity,
    /// A participant, and the endpoint in it.
    Participant,
}

/// Where the endpoint is made.
pub enum Home {
    /// In a participant that is there.
    There(ParticipantHandle),
    /// In one that is made with it.
    New(Library, ParticipantConfig),
}

/// A late joiner.
pub struct LateJoiner {
    id: u32,
    peer: u32,
    new: New,
    peer_matches: bool,
    config: EndpointConfig,
    period_ns: i64,
    repetitions: usize,
    warmup_ns: i64,
    duration_ns: i64,
    timeout_ns: i64,
    cookie: u64,
    yields: bool,
    home: Home,
    bodies: Bodies,
    control: Arc<Control>,
    waiting: Waiting,
    seen: Vec<Appearance>,
    blocked: u64,
}

impl LateJoiner {
    /// Makes nothing yet. `spec` is a `RoleSpec::LateJoiner`.
    pub fn new(home: Home, cookie: u64, yields: bool, spec: RoleSpec) -> Result<Self, Error> {
        let RoleSpec::LateJoiner {
            writer: id,
            peer,
            new,
            creates: _,
            peer_matches,
            topic,
            stream,
            rate_hz,
            repetitions,
            warmup_ns,
            duration_ns,
            timeout_ns,
        } = spec
        else {
            return Err(Status::Invalid.error("not a late_joiner"));
        };
        Ok(Self {
            id,
            peer,
            new,
            peer_matches,
            config: stream.endpoint(&topic),
            period_ns: period_ns(rate_hz),
            repetitions,
            warmup_ns,
            duration_ns,
            timeout_ns,
            cookie,
            yields,
            home,
            bodies: Bodies::new(&stream, cookie)?,
            control: Arc::new(Control::new(false)),
            waiting: Waiting::default(),
            seen: Vec::with_capacity(repetitions),
            blocked: 0,
        })
    }

    fn participant(&self) -> Result<ParticipantHandle, Error> {
        match &self.home {
            Home::There(participant) => Ok(participant.clone()),
            Home::New(library, config) => Ok(library.participant(config)?.of_run(self.cookie)),
        }
    }

    /// Repetition `number`, counted from the first of the warm-up.
    fn appear(&mut self, number: u64) -> Result<Appearance, Failure> {
        match self.new {
            New::Writer => self.appear_writing(number),
            New::Reader => self.appear_reading(),
        }
    }

    fn appear_writing(&mut self, number: u64) -> Result<Appearance, Failure> {
        let begin_ns = now_ns();
        let participant = self.participant()?;
        let attached_ns = self.attached();
        let writer = participant.writer(&self.config)?;
        let created_ns = now_ns();
        let mut found = Discovered::new(begin_ns, self.peer_matches);
        let mut sample = self.bodies.first_sample(&writer)?;
        let mut header = Header { cookie: self.cookie, writer_id: self.id, ..Header::default() };
        let mut sent = 0;
        let mut next_ns = now_ns();
        loop {
            let now = now_ns();
            if now >= next_ns {
                header.seq = number << SEQ_BITS | sent;
                header.intended_ns = next_ns;
                header.sent_ns = now;
                patience::write(&writer, &mut sample, &mut header, &mut self.blocked)
                    .map_err(|status| patience::failure(&writer, sent, status))?;
                sent += 1;
                next_ns += self.period_ns;
            }
            found.ask(|| writer.matched(), || writer.match_event())?;
            self.waiting.hear(&self.control, &mut found, Some(number));
            if found.is_whole() || now - begin_ns > self.timeout_ns {
                break;
            }
            rest(&found, next_ns);
        }
        drop(sample);
        drop(writer);
        drop(participant);
        let lost = found.first_seq.map(|seq| (seq & SEQ_MASK) as i64);
        Ok(found.appearance(created_ns, attached_ns(), sent, lost))
    }

    fn appear_reading(&mut self) -> Result<Appearance, Failure> {
        let first = Arc::new(First::new(self.cookie, self.peer));
        let begin_ns = now_ns();
        let participant = self.participant()?;
        let attached_ns = self.attached();
        let context = Context { participant, cookie: self.cookie, yields: self.yields, news: None };
        let mut subscriber = Subscriber::new(&context, &self.config, Arc::clone(&first))?;
        let created_ns = now_ns();
        subscriber.start();
        let mut found = Discovered::new(begin_ns, self.peer_matches);
        let Some(reader) = subscriber.reader().cloned() else {
            return Err(Failure::new("failed", "the new reader is not there"));
        };
        let mut lost = None;
        loop {
            let now = now_ns();
            if let Some(sample) = first.get() {
                lost = Some(sample.missed(created_ns, self.period_ns));
                found.first_ns = Some(sample.at_ns);
            }
            found.ask(|| reader.matched(), || reader.match_event())?;
            self.waiting.hear(&self.control, &mut found, None);
            if found.is_whole() || now - begin_ns > self.timeout_ns {
                break;
            }
            rest(&found, i64::MAX);
        }
        drop(reader);
        subscriber.close();
        drop(subscriber);
        drop(context);
        Ok(found.appearance(created_ns, attached_ns(), 0, lost))
    }

    /// When the participant had been made, where one was: to be called after that.
    fn attached(&self) -> impl Fn() -> Option<i64> + use<> {
        let at_ns = matches!(self.home, Home::New(..)).then(now_ns);
        move || at_ns
    }

    fn measure(&mut self) -> Result<RunReport, Failure> {
        self.control.runs_here();
        let started_ns = now_ns();
        let mut begin_ns = started_ns;
        let mut warm = self.warmup_ns == 0;
        let mut ended = "samples";
        let mut number = 0;
        if warm {
            self.control.begins(begin_ns);
        }
        while self.seen.len() < self.repetitions {
            let now = now_ns();
            if self.control.wanted().stopped {
                ended = STOPPED;
                break;
            }
            if !warm && number > 0 && now - started_ns >= self.warmup_ns {
                (warm, begin_ns) = (true, now);
                self.control.begins(now);
            }
            if warm && !self.seen.is_empty() && now - begin_ns >= self.duration_ns {
                ended = "duration";
                break;
            }
            let appearance = self.appear(number)?;
            number += 1;
            if warm {
                self.seen.push(appearance);
            }
            self.waiting.until_gone(&self.control, GONE_NS);
            std::thread::sleep(between(number));
        }
        let end_ns = now_ns();
        Ok(RunReport {
            role: "late_joiner".into(),
            writer: self.id,
            sent: self.seen.iter().map(|one| one.sent as u64).sum(),
            begin_ns,
            last_ns: end_ns,
            end_ns,
            warmup_ns: begin_ns - started_ns,
            ended: ended.into(),
            blocked: self.blocked,
        })
    }
}

/// Sleeps until a sample is due, a question is to be asked again, or something is heard.
fn rest(found: &Discovered, next_ns: i64) {
    let longest = if found.asks() { PAUSE } else { Duration::from_millis(1) };
    let left = Duration::from_nanos((next_ns - now_ns()).max(0) as u64);
    std::thread::park_timeout(left.min(longest));
}

/// Between half a pause and one and a half of it: no multiple of the resident's period.
fn between(number: u64) -> Duration {
    // The golden ratio spreads the phases evenly, whatever the number of repetitions.
    let phase = (number as f64 * 0.618_033_988_75).fract();
    Duration::from_nanos((BETWEEN_NS as f64 * (0.5 + phase)) as u64)
}

/// Low bits of a sequence number: samples of one repetition; above them its number. Each repetition has
/// a writer of its own, whose samples these bits count from 0 without gaps.
pub const SEQ_BITS: u32 = 32;
const SEQ_MASK: u64 = (1 << SEQ_BITS) - 1;

/// Time between two samples at this rate.
pub fn period_ns(rate_hz: f64) -> i64 {
    (1e9 / rate_hz.max(1e-6)).round() as i64
}

impl Role for LateJoiner {
    fn number(&self) -> u32 {
        self.id
    }

    fn control(&self) -> Option<Arc<Control>> {
        Some(Arc::clone(&self.control))
    }

    fn writers(&self) -> Vec<(&str, &WriterHandle)> {
        Vec::new()
    }

    fn readers(&self) -> Vec<(&str, &ReaderHandle)> {
        Vec::new()
    }

    fn start(&mut self) {}

    fn run(&mut self) -> Option<Result<RunReport, Failure>> {
        Some(self.measure())
    }

    fn finish(&mut self) -> Result<Recorded, Failure> {
        let report = RoleReport {
            role: "late_joiner".into(),
            writer: self.id,
            appearances: std::mem::take(&mut self.seen),
            reply_mode: "none".into(),
            ..RoleReport::default()
        };
        Ok(Recorded { report, rows: None })
    }
}
