//! The reader: one socket, whoever sends to it.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use busmark_adapter::{
    Counters, EndpointConfig, HotCell, Listener, Reader, Result, Sink, Source, Status,
};
use rustix::io::Errno;
use rustix::net::{RecvFlags, Shutdown, shutdown};

use crate::batch::drops;
use crate::receiver::Receiver;

/// Receives samples of one topic.
pub struct UdpReader {
    socket: Arc<OwnedFd>,
    locator: String,
    hot: HotCell<Option<Receiver>>,
    thread: Option<JoinHandle<()>>,
    stop: Arc<AtomicBool>,
}

impl UdpReader {
    /// Receives from a socket that is bound; with a listener on a thread of its own.
    pub fn new(
        socket: OwnedFd,
        locator: String,
        config: &EndpointConfig,
        listener: Option<Listener>,
    ) -> Result<Self> {
        let socket = Arc::new(socket);
        let stop = Arc::new(AtomicBool::new(false));
        let mut receiver = Some(Receiver::new(Arc::clone(&socket), config));
        let thread = match (listener, &mut receiver) {
            (Some(listener), Some(_)) => {
                let receiver = receiver.take().ok_or(Status::Failed.error("no receiver"))?;
                Some(spawn(receiver, listener, Arc::clone(&stop))?)
            }
            _ => None,
        };
        Ok(Self { socket, locator, hot: HotCell::new(receiver), thread, stop })
    }
}

fn spawn(
    mut receiver: Receiver,
    listener: Listener,
    stop: Arc<AtomicBool>,
) -> Result<JoinHandle<()>> {
    std::thread::Builder::new()
        .name("busmark-udp".into())
        .spawn(move || announce_all(&mut receiver, &listener, &stop))
        .map_err(|error| Status::Resources.error(format!("no thread to receive: {error}")))
}

/// Receives and announces until told to stop.
fn announce_all(receiver: &mut Receiver, listener: &Listener, stop: &AtomicBool) {
    loop {
        // The end of a receive without a datagram is the reader's end, or an error that the network
        // reported and that concerns no later datagram.
        let _ = receiver.receive(RecvFlags::empty());
        if stop.load(Ordering::Acquire) {
            return;
        }
        while receiver.ready() {
            listener.notify_with(receiver);
            if stop.load(Ordering::Acquire) {
                return;
            }
        }
    }
}

impl Drop for UdpReader {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        // Wakes the thread, although the answer is that the socket has no peer.
        let _ = shutdown(&*self.socket, Shutdown::Both);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Reader for UdpReader {
    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> std::result::Result<usize, Status> {
        let mut hot = self.hot.get().ok_or(Status::Invalid)?;
        // None: samples are in the listener's hands while it announces them, and nowhere else.
        let receiver = hot.as_mut().ok_or(Status::NoData)?;
        if !receiver.ready() {
            receiver.receive(RecvFlags::DONTWAIT).map_err(|_| Status::NoData)?;
        }
        receiver.take(max, sink)
    }

    #[inline(always)]
    fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        let mut hot = self.hot.get().ok_or(Status::Invalid)?;
        let receiver = hot.as_mut().ok_or(Status::Unsupported)?;
        if receiver.ready() {
            return Ok(());
        }
        match receiver.receive_within(timeout) {
            Ok(()) if receiver.ready() => Ok(()),
            Err(Errno::AGAIN) => Err(Status::Timeout),
            _ => wait_on(receiver, timeout),
        }
    }

    fn locator(&self) -> std::result::Result<String, Status> {
        Ok(self.locator.clone())
    }

    fn counters(&self) -> Counters {
        Counters { lost: drops(&*self.socket), ..Counters::default() }
    }
}

/// Something came that was not a sample, or a signal: the wait continues.
#[cold]
fn wait_on(receiver: &mut Receiver, timeout: Duration) -> std::result::Result<(), Status> {
    let start = Instant::now();
    loop {
        let left = timeout.saturating_sub(start.elapsed());
        match receiver.receive_within(left) {
            Ok(()) if receiver.ready() => return Ok(()),
            Err(Errno::AGAIN) => return Err(Status::Timeout),
            _ if left.is_zero() => return Err(Status::Timeout),
            _ => {}
        }
    }
}
