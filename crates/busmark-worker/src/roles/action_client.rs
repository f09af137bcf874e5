//! Sends goals, as many at a time as are asked for or at a rate, and records what becomes of each: when it was
//! accepted, its feedback, its result, and the answer to cancelling it.
//!
//! One thread sends goals and cancels them. For each service, for feedback and for status another thread
//! waits, and takes the time at which it has a sample in its hands. The one of acceptances asks for the result.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{JoinHandle, Thread};
use std::time::Duration;

use busmark_adapter::{
    AnyService, AnyServiceSample, EndpointConfig, Error, Header, HotCell, OnData, ReaderHandle,
    Received, ServiceHandle, Side, Status, Taker, Wait, WriterHandle,
};
use busmark_measure::now_ns;

use super::actions::{CANCELLED, Names, REFUSED, SMALL, Services, is_own};
use super::bodies::{Bodies, Differences, Samples};
use super::control::{Control, STOPPED};
use super::goals::{Goal, GoalRows, Outcome};
use super::pace::{self, Pace};
use super::progress::{ASKED_NS, AVAILABLE_NS, LOOK_NS, Order, Progress};
use super::responder::BATCH;
use super::subscriber::Subscriber;
use super::{Context, Recorded, Role};
use crate::protocol::{
    ArrivalModel, Failure, Goals, RequestReport, RoleReport, RoleSpec, RunReport, Schedule,
};

/// How long a waiting thread sleeps before it looks whether it should stop.
const NAP: Duration = Duration::from_millis(50);
/// The last stretch before an intended time is left to the pacer, which is more exact, ns.
const CLOSE_NS: i64 = 1_000_000;
/// How long a call that the middleware does not take is tried again, where it is a thread's that takes, ns.
const PATIENCE_NS: i64 = 20_000_000;

/// A client of an action.
pub struct ActionClient {
    action: String,
    names: Names,
    core: Arc<Core>,
    outstanding: u64,
    feedback: Subscriber<Feedback>,
    status: Subscriber<Statuses>,
    /// The request that the thread of results will send, until that thread starts.
    asks: Option<AnyServiceSample>,
    threads: Vec<JoinHandle<Differences>>,
}

/// What all threads share.
struct Core {
    id: u32,
    cookie: u64,
    verify: bool,
    yields: bool,
    goals: Goals,
    schedule: Schedule,
    services: Services,
    rows: GoalRows,
    bodies: Bodies,
    control: Arc<Control>,
    sender: HotCell<Sender>,
    /// The thread that sends, to be woken where a goal ends or one is accepted that it cancels.
    main: OnceLock<Thread>,
    stop: AtomicBool,
    counts: Counts,
}

#[derive(Default)]
struct Counts {
    foreign: AtomicU64,
    late: AtomicU64,
    repeated: AtomicU64,
    misrouted: AtomicU64,
    failures: AtomicU64,
}

/// What only the sending thread touches.
struct Sender {
    samples: Samples<AnyServiceSample>,
    cancels: AnyServiceSample,
    /// Number of the first goal of the measured time.
    first: Option<u64>,
    /// Below this none is under way.
    from: u64,
    progress: Progress,
}

/// Takes feedback.
struct Feedback {
    core: Arc<Core>,
    differences: HotCell<Differences>,
}

/// Takes statuses.
struct Statuses(Arc<Core>);

