//! Sends a stream in batches: announced, acknowledged, started, acknowledged, sent, ended,
//! acknowledged. Every receiver acknowledges; if asked for, every sample too.
//!
//! What announces and ends is written on the topic of the batch, whose order it shares.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::Thread;
use std::time::Duration;

use busmark_adapter::{Error, Header, HotCell, OnData, ReaderHandle, Status, Taker, WriterHandle};
use busmark_measure::{Intervals, Recorder, Row, now_ns};

use super::batches::{batch_of, control_number};
use super::bodies::{Bodies, Samples};
use super::control::{Control, STOPPED};
use super::patience::{self, PATIENCE_NS};
use super::responder::BATCH as TAKEN;
use super::senders::{Answered, Senders};
use super::subscriber::Subscriber;
use super::transmitter::answer_stream;
use super::{Context, Recorded, Role};
use crate::protocol::{
    Failure, IntervalReport, RoleReport, RoleSpec, RunReport, Schedule, SentBatchesReport,
    StreamSpec,
};

/// A control sample is sent so often before its batch is given up.
const TRIES: u32 = 5;

/// A batcher.
pub struct Batcher {
    id: u32,
    cookie: u64,
    topics: (String, String),
    batch: u64,
    each: bool,
    stream: StreamSpec,
    schedule: Schedule,
    writer: WriterHandle,
    bodies: Bodies,
    samples: Samples,
    acks: Arc<Acks>,
    subscriber: Subscriber<Acks>,
    recorder: Arc<Recorder>,
    intervals: Intervals,
    batches: u64,
    own: Box<[Own]>,
    control: Arc<Control>,
}

/// What only the batcher knows of a batch.
#[derive(Clone, Copy, Default)]
struct Own {
    /// Samples that every receiver acknowledged.
    acknowledged: u64,
    /// Time for which acknowledgements of samples were awaited in vain, ns.
    waited_ns: i64,
}

/// The steps of a batch that are acknowledged, by the flags of their samples.
const ANNOUNCE: u32 = Header::CONTROL;
const START: u32 = Header::CONTROL | Header::START;
const END: u32 = Header::CONTROL | Header::LAST;

/// What tells samples of one number apart.
const KIND: u32 = Header::CONTROL | Header::START | Header::LAST | Header::ANSWER | Header::WARMUP;

/// A sample as its acknowledgements name it.
fn tag(number: u64, flags: u32) -> u64 {
    number << 8 | u64::from(flags & KIND)
}

/// Acknowledgements as they arrive.
struct Acks {
    cookie: u64,
    id: u32,
    receivers: Senders,
    /// What waits for acknowledgement.
    current: AtomicU64,
    /// What every receiver has acknowledged.
    complete: AtomicU64,
    state: HotCell<AckState>,
    runner: HotCell<Option<Thread>>,
}

struct AckState {
    answered: Answered,
    foreign: u64,
}

impl OnData for Acks {
    fn on_data(&self, taker: &Taker) {
        let Some(mut state) = self.state.get() else { return };
        let state = &mut *state;
        loop {
            let taken = taker.take(TAKEN as u32, &mut |received| {
                let header = received.header;
                let position = self.receivers.position(header.writer_id);
                let (true, Some(position)) = (header.cookie == self.cookie, position) else {
                    state.foreign += 1;
                    return;
                };
                let control = header.flags & Header::CONTROL != 0;
                let number = if control { batch_of(header.seq) } else { header.seq };
                let tag = tag(number, header.flags);
                if header.answers() == self.id
                    && tag == self.current.load(Ordering::Acquire)
                    && state.answered.all(tag, position)
                {
                    self.complete.store(tag, Ordering::Release);
                    if let Some(Some(thread)) = self.runner.get().as_deref() {
                        thread.unpark();
                    }
                }
            });
            if !taken.is_ok_and(|taken| taken as usize == TAKEN) {
                return;
            }
        }
    }
}

/// Where the transmission stands.
struct Progress {
    seq: u64,
    warm: bool,
    begin_ns: i64,
    last_ns: i64,
    end_ns: i64,
    blocked: u64,
}

