//! Has many endpoints, which do nothing but be there: every other participant has to know them.

use busmark_adapter::{Error, OnData, ReaderHandle, Status, Taker, Wait, WriterHandle};

use super::responder::BATCH;
use super::{Context, Recorded, Role, RoleSpec};
use crate::protocol::{Failure, RoleReport};

/// An idle endpoint.
pub struct IdleEndpoint {
    id: u32,
    writers: Vec<WriterHandle>,
    readers: Vec<ReaderHandle>,
}

/// Takes what nobody sends.
struct Nothing;

impl OnData for Nothing {
    fn on_data(&self, taker: &Taker) {
        while taker.take(BATCH as u32, &mut |_| ()).is_ok_and(|taken| taken as usize == BATCH) {}
    }
}

impl IdleEndpoint {
    /// Makes a writer and a reader in turn, each two on a topic of their own. `spec` is a
    /// `RoleSpec::IdleEndpoint`.
    pub fn new(context: &Context, spec: RoleSpec) -> Result<Self, Error> {
        let RoleSpec::IdleEndpoint { writer: id, topic, stream, endpoints } = spec else {
            return Err(Status::Invalid.error("not an idle_endpoint"));
        };
        let (mut writers, mut readers) = (Vec::new(), Vec::new());
        for number in 0..endpoints {
            let config = stream.endpoint(&format!("{topic}_{}", number / 2));
            if number % 2 == 0 {
                writers.push(context.participant.writer(&config)?);
            } else {
                let on_data =
                    (config.wait == Wait::Listener).then(|| Box::new(Nothing) as Box<dyn OnData>);
                readers.push(context.participant.reader(&config, on_data)?);
            }
        }
        Ok(Self { id, writers, readers })
    }
}

impl Role for IdleEndpoint {
    fn number(&self) -> u32 {
        self.id
    }

    // Nobody waits for them: they match each other only.
    fn writers(&self) -> Vec<(&str, &WriterHandle)> {
        Vec::new()
    }

    fn readers(&self) -> Vec<(&str, &ReaderHandle)> {
        Vec::new()
    }

    fn start(&mut self) {}

    fn finish(&mut self) -> Result<Recorded, Failure> {
        self.readers.clear();
        self.writers.clear();
        let report = RoleReport {
            role: "idle_endpoint".into(),
            writer: self.id,
            reply_mode: "none".into(),
            ..RoleReport::default()
        };
        Ok(Recorded { report, rows: None })
    }
}