impl ActionClient {
    /// Makes the client's ends. `spec` is a `RoleSpec::ActionClient`.
    pub fn new(context: &Context, spec: RoleSpec) -> Result<Self, Error> {
        let RoleSpec::ActionClient { writer: id, action, stream, goals, outstanding, schedule } =
            spec
        else {
            return Err(Status::Invalid.error("not an action client"));
        };
        let names = Names::new(&action);
        let services = Services::new(context, &names, &stream, Side::Client, id)?;
        let bodies = Bodies::new(&stream, context.cookie)?;
        let sender = Sender {
            samples: bodies.samples_by(|body| services.goal.sample(body))?,
            cancels: services.cancel.sample(&[0; SMALL])?,
            first: None,
            from: 0,
            progress: Progress::new(),
        };
        let asks = services.result.sample(&[0; SMALL])?;
        let core = Arc::new(Core {
            id,
            cookie: context.cookie,
            verify: stream.verify,
            yields: context.yields,
            goals,
            services,
            rows: GoalRows::new(schedule.capacity),
            bodies,
            control: Arc::new(Control::new(schedule.is_paced())),
            sender: HotCell::new(sender),
            main: OnceLock::new(),
            stop: AtomicBool::new(false),
            counts: Counts::default(),
            schedule,
        });
        let topic = |name: &str| EndpointConfig { wait: Wait::Waitset, ..stream.endpoint(name) };
        let handler =
            Feedback { core: Arc::clone(&core), differences: HotCell::new(Differences::default()) };
        let feedback = Subscriber::new(context, &topic(&names.feedback), Arc::new(handler))?;
        let mut config = topic(&names.status);
        config.max_body_bytes = SMALL as u64;
        let status = Subscriber::new(context, &config, Arc::new(Statuses(Arc::clone(&core))))?;
        Ok(Self {
            action,
            names,
            core,
            outstanding: outstanding as u64,
            feedback,
            status,
            asks: Some(asks),
            threads: Vec::new(),
        })
    }

    /// Sends goals until one is accepted, for a middleware may count a server before it can answer.
    fn ask(&self, sender: &mut Sender) -> Result<(), Failure> {
        let core = &*self.core;
        let begin = now_ns();
        let mut patience_ns = ASKED_NS;
        while now_ns() - begin < AVAILABLE_NS {
            let asked = now_ns();
            core.send(sender, asked, asked)?;
            let Some(goal) = core.rows.sent().checked_sub(1).and_then(|last| core.rows.get(last))
            else {
                break;
            };
            while now_ns() - asked < patience_ns {
                if let Some(accepted) = goal.accepted_ns() {
                    sender.progress.available_ns = Some(accepted - begin);
                    return Ok(());
                }
                std::thread::park_timeout(Duration::from_nanos(ASKED_NS as u64 / 5));
            }
            sender.progress.ignored += 1;
            patience_ns = (patience_ns * 2).min(core.schedule.timeout_ns);
        }
        let text = format!("no server of {} accepted a goal within 10 s", self.action);
        Err(Failure::new("timeout", text))
    }

    /// The closed loop: as many goals are under way as are asked for.
    fn run_closed(&self, sender: &mut Sender) -> Result<(), Failure> {
        let core = &*self.core;
        let mut sends = true;
        loop {
            let mut paused = false;
            while sends && core.rows.under_way() < self.outstanding {
                let now = now_ns();
                if sender.first.is_none()
                    && now >= sender.progress.started_ns + core.schedule.warmup_ns
                {
                    core.begin(sender, now);
                }
                let order = sender.progress.obey(&core.control);
                paused = order == Order::Pause;
                sends = order != Order::Stop && !core.is_over(sender, now);
                if paused || !sends {
                    break;
                }
                core.send(sender, now, now)?;
            }
            if core.rows.under_way() == 0 && !paused {
                if !sends {
                    return Ok(());
                }
                continue;
            }
            core.watch(sender, i64::MAX)?;
        }
    }

    /// The open loop: intended times come from the pacer.
    fn run_paced(&self, sender: &mut Sender) -> Result<(), Failure> {
        let core = &*self.core;
        let started = now_ns() + CLOSE_NS;
        let mut pace = Pace::new(&core.schedule, started, core.yields, &core.control);
        sender.progress.started_ns = started;
        loop {
            if core.control.is_new(sender.progress.seen) && pace.steer(&mut sender.progress.seen) {
                sender.progress.ended = STOPPED;
                break;
            }
            let warm = sender.first.is_none();
            let (intended, begun) = pace.next(warm);
            if warm && begun {
                core.begin(sender, intended);
            }
            if core.is_over(sender, intended) {
                break;
            }
            if sender.first.is_some() && pace.is_late(sender.progress.begin_ns) {
                sender.progress.ended = pace::LATE;
                break;
            }
            while now_ns() < intended - CLOSE_NS && !core.control.is_new(sender.progress.seen) {
                core.watch(sender, intended - CLOSE_NS)?;
            }
            let sent = pace.wait_ns(intended, sender.progress.seen);
            if sent < intended {
                continue; // something is asked
            }
            if core.rows.under_way() >= self.outstanding {
                sender.progress.blocked += 1;
                while core.rows.under_way() >= self.outstanding {
                    core.watch(sender, i64::MAX)?;
                }
            }
            core.send(sender, intended, now_ns())?;
        }
        while core.rows.under_way() > 0 {
            core.watch(sender, i64::MAX)?;
        }
        Ok(())
    }

