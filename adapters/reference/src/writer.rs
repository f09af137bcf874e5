//! The writer: quality of service first, then the schedule of faults, then the links.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Instant;

use busmark_adapter::{
    Batch, Counters, EndpointConfig, Error, Header, LastError, ParticipantConfig, Qos, Result,
    Status, Writer,
};

use crate::clock::{monotonic_ns, realtime_ns};
use crate::deadline::Deadline;
use crate::delay::DelayLine;
use crate::endpoint::Quality;
use crate::faults::Fate;
use crate::link::{Link, Links, Parcel, Place};
use crate::locator::Locator;
use crate::memory::Card;
use crate::options::Options;
use crate::queue::Message;

type Hot<T> = std::result::Result<T, Status>;

/// What has been done on purpose.
#[derive(Default)]
struct Injected {
    drops: AtomicU64,
    duplicates: AtomicU64,
    reorders: AtomicU64,
    corruptions: AtomicU64,
    delays: AtomicU64,
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// What changes from sample to sample.
struct Stream {
    /// Held back, to be sent after the next one; with its delay.
    held: Option<(Parcel, Option<i64>)>,
    /// For readers that join late.
    history: VecDeque<Message>,
    deadline: Deadline,
}

pub struct LinkWriter {
    config: EndpointConfig,
    participant: ParticipantConfig,
    options: Options,
    quality: Quality,
    lifespan_ns: AtomicI64,
    card: Arc<Card>,
    links: RwLock<Links>,
    stream: Mutex<Stream>,
    injected: Injected,
    delay: Option<DelayLine>,
    failure: LastError,
    /// Memory for a body, and whether and how much of it is lent (C35).
    lent: Mutex<(Box<[u8]>, Option<usize>)>,
}

impl LinkWriter {
    pub fn new(
        participant: &ParticipantConfig,
        options: &Options,
        config: &EndpointConfig,
    ) -> Result<Self> {
        let quality = Quality::of(config, options)?;
        let kept = if quality.durable { quality.history.limit().min(1 << 16) + 1 } else { 0 };
        let card = Card { partition: Mutex::new(quality.partition.clone()) };
        let stream = Stream {
            held: None,
            history: VecDeque::with_capacity(kept),
            deadline: Deadline::new(quality.deadline_ns),
        };
        Ok(Self {
            config: config.clone(),
            participant: participant.clone(),
            lifespan_ns: AtomicI64::new(quality.lifespan_ns.unwrap_or(i64::MAX)),
            card: Arc::new(card),
            links: RwLock::default(),
            stream: Mutex::new(stream),
            injected: Injected::default(),
            delay: options.faults.delays().then(DelayLine::start).transpose()?,
            options: options.clone(),
            quality,
            failure: LastError::default(),
            lent: Mutex::new((vec![0; config.max_body_bytes as usize].into(), None)),
        })
    }

    fn stream(&self) -> MutexGuard<'_, Stream> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn links(&self) -> Links {
        Arc::clone(&self.links.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// A place at every reliable reader, or none at all.
    fn reserve(&self, links: &Links) -> Hot<()> {
        let until = Instant::now().checked_add(self.quality.blocking);
        for (done, link) in links.iter().enumerate() {
            if let Err(status) = link.reserve(until) {
                links[..done].iter().for_each(|link| link.release());
                return Err(status);
            }
        }
        Ok(())
    }

    /// Sends an accepted sample as the schedule wants it.
    fn carry_out(&self, fate: Fate, mut parcel: Parcel, held: &mut Option<(Parcel, Option<i64>)>) {
        if fate.drop {
            count(&self.injected.drops);
            return parcel.discard();
        }
        if let Some(bit) = fate.flipped_bit {
            let mut body = parcel.message.body.to_vec();
            body[bit / 8] ^= 1 << (bit % 8);
            parcel.message.body = body.into();
            count(&self.injected.corruptions);
        }
        parcel.duplicate = fate.duplicate;
        if fate.reorder && held.is_none() {
            *held = Some((parcel, fate.delay_ns));
            return;
        }
        self.dispatch(parcel, fate.delay_ns);
        if let Some((earlier, delay_ns)) = held.take() {
            count(&self.injected.reorders);
            self.dispatch(earlier, delay_ns);
        }
    }

    /// Sends now or when it is due.
    fn dispatch(&self, parcel: Parcel, delay_ns: Option<i64>) {
        if parcel.duplicate {
            count(&self.injected.duplicates);
        }
        match (&self.delay, delay_ns) {
            (Some(line), Some(delay_ns)) => {
                count(&self.injected.delays);
                line.put(delay_ns, parcel);
            }
            _ => parcel.deliver(),
        }
    }

    fn write_one(&self, sample: &Arc<[u8]>, header: &Header) -> Hot<()> {
        let fate = self.options.faults.fate(header.writer_id, header.seq, sample.len());
        if fate.fail {
            let text = format!("sample {} fails on purpose (option fail)", header.seq);
            return Err(self.failure.keep(Status::Failed.error(text)));
        }
        let links = self.links();
        self.reserve(&links)?;
        let now = monotonic_ns();
        let message = Message {
            header: *header,
            body: Arc::clone(sample),
            expires_ns: now.saturating_add(self.lifespan_ns.load(Ordering::Relaxed)),
            source_ns: realtime_ns(),
            request: 0,
            from: None,
        };
        let mut stream = self.stream();
        stream.deadline.sample(now);
        self.remember(&mut stream, &message);
        let parcel = Parcel { message, links, duplicate: false };
        self.carry_out(fate, parcel, &mut stream.held);
        Ok(())
    }

    /// What a reader that joins now is given.
    fn replay(&self, link: &Link, stream: &Stream) {
        let now = monotonic_ns();
        for message in stream.history.iter().filter(|m| m.expires_ns > now) {
            link.send(message, Place::None);
        }
    }

    fn remember(&self, stream: &mut Stream, message: &Message) {
        if self.quality.durable {
            if stream.history.len() == self.quality.history.limit() {
                stream.history.pop_front();
            }
            stream.history.push_back(message.clone());
        }
    }
}

impl Writer for LinkWriter {
    type Sample = Arc<[u8]>;

