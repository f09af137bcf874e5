//! A data writer.

use busmark_adapter::{Counters, EndpointConfig, Header, Payload, Qos, Result, Status, Writer};
use cyclonedds_rust_sys::{
    dds_get_offered_deadline_missed_status, dds_get_publication_matched_status,
    dds_offered_deadline_missed_status_t, dds_publication_matched_status_t, dds_set_qos, dds_write,
    dds_write_flush,
};

use crate::entity::{Entity, check, error};
use crate::qos::NativeQos;
use crate::types::Sample;

/// A writer with the publisher and the topic that were made for it, deleted in this order.
pub struct CycloneWriter {
    writer: Entity,
    _publisher: Entity,
    _topic: Entity,
    payload: Payload,
    instances: u32,
    max_body_bytes: u64,
}

impl CycloneWriter {
    pub(crate) fn new(
        config: &EndpointConfig,
        writer: Entity,
        publisher: Entity,
        topic: Entity,
    ) -> Self {
        Self {
            writer,
            _publisher: publisher,
            _topic: topic,
            payload: config.payload,
            instances: config.instances,
            max_body_bytes: config.max_body_bytes,
        }
    }
}

impl Writer for CycloneWriter {
    type Sample = Sample;

    fn prepare(&self, body: &[u8]) -> Result<Sample> {
        if body.len() as u64 > self.max_body_bytes {
            let text = format!(
                "a body of {} bytes for a writer of at most {}",
                body.len(),
                self.max_body_bytes
            );
            return Err(Status::Invalid.error(text));
        }
        if self.payload == Payload::Empty && !body.is_empty() {
            return Err(Status::Invalid.error("the payload kind empty has no body"));
        }
        Sample::new(self.payload, self.instances, body)
    }

    #[inline]
    fn write(&self, sample: &mut Sample, header: &Header) -> std::result::Result<(), Status> {
        // SAFETY: the sample is of this writer's type and lives during the call; the library copies
        // it.
        check(unsafe { dds_write(self.writer.raw(), sample.stamped(header)) })
    }

    fn flush(&self) -> std::result::Result<(), Status> {
        // SAFETY: the handle is a number that the library checks.
        check(unsafe { dds_write_flush(self.writer.raw()) })
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        let mut status = dds_publication_matched_status_t::default();
        // SAFETY: `status` is of the type that the function fills in.
        check(unsafe { dds_get_publication_matched_status(self.writer.raw(), &raw mut status) })?;
        Ok(status.current_count)
    }

    fn set_qos(&self, qos: &Qos) -> Result<()> {
        let change = NativeQos::change(qos);
        // SAFETY: the QoS lives during the call.
        let code = unsafe { dds_set_qos(self.writer.raw(), change.as_ptr()) };
        if code < 0 { Err(error(code, "changed QoS")) } else { Ok(()) }
    }

    fn counters(&self) -> Counters {
        let mut status = dds_offered_deadline_missed_status_t::default();
        // SAFETY: `status` is of the type that the function fills in.
        let code =
            unsafe { dds_get_offered_deadline_missed_status(self.writer.raw(), &raw mut status) };
        Counters {
            deadline_missed: (code == 0).then_some(u64::from(status.total_count)),
            ..Counters::default()
        }
    }
}