    fn close(&mut self) -> Differences {
        self.core.stop.store(true, Ordering::Relaxed);
        let mut differences = Differences::default();
        for thread in self.threads.drain(..) {
            if let Ok(found) = thread.join() {
                differences.add(&found);
            }
        }
        differences
    }
}

impl Core {
    /// The measurement begins.
    #[cold]
    fn begin(&self, sender: &mut Sender, now: i64) {
        sender.first = Some(self.rows.sent());
        sender.progress.begin(&self.control, now);
    }

    /// Goals of the measured time.
    fn measured(&self, sender: &Sender) -> u64 {
        sender.first.map_or(0, |first| self.rows.sent() - first)
    }

    fn is_over(&self, sender: &mut Sender, now: i64) -> bool {
        let measures = sender.first.is_some();
        sender.progress.ended = if self.rows.sent() as usize >= self.rows.capacity() {
            "recorder_full"
        } else if measures && now >= sender.progress.begin_ns + self.schedule.duration_ns {
            "duration"
        } else if measures
            && self.schedule.samples != 0
            && self.measured(sender) >= self.schedule.samples
        {
            "samples"
        } else {
            return false;
        };
        true
    }

    /// Sends a goal. Hot.
    #[inline]
    fn send(&self, sender: &mut Sender, intended: i64, sent: i64) -> Result<(), Failure> {
        let warm = if sender.first.is_none() { Header::WARMUP } else { 0 };
        let checked = if self.verify { Header::CHECKED } else { 0 };
        let Some(number) = self.rows.begin(intended, sent) else { return Ok(()) };
        let mut header = self.header(number, warm | checked);
        header.intended_ns = intended;
        header.sent_ns = sent;
        let sample = sender.samples.of(number);
        let patience_ns = self.schedule.timeout_ns;
        let outcome = call(&self.services.goal, sample, &header, patience_ns);
        if sender.first.is_some() {
            sender.progress.end_ns = now_ns();
        }
        sender.progress.last_ns = sent;
        match outcome {
            Ok(blocked) => sender.progress.blocked += blocked,
            Err(Status::Timeout | Status::Resources) => {
                sender.progress.refused += u64::from(sender.first.is_some());
                if let Some(goal) = self.rows.get(number) {
                    self.rows.refuse(goal);
                }
            }
            Err(status) => return Err(self.services.goal.failure("goal", number, status)),
        }
        Ok(())
    }

    fn header(&self, number: u64, flags: u32) -> Header {
        Header { cookie: self.cookie, seq: number, writer_id: self.id, flags, ..Header::default() }
    }

    /// Cancels what is due, gives up what is overdue, and sleeps until something is to be done, or until then.
    fn watch(&self, sender: &mut Sender, until_ns: i64) -> Result<(), Failure> {
        let now = now_ns();
        let mut next = until_ns.min(now + LOOK_NS);
        let half_ns = self.goals.time_ns / 2;
        let Sender { cancels, from, .. } = sender;
        let mut failed = None;
        self.rows.look(
            from,
            now,
            (self.goals.time_ns, self.schedule.timeout_ns),
            |number, goal| {
                let Some(accepted) = goal.accepted_ns() else { return };
                if !self.goals.is_cancelled(number) || goal.is_cancelled() {
                    return;
                }
                if now < accepted + half_ns {
                    next = next.min(accepted + half_ns);
                    return;
                }
                let mut header = self.header(number, 0);
                header.sent_ns = now_ns();
                goal.cancel(header.sent_ns);
                let outcome = call(&self.services.cancel, cancels, &header, PATIENCE_NS);
                match outcome {
                    Ok(_) => {}
                    Err(Status::Timeout | Status::Resources) => {
                        self.counts.failures.fetch_add(1, Ordering::Relaxed);
                    }
                    Err(status) => failed = Some((number, status)),
                }
            },
        );
        if let Some((number, status)) = failed {
            return Err(self.services.cancel.failure("request to cancel", number, status));
        }
        let left = next - now_ns();
        if left > 0 {
            std::thread::park_timeout(Duration::from_nanos(left as u64));
        }
        Ok(())
    }

