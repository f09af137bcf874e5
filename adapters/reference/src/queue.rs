//! What a reader stores: history, limits, lifespan, deadline and filter in one place.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use busmark_adapter::{Header, Sink, Status};

use crate::clock::{monotonic_ns, realtime_ns};
use crate::deadline::Deadline;
use crate::endpoint::{History, Quality};
use crate::link::Client;

/// Places that are allocated in advance, at most.
const RESERVE: usize = 1 << 16;

/// A sample on its way.
#[derive(Clone)]
pub struct Message {
    pub header: Header,
    pub body: Arc<[u8]>,
    /// `CLOCK_MONOTONIC`; `i64::MAX`: never.
    pub expires_ns: i64,
    /// `CLOCK_REALTIME`.
    pub source_ns: i64,
    /// The client's number of a request, which its response repeats.
    pub request: u64,
    /// The client that asks; a response has none.
    pub from: Option<Arc<Client>>,
}

pub struct Stored {
    pub message: Message,
    pub reception_ns: i64,
}

struct State {
    stored: VecDeque<Stored>,
    /// A stored sample may expire.
    mortal: bool,
    /// Places that were promised to writers.
    reserved: usize,
    /// Samples stored since the beginning.
    arrivals: u64,
    rejected: u64,
    deadline: Deadline,
    last_accepted_ns: Option<i64>,
    closed: bool,
}

/// A reader's store. Writers reserve a place before they send, so that a reliable sample is either
/// refused before anybody has it, or accepted by all.
pub struct Queue {
    state: Mutex<State>,
    arrived: Condvar,
    room: Condvar,
    history: History,
    separation_ns: Option<i64>,
}

impl State {
    fn drop_expired(&mut self) {
        if self.mortal {
            let now = monotonic_ns();
            self.stored.retain(|s| s.message.expires_ns > now);
            self.mortal = !self.stored.is_empty();
        }
    }
}

impl Queue {
    pub fn new(quality: &Quality) -> Self {
        let state = State {
            // All at once, so that no write allocates.
            stored: VecDeque::with_capacity(quality.history.limit().min(RESERVE) + 1),
            mortal: false,
            reserved: 0,
            arrivals: 0,
            rejected: 0,
            deadline: Deadline::new(quality.deadline_ns),
            last_accepted_ns: None,
            closed: false,
        };
        Self {
            state: Mutex::new(state),
            arrived: Condvar::new(),
            room: Condvar::new(),
            history: quality.history,
            separation_ns: quality.separation_ns,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Promises a place for one sample; waits for it until `until`, for ever with `None`.
    pub fn reserve(&self, until: Option<Instant>) -> Result<(), Status> {
        let mut state = self.lock();
        loop {
            if self.is_full(&state) {
                state.drop_expired();
            }
            if state.closed || !self.is_full(&state) {
                state.reserved += 1;
                return Ok(());
            }
            // A sample that expires makes room without telling, hence steps.
            let step = Duration::from_millis(10);
            let wait =
                until.map_or(step, |u| step.min(u.saturating_duration_since(Instant::now())));
            if wait.is_zero() {
                return Err(Status::Timeout);
            }
            state = self.room.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Keeping the last samples there is always room: the oldest goes.
    fn is_full(&self, state: &State) -> bool {
        match self.history {
            History::All(limit) => state.stored.len() + state.reserved >= limit,
            History::Last(_) => false,
        }
    }

    /// Gives a promised place back.
    pub fn release(&self) {
        self.lock().reserved -= 1;
        self.room.notify_all();
    }

    /// Stores a sample in a promised place.
    pub fn push_reserved(&self, message: Message) {
        let mut state = self.lock();
        state.reserved -= 1;
        self.store(state, message);
    }

    /// Stores a sample if there is room, else counts it as rejected.
    pub fn offer(&self, message: Message) {
        let mut state = self.lock();
        if self.is_full(&state) {
            state.drop_expired();
            if self.is_full(&state) {
                state.rejected += 1;
                return;
            }
        }
        self.store(state, message);
    }

    fn store(&self, mut state: MutexGuard<'_, State>, message: Message) {
        let now = monotonic_ns();
        let early = self.separation_ns.zip(state.last_accepted_ns);
        if state.closed || early.is_some_and(|(separation, last)| now - last < separation) {
            self.room.notify_all();
            return;
        }
        state.last_accepted_ns = Some(now);
        state.mortal |= message.expires_ns != i64::MAX;
        state.deadline.sample(now);
        state.stored.push_back(Stored { message, reception_ns: realtime_ns() });
        if let History::Last(depth) = self.history
            && state.stored.len() > depth
        {
            state.stored.pop_front();
        }
        state.arrivals += 1;
        drop(state);
        self.arrived.notify_all();
    }

    /// Gives at most `max` samples to the sink.
    pub fn take(&self, max: usize, sink: &mut Sink) -> Result<usize, Status> {
        self.take_each(max, |stored| {
            let Message { header, body, source_ns, .. } = &stored.message;
            sink.deliver_stamped(header, body, *source_ns, stored.reception_ns);
        })
    }

    /// Gives at most `max` samples to `body`.
    pub fn take_each(&self, max: usize, mut body: impl FnMut(Stored)) -> Result<usize, Status> {
        let mut taken = 0;
        while taken < max {
            let mut state = self.lock();
            state.drop_expired();
            let Some(stored) = state.stored.pop_front() else { break };
            drop(state);
            self.room.notify_all();
            body(stored);
            taken += 1;
        }
        if taken == 0 { Err(Status::NoData) } else { Ok(taken) }
    }

    /// Sleeps until there is something to take.
    pub fn wait(&self, timeout: Duration) -> Result<(), Status> {
        let until = Instant::now().checked_add(timeout);
        let mut state = self.lock();
        loop {
            state.drop_expired();
            if !state.stored.is_empty() {
                return Ok(());
            }
            let left = until.map_or(timeout, |u| u.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return Err(Status::Timeout);
            }
            state =
                self.arrived.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Sleeps until more than `announced` samples have arrived; their number, `None` when closed.
    pub fn next_arrivals(&self, announced: u64) -> Option<u64> {
        let mut state = self.lock();
        while !state.closed && state.arrivals == announced {
            state = self.arrived.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        (!state.closed).then_some(state.arrivals)
    }

    /// Nobody takes any more: writers need not wait, threads end.
    pub fn close(&self) {
        self.lock().closed = true;
        self.arrived.notify_all();
        self.room.notify_all();
    }

    pub fn set_deadline(&self, period_ns: i64) {
        self.lock().deadline.set_period(period_ns, monotonic_ns());
    }

    /// Rejected samples and missed deadlines.
    pub fn counters(&self) -> (u64, Option<u64>) {
        let mut state = self.lock();
        (state.rejected, state.deadline.missed(monotonic_ns()))
    }
}
