//! The receiving side of a test, the same for every wait strategy.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use busmark_adapter::{
    EndpointConfig, Header, OnData, ParticipantHandle, ReaderHandle, Received, Status, Taker, Wait,
};

use super::outbox::COOKIE;
use super::verdict::{Stop, Verdict};

/// Samples per take; small, so that takes repeat.
const BATCH: u32 = 16;

/// Samples that come one by one, each after a repair, have this many times the patience for the next.
const MOST_PATIENCES: u32 = 6;

/// A sample as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Got {
    pub header: Header,
    pub body: Vec<u8>,
    pub source_ns: i64,
    pub reception_ns: i64,
}

#[derive(Default)]
pub(crate) struct Store {
    got: Mutex<Vec<Got>>,
    arrived: Condvar,
    /// While set, a listener does not take.
    pub shut: AtomicBool,
    /// Calls of `on_data`.
    pub calls: AtomicU64,
    inside: AtomicBool,
    /// Calls of `on_data` that came while another one had not ended.
    pub overlaps: AtomicU64,
}

impl Store {
    fn lock(&self) -> MutexGuard<'_, Vec<Got>> {
        self.got.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Samples that wait to be drained.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    fn keep(&self, received: &Received) {
        if received.header.cookie != COOKIE {
            return;
        }
        self.lock().push(Got {
            header: *received.header,
            body: received.body.to_vec(),
            source_ns: received.source_ns,
            reception_ns: received.reception_ns,
        });
        self.arrived.notify_all();
    }
}

struct Collector(Arc<Store>);

impl OnData for Collector {
    fn on_data(&self, taker: &Taker) {
        let store = &self.0;
        if store.inside.swap(true, Ordering::SeqCst) {
            store.overlaps.fetch_add(1, Ordering::SeqCst);
        }
        store.calls.fetch_add(1, Ordering::SeqCst);
        if !store.shut.load(Ordering::SeqCst) {
            while taker.take(BATCH, &mut |received| store.keep(received)) == Ok(BATCH) {}
        }
        store.inside.store(false, Ordering::SeqCst);
    }
}

/// A reader and what it has received.
pub(crate) struct Inbox {
    pub handle: ReaderHandle,
    pub wait: Wait,
    pub store: Arc<Store>,
}

impl Inbox {
    pub fn new(participant: &ParticipantHandle, config: &EndpointConfig) -> Verdict<Self> {
        let store = Arc::new(Store::default());
        let on_data: Option<Box<dyn OnData>> =
            (config.wait == Wait::Listener).then(|| Box::new(Collector(Arc::clone(&store))) as _);
        Self::with(participant, config, on_data, store)
    }

    /// With a listener of the test's own.
    pub fn with(
        participant: &ParticipantHandle,
        config: &EndpointConfig,
        on_data: Option<Box<dyn OnData>>,
        store: Arc<Store>,
    ) -> Verdict<Self> {
        Ok(Self { handle: participant.reader(config, on_data)?, wait: config.wait, store })
    }

    /// Takes what is there now; with a listener it comes by itself.
    pub fn pump(&self) -> Verdict<()> {
        if self.wait == Wait::Listener {
            return Ok(());
        }
        loop {
            match self.handle.take(BATCH, &mut |received| self.store.keep(received)) {
                Ok(_) => (),
                Err(Status::NoData) => return Ok(()),
                Err(status) => return Err(Stop::Failed(format!("take: {status}"))),
            }
        }
    }

    /// Sleeps a little, in the reader's own way.
    fn nap(&self, limit: Duration) -> Verdict<()> {
        let limit = limit.min(Duration::from_millis(20));
        match self.wait {
            Wait::Listener => {
                let guard = self.store.lock();
                drop(self.store.arrived.wait_timeout(guard, limit));
            }
            Wait::Waitset => match self.handle.wait(limit) {
                Ok(()) | Err(Status::Timeout) => (),
                Err(status) => return Err(Stop::Failed(format!("wait: {status}"))),
            },
            Wait::Poll => std::thread::sleep(limit.min(Duration::from_micros(500))),
        }
        Ok(())
    }

