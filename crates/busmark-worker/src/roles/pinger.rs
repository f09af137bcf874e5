//! Sends pings and records pongs, of one ponger or of several, in a closed loop or at a rate.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread::Thread;
use std::time::Duration;

use busmark_adapter::{
    Error, Header, HotCell, OnData, ReaderHandle, Status, Taker, Wait, WriterHandle,
};
use busmark_measure::{Arrival, Ledger, Pacer, Recorder, Row, now_ns};

use super::bodies::{Bodies, Samples};
use super::ponger::BATCH;
use super::senders::{Answered, Senders};
use super::subscriber::Subscriber;
use super::{Context, Recorded, Role};
use crate::protocol::{
    ArrivalModel, Failure, RoleReport, RunReport, Schedule, StreamSpec, WriterAccount,
};

/// Whose turn it is in a closed loop. Whoever moves the turn away from `WAITING` or finds `ARRIVED`
/// after `WRITING` owns the loop, so that exactly one thread writes, also where the pong arrives within
/// the write (synchronous delivery) or on another thread before the write has returned.
mod turn {
    /// A ping is on its way.
    pub const WAITING: u32 = 0;
    /// Somebody is writing the next ping.
    pub const WRITING: u32 = 1;
    /// The pong is there.
    pub const ARRIVED: u32 = 2;
}

/// A pinger.
pub struct Pinger {
    topics: (String, String),
    core: Arc<Core>,
    subscriber: Subscriber<Core>,
    schedule: Schedule,
    wait: Wait,
    yields: bool,
}

struct Core {
    cookie: u64,
    id: u32,
    pongers: Senders,
    stream: StreamSpec,
    bodies: Bodies,
    schedule: Schedule,
    writer: WriterHandle,
    recorder: Arc<Recorder>,
    polled: bool,
    hands_over: bool,
    turn: AtomicU32,
    /// What the last ping carried: sequence number × 2, plus 1 in the warm-up.
    current: AtomicU64,
    /// Pings that every ponger has answered.
    received: AtomicU64,
    done: AtomicBool,
    closed_loop: AtomicBool,
    runner: HotCell<Option<Thread>>,
    pings: HotCell<Pings>,
    pongs: HotCell<Pongs>,
}

/// The writing side; whoever has the turn has it.
struct Pings {
    samples: Samples,
    seq: u64,
    warm: bool,
    started_ns: i64,
    begin_ns: i64,
    last_ns: i64,
    ended: &'static str,
    blocked: u64,
    failure: Option<Status>,
}

/// The receiving side; the listener or the reading thread has it.
struct Pongs {
    /// One for each ponger.
    ledgers: Vec<Ledger>,
    /// The ping that is on its way.
    answered: Answered,
    foreign: u64,
    corrupted: u64,
}

/// The tag by which a pong is known to answer the current ping.
fn tag(seq: u64, flags: u32) -> u64 {
    seq << 1 | u64::from(flags & Header::WARMUP)
}

impl OnData for Core {
    fn on_data(&self, taker: &Taker) {
        let delivered = if self.polled { 0 } else { now_ns() };
        if self.take_pongs(taker, delivered) && self.closed_loop.load(Ordering::Relaxed) {
            self.pong_arrived();
        }
    }
}

impl Core {
    /// Records what is there; whether the current ping is now answered, by every ponger. Hot.
    fn take_pongs(&self, taker: &Taker, mut delivered: i64) -> bool {
        let Some(mut pongs) = self.pongs.get() else { return false };
        let pongs = &mut *pongs;
        let mut arrived = false;
        loop {
            let taken = taker.take(BATCH as u32, &mut |received| {
                let read = now_ns();
                let header = received.header;
                // One of our own pings is no pong, however it came here.
                let position = self.pongers.position(header.writer_id);
                let (true, Some(position)) = (header.cookie == self.cookie, position) else {
                    pongs.foreign += 1;
                    return;
                };
                if header.answers() != self.id {
                    return; // of another pinger's ping
                }
                let tag = tag(header.seq, header.flags);
                arrived |= tag == self.current.load(Ordering::Relaxed)
                    && pongs.answered.all(tag, position);
                if header.flags & Header::WARMUP != 0 {
                    return;
                }
                if self.stream.verify && !self.bodies.verify(received.header.seq, received.body) {
                    pongs.corrupted += 1;
                }
                match pongs.ledgers[position].enter(header.seq) {
                    Arrival::InOrder | Arrival::OutOfOrder => {}
                    Arrival::Duplicate | Arrival::Ancient => return,
                }
                let Some(row) = self.recorder.row(header.seq) else { return };
                let answers = Row::get(&row.answers).unwrap_or(0) + 1;
                Row::set(&row.answers, answers);
                // A ping that several answer is complete with the last of their pongs.
                if answers as usize == self.pongers.ids().len() {
                    Row::set(&row.echo_delivered_ns, header.echo_delivered_ns);
                    Row::set(&row.echo_read_ns, header.echo_read_ns);
                    Row::set(&row.echo_sent_ns, header.sent_ns);
                    Row::set(&row.source_ns, received.source_ns);
                    Row::set(&row.reception_ns, received.reception_ns);
                    Row::set(&row.delivered_ns, delivered);
                    Row::set(&row.read_ns, read);
                    self.received.fetch_add(1, Ordering::Relaxed);
                }
            });
            if !taken.is_ok_and(|taken| taken as usize == BATCH) {
                return arrived;
            }
            // What the next take gives may have come since.
            if !self.polled {
                delivered = now_ns();
            }
        }
    }

