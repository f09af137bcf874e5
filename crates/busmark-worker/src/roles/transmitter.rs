//! Sends a stream, at full speed or at a rate; some samples, chosen at random, are latency probes.

use std::sync::Arc;
use std::time::Duration;

use busmark_adapter::{Error, Header, HotCell, OnData, ReaderHandle, Taker, Wait, WriterHandle};
use busmark_measure::{Intervals, Probes, Recorder, Row, now_ns};

use super::bodies::{Bodies, Samples};
use super::control::{Control, STOPPED};
use super::pace::{self, Pace};
use super::patience::{self, PATIENCE_NS};
use super::responder::BATCH;
use super::sight::Sight;
use super::subscriber::Subscriber;
use super::{Context, Recorded, Role};
use crate::protocol::{Failure, IntervalReport, RoleReport, RunReport, Schedule, StreamSpec};

/// A transmitter.
pub struct Transmitter {
    id: u32,
    cookie: u64,
    topics: (String, String),
    probes: Probes,
    stream: StreamSpec,
    schedule: Schedule,
    yields: bool,
    writer: WriterHandle,
    bodies: Bodies,
    samples: Samples,
    echoes: Arc<Echoes>,
    subscriber: Option<Subscriber<Echoes>>,
    intervals: Intervals,
    control: Arc<Control>,
}

/// Probes that came back.
struct Echoes {
    cookie: u64,
    /// Identifier of the transmitter: its own samples and echoes of others are ignored.
    id: u32,
    /// Numbers of the probes, by row.
    probes: Arc<[u64]>,
    recorder: Arc<Recorder>,
    foreign: HotCell<u64>,
}

impl OnData for Echoes {
    fn on_data(&self, taker: &Taker) {
        let delivered = now_ns();
        let Some(mut foreign) = self.foreign.get() else { return };
        loop {
            let taken = taker.take(BATCH as u32, &mut |received| {
                let header = received.header;
                if header.cookie != self.cookie {
                    *foreign += 1;
                } else if header.answers() == self.id
                    && header.flags & Header::WARMUP == 0
                    && let Ok(probe) = self.probes.binary_search(&header.seq)
                    && let Some(row) = self.recorder.row(probe as u64)
                {
                    Row::set(&row.echo_delivered_ns, header.echo_delivered_ns);
                    Row::set(&row.echo_read_ns, header.echo_read_ns);
                    Row::set(&row.echo_sent_ns, header.sent_ns);
                    Row::set(&row.delivered_ns, delivered);
                    Row::set(&row.read_ns, now_ns());
                }
            });
            if !taken.is_ok_and(|taken| taken as usize == BATCH) {
                return;
            }
        }
    }
}

/// How answers are read: never by polling, which would take the transmitter's CPU away.
pub(super) fn answer_stream(context: &Context, stream: &StreamSpec) -> StreamSpec {
    let waits = &context.participant.library().capabilities().waits;
    let wait = [Wait::Listener, Wait::Waitset, Wait::Poll]
        .into_iter()
        .find(|wait| waits.contains(wait))
        .unwrap_or(stream.wait);
    StreamSpec { wait, ..stream.clone() }
}

/// Where the transmission stands.
struct Progress {
    seq: u64,
    warm: bool,
    started_ns: i64,
    begin_ns: i64,
    last_ns: i64,
    end_ns: i64,
    blocked: u64,
    ended: &'static str,
    /// Generation of the control cell.
    seen: u32,
}

impl Transmitter {
    /// Makes the writer, and the reader of echoed probes; without a topic for them nothing is echoed,
    /// and readers alone know when probes arrived.
    pub fn new(
        context: &Context,
        id: u32,
        topics: (String, String),
        probe_every: u64,
        stream: &StreamSpec,
        schedule: Schedule,
        interval_ns: i64,
    ) -> Result<Self, Error> {
        let writer = context.participant.writer(&stream.endpoint(&topics.0))?;
        let bodies = Bodies::new(stream, context.cookie)?;
        let samples = bodies.samples(&writer)?;
        let capacity = if probe_every > 0 { schedule.capacity } else { 0 };
        let probes = Probes::new(probe_every, capacity, schedule.seed);
        let echoes = Arc::new(Echoes {
            cookie: context.cookie,
            id,
            probes: probes.numbers(),
            recorder: Arc::new(Recorder::new(capacity)),
            foreign: HotCell::new(0),
        });
        let subscriber = if probe_every > 0 && !topics.1.is_empty() {
            let endpoint = answer_stream(context, stream).endpoint(&topics.1);
            Some(Subscriber::new(context, &endpoint, Arc::clone(&echoes))?)
        } else {
            None
        };
        let count = (schedule.duration_ns + PATIENCE_NS) / interval_ns;
        let control = Arc::new(Control::new(schedule.is_paced()));
        Ok(Self {
            id,
            cookie: context.cookie,
            topics,
            probes,
            stream: stream.clone(),
            yields: context.yields,
            schedule,
            writer,
            bodies,
            samples,
            echoes,
            subscriber,
            intervals: Intervals::new(interval_ns, count as usize),
            control,
        })
    }

