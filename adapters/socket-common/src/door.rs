//! Where others connect: a socket that listens, and a thread for each connection that it accepts.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use busmark_adapter::{Result, Status};
use rustix::io::Errno;
use rustix::net::{Shutdown, SocketFlags, accept_with, shutdown};

use crate::connections::{Connections, Link};

/// How long the acceptor rests when the process has no descriptor or thread left.
const EXHAUSTED: Duration = Duration::from_millis(20);

/// A socket that listens, and what it has accepted.
pub(crate) struct Door {
    pub(crate) socket: OwnedFd,
    pub(crate) connections: Connections,
    pub(crate) stop: AtomicBool,
}

impl Door {
    pub(crate) fn new(socket: OwnedFd) -> Self {
        Self { socket, connections: Connections::default(), stop: AtomicBool::new(false) }
    }

    /// Ends a connection.
    pub(crate) fn end(&self, link: &Arc<Link>) {
        let _ = shutdown(&link.socket, Shutdown::Both);
        self.connections.remove(link);
    }
}

/// Who lets connections in.
pub(crate) trait Host: Send + Sync + 'static {
    fn door(&self) -> &Door;

    /// One connection, from its greeting on, on a thread of its own.
    fn serve(&self, accepted: Arc<Link>);
}

/// The thread that accepts. Dropped, it ends all connections and their threads.
pub(crate) struct Acceptor<H: Host> {
    host: Arc<H>,
    thread: Option<JoinHandle<()>>,
}

impl<H: Host> Acceptor<H> {
    pub(crate) fn start(host: &Arc<H>) -> Result<Self> {
        let thread = spawn("busmark-accept", {
            let host = Arc::clone(host);
            move || accept_all(&host)
        })?;
        Ok(Self { host: Arc::clone(host), thread: Some(thread) })
    }
}

impl<H: Host> Drop for Acceptor<H> {
    fn drop(&mut self) {
        let door = self.host.door();
        door.stop.store(true, Ordering::SeqCst);
        // Wakes the acceptor, which then ends and joins the threads of the connections.
        let _ = shutdown(&door.socket, Shutdown::Both);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(body)
        .map_err(|error| Status::Resources.error(format!("no thread {name}: {error}")))
}

/// Accepts connections until the host is dropped.
fn accept_all<H: Host>(host: &Arc<H>) {
    let door = host.door();
    let mut threads: Vec<JoinHandle<()>> = Vec::new();
    while !door.stop.load(Ordering::SeqCst) {
        match accept_with(&door.socket, SocketFlags::CLOEXEC) {
            Ok(socket) => {
                threads.retain(|thread| !thread.is_finished());
                let link = door.connections.add(socket, false);
                let job = {
                    let (host, link) = (Arc::clone(host), Arc::clone(&link));
                    move || host.serve(link)
                };
                match spawn("busmark-receive", job) {
                    Ok(thread) => threads.push(thread),
                    Err(_) => door.connections.remove(&link),
                }
            }
            Err(Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::NOBUFS) => {
                std::thread::sleep(EXHAUSTED);
            }
            // A peer that gave up early; or the end, which the loop's condition sees.
            Err(_) => std::thread::yield_now(),
        }
    }
    door.connections.shut_down();
    for thread in threads {
        let _ = thread.join();
    }
}
