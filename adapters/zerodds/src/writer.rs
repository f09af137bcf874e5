//! A data writer, of any of the types.

use std::any::Any;
use std::sync::Arc;

use busmark_adapter::{
    Counters, EndpointConfig, Entity as Listing, Header, Listed, OwnEndpoints, Qos, Result, Status,
    Writer,
};
use zerodds_dcps::qos::PartitionQosPolicy;
use zerodds_dcps::{DataWriter, Entity, Publisher};

use crate::entities::Own;
use crate::error::{error, status};
use crate::qos;
use crate::types::Topical;

/// A sample of the writer's type.
pub struct Sample(Box<dyn Any + Send>);

/// A writer whose type is forgotten.
pub struct ZeroWriter(Box<dyn Writer<Sample = Sample>>);

/// A writer with the publisher that was made for it.
struct Typed<T: Topical> {
    writer: DataWriter<T>,
    publisher: Publisher,
    instances: u64,
    own: Own,
    listed: Listed<Listing>,
}

/// A writer as the border wants it.
pub fn typed<T: Topical>(
    config: &EndpointConfig,
    endpoints: &Arc<OwnEndpoints<Listing>>,
    publisher: Publisher,
    writer: DataWriter<T>,
) -> Result<ZeroWriter> {
    let (runtime, id) = writer
        .runtime_handle()
        .ok_or_else(|| Status::Failed.error("a writer without the library's runtime"))?;
    let own = Own::new::<T>(runtime.guid_prefix.to_bytes(), id.to_bytes(), config);
    let listed = endpoints.add(own.writer(&writer.qos(), &publisher.get_qos()));
    let instances = config.instances.into();
    Ok(ZeroWriter(Box::new(Typed { writer, publisher, instances, own, listed })))
}

impl<T: Topical> Writer for Typed<T> {
    type Sample = Sample;

    fn prepare(&self, body: &[u8]) -> Result<Sample> {
        let sample = T::with_body(body).ok_or_else(|| {
            let text = format!("the body of {} bytes is no value of the type in CDR", body.len());
            Status::Invalid.error(text)
        })?;
        Ok(Sample(Box::new(sample)))
    }

    #[inline]
    fn write(&self, sample: &mut Sample, header: &Header) -> std::result::Result<(), Status> {
        let sample = sample.0.downcast_mut::<T>().ok_or(Status::Invalid)?;
        sample.stamp(header, self.instances);
        self.writer.write(sample).map_err(|e| status(&e))
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        u32::try_from(self.writer.matched_subscription_count()).map_err(|_| Status::Failed)
    }

    fn set_qos(&self, asked: &Qos) -> Result<()> {
        if asked.time_based_filter_ns.is_some() {
            return Err(Status::Unsupported.error("a time-based filter is the reader's"));
        }
        if asked.partition.is_some() {
            let mut group = self.publisher.get_qos();
            group.partition = PartitionQosPolicy { names: qos::partition(asked) };
            self.publisher.set_qos(group).map_err(|e| error(&e, "changed partition"))?;
        }
        let mut changed = self.writer.qos();
        qos::change_writer(asked, &mut changed);
        self.writer.set_qos(changed).map_err(|e| error(&e, "changed QoS"))?;
        self.listed.replace(self.own.writer(&self.writer.qos(), &self.publisher.get_qos()));
        Ok(())
    }

    fn counters(&self) -> Counters {
        Counters {
            deadline_missed: Some(self.writer.offered_deadline_missed_count()),
            ..Counters::default()
        }
    }
}

impl<T: Topical> Drop for Typed<T> {
    fn drop(&mut self) {
        let _ = self.publisher.delete_contained_entities();
        if let Some(participant) = self.publisher.get_participant() {
            let _ = participant.delete_publisher(&self.publisher);
        }
    }
}

impl Writer for ZeroWriter {
    type Sample = Sample;

    fn prepare(&self, body: &[u8]) -> Result<Sample> {
        self.0.prepare(body)
    }

    #[inline]
    fn write(&self, sample: &mut Sample, header: &Header) -> std::result::Result<(), Status> {
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
