//! A data reader, of a topic with or without a key: mio's poll, or polling.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use busmark_adapter::{
    Counters, EndpointConfig, HotCell, HotGuard, Reader, Result, Sink, Status, Wait,
};
use rustdds::mio1::{Events, Interest, Poll, Token};
use rustdds::{DataReaderStatus, ReadCondition, StatusEvented, mio1, no_key, with_key};

use crate::errors::read_status;
use crate::types::{KeyedSample, Sample};

/// A reader of some type.
pub struct RustReader(pub(crate) Box<dyn Reading>);

/// What a [`RustReader`] does once the type is known.
pub(crate) trait Reading: Send + Sync {
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status>;
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status>;
    fn matched(&self) -> u32;
    fn counters(&self) -> Counters;
}

/// The crate's readers, which differ by the key.
pub(crate) trait Native: Send {
    type Data: Sample;
    /// Takes at most `max` samples; their number, with those that hold a key only.
    fn take(
        &mut self,
        max: usize,
        to: &mut VecDeque<Self::Data>,
    ) -> std::result::Result<usize, Status>;
    fn next_status(&self) -> Option<DataReaderStatus>;
    fn source(&mut self) -> &mut dyn mio1::event::Source;
}

/// Of a topic without a key.
pub(crate) struct Plain<T: Sample>(pub no_key::DataReaderCdr<T>);

impl<T: Sample> Native for Plain<T> {
    type Data = T;

    #[inline]
    fn take(&mut self, max: usize, to: &mut VecDeque<T>) -> std::result::Result<usize, Status> {
        let samples = self.0.take(max, ReadCondition::not_read()).map_err(|e| read_status(&e))?;
        let count = samples.len();
        to.extend(samples.into_iter().map(no_key::DataSample::into_value));
        Ok(count)
    }

    fn next_status(&self) -> Option<DataReaderStatus> {
        self.0.try_recv_status()
    }

    fn source(&mut self) -> &mut dyn mio1::event::Source {
        &mut self.0
    }
}

/// Of a keyed topic.
pub(crate) struct Keyed(pub with_key::DataReaderCdr<KeyedSample>);

impl Native for Keyed {
    type Data = KeyedSample;

    #[inline]
    fn take(
        &mut self,
        max: usize,
        to: &mut VecDeque<KeyedSample>,
    ) -> std::result::Result<usize, Status> {
        let samples = self.0.take(max, ReadCondition::not_read()).map_err(|e| read_status(&e))?;
        let count = samples.len();
        to.extend(samples.into_iter().filter_map(|sample| sample.into_value().value()));
        Ok(count)
    }

    fn next_status(&self) -> Option<DataReaderStatus> {
        self.0.try_recv_status()
    }

    fn source(&mut self) -> &mut dyn mio1::event::Source {
        &mut self.0
    }
}

/// What the crate has told in events.
#[derive(Clone, Copy, Default)]
struct Told {
    matched: u32,
    deadline_missed: Option<u64>,
    rejected: Option<u64>,
    lost: Option<u64>,
}

/// Most samples of one take.
const BATCH: usize = 64;

/// The crate's reader and what it has given.
struct State<N: Native> {
    native: N,
    samples: VecDeque<N::Data>,
    /// A take found all that it asked for, or a wait was answered and nothing taken since: there may be
    /// samples of which the crate does not tell again.
    maybe_more: bool,
    scratch: Vec<u8>,
    told: Told,
}

impl<N: Native> State<N> {
    /// Delivers at most `max` of the samples at hand.
    #[inline]
    fn deliver(&mut self, max: usize, sink: &mut Sink) -> usize {
        let mut delivered = 0;
        while delivered < max
            && let Some(sample) = self.samples.pop_front()
        {
            let header = sample.header().into();
            sink.deliver(&header, sample.body(&mut self.scratch));
            delivered += 1;
        }
        delivered
    }

