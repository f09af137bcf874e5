//! Sends requests and records their responses, in a closed loop or at a rate.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use busmark_adapter::{
    AnyServiceSample, Error, Header, HotCell, ReaderHandle, ServiceHandle, Side, Status, Wait,
    WriterHandle,
};
use busmark_measure::{Intervals, Recorder, Row, now_ns};

use super::bodies::{Bodies, Differences, Samples};
use super::control::{Control, NAP, STOPPED};
use super::pace::{self, Pace};
use super::patience::PATIENCE_NS;
use super::progress::{ASKED_NS, AVAILABLE_NS, LOOK_NS, Order, Progress};
use super::requests::{Answer, Requests};
use super::responder::BATCH;
use super::service_end::ServiceEnd;
use super::sight::Sight;
use super::{Context, Counter, Recorded, Role};
use crate::protocol::{
    ArrivalModel, Failure, IntervalReport, RequestReport, RoleReport, RoleSpec, RunReport,
    Schedule, StreamSpec, WriterAccount,
};

/// A client of a service.
pub struct Client {
    name: String,
    core: Arc<Core>,
    outstanding: usize,
}

/// What the sending and the taking thread share.
struct Core {
    id: u32,
    cookie: u64,
    service: ServiceEnd,
    wait: Wait,
    yields: bool,
    verify: bool,
    schedule: Schedule,
    requests: Requests,
    /// Requests of the warm-up: the ordinal number of the first of the measured time.
    warm: AtomicU64,
    /// Responses that were awaited, of the warm-up, too.
    heard: AtomicU64,
    /// Those of the measured time.
    received: AtomicU64,
    recorder: Arc<Recorder>,
    responses: Bodies,
    sending: AtomicBool,
    control: Arc<Control>,
    sender: HotCell<Sender>,
    taker: HotCell<Taker>,
}

/// What only the sending thread touches.
struct Sender {
    samples: Samples<AnyServiceSample>,
    seq: u64,
    warm: bool,
    progress: Progress,
}

/// What only the taking thread touches.
struct Taker {
    differences: Differences,
    foreign: u64,
    duplicated: u64,
    late: u64,
    misrouted: u64,
    intervals: Intervals,
}

impl Client {
    /// Makes the client's end. `spec` is a `RoleSpec::Client`.
    pub fn new(context: &Context, spec: RoleSpec) -> Result<Self, Error> {
        let RoleSpec::Client {
            writer: id,
            service: name,
            stream,
            response_size,
            outstanding,
            schedule,
            interval_ns,
        } = spec
        else {
            return Err(Status::Invalid.error("not a client"));
        };
        let service = end(context, &name, &stream, response_size, Side::Client, id)?;
        let bodies = Bodies::new(&stream, context.cookie)?;
        let samples = bodies.samples_by(|body| service.sample(body))?;
        let responses = Bodies::new(&response_stream(&stream, response_size), context.cookie)?;
        let intervals = (schedule.duration_ns + PATIENCE_NS) / interval_ns;
        let core = Core {
            id,
            cookie: context.cookie,
            service,
            wait: stream.wait,
            yields: context.yields,
            verify: stream.verify,
            requests: Requests::new(outstanding),
            warm: AtomicU64::new(u64::MAX),
            heard: AtomicU64::new(0),
            received: AtomicU64::new(0),
            recorder: Arc::new(Recorder::new(schedule.capacity)),
            responses,
            sending: AtomicBool::new(true),
            control: Arc::new(Control::new(schedule.is_paced())),
            sender: HotCell::new(Sender { samples, seq: 0, warm: true, progress: Progress::new() }),
            taker: HotCell::new(Taker {
                differences: Differences::default(),
                foreign: 0,
                duplicated: 0,
                late: 0,
                misrouted: 0,
                intervals: Intervals::new(interval_ns, intervals as usize),
            }),
            schedule,
        };
        Ok(Self { name, core: Arc::new(core), outstanding })
    }

