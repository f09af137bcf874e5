//! A data reader, of any of the types.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use busmark_adapter::{
    Counters, EndpointConfig, Entity as Listing, HotCell, Listed, Listener, OwnEndpoints, Qos,
    Reader, Result, Sink, Status, Wait,
};
use zerodds_dcps::listener::{ArcDataReaderListener, DataReaderListener};
use zerodds_dcps::psm_constants::status::DATA_AVAILABLE;
use zerodds_dcps::qos::PartitionQosPolicy;
use zerodds_dcps::sample_info::{instance_state_mask, sample_state_mask, view_state_mask};
use zerodds_dcps::{DataReader, Entity, InstanceHandle, Sample, Subscriber, Time, WaitSet};

use crate::config::Waiting;
use crate::entities::Own;
use crate::error::{error, status};
use crate::qos;
use crate::types::Topical;

/// A reader whose type is forgotten.
pub struct ZeroReader(Box<dyn Reader>);

/// A reader with the subscriber that was made for it.
struct Typed<T: Topical> {
    reader: DataReader<T>,
    subscriber: Subscriber,
    waitset: Option<WaitSet>,
    notifier: Option<Arc<Notifier>>,
    /// Whether what wakes a reader may be news of an instance, which is nothing to take.
    keyed: bool,
    /// Taken from the library and not yet from us: its `take` with a bound walks over all that is
    /// left, so each time all is taken.
    pending: HotCell<VecDeque<Sample<T>>>,
    own: Own,
    listed: Listed<Listing>,
}

/// Tells the worker of samples, on the thread that received them. The library sees to it that calls
/// for one reader do not overlap, but takes a listener away while it is being called.
struct Notifier {
    listener: Listener,
    /// Calls under way, and `CLOSED`.
    state: AtomicU32,
}

const CLOSED: u32 = 1 << 31;

impl Notifier {
    /// After this no call is under way and none will come (C22).
    fn close(&self) {
        self.state.fetch_or(CLOSED, Ordering::AcqRel);
        while self.state.load(Ordering::Acquire) != CLOSED {
            std::thread::sleep(Duration::from_micros(50));
        }
    }
}

