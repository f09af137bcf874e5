//! A data writer, of a topic with or without a key.

use std::any::Any;
use std::sync::Mutex;
use std::sync::PoisonError;

use busmark_adapter::{Counters, EndpointConfig, Header, Payload, Result, Status, Writer};
use rustdds::{DataWriterStatus, StatusEvented, no_key, with_key};

use crate::errors::write_status;
use crate::types::{KeyedSample, Sample};

/// A sample of some type; the writer that made it knows which.
pub type Prepared = Box<dyn Any + Send>;

/// A writer of some type.
pub struct RustWriter(pub(crate) Box<dyn Writing>);

/// What a [`RustWriter`] does once the type is known.
pub(crate) trait Writing: Send + Sync {
    fn prepare(&self, body: &[u8]) -> Result<Prepared>;
    fn write(&self, sample: &mut Prepared, header: &Header) -> std::result::Result<(), Status>;
    fn matched(&self) -> u32;
    fn counters(&self) -> Counters;
}

/// The crate's writers, which differ by the key.
pub(crate) trait Native: Send + Sync {
    type Data: Sample;
    fn write(&self, data: Self::Data) -> std::result::Result<(), Status>;
    fn next_status(&self) -> Option<DataWriterStatus>;
}

/// Of a topic without a key.
pub(crate) struct Plain<T: Sample>(pub no_key::DataWriterCdr<T>);

impl<T: Sample> Native for Plain<T> {
    type Data = T;

    #[inline]
    fn write(&self, data: T) -> std::result::Result<(), Status> {
        self.0.write(data, None).map_err(|e| write_status(&e))
    }

    fn next_status(&self) -> Option<DataWriterStatus> {
        self.0.try_recv_status()
    }
}

/// Of a keyed topic.
pub(crate) struct Keyed(pub with_key::DataWriterCdr<KeyedSample>);

impl Native for Keyed {
    type Data = KeyedSample;

    #[inline]
    fn write(&self, data: KeyedSample) -> std::result::Result<(), Status> {
        self.0.write(data, None).map_err(|e| write_status(&e))
    }

    fn next_status(&self) -> Option<DataWriterStatus> {
        self.0.try_recv_status()
    }
}

/// What the crate has told in events.
#[derive(Default)]
struct Told {
    matched: u32,
    deadline_missed: Option<u64>,
}

/// A writer with what is known of its readers.
pub(crate) struct TypedWriter<N> {
    native: N,
    told: Mutex<Told>,
    max_body_bytes: u64,
    instances: u32,
}

impl<N: Native> TypedWriter<N> {
    pub(crate) fn new(native: N, config: &EndpointConfig) -> Self {
        let (max_body_bytes, instances) = (config.max_body_bytes, config.instances);
        Self { native, told: Mutex::default(), max_body_bytes, instances }
    }

    fn told<T>(&self, answer: impl FnOnce(&Told) -> T) -> T {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(status) = self.native.next_status() {
            match status {
                DataWriterStatus::PublicationMatched { current, .. } => {
                    told.matched = current.count().max(0) as u32;
                }
                DataWriterStatus::OfferedDeadlineMissed { count } => {
                    told.deadline_missed = Some(count.count().max(0) as u64);
                }
                _ => (),
            }
        }
        answer(&told)
    }
}

impl<N: Native> Writing for TypedWriter<N> {
    fn prepare(&self, body: &[u8]) -> Result<Prepared> {
        if body.len() as u64 > self.max_body_bytes {
            let text = format!(
                "a body of {} bytes for a writer of at most {}",
                body.len(),
                self.max_body_bytes
            );
            return Err(Status::Invalid.error(text));
        }
        let whole = match N::Data::KIND {
            Payload::Empty => body.is_empty(),
            kind => body.len().is_multiple_of(kind.element_bytes()),
        };
        if !whole {
            let text = format!("a body of {} bytes is no whole number of elements", body.len());
            return Err(Status::Invalid.error(text));
        }
        Ok(Box::new(N::Data::with_body(body)))
    }

    #[inline]
    fn write(&self, sample: &mut Prepared, header: &Header) -> std::result::Result<(), Status> {
        let sample = sample.downcast_mut::<N::Data>().ok_or(Status::Invalid)?;
        sample.set_header(header, self.instances);
        // The crate takes samples by value.
        self.native.write(sample.clone())
    }

    fn matched(&self) -> u32 {
        self.told(|told| told.matched)
    }

    fn counters(&self) -> Counters {
        let deadline_missed = self.told(|told| told.deadline_missed);
        Counters { deadline_missed, ..Counters::default() }
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

    fn counters(&self) -> Counters {
        self.0.counters()
    }
}