    /// Asks until the server answers, for a middleware may count a server before it can answer.
    fn ask(&self, sender: &mut Sender) -> Result<(), Failure> {
        let core = &*self.core;
        let begin = now_ns();
        let mut patience_ns = ASKED_NS;
        while now_ns() - begin < AVAILABLE_NS {
            let asked = now_ns();
            core.send(sender, asked, asked)?;
            while now_ns() - asked < patience_ns {
                core.step(patience_ns, patience_ns);
                if core.heard.load(Ordering::Relaxed) > 0 {
                    sender.progress.available_ns = Some(now_ns() - begin);
                    return Ok(());
                }
            }
            sender.progress.ignored += 1;
            patience_ns = (patience_ns * 2).min(AVAILABLE_NS / 10);
        }
        let text = format!("no server of {} answered within 10 s", self.name);
        Err(Failure::new("timeout", text))
    }

    /// The closed loop: one thread sends and takes.
    fn run_closed(&self, sender: &mut Sender) -> Result<(), Failure> {
        let core = &*self.core;
        let mut sends = true;
        loop {
            while sends && core.requests.waiting() < self.outstanding as u64 {
                let now = now_ns();
                if sender.warm && now >= sender.progress.started_ns + core.schedule.warmup_ns {
                    core.begin(sender, now);
                }
                match sender.progress.obey(&core.control) {
                    Order::Send => {}
                    Order::Stop => {
                        sends = false;
                        break;
                    }
                    Order::Pause => {
                        if core.requests.all_settled() {
                            std::thread::park_timeout(NAP);
                        }
                        break;
                    }
                }
                if !sender.warm && core.is_over(sender, now) {
                    sends = false;
                    break;
                }
                if !core.send(sender, now, now)? {
                    break;
                }
            }
            if core.requests.all_settled() {
                if !sends {
                    return Ok(());
                }
                continue;
            }
            core.step(core.schedule.timeout_ns, LOOK_NS);
        }
    }

    /// The open loop: intended times come from the pacer; another thread takes responses.
    fn run_paced(&self, sender: &mut Sender) -> Result<(), Failure> {
        let core = &*self.core;
        core.sending.store(true, Ordering::Release);
        let taking = Arc::clone(&self.core);
        let thread = std::thread::spawn(move || {
            while taking.sending.load(Ordering::Acquire) || !taking.requests.all_settled() {
                taking.step(taking.schedule.timeout_ns, LOOK_NS);
            }
        });
        let outcome = self.send_paced(sender);
        core.sending.store(false, Ordering::Release);
        thread
            .join()
            .map_err(|_| Failure::new("failed", "the thread that takes responses panicked"))?;
        outcome
    }

    fn send_paced(&self, sender: &mut Sender) -> Result<(), Failure> {
        let core = &*self.core;
        let started = now_ns() + 1_000_000;
        let mut pace = Pace::new(&core.schedule, started, core.yields, &core.control);
        sender.progress.started_ns = started;
        loop {
            if core.control.is_new(sender.progress.seen) && pace.steer(&mut sender.progress.seen) {
                sender.progress.ended = STOPPED;
                return Ok(());
            }
            let (intended, begun) = pace.next(sender.warm);
            if sender.warm && begun {
                core.begin(sender, intended);
            }
            if !sender.warm && core.is_over(sender, intended) {
                return Ok(());
            }
            if !sender.warm && pace.is_late(sender.progress.begin_ns) {
                sender.progress.ended = pace::LATE;
                return Ok(());
            }
            let sent = pace.wait_ns(intended, sender.progress.seen);
            if sent < intended {
                continue; // something is asked
            }
            core.send(sender, intended, sent)?;
        }
    }
}

impl Core {
    /// The measurement begins: sequence numbers start again.
    #[cold]
    fn begin(&self, sender: &mut Sender, now: i64) {
        sender.warm = false;
        sender.seq = 0;
        self.warm.store(self.requests.sent(), Ordering::Release);
        sender.progress.begin(&self.control, now);
    }

    fn is_over(&self, sender: &mut Sender, now: i64) -> bool {
        sender.progress.ended = if now >= sender.progress.begin_ns + self.schedule.duration_ns {
            "duration"
        } else if self.schedule.samples != 0 && sender.seq >= self.schedule.samples {
            "samples"
        } else if sender.seq as usize >= self.recorder.capacity() {
            "recorder_full"
        } else {
            return false;
        };
        true
    }

