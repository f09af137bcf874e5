//! A reader: a subscriber with a callback or one of zenoh's channels.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use busmark_adapter::{EndpointConfig, HotCell, Listener, Reader, Result, Sink, Source, Status};
use zenoh::Wait;
use zenoh::bytes::ZBytes;
use zenoh::handlers::{FifoChannel, FifoChannelHandler, RingChannel, RingChannelHandler};
use zenoh::liveliness::LivelinessToken;
use zenoh::pubsub::Subscriber;
use zenoh::sample::Sample;

use crate::participant::{Peer, failed};
use crate::presence::{Others, announce};
use crate::sample::Delivery;

/// A subscriber.
pub struct ZenohReader {
    // Dropped in this order, the session last.
    token: Option<LivelinessToken>,
    channel: Option<Channel>,
    hot: HotCell<Taking>,
    announcer: Option<Arc<Mutex<Announcer>>>,
    writers: Others,
    locator: String,
    _peer: Arc<Peer>,
}

/// How samples come.
enum Channel {
    /// Every sample, in order; the session's receive thread waits when it is full.
    Fifo(Subscriber<FifoChannelHandler<Sample>>),
    /// The newest samples; a full one gives up the oldest.
    Ring(Subscriber<RingChannelHandler<Sample>>),
    /// To the listener.
    Called(Subscriber<()>),
}

/// What the taking thread uses.
struct Taking {
    /// Out of the channel, and not taken yet: what `wait` has received; and, where the newest samples
    /// count, all that a take finds, for what is held counts for the depth too.
    held: VecDeque<Sample>,
    /// With keep-last: how many are held at most.
    depth: usize,
    delivery: Delivery,
}

impl Taking {
    /// Keeps a sample, and of more than the depth the newest.
    #[inline]
    fn hold(&mut self, sample: Sample) {
        if self.held.len() == self.depth {
            self.held.pop_front();
        }
        self.held.push_back(sample);
    }
}

/// Calls the listener, from one thread at a time: samples of several writers come from several.
struct Announcer {
    /// None once the reader is being dropped.
    listener: Option<Listener>,
    delivery: Delivery,
}

/// The sample that is being announced.
struct Announced<'a> {
    payload: Option<&'a ZBytes>,
    delivery: &'a mut Delivery,
}

impl Source for Announced<'_> {
    #[inline]
    fn take(&mut self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        let delivered = max > 0
            && self.payload.take().is_some_and(|payload| self.delivery.deliver(payload, sink));
        if delivered { Ok(1) } else { Err(Status::NoData) }
    }
}

fn lock(announcer: &Mutex<Announcer>) -> MutexGuard<'_, Announcer> {
    announcer.lock().unwrap_or_else(PoisonError::into_inner)
}

fn announce_sample(announcer: &Mutex<Announcer>, sample: &Sample) {
    let mut announcer = lock(announcer);
    let Announcer { listener, delivery } = &mut *announcer;
    if let Some(listener) = listener {
        listener.notify_with(&mut Announced { payload: Some(sample.payload()), delivery });
    }
}

