//! A data reader: listener, waitset or polling.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use busmark_adapter::{
    EndpointConfig, HotCell, Listener, Qos, Reader, Result, Sink, Source, Status, Wait,
};
use dust_dds::dds_async::data_reader::DataReaderAsync;
use dust_dds::dds_async::domain_participant::DomainParticipantAsync;
use dust_dds::dds_async::topic::TopicAsync;
use dust_dds::infrastructure::listener::NO_LISTENER;
use dust_dds::infrastructure::qos::QosKind;
use dust_dds::infrastructure::sample_info::{
    ANY_INSTANCE_STATE, ANY_SAMPLE_STATE, ANY_VIEW_STATE, Sample as Received,
};
use dust_dds::infrastructure::status::{NO_STATUS, StatusKind};
use dust_dds::std_runtime::executor::block_on;
use dust_dds::subscription::data_reader::DataReader;
use dust_dds::subscription::data_reader_listener::DataReaderListener;
use dust_dds::subscription::subscriber::Subscriber;

use crate::errors::{error, status};
use crate::qos;
use crate::topic::{TopicUse, Topics};
use crate::types::Sample;
use crate::waiting::Waiter;

/// Most samples of one take.
const BATCH: i32 = 64;

/// A reader of some type.
pub struct DustReader(pub(crate) Box<dyn Reading>);

/// What a [`DustReader`] does once the type is known.
pub(crate) trait Reading: Send + Sync {
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status>;
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status>;
    fn matched(&self) -> std::result::Result<u32, Status>;
    fn set_qos(&self, qos: &Qos) -> Result<()>;
}

/// Samples that the crate has given and the sink has not got yet.
struct Taken<T> {
    samples: VecDeque<Received<T>>,
    /// A take found all that it asked for: there may be more, which the crate does not announce
    /// again.
    maybe_more: bool,
    /// Where a body is put together whose elements lie otherwise in the crate's type.
    scratch: Vec<u8>,
}

impl<T> Default for Taken<T> {
    fn default() -> Self {
        Self { samples: VecDeque::new(), maybe_more: false, scratch: Vec::new() }
    }
}

impl<T: Sample> Taken<T> {
    /// Delivers at most `max` of the samples at hand.
    #[inline]
    fn deliver(&mut self, max: usize, sink: &mut Sink) -> usize {
        let mut delivered = 0;
        while delivered < max
            && let Some(received) = self.samples.pop_front()
        {
            let Some(sample) = &received.data else { continue };
            let header = sample.header().into();
            let stamp = received.sample_info.source_timestamp.map_or(0, |time| {
                i64::from(time.sec()) * 1_000_000_000 + i64::from(time.nanosec())
            });
            sink.deliver_stamped(&header, sample.body(&mut self.scratch), stamp, 0);
            delivered += 1;
        }
        delivered
    }
}

/// Takes at most `max` samples from the crate.
fn take_from<T: Sample>(
    reader: &DataReader<T>,
    max: i32,
) -> std::result::Result<Vec<Received<T>>, Status> {
    reader.take(max, ANY_SAMPLE_STATE, ANY_VIEW_STATE, ANY_INSTANCE_STATE).map_err(|e| status(&e))
}

/// A reader with the subscriber and the topic that were made for it.
pub(crate) struct TypedReader<T> {
    reader: DataReader<T>,
    subscriber: Subscriber,
    topic: TopicUse,
    waiter: Option<Waiter>,
    taken: HotCell<Taken<T>>,
    /// The listener must keep silent.
    closed: Arc<AtomicBool>,
}

impl<T: Sample> TypedReader<T> {
    pub(crate) fn new(
        topics: &Arc<Topics>,
        config: &EndpointConfig,
        listener: Option<Listener>,
    ) -> Result<Self> {
        let policies = QosKind::Specific(qos::reader(&config.qos));
        let topic = topics.of::<T>(config)?;
        let native = TopicAsync::from(topic.topic.clone());
        let group = QosKind::Specific(qos::subscriber(&config.qos));
        // The asynchronous form of each, for it alone gives a condition that the waiter can use.
        let participant = DomainParticipantAsync::from(topics.participant.clone());
        let subscriber = block_on(participant.create_subscriber(group, NO_LISTENER, NO_STATUS))
            .map_err(|e| error(&e, "subscriber"))?;
        let closed = Arc::new(AtomicBool::new(false));
        let made = if let Some(listener) = listener {
            let notifier =
                Notifier { listener, closed: Arc::clone(&closed), taken: Taken::default() };
            let mask = &[StatusKind::DataAvailable];
            block_on(subscriber.create_datareader(&native, policies, Some(notifier), mask))
        } else {
            block_on(subscriber.create_datareader(&native, policies, NO_LISTENER, NO_STATUS))
        };
        let subscriber = Subscriber::from(subscriber);
        let reader = match made {
            Ok(reader) => reader,
            Err(e) => {
                let _ = topics.participant.delete_subscriber(&subscriber);
                return Err(error(&e, &format!("reader of {:?}", config.topic)));
            }
        };
        let condition = reader.get_statuscondition();
        let taken = HotCell::new(Taken::default());
        let reader = DataReader::from(reader);
        let mut made = Self { reader, subscriber, topic, waiter: None, taken, closed };
        if config.wait == Wait::Waitset {
            made.waiter = Some(Waiter::new(condition)?);
        }
        Ok(made)
    }
}

