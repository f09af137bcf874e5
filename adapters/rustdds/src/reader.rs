//! A data reader: waitset or polling.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use busmark_adapter::{
    Counters, EndpointConfig, Entity, EntityKind, Listed, Reader, Result, Sink, Status, Wait,
};
use rustdds::mio1::{Events, Interest, Poll, Token};
use rustdds::{DataReaderStatus, GUID, RTPSEntity};

use crate::endpoints::Endpoints;
use crate::errors::create_error;
use crate::matches::Matches;
use crate::participant::RustParticipant;
use crate::qos;
use crate::types::Sample;

/// A reader of some type.
pub struct RustReader(pub(crate) Box<dyn Reading>);

/// What a [`RustReader`] does once the type is known.
pub(crate) trait Reading: Send + Sync {
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status>;
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status>;
    fn matched(&self) -> u32;
    fn counters(&self) -> Counters;
}

/// The crate's event loop, with this reader as its only source.
struct Waiter {
    poll: Poll,
    events: Events,
}

struct State<T, E: Endpoints<T>> {
    reader: E::Reader,
    waiter: Option<Waiter>,
    /// Samples that the crate has given and the sink has not got yet.
    taken: VecDeque<T>,
    /// With keep-last: so many, the newest. What was fetched counts for the depth too.
    most: usize,
}

pub(crate) struct TypedReader<T, E: Endpoints<T>> {
    // A lock, not a hot cell: the reader alone reports what is counted, and any thread may ask
    // (C17).
    state: Mutex<State<T, E>>,
    guid: GUID,
    matches: Arc<Matches>,
    deadline: bool,
    deadline_missed: AtomicU64,
    _listed: Listed<Entity>,
}

impl<T: Sample, E: Endpoints<T>> TypedReader<T, E> {
    pub(crate) fn new(here: &RustParticipant, config: &EndpointConfig) -> Result<Self> {
        let topic = here.topic(config, E::KIND)?;
        let what = || format!("reader of {:?}", config.topic);
        let qos = qos::reader(config);
        let mut reader = E::reader(&here.subscriber, &topic, qos.clone())
            .map_err(|e| create_error(&e, &what()))?;
        let mut waiter = None;
        if config.wait == Wait::Waitset {
            let told = |e| Status::Resources.error(format!("{}: {e}", what()));
            let poll = Poll::new().map_err(told)?;
            poll.registry().register(&mut reader, Token(0), Interest::READABLE).map_err(told)?;
            waiter = Some(Waiter { poll, events: Events::with_capacity(1) });
        }
        let guid = reader.guid();
        Ok(Self {
            state: Mutex::new(State { reader, waiter, taken: VecDeque::new(), most: most(config) }),
            guid,
            matches: here.matches()?,
            deadline: config.qos.deadline_ns.is_some(),
            deadline_missed: AtomicU64::new(0),
            _listed: here.list(EntityKind::Reader, guid, config, &qos),
        })
    }

    #[inline]
    fn state(&self) -> MutexGuard<'_, State<T, E>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the reader's notifications. The crate drops what finds no room for five.
    fn note(&self, state: &State<T, E>) {
        while let Some(status) = E::status(&state.reader) {
            if let DataReaderStatus::RequestedDeadlineMissed { count } = status {
                self.deadline_missed.store(count.count().max(0) as u64, Ordering::Relaxed);
            }
        }
    }
}

/// Samples that are held at most; of keyed topics the crate holds the depth of each instance itself.
fn most(config: &EndpointConfig) -> usize {
    let keep_last = config.qos.keep_all == Some(false) && config.instances == 0;
    if keep_last { config.qos.depth.max(1) as usize } else { usize::MAX }
}

impl<T: Sample, E: Endpoints<T>> State<T, E> {
    /// Fetches what the crate has, unless there is still something and all is kept; whether there is
    /// something then.
    #[inline]
    fn fill(&mut self) -> std::result::Result<bool, Status> {
        if self.taken.is_empty() || self.most != usize::MAX {
            E::take(&mut self.reader, &mut self.taken).map_err(|_| Status::Failed)?;
        }
        while self.taken.len() > self.most {
            self.taken.pop_front();
        }
        Ok(!self.taken.is_empty())
    }
}

impl<T: Sample, E: Endpoints<T>> Reading for TypedReader<T, E> {
    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        let mut state = self.state();
        // Filled once: whoever falls behind comes back to his wait, which finds the rest, and to his clock.
        state.fill()?;
        let mut delivered = 0;
        while delivered < max
            && let Some(sample) = state.taken.pop_front()
        {
            sink.deliver(&sample.header().into(), sample.body());
            delivered += 1;
        }
        if self.deadline {
            self.note(&state);
        }
        if delivered == 0 { Err(Status::NoData) } else { Ok(delivered) }
    }

    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        let deadline = Instant::now() + timeout;
        let mut state = self.state();
        loop {
            // Taking clears earlier notifications; what comes afterwards is announced anew.
            if state.fill()? {
                return Ok(());
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Status::Timeout);
            }
            let Waiter { poll, events } = state.waiter.as_mut().ok_or(Status::Unsupported)?;
            match poll.poll(events, Some(left)) {
                Err(e) if e.kind() != ErrorKind::Interrupted => return Err(Status::Failed),
                _ => (),
            }
        }
    }

    fn matched(&self) -> u32 {
        self.matches.count(self.guid)
    }

    fn counters(&self) -> Counters {
        if !self.deadline {
            return Counters::default();
        }
        // Who takes or waits just now notes it himself.
        match self.state.try_lock() {
            Ok(state) => self.note(&state),
            Err(TryLockError::Poisoned(state)) => self.note(&state.into_inner()),
            Err(TryLockError::WouldBlock) => (),
        }
        let deadline_missed = Some(self.deadline_missed.load(Ordering::Relaxed));
        Counters { deadline_missed, ..Counters::default() }
    }
}

impl Reader for RustReader {
    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        self.0.take(max, sink)
    }

    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        self.0.wait(timeout)
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        Ok(self.0.matched())
    }

    fn counters(&self) -> Counters {
        self.0.counters()
    }
}
