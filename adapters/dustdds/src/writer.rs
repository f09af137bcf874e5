//! A data writer.

use std::any::Any;
use std::sync::Arc;

use busmark_adapter::{Counters, EndpointConfig, Header, Qos, Result, Status, Writer};
use dust_dds::infrastructure::listener::NO_LISTENER;
use dust_dds::infrastructure::qos::QosKind;
use dust_dds::infrastructure::status::NO_STATUS;
use dust_dds::publication::data_writer::DataWriter;
use dust_dds::publication::publisher::Publisher;

use crate::errors::{error, status};
use crate::qos;
use crate::topic::{TopicUse, Topics};
use crate::types::Sample;

/// A sample of some type; the writer that made it knows which.
pub type Prepared = Box<dyn Any + Send>;

/// A writer of some type.
pub struct DustWriter(pub(crate) Box<dyn Writing>);

/// What a [`DustWriter`] does once the type is known.
pub(crate) trait Writing: Send + Sync {
    fn prepare(&self, body: &[u8]) -> Result<Prepared>;
    fn write(&self, sample: &mut Prepared, header: &Header) -> std::result::Result<(), Status>;
    fn matched(&self) -> std::result::Result<u32, Status>;
    fn set_qos(&self, qos: &Qos) -> Result<()>;
    fn counters(&self) -> Counters;
}

/// A writer with the publisher and the topic that were made for it.
pub(crate) struct TypedWriter<T> {
    writer: DataWriter<T>,
    publisher: Publisher,
    topic: TopicUse,
    instances: u32,
}

impl<T: Sample> TypedWriter<T> {
    pub(crate) fn new(topics: &Arc<Topics>, config: &EndpointConfig) -> Result<Self> {
        let topic = topics.of::<T>(config)?;
        let group = QosKind::Specific(qos::publisher(&config.qos));
        let publisher = topics
            .participant
            .create_publisher(group, NO_LISTENER, NO_STATUS)
            .map_err(|e| error(&e, "publisher"))?;
        let policies = QosKind::Specific(qos::writer(&config.qos));
        let made = publisher.create_datawriter(&topic.topic, policies, NO_LISTENER, NO_STATUS);
        let writer = match made {
            Ok(writer) => writer,
            Err(e) => {
                let _ = topics.participant.delete_publisher(&publisher);
                return Err(error(&e, &format!("writer of {:?}", config.topic)));
            }
        };
        Ok(Self { writer, publisher, topic, instances: config.instances })
    }
}

impl<T> Drop for TypedWriter<T> {
    fn drop(&mut self) {
        if let Some(participant) = self.topic.living_participant() {
            let _ = self.publisher.delete_datawriter(&self.writer);
            let _ = participant.delete_publisher(&self.publisher);
        }
    }
}

impl<T: Sample> Writing for TypedWriter<T> {
    fn prepare(&self, body: &[u8]) -> Result<Prepared> {
        let sample = T::with_body(body).ok_or_else(|| {
            let text = format!("the body of {} bytes is no value of the type in CDR", body.len());
            Status::Invalid.error(text)
        })?;
        Ok(Box::new(sample))
    }

    #[inline]
    fn write(&self, sample: &mut Prepared, header: &Header) -> std::result::Result<(), Status> {
        self.topic.check()?;
        let sample = sample.downcast_mut::<T>().ok_or(Status::Invalid)?;
        sample.set_header(header, self.instances);
        // The crate takes samples by value.
        self.writer.write(sample.clone(), None).map_err(|e| status(&e))
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        self.topic.check()?;
        // Not the status: it does not fall if a participant's farewell overtakes its endpoints'.
        let matched = self.writer.get_matched_subscriptions().map_err(|e| status(&e))?;
        Ok(matched.len() as u32)
    }

    fn set_qos(&self, change: &Qos) -> Result<()> {
        change.require(qos::MUTABLE_BY_WRITER)?;
        self.topic.check().map_err(|status| status.error("Dust DDS has panicked"))?;
        let mut native = self.writer.get_qos().map_err(|e| error(&e, "QoS"))?;
        qos::change_writer(&mut native, change);
        let native = QosKind::Specific(native);
        self.writer.set_qos(native).map_err(|e| error(&e, "changed QoS"))
    }

    fn counters(&self) -> Counters {
        if self.topic.check().is_err() {
            return Counters::default();
        }
        let missed = self.writer.get_offered_deadline_missed_status();
        Counters {
            deadline_missed: missed.ok().map(|status| status.total_count.max(0) as u64),
            ..Counters::default()
        }
    }
}

impl Writer for DustWriter {
    type Sample = Prepared;

    fn prepare(&self, body: &[u8]) -> Result<Prepared> {
        self.0.prepare(body)
    }

    #[inline]
    fn write(&self, sample: &mut Prepared, header: &Header) -> std::result::Result<(), Status> {
        self.0.write(sample, header)
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
