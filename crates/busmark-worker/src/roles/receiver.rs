//! Counts a stream, keeps the account of every writer, times its samples, echoes latency probes and
//! acknowledges batches.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use busmark_adapter::{
    Error, Header, HotCell, OnData, ReaderHandle, Status, Taker, Wait, WriterHandle,
};
use busmark_measure::{Arrival, Intervals, Ledger, Recorder, Row, is_recorded, now_ns};

use super::batches::Batches;
use super::bodies::{Bodies, Differences};
use super::echo::Echo;
use super::responder::BATCH;
use super::senders::Senders;
use super::subscriber::Subscriber;
use super::{Context, Recorded, Role};
use crate::protocol::{
    Count, Failure, First, IntervalReport, RoleReport, RoleSpec, StreamSpec, WriterAccount,
};
use crate::watch::Counts;

/// A receiver.
pub struct Receiver {
    id: u32,
    topics: (String, String),
    echo_writer: Option<WriterHandle>,
    core: Arc<Core>,
    subscriber: Subscriber<Core>,
}

struct Core {
    cookie: u64,
    stream: StreamSpec,
    bodies: Bodies,
    polled: bool,
    /// Flags of a sample that a row keeps: probes are none to a reader that does not echo them.
    kept_flags: u32,
    /// One in this many samples is recorded, whoever echoes it; 0: none.
    record_every: u64,
    from: Senders,
    totals: Box<[Totals]>,
    recorder: Arc<Recorder>,
    state: HotCell<State>,
}

/// What has come from a writer so far, for whoever watches.
#[derive(Default)]
struct Totals {
    received: AtomicU64,
    missing: AtomicU64,
    bytes: AtomicU64,
    /// When the first sample came, and its number.
    first_ns: AtomicI64,
    first: AtomicU64,
}

struct State {
    ledgers: Vec<Ledger>,
    intervals: Vec<Intervals>,
    batches: Option<Batches>,
    echo: Option<Echo>,
    pending: [(Header, i64); BATCH],
    rows: usize,
    unrecorded: u64,
    foreign: u64,
    differences: Differences,
}

impl Core {
    /// Position of a sample among those that the filter admits; `None`: it does not. Without a filter
    /// the sequence number itself.
    #[inline]
    fn number(&self, seq: u64) -> Option<u64> {
        let below = u64::from(self.stream.filter_below);
        if below == 0 {
            return Some(seq);
        }
        let instances = u64::from(self.stream.instances).max(1);
        let instance = seq % instances;
        (instance < below).then(|| seq / instances * below.min(instances) + instance)
    }

    /// Whether a sample is recorded though it is no probe. Hot.
    #[inline]
    fn is_timed(&self, header: &Header) -> bool {
        self.record_every != 0 && is_recorded(header.writer_id, header.seq, self.record_every)
    }

    /// Records a sample of a stream at a rate or a probe, for which there are rows, or a sample to be
    /// acknowledged, for which there are none. Hot.
    fn record(
        &self,
        state: &mut State,
        header: &Header,
        delivered: i64,
        stamps: (i64, i64),
    ) -> i64 {
        let read = now_ns();
        if let Some(row) = self.recorder.row(state.rows as u64) {
            Row::set(&row.writer, i64::from(header.writer_id));
            Row::set(&row.seq, header.seq as i64);
            Row::set(&row.flags, i64::from(header.flags & self.kept_flags));
            Row::set(&row.intended_ns, header.intended_ns);
            Row::set(&row.sent_ns, header.sent_ns);
            Row::set(&row.delivered_ns, delivered);
            Row::set(&row.read_ns, read);
            Row::set(&row.source_ns, stamps.0);
            Row::set(&row.reception_ns, stamps.1);
            state.rows += 1;
        } else if self.record_every != 0 {
            state.unrecorded += 1;
        }
        read
    }
}

