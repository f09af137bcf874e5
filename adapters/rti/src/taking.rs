//! How samples come out of a reader of the library.

use std::ptr::null_mut;

use busmark_adapter::{EndpointConfig, Sink, Status};

use crate::errors::status;
use crate::ffi::{ANY, Api, Object, SampleInfo};
use crate::sequence::Sequence;
use crate::types::Shape;

/// What takes samples.
pub struct Taking {
    api: &'static Api,
    /// Whose; null until it is made.
    pub reader: Object,
    samples: Sequence,
    infos: Sequence,
    shape: Shape,
    /// Where samples are serialised to, to be read.
    scratch: Vec<u8>,
}

// SAFETY: the sequences belong to one reader, whose hot cell admits one thread.
unsafe impl Send for Taking {}

impl Taking {
    /// For a reader of the endpoint.
    pub fn new(api: &'static Api, config: &EndpointConfig) -> Self {
        let shape = Shape::new(config);
        let scratch = vec![0; shape.serialized_bytes(config.max_body_bytes as usize)];
        Self {
            api,
            reader: null_mut(),
            samples: Sequence::of_samples(api),
            infos: Sequence::of_infos(api),
            shape,
            scratch,
        }
    }

    /// Gives at most `max` samples to the sink.
    #[inline]
    pub fn take(&mut self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        let max = i32::try_from(max).unwrap_or(i32::MAX);
        loop {
            let (samples, infos) = (self.samples.raw(), self.infos.raw());
            // SAFETY: the reader is alive, both sequences are empty.
            status(unsafe { (self.api.take)(self.reader, samples, infos, max, ANY, ANY, ANY) })?;
            let delivered = self.deliver(sink);
            // SAFETY: what was taken is given back.
            status(unsafe { (self.api.return_loan)(self.reader, samples, infos) })?;
            if delivered != Ok(0) {
                return delivered;
            }
        }
    }

    /// What was taken, but for what is no sample of this endpoint: an error if there is nothing else.
    #[inline]
    fn deliver(&mut self, sink: &mut Sink) -> std::result::Result<usize, Status> {
        // SAFETY: a sequence with what was taken.
        let count = unsafe { (self.api.samples_length)(self.samples.raw()) };
        let (mut delivered, mut failure) = (0, None);
        for index in 0..count {
            // SAFETY: both sequences have so many elements, on loan until they are given back.
            let (sample, info) = unsafe {
                (
                    (self.api.samples_get)(self.samples.raw(), index),
                    &*(self.api.infos_get)(self.infos.raw(), index),
                )
            };
            // Without data, it is news of an instance only.
            if info.valid_data != 0 {
                match self.deliver_one(sample, info, sink) {
                    Ok(()) => delivered += 1,
                    Err(status) => failure = Some(status),
                }
            }
        }
        failure.filter(|_| delivered == 0).map_or(Ok(delivered), Err)
    }

    #[inline]
    fn deliver_one(
        &mut self,
        sample: Object,
        info: &SampleInfo,
        sink: &mut Sink,
    ) -> std::result::Result<(), Status> {
        let bytes = self.serialize(sample)?;
        let (header, body) = self.shape.parse(&self.scratch[..bytes]).ok_or(Status::Failed)?;
        let source = info.source_timestamp.nanoseconds();
        let reception = info.reception_timestamp.nanoseconds();
        sink.deliver_stamped(&header, body, source, reception);
        Ok(())
    }

    /// Serialises a sample into the scratch buffer: its bytes. One that is larger than the endpoint's
    /// largest is foreign, and refused.
    #[inline]
    fn serialize(&mut self, sample: Object) -> std::result::Result<usize, Status> {
        let mut bytes = self.scratch.len() as u32;
        let buffer = self.scratch.as_mut_ptr();
        // SAFETY: the sample is on loan, the buffer has so many bytes.
        status(unsafe { (self.api.data_to_cdr)(sample, buffer, &raw mut bytes) })?;
        Ok(bytes as usize)
    }
}