impl<T> Drop for TypedReader<T> {
    fn drop(&mut self) {
        // The executor's thread deletes the reader, and calls the listener: what is under way has ended
        // when the deletion has been answered, and later calls find this.
        self.closed.store(true, Ordering::SeqCst);
        if let Some(participant) = self.topic.living_participant() {
            let _ = self.subscriber.delete_datareader(&self.reader);
            let _ = participant.delete_subscriber(&self.subscriber);
        }
    }
}

impl<T: Sample> Reading for TypedReader<T> {
    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        self.topic.check()?;
        let mut taken = self.taken.get().ok_or(Status::Failed)?;
        let mut delivered = taken.deliver(max, sink);
        while delivered < max {
            let asked = (max - delivered).min(BATCH as usize);
            match take_from(&self.reader, asked as i32) {
                Ok(samples) => {
                    taken.maybe_more = samples.len() == asked;
                    taken.samples.extend(samples);
                    delivered += taken.deliver(max - delivered, sink);
                }
                Err(Status::NoData) => taken.maybe_more = false,
                Err(other) => return Err(other),
            }
            if !taken.maybe_more {
                break;
            }
        }
        if delivered == 0 { Err(Status::NoData) } else { Ok(delivered) }
    }

    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        let waiter = self.waiter.as_ref().ok_or(Status::Unsupported)?;
        self.topic.check()?;
        {
            let mut taken = self.taken.get().ok_or(Status::Failed)?;
            if taken.maybe_more {
                match take_from(&self.reader, 1) {
                    Ok(samples) => taken.samples.extend(samples),
                    Err(Status::NoData) => taken.maybe_more = false,
                    Err(other) => return Err(other),
                }
            }
            if !taken.samples.is_empty() {
                return Ok(());
            }
        }
        waiter.wait(timeout)
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        self.topic.check()?;
        let matched = self.reader.get_matched_publications().map_err(|e| status(&e))?;
        Ok(matched.len() as u32)
    }

    fn set_qos(&self, change: &Qos) -> Result<()> {
        change.require(qos::MUTABLE_BY_READER)?;
        self.topic.check().map_err(|status| status.error("Dust DDS has panicked"))?;
        let mut native = self.reader.get_qos().map_err(|e| error(&e, "QoS"))?;
        qos::change_reader(&mut native, change);
        let native = QosKind::Specific(native);
        self.reader.set_qos(native).map_err(|e| error(&e, "changed QoS"))
    }
}

/// The crate's listener, which calls Busmark's. It lives on the executor's thread.
struct Notifier<T> {
    listener: Listener,
    closed: Arc<AtomicBool>,
    taken: Taken<T>,
}

impl<T: Sample> Source for Taken<T> {
    #[inline]
    fn take(&mut self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        match self.deliver(max, sink) {
            0 => Err(Status::NoData),
            delivered => Ok(delivered),
        }
    }
}

impl<T: Sample> DataReaderListener<T> for Notifier<T> {
    async fn on_data_available(&mut self, reader: DataReaderAsync<T>) {
        // The worker's take cannot ask the crate, whose answer would come on this very thread: samples
        // are taken here and handed over.
        loop {
            let batch =
                reader.take(BATCH, ANY_SAMPLE_STATE, ANY_VIEW_STATE, ANY_INSTANCE_STATE).await;
            let Ok(samples) = batch else { return };
            let last = samples.len() < BATCH as usize;
            self.taken.samples.extend(samples);
            if self.closed.load(Ordering::SeqCst) {
                return;
            }
            self.listener.notify_with(&mut self.taken);
            if last {
                return;
            }
        }
    }
}

impl Reader for DustReader {
    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        self.0.take(max, sink)
    }

    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        self.0.wait(timeout)
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        self.0.matched()
    }

    fn set_qos(&self, qos: &Qos) -> Result<()> {
        self.0.set_qos(qos)
    }
}
