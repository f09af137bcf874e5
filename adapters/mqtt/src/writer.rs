//! A writer: a client that publishes.
//!
//! Sending directly, `write` returns when the system has taken the whole message: libmosquitto itself
//! would queue without a bound. With QoS 1 and 2 it waits while as many samples are unacknowledged as
//! may be in flight, for the same reason; direct writers read acknowledgements then and no sooner.

use std::ffi::{CString, c_int};
use std::sync::Arc;
use std::time::Duration;

use busmark_adapter::{EndpointConfig, Header, HotCell, Qos, Result, Status, Writer};
use busmark_server::{Sample, Shape};

use crate::client::{Client, Nothing, Outcome};
use crate::participant::Membership;
use crate::presence::Count;

/// How long a write, a request or a response may block where the endpoint's configuration does not say.
const WRITE_LIMIT: Duration = Duration::from_secs(5);
/// How long a closing writer waits for acknowledgements.
const LAST_ACKNOWLEDGEMENTS: Duration = Duration::from_secs(3);

/// How long this QoS lets one block.
pub fn limit(qos: &Qos) -> Duration {
    match qos.max_blocking_ns {
        1.. => Duration::from_nanos(qos.max_blocking_ns.unsigned_abs()),
        _ => WRITE_LIMIT,
    }
}

/// A writer.
pub struct MqttWriter {
    hot: HotCell<Outgoing>,
    // Announced by the client; counts the readers.
    readers: Count,
    shape: Shape,
}

struct Outgoing {
    client: Client,
    /// One, or one for each instance.
    topics: Vec<CString>,
    qos: c_int,
    retain: bool,
    /// Publications that may be under way.
    window: u64,
    limit: Duration,
    /// Publications so far.
    sent: u64,
    /// Publications of which the client tells, but which are no samples.
    others: u64,
}

impl MqttWriter {
    pub(crate) fn new(here: &Membership, config: &EndpointConfig) -> Result<Self> {
        let settings = &here.route.settings;
        let names = here.names(&config.topic)?;
        let qos = here.qos(&config.qos);
        let readers = here.presence.count(names.presence(true))?;
        let prefix = names.presence(false);
        // With QoS 2 the broker passes a sample on after a further exchange, which cannot wait for
        // the next write.
        let by_thread = settings.publish_by_thread || qos == 2;
        let mut client = Client::connect(&here.route, by_thread, Some(&prefix), Arc::new(Nothing))?;
        client.announce()?;
        if by_thread {
            client.start_thread()?;
        }
        let limit = limit(&config.qos);
        let hot = HotCell::new(Outgoing {
            others: client.published(),
            client,
            topics: names.publications(config),
            qos,
            retain: settings.retain && config.qos.transient_local != Some(false),
            window: u64::from(settings.max_inflight),
            limit,
            sent: 0,
        });
        Ok(Self { hot, readers, shape: Shape::new(config) })
    }
}

impl Outgoing {
    #[inline]
    fn under_way(&self) -> u64 {
        self.sent - (self.client.published() - self.others)
    }

    #[inline]
    fn write(&mut self, message: &[u8], instance: u64) -> std::result::Result<(), Status> {
        if self.under_way() >= self.window {
            self.wait(|out| out.under_way() < out.window)?;
        }
        // Never out of range: a remainder of the number of topics, of which there is at least one.
        #[allow(clippy::cast_possible_truncation)]
        let topic = &self.topics[(instance % self.topics.len() as u64) as usize];
        if !self.client.publish(topic, message, self.qos, self.retain) {
            return Err(Status::Failed);
        }
        self.sent += 1;
        if !self.client.has_thread() && self.client.has_unsent() {
            self.send_the_rest();
        }
        Ok(())
    }

    /// A message that the system did not take at once. It is under way and must not be written again,
    /// so a stall of the connection is the next write's business.
    #[cold]
    fn send_the_rest(&self) {
        let _ = self.wait(|out| !out.client.has_unsent());
    }

    #[cold]
    fn wait(&self, done: impl Fn(&Self) -> bool) -> std::result::Result<(), Status> {
        match self.client.drive(self.limit, || done(self)) {
            Outcome::Done => Ok(()),
            Outcome::TimedOut => Err(Status::Timeout),
            Outcome::Lost => Err(Status::Failed),
        }
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        self.client.drive(LAST_ACKNOWLEDGEMENTS, || {
            self.under_way() == 0 && (self.client.has_thread() || !self.client.has_unsent())
        });
        if self.retain {
            for topic in &self.topics {
                // An empty retained message removes what the broker keeps; readers pass it over.
                self.client.publish(topic, b"", 0, true);
            }
        }
    }
}

impl Writer for MqttWriter {
    type Sample = Sample;

    fn prepare(&self, body: &[u8]) -> Result<Sample> {
        Ok(Sample::new(&self.shape, body))
    }

    #[inline]
    fn write(&self, sample: &mut Sample, header: &Header) -> std::result::Result<(), Status> {
        let mut hot = self.hot.get().ok_or(Status::Invalid)?;
        hot.write(sample.stamped(header), header.seq)
    }

    /// Returns when the broker has acknowledged what was written, or, with QoS 0, when it has left: a
    /// thread of the library or the system (Nagle's algorithm) may hold samples back.
    fn flush(&self) -> std::result::Result<(), Status> {
        let hot = self.hot.get().ok_or(Status::Invalid)?;
        hot.wait(|out| out.under_way() == 0)
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        Ok(self.readers.get())
    }
}
