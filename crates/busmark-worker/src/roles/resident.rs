//! Is there already, with the counterpart of the late joiner's endpoint, and says when that was discovered.
//!
//! Moments are taken where they happen: a match by the middleware's event, a sample where it is announced.
//! A thread of its own looks for them every millisecond and says so by an event of the protocol.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use busmark_adapter::{
    Error, Header, Match, OnData, ReaderHandle, Status, Taker, Wait, WriterHandle,
};
use busmark_measure::{now_ns, sleep_until_ns};

use super::bodies::Bodies;
use super::late_joiner::{New, SEQ_BITS, period_ns};
use super::patience;
use super::responder::BATCH;
use super::subscriber::Subscriber;
use super::{Context, Recorded, Role, RoleSpec};
use crate::output::Output;
use crate::protocol::{Event, Failure, RoleReport, Sighting};

/// Pause between two looks.
const PAUSE: Duration = Duration::from_millis(1);
/// A schedule that is behind by more begins anew, ns: what was not sent is not sent at once.
const BEHIND_NS: i64 = 100_000_000;

/// A resident.
pub struct Resident {
    id: u32,
    topic: String,
    end: End,
    news: Option<Output>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

enum End {
    /// Sends at a rate.
    Writing(Sending),
    /// Receives what late joiners send.
    Reading(Subscriber<Arrivals>, Arc<Arrivals>),
}

#[derive(Clone)]
struct Sending {
    writer: WriterHandle,
    bodies: Bodies,
    header: Header,
    period_ns: i64,
    sent: Arc<AtomicU64>,
}

/// The first sample of each late joiner.
struct Arrivals {
    cookie: u64,
    from: u32,
    polled: bool,
    foreign: AtomicU64,
    /// Above the number of the repetition whose first sample was seen last.
    last: AtomicU64,
    first: Mutex<Option<Sighting>>,
}

impl OnData for Arrivals {
    fn on_data(&self, taker: &Taker) {
        let announced = if self.polled { 0 } else { now_ns() };
        loop {
            let taken = taker.take(BATCH as u32, &mut |received| {
                let header = received.header;
                if header.cookie != self.cookie || header.writer_id != self.from {
                    self.foreign.fetch_add(1, Ordering::Relaxed);
                    return;
                }
                let number = (header.seq >> SEQ_BITS) + 1;
                if number <= self.last.load(Ordering::Relaxed) {
                    return;
                }
                self.last.store(number, Ordering::Relaxed);
                let at_ns = if announced == 0 { now_ns() } else { announced };
                *self.first.lock().unwrap_or_else(PoisonError::into_inner) =
                    Some(Sighting { count: None, seq: Some(header.seq), after_ns: None, at_ns });
            });
            if !taken.is_ok_and(|taken| taken as usize == BATCH) {
                return;
            }
        }
    }
}

impl Resident {
    /// Makes the endpoint. `spec` is a `RoleSpec::Resident`.
    pub fn new(context: &Context, spec: RoleSpec) -> Result<Self, Error> {
        let RoleSpec::Resident { writer: id, late_joiner, new, topic, stream, rate_hz } = spec
        else {
            return Err(Status::Invalid.error("not a resident"));
        };
        let config = stream.endpoint(&topic);
        let end = match new {
            New::Reader => End::Writing(Sending {
                writer: context.participant.writer(&config)?,
                bodies: Bodies::new(&stream, context.cookie)?,
                header: Header { cookie: context.cookie, writer_id: id, ..Header::default() },
                period_ns: period_ns(rate_hz),
                sent: Arc::default(),
            }),
            New::Writer => {
                let arrivals = Arc::new(Arrivals {
                    cookie: context.cookie,
                    from: late_joiner,
                    polled: stream.wait == Wait::Poll,
                    foreign: AtomicU64::new(0),
                    last: AtomicU64::new(0),
                    first: Mutex::new(None),
                });
                End::Reading(Subscriber::new(context, &config, Arc::clone(&arrivals))?, arrivals)
            }
        };
        let news = context.news.clone();
        Ok(Self { id, topic, end, news, stop: Arc::default(), threads: Vec::new() })
    }
}

impl Sending {
    /// Sends at its rate until it is stopped.
    fn send(mut self, stop: &AtomicBool) {
        let Ok(mut sample) = self.bodies.first_sample(&self.writer) else { return };
        let mut blocked = 0;
        let mut next_ns = now_ns();
        while !stop.load(Ordering::Relaxed) {
            sleep_until_ns(next_ns);
            self.header.intended_ns = next_ns;
            self.header.sent_ns = now_ns();
            // A late joiner that has gone may hold it up until the middleware notices: the next one is new.
            if patience::write(&self.writer, &mut sample, &mut self.header, &mut blocked).is_ok() {
                self.header.seq += 1;
                self.sent.store(self.header.seq, Ordering::Relaxed);
            }
            next_ns += self.period_ns;
            let now = now_ns();
            if now - next_ns > BEHIND_NS {
                next_ns = now;
            }
        }
    }
}

/// What a thread looks at.
struct Look {
    count: Box<dyn Fn() -> Result<u32, Status> + Send>,
    event: Box<dyn Fn() -> Result<Match, Status> + Send>,
    arrivals: Option<Arc<Arrivals>>,
    known: u32,
    missed_ns: Option<i64>,
}

impl Look {
    /// What has changed since the last look.
    fn again(&mut self) -> Vec<Sighting> {
        let mut seen = Vec::new();
        let asked_ns = now_ns();
        if let Ok(count) = (self.count)() {
            if count == self.known {
                self.missed_ns = Some(asked_ns);
            } else {
                self.known = count;
                let (after_ns, at_ns) = match (self.event)() {
                    Ok(Match { count: of, changed_ns }) if of == count && changed_ns > 0 => {
                        (Some(changed_ns), changed_ns)
                    }
                    _ => (self.missed_ns, now_ns()),
                };
                seen.push(Sighting { count: Some(count), seq: None, after_ns, at_ns });
            }
        }
        if let Some(arrivals) = &self.arrivals {
            seen.extend(arrivals.first.lock().unwrap_or_else(PoisonError::into_inner).take());
        }
        seen
    }
}

impl Role for Resident {
    fn number(&self) -> u32 {
        self.id
    }