    #[inline]
    fn fetch(&mut self, max: usize) -> std::result::Result<(), Status> {
        self.maybe_more = self.native.take(max, &mut self.samples)? == max;
        Ok(())
    }

    fn listen(&mut self) {
        let count = |count: rustdds::dds::statusevents::CountWithChange| count.count().max(0);
        while let Some(status) = self.native.next_status() {
            match status {
                DataReaderStatus::SubscriptionMatched { current, .. } => {
                    self.told.matched = count(current) as u32;
                }
                DataReaderStatus::RequestedDeadlineMissed { count: missed } => {
                    self.told.deadline_missed = Some(count(missed) as u64);
                }
                DataReaderStatus::SampleRejected { count: rejected, .. } => {
                    self.told.rejected = Some(count(rejected) as u64);
                }
                DataReaderStatus::SampleLost { count: lost } => {
                    self.told.lost = Some(count(lost) as u64);
                }
                _ => (),
            }
        }
    }
}

/// Where a thread sleeps until samples come.
struct Waiter {
    poll: Poll,
    events: Events,
}

/// A reader with what it needs for waiting.
pub(crate) struct TypedReader<N: Native> {
    state: HotCell<State<N>>,
    waiter: Option<HotCell<Waiter>>,
}

impl<N: Native> TypedReader<N> {
    pub(crate) fn new(mut native: N, config: &EndpointConfig) -> Result<Self> {
        let waiter = if config.wait == Wait::Waitset {
            let waiter = waiter(&mut native);
            let failed = |e| Status::Failed.error(format!("a poll of mio: {e}"));
            Some(HotCell::new(waiter.map_err(failed)?))
        } else {
            None
        };
        let state = State {
            native,
            samples: VecDeque::new(),
            maybe_more: false,
            scratch: Vec::new(),
            told: Told::default(),
        };
        Ok(Self { state: HotCell::new(state), waiter })
    }

    /// The state. Who asks for matches or counters has it for a moment now and then, which the crate's
    /// reader cannot give while it is being read.
    #[inline]
    fn state(&self) -> HotGuard<'_, State<N>> {
        loop {
            if let Some(state) = self.state.get() {
                return state;
            }
            std::thread::yield_now();
        }
    }

    fn told(&self) -> Told {
        let mut state = self.state();
        state.listen();
        state.told
    }
}

fn waiter<N: Native>(native: &mut N) -> io::Result<Waiter> {
    let poll = Poll::new()?;
    poll.registry().register(native.source(), Token(0), Interest::READABLE)?;
    Ok(Waiter { poll, events: Events::with_capacity(1) })
}

impl<N: Native> Reading for TypedReader<N> {
    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        let mut state = self.state();
        let mut delivered = state.deliver(max, sink);
        while delivered < max {
            state.fetch((max - delivered).min(BATCH))?;
            delivered += state.deliver(max - delivered, sink);
            if !state.maybe_more {
                break;
            }
        }
        if delivered == 0 { Err(Status::NoData) } else { Ok(delivered) }
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        let waiter = self.waiter.as_ref().ok_or(Status::Unsupported)?;
        {
            let mut state = self.state();
            if state.maybe_more {
                state.fetch(1)?;
            }
            if !state.samples.is_empty() {
                return Ok(());
            }
        }
        let mut waiter = waiter.get().ok_or(Status::Failed)?;
        let Waiter { poll, events } = &mut *waiter;
        match poll.poll(events, Some(timeout)) {
            Ok(()) if events.is_empty() => Err(Status::Timeout),
            Ok(()) => {
                self.state().maybe_more = true;
                Ok(())
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => Err(Status::Timeout),
            Err(_) => Err(Status::Failed),
        }
    }

    fn matched(&self) -> u32 {
        self.told().matched
    }

    fn counters(&self) -> Counters {
        let Told { deadline_missed, rejected, lost, .. } = self.told();
        Counters { deadline_missed, rejected, lost, ..Counters::default() }
    }
}

impl Reader for RustReader {
    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        self.0.take(max, sink)
    }

    #[inline]
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
