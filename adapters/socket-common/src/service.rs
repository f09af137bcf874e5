//! Services over connections: each client has one with its server, for requests and responses. A request has
//! a number of its client's, which its response carries.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use busmark_adapter::{
    EndpointConfig, Header, HotCell, Match, Result, Service, Sink, Source, Status, Unanswered,
};

use crate::connections::{Connections, Link};
use crate::door::{Acceptor, Door, Host};
use crate::errors::os_error;
use crate::frame::{Frame, FrameBuffer, Numbered};
use crate::greeting::{Answer, Caller, hear_hello, say, say_hello};
use crate::lane::{Failure, Lane, write_limit};
use crate::pair::Pair;
use crate::receive_set::{Inbox, Incoming, ReceiveSet};
use crate::shield::Side;
use crate::{Family, Listening};

type Hot<T> = std::result::Result<T, Status>;

/// No stamps of the system's.
const UNSTAMPED: (i64, i64) = (0, 0);

/// Takes requests from every client that connects, and answers each over its connection.
pub(crate) struct StreamServer {
    _acceptor: Acceptor<Shared>,
    shared: Arc<Shared>,
    hot: HotCell<ReceiveSet<Requests>>,
    locator: String,
    _keep: Option<Box<dyn Any + Send + Sync>>,
}

/// What the threads of a server share.
struct Shared {
    family: Arc<dyn Family>,
    door: Door,
    inbox: Arc<Inbox<Requests>>,
    unanswered: Arc<Unanswered<Asked>>,
    max_body_bytes: usize,
    limit: Duration,
}

/// What is needed to answer a request.
struct Asked {
    /// Locked while a response is sent: frames leave one after the other.
    lane: Arc<Mutex<Lane>>,
    number: u64,
}

/// Requests from one connection.
struct Requests {
    frames: FrameBuffer,
    lane: Arc<Mutex<Lane>>,
    unanswered: Arc<Unanswered<Asked>>,
}

impl Incoming for Requests {
    #[inline]
    fn frames(&mut self) -> &mut FrameBuffer {
        &mut self.frames
    }
}

impl Source for Requests {
    #[inline]
    fn take(&mut self, max: usize, sink: &mut Sink) -> Hot<usize> {
        let mut count = 0;
        while count < max
            && let Ok(Some(Numbered { number, header, body })) = self.frames.pop_numbered()
        {
            let asked = Asked { lane: Arc::clone(&self.lane), number };
            let handle = self.unanswered.insert(asked).ok_or(Status::Resources)?;
            sink.deliver_request(handle, &header, body, UNSTAMPED);
            count += 1;
        }
        if count == 0 { Err(Status::NoData) } else { Ok(count) }
    }
}

impl StreamServer {
    /// Listens.
    pub(crate) fn new(family: Arc<dyn Family>, config: &EndpointConfig) -> Result<Self> {
        let Listening { socket, locator, keep } = family.listen()?;
        let (inbox, set) = receiving()?;
        let shared = Arc::new(Shared {
            family,
            door: Door::new(socket),
            inbox,
            unanswered: Arc::default(),
            max_body_bytes: config.max_body_bytes as usize,
            limit: write_limit(config),
        });
        let acceptor = Acceptor::start(&shared)?;
        let hot = HotCell::new(set);
        Ok(Self { _acceptor: acceptor, shared, hot, locator, _keep: keep })
    }
}

fn receiving<I: Incoming>() -> Result<(Arc<Inbox<I>>, ReceiveSet<I>)> {
    let inbox = Arc::new(Inbox::new().map_err(|errno| os_error("eventfd", errno))?);
    let set = ReceiveSet::new(Arc::clone(&inbox)).map_err(|errno| os_error("epoll", errno))?;
    Ok((inbox, set))
}

impl Host for Shared {
    fn door(&self) -> &Door {
        &self.door
    }

    /// The worker's thread receives all that follows the greeting.
    fn serve(&self, accepted: Arc<Link>) {
        if !self.meet(&accepted) {
            return self.door.end(&accepted);
        }
        let requests = Requests {
            frames: FrameBuffer::numbered(self.max_body_bytes),
            lane: Arc::new(Mutex::new(Lane::new(Arc::clone(&accepted), self.family.packet()))),
            unanswered: Arc::clone(&self.unanswered),
        };
        self.inbox.put(Arc::clone(&accepted), requests, &self.door.stop);
        // Counts before the client is notified, so that once it knows both sides do.
        accepted.greeted.store(true, Ordering::Release);
        if !say(&accepted, Answer::Welcome) {
            self.door.end(&accepted);
        }
    }
}

impl Shared {
    /// Whether it is a client's.
    fn meet(&self, accepted: &Link) -> bool {
        let prepared = self.family.accepted(&accepted.socket).and_then(|()| {
            accepted.protect(self.family.shield(&accepted.socket, Side::Accepts)?);
            accepted.limit_sends(self.limit)
        });
        prepared.is_ok() && hear_hello(accepted, Caller::Client, self.family.domain())
    }
}

impl Service for StreamServer {
    type Sample = Frame;

    fn prepare(&self, body: &[u8]) -> Result<Frame> {
        Ok(Frame::numbered(body))
    }

