//! Sends pings and records pongs, of one responder or of several, in a closed loop or at a rate.

mod hot;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use busmark_adapter::{Error, HotCell, ReaderHandle, Wait, WriterHandle};
use busmark_measure::{Ledger, Recorder, now_ns};

use self::hot::{Core, Pings, Pongs, Step, turn};
use super::bodies::{Bodies, Differences};
use super::control::{Control, NAP, STOPPED};
use super::pace::{self, Pace};
use super::patience::failure;
use super::senders::{Answered, Senders};
use super::sight::Sight;
use super::subscriber::Subscriber;
use super::{Context, Counter, Recorded, Role};
use crate::protocol::{
    ArrivalModel, Failure, RoleReport, RunReport, Schedule, StreamSpec, WriterAccount,
};

/// A pinger.
pub struct Pinger {
    topics: (String, String),
    core: Arc<Core>,
    subscriber: Subscriber<Core>,
    schedule: Schedule,
    wait: Wait,
    yields: bool,
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
        let bodies = Bodies::new(stream, context.cookie)?;
        let samples = bodies.samples(&writer)?;
        let pings = Pings {
            samples,
            seq: 0,
            warm: true,
            started_ns: 0,
            begin_ns: 0,
            last_ns: 0,
            end_ns: 0,
            ended: "duration",
            blocked: 0,
            failure: None,
            seen: 0,
        };
        let responders = Senders::new(from);
        let pongs = Pongs {
            ledgers: responders.ids().iter().map(|_| Ledger::new()).collect(),
            answered: Answered::new(&responders),
            foreign: 0,
            differences: Differences::default(),
        };
        let core = Arc::new(Core {
            cookie: context.cookie,
            id,
            responders,
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
            control: Arc::new(Control::new(schedule.is_paced())),
            held: AtomicBool::new(false),
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
            let held = core.held.load(Ordering::Acquire);
            if current != seen.0 {
                seen = (current, now_ns());
            } else if held || now_ns() - seen.1 >= self.schedule.timeout_ns {
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
            match core.write_next(&mut pings) {
                Step::Written => {}
                Step::Over => return,
                Step::Held => {
                    std::thread::park_timeout(NAP);
                    continue;
                }
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
        let mut pace = Pace::new(&self.schedule, started, self.yields, &core.control);
        pings.started_ns = started;
        loop {
            if core.control.is_new(pings.seen) && pace.steer(&mut pings.seen) {
                pings.ended = STOPPED;
                break;
            }
            let (intended, begun) = pace.next(pings.warm);
            if pings.warm && begun {
                core.begin(&mut pings, intended);
            }
            if !pings.warm && core.is_over(&mut pings, intended) {
                break;
            }
            if !pings.warm && pace.is_late(pings.begin_ns) {
                pings.ended = pace::LATE;
                break;
            }
            let sent = pace.wait_ns(intended, pings.seen);
            if sent < intended {
                continue; // something is asked
            }
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
    fn number(&self) -> u32 {
        self.core.id
    }

    fn control(&self) -> Option<Arc<Control>> {
        Some(Arc::clone(&self.core.control))
    }

    fn sight(&self) -> Option<Sight> {
        Some(Sight::new(self.core.id, Arc::clone(&self.core.recorder)))
    }

    fn counter(&self) -> Option<Counter> {
        let core = Arc::clone(&self.core);
        Some(Box::new(move || (core.id, core.received.load(Ordering::Relaxed))))
    }

    fn writers(&self) -> Vec<(&str, &WriterHandle)> {
        vec![(&self.topics.0, &self.core.writer)]
    }

    fn readers(&self) -> Vec<(&str, &ReaderHandle)> {
        self.subscriber.reader().map(|r| (self.topics.1.as_str(), r)).into_iter().collect()
    }

    fn start(&mut self) {}

    fn run(&mut self) -> Option<Result<RunReport, Failure>> {
        self.core.control.runs_here();
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
            return Some(Err(failure(&self.core.writer, pings.seq, status)));
        }
        Some(Ok(RunReport {
            role: "pinger".into(),
            writer: self.core.id,
            sent: pings.seq,
            begin_ns: pings.begin_ns,
            last_ns: pings.last_ns,
            end_ns: pings.end_ns,
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
            corrupted: core.bodies.are_seen().then_some(pongs.differences.corrupted),
            other_size: pongs.differences.other_size,
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
