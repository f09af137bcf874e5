//! Readers: subscriptions.
//!
//! A thread of the library reads the connection and puts messages into the queue of their subscription.
//! With the listener strategy another thread of the library takes them from there and calls; with the
//! other two the worker's thread takes them.

use std::time::Duration;

use busmark_adapter::{Counters, EndpointConfig, HotCell, Listener, Reader, Result, Sink, Status};
use busmark_server::{One, Shape};

use crate::connection::{Asked, Called, Handler, Received};
use crate::ffi::{SLOW_CONSUMER, TIMEOUT};
use crate::participant::Membership;
use crate::presence::{Member, Side};

/// A reader.
pub struct NatsReader {
    // Ends first: then nobody is told that a reader has gone which still receives.
    way: Way,
    member: Member,
}

enum Way {
    Listens(Called),
    Asks { queue: Asked, hot: HotCell<Hot>, shape: Shape },
}

#[derive(Default)]
struct Hot {
    /// What a wait has found.
    found: Option<Received>,
}

impl NatsReader {
    pub(crate) fn new(
        here: &Membership,
        config: &EndpointConfig,
        listener: Option<Listener>,
    ) -> Result<Self> {
        let names = here.names(&config.topic)?;
        here.check_size(config)?;
        let subject = names.subscription(config);
        let shape = Shape::new(config);
        let way = if let Some(listener) = listener {
            let announcer = Box::new(Announcer { shape, listener });
            Way::Listens(Called::new(&here.link, &subject, announcer)?)
        } else {
            let queue = Asked::new(&here.link, &subject)?;
            Way::Asks { queue, hot: HotCell::new(Hot::default()), shape }
        };
        // Which flushes: whoever hears of this reader can reach it.
        let member = here.presence.join(names.presence(), Side::Reader)?;
        Ok(Self { way, member })
    }
}

impl Reader for NatsReader {
    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        let Way::Asks { queue, hot, shape } = &self.way else {
            // Samples are in the listener's hands while it announces them, and nowhere else.
            return Err(Status::NoData);
        };
        let mut hot = hot.get().ok_or(Status::Invalid)?;
        let mut count = 0;
        while count < max {
            let message = match hot.found.take().map_or_else(|| queue.next(0), Ok) {
                Ok(message) => message,
                Err(SLOW_CONSUMER) => continue,
                Err(TIMEOUT) if count == 0 => return Err(Status::NoData),
                Err(_) if count == 0 => return Err(Status::Failed),
                Err(_) => break,
            };
            if let Some((header, body)) = shape.read(message.payload()) {
                sink.deliver(&header, body);
                count += 1;
            }
        }
        Ok(count)
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        let Way::Asks { queue, hot, shape } = &self.way else {
            return Err(Status::Unsupported);
        };
        let mut hot = hot.get().ok_or(Status::Invalid)?;
        if hot.found.is_some() {
            return Ok(());
        }
        // The library knows milliseconds; less than one becomes one.
        let timeout_ms = i64::try_from(timeout.as_nanos().div_ceil(1_000_000)).unwrap_or(i64::MAX);
        loop {
            match queue.next(timeout_ms) {
                Ok(message) if shape.read(message.payload()).is_some() => {
                    hot.found = Some(message);
                    return Ok(());
                }
                // No sample, or some were dropped: the next one.
                Ok(_) | Err(SLOW_CONSUMER) => {}
                Err(TIMEOUT) => return Err(Status::Timeout),
                Err(_) => return Err(Status::Failed),
            }
        }
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        Ok(self.member.others())
    }

    fn counters(&self) -> Counters {
        let lost = match &self.way {
            Way::Listens(called) => called.dropped(),
            Way::Asks { queue, .. } => queue.dropped(),
        };
        Counters { lost, ..Counters::default() }
    }
}

/// Hands samples to the listener.
struct Announcer {
    shape: Shape,
    listener: Listener,
}

impl Handler for Announcer {
    #[inline]
    fn on_message(&self, payload: &[u8]) {
        if let Some((header, body)) = self.shape.read(payload) {
            self.listener.notify_with(&mut One::new(header, body));
        }
    }
}