    /// What has been received and not been asked for.
    pub fn drain(&self) -> Vec<Got> {
        std::mem::take(&mut *self.store.lock())
    }

    /// Waits until `enough` of what came, at most `patience`; gives what came.
    pub fn gather_until(
        &self,
        patience: Duration,
        enough: impl Fn(&[Got]) -> bool,
    ) -> Verdict<Vec<Got>> {
        let begin = Instant::now();
        loop {
            self.pump()?;
            if enough(&self.store.lock()) || begin.elapsed() >= patience {
                return Ok(self.drain());
            }
            self.nap(patience.saturating_sub(begin.elapsed()))?;
        }
    }

    /// Waits for `count` samples, at most `patience`; gives what came.
    pub fn gather(&self, count: usize, patience: Duration) -> Verdict<Vec<Got>> {
        self.gather_until(patience, |got| got.len() >= count)
    }

    /// Waits for `count` samples as long as some come at least every `patience`; gives what came. For
    /// repairs, of which one may wait for the other.
    pub fn gather_coming(&self, count: usize, patience: Duration) -> Verdict<Vec<Got>> {
        let last = Cell::new((0, Instant::now()));
        self.gather_until(patience * MOST_PATIENCES, |got| {
            if got.len() > last.get().0 {
                last.set((got.len(), Instant::now()));
            }
            got.len() >= count || last.get().1.elapsed() >= patience
        })
    }

    /// Exactly the next `count` samples of one writer, from sequence number `first`, in order.
    pub fn expect(&self, first: u64, count: u64, patience: Duration) -> Verdict<Vec<Got>> {
        let got = self.gather(count as usize, patience)?;
        let seqs: Vec<u64> = got.iter().map(|g| g.header.seq).collect();
        if seqs == (first..first + count).collect::<Vec<_>>() {
            return Ok(got);
        }
        let want = format!("samples {first} to {}", first + count - 1);
        Err(Stop::Failed(format!("expected {want} in order, {}", describe(&seqs))))
    }
}

/// A list of sequence numbers, as runs; what came more than once is named.
pub(crate) fn describe(seqs: &[u64]) -> String {
    if seqs.is_empty() {
        return "nothing arrived".to_owned();
    }
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for &seq in seqs {
        match runs.last_mut() {
            Some((_, last)) if seq == *last + 1 => *last = seq,
            _ => runs.push((seq, seq)),
        }
    }
    let shown: Vec<_> = runs
        .iter()
        .take(8)
        .map(|(a, b)| if a == b { a.to_string() } else { format!("{a}–{b}") })
        .collect();
    let more = if runs.len() > 8 { ", …" } else { "" };
    format!("{} arrived: {}{more}{}", seqs.len(), shown.join(", "), repeated(seqs))
}

/// Which of them came more than once.
fn repeated(seqs: &[u64]) -> String {
    let mut times: BTreeMap<u64, u32> = BTreeMap::new();
    for seq in seqs {
        *times.entry(*seq).or_default() += 1;
    }
    let twice: Vec<_> = times.into_iter().filter(|(_, n)| *n > 1).collect();
    if twice.is_empty() {
        return String::new();
    }
    let named: Vec<_> = twice.iter().take(4).map(|(seq, n)| format!("{seq} ×{n}")).collect();
    let more = if twice.len() > 4 { ", …" } else { "" };
    format!("; {} delivered more than once: {}{more}", twice.len(), named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_numbers_are_told_as_runs_and_duplicates_by_name() {
        assert_eq!(describe(&[]), "nothing arrived");
        assert_eq!(describe(&[0, 1, 2, 5]), "4 arrived: 0–2, 5");
        assert_eq!(
            describe(&[0, 1, 1, 2, 1]),
            "5 arrived: 0–1, 1–2, 1; 1 delivered more than once: 1 ×3"
        );
    }
}