    /// Goes on with the closed loop, on whichever thread the pong came.
    #[inline]
    fn pong_arrived(&self) {
        let before = self.turn.swap(turn::ARRIVED, Ordering::AcqRel);
        if before == turn::WAITING && !self.polled {
            if self.hands_over {
                self.wake_runner();
            } else {
                self.write_while_arriving();
            }
        }
    }

    fn wake_runner(&self) {
        if let Some(Some(thread)) = self.runner.get().as_deref() {
            thread.unpark();
        }
    }

    /// Writes the next ping, and further ones as long as pongs arrive within the write. The caller has
    /// the turn.
    fn write_while_arriving(&self) {
        let Some(mut pings) = self.pings.get() else { return };
        loop {
            self.turn.store(turn::WRITING, Ordering::Release);
            if !self.write_next(&mut pings) {
                drop(pings);
                self.done.store(true, Ordering::Release);
                self.wake_runner();
                return;
            }
            let waits = self.turn.compare_exchange(
                turn::WRITING,
                turn::WAITING,
                Ordering::AcqRel,
                Ordering::Acquire,
            );
            if waits.is_ok() {
                return;
            }
        }
    }

    /// One ping of the closed loop; false at the end of the measurement. Hot.
    #[inline]
    fn write_next(&self, pings: &mut Pings) -> bool {
        let now = now_ns();
        if pings.warm && now >= pings.started_ns + self.schedule.warmup_ns {
            pings.begin(now);
        }
        if !pings.warm && self.is_over(pings, now) {
            return false;
        }
        self.write_at(pings, now, now)
    }

    fn is_over(&self, pings: &mut Pings, now: i64) -> bool {
        pings.ended = if now >= pings.begin_ns + self.schedule.duration_ns {
            "duration"
        } else if self.schedule.samples != 0 && pings.seq >= self.schedule.samples {
            "samples"
        } else if pings.seq as usize >= self.recorder.capacity() {
            "recorder_full"
        } else {
            return false;
        };
        true
    }

    /// Writes a ping with these stamps; false if the middleware fails. Hot.
    #[inline]
    fn write_at(&self, pings: &mut Pings, intended: i64, mut sent: i64) -> bool {
        let warm = if pings.warm { Header::WARMUP } else { 0 };
        let checked = if self.stream.verify { Header::CHECKED } else { 0 };
        let mut header = Header {
            cookie: self.cookie,
            seq: pings.seq,
            intended_ns: intended,
            sent_ns: sent,
            writer_id: self.id,
            flags: warm | checked,
            ..Header::default()
        };
        let row = if pings.warm { None } else { self.recorder.row(pings.seq) };
        self.current.store(tag(pings.seq, header.flags), Ordering::Relaxed);
        loop {
            if let Some(row) = row {
                Row::set(&row.writer, i64::from(self.id));
                Row::set(&row.seq, pings.seq as i64);
                Row::set(&row.flags, i64::from(header.flags));
                Row::set(&row.intended_ns, intended);
                Row::set(&row.sent_ns, sent);
            }
            match self.writer.write(pings.samples.of(header.seq), &header) {
                Ok(()) => break,
                Err(Status::Timeout) => {
                    pings.blocked += 1;
                    sent = now_ns();
                    header.sent_ns = sent;
                    if sent > intended + self.schedule.timeout_ns * 10 {
                        pings.failure = Some(Status::Timeout);
                        return false;
                    }
                }
                Err(status) => {
                    pings.failure = Some(status);
                    return false;
                }
            }
        }
        if let Some(row) = row {
            Row::set(&row.written_ns, now_ns());
        }
        pings.last_ns = sent;
        pings.seq += 1;
        true
    }
}