    fn prepare(&self, body: &[u8]) -> Result<Arc<[u8]>> {
        Ok(body.into())
    }

    fn write(&self, sample: &mut Arc<[u8]>, header: &Header) -> Hot<()> {
        self.write_one(sample, header)
    }

    fn write_many(&self, batch: &Batch<Arc<[u8]>>) -> (usize, Hot<()>) {
        for (sent, (sample, header)) in batch.iter().enumerate() {
            if let Err(status) = self.write_one(sample, header) {
                return (sent, Err(status));
            }
        }
        (batch.len(), Ok(()))
    }

    fn loan(&self, bytes: usize) -> Hot<*mut u8> {
        let mut lent = self.lent.lock().unwrap_or_else(PoisonError::into_inner);
        if lent.1.is_some() || bytes > lent.0.len() {
            return Err(Status::Invalid);
        }
        lent.1 = Some(bytes);
        Ok(lent.0.as_mut_ptr())
    }

    fn publish(&self, header: Option<&Header>) -> Hot<()> {
        let mut lent = self.lent.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = lent.1.take().ok_or(Status::Invalid)?;
        header.map_or(Ok(()), |header| self.write_one(&lent.0[..bytes].into(), header))
    }

    fn last_error(&self) -> Option<Error> {
        self.failure.get()
    }

    fn flush(&self) -> Hot<()> {
        // In order after all: nothing came after it.
        if let Some((parcel, delay_ns)) = self.stream().held.take() {
            self.dispatch(parcel, delay_ns);
        }
        Ok(())
    }

    fn matched(&self) -> Hot<u32> {
        Ok(self.links().iter().filter(|link| link.is_ready()).count() as u32)
    }

    fn connect(&self, locator: &str) -> Result<()> {
        let locator: Locator = locator.parse()?;
        let own = Locator::of(&self.participant, &self.config, &self.quality, String::new());
        locator.check(&own)?;
        let reliable = self.quality.reliable && locator.reliable;
        let run_dir = &self.participant.run_dir;
        let link = Arc::new(Link::connect(&locator, run_dir, &self.card, reliable)?);
        // Under the lock of the stream, so that history comes before what is written from now on.
        let stream = self.stream();
        if locator.durable {
            self.replay(&link, &stream);
        }
        let mut links = self.links.write().unwrap_or_else(PoisonError::into_inner);
        // Readers that are gone need no samples.
        let mut all: Vec<_> = links.iter().filter(|l| l.is_open()).cloned().collect();
        all.push(link);
        *links = Arc::new(all);
        Ok(())
    }

    fn set_qos(&self, qos: &Qos) -> Result<()> {
        if qos.lifespan_ns.is_some_and(|ns| ns <= 0) || qos.deadline_ns.is_some_and(|ns| ns <= 0) {
            return Err(Status::Invalid.error("lifespan and deadline must be above zero"));
        }
        if let Some(ns) = qos.lifespan_ns {
            self.lifespan_ns.store(ns, Ordering::Relaxed);
        }
        if let Some(ns) = qos.deadline_ns {
            self.stream().deadline.set_period(ns, monotonic_ns());
        }
        if let Some(partition) = &qos.partition {
            let mut own = self.card.partition.lock().unwrap_or_else(PoisonError::into_inner);
            own.clone_from(partition);
            drop(own);
            self.links().iter().for_each(|link| link.tell_partition(partition));
        }
        Ok(())
    }

    fn counters(&self) -> Counters {
        let value = |counter: &AtomicU64| Some(counter.load(Ordering::Relaxed));
        Counters {
            deadline_missed: self.stream().deadline.missed(monotonic_ns()),
            injected_drops: value(&self.injected.drops),
            injected_duplicates: value(&self.injected.duplicates),
            injected_reorders: value(&self.injected.reorders),
            injected_corruptions: value(&self.injected.corruptions),
            injected_delays: value(&self.injected.delays),
            ..Counters::default()
        }
    }
}

impl Drop for LinkWriter {
    fn drop(&mut self) {
        let _ = self.flush();
        // Delivers what is left before the links go.
        self.delay = None;
    }
}