    fn transmit(&mut self) -> Result<Progress, Failure> {
        let started_ns = now_ns();
        self.control.runs_here();
        let mut pace = self
            .schedule
            .is_paced()
            .then(|| Pace::new(&self.schedule, started_ns, self.yields, &self.control));
        let mut at = Progress {
            seq: 0,
            warm: true,
            started_ns,
            begin_ns: started_ns,
            last_ns: started_ns,
            end_ns: started_ns,
            blocked: 0,
            ended: "duration",
            seen: 0,
        };
        loop {
            if self.control.is_new(at.seen) && self.steer(&mut at, pace.as_mut()) {
                at.ended = STOPPED;
                break;
            }
            let (now, begun) = if let Some(pace) = &mut pace {
                pace.next(at.warm)
            } else {
                let now = now_ns();
                (now, now >= started_ns + self.schedule.warmup_ns)
            };
            if at.warm && begun {
                at.warm = false;
                at.seq = 0;
                at.begin_ns = now;
                self.control.begins(now);
                self.probes.restart();
            }
            if !at.warm && self.is_over(&mut at, now) {
                break;
            }
            if !at.warm && pace.as_ref().is_some_and(|pace| pace.is_late(at.begin_ns)) {
                at.ended = pace::LATE;
                break;
            }
            let sent = pace.as_mut().map_or(now, |pace| pace.wait_ns(now, at.seen));
            if sent < now {
                continue; // something is asked
            }
            self.send(&mut at, now, sent)?;
        }
        // Nothing lies between the last write and here.
        at.end_ns = now_ns();
        let _ = self.writer.flush();
        Ok(at)
    }

    /// Does what is asked; whether the stream is to end.
    #[cold]
    fn steer(&self, at: &mut Progress, pace: Option<&mut Pace>) -> bool {
        if let Some(pace) = pace {
            return pace.steer(&mut at.seen);
        }
        let end_ns = self.schedule.end_ns(at.started_ns, self.control.begin_ns());
        self.control.obey(&mut at.seen, end_ns).stopped
    }

    fn is_over(&self, at: &mut Progress, now: i64) -> bool {
        at.ended = if now >= at.begin_ns + self.schedule.duration_ns {
            "duration"
        } else if self.schedule.samples != 0 && at.seq >= self.schedule.samples {
            "samples"
        } else {
            return false;
        };
        true
    }

    /// Writes one sample, however long the middleware blocks within reason. Hot.
    #[inline]
    fn send(&mut self, at: &mut Progress, intended: i64, sent: i64) -> Result<(), Failure> {
        let probe = self.probes.row(at.seq);
        let mut header = Header {
            cookie: self.cookie,
            seq: at.seq,
            intended_ns: intended,
            sent_ns: sent,
            writer_id: self.id,
            flags: if at.warm { Header::WARMUP } else { 0 }
                | if probe.is_some() { Header::PROBE } else { 0 }
                | if self.stream.verify { Header::CHECKED } else { 0 },
            ..Header::default()
        };
        let row = probe.filter(|_| !at.warm).and_then(|probe| self.echoes.recorder.row(probe));
        if let Some(row) = row {
            Row::set(&row.writer, i64::from(self.id));
            Row::set(&row.seq, at.seq as i64);
            Row::set(&row.flags, i64::from(header.flags));
            Row::set(&row.intended_ns, intended);
        }
        patience::write(&self.writer, self.samples.of(at.seq), &mut header, &mut at.blocked)
            .map_err(|status| patience::failure(&self.writer, at.seq, status))?;
        if let Some(row) = row {
            Row::set(&row.written_ns, now_ns());
            Row::set(&row.sent_ns, header.sent_ns);
        }
        if !at.warm {
            self.intervals.count(header.sent_ns, self.bodies.size(at.seq));
        }
        at.last_ns = header.sent_ns;
        at.seq += 1;
        Ok(())
    }
}

impl Role for Transmitter {
    fn number(&self) -> u32 {
        self.id
    }

    fn control(&self) -> Option<Arc<Control>> {
        Some(Arc::clone(&self.control))
    }

    fn sight(&self) -> Option<Sight> {
        self.subscriber.as_ref()?;
        Some(Sight::new(self.id, Arc::clone(&self.echoes.recorder)))
    }

    fn writers(&self) -> Vec<(&str, &WriterHandle)> {
        vec![(&self.topics.0, &self.writer)]
    }

    fn readers(&self) -> Vec<(&str, &ReaderHandle)> {
        let reader = self.subscriber.as_ref().and_then(Subscriber::reader);
        reader.map(|r| (self.topics.1.as_str(), r)).into_iter().collect()
    }

    fn start(&mut self) {
        if let Some(subscriber) = &mut self.subscriber {
            subscriber.start();
        }
    }

    fn run(&mut self) -> Option<Result<RunReport, Failure>> {
        self.start();
        Some(self.transmit().map(|at| RunReport {
            role: "transmitter".into(),
            writer: self.id,
            sent: at.seq,
            begin_ns: at.begin_ns,
            last_ns: at.last_ns,
            end_ns: at.end_ns,
            warmup_ns: at.begin_ns - at.started_ns,
            ended: at.ended.into(),
            blocked: at.blocked,
        }))
    }

    fn finish(&mut self) -> Result<Recorded, Failure> {
        // The last probes are still on their way.
        std::thread::sleep(Duration::from_millis(10));
        let mut reader_counters = None;
        if let Some(subscriber) = &mut self.subscriber {
            reader_counters = subscriber.reader().map(ReaderHandle::counters);
            subscriber.close();
        }
        let rows = (self.probes.count() as usize).min(self.echoes.recorder.capacity());
        let report = RoleReport {
            role: "transmitter".into(),
            writer: self.id,
            foreign: self.echoes.foreign.get().map_or(0, |f| *f),
            rows,
            intervals: vec![IntervalReport::of(self.id, &self.intervals)],
            writer_counters: Some(self.writer.counters()),
            reader_counters,
            reply_mode: "loop".into(),
            ..RoleReport::default()
        };
        Ok(Recorded { report, rows: Some((Arc::clone(&self.echoes.recorder), rows)) })
    }
}
