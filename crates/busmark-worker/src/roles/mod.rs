//! What a participant does: one file per role.

mod batcher;
mod bodies;
mod echo;
mod patience;
mod pinger;
mod ponger;
mod receiver;
mod senders;
mod subscriber;
mod transmitter;

use std::sync::Arc;

use busmark_adapter::{
    EndpointConfig, Error, Feature, ParticipantHandle, ReaderHandle, Wait, WriterHandle,
};
use busmark_measure::Row;

use crate::protocol::{Failure, RoleReport, RoleSpec, RunReport, StreamSpec};

/// What every role of a participant knows.
pub struct Context {
    /// Where its endpoints live.
    pub participant: ParticipantHandle,
    /// Of the run.
    pub cookie: u64,
    /// Threads share a CPU.
    pub yields: bool,
}

/// A role with its endpoints.
pub trait Role: Send {
    /// Topics and writers, to be connected and matched.
    fn writers(&self) -> Vec<(&str, &WriterHandle)>;
    /// Topics and readers, to be connected and matched.
    fn readers(&self) -> Vec<(&str, &ReaderHandle)>;
    /// Starts threads that readers need.
    fn start(&mut self);
    /// Does the measurement; `None` for a passive role.
    fn run(&mut self) -> Option<Result<RunReport, Failure>>;
    /// Distinct samples of the measured time received so far, by writer; empty where none counts.
    fn progress(&self) -> Vec<(u32, u64)> {
        Vec::new()
    }
    /// Closes the readers, stops threads, and gives the account and the recorded rows.
    fn finish(&mut self) -> Result<Recorded, Failure>;
}

/// What a role has recorded.
pub struct Recorded {
    /// The account.
    pub report: RoleReport,
    /// The rows, if the role records any.
    pub rows: Option<(Arc<busmark_measure::Recorder>, usize)>,
}

impl Recorded {
    /// The rows that were filled.
    pub fn rows(&self) -> &[Row] {
        self.rows.as_ref().map_or(&[], |(recorder, count)| recorder.rows(*count))
    }
}

/// Makes the role that `spec` describes.
pub fn make(context: &Context, spec: RoleSpec) -> Result<Box<dyn Role>, Error> {
    Ok(match spec {
        RoleSpec::Pinger { writer, from, ping, pong, stream, schedule } => {
            Box::new(pinger::Pinger::new(context, writer, from, (ping, pong), &stream, schedule)?)
        }
        RoleSpec::Ponger { writer, ping, pong, stream } => {
            Box::new(ponger::Ponger::new(context, writer, ping, pong, &stream)?)
        }
        RoleSpec::Transmitter {
            writer,
            topic,
            echo,
            probe_every,
            stream,
            schedule,
            interval_ns,
        } => Box::new(transmitter::Transmitter::new(
            context,
            writer,
            (topic, echo),
            probe_every,
            &stream,
            schedule,
            interval_ns,
        )?),
        spec @ RoleSpec::Batcher { .. } => Box::new(batcher::Batcher::new(context, spec)?),
        spec @ RoleSpec::Receiver { .. } => Box::new(receiver::Receiver::new(context, spec)?),
    })
}

impl StreamSpec {
    /// Configuration of an endpoint of this stream.
    fn endpoint(&self, topic: &str) -> EndpointConfig {
        EndpointConfig {
            topic: topic.to_owned(),
            payload: self.payload,
            wait: self.wait,
            max_body_bytes: self.size as u64,
            qos: self.qos.clone(),
            instances: self.instances,
            filter_below: self.filter_below,
        }
    }

    /// Whether a sample must be handed to a thread instead of being written from the listener (C21).
    fn hands_over(&self, context: &Context) -> bool {
        let capabilities = context.participant.library().capabilities();
        let keep_all = self.qos.keep_all == Some(true) && self.qos.reliable != Some(false);
        let allowed = capabilities.has(Feature::WriteInListener)
            && (!keep_all || capabilities.has(Feature::KeepAllInListener));
        self.wait == Wait::Listener && !allowed
    }
}
