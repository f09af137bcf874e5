//! A data writer.

use std::any::Any;
use std::sync::Arc;

use busmark_adapter::{EndpointConfig, Entity, EntityKind, Header, Listed, Result, Status, Writer};
use rustdds::RTPSEntity;

use crate::endpoints::{Endpoints, Lent};
use crate::errors::{create_error, write_status};
use crate::matches::Matches;
use crate::participant::RustParticipant;
use crate::qos;
use crate::types::Sample;

/// A sample of some type, in an `Arc`; the writer that made it knows which.
pub type Prepared = Box<dyn Any + Send>;

/// A writer of some type.
pub struct RustWriter(pub(crate) Box<dyn Writing>);

/// What a [`RustWriter`] does once the type is known.
pub(crate) trait Writing: Send + Sync {
    fn prepare(&self, body: &[u8]) -> Result<Prepared>;
    fn write(&self, sample: &mut Prepared, header: &Header) -> std::result::Result<(), Status>;
    fn matched(&self) -> u32;
}

pub(crate) struct TypedWriter<T, E: Endpoints<T>> {
    writer: E::Writer,
    matches: Arc<Matches>,
    instances: u32,
    _listed: Listed<Entity>,
}

impl<T: Sample, E: Endpoints<T>> TypedWriter<T, E> {
    pub(crate) fn new(here: &RustParticipant, config: &EndpointConfig) -> Result<Self> {
        let topic = here.topic(config, E::KIND)?;
        let qos = qos::writer(config, here.send_window);
        let writer = E::writer(&here.publisher, &topic, qos.clone())
            .map_err(|e| create_error(&e, &format!("writer of {:?}", config.topic)))?;
        let listed = here.list(EntityKind::Writer, writer.guid(), config, &qos);
        let (matches, instances) = (here.matches()?, config.instances);
        Ok(Self { writer, matches, instances, _listed: listed })
    }
}

impl<T: Sample, E: Endpoints<T>> Writing for TypedWriter<T, E> {
    fn prepare(&self, body: &[u8]) -> Result<Prepared> {
        Ok(Box::new(Arc::new(T::with_body(body))))
    }

    #[inline]
    fn write(&self, sample: &mut Prepared, header: &Header) -> std::result::Result<(), Status> {
        let sample = sample.downcast_mut::<Arc<T>>().ok_or(Status::Invalid)?;
        Arc::get_mut(sample).ok_or(Status::Failed)?.set_header(header, self.instances);
        E::write(&self.writer, Lent::of(sample)).map_err(|e| write_status(&e))
    }

    fn matched(&self) -> u32 {
        self.matches.count(self.writer.guid())
    }
}

impl Writer for RustWriter {
    type Sample = Prepared;

    fn prepare(&self, body: &[u8]) -> Result<Prepared> {
        self.0.prepare(body)
    }

    #[inline]
    fn write(&self, sample: &mut Prepared, header: &Header) -> std::result::Result<(), Status> {
        self.0.write(sample, header)
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        Ok(self.0.matched())
    }
}
