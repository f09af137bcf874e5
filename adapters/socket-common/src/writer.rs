//! A writer over connections: every reader gets its own.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use busmark_adapter::{
    EndpointConfig, Error, Header, HotCell, LastError, Payload, Result, Status, Writer,
};
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{SendFlags, Shutdown, send, shutdown};

use crate::connections::{Connections, Link};
use crate::errors::os_error;
use crate::frame::{Frame, MARK, OVERHEAD, VOID};
use crate::greeting::{Answer, PairHello, say_hello, say_pair_hello};
use crate::pair::{self, End, Pair, Place};
use crate::protected::Protected;
use crate::shield::Side;
use crate::{Family, WRITE_LIMIT};

/// Sends each sample to every reader it is connected to.
pub struct StreamWriter {
    hot: HotCell<Outgoing>,
    connections: Connections,
    family: Arc<dyn Family>,
    payload: Payload,
    limit: Duration,
    failure: LastError,
    _place: Place,
}

#[derive(Default)]
struct Outgoing {
    lanes: Vec<Lane>,
    /// Number of the sample that timed out, and the lane that did not get it any more.
    unfinished: Option<(u64, usize)>,
}

/// One connection as the writing thread sees it.
struct Lane {
    link: Arc<Link>,
    locator: String,
    /// Bytes that one send may have.
    packet: usize,
    /// The rest of a frame whose write timed out half-way; it ends in [`VOID`].
    owed: Vec<u8>,
    /// There where the connection is protected; nothing is owed then.
    protected: Option<Protected>,
}

pub(crate) enum Failure {
    TimedOut,
    Gone,
}

impl Lane {
    #[inline(always)]
    fn send(&mut self, frame: &[u8]) -> std::result::Result<(), Failure> {
        if self.owed.is_empty() {
            let first = &frame[..frame.len().min(self.packet)];
            let sent = send(&self.link.socket, first, SendFlags::NOSIGNAL);
            if sent == Ok(frame.len()) { Ok(()) } else { self.go_on(frame, sent) }
        } else {
            self.settle()?;
            self.send(frame)
        }
    }

    /// The call ended before the frame did: the end of a packet, the time limit, a signal, or the
    /// connection's end.
    #[cold]
    fn go_on(
        &mut self,
        frame: &[u8],
        mut outcome: std::result::Result<usize, Errno>,
    ) -> std::result::Result<(), Failure> {
        let (mut sent, mut asked) = (0, frame.len().min(self.packet));
        loop {
            let mut flags = SendFlags::NOSIGNAL;
            match outcome {
                Ok(more) => {
                    sent += more;
                    // Tells the reasons for less than was asked apart, and takes no more time.
                    flags.set(SendFlags::DONTWAIT, more < asked);
                }
                Err(Errno::INTR) if sent == 0 => return self.send(frame),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(_) => return Err(Failure::Gone),
            }
            if sent == frame.len() {
                return Ok(());
            }
            asked = (frame.len() - sent).min(self.packet);
            outcome = send(&self.link.socket, &frame[sent..sent + asked], flags);
        }
        if sent > 0 {
            self.owed.extend_from_slice(&frame[sent..frame.len() - MARK]);
            self.owed.push(VOID);
        }
        Err(Failure::TimedOut)
    }

    /// Sends what an earlier frame owes.
    #[cold]
    fn settle(&mut self) -> std::result::Result<(), Failure> {
        while !self.owed.is_empty() {
            let asked = self.owed.len().min(self.packet);
            match send(&self.link.socket, &self.owed[..asked], SendFlags::NOSIGNAL) {
                Ok(sent) => {
                    self.owed.drain(..sent);
                    if sent < asked {
                        return Err(Failure::TimedOut);
                    }
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Err(Failure::TimedOut),
                Err(_) => return Err(Failure::Gone),
            }
        }
        Ok(())
    }
}

impl StreamWriter {
    /// A writer without connections.
    pub fn new(family: Arc<dyn Family>, config: &EndpointConfig) -> Result<Self> {
        let place = Place::take(&family, End::Writer)?;
        let limit = match config.qos.max_blocking_ns {
            1.. => Duration::from_nanos(config.qos.max_blocking_ns.unsigned_abs()),
            _ => WRITE_LIMIT,
        };
        Ok(Self {
            hot: HotCell::new(Outgoing::default()),
            connections: Connections::default(),
            family,
            payload: config.payload,
            limit: limit.max(Duration::from_micros(1)),
            failure: LastError::default(),
            _place: place,
        })
    }

