//! The hot path of a pinger: writes pings, records pongs, keeps the closed loop going.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread::Thread;

use busmark_adapter::{Header, HotCell, OnData, Status, Taker, WriterHandle};
use busmark_measure::{Arrival, Ledger, Recorder, Row, now_ns};

use super::super::bodies::{Bodies, Differences, Samples};
use super::super::control::{Control, STOPPED};
use super::super::responder::BATCH;
use super::super::senders::{Answered, Senders};
use crate::protocol::{Schedule, StreamSpec};

/// Whose turn it is in a closed loop. Whoever moves the turn away from `WAITING` or finds `ARRIVED`
/// after `WRITING` owns the loop, so that exactly one thread writes, also where the pong arrives within
/// the write (synchronous delivery) or on another thread before the write has returned.
pub(super) mod turn {
    /// A ping is on its way.
    pub const WAITING: u32 = 0;
    /// Somebody is writing the next ping.
    pub const WRITING: u32 = 1;
    /// The pong is there.
    pub const ARRIVED: u32 = 2;
}

/// What listener and runner share.
pub(super) struct Core {
    pub(super) cookie: u64,
    pub(super) id: u32,
    pub(super) responders: Senders,
    pub(super) stream: StreamSpec,
    pub(super) bodies: Bodies,
    pub(super) schedule: Schedule,
    pub(super) writer: WriterHandle,
    pub(super) recorder: Arc<Recorder>,
    pub(super) polled: bool,
    pub(super) hands_over: bool,
    pub(super) turn: AtomicU32,
    /// What the last ping carried: sequence number × 2, plus 1 in the warm-up.
    pub(super) current: AtomicU64,
    /// Pings that every responder has answered.
    pub(super) received: AtomicU64,
    pub(super) done: AtomicBool,
    pub(super) closed_loop: AtomicBool,
    pub(super) control: Arc<Control>,
    /// The closed loop pauses: no ping is on its way.
    pub(super) held: AtomicBool,
    pub(super) runner: HotCell<Option<Thread>>,
    pub(super) pings: HotCell<Pings>,
    pub(super) pongs: HotCell<Pongs>,
}

/// The writing side; whoever has the turn has it.
pub(super) struct Pings {
    pub(super) samples: Samples,
    pub(super) seq: u64,
    pub(super) warm: bool,
    pub(super) started_ns: i64,
    pub(super) begin_ns: i64,
    pub(super) last_ns: i64,
    /// When the last write had returned.
    pub(super) end_ns: i64,
    pub(super) ended: &'static str,
    pub(super) blocked: u64,
    pub(super) failure: Option<Status>,
    /// Generation of the control cell.
    pub(super) seen: u32,
}

/// What came of a step of the closed loop.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Written,
    /// The loop pauses.
    Held,
    /// The measurement ends.
    Over,
}

/// The receiving side; the listener or the reading thread has it.
pub(super) struct Pongs {
    /// One for each responder.
    pub(super) ledgers: Vec<Ledger>,
    /// The ping that is on its way.
    pub(super) answered: Answered,
    pub(super) foreign: u64,
    pub(super) differences: Differences,
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
    /// Records what is there; whether the current ping is now answered, by every responder. Hot.
    pub(super) fn take_pongs(&self, taker: &Taker, mut delivered: i64) -> bool {
        let Some(mut pongs) = self.pongs.get() else { return false };
        let pongs = &mut *pongs;
        let mut arrived = false;
        loop {
            let taken = taker.take(BATCH as u32, &mut |received| {
                let read = now_ns();
                let header = received.header;
                // One of our own pings is no pong, however it came here.
                let position = self.responders.position(header.writer_id);
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
                // After the stamp of reading; the next ping of a closed loop waits for it.
                if self.stream.verify || self.bodies.is_spot(header.seq) {
                    self.bodies.judge(header.seq, received.body, &mut pongs.differences);
                }
                match pongs.ledgers[position].enter(header.seq) {
                    Arrival::InOrder | Arrival::OutOfOrder => {}
                    Arrival::Duplicate | Arrival::Ancient => return,
                }
                let Some(row) = self.recorder.row(header.seq) else { return };
                let answers = Row::get(&row.answers).unwrap_or(0) + 1;
                Row::set(&row.answers, answers);
                // A ping that several answer is complete with the last of their pongs.
                if answers as usize == self.responders.ids().len() {
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
    pub(super) fn write_while_arriving(&self) {
        let Some(mut pings) = self.pings.get() else { return };
        loop {
            self.turn.store(turn::WRITING, Ordering::Release);
            let step = self.write_next(&mut pings);
            if step == Step::Over {
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

    /// One ping of the closed loop, unless it pauses or ends. Hot.
    #[expect(clippy::inline_always, reason = "a call of its own would be more than what it does")]
    #[inline(always)]
    pub(super) fn write_next(&self, pings: &mut Pings) -> Step {
        let now = now_ns();
        if pings.warm && now >= pings.started_ns + self.schedule.warmup_ns {
            self.begin(pings, now);
        }
        if !pings.warm && self.is_over(pings, now) {
            return Step::Over;
        }
        if self.control.is_new(pings.seen)
            && let Some(step) = self.steer(pings)
        {
            return step;
        }
        if self.write_at(pings, now, now) { Step::Written } else { Step::Over }
    }

    /// Does what is asked of the closed loop; the step, if it is none that writes.
    #[cold]
    fn steer(&self, pings: &mut Pings) -> Option<Step> {
        let wanted = self.control.take(&mut pings.seen);
        if wanted.stopped {
            pings.ended = STOPPED;
            return Some(Step::Over);
        }
        self.held.store(wanted.paused, Ordering::Release);
        if wanted.paused {
            // So that every further step comes here until the pause ends.
            pings.seen = pings.seen.wrapping_sub(1);
            return Some(Step::Held);
        }
        None
    }

    /// The measurement begins: sequence numbers start again.
    #[cold]
    pub(super) fn begin(&self, pings: &mut Pings, now: i64) {
        pings.warm = false;
        pings.seq = 0;
        pings.begin_ns = now;
        (pings.last_ns, pings.end_ns) = (now, now);
        self.control.begins(now);
    }

    pub(super) fn is_over(&self, pings: &mut Pings, now: i64) -> bool {
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
    pub(super) fn write_at(&self, pings: &mut Pings, intended: i64, mut sent: i64) -> bool {
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
            pings.end_ns = now_ns();
            Row::set(&row.written_ns, pings.end_ns);
        }
        pings.last_ns = sent;
        pings.seq += 1;
        true
    }
}