impl Batcher {
    /// Makes the writer, and the reader of acknowledgements. `spec` is a `RoleSpec::Batcher`.
    pub fn new(context: &Context, spec: RoleSpec) -> Result<Self, Error> {
        let RoleSpec::Batcher {
            writer: id,
            from,
            topic,
            echo,
            batch,
            each,
            stream,
            schedule,
            interval_ns,
        } = spec
        else {
            return Err(Status::Invalid.error("not a batcher"));
        };
        let writer = context.participant.writer(&stream.endpoint(&topic))?;
        let bodies = Bodies::new(&stream, context.cookie)?;
        let samples = bodies.samples(&writer)?;
        let receivers = Senders::new(from);
        let acks = Arc::new(Acks {
            cookie: context.cookie,
            id,
            state: HotCell::new(AckState { answered: Answered::new(&receivers), foreign: 0 }),
            receivers,
            current: AtomicU64::new(u64::MAX),
            complete: AtomicU64::new(u64::MAX),
            runner: HotCell::new(None),
        });
        let endpoint = answer_stream(context, &stream).endpoint(&echo);
        let subscriber = Subscriber::new(context, &endpoint, Arc::clone(&acks))?;
        let count = (schedule.duration_ns + PATIENCE_NS) / interval_ns;
        Ok(Self {
            id,
            cookie: context.cookie,
            topics: (topic, echo),
            batch,
            each,
            stream,
            own: vec![Own::default(); schedule.capacity].into(),
            recorder: Arc::new(Recorder::new(schedule.capacity)),
            schedule,
            writer,
            bodies,
            samples,
            acks,
            subscriber,
            intervals: Intervals::new(interval_ns, count as usize),
            batches: 0,
            control: Arc::new(Control::new(false)),
        })
    }

    fn transmit(&mut self) -> Result<RunReport, Failure> {
        if let Some(mut runner) = self.acks.runner.get() {
            *runner = Some(std::thread::current());
        }
        self.control.runs_here();
        let mut seen = 0;
        let started_ns = now_ns();
        let mut at = Progress {
            seq: 0,
            warm: true,
            begin_ns: started_ns,
            last_ns: started_ns,
            end_ns: started_ns,
            blocked: 0,
        };
        let mut number = 0;
        let ended = loop {
            // Between batches: a batch that has begun is sent to its end.
            if self.control.is_new(seen) {
                let end_ns = self.schedule.end_ns(started_ns, self.control.begin_ns());
                if self.control.obey(&mut seen, end_ns).stopped {
                    break STOPPED;
                }
            }
            let now = now_ns();
            if at.warm && now >= started_ns + self.schedule.warmup_ns {
                at.warm = false;
                at.seq = 0;
                at.begin_ns = now;
                self.control.begins(now);
            }
            if !at.warm {
                if now >= at.begin_ns + self.schedule.duration_ns {
                    break "duration";
                } else if self.schedule.samples != 0 && at.seq >= self.schedule.samples {
                    break "samples";
                } else if self.batches as usize >= self.recorder.capacity() {
                    break "recorder_full";
                }
            }
            self.send_batch(&mut at, number)?;
            number += 1;
        };
        Ok(RunReport {
            role: "batcher".into(),
            writer: self.id,
            sent: at.seq,
            begin_ns: at.begin_ns,
            last_ns: at.last_ns,
            end_ns: at.end_ns,
            warmup_ns: at.begin_ns - started_ns,
            ended: ended.into(),
            blocked: at.blocked,
        })
    }

    /// One batch with its handshake. `number` also counts the batches of the warm-up.
    fn send_batch(&mut self, at: &mut Progress, number: u64) -> Result<(), Failure> {
        for step in [ANNOUNCE, START] {
            if !self.acknowledged(at, number, step)? {
                let text = format!("batch {number}: not every receiver acknowledged its begin");
                return Err(Failure::new("timeout", text));
            }
        }
        let begin = now_ns();
        let mut own = Own::default();
        for _ in 0..self.batch {
            self.send(at, &mut own)?;
        }
        let written = now_ns();
        at.end_ns = written;
        let complete = self.acknowledged(at, number, END)?;
        if at.warm {
            return Ok(());
        }
        // The transmission ends when the rows are full.
        if let Some(row) = self.recorder.row(self.batches) {
            Row::set(&row.writer, i64::from(self.id));
            Row::set(&row.seq, self.batches as i64);
            Row::set(&row.intended_ns, begin);
            Row::set(&row.sent_ns, begin);
            Row::set(&row.written_ns, written);
            if complete {
                Row::set(&row.read_ns, now_ns());
                Row::set(&row.answers, self.acks.receivers.ids().len() as i64);
            }
        }
        self.own[self.batches as usize] = own;
        self.batches += 1;
        Ok(())
    }