impl OnData for Core {
    fn on_data(&self, taker: &Taker) {
        let mut delivered = if self.polled { 0 } else { now_ns() };
        let Some(mut state) = self.state.get() else { return };
        let state = &mut *state;
        loop {
            // One clock reading counts for all samples of a take.
            let mut now = delivered;
            let mut answers = 0;
            let taken = taker.take(BATCH as u32, &mut |received| {
                let header = received.header;
                let position = self.from.position(header.writer_id);
                let (true, Some(position)) = (header.cookie == self.cookie, position) else {
                    state.foreign += 1;
                    return;
                };
                // One test for what is not of the stream's measured part.
                if header.flags & (Header::CONTROL | Header::WARMUP) != 0 {
                    if header.flags & (Header::CONTROL | Header::ANSWER) != 0 {
                        let read = now_ns();
                        state.pending[answers] = (*header, read);
                        answers += 1;
                        if header.flags & Header::CONTROL != 0
                            && let Some(batches) = &mut state.batches
                        {
                            batches.control(position, header, read);
                        }
                    }
                    return;
                }
                if now == 0 {
                    now = now_ns();
                }
                if self.stream.verify || self.bodies.is_spot(header.seq) {
                    self.bodies.judge(header.seq, received.body, &mut state.differences);
                }
                let Some(number) = self.number(header.seq) else {
                    state.foreign += 1;
                    return;
                };
                match state.ledgers[position].enter(number) {
                    Arrival::InOrder | Arrival::OutOfOrder => {}
                    Arrival::Duplicate | Arrival::Ancient => return,
                }
                let bytes = self.bodies.arrived(header.seq, received.body);
                state.intervals[position].count(now, bytes);
                if let Some(batches) = &mut state.batches {
                    batches.count(position, header.seq, now, bytes);
                }
                let asks = header.flags & (Header::PROBE | Header::ANSWER) != 0;
                if asks || self.is_timed(header) {
                    let stamps = (received.source_ns, received.reception_ns);
                    let read = self.record(state, header, delivered, stamps);
                    if asks {
                        state.pending[answers] = (*header, read);
                        answers += 1;
                    }
                }
            });
            if let Some(echo) = &mut state.echo {
                for (asked, read) in &state.pending[..answers] {
                    echo.answer(asked, delivered, *read);
                }
            }
            if !taken.is_ok_and(|taken| taken as usize == BATCH) {
                break;
            }
            // What the next take gives may have come since: where samples come faster than they are
            // taken, there is no end of takes.
            if !self.polled {
                delivered = now_ns();
            }
        }
        let counted = state.ledgers.iter().zip(&state.intervals);
        for (totals, (ledger, intervals)) in self.totals.iter().zip(counted) {
            totals.missing.store(ledger.missing(), Ordering::Relaxed);
            totals.bytes.store(intervals.bytes(), Ordering::Relaxed);
            if totals.received.load(Ordering::Relaxed) == 0
                && let Some((first_ns, _)) = intervals.span_ns()
            {
                totals.first.store(ledger.first(), Ordering::Relaxed);
                totals.first_ns.store(first_ns, Ordering::Release);
            }
            totals.received.store(ledger.received(), Ordering::Relaxed);
        }
    }
}

impl Receiver {
    /// Makes reader and echo writer. `spec` is a `RoleSpec::Receiver`.
    pub fn new(context: &Context, spec: RoleSpec) -> Result<Self, Error> {
        let RoleSpec::Receiver {
            writer: id,
            from,
            topic,
            echo: echo_topic,
            probe_every,
            record_every,
            batch,
            stream,
            capacity,
            interval_ns,
            intervals,
        } = spec
        else {
            return Err(Status::Invalid.error("not a receiver"));
        };
        let echo = if batch > 0 || (probe_every > 0 && !echo_topic.is_empty()) {
            Some(Echo::new(context, &stream, &echo_topic, id, None)?)
        } else {
            None
        };
        let echo_writer = echo.as_ref().map(|e| e.writer().clone());
        let from = Senders::new(from);
        let records = probe_every > 0 || record_every > 0;
        let core = Arc::new(Core {
            cookie: context.cookie,
            polled: stream.wait == Wait::Poll,
            kept_flags: if probe_every > 0 { u32::MAX } else { !Header::PROBE },
            record_every,
            totals: from.ids().iter().map(|_| Totals::default()).collect(),
            recorder: Arc::new(Recorder::new(if records { capacity } else { 0 })),
            state: HotCell::new(State {
                ledgers: from.ids().iter().map(|_| Ledger::new()).collect(),
                intervals: from
                    .ids()
                    .iter()
                    .map(|_| Intervals::new(interval_ns, intervals))
                    .collect(),
                batches: (batch > 0).then(|| Batches::new(batch, from.ids().len(), capacity)),
                echo,
                pending: [(Header::default(), 0); BATCH],
                rows: 0,
                unrecorded: 0,
                foreign: 0,
                differences: Differences::default(),
            }),
            from,
            bodies: Bodies::new(&stream, context.cookie)?,
            stream: stream.clone(),
        });
        let subscriber = Subscriber::new(context, &stream.endpoint(&topic), Arc::clone(&core))?;
        Ok(Self { id, topics: (topic, echo_topic), echo_writer, core, subscriber })
    }
}

