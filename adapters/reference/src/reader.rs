//! The reader: a queue, and the threads that fill it and announce it.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use busmark_adapter::{
    Counters, EndpointConfig, Listener, ParticipantConfig, Qos, Reader, Result, Sink, Status,
};

use crate::endpoint::Quality;
use crate::locator::Locator;
use crate::memory::{Greeter, Port};
use crate::options::Options;
use crate::queue::Queue;
use crate::receiver::Receiver;

type Hot<T> = std::result::Result<T, Status>;

/// Where samples come from.
pub enum Inlet {
    Memory(u64, Arc<Port>),
    Pipe(Receiver),
}

impl Inlet {
    /// Opens the way into this queue; and where it is, as a locator says it. `greeter` is a server's.
    pub fn open(
        participant: &ParticipantConfig,
        queue: &Arc<Queue>,
        quality: &Quality,
        greeter: Option<Greeter>,
    ) -> Result<(Self, String)> {
        if participant.transport == "pipe" {
            let receiver = Receiver::start(&participant.run_dir, queue, quality, greeter)?;
            let at = receiver.path().to_owned();
            Ok((Self::Pipe(receiver), at))
        } else {
            let (number, port) = Port::open(Arc::clone(queue), &quality.partition, greeter);
            Ok((Self::Memory(number, port), number.to_string()))
        }
    }
}

impl Drop for Inlet {
    fn drop(&mut self) {
        if let Self::Memory(number, port) = self {
            port.close(*number);
        }
    }
}

pub struct QueueReader {
    queue: Arc<Queue>,
    inlet: Inlet,
    locator: Locator,
    announcer: Option<JoinHandle<()>>,
}

impl QueueReader {
    pub fn new(
        participant: &ParticipantConfig,
        options: &Options,
        config: &EndpointConfig,
        listener: Option<Listener>,
    ) -> Result<Self> {
        let quality = Quality::of(config, options)?;
        let queue = Arc::new(Queue::new(&quality));
        let (inlet, at) = Inlet::open(participant, &queue, &quality, None)?;
        let locator = Locator::of(participant, config, &quality, at);
        let mut reader = Self { queue, inlet, locator, announcer: None };
        if let Some(listener) = listener {
            reader.announcer = Some(announce(Arc::clone(&reader.queue), listener)?);
        }
        Ok(reader)
    }
}

/// Calls the listener whenever samples have arrived since the last call (C20).
fn announce(queue: Arc<Queue>, listener: Listener) -> Result<JoinHandle<()>> {
    let run = move || {
        let mut announced = 0;
        while let Some(arrivals) = queue.next_arrivals(announced) {
            announced = arrivals;
            listener.notify();
        }
    };
    std::thread::Builder::new()
        .name("reference-listen".to_owned())
        .spawn(run)
        .map_err(|error| Status::Resources.error(format!("no thread for the listener: {error}")))
}

impl Reader for QueueReader {
    fn take(&self, max: usize, sink: &mut Sink) -> Hot<usize> {
        self.queue.take(max, sink)
    }

    fn wait(&self, timeout: Duration) -> Hot<()> {
        self.queue.wait(timeout)
    }

    fn matched(&self) -> Hot<u32> {
        Ok(match &self.inlet {
            Inlet::Memory(_, port) => port.matched(),
            Inlet::Pipe(receiver) => receiver.matched(),
        })
    }

    fn locator(&self) -> Hot<String> {
        Ok(self.locator.to_string())
    }

    fn set_qos(&self, qos: &Qos) -> Result<()> {
        if qos.lifespan_ns.is_some() || qos.partition.is_some() {
            let text = "lifespan and partition are changed at the writer";
            return Err(Status::Unsupported.error(text));
        }
        match qos.deadline_ns {
            Some(ns) if ns <= 0 => return Err(Status::Invalid.error("deadline must be above zero")),
            Some(ns) => self.queue.set_deadline(ns),
            None => (),
        }
        Ok(())
    }

    fn counters(&self) -> Counters {
        let (rejected, deadline_missed) = self.queue.counters();
        Counters { rejected: Some(rejected), deadline_missed, ..Counters::default() }
    }
}

impl Drop for QueueReader {
    fn drop(&mut self) {
        self.queue.close();
        if let Some(thread) = self.announcer.take() {
            let _ = thread.join();
        }
    }
}