    /// Sends a request with these stamps; false where it was refused. Hot.
    #[inline]
    fn send(&self, sender: &mut Sender, intended: i64, mut sent: i64) -> Result<bool, Failure> {
        let warm = if sender.warm { Header::WARMUP } else { 0 };
        let checked = if self.verify { Header::CHECKED } else { 0 };
        let mut header = Header {
            cookie: self.cookie,
            seq: sender.seq,
            intended_ns: intended,
            sent_ns: sent,
            writer_id: self.id,
            flags: warm | checked,
            ..Header::default()
        };
        if sender.warm {
            // By its ordinal number: those that asked whether a server is there are counted, too.
            header.seq = self.requests.sent();
        }
        let row = if sender.warm { None } else { self.recorder.row(sender.seq) };
        while !self.requests.has_room() {
            sender.progress.blocked += 1;
            self.give_way();
            sent = now_ns();
            header.sent_ns = sent;
        }
        let ordinal = self.requests.begin(sent);
        let refused = loop {
            if let Some(row) = row {
                Row::set(&row.writer, i64::from(self.id));
                Row::set(&row.seq, sender.seq as i64);
                Row::set(&row.flags, i64::from(header.flags));
                Row::set(&row.intended_ns, intended);
                Row::set(&row.sent_ns, sent);
            }
            let mut number = 0;
            match self.service.send(sender.samples.of(header.seq), &header, &mut number) {
                Ok(()) => {
                    self.requests.name(ordinal, number);
                    break false;
                }
                Err(Status::Timeout | Status::Resources)
                    if sent < intended + self.schedule.timeout_ns =>
                {
                    sender.progress.blocked += 1;
                    self.give_way();
                    sent = now_ns();
                    header.sent_ns = sent;
                }
                Err(Status::Timeout | Status::Resources) => break true,
                Err(status) => {
                    self.requests.refuse(ordinal);
                    return Err(self.service.failure("request", sender.seq, status));
                }
            }
        };
        if let Some(row) = row {
            sender.progress.end_ns = now_ns();
            if !refused {
                Row::set(&row.written_ns, sender.progress.end_ns);
            }
        }
        sender.progress.last_ns = sent;
        sender.seq += 1;
        if refused {
            self.requests.refuse(ordinal);
            sender.progress.refused += u64::from(!sender.warm);
        }
        Ok(!refused)
    }

    /// Makes room: in a closed loop this thread takes responses, too.
    #[cold]
    fn give_way(&self) {
        if self.schedule.arrivals == ArrivalModel::Closed {
            self.step(self.schedule.timeout_ns, 1_000_000);
        } else {
            std::thread::yield_now();
        }
    }

    /// Waits for responses, takes them, and gives up what is overdue. Hot.
    #[inline]
    fn step(&self, timeout_ns: i64, wait_ns: i64) {
        let Some(mut taker) = self.taker.get() else { return };
        let mut delivered = 0;
        let mut more = true;
        if self.wait == Wait::Waitset {
            let patience = wait_ns.min(timeout_ns);
            more = self.service.wait(Duration::from_nanos(patience as u64)).is_ok();
            delivered = now_ns();
        }
        let mut came = false;
        while more {
            let taken = self.service.take(BATCH as u32, &mut |received| {
                let read = now_ns();
                came = true;
                self.respond(&mut taker, received, delivered, read);
            });
            more = taken.is_ok_and(|taken| taken as usize == BATCH);
        }
        if !came && self.yields && self.wait == Wait::Poll {
            std::thread::yield_now();
        }
        self.requests.settle(now_ns() - timeout_ns, |number| {
            let _ = self.service.forget(number);
        });
    }

