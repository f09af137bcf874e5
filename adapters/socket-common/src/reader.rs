//! A reader over connections: it listens, and whoever connects may send.
//!
//! With the listener strategy every connection has a thread that blocks in one receive after another:
//! no time limit, no readiness call before it, and a writer more makes no other one slower. With the
//! other two strategies the worker's thread receives from all of them ([`ReceiveSet`]).

use std::any::Any;
use std::os::fd::OwnedFd;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use busmark_adapter::{EndpointConfig, HotCell, Listener, Payload, Reader, Result, Sink, Status};
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

use crate::Family;
use crate::connections::Link;
use crate::door::{Acceptor, Door, Host};
use crate::errors::os_error;
use crate::frame::FrameBuffer;
use crate::greeting::{Answer, Caller, hear_hello, hear_pair_hello, say};
use crate::pair::{End, Meeting, Place};
use crate::receive_set::{Inbox, ReceiveSet};
use crate::shield::{Sealed, Side};

/// A socket that listens.
pub struct Listening {
    /// The socket.
    pub socket: OwnedFd,
    /// The text by which writers find it.
    pub locator: String,
    /// What must live as long as the reader, such as the socket's file.
    pub keep: Option<Box<dyn Any + Send + Sync>>,
}

/// Receives samples from every writer that connects.
pub struct StreamReader {
    _acceptor: Acceptor<Shared>,
    shared: Arc<Shared>,
    hot: HotCell<ReceiveSet>,
    locator: String,
    _keep: Option<Box<dyn Any + Send + Sync>>,
    _place: Place,
}

/// What the threads of a reader share.
struct Shared {
    family: Arc<dyn Family>,
    door: Door,
    inbox: Arc<Inbox>,
    /// There with the listener strategy. Locked while samples are announced, so that the calls for
    /// one reader never overlap; with one writer nobody ever waits for it.
    listener: Option<Mutex<Listener>>,
    payload: Payload,
    max_body_bytes: usize,
}

impl StreamReader {
    /// Listens.
    pub fn new(
        family: Arc<dyn Family>,
        config: &EndpointConfig,
        listener: Option<Listener>,
    ) -> Result<Self> {
        let place = Place::take(&family, End::Reader)?;
        let Listening { socket, locator, keep } = family.listen()?;
        let inbox = Arc::new(Inbox::new().map_err(|errno| os_error("eventfd", errno))?);
        let set = ReceiveSet::new(Arc::clone(&inbox)).map_err(|errno| os_error("epoll", errno))?;
        let shared = Arc::new(Shared {
            family,
            door: Door::new(socket),
            inbox,
            listener: listener.map(Mutex::new),
            payload: config.payload,
            max_body_bytes: config.max_body_bytes as usize,
        });
        let acceptor = Acceptor::start(&shared)?;
        let hot = HotCell::new(set);
        Ok(Self { _acceptor: acceptor, shared, hot, locator, _keep: keep, _place: place })
    }
}

impl Reader for StreamReader {
    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        if self.shared.listener.is_some() {
            // Samples are in the listener's hands while it announces them, and nowhere else.
            return Err(Status::NoData);
        }
        let mut set = self.hot.get().ok_or(Status::Invalid)?;
        set.take(max, sink, |link| self.shared.let_go(link))
    }

    #[inline(always)]
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        if self.shared.listener.is_some() {
            return Err(Status::Unsupported);
        }
        let mut set = self.hot.get().ok_or(Status::Invalid)?;
        set.wait(timeout, |link| self.shared.let_go(link))
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        Ok(self.shared.door.connections.alive())
    }

    fn locator(&self) -> std::result::Result<String, Status> {
        Ok(self.locator.clone())
    }
}

impl Host for Shared {
    fn door(&self) -> &Door {
        &self.door
    }

    /// With the listener strategy the thread receives all that follows.
    fn serve(&self, accepted: Arc<Link>) {
        let Some((link, answer)) = meet(self, &accepted) else {
            return self.door.end(&accepted);
        };
        if answer == Answer::Already {
            self.door.connections.share(&link);
            if self.door.stop.load(Ordering::SeqCst) {
                // What ends the connections of the reader may have come before.
                link.end();
            }
        }
        let buffer = || FrameBuffer::new(self.payload, self.max_body_bytes);
        if self.listener.is_none() {
            self.inbox.put(Arc::clone(&link), buffer(), &self.door.stop);
        }
        // Counts before the writer is notified, so that once it knows both sides do (C24).
        link.greeted.store(true, Ordering::Release);
        let told = say(&accepted, answer);
        if answer == Answer::Already {
            // The greeting was all that this one was for.
            self.door.connections.remove(&accepted);
            drop(accepted);
        }
        match &self.listener {
            None if told => return,
            Some(listener) if told => announce_all(self, &link, listener, buffer()),
            _ => {}
        }
        // The writer learns of it even while a receive set still holds the descriptor.
        self.door.end(&link);
    }
}

/// The connection from which samples will be received, and the answer to the writer; `None` where it is
/// not let in.
fn meet(shared: &Shared, accepted: &Arc<Link>) -> Option<(Arc<Link>, Answer)> {
    let family = &shared.family;
    family.accepted(&accepted.socket).ok()?;
    accepted.protect(family.shield(&accepted.socket, Side::Accepts).ok()?);
    let Some(pair) = family.pair() else {
        return hear_hello(accepted, Caller::Writer, family.domain())
            .then(|| (Arc::clone(accepted), Answer::Welcome));
    };
    let said = hear_pair_hello(accepted, family.domain())?;
    match pair.meet(said.name, said.has, accepted, &shared.door.stop) {
        Meeting::Here => Some((Arc::clone(accepted), Answer::Welcome)),
        Meeting::There(link) => Some((link, Answer::Already)),
        Meeting::Refused => {
            say(accepted, Answer::Refused);
            None
        }
        Meeting::Nothing => None,
    }
}

impl Shared {
    /// The receive set has let go of a connection that has ended or was damaged.
    fn let_go(&self, link: &Arc<Link>) {
        if self.family.pair().is_some() {
            // The writer of this side may hold it open.
            self.door.end(link);
        } else {
            self.door.connections.remove(link);
        }
    }
}

/// Receives from one connection and announces what comes, until either side closes.
fn announce_all(shared: &Shared, link: &Link, listener: &Mutex<Listener>, mut buffer: FrameBuffer) {
    let mut sealed = link.shield().map(|shield| (shield, Sealed::new()));
    loop {
        let received = match &mut sealed {
            None => recv(&link.socket, buffer.space(), RecvFlags::empty()).map(|(bytes, _)| {
                buffer.advance(bytes);
                bytes
            }),
            Some((shield, sealed)) => {
                sealed.receive(link, *shield, RecvFlags::empty(), &mut |plain| buffer.push(plain))
            }
        };
        match received {
            Ok(0) => return,
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(_) => return,
        }
        while let Ok(ready) = buffer.ready() {
            if !ready {
                break;
            }
            let listener = listener.lock().unwrap_or_else(PoisonError::into_inner);
            if shared.door.stop.load(Ordering::Relaxed) {
                return;
            }
            listener.notify_with(&mut buffer);
        }
        if buffer.ready().is_err() {
            return;
        }
    }
}
