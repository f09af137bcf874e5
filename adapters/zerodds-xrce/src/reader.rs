//! A reader: what the agent sends for a `DataReader` of its own.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use busmark_adapter::{EndpointConfig, Error, Listener, Reader, Result, Sink, Status};

use crate::options::Settings;
use crate::participant::Made;
use crate::sample::Shape;

/// A reader.
pub struct XrceReader {
    inbox: Arc<Inbox>,
    shape: Shape,
    settled: Instant,
    made: Made,
}

/// Samples between the client's thread and whoever takes them.
pub struct Inbox {
    samples: Mutex<VecDeque<Vec<u8>>>,
    arrived: Condvar,
    depth: usize,
    listener: Option<Listener>,
    /// Held while the listener is called.
    open: Mutex<bool>,
    news: AtomicBool,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Inbox {
    /// Takes one in.
    pub fn push(&self, sample: Vec<u8>) {
        let mut samples = locked(&self.samples);
        if samples.len() >= self.depth {
            samples.pop_front();
        }
        samples.push_back(sample);
        drop(samples);
        self.news.store(true, Ordering::Release);
        self.arrived.notify_one();
    }

    /// Whoever waits looks again.
    pub fn wake(&self) {
        self.arrived.notify_all();
    }

    /// Whether there is something that the listener was not called for.
    pub fn has_news(&self) -> bool {
        self.listener.is_some() && self.news.load(Ordering::Acquire)
    }

    /// Tells the listener.
    pub fn announce(&self) {
        let open = locked(&self.open);
        if let Some(listener) = self.listener.as_ref().filter(|_| *open) {
            // What comes from now on is announced again.
            self.news.store(false, Ordering::Release);
            listener.notify();
        }
    }
}

impl XrceReader {
    pub(crate) fn new(
        made: Made,
        config: &EndpointConfig,
        settings: &Settings,
        listener: Option<Listener>,
    ) -> Result<Self> {
        let depth = match config.qos.keep_all {
            Some(false) => usize::try_from(config.qos.depth).unwrap_or(1).max(1),
            _ => usize::MAX,
        };
        let inbox = Arc::new(Inbox {
            samples: Mutex::default(),
            arrived: Condvar::new(),
            depth,
            listener,
            open: Mutex::new(true),
            news: AtomicBool::new(false),
        });
        // As a DataReader is best effort unless it is asked for more.
        let reliable = config.qos.reliable.unwrap_or(false);
        made.session.read(made.endpoint, reliable, &inbox)?;
        Ok(Self {
            inbox,
            shape: Shape::new(config),
            settled: Instant::now() + Duration::from_millis(settings.settle_ms),
            made,
        })
    }
}

impl Drop for XrceReader {
    fn drop(&mut self) {
        self.made.session.forget(self.made.endpoint);
        *locked(&self.inbox.open) = false;
    }
}

impl Reader for XrceReader {
    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        let mut count = 0;
        while count < max {
            let Some(sample) = locked(&self.inbox.samples).pop_front() else { break };
            if let Some((header, body)) = self.shape.read(&sample) {
                sink.deliver(&header, body);
                count += 1;
            }
        }
        match count {
            0 if self.made.session.has_failed() => Err(Status::Failed),
            0 => Err(Status::NoData),
            _ => Ok(count),
        }
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        let deadline = Instant::now() + timeout;
        let mut samples = locked(&self.inbox.samples);
        loop {
            if samples.iter().any(|sample| self.shape.read(sample).is_some()) {
                return Ok(());
            }
            if self.made.session.has_failed() {
                return Err(Status::Failed);
            }
            let rest = deadline.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                return Err(Status::Timeout);
            }
            let waited = self.inbox.arrived.wait_timeout(samples, rest);
            samples = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Unknown; but until then the agent has matched it.
    fn matched(&self) -> std::result::Result<u32, Status> {
        std::thread::sleep(self.settled.saturating_duration_since(Instant::now()));
        Err(Status::Unsupported)
    }

    fn last_error(&self) -> Option<Error> {
        self.made.session.last_error()
    }
}
