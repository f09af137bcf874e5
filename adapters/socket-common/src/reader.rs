//! A reader over connections: it listens, and whoever connects may send.
//!
//! With the listener strategy every connection has a thread that blocks in one receive after another:
//! no time limit, no readiness call before it, and a writer more makes no other one slower. With the
//! other two strategies the worker's thread receives from all of them ([`ReceiveSet`]).

use std::any::Any;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use busmark_adapter::{EndpointConfig, HotCell, Listener, Payload, Reader, Result, Sink, Status};
use rustix::io::Errno;
use rustix::net::{RecvFlags, Shutdown, SocketFlags, accept_with, recv, shutdown};

use crate::Family;
use crate::connections::{Connections, Link};
use crate::errors::os_error;
use crate::frame::FrameBuffer;
use crate::greeting::{Answer, hear_hello, hear_pair_hello, say};
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
    shared: Arc<Shared>,
    hot: HotCell<ReceiveSet>,
    acceptor: Option<JoinHandle<()>>,
    locator: String,
    _keep: Option<Box<dyn Any + Send + Sync>>,
    _place: Place,
}

/// What the threads of a reader share.
struct Shared {
    family: Arc<dyn Family>,
    socket: OwnedFd,
    connections: Connections,
    inbox: Arc<Inbox>,
    /// There with the listener strategy. Locked while samples are announced, so that the calls for
    /// one reader never overlap; with one writer nobody ever waits for it.
    listener: Option<Mutex<Listener>>,
    payload: Payload,
    max_body_bytes: usize,
    stop: AtomicBool,
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
            socket,
            connections: Connections::default(),
            inbox,
            listener: listener.map(Mutex::new),
            payload: config.payload,
            max_body_bytes: config.max_body_bytes as usize,
            stop: AtomicBool::new(false),
        });
        let acceptor = spawn("busmark-accept", {
            let shared = Arc::clone(&shared);
            move || accept_all(&shared)
        })?;
        let acceptor = Some(acceptor);
        let hot = HotCell::new(set);
        Ok(Self { shared, hot, acceptor, locator, _keep: keep, _place: place })
    }
}

impl Drop for StreamReader {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        // Wakes the acceptor, which then ends and joins the threads of the connections.
        let _ = shutdown(&self.shared.socket, Shutdown::Both);
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
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
        Ok(self.shared.connections.alive())
    }

    fn locator(&self) -> std::result::Result<String, Status> {
        Ok(self.locator.clone())
    }
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(body)
        .map_err(|error| Status::Resources.error(format!("no thread {name}: {error}")))
}

/// How long the acceptor rests when the process has no descriptor or thread left.
const EXHAUSTED: Duration = Duration::from_millis(20);

/// Accepts connections until the reader is dropped. Each gets a thread: for its greeting, and with
/// the listener strategy for all that follows.
fn accept_all(shared: &Arc<Shared>) {
    let mut threads: Vec<JoinHandle<()>> = Vec::new();
    while !shared.stop.load(Ordering::SeqCst) {
        match accept_with(&shared.socket, SocketFlags::CLOEXEC) {
            Ok(socket) => {
                threads.retain(|thread| !thread.is_finished());
                let link = shared.connections.add(socket, false);
                let job = {
                    let (shared, link) = (Arc::clone(shared), Arc::clone(&link));
                    move || serve(&shared, link)
                };
                match spawn("busmark-receive", job) {
                    Ok(thread) => threads.push(thread),
                    Err(_) => shared.connections.remove(&link),
                }
            }
            Err(Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::NOBUFS) => {
                std::thread::sleep(EXHAUSTED);
            }
            // A peer that gave up early; or the end, which the loop's condition sees.
            Err(_) => std::thread::yield_now(),
        }
    }
    shared.connections.shut_down();
    for thread in threads {
        let _ = thread.join();
    }
}

/// One connection, from its greeting on.
fn serve(shared: &Shared, accepted: Arc<Link>) {
    let Some((link, answer)) = meet(shared, &accepted) else {
        return shared.end(&accepted);
    };
    if answer == Answer::Already {
        shared.connections.share(&link);
        if shared.stop.load(Ordering::SeqCst) {
            // What ends the connections of the reader may have come before.
            link.end();
        }
    }
    let buffer = || FrameBuffer::new(shared.payload, shared.max_body_bytes);
    if shared.listener.is_none() {
        shared.inbox.put(Arc::clone(&link), buffer(), &shared.stop);
    }
    // Counts before the writer is notified, so that once it knows both sides do (C24).
    link.greeted.store(true, Ordering::Release);
    let told = say(&accepted, answer);
    if answer == Answer::Already {
        // The greeting was all that this one was for.
        shared.connections.remove(&accepted);
        drop(accepted);
    }
    match &shared.listener {
        None if told => return,
        Some(listener) if told => announce_all(shared, &link, listener, buffer()),
        _ => {}
    }
    // The writer learns of it even while a receive set still holds the descriptor.
    shared.end(&link);
}

/// The connection from which samples will be received, and the answer to the writer; `None` where it is
/// not let in.
fn meet(shared: &Shared, accepted: &Arc<Link>) -> Option<(Arc<Link>, Answer)> {
    let family = &shared.family;
    family.accepted(&accepted.socket).ok()?;
    accepted.protect(family.shield(&accepted.socket, Side::Accepts).ok()?);
    let Some(pair) = family.pair() else {
        return hear_hello(accepted, family.domain())
            .then(|| (Arc::clone(accepted), Answer::Welcome));
    };
    let said = hear_pair_hello(accepted, family.domain())?;
    match pair.meet(said.name, said.has, accepted, &shared.stop) {
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
    /// Ends a connection.
    fn end(&self, link: &Arc<Link>) {
        let _ = shutdown(&link.socket, Shutdown::Both);
        self.connections.remove(link);
    }

    /// The receive set has let go of a connection that has ended or was damaged.
    fn let_go(&self, link: &Arc<Link>) {
        if self.family.pair().is_some() {
            // The writer of this side may hold it open.
            self.end(link);
        } else {
            self.connections.remove(link);
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
            if shared.stop.load(Ordering::Relaxed) {
                return;
            }
            listener.notify_with(&mut buffer);
        }
        if buffer.ready().is_err() {
            return;
        }
    }
}
