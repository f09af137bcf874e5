//! A subscription: a callback of zenoh's that fills a queue, from which samples are taken, as ROS has it.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use busmark_adapter::{EndpointConfig, Listener, Match, Qos, Reader, Result, Sink, Status};
use zenoh::Wait;
use zenoh::liveliness::LivelinessToken;
use zenoh::pubsub::Subscriber;
use zenoh::sample::Sample;
use zenoh_ext::{AdvancedSubscriber, AdvancedSubscriberBuilderExt, HistoryConfig, RecoveryConfig};

use crate::graph::Watch;
use crate::message::deliver;
use crate::participant::{Context, announce, failed};
use crate::token::{self, Kind};
use crate::writer::kept;

/// How long the cache of a publisher is waited for: without end.
const HISTORY_LIMIT: Duration = Duration::from_millis(u64::MAX);
/// Samples for which a queue has room from the start.
const ROOM: usize = 1024;

/// What has come and was not taken.
struct Queue {
    samples: Mutex<VecDeque<Sample>>,
    filled: Condvar,
    /// Samples that are kept, the newest.
    depth: usize,
    /// None without one, and once the reader is being dropped. Samples of several publishers come from
    /// several threads, of which one calls at a time.
    listener: Mutex<Option<Listener>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Queue {
    fn put(&self, sample: Sample) {
        let mut samples = lock(&self.samples);
        let dropped = if samples.len() == self.depth { samples.pop_front() } else { None };
        samples.push_back(sample);
        drop(samples);
        drop(dropped);
        self.filled.notify_one();
        if let Some(listener) = &*lock(&self.listener) {
            listener.notify();
        }
    }
}

/// What fills the queue.
enum Source {
    /// For volatile subscriptions. ROS has the other one for these, too, which goes by time stamps where a
    /// publisher keeps nothing: of two samples that publishers of one session write at once it drops the one
    /// that arrives second, if it was stamped first.
    Plain(Subscriber<()>),
    /// One that asks publishers for what they keep.
    Advanced(AdvancedSubscriber<()>),
}

/// A subscription.
pub struct RosReader {
    // Dropped in this order, the session last.
    token: Option<LivelinessToken>,
    source: Option<Source>,
    /// Sets the listener of a reader whose history may come at once.
    late: Option<JoinHandle<()>>,
    queue: Arc<Queue>,
    writers: Watch,
    _context: Arc<Context>,
}

impl RosReader {
    /// Subscribes.
    pub fn new(
        context: Arc<Context>,
        config: &EndpointConfig,
        listener: Option<Listener>,
    ) -> Result<Self> {
        let topic = busmark_ros::topic(&config.topic);
        let qos = busmark_ros::settled(&config.qos);
        // A publisher of this session delivers its history from within the subscriber's creation, where
        // on_data must not be called (C20).
        let late = qos.transient_local == Some(true) && listener.is_some();
        let (now, later) = if late { (None, listener) } else { (listener, None) };
        let queue = Arc::new(Queue {
            samples: Mutex::new(VecDeque::with_capacity(kept(&qos).min(ROOM))),
            filled: Condvar::new(),
            depth: kept(&qos),
            listener: Mutex::new(now),
        });
        let source = subscribe(&context, &topic, &qos, Arc::clone(&queue))?;
        let writers = context.graph.watch(Kind::Subscription.other(), &topic);
        let name = context.node.endpoint(context.next(), Kind::Subscription, &topic, &qos);
        // The subscriber first: who sees the token knows of the subscriber.
        let token = announce(&context.session, name)?;
        let late = later.map(|listener| listen(Arc::clone(&queue), listener)).transpose()?;
        let (token, source) = (Some(token), Some(source));
        Ok(Self { token, source, late, queue, writers, _context: context })
    }
}

/// Sets the listener from another thread, and announces what is there already.
fn listen(queue: Arc<Queue>, listener: Listener) -> Result<JoinHandle<()>> {
    std::thread::Builder::new()
        .name("ros-zenoh-late".to_owned())
        .spawn(move || {
            let mut called = lock(&queue.listener);
            let listener = called.insert(listener);
            if !lock(&queue.samples).is_empty() {
                listener.notify();
            }
        })
        .map_err(|error| failed("a thread for the reader's listener", error))
}

fn subscribe(context: &Context, topic: &str, qos: &Qos, queue: Arc<Queue>) -> Result<Source> {
    let builder = context
        .session
        .declare_subscriber(token::key(context.node.domain, topic))
        .callback(move |sample| queue.put(sample));
    let declared = if qos.transient_local == Some(true) {
        let history = HistoryConfig::default().detect_late_publishers().max_samples(kept(qos));
        let builder = builder.advanced().subscriber_detection().query_timeout(HISTORY_LIMIT);
        let builder = match qos.reliable {
            Some(true) => builder.recovery(RecoveryConfig::default().heartbeat()),
            _ => builder,
        };
        builder.history(history).wait().map(Source::Advanced)
    } else {
        builder.wait().map(Source::Plain)
    };
    declared.map_err(|error| failed("subscriber", error))
}

impl Reader for RosReader {
    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        let mut count = 0;
        while count < max {
            let Some(sample) = lock(&self.queue.samples).pop_front() else { break };
            count += usize::from(deliver(&sample, sink));
        }
        if count == 0 { Err(Status::NoData) } else { Ok(count) }
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        let samples = lock(&self.queue.samples);
        let waited =
            self.queue.filled.wait_timeout_while(samples, timeout, |samples| samples.is_empty());
        let (samples, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if samples.is_empty() { Err(Status::Timeout) } else { Ok(()) }
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        Ok(self.writers.get().count)
    }

    fn match_event(&self) -> std::result::Result<Match, Status> {
        Ok(self.writers.get())
    }
}

impl Drop for RosReader {
    fn drop(&mut self) {
        self.token = None;
        if let Some(late) = self.late.take() {
            let _ = late.join();
        }
        // Waits for a call that is under way, and lets no other begin.
        *lock(&self.queue.listener) = None;
        let _ = match self.source.take() {
            Some(Source::Plain(subscriber)) => subscriber.undeclare().wait(),
            Some(Source::Advanced(subscriber)) => subscriber.undeclare().wait(),
            None => Ok(()),
        };
    }
}