impl Pings {
    /// The measurement begins: sequence numbers start again.
    fn begin(&mut self, now: i64) {
        self.warm = false;
        self.seq = 0;
        self.begin_ns = now;
    }
}

impl Pinger {
    /// Makes writer and reader.
    pub fn new(
        context: &Context,
        id: u32,
        from: Vec<u32>,
        (ping, pong): (String, String),
        stream: &StreamSpec,
        schedule: Schedule,
    ) -> Result<Self, Error> {
        let writer = context.participant.writer(&stream.endpoint(&ping))?;
        let bodies = Bodies::new(stream)?;
        let samples = bodies.samples(&writer)?;
        let pings = Pings {
            samples,
            seq: 0,
            warm: true,
            started_ns: 0,
            begin_ns: 0,
            last_ns: 0,
            ended: "duration",
            blocked: 0,
            failure: None,
        };
        let pongers = Senders::new(from);
        let pongs = Pongs {
            ledgers: pongers.ids().iter().map(|_| Ledger::new()).collect(),
            answered: Answered::new(&pongers),
            foreign: 0,
            corrupted: 0,
        };
        let core = Arc::new(Core {
            cookie: context.cookie,
            id,
            pongers,
            stream: stream.clone(),
            bodies,
            recorder: Arc::new(Recorder::new(schedule.capacity)),
            schedule: schedule.clone(),
            writer,
            polled: stream.wait == Wait::Poll,
            hands_over: stream.hands_over(context),
            turn: AtomicU32::new(turn::WAITING),
            current: AtomicU64::new(u64::MAX),
            received: AtomicU64::new(0),
            done: AtomicBool::new(false),
            closed_loop: AtomicBool::new(
                schedule.arrivals == ArrivalModel::Closed && stream.wait == Wait::Listener,
            ),
            runner: HotCell::new(None),
            pings: HotCell::new(pings),
            pongs: HotCell::new(pongs),
        });
        let subscriber = Subscriber::new(context, &stream.endpoint(&pong), Arc::clone(&core))?;
        let (wait, yields) = (stream.wait, context.yields);
        Ok(Self { topics: (ping, pong), core, subscriber, schedule, wait, yields })
    }

    /// The closed loop of a listener: this thread writes the first ping and then watches for lost ones.
    fn run_listening(&self) {
        let core = &*self.core;
        if let Some(mut runner) = core.runner.get() {
            *runner = Some(std::thread::current());
        }
        let tick = Duration::from_nanos((self.schedule.timeout_ns / 4).max(1_000_000) as u64);
        core.turn.store(turn::WRITING, Ordering::Release);
        core.write_while_arriving();
        let mut seen = (u64::MAX, now_ns());
        while !core.done.load(Ordering::Acquire) {
            std::thread::park_timeout(tick);
            if core.hands_over && core.turn.load(Ordering::Acquire) == turn::ARRIVED {
                core.write_while_arriving();
                continue;
            }
            let current = core.current.load(Ordering::Relaxed);
            if current != seen.0 {
                seen = (current, now_ns());
            } else if now_ns() - seen.1 >= self.schedule.timeout_ns {
                let mine = core.turn.compare_exchange(
                    turn::WAITING,
                    turn::WRITING,
                    Ordering::AcqRel,
                    Ordering::Acquire,
                );
                if mine.is_ok() {
                    core.write_while_arriving();
                }
            }
        }
    }

    /// The closed loop of a thread that waits itself.
    fn run_waiting(&self) {
        let core = &*self.core;
        let Some(mut pings) = core.pings.get() else { return };
        let patience = Duration::from_nanos(self.schedule.timeout_ns as u64);
        loop {
            if !core.write_next(&mut pings) {
                return;
            }
            let deadline = pings.last_ns + self.schedule.timeout_ns;
            let mut spins = 0_u32;
            while !self.step_until_current(patience) {
                spins += 1;
                if (self.wait != Wait::Poll || spins.is_multiple_of(1024)) && now_ns() >= deadline {
                    break;
                }
            }
        }
    }

