//! Executes goals: accepts each, publishes its status and feedback, and responds with its result.
//!
//! A thread for each service, for an end is waited for by itself (C44). The thread of `send_goal` executes,
//! too: it waits for goals until the next feedback or result is due, as a node with one timer would. The
//! others only note what was asked; so feedback and status have one writing thread, as C17 wants it. A goal
//! that is cancelled ends when it is looked at next, as in a user's loop that asks whether it is.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use busmark_adapter::{
    AnyService, AnyServiceSample, Error, Header, ReaderHandle, SampleHandle, ServiceHandle, Side,
    Status, WriterHandle,
};
use busmark_measure::now_ns;

use super::actions::{CANCELLED, Names, REFUSED, SMALL, Services, status};
use super::bodies::{Bodies, Differences, Samples};
use super::{Context, Recorded, Role};
use crate::protocol::{Failure, Goals, RequestReport, RoleReport, RoleSpec};

/// How long a thread waits before it looks whether it should stop, ns.
const NAP_NS: i64 = 50_000_000;
/// Requests that a thread takes at a time, at most.
const MOST: usize = 64;

/// No goal.
const FREE: u32 = 0;
const EXECUTING: u32 = 1;
/// Its client has asked to cancel it.
const CANCELING: u32 = 2;
/// Too late to cancel it; its result is not ready yet.
const ENDING: u32 = 3;
/// It has ended; nobody has asked for its result yet.
const ENDED: u32 = 4;

/// The server of an action.
pub struct ActionServer {
    id: u32,
    names: Names,
    core: Arc<Core>,
    /// Until the threads start.
    prepared: Option<(Executing, AnyServiceSample)>,
    threads: Vec<JoinHandle<Differences>>,
}

/// What only the thread of `send_goal` touches.
struct Executing {
    accepts: AnyServiceSample,
    feedback: Samples,
    status: SampleHandle,
}

struct Core {
    id: u32,
    cookie: u64,
    verify: bool,
    goals: Goals,
    timeout_ns: i64,
    services: Services,
    feedback: WriterHandle,
    status: WriterHandle,
    bodies: Bodies,
    slots: Box<[Slot]>,
    /// Results are sent by the thread that ends a goal, or by the one that takes the request for it.
    results: Mutex<Samples<AnyServiceSample>>,
    stop: AtomicBool,
    taken: AtomicU64,
    answered: AtomicU64,
    failures: AtomicU64,
    foreign: AtomicU64,
}

/// Room for a goal.
#[derive(Default)]
struct Slot {
    state: AtomicU32,
    client: AtomicU32,
    number: AtomicU64,
    /// Flags of all that is sent to its client.
    flags: AtomicU32,
    begun_ns: AtomicI64,
    ended_ns: AtomicI64,
    /// Feedback messages so far.
    feedback: AtomicU64,
    cancelled: AtomicBool,
    /// The request for its result, while `asked`.
    request: AtomicU64,
    asked: AtomicBool,
}

/// A request that was taken.
#[derive(Clone, Copy)]
struct Taken {
    header: Header,
    handle: u64,
}

const NOTHING: Taken = Taken { header: NO_HEADER, handle: 0 };
const NO_HEADER: Header = Header {
    cookie: 0,
    seq: 0,
    intended_ns: 0,
    sent_ns: 0,
    echo_sent_ns: 0,
    echo_delivered_ns: 0,
    echo_read_ns: 0,
    writer_id: 0,
    flags: 0,
};