impl DataReaderListener for Notifier {
    fn on_data_available(&self, _reader: InstanceHandle) {
        if self.state.fetch_add(1, Ordering::AcqRel) & CLOSED == 0 {
            self.listener.notify();
        }
        self.state.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A reader as the border wants it.
pub fn typed<T: Topical>(
    config: &EndpointConfig,
    endpoints: &Arc<OwnEndpoints<Listing>>,
    waiting: Waiting,
    subscriber: Subscriber,
    reader: DataReader<T>,
    listener: Option<Listener>,
) -> Result<ZeroReader> {
    let waitset = if config.wait == Wait::Waitset && waiting == Waiting::Waitset {
        let condition = reader
            .create_readcondition(
                sample_state_mask::NOT_READ,
                view_state_mask::ANY,
                instance_state_mask::ALIVE,
            )
            .map_err(|e| error(&e, "read condition"))?;
        let waitset = WaitSet::new();
        waitset.attach_condition(condition).map_err(|e| error(&e, "waitset"))?;
        Some(waitset)
    } else {
        None
    };
    let notifier = listener.map(|listener| {
        let notifier = Arc::new(Notifier { listener, state: AtomicU32::new(0) });
        let native: ArcDataReaderListener = Arc::clone(&notifier) as _;
        reader.set_listener(Some(native), DATA_AVAILABLE);
        notifier
    });
    let (runtime, id) = reader
        .runtime_handle()
        .ok_or_else(|| Status::Failed.error("a reader without the library's runtime"))?;
    let own = Own::new::<T>(runtime.guid_prefix.to_bytes(), id.to_bytes(), config);
    let listed = endpoints.add(own.reader(&reader.qos(), &subscriber.get_qos()));
    let typed = Typed {
        reader,
        subscriber,
        waitset,
        notifier,
        keyed: config.instances > 0,
        pending: HotCell::new(VecDeque::new()),
        own,
        listed,
    };
    Ok(ZeroReader(Box::new(typed)))
}

/// Nanoseconds of `CLOCK_REALTIME`; 0 where the stamp is absent.
#[inline]
fn nanoseconds(time: Time) -> i64 {
    if time.is_invalid() {
        return 0;
    }
    i64::from(time.sec) * 1_000_000_000 + i64::from(time.nanosec)
}

impl<T: Topical> Typed<T> {
    /// Takes everything that the library has.
    #[inline]
    fn fill(&self, pending: &mut VecDeque<Sample<T>>) -> std::result::Result<(), Status> {
        let taken = self.reader.take_with_info().map_err(|e| status(&e))?;
        // The library's own vector, where nothing is left of the last.
        if pending.is_empty() {
            *pending = taken.into();
        } else {
            pending.extend(taken);
        }
        pending.retain(|sample| sample.info.valid_data);
        Ok(())
    }

    fn sleep(&self, timeout: Duration) -> std::result::Result<(), Status> {
        let woken = match &self.waitset {
            Some(waitset) => waitset.wait(timeout).map(drop),
            None => self.reader.wait_for_data(timeout),
        };
        woken.map_err(|e| status(&e))
    }
}

impl<T: Topical> Reader for Typed<T> {
    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        let mut pending = self.pending.get().ok_or(Status::Failed)?;
        if pending.is_empty() {
            self.fill(&mut pending)?;
        }
        let count = max.min(pending.len());
        for Sample { data, info } in pending.drain(..count) {
            let stamp = nanoseconds(info.source_timestamp);
            sink.deliver_stamped(data.header(), &data.body(), stamp, 0);
        }
        if count == 0 { Err(Status::NoData) } else { Ok(count) }
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        let mut pending = self.pending.get().ok_or(Status::Failed)?;
        if !pending.is_empty() {
            return Ok(());
        }
        let start = Instant::now();
        let mut left = timeout;
        loop {
            self.sleep(left)?;
            if !self.keyed {
                return Ok(());
            }
            self.fill(&mut pending)?;
            if !pending.is_empty() {
                return Ok(());
            }
            left = timeout.saturating_sub(start.elapsed());
        }
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        u32::try_from(self.reader.matched_publication_count()).map_err(|_| Status::Failed)
    }

    fn set_qos(&self, asked: &Qos) -> Result<()> {
        let of_writer = asked.lifespan_ns.is_some()
            || asked.transport_priority.is_some()
            || asked.ownership_strength.is_some();
        if of_writer {
            let text = "lifespan, transport priority and ownership strength are the writer's";
            return Err(Status::Unsupported.error(text));
        }
        if asked.partition.is_some() {
            let mut group = self.subscriber.get_qos();
            group.partition = PartitionQosPolicy { names: qos::partition(asked) };
            self.subscriber.set_qos(group).map_err(|e| error(&e, "changed partition"))?;
        }
        let mut changed = self.reader.qos();
        qos::change_reader(asked, &mut changed);
        self.reader.set_qos(changed).map_err(|e| error(&e, "changed QoS"))?;
        self.listed.replace(self.own.reader(&self.reader.qos(), &self.subscriber.get_qos()));
        Ok(())
    }

    fn counters(&self) -> Counters {
        let rejected = self.reader.sample_rejected_status().total_count;
        Counters {
            lost: Some(self.reader.sample_lost_count()),
            rejected: u64::try_from(rejected).ok(),
            deadline_missed: Some(self.reader.requested_deadline_missed_count()),
            ..Counters::default()
        }
    }
}

impl<T: Topical> Drop for Typed<T> {
    fn drop(&mut self) {
        self.reader.set_listener(None, 0);
        if let Some(notifier) = &self.notifier {
            notifier.close();
        }
        let _ = self.reader.delete_contained_entities();
        let _ = self.subscriber.delete_contained_entities();
        if let Some(participant) = self.subscriber.get_participant() {
            let _ = participant.delete_subscriber(&self.subscriber);
        }
    }
}

impl Reader for ZeroReader {
    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        self.0.take(max, sink)
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        self.0.wait(timeout)
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        self.0.matched()
    }

    fn set_qos(&self, qos: &Qos) -> Result<()> {
        self.0.set_qos(qos)
    }

    fn counters(&self) -> Counters {
        self.0.counters()
    }
}