    /// One step of waiting; whether the current pong came.
    #[inline]
    fn step_until_current(&self, patience: Duration) -> bool {
        let core = &*self.core;
        let Some(reader) = self.subscriber.reader() else { return true };
        if self.wait == Wait::Waitset {
            if reader.wait(patience).is_err() {
                return false;
            }
            return core.take_pongs(&reader.taker(), now_ns());
        }
        let arrived = core.take_pongs(&reader.taker(), 0);
        if !arrived && self.yields {
            std::thread::yield_now();
        }
        arrived
    }

    /// The open loop: intended times come from the pacer, whatever the pongs do.
    fn run_paced(&mut self) {
        self.subscriber.start();
        let core = &*self.core;
        let Some(mut pings) = core.pings.get() else { return };
        let started = now_ns() + 1_000_000;
        let mut pacer = Pacer::new(self.schedule.arrivals(), started, self.yields);
        pings.started_ns = started;
        loop {
            let intended = pacer.next_ns();
            if pings.warm && intended >= started + self.schedule.warmup_ns {
                pings.begin(intended);
            }
            if !pings.warm && core.is_over(&mut pings, intended) {
                break;
            }
            let sent = pacer.wait_ns(intended);
            if !core.write_at(&mut pings, intended, sent) {
                break;
            }
        }
        // The last pongs are still on their way.
        let mut seen = (core.received.load(Ordering::Relaxed), now_ns());
        while seen.0 < pings.seq && now_ns() - seen.1 < self.schedule.timeout_ns {
            std::thread::sleep(Duration::from_millis(5));
            let received = core.received.load(Ordering::Relaxed);
            if received != seen.0 {
                seen = (received, now_ns());
            }
        }
    }
}

impl Role for Pinger {
    fn writers(&self) -> Vec<(&str, &WriterHandle)> {
        vec![(&self.topics.0, &self.core.writer)]
    }

    fn readers(&self) -> Vec<(&str, &ReaderHandle)> {
        self.subscriber.reader().map(|r| (self.topics.1.as_str(), r)).into_iter().collect()
    }

    fn start(&mut self) {}

    fn run(&mut self) -> Option<Result<RunReport, Failure>> {
        if let Some(mut pings) = self.core.pings.get() {
            pings.started_ns = now_ns();
        }
        match (self.schedule.arrivals, self.wait) {
            (ArrivalModel::Closed, Wait::Listener) => self.run_listening(),
            (ArrivalModel::Closed, _) => self.run_waiting(),
            _ => self.run_paced(),
        }
        let Some(pings) = self.core.pings.get() else {
            return Some(Err(Failure::new("failed", "the closed loop is still running")));
        };
        if let Some(status) = pings.failure {
            let text = format!("write failed after {} samples: {status}", pings.seq);
            return Some(Err(Failure::new("failed", text)));
        }
        Some(Ok(RunReport {
            role: "pinger".into(),
            writer: self.core.id,
            sent: pings.seq,
            begin_ns: pings.begin_ns,
            end_ns: pings.last_ns,
            warmup_ns: pings.begin_ns - pings.started_ns,
            ended: pings.ended.into(),
            blocked: pings.blocked,
        }))
    }

    fn finish(&mut self) -> Result<Recorded, Failure> {
        let core = &self.core;
        let reader_counters = self.subscriber.reader().map(ReaderHandle::counters);
        self.subscriber.close();
        let busy = || Failure::new("failed", "pinger still at work");
        let pings = core.pings.get().ok_or_else(busy)?;
        let pongs = core.pongs.get().ok_or_else(busy)?;
        let rows = pings.seq as usize;
        let received = core.received.load(Ordering::Relaxed);
        let account = WriterAccount {
            writer: core.id,
            received,
            missing: pings.seq - received.min(pings.seq),
            duplicated: pongs.ledgers.iter().map(Ledger::duplicated).sum(),
            out_of_order: pongs.ledgers.iter().map(Ledger::out_of_order).sum(),
            ancient: pongs.ledgers.iter().map(Ledger::ancient).sum(),
        };
        let report = RoleReport {
            role: "pinger".into(),
            writer: core.id,
            accounts: vec![account],
            foreign: pongs.foreign,
            corrupted: core.stream.verify.then_some(pongs.corrupted),
            rows,
            writer_counters: Some(core.writer.counters()),
            reader_counters,
            reply_mode: match (self.wait, core.hands_over) {
                (Wait::Listener, false) => "inline",
                (Wait::Listener, true) => "thread",
                _ => "loop",
            }
            .into(),
            ..RoleReport::default()
        };
        Ok(Recorded { report, rows: Some((Arc::clone(&core.recorder), rows)) })
    }
}
