//! A writer over connections: every reader gets its own.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use busmark_adapter::{
    EndpointConfig, Error, Header, HotCell, LastError, Payload, Result, Status, Writer,
};
use rustix::net::{Shutdown, shutdown};

use crate::Family;
use crate::connections::{Connections, Link};
use crate::frame::{Frame, OVERHEAD};
use crate::greeting::{Answer, Caller, PairHello, say_hello, say_pair_hello};
use crate::lane::{Failure, Lane, write_limit};
use crate::pair::{self, End, Pair, Place};

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
    targets: Vec<Target>,
    /// Number of the sample that timed out, and the target that did not get it any more.
    unfinished: Option<(u64, usize)>,
}

/// A reader that it is connected to.
struct Target {
    lane: Lane,
    locator: String,
}

impl StreamWriter {
    /// A writer without connections.
    pub fn new(family: Arc<dyn Family>, config: &EndpointConfig) -> Result<Self> {
        let place = Place::take(&family, End::Writer)?;
        Ok(Self {
            hot: HotCell::new(Outgoing::default()),
            connections: Connections::default(),
            family,
            payload: config.payload,
            limit: write_limit(config),
            failure: LastError::default(),
            _place: place,
        })
    }

    /// A connection to the reader with this locator, within the limits of a write.
    fn open(&self, locator: &str) -> Result<Arc<Link>> {
        let link = if let Some(pair) = self.family.pair() {
            self.join(pair, locator)?
        } else {
            let link = Link::dial(&*self.family, locator)?;
            say_hello(&link, Caller::Writer, self.family.domain(), locator)?;
            link
        };
        link.limit_sends(self.limit)?;
        self.connections.share(&link);
        Ok(link)
    }

    /// The connection that is shared with the reader's participant: there, or made now.
    fn join(&self, pair: &Pair, locator: &str) -> Result<Arc<Link>> {
        let (address, peer) = Pair::split(locator)?;
        let said = PairHello { name: pair.name(), has: pair.begin(peer)? };
        let greet = |link: &Link| say_pair_hello(link, self.family.domain(), said, address);
        let outcome = Link::dial(&*self.family, address).and_then(|link| match greet(&link)? {
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
        if self.family.pair().is_some() && out.targets[at].lane.link.ended.load(Ordering::Acquire) {
            let text = "the reader of this participant has ended the connection that was shared";
            return Err(self.failure.keep(Status::Failed.error(text)));
        }
        let gone = out.targets.remove(at);
        self.connections.remove(&gone.lane.link);
        Ok(())
    }
}

impl Drop for StreamWriter {
    fn drop(&mut self) {
        // The reader of this side may hold it open.
        if self.family.pair().is_some()
            && let Some(out) = self.hot.get()
        {
            for Target { lane, .. } in &out.targets {
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
            Some((seq, target)) if seq == header.seq => target,
            _ => 0,
        };
        while let Some(Target { lane, .. }) = out.targets.get_mut(at) {
            match lane.send(sample.bytes(), header.seq, self.limit) {
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
        let connected = |to: &Target| to.locator == locator && to.lane.link.is_alive();
        if self.hot.get().ok_or_else(busy)?.targets.iter().any(connected) {
            return Err(Status::Invalid.error(format!("already connected to {locator}")));
        }
        let link = self.open(locator)?;
        let mut out = self.hot.get().ok_or_else(busy)?;
        let lane = Lane::new(link, self.family.packet());
        out.targets.push(Target { lane, locator: locator.to_owned() });
        Ok(())
    }
}