    /// A connection to the reader with this locator, within the limits of a write.
    fn open(&self, locator: &str) -> Result<Arc<Link>> {
        let link = if let Some(pair) = self.family.pair() {
            self.join(pair, locator)?
        } else {
            let link = self.dial(locator)?;
            say_hello(&link, self.family.domain(), locator)?;
            link
        };
        set_socket_timeout(&link.socket, Timeout::Send, Some(self.limit))
            .map_err(|errno| os_error("time limit of writes", errno))?;
        self.connections.share(&link);
        Ok(link)
    }

    /// A new connection, protected where the family protects its own.
    fn dial(&self, locator: &str) -> Result<Arc<Link>> {
        let link = Link::new(self.family.connect(locator)?, true);
        let shield = self.family.shield(&link.socket, Side::Connects);
        let shield = shield.map_err(|e| e.status.error(format!("{locator}: {}", e.message)))?;
        link.protect(shield);
        Ok(Arc::new(link))
    }

    /// The connection that is shared with the reader's participant: there, or made now.
    fn join(&self, pair: &Pair, locator: &str) -> Result<Arc<Link>> {
        let (address, peer) = Pair::split(locator)?;
        let said = PairHello { name: pair.name(), has: pair.begin(peer)? };
        let greet = |link: &Link| say_pair_hello(link, self.family.domain(), said, address);
        let outcome = self.dial(address).and_then(|link| match greet(&link)? {
            Answer::Welcome => {
                pair.opened(peer, &link);
                Ok(link)
            }
            Answer::Already => pair.theirs(peer),
            Answer::Refused => Err(pair::refused()),
        });
        if outcome.is_err() {
            pair.abandon(peer);
        }
        outcome
    }

    /// A write to a connection that has ended: the other side has gone, which is no failure; or the
    /// reader of this side, with which the writer had shared it.
    #[cold]
    fn gone(&self, out: &mut Outgoing, at: usize) -> std::result::Result<(), Status> {
        if self.family.pair().is_some() && out.lanes[at].link.ended.load(Ordering::Acquire) {
            let text = "the reader of this participant has ended the connection that was shared";
            return Err(self.failure.keep(Status::Failed.error(text)));
        }
        let lane = out.lanes.remove(at);
        self.connections.remove(&lane.link);
        Ok(())
    }
}

impl Drop for StreamWriter {
    fn drop(&mut self) {
        // The reader of this side may hold it open.
        if self.family.pair().is_some()
            && let Some(out) = self.hot.get()
        {
            for lane in &out.lanes {
                // Unless it has ended before.
                let _ = shutdown(&lane.link.socket, Shutdown::Write);
            }
        }
    }
}

impl Writer for StreamWriter {
    type Sample = Frame;

    fn prepare(&self, body: &[u8]) -> Result<Frame> {
        Ok(Frame::new(&self.payload.to_wire(body)))
    }

    #[inline(always)]
    fn write(&self, sample: &mut Frame, header: &Header) -> std::result::Result<(), Status> {
        debug_assert!(sample.bytes().len() >= OVERHEAD);
        sample.set_header(header);
        let mut out = self.hot.get().ok_or(Status::Invalid)?;
        // A sample that timed out and is written again goes to those only that have not got it.
        let mut at = match out.unfinished.take() {
            Some((seq, lane)) if seq == header.seq => lane,
            _ => 0,
        };
        while let Some(lane) = out.lanes.get_mut(at) {
            let sent = match &mut lane.protected {
                None => lane.send(sample.bytes()),
                Some(protected) => {
                    protected.send(&lane.link.socket, sample.bytes(), header.seq, self.limit)
                }
            };
            match sent {
                Ok(()) => at += 1,
                Err(Failure::TimedOut) => {
                    out.unfinished = Some((header.seq, at));
                    return Err(Status::Timeout);
                }
                Err(Failure::Gone) => self.gone(&mut out, at)?,
            }
        }
        Ok(())
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        Ok(self.connections.alive())
    }

    fn last_error(&self) -> Option<Error> {
        self.failure.get()
    }

    fn connect(&self, locator: &str) -> Result<()> {
        let busy = || Status::Invalid.error("the writer is in use by another thread");
        let connected = |lane: &Lane| lane.locator == locator && lane.link.is_alive();
        if self.hot.get().ok_or_else(busy)?.lanes.iter().any(connected) {
            return Err(Status::Invalid.error(format!("already connected to {locator}")));
        }
        let link = self.open(locator)?;
        let mut out = self.hot.get().ok_or_else(busy)?;
        let protected = link.protection().map(Protected::new);
        out.lanes.push(Lane {
            link,
            protected,
            locator: locator.to_owned(),
            packet: self.family.packet(),
            owed: Vec::new(),
        });
        Ok(())
    }
}