    /// A response has come. Hot.
    #[inline]
    fn respond(
        &self,
        taker: &mut Taker,
        received: &busmark_adapter::Received,
        delivered: i64,
        read: i64,
    ) {
        let header = received.header;
        if header.cookie != self.cookie {
            taker.foreign += 1;
            return;
        }
        if header.answers() != self.id {
            taker.misrouted += 1;
            return;
        }
        let warm = header.flags & Header::WARMUP != 0;
        let ordinal =
            if warm { header.seq } else { self.warm.load(Ordering::Acquire) + header.seq };
        match self.requests.answer(ordinal, received.request) {
            Answer::Awaited => {}
            _ if warm => return,
            Answer::Late => {
                taker.late += 1;
                return;
            }
            Answer::Again => {
                taker.duplicated += 1;
                return;
            }
            Answer::Misrouted => {
                taker.misrouted += 1;
                return;
            }
        }
        self.heard.fetch_add(1, Ordering::Relaxed);
        if warm {
            return;
        }
        self.received.fetch_add(1, Ordering::Relaxed);
        if self.verify || self.responses.is_spot(header.seq) {
            self.responses.judge(header.seq, received.body, &mut taker.differences);
        }
        taker.intervals.count(read, received.body.len());
        let Some(row) = self.recorder.row(header.seq) else { return };
        Row::set(&row.answers, 1);
        Row::set(&row.echo_delivered_ns, header.echo_delivered_ns);
        Row::set(&row.echo_read_ns, header.echo_read_ns);
        Row::set(&row.echo_sent_ns, header.sent_ns);
        Row::set(&row.source_ns, received.source_ns);
        Row::set(&row.reception_ns, received.reception_ns);
        Row::set(&row.delivered_ns, delivered);
        Row::set(&row.read_ns, read);
    }
}

/// An end of a service: a request and its response fit into its samples.
pub(super) fn end(
    context: &Context,
    name: &str,
    stream: &StreamSpec,
    response_size: usize,
    side: Side,
    id: u32,
) -> Result<ServiceEnd, Error> {
    let mut config = stream.endpoint(name);
    config.max_body_bytes = config.max_body_bytes.max(response_size as u64);
    ServiceEnd::new(context, &config, side, id)
}

/// Settings of the bodies of responses.
pub(super) fn response_stream(stream: &StreamSpec, size: usize) -> StreamSpec {
    StreamSpec { size, sizes: Vec::new(), ..stream.clone() }
}

impl Role for Client {
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
        self.core.service.writer().into_iter().collect()
    }

    fn readers(&self) -> Vec<(&str, &ReaderHandle)> {
        self.core.service.reader().into_iter().collect()
    }

    fn services(&self) -> Vec<(&str, &ServiceHandle)> {
        self.core.service.named().into_iter().collect()
    }

    fn start(&mut self) {}

    fn run(&mut self) -> Option<Result<RunReport, Failure>> {
        let core = &*self.core;
        core.control.runs_here();
        let Some(mut sender) = core.sender.get() else {
            return Some(Err(Failure::new("failed", "the client is still at work")));
        };
        let outcome = self.ask(&mut sender).and_then(|()| {
            sender.progress.started_ns = now_ns();
            match core.schedule.arrivals {
                ArrivalModel::Closed => self.run_closed(&mut sender),
                _ => self.run_paced(&mut sender),
            }
        });
        let (progress, sent) = (&sender.progress, sender.seq);
        Some(outcome.map(|()| progress.run_report("client", core.id, sent)))
    }

    fn finish(&mut self) -> Result<Recorded, Failure> {
        let core = &self.core;
        let busy = || Failure::new("failed", "the client is still at work");
        let sender = core.sender.get().ok_or_else(busy)?;
        let taker = core.taker.get().ok_or_else(busy)?;
        let sent = if sender.warm { 0 } else { sender.seq };
        let rows = sent as usize;
        let answered = |row: &&Row| Row::get(&row.read_ns).is_some();
        let received = core.recorder.rows(rows).iter().filter(answered).count() as u64;
        let account = WriterAccount {
            writer: core.id,
            received,
            missing: sent - received,
            duplicated: taker.duplicated,
            ..WriterAccount::default()
        };
        let counters = core.service.endpoints();
        let report = RoleReport {
            role: "client".into(),
            writer: core.id,
            accounts: vec![account],
            foreign: taker.foreign,
            corrupted: core.responses.are_seen().then_some(taker.differences.corrupted),
            other_size: taker.differences.other_size,
            rows,
            intervals: vec![IntervalReport::of(core.id, &taker.intervals)],
            requests: Some(RequestReport {
                late: taker.late,
                misrouted: taker.misrouted + core.requests.misnamed(),
                ..sender.progress.request_report(core.service.native().is_none())
            }),
            writer_counters: counters.map(|(writer, _)| writer.counters()),
            reader_counters: counters.map(|(_, reader)| reader.counters()),
            reply_mode: "loop".into(),
            ..RoleReport::default()
        };
        Ok(Recorded { report, rows: Some((Arc::clone(&core.recorder), rows)) })
    }
}
