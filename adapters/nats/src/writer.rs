//! A writer: subjects to publish on.

use std::ffi::CString;
use std::sync::Arc;

use busmark_adapter::{EndpointConfig, Header, Result, Status, Writer};
use busmark_server::{Sample, Shape};

use crate::connection::Link;
use crate::participant::Membership;
use crate::presence::{Member, Side};

/// A writer.
pub struct NatsWriter {
    member: Member,
    link: Arc<Link>,
    /// One, or one for each instance.
    subjects: Vec<CString>,
    shape: Shape,
}

impl NatsWriter {
    pub(crate) fn new(here: &Membership, config: &EndpointConfig) -> Result<Self> {
        let names = here.names(&config.topic)?;
        here.check_size(config)?;
        Ok(Self {
            member: here.presence.join(names.presence(), Side::Writer)?,
            link: Arc::clone(&here.link),
            subjects: names.publications(config),
            shape: Shape::new(config),
        })
    }
}

impl Writer for NatsWriter {
    type Sample = Sample;

    fn prepare(&self, body: &[u8]) -> Result<Sample> {
        Ok(Sample::new(&self.shape, body))
    }

    #[inline]
    fn write(&self, sample: &mut Sample, header: &Header) -> std::result::Result<(), Status> {
        // Never out of range: a remainder of the number of subjects, of which there is at least one.
        #[allow(clippy::cast_possible_truncation)]
        let subject = &self.subjects[(header.seq % self.subjects.len() as u64) as usize];
        self.link.publish(subject, sample.stamped(header)).then_some(()).ok_or(Status::Failed)
    }

    /// The library's own: it returns when the server has answered.
    fn flush(&self) -> std::result::Result<(), Status> {
        self.link.flush().map_err(|error| error.status)
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        Ok(self.member.others())
    }
}
