//! A data writer, of any of the types.

use std::any::Any;
use std::sync::Arc;

use busmark_adapter::{EndpointConfig, Header, HotCell, Payload, Result, Status, Writer};
use hdds::DataWriter;

use crate::error::{error, status};
use crate::qos;
use crate::types::Topical;

/// A sample of the writer's type.
pub struct Sample(Box<dyn Any + Send>);

/// A writer whose type is forgotten.
pub struct HddsWriter(Box<dyn Writer<Sample = Sample>>);

struct Typed<T: Topical> {
    writer: HotCell<DataWriter<T>>,
    payload: Payload,
    max_body_bytes: u64,
    instances: u64,
}

/// A writer as the border wants it.
pub fn typed<T: Topical>(
    participant: &Arc<hdds::Participant>,
    config: &EndpointConfig,
) -> Result<HddsWriter> {
    let failed = |e: hdds::Error| error(&e, &format!("writer of {:?}", config.topic));
    let writer = participant
        .topic::<T>(&config.topic)
        .map_err(failed)?
        .writer()
        .qos(qos::native(&config.qos))
        .build()
        .map_err(failed)?;
    Ok(HddsWriter(Box::new(Typed {
        writer: HotCell::new(writer),
        payload: config.payload,
        max_body_bytes: config.max_body_bytes,
        instances: config.instances.into(),
    })))
}

impl<T: Topical> Writer for Typed<T> {
    type Sample = Sample;

    fn prepare(&self, body: &[u8]) -> Result<Sample> {
        check_body(self.payload, self.max_body_bytes, body)?;
        Ok(Sample(Box::new(T::with_body(body))))
    }

    #[inline]
    fn write(&self, sample: &mut Sample, header: &Header) -> std::result::Result<(), Status> {
        let sample = sample.0.downcast_mut::<T>().ok_or(Status::Invalid)?;
        sample.stamp(header, self.instances);
        let writer = self.writer.get().ok_or(Status::Failed)?;
        writer.write(sample).map_err(|e| status(&e))
    }
}

/// A refusal of a body that does not fit.
fn check_body(kind: Payload, max: u64, body: &[u8]) -> Result<()> {
    let fault = if body.len() as u64 > max {
        format!("a body of {} bytes for a writer of at most {max}", body.len())
    } else if !body.len().is_multiple_of(kind.element_bytes()) {
        format!("a body of {} bytes is no whole number of elements", body.len())
    } else if kind == Payload::Empty && !body.is_empty() {
        "the payload kind empty has no body".to_owned()
    } else {
        return Ok(());
    };
    Err(Status::Invalid.error(fault))
}

impl Writer for HddsWriter {
    type Sample = Sample;

    fn prepare(&self, body: &[u8]) -> Result<Sample> {
        self.0.prepare(body)
    }

    #[inline]
    fn write(&self, sample: &mut Sample, header: &Header) -> std::result::Result<(), Status> {
        self.0.write(sample, header)
    }
}