    /// Writes one sample of a batch. Hot.
    #[inline]
    fn send(&mut self, at: &mut Progress, own: &mut Own) -> Result<(), Failure> {
        let now = now_ns();
        let flags = if at.warm { Header::WARMUP } else { 0 }
            | if self.each { Header::ANSWER } else { 0 }
            | if self.stream.verify { Header::CHECKED } else { 0 };
        let tag = tag(at.seq, flags);
        if self.each {
            self.acks.current.store(tag, Ordering::Release);
        }
        let mut header = self.header(at.seq, flags, now);
        patience::write(&self.writer, self.samples.of(at.seq), &mut header, &mut at.blocked)
            .map_err(|status| patience::failure(&self.writer, at.seq, status))?;
        if !at.warm {
            self.intervals.count(header.sent_ns, self.bodies.size(at.seq));
        }
        at.last_ns = header.sent_ns;
        at.seq += 1;
        if self.each {
            let _ = self.writer.flush();
            if self.wait(tag, header.sent_ns) {
                own.acknowledged += 1;
            } else {
                own.waited_ns += now_ns() - header.sent_ns;
            }
        }
        Ok(())
    }

    fn header(&self, seq: u64, flags: u32, now: i64) -> Header {
        Header {
            cookie: self.cookie,
            seq,
            intended_ns: now,
            sent_ns: now,
            writer_id: self.id,
            flags,
            ..Header::default()
        }
    }

    /// Writes a control sample until every receiver has acknowledged it; false if they do not.
    fn acknowledged(&mut self, at: &mut Progress, number: u64, step: u32) -> Result<bool, Failure> {
        let step = step | if at.warm { Header::WARMUP } else { 0 };
        let tag = tag(number, step);
        self.acks.current.store(tag, Ordering::Release);
        for attempt in 0..TRIES {
            let sent = now_ns();
            let again = if attempt > 0 { Header::RESENT } else { 0 };
            let seq = control_number(number, step, attempt);
            let mut header = self.header(seq, step | again, sent);
            let sample = self.samples.of(at.seq);
            patience::write(&self.writer, sample, &mut header, &mut at.blocked)
                .map_err(|status| patience::failure(&self.writer, at.seq, status))?;
            let _ = self.writer.flush();
            if self.wait(tag, sent) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether every receiver acknowledges in time what was sent.
    fn wait(&self, tag: u64, sent: i64) -> bool {
        loop {
            if self.acks.complete.load(Ordering::Acquire) == tag {
                return true;
            }
            let left = sent + self.schedule.timeout_ns - now_ns();
            if left <= 0 {
                return false;
            }
            std::thread::park_timeout(Duration::from_nanos(left as u64));
        }
    }

    fn sent_batches(&self) -> SentBatchesReport {
        let own = &self.own[..(self.batches as usize).min(self.own.len())];
        let acknowledged = own.iter().map(|batch| batch.acknowledged);
        SentBatchesReport {
            acknowledged: if self.each { acknowledged.collect() } else { Vec::new() },
            waited_ns: own.iter().map(|batch| batch.waited_ns).collect(),
        }
    }
}

impl Role for Batcher {
    fn number(&self) -> u32 {
        self.id
    }

    fn control(&self) -> Option<Arc<Control>> {
        Some(Arc::clone(&self.control))
    }

    fn writers(&self) -> Vec<(&str, &WriterHandle)> {
        vec![(&self.topics.0, &self.writer)]
    }

    fn readers(&self) -> Vec<(&str, &ReaderHandle)> {
        self.subscriber.reader().map(|r| (self.topics.1.as_str(), r)).into_iter().collect()
    }

    fn start(&mut self) {
        self.subscriber.start();
    }

    fn run(&mut self) -> Option<Result<RunReport, Failure>> {
        self.start();
        Some(self.transmit())
    }

    fn finish(&mut self) -> Result<Recorded, Failure> {
        let reader_counters = self.subscriber.reader().map(ReaderHandle::counters);
        self.subscriber.close();
        let rows = (self.batches as usize).min(self.recorder.capacity());
        let report = RoleReport {
            role: "batcher".into(),
            writer: self.id,
            foreign: self.acks.state.get().map_or(0, |state| state.foreign),
            rows,
            intervals: vec![IntervalReport::of(self.id, &self.intervals)],
            sent_batches: Some(self.sent_batches()),
            writer_counters: Some(self.writer.counters()),
            reader_counters,
            reply_mode: "loop".into(),
            ..RoleReport::default()
        };
        Ok(Recorded { report, rows: Some((Arc::clone(&self.recorder), rows)) })
    }
}