    fn writers(&self) -> Vec<(&str, &WriterHandle)> {
        match &self.end {
            End::Writing(sending) => vec![(self.topic.as_str(), &sending.writer)],
            End::Reading(..) => Vec::new(),
        }
    }

    fn readers(&self) -> Vec<(&str, &ReaderHandle)> {
        match &self.end {
            End::Writing(_) => Vec::new(),
            End::Reading(subscriber, _) => subscriber
                .reader()
                .map(|reader| (self.topic.as_str(), reader))
                .into_iter()
                .collect(),
        }
    }

    fn start(&mut self) {
        let mut look = match &mut self.end {
            End::Writing(sending) => {
                let (own, stop) = (sending.clone(), Arc::clone(&self.stop));
                self.threads.push(std::thread::spawn(move || own.send(&stop)));
                let (counting, telling) = (sending.writer.clone(), sending.writer.clone());
                Look {
                    count: Box::new(move || counting.matched()),
                    event: Box::new(move || telling.match_event()),
                    arrivals: None,
                    known: 0,
                    missed_ns: None,
                }
            }
            End::Reading(subscriber, arrivals) => {
                subscriber.start();
                let Some(reader) = subscriber.reader().cloned() else { return };
                let telling = reader.clone();
                Look {
                    count: Box::new(move || reader.matched()),
                    event: Box::new(move || telling.match_event()),
                    arrivals: Some(Arc::clone(arrivals)),
                    known: 0,
                    missed_ns: None,
                }
            }
        };
        let Some(news) = self.news.clone() else { return };
        let (stop, writer) = (Arc::clone(&self.stop), self.id);
        self.threads.push(std::thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                for sighting in look.again() {
                    // Whoever listened is gone: so is the round.
                    let _ = news.line(&Event::Sighting { writer, sighting });
                }
                std::thread::sleep(PAUSE);
            }
        }));
    }

    fn finish(&mut self) -> Result<Recorded, Failure> {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
        let foreign = match &mut self.end {
            End::Writing(_) => 0,
            End::Reading(subscriber, arrivals) => {
                subscriber.close();
                arrivals.foreign.load(Ordering::Relaxed)
            }
        };
        let report = RoleReport {
            role: "resident".into(),
            writer: self.id,
            foreign,
            reply_mode: "none".into(),
            ..RoleReport::default()
        };
        Ok(Recorded { report, rows: None })
    }
}