    fn wake(&self) {
        if let Some(main) = self.main.get() {
            main.unpark();
        }
    }

    /// Takes responses until the end, each with its goal and the time at which it was read.
    fn take(&self, service: &AnyService, mut each: impl FnMut(&Goal, &Received, i64)) {
        while !self.stop.load(Ordering::Relaxed) {
            match service.wait(NAP) {
                Ok(()) => {}
                Err(Status::Timeout) => continue,
                // A broken end must not become a busy loop; the missing responses tell.
                Err(_) => {
                    std::thread::sleep(NAP);
                    continue;
                }
            }
            let mut more = true;
            while more {
                let taken = service.take(BATCH as u32, &mut |received| {
                    let read = now_ns();
                    let header = received.header;
                    if header.cookie != self.cookie {
                        self.counts.foreign.fetch_add(1, Ordering::Relaxed);
                        return;
                    }
                    match self.rows.get(header.seq) {
                        Some(goal) if is_own(header, self.cookie, self.id) => {
                            each(goal, received, read);
                        }
                        _ => {
                            self.counts.misrouted.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                });
                more = taken.is_ok_and(|taken| taken as usize == BATCH);
            }
        }
    }

    /// The thread of `send_goal`: goals that are accepted are asked for their results.
    fn take_acceptances(&self, mut asks: AnyServiceSample) -> Differences {
        self.take(&self.services.goal, |goal, received, read| {
            let header = received.header;
            if header.flags & REFUSED != 0 {
                self.rows.refuse(goal);
                self.wake();
                return;
            }
            if !goal.accept(read) {
                self.counts.repeated.fetch_add(1, Ordering::Relaxed);
                return;
            }
            let mut request = self.header(header.seq, 0);
            request.sent_ns = read;
            let outcome = call(&self.services.result, &mut asks, &request, PATIENCE_NS);
            self.counts.failures.fetch_add(u64::from(outcome.is_err()), Ordering::Relaxed);
            if self.goals.is_cancelled(header.seq) {
                self.wake();
            }
        });
        Differences::default()
    }

    /// The thread of `get_result`.
    fn take_results(&self) -> Differences {
        let mut differences = Differences::default();
        self.take(&self.services.result, |goal, received, read| {
            let header = received.header;
            if header.flags & REFUSED != 0 {
                // The server does not know the goal: it has no result.
                return;
            }
            if self.verify || self.bodies.is_spot(header.seq) {
                self.bodies.judge(header.seq, received.body, &mut differences);
            }
            let outcome = Outcome {
                result_ns: read,
                ended_ns: header.echo_read_ns,
                feedback_sent: header.echo_sent_ns as u64,
                cancelled: header.flags & CANCELLED != 0,
            };
            if self.rows.finish(goal, &outcome) {
                self.wake();
            } else {
                let counter =
                    if goal.has_result() { &self.counts.repeated } else { &self.counts.late };
                counter.fetch_add(1, Ordering::Relaxed);
            }
        });
        differences
    }

    /// The thread of `cancel_goal`.
    fn take_cancels(&self) -> Differences {
        self.take(&self.services.cancel, |goal, _, read| {
            if !goal.answer_cancel(read) {
                self.counts.repeated.fetch_add(1, Ordering::Relaxed);
            }
        });
        Differences::default()
    }

    /// Takes what a reader has, for each sample to this client with its goal and the time. Hot.
    #[inline]
    fn take_published(&self, taker: &Taker, mut each: impl FnMut(&Goal, &Received, i64)) {
        loop {
            let taken = taker.take(BATCH as u32, &mut |received| {
                let read = now_ns();
                let header = received.header;
                if header.cookie != self.cookie {
                    self.counts.foreign.fetch_add(1, Ordering::Relaxed);
                    return;
                }
                // All clients read what is published of each.
                if is_own(header, self.cookie, self.id)
                    && let Some(goal) = self.rows.get(header.seq)
                {
                    each(goal, received, read);
                }
            });
            if !taken.is_ok_and(|taken| taken as usize == BATCH) {
                return;
            }
        }
    }
}

/// Sends a request, again while the middleware has no room for it; how often it had none. Hot.
#[inline]
fn call(
    service: &AnyService,
    sample: &mut AnyServiceSample,
    header: &Header,
    patience_ns: i64,
) -> Result<u64, Status> {
    let (begin, mut blocked, mut request) = (header.sent_ns, 0, 0);
    loop {
        match service.send(sample, header, &mut request) {
            Ok(()) => return Ok(blocked),
            Err(Status::Timeout | Status::Resources) if now_ns() < begin + patience_ns => {
                blocked += 1;
                std::thread::yield_now();
            }
            Err(status) => return Err(status),
        }
    }
}

impl OnData for Feedback {
    fn on_data(&self, taker: &Taker) {
        let Some(mut differences) = self.differences.get() else { return };
        let core = &*self.core;
        core.take_published(taker, |goal, received, read| {
            let header = received.header;
            if core.verify || core.bodies.is_spot(header.seq) {
                core.bodies.judge(header.seq, received.body, &mut differences);
            }
            if !goal.feed(header.echo_read_ns as u64, header.sent_ns, read) {
                core.counts.repeated.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
}

impl OnData for Statuses {
    fn on_data(&self, taker: &Taker) {
        self.0.take_published(taker, |goal, _, _| goal.count_status());
    }
}

impl Drop for ActionClient {
    fn drop(&mut self) {
        self.close();
    }
}

impl Role for ActionClient {
    fn number(&self) -> u32 {
        self.core.id
    }

    fn control(&self) -> Option<Arc<Control>> {
        Some(Arc::clone(&self.core.control))
    }

    fn writers(&self) -> Vec<(&str, &WriterHandle)> {
        self.core.services.writers()
    }

    fn readers(&self) -> Vec<(&str, &ReaderHandle)> {
        let mut found = self.core.services.readers();
        let named = |reader| (self.names.feedback.as_str(), reader);
        found.extend(self.feedback.reader().map(named));
        found.extend(self.status.reader().map(|reader| (self.names.status.as_str(), reader)));
        found
    }

    fn services(&self) -> Vec<(&str, &ServiceHandle)> {
        self.core.services.native()
    }

    fn start(&mut self) {
        let Some(asks) = self.asks.take() else { return };
        let [goals, results, cancels] = [(); 3].map(|()| Arc::clone(&self.core));
        self.threads.push(std::thread::spawn(move || goals.take_acceptances(asks)));
        self.threads.push(std::thread::spawn(move || results.take_results()));
        self.threads.push(std::thread::spawn(move || cancels.take_cancels()));
        self.feedback.start();
        self.status.start();
    }

    fn run(&mut self) -> Option<Result<RunReport, Failure>> {
        let core = &*self.core;
        core.control.runs_here();
        let _ = core.main.set(std::thread::current());
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
        let (progress, sent) = (&sender.progress, core.measured(&sender));
        Some(outcome.map(|()| progress.run_report("action_client", core.id, sent)))
    }

    fn finish(&mut self) -> Result<Recorded, Failure> {
        let reader_counters = self.feedback.reader().map(ReaderHandle::counters);
        let mut differences = self.close();
        self.feedback.close();
        self.status.close();
        let core = &self.core;
        let busy = || Failure::new("failed", "the client is still at work");
        let sender = core.sender.get().ok_or_else(busy)?;
        differences.add(&*self.feedback.handler().differences.get().ok_or_else(busy)?);
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let report = RoleReport {
            role: "action_client".into(),
            writer: core.id,
            foreign: count(&core.counts.foreign),
            corrupted: core.bodies.are_seen().then_some(differences.corrupted),
            other_size: differences.other_size,
            echo_failures: count(&core.counts.failures),
            goals: sender.first.map(|first| core.rows.reports(first)).unwrap_or_default(),
            requests: Some(RequestReport {
                late: count(&core.counts.late),
                misrouted: count(&core.counts.misrouted),
                ..sender.progress.request_report(core.services.by_topics())
            }),
            reader_counters,
            reply_mode: "loop".into(),
            ..RoleReport::default()
        };
        Ok(Recorded { report, rows: None })
    }
}