    #[inline(always)]
    fn send(&self, sample: &mut Frame, header: &Header, request: &mut u64) -> Hot<()> {
        let asked = self.shared.unanswered.claim(*request).ok_or(Status::Invalid)?;
        sample.set_header(header);
        sample.set_number(asked.number);
        let mut lane = asked.lane.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = lane.send(sample.bytes(), *request, self.shared.limit);
        drop(lane);
        match sent {
            // A client that has gone awaits nothing.
            Ok(()) | Err(Failure::Gone) => {
                asked.answered();
                Ok(())
            }
            Err(Failure::TimedOut) => Err(Status::Timeout),
        }
    }

    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> Hot<usize> {
        let mut set = self.hot.get().ok_or(Status::Invalid)?;
        set.take(max, sink, |link| self.shared.door.end(link))
    }

    #[inline(always)]
    fn wait(&self, timeout: Duration) -> Hot<()> {
        let mut set = self.hot.get().ok_or(Status::Invalid)?;
        set.wait(timeout, |link| self.shared.door.end(link))
    }

    fn forget(&self, request: u64) -> Hot<()> {
        self.shared.unanswered.claim(request).ok_or(Status::Invalid)?.answered();
        Ok(())
    }

    fn matched(&self) -> Hot<Match> {
        Ok(Match { count: self.shared.door.connections.alive(), changed_ns: 0 })
    }

    fn locator(&self) -> Hot<String> {
        Ok(self.locator.clone())
    }
}

/// Sends requests to the server that it was connected to last.
pub(crate) struct StreamClient {
    family: Arc<dyn Family>,
    connections: Connections,
    inbox: Arc<Inbox<Responses>>,
    sending: HotCell<Sending>,
    receiving: HotCell<ReceiveSet<Responses>>,
    max_body_bytes: usize,
    limit: Duration,
}

/// What the thread has that sends.
#[derive(Default)]
struct Sending {
    lane: Option<Lane>,
    /// Number of the next request.
    next: u64,
    /// `seq` and number of the request that timed out: sent again, it keeps its number.
    unfinished: Option<(u64, u64)>,
}

/// Responses from one connection.
struct Responses(FrameBuffer);

impl Incoming for Responses {
    #[inline]
    fn frames(&mut self) -> &mut FrameBuffer {
        &mut self.0
    }
}

impl Source for Responses {
    #[inline]
    fn take(&mut self, max: usize, sink: &mut Sink) -> Hot<usize> {
        let mut count = 0;
        while count < max
            && let Ok(Some(Numbered { number, header, body })) = self.0.pop_numbered()
        {
            sink.deliver_request(number, &header, body, UNSTAMPED);
            count += 1;
        }
        if count == 0 { Err(Status::NoData) } else { Ok(count) }
    }
}

impl StreamClient {
    /// A client without a connection.
    pub(crate) fn new(family: Arc<dyn Family>, config: &EndpointConfig) -> Result<Self> {
        let (inbox, set) = receiving()?;
        Ok(Self {
            family,
            connections: Connections::default(),
            inbox,
            sending: HotCell::new(Sending::default()),
            receiving: HotCell::new(set),
            max_body_bytes: config.max_body_bytes as usize,
            limit: write_limit(config),
        })
    }
}

impl Service for StreamClient {
    type Sample = Frame;

    fn prepare(&self, body: &[u8]) -> Result<Frame> {
        Ok(Frame::numbered(body))
    }

    #[inline(always)]
    fn send(&self, sample: &mut Frame, header: &Header, request: &mut u64) -> Hot<()> {
        let mut sending = self.sending.get().ok_or(Status::Invalid)?;
        let Sending { lane, next, unfinished } = &mut *sending;
        let number = match unfinished.take() {
            Some((seq, number)) if seq == header.seq => number,
            _ => {
                *next += 1;
                *next
            }
        };
        sample.set_header(header);
        sample.set_number(number);
        // Without a server the request is lost, as what is on its way when one goes.
        if let Some(to) = lane {
            match to.send(sample.bytes(), number, self.limit) {
                Ok(()) => {}
                Err(Failure::Gone) => *lane = None,
                Err(Failure::TimedOut) => {
                    *unfinished = Some((header.seq, number));
                    return Err(Status::Timeout);
                }
            }
        }
        *request = number;
        Ok(())
    }

    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> Hot<usize> {
        let mut set = self.receiving.get().ok_or(Status::Invalid)?;
        set.take(max, sink, |link| self.connections.remove(link))
    }

    #[inline(always)]
    fn wait(&self, timeout: Duration) -> Hot<()> {
        let mut set = self.receiving.get().ok_or(Status::Invalid)?;
        set.wait(timeout, |link| self.connections.remove(link))
    }

    fn matched(&self) -> Hot<Match> {
        Ok(Match { count: self.connections.alive(), changed_ns: 0 })
    }

    fn connect(&self, locator: &str) -> Result<()> {
        // What a pair shares is of its topics; a service has one connection in any case.
        let address = match self.family.pair() {
            Some(_) => Pair::split(locator)?.0,
            None => locator,
        };
        let link = Link::dial(&*self.family, address)?;
        say_hello(&link, Caller::Client, self.family.domain(), address)?;
        link.limit_sends(self.limit)?;
        let busy = || Status::Invalid.error("the client is in use by another thread");
        let mut sending = self.sending.get().ok_or_else(busy)?;
        // What the last server still has to say is of no more use: it has gone, or is replaced.
        self.connections.shut_down();
        let lane = Lane::new(Arc::clone(&link), self.family.packet());
        sending.lane = Some(lane);
        sending.unfinished = None;
        drop(sending);
        self.connections.share(&link);
        let responses = Responses(FrameBuffer::numbered(self.max_body_bytes));
        self.inbox.put(link, responses, &AtomicBool::new(false));
        Ok(())
    }
}