impl Role for Receiver {
    fn number(&self) -> u32 {
        self.id
    }

    fn writers(&self) -> Vec<(&str, &WriterHandle)> {
        self.echo_writer.iter().map(|w| (self.topics.1.as_str(), w)).collect()
    }

    fn readers(&self) -> Vec<(&str, &ReaderHandle)> {
        self.subscriber.reader().map(|r| (self.topics.0.as_str(), r)).into_iter().collect()
    }

    fn start(&mut self) {
        self.subscriber.start();
    }

    fn progress(&self) -> Vec<(u32, u64)> {
        let received = self.core.totals.iter().map(|t| t.received.load(Ordering::Relaxed));
        self.core.from.ids().iter().copied().zip(received).collect()
    }

    fn counts(&self) -> Counts {
        let count = |(&writer, totals): (&u32, &Totals)| {
            let load = |total: &AtomicU64| total.load(Ordering::Relaxed);
            let (samples, missing) = (load(&totals.received), load(&totals.missing));
            Count {
                theoretical: Some(samples + missing),
                missing: Some(missing),
                bytes: Some(load(&totals.bytes)),
                ..Count::of(self.id, writer, samples)
            }
        };
        self.core.from.ids().iter().zip(&*self.core.totals).map(count).collect()
    }

    fn firsts(&self) -> Vec<Option<First>> {
        let first = |(&writer, totals): (&u32, &Totals)| {
            let at_ns = totals.first_ns.load(Ordering::Acquire);
            let before = totals.first.load(Ordering::Relaxed);
            (at_ns != 0).then_some(First { role: self.id, writer, at_ns, before })
        };
        self.core.from.ids().iter().zip(&*self.core.totals).map(first).collect()
    }

    fn finish(&mut self) -> Result<Recorded, Failure> {
        let reader_counters = self.subscriber.reader().map(ReaderHandle::counters);
        self.subscriber.close();
        let mut state = self
            .core
            .state
            .get()
            .ok_or_else(|| Failure::new("failed", "receiver still at work"))?;
        if let Some(echo) = &mut state.echo {
            echo.close();
        }
        let accounts = self
            .core
            .from
            .ids()
            .iter()
            .zip(&state.ledgers)
            .map(|(&writer, ledger)| WriterAccount {
                writer,
                received: ledger.received(),
                missing: ledger.missing(),
                duplicated: ledger.duplicated(),
                out_of_order: ledger.out_of_order(),
                ancient: ledger.ancient(),
            })
            .collect();
        let report = RoleReport {
            role: "receiver".into(),
            writer: self.id,
            accounts,
            foreign: state.foreign,
            corrupted: self.core.bodies.are_seen().then_some(state.differences.corrupted),
            other_size: state.differences.other_size,
            echo_failures: state.echo.as_ref().map_or(0, Echo::failures),
            rows: state.rows,
            unrecorded: state.unrecorded,
            intervals: self
                .core
                .from
                .ids()
                .iter()
                .zip(&state.intervals)
                .map(|(&writer, counted)| IntervalReport::of(writer, counted))
                .collect(),
            batches: state
                .batches
                .as_ref()
                .map_or_else(Vec::new, |batches| batches.report(&self.core.from)),
            frames: BTreeMap::new(),
            sent_batches: None,
            appearances: Vec::new(),
            goals: Vec::new(),
            requests: None,
            writer_counters: self.echo_writer.as_ref().map(WriterHandle::counters),
            reader_counters,
            reply_mode: state.echo.as_ref().map_or("none", Echo::mode).into(),
        };
        let rows = state.rows;
        Ok(Recorded { report, rows: Some((Arc::clone(&self.core.recorder), rows)) })
    }
}
