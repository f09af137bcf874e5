//! The sending side of a test.

use std::time::{Duration, Instant};

use busmark_adapter::{
    EndpointConfig, Header, ParticipantHandle, Payload, SampleHandle, Status, WriterHandle,
    fill_pattern,
};

use super::verdict::{Verdict, fail};

/// Cookie of every sample of the suite.
pub(crate) const COOKIE: u64 = 0xB053_A2C0_FFEE_0007;

/// A writer with a prepared sample and a running sequence number.
pub(crate) struct Outbox {
    // Before the writer, which must outlive it.
    sample: SampleHandle,
    pub handle: WriterHandle,
    pub header: Header,
    pub topic: String,
    /// No body may be larger.
    pub largest: u64,
    patience: Duration,
    /// After each of many writes: without reliability a burst says nothing.
    pub pause: Duration,
}

impl Outbox {
    pub fn new(
        participant: &ParticipantHandle,
        config: &EndpointConfig,
        writer_id: u32,
        patience: Duration,
    ) -> Verdict<Self> {
        let body = body(config.payload, config.max_body_bytes);
        Self::with_body(participant, config, &body, writer_id, patience)
    }

    /// Begins with this body instead of the pattern.
    pub fn with_body(
        participant: &ParticipantHandle,
        config: &EndpointConfig,
        body: &[u8],
        writer_id: u32,
        patience: Duration,
    ) -> Verdict<Self> {
        let handle = participant.writer(config)?;
        let sample = handle.sample(body)?;
        let header = Header { cookie: COOKIE, writer_id, ..Header::default() };
        let (topic, largest) = (config.topic.clone(), config.max_body_bytes);
        Ok(Self { sample, handle, header, topic, largest, patience, pause: Duration::ZERO })
    }

    /// The sequence number of the next sample.
    pub fn next(&self) -> u64 {
        self.header.seq
    }

    /// Writes once; the sequence number advances only when the sample was accepted.
    pub fn try_write(&mut self) -> Result<u64, Status> {
        let seq = self.header.seq;
        self.handle.write(&mut self.sample, &self.header)?;
        self.header.seq += 1;
        Ok(seq)
    }

    /// Writes, again after a timeout, and flushes.
    pub fn write(&mut self) -> Verdict<u64> {
        let begin = Instant::now();
        loop {
            match self.try_write() {
                Ok(seq) => {
                    self.handle.flush()?;
                    return Ok(seq);
                }
                Err(Status::Timeout) if begin.elapsed() < self.patience => (),
                Err(status) => return fail(format!("write of sample {}: {status}", self.next())),
            }
        }
    }

    pub fn write_many(&mut self, count: u64) -> Verdict<()> {
        for _ in 0..count {
            self.write()?;
            if !self.pause.is_zero() {
                std::thread::sleep(self.pause);
            }
        }
        Ok(())
    }

    /// From now on with this body.
    pub fn set_body(&mut self, body: &[u8]) -> Verdict<()> {
        self.sample = self.handle.sample(body)?;
        Ok(())
    }
}

/// A body with the content pattern, cut to whole elements.
pub(crate) fn body(kind: Payload, bytes: u64) -> Vec<u8> {
    let element = kind.element_bytes() as u64;
    let bytes = if kind == Payload::Empty { 0 } else { bytes / element * element };
    let mut body = vec![0; bytes as usize];
    fill_pattern(kind, &mut body);
    body
}
