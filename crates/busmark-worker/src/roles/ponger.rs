//! Answers every ping.

use std::sync::Arc;

use busmark_adapter::{Error, Header, HotCell, OnData, ReaderHandle, Taker, Wait, WriterHandle};
use busmark_measure::now_ns;

use super::bodies::Bodies;
use super::echo::Echo;
use super::subscriber::Subscriber;
use super::{Context, Recorded, Role};
use crate::protocol::{Failure, RoleReport, RunReport, StreamSpec};

/// Samples taken at a time.
pub(super) const BATCH: usize = 64;

/// A ponger.
pub struct Ponger {
    id: u32,
    topics: (String, String),
    writer: WriterHandle,
    core: Arc<Core>,
    subscriber: Subscriber<Core>,
    verify: bool,
}

struct Core {
    cookie: u64,
    id: u32,
    bodies: Bodies,
    verify: bool,
    polled: bool,
    state: HotCell<State>,
}

struct State {
    echo: Echo,
    pending: [(Header, i64); BATCH],
    foreign: u64,
    corrupted: u64,
}

impl OnData for Core {
    fn on_data(&self, taker: &Taker) {
        let mut delivered = if self.polled { 0 } else { now_ns() };
        let Some(mut state) = self.state.get() else { return };
        let state = &mut *state;
        loop {
            let mut count = 0;
            let taken = taker.take(BATCH as u32, &mut |received| {
                let read = now_ns();
                // One of our own pongs is no ping: answering it would never end.
                if received.header.cookie != self.cookie || received.header.writer_id == self.id {
                    state.foreign += 1;
                    return;
                }
                if self.verify && !self.bodies.verify(received.header.seq, received.body) {
                    state.corrupted += 1;
                }
                state.pending[count] = (*received.header, read);
                count += 1;
            });
            for (ping, read) in &state.pending[..count] {
                state.echo.answer(ping, delivered, *read);
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

impl Ponger {
    /// Makes writer and reader; answers as soon as it is started.
    pub fn new(
        context: &Context,
        id: u32,
        ping: String,
        pong: String,
        stream: &StreamSpec,
    ) -> Result<Self, Error> {
        let echo = Echo::new(context, stream, &pong, id)?;
        let writer = echo.writer().clone();
        let pending = [(Header::default(), 0); BATCH];
        let core = Arc::new(Core {
            cookie: context.cookie,
            id,
            bodies: Bodies::new(stream)?,
            verify: stream.verify,
            polled: stream.wait == Wait::Poll,
            state: HotCell::new(State { echo, pending, foreign: 0, corrupted: 0 }),
        });
        let subscriber = Subscriber::new(context, &stream.endpoint(&ping), Arc::clone(&core))?;
        Ok(Self { id, topics: (ping, pong), writer, core, subscriber, verify: stream.verify })
    }
}

impl Role for Ponger {
    fn writers(&self) -> Vec<(&str, &WriterHandle)> {
        vec![(&self.topics.1, &self.writer)]
    }

    fn readers(&self) -> Vec<(&str, &ReaderHandle)> {
        self.subscriber.reader().map(|r| (self.topics.0.as_str(), r)).into_iter().collect()
    }

    fn start(&mut self) {
        self.subscriber.start();
    }

    fn run(&mut self) -> Option<Result<RunReport, Failure>> {
        None
    }

    fn finish(&mut self) -> Result<Recorded, Failure> {
        let reader_counters = self.subscriber.reader().map(ReaderHandle::counters);
        self.subscriber.close();
        let mut state =
            self.core.state.get().ok_or_else(|| Failure::new("failed", "ponger still at work"))?;
        state.echo.close();
        let report = RoleReport {
            role: "ponger".into(),
            writer: self.id,
            foreign: state.foreign,
            corrupted: self.verify.then_some(state.corrupted),
            echo_failures: state.echo.failures(),
            writer_counters: Some(self.writer.counters()),
            reader_counters,
            reply_mode: state.echo.mode().into(),
            ..RoleReport::default()
        };
        Ok(Recorded { report, rows: None })
    }
}
