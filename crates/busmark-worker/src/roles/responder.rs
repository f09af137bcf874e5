//! Answers every ping.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};

use busmark_adapter::{Error, Header, HotCell, OnData, ReaderHandle, Taker, Wait, WriterHandle};
use busmark_measure::{Recorder, now_ns};

use super::bodies::{Bodies, Differences};
use super::echo::Echo;
use super::stamps::{Stamps, filled};
use super::subscriber::Subscriber;
use super::{Context, Recorded, Role};
use crate::protocol::{Failure, First, RoleReport, StreamSpec};

/// Samples taken at a time.
pub(super) const BATCH: usize = 64;

/// A responder.
pub struct Responder {
    id: u32,
    topics: (String, String),
    writer: WriterHandle,
    /// T2 of its pongs, if that is asked for.
    answers: Option<Arc<Recorder>>,
    core: Arc<Core>,
    subscriber: Subscriber<Core>,
}

struct Core {
    cookie: u64,
    id: u32,
    bodies: Bodies,
    verify: bool,
    polled: bool,
    /// When the first ping came, whose it was, and its number.
    first_ns: AtomicI64,
    first: (AtomicU32, AtomicU64),
    state: HotCell<State>,
}

struct State {
    echo: Echo,
    pending: [(Header, i64); BATCH],
    foreign: u64,
    differences: Differences,
}

impl OnData for Core {
    fn on_data(&self, taker: &Taker) {
        let mut delivered = if self.polled { 0 } else { now_ns() };
        let Some(mut state) = self.state.get() else { return };
        let state = &mut *state;
        loop {
            let mut count = 0;
            let mut glimpse = None;
            let taken = taker.take(BATCH as u32, &mut |received| {
                let read = now_ns();
                // One of our own pongs is no ping: answering it would never end.
                if received.header.cookie != self.cookie || received.header.writer_id == self.id {
                    state.foreign += 1;
                    return;
                }
                if self.verify {
                    let body = received.body;
                    self.bodies.judge(received.header.seq, body, &mut state.differences);
                } else if self.bodies.is_spot(received.header.seq) {
                    // The pong must not wait: a piece is kept, and judged after it.
                    glimpse = Some(self.bodies.glimpse(received.header.seq, received.body));
                }
                state.pending[count] = (*received.header, read);
                count += 1;
            });
            for (ping, read) in &state.pending[..count] {
                state.echo.answer(ping, delivered, *read);
            }
            if let Some((ping, read)) = state.pending[..count].first()
                && self.first_ns.load(Ordering::Relaxed) == 0
            {
                self.first.0.store(ping.writer_id, Ordering::Relaxed);
                self.first.1.store(ping.seq, Ordering::Relaxed);
                self.first_ns.store(*read, Ordering::Release);
            }
            if let Some(glimpse) = glimpse {
                self.bodies.judge_glimpse(&glimpse, &mut state.differences);
            }
            if !taken.is_ok_and(|taken| taken as usize == BATCH) {
                return;
            }
            // What the next take gives may have come since.
            if !self.polled {
                delivered = now_ns();
            }
        }
    }
}

impl Responder {
    /// Makes writer and reader; answers as soon as it is started. With `rows`, so many pongs have a row
    /// for the moment when their write returned.
    pub fn new(
        context: &Context,
        id: u32,
        (ping, pong): (String, String),
        stream: &StreamSpec,
        rows: usize,
    ) -> Result<Self, Error> {
        let answers = (rows > 0).then(|| Arc::new(Recorder::new(rows)));
        let stamps = answers.as_ref().map(|rows| Stamps::new(Arc::clone(rows)));
        let echo = Echo::new(context, stream, &pong, id, stamps)?;
        let writer = echo.writer().clone();
        let pending = [(Header::default(), 0); BATCH];
        let core = Arc::new(Core {
            cookie: context.cookie,
            id,
            bodies: Bodies::new(stream, context.cookie)?,
            verify: stream.verify,
            polled: stream.wait == Wait::Poll,
            first_ns: AtomicI64::new(0),
            first: (AtomicU32::new(0), AtomicU64::new(0)),
            state: HotCell::new(State {
                echo,
                pending,
                foreign: 0,
                differences: Differences::default(),
            }),
        });
        let subscriber = Subscriber::new(context, &stream.endpoint(&ping), Arc::clone(&core))?;
        Ok(Self { id, topics: (ping, pong), writer, answers, core, subscriber })
    }
}

impl Role for Responder {
    fn number(&self) -> u32 {
        self.id
    }

    fn writers(&self) -> Vec<(&str, &WriterHandle)> {
        vec![(&self.topics.1, &self.writer)]
    }

    fn readers(&self) -> Vec<(&str, &ReaderHandle)> {
        self.subscriber.reader().map(|r| (self.topics.0.as_str(), r)).into_iter().collect()
    }

    fn start(&mut self) {
        self.subscriber.start();
    }

    fn firsts(&self) -> Vec<Option<First>> {
        let at_ns = self.core.first_ns.load(Ordering::Acquire);
        let writer = self.core.first.0.load(Ordering::Relaxed);
        let before = self.core.first.1.load(Ordering::Relaxed);
        vec![(at_ns != 0).then_some(First { role: self.id, writer, at_ns, before })]
    }

    fn finish(&mut self) -> Result<Recorded, Failure> {
        let reader_counters = self.subscriber.reader().map(ReaderHandle::counters);
        self.subscriber.close();
        let mut state = self
            .core
            .state
            .get()
            .ok_or_else(|| Failure::new("failed", "responder still at work"))?;
        state.echo.close();
        let rows = self.answers.as_ref().map_or(0, |answers| filled(answers));
        let report = RoleReport {
            role: "responder".into(),
            writer: self.id,
            foreign: state.foreign,
            corrupted: self.core.bodies.are_seen().then_some(state.differences.corrupted),
            other_size: state.differences.other_size,
            echo_failures: state.echo.failures(),
            rows,
            writer_counters: Some(self.writer.counters()),
            reader_counters,
            reply_mode: state.echo.mode().into(),
            ..RoleReport::default()
        };
        Ok(Recorded { report, rows: self.answers.as_ref().map(|kept| (Arc::clone(kept), rows)) })
    }
}