impl ActionServer {
    /// Makes the server's ends. `spec` is a `RoleSpec::ActionServer`.
    pub fn new(context: &Context, spec: RoleSpec) -> Result<Self, Error> {
        let RoleSpec::ActionServer { writer: id, action, stream, goals, room, timeout_ns } = spec
        else {
            return Err(Status::Invalid.error("not an action server"));
        };
        let names = Names::new(&action);
        let services = Services::new(context, &names, &stream, Side::Server, id)?;
        let bodies = Bodies::new(&stream, context.cookie)?;
        let feedback = context.participant.writer(&stream.endpoint(&names.feedback))?;
        let mut config = stream.endpoint(&names.status);
        config.max_body_bytes = SMALL as u64;
        let status = context.participant.writer(&config)?;
        let cancels = services.cancel.sample(&[0; SMALL])?;
        let executing = Executing {
            accepts: services.goal.sample(&[0; SMALL])?,
            feedback: bodies.samples(&feedback)?,
            status: status.sample(&[0; SMALL])?,
        };
        let core = Core {
            id,
            cookie: context.cookie,
            verify: stream.verify,
            goals,
            timeout_ns,
            results: Mutex::new(bodies.samples_by(|body| services.result.sample(body))?),
            services,
            feedback,
            status,
            bodies,
            slots: (0..room).map(|_| Slot::default()).collect(),
            stop: AtomicBool::new(false),
            taken: AtomicU64::new(0),
            answered: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            foreign: AtomicU64::new(0),
        };
        let core = Arc::new(core);
        let prepared = Some((executing, cancels));
        Ok(Self { id, names, core, prepared, threads: Vec::new() })
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
    /// The thread of `send_goal`: waits for goals until something of those under way is due.
    fn execute(&self, mut own: Executing) -> Differences {
        let mut differences = Differences::default();
        let mut taken = [NOTHING; MOST];
        while !self.stop.load(Ordering::Relaxed) {
            let wait_ns = (self.next_ns() - now_ns()).clamp(0, NAP_NS);
            let body = |header: &Header, body: &[u8]| {
                if self.verify || self.bodies.is_spot(header.seq) {
                    self.bodies.judge(header.seq, body, &mut differences);
                }
            };
            let count = self.take(&self.services.goal, wait_ns, &mut taken, body);
            for goal in &taken[..count] {
                self.accept(goal, &mut own);
            }
            for slot in &self.slots {
                self.advance(slot, &mut own);
            }
        }
        differences
    }

    /// Waits for requests and takes some. Hot.
    #[inline]
    fn take(
        &self,
        service: &AnyService,
        wait_ns: i64,
        taken: &mut [Taken; MOST],
        mut body: impl FnMut(&Header, &[u8]),
    ) -> usize {
        match service.wait(Duration::from_nanos(wait_ns as u64)) {
            Ok(()) => {}
            Err(Status::Timeout) => return 0,
            // A broken end must not become a busy loop; the missing responses tell.
            Err(_) => {
                std::thread::sleep(Duration::from_nanos(NAP_NS as u64));
                return 0;
            }
        }
        let mut count = 0;
        let _ = service.take(MOST as u32, &mut |received| {
            if received.header.cookie != self.cookie {
                self.foreign.fetch_add(1, Ordering::Relaxed);
                let _ = service.forget(received.request);
                return;
            }
            body(received.header, received.body);
            taken[count] = Taken { header: *received.header, handle: received.request };
            count += 1;
        });
        count
    }

    /// When something is due next of the goals under way. Hot.
    #[inline]
    fn next_ns(&self) -> i64 {
        let due = self.slots.iter().map(|slot| match slot.state.load(Ordering::Acquire) {
            EXECUTING => {
                let begun = slot.begun_ns.load(Ordering::Relaxed);
                let next = slot.feedback.load(Ordering::Relaxed) as i64 * self.goals.feedback_ns;
                let is_last = self.goals.feedback_ns == 0 || next >= self.goals.time_ns;
                begun + if is_last { self.goals.time_ns } else { next }
            }
            CANCELING => 0,
            _ => i64::MAX,
        });
        due.min().unwrap_or(i64::MAX)
    }

    /// Accepts a goal, if there is room for it. Hot.
    #[inline]
    fn accept(&self, goal: &Taken, own: &mut Executing) {
        self.taken.fetch_add(1, Ordering::Relaxed);
        let Taken { header, mut handle } = *goal;
        let is_free = |slot: &&Slot| slot.state.load(Ordering::Acquire) == FREE;
        let slot = self.slots.iter().find(is_free);
        let now = now_ns();
        let mut flags = header.answer_flags();
        if let Some(slot) = slot {
            slot.client.store(header.writer_id, Ordering::Relaxed);
            slot.number.store(header.seq, Ordering::Relaxed);
            slot.flags.store(flags, Ordering::Relaxed);
            slot.begun_ns.store(now, Ordering::Relaxed);
            slot.feedback.store(0, Ordering::Relaxed);
            slot.cancelled.store(false, Ordering::Relaxed);
            slot.asked.store(false, Ordering::Relaxed);
            slot.state.store(EXECUTING, Ordering::Release);
        } else {
            flags |= REFUSED;
        }
        let response = Header {
            cookie: self.cookie,
            seq: header.seq,
            intended_ns: header.intended_ns,
            sent_ns: now,
            echo_sent_ns: header.sent_ns,
            echo_read_ns: now,
            writer_id: self.id,
            flags,
            ..NO_HEADER
        };
        let outcome = self.services.goal.send(&mut own.accepts, &response, &mut handle);
        self.count_failure(outcome);
        if let Some(slot) = slot {
            self.publish_status(slot, status::ACCEPTED, own);
            self.publish_status(slot, status::EXECUTING, own);
        }
    }

    /// Does what is due of a goal. Hot.
    #[inline]
    fn advance(&self, slot: &Slot, own: &mut Executing) {
        let state = slot.state.load(Ordering::Acquire);
        if state == FREE {
            return;
        }
        let now = now_ns();
        if state == ENDED {
            // Its client has given it up.
            if now - slot.ended_ns.load(Ordering::Relaxed) > self.timeout_ns {
                slot.state.store(FREE, Ordering::Release);
            }
            return;
        }
        let begun = slot.begun_ns.load(Ordering::Relaxed);
        let due = self.goals.feedback_due(now - begun);
        let mut sent = slot.feedback.load(Ordering::Relaxed);
        while state == EXECUTING && sent < due {
            self.publish_feedback(slot, begun, sent, own);
            sent += 1;
            slot.feedback.store(sent, Ordering::Relaxed);
        }
        if state == EXECUTING && now - begun < self.goals.time_ns {
            return;
        }
        let (from, to) = (EXECUTING, ENDING);
        let is_cancelled = |of: &AtomicU32| {
            of.compare_exchange(from, to, Ordering::SeqCst, Ordering::SeqCst).is_err()
        };
        let cancelled = state == CANCELING || is_cancelled(&slot.state);
        slot.ended_ns.store(now_ns(), Ordering::Relaxed);
        slot.cancelled.store(cancelled, Ordering::Relaxed);
        slot.state.store(ENDED, Ordering::SeqCst);
        // As in rclcpp, the result comes before the status. Nobody else takes the slot for another goal.
        self.respond_if_asked(slot);
        let code = if cancelled { status::CANCELLED } else { status::SUCCEEDED };
        self.publish_status(slot, code, own);
    }

    fn publish_feedback(&self, slot: &Slot, begun: i64, index: u64, own: &mut Executing) {
        let number = slot.number.load(Ordering::Relaxed);
        let header = Header {
            cookie: self.cookie,
            seq: number,
            intended_ns: begun + index as i64 * self.goals.feedback_ns,
            sent_ns: now_ns(),
            echo_read_ns: index as i64,
            writer_id: self.id,
            flags: slot.flags.load(Ordering::Relaxed),
            ..NO_HEADER
        };
        let outcome = self.feedback.write(own.feedback.of(number), &header);
        self.count_failure(outcome);
    }

    fn publish_status(&self, slot: &Slot, code: i64, own: &mut Executing) {
        let header = Header {
            cookie: self.cookie,
            seq: slot.number.load(Ordering::Relaxed),
            sent_ns: now_ns(),
            echo_read_ns: code,
            writer_id: self.id,
            flags: slot.flags.load(Ordering::Relaxed),
            ..NO_HEADER
        };
        let outcome = self.status.write(&mut own.status, &header);
        self.count_failure(outcome);
    }

    /// Responds with the result of a goal that has ended, if it was asked for and nobody else does. Hot.
    #[inline]
    fn respond_if_asked(&self, slot: &Slot) {
        if !slot.asked.swap(false, Ordering::SeqCst) {
            return;
        }
        let mut handle = slot.request.load(Ordering::Relaxed);
        let number = slot.number.load(Ordering::Relaxed);
        let cancelled = slot.cancelled.load(Ordering::Relaxed);
        let response = Header {
            cookie: self.cookie,
            seq: number,
            sent_ns: now_ns(),
            echo_sent_ns: slot.feedback.load(Ordering::Relaxed) as i64,
            echo_read_ns: slot.ended_ns.load(Ordering::Relaxed),
            writer_id: self.id,
            flags: slot.flags.load(Ordering::Relaxed) | if cancelled { CANCELLED } else { 0 },
            ..NO_HEADER
        };
        let outcome = {
            let mut samples = self.results.lock().unwrap_or_else(PoisonError::into_inner);
            self.services.result.send(samples.of(number), &response, &mut handle)
        };
        self.answered.fetch_add(u64::from(outcome.is_ok()), Ordering::Relaxed);
        self.count_failure(outcome);
        slot.state.store(FREE, Ordering::Release);
    }

    fn slot_of(&self, header: &Header) -> Option<&Slot> {
        self.slots.iter().find(|slot| {
            slot.state.load(Ordering::Acquire) != FREE
                && slot.number.load(Ordering::Relaxed) == header.seq
                && slot.client.load(Ordering::Relaxed) == header.writer_id
        })
    }

    /// The thread of `get_result`: keeps requests until their goals have ended.
    fn give_results(&self) -> Differences {
        let mut taken = [NOTHING; MOST];
        while !self.stop.load(Ordering::Relaxed) {
            let count = self.take(&self.services.result, NAP_NS, &mut taken, |_, _| ());
            for Taken { header, handle } in &taken[..count] {
                let Some(slot) = self.slot_of(header) else {
                    self.refuse(header, *handle);
                    continue;
                };
                slot.request.store(*handle, Ordering::Relaxed);
                slot.asked.store(true, Ordering::SeqCst);
                if slot.state.load(Ordering::SeqCst) == ENDED {
                    self.respond_if_asked(slot);
                }
            }
        }
        Differences::default()
    }

    /// There is no such goal, or no more.
    #[cold]
    fn refuse(&self, header: &Header, mut handle: u64) {
        let response = Header {
            cookie: self.cookie,
            seq: header.seq,
            sent_ns: now_ns(),
            writer_id: self.id,
            flags: header.answer_flags() | REFUSED,
            ..NO_HEADER
        };
        let mut samples = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = self.services.result.send(samples.of(header.seq), &response, &mut handle);
        self.count_failure(outcome);
    }

    /// The thread of `cancel_goal`: notes which goals are to end, and answers at once.
    fn cancel(&self, mut sample: AnyServiceSample) -> Differences {
        let mut taken = [NOTHING; MOST];
        while !self.stop.load(Ordering::Relaxed) {
            let count = self.take(&self.services.cancel, NAP_NS, &mut taken, |_, _| ());
            for Taken { header, mut handle } in taken[..count].iter().copied() {
                let accepted = self.slot_of(&header).is_some_and(|slot| {
                    let state = &slot.state;
                    let (from, to) = (EXECUTING, CANCELING);
                    state.compare_exchange(from, to, Ordering::SeqCst, Ordering::SeqCst).is_ok()
                });
                let response = Header {
                    cookie: self.cookie,
                    seq: header.seq,
                    sent_ns: now_ns(),
                    echo_sent_ns: header.sent_ns,
                    writer_id: self.id,
                    flags: header.answer_flags() | if accepted { 0 } else { REFUSED },
                    ..NO_HEADER
                };
                let outcome = self.services.cancel.send(&mut sample, &response, &mut handle);
                self.count_failure(outcome);
            }
        }
        Differences::default()
    }

    fn count_failure(&self, outcome: Result<(), Status>) {
        self.failures.fetch_add(u64::from(outcome.is_err()), Ordering::Relaxed);
    }
}

impl Drop for ActionServer {
    fn drop(&mut self) {
        self.close();
    }
}

impl Role for ActionServer {
    fn number(&self) -> u32 {
        self.id
    }