impl ZenohReader {
    /// Subscribes.
    pub fn new(
        peer: Arc<Peer>,
        config: &EndpointConfig,
        listener: Option<Listener>,
    ) -> Result<Self> {
        let key = peer.key(config)?;
        let delivery = || Delivery::new(config.payload);
        let depth = config.qos.depth.max(1) as usize;
        let announcer = listener.map(|listener| {
            Arc::new(Mutex::new(Announcer { listener: Some(listener), delivery: delivery() }))
        });
        let builder = peer.session.declare_subscriber(key);
        let channel = match (&announcer, config.qos.keep_all) {
            (Some(announcer), _) => {
                let announcer = Arc::clone(announcer);
                builder
                    .callback(move |sample| announce_sample(&announcer, &sample))
                    .wait()
                    .map(Channel::Called)
            }
            (None, Some(false)) => builder.with(RingChannel::new(depth)).wait().map(Channel::Ring),
            (None, _) => {
                let capacity = peer.settings.fifo_capacity(config);
                builder.with(FifoChannel::new(capacity)).wait().map(Channel::Fifo)
            }
        };
        let channel = channel.map_err(|error| failed("subscriber", error))?;
        let ring = matches!(channel, Channel::Ring(_));
        let writers = Others::new(&peer.session, &peer.presence(config, "writer"))?;
        let name = peer.endpoint_name();
        let locator = peer.locator_of(&name);
        // The subscriber first: who sees the token knows of the subscriber.
        let token = announce(&peer.session, &peer.presence(config, "reader"), &name)?;
        Ok(Self {
            token: Some(token),
            channel: Some(channel),
            hot: HotCell::new(Taking {
                // Room at once: nothing is allocated while samples come.
                held: VecDeque::with_capacity(if ring { depth } else { 1 }),
                depth: if ring { depth } else { usize::MAX },
                delivery: delivery(),
            }),
            announcer,
            writers,
            locator,
            _peer: peer,
        })
    }

    #[inline]
    fn next(&self) -> std::result::Result<Option<Sample>, Status> {
        match &self.channel {
            Some(Channel::Fifo(subscriber)) => subscriber.handler().try_recv(),
            Some(Channel::Ring(subscriber)) => subscriber.handler().try_recv(),
            // Samples are in the listener's hands while it announces them, and nowhere else.
            Some(Channel::Called(_)) | None => return Ok(None),
        }
        .map_err(|_| Status::Failed)
    }
}

impl Reader for ZenohReader {
    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        let mut taking = self.hot.get().ok_or(Status::Invalid)?;
        let taking = &mut *taking;
        if matches!(self.channel, Some(Channel::Ring(_))) {
            // No more than it holds, however fast others write.
            for _ in 0..taking.depth {
                match self.next()? {
                    Some(sample) => taking.hold(sample),
                    None => break,
                }
            }
        }
        let mut count = 0;
        while count < max {
            let sample = match taking.held.pop_front() {
                Some(sample) => sample,
                None => match self.next()? {
                    Some(sample) => sample,
                    None => break,
                },
            };
            count += usize::from(taking.delivery.deliver(sample.payload(), sink));
        }
        if count == 0 { Err(Status::NoData) } else { Ok(count) }
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        let mut taking = self.hot.get().ok_or(Status::Invalid)?;
        if !taking.held.is_empty() {
            return Ok(());
        }
        let received = match &self.channel {
            Some(Channel::Fifo(subscriber)) => subscriber.handler().recv_timeout(timeout),
            Some(Channel::Ring(subscriber)) => subscriber.handler().recv_timeout(timeout),
            Some(Channel::Called(_)) | None => return Err(Status::Unsupported),
        };
        match received.map_err(|_| Status::Failed)? {
            Some(sample) => {
                taking.hold(sample);
                Ok(())
            }
            None => Err(Status::Timeout),
        }
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        Ok(self.writers.count())
    }

    fn locator(&self) -> std::result::Result<String, Status> {
        Ok(self.locator.clone())
    }
}

impl Drop for ZenohReader {
    fn drop(&mut self) {
        self.token = None;
        if let Some(announcer) = &self.announcer {
            // Waits for a call that is under way, and lets no other begin.
            lock(announcer).listener = None;
        }
        // A receive thread that waits for room in a full channel continues.
        while matches!(self.next(), Ok(Some(_))) {}
        let _ = match self.channel.take() {
            Some(Channel::Fifo(subscriber)) => subscriber.undeclare().wait(),
            Some(Channel::Ring(subscriber)) => subscriber.undeclare().wait(),
            Some(Channel::Called(subscriber)) => subscriber.undeclare().wait(),
            None => Ok(()),
        };
    }
}
