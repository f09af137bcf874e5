//! A reader: a subscriber, and a listener if it sleeps.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use busmark_adapter::{
    EndpointConfig, HotCell, HotGuard, Payload, Reader, Result, Sink, Status, Wait, decode_any,
};
use iceoryx2::port::listener::Listener;
use iceoryx2::port::subscriber::Subscriber;
use iceoryx2::port::update_connections::UpdateConnections;
use iceoryx2::prelude::Service;

use crate::elements::{Element, SampleHeader};
use crate::participant::{Census, Topic, failed};

/// A subscriber to elements of any type.
pub struct IoxReader {
    hot: HotCell<Box<dyn Receive>>,
    census: Arc<dyn Census>,
    /// Writers that it has connected to. The library connects a subscriber when it receives, and until
    /// then a writer drops what its buffer does not hold, whatever its strategy.
    connected: AtomicU32,
}

/// What the taking thread does.
pub trait Receive: Send {
    /// As [`Reader::take`].
    fn take(&mut self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status>;
    /// As [`Reader::wait`].
    fn wait(&mut self, timeout: Duration) -> std::result::Result<(), Status>;
    /// Connects to new writers now and not when something is received next.
    fn update(&mut self) -> bool;
}

/// A subscriber with its listener.
pub struct Receiver<S: Service, T: Element> {
    subscriber: Subscriber<S, [T], SampleHeader>,
    /// Listener of readers that wait.
    listener: Option<Listener<S>>,
    any: bool,
}

// SAFETY: as for `Sender`: ports are inside this value, which a cell gives to one thread at a time, and
// samples of them do not outlive a call.
unsafe impl<S: Service, T: Element> Send for Receiver<S, T> {}

impl<S: Service, T: Element> Receiver<S, T> {
    /// On this topic.
    pub fn new(topic: &Topic<S, T>, config: &EndpointConfig) -> Result<Self> {
        // The listener first: once a writer counts the subscriber, its notices arrive.
        let listener = match config.wait {
            Wait::Waitset => {
                let listener = topic.events.listener_builder().create();
                Some(listener.map_err(|error| failed("listener", error))?)
            }
            Wait::Poll | Wait::Listener => None,
        };
        let subscriber = topic
            .samples
            .subscriber_builder()
            .history_request(topic.limits.history)
            .create()
            .map_err(|error| failed("subscriber", error))?;
        Ok(Self { subscriber, listener, any: config.payload == Payload::Any })
    }

    /// Whether `receive` would find a sample. It stays where it is: what is fetched before it is taken
    /// would be one more than the history holds.
    #[inline]
    fn is_there(&self) -> std::result::Result<bool, Status> {
        self.subscriber.has_samples().map_err(|_| Status::Failed)
    }
}

impl<S: Service, T: Element> Receive for Receiver<S, T> {
    #[inline]
    fn take(&mut self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        let mut count = 0;
        while count < max {
            let received = self.subscriber.receive().map_err(|_| Status::Failed)?;
            let Some(sample) = received else { break };
            let elements = sample.payload();
            // SAFETY: elements are plain numbers without padding.
            let body = unsafe {
                std::slice::from_raw_parts(elements.as_ptr().cast::<u8>(), size_of_val(elements))
            };
            let body = if self.any { decode_any(body) } else { Some(body) };
            if let Some(body) = body {
                sink.deliver(&sample.user_header().0, body);
                count += 1;
            }
        }
        if count == 0 { Err(Status::NoData) } else { Ok(count) }
    }

    #[inline]
    fn wait(&mut self, timeout: Duration) -> std::result::Result<(), Status> {
        if self.is_there()? {
            return Ok(());
        }
        let mut left = timeout;
        let start = Instant::now();
        loop {
            let Some(listener) = &self.listener else { return Err(Status::Unsupported) };
            if left.is_zero() {
                return Err(Status::Timeout);
            }
            // Notices of samples that were taken meanwhile wake, too. The system counts microseconds,
            // and none of them means for ever.
            let limit = left.max(Duration::from_micros(1));
            listener.timed_wait(|_| {}, limit).map_err(|_| Status::Failed)?;
            if self.is_there()? {
                return Ok(());
            }
            left = timeout.saturating_sub(start.elapsed());
        }
    }

    fn update(&mut self) -> bool {
        self.subscriber.update_connections().is_ok()
    }
}

impl IoxReader {
    /// Reader of this subscriber.
    pub fn new(receiver: Box<dyn Receive>, census: Arc<dyn Census>) -> Self {
        Self { hot: HotCell::new(receiver), census, connected: AtomicU32::new(0) }
    }

    /// The taking thread's access. Only [`Reader::matched`] may have the subscriber at the same time,
    /// for a moment.
    #[inline]
    fn receiver(&self) -> HotGuard<'_, Box<dyn Receive>> {
        loop {
            match self.hot.get() {
                Some(receiver) => return receiver,
                None => std::thread::yield_now(),
            }
        }
    }
}

impl Reader for IoxReader {
    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        self.receiver().take(max, sink)
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        self.receiver().wait(timeout)
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        let writers = self.census.writers();
        // A thread that waits connects by itself: a new writer wakes it.
        if let Some(mut receiver) = self.hot.get()
            && receiver.update()
        {
            self.connected.store(writers, Ordering::Relaxed);
        }
        Ok(writers.min(self.connected.load(Ordering::Relaxed)))
    }
}