    fn writers(&self) -> Vec<(&str, &WriterHandle)> {
        let mut found = self.core.services.writers();
        found.push((self.names.feedback.as_str(), &self.core.feedback));
        found.push((self.names.status.as_str(), &self.core.status));
        found
    }

    fn readers(&self) -> Vec<(&str, &ReaderHandle)> {
        self.core.services.readers()
    }

    fn services(&self) -> Vec<(&str, &ServiceHandle)> {
        self.core.services.native()
    }

    fn start(&mut self) {
        let Some((executing, cancels)) = self.prepared.take() else { return };
        let (goals, results, cancel) =
            (Arc::clone(&self.core), Arc::clone(&self.core), Arc::clone(&self.core));
        self.threads.push(std::thread::spawn(move || goals.execute(executing)));
        self.threads.push(std::thread::spawn(move || results.give_results()));
        self.threads.push(std::thread::spawn(move || cancel.cancel(cancels)));
    }

    fn finish(&mut self) -> Result<Recorded, Failure> {
        let differences = self.close();
        let core = &self.core;
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let report = RoleReport {
            role: "action_server".into(),
            writer: self.id,
            foreign: count(&core.foreign),
            corrupted: core.bodies.are_seen().then_some(differences.corrupted),
            other_size: differences.other_size,
            echo_failures: count(&core.failures),
            requests: Some(RequestReport {
                by_topics: core.services.by_topics(),
                taken: count(&core.taken),
                answered: count(&core.answered),
                ..RequestReport::default()
            }),
            writer_counters: Some(core.feedback.counters()),
            reply_mode: "loop".into(),
            ..RoleReport::default()
        };
        Ok(Recorded { report, rows: None })
    }
}
