//! What has come over the connections of an endpoint and waits for the worker.

use std::time::Duration;

use busmark_adapter::Status;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::engine::Engine;

/// Pieces that may wait; what comes then waits in its call, and HTTP/2 holds the other side back.
const PIECES: u64 = 64;
/// Bytes of bodies that may wait, but one piece.
const BYTES: u64 = 16 << 20;

/// A queue that the endpoint's runtime fills and one thread empties.
pub struct Inbox<T> {
    queue: Receiver<T>,
    /// What a wait has found.
    found: Option<T>,
}

impl<T> Inbox<T> {
    /// An empty one, for pieces with bodies of at most so many bytes.
    pub fn new(max_body_bytes: u64) -> (Sender<T>, Self) {
        let pieces = (BYTES / max_body_bytes.max(1)).clamp(1, PIECES);
        let (sender, queue) = channel(usize::try_from(pieces).unwrap_or(1));
        (sender, Self { queue, found: None })
    }

    /// The next piece, if there is one.
    #[inline]
    pub fn try_next(&mut self) -> Option<T> {
        self.found.take().or_else(|| self.queue.try_recv().ok())
    }

    /// The next piece.
    #[inline]
    pub async fn next(&mut self) -> T {
        match self.queue.recv().await {
            Some(piece) => piece,
            // Not as long as there is somebody who could send.
            None => std::future::pending().await,
        }
    }

    /// Gives at most `max` pieces away, and returns how many, never 0. Hot.
    #[inline]
    pub fn take(
        &mut self,
        engine: &Engine,
        max: usize,
        mut give: impl FnMut(T),
    ) -> Result<usize, Status> {
        let mut piece = self.try_next();
        if piece.is_none() {
            engine.look();
            piece = self.try_next();
        }
        let mut count = 0;
        while let Some(next) = piece {
            give(next);
            count += 1;
            piece = if count < max { self.try_next() } else { None };
        }
        if count == 0 { Err(Status::NoData) } else { Ok(count) }
    }

    /// Waits until there is a piece to take. Hot.
    #[inline]
    pub fn wait(&mut self, engine: &Engine, timeout: Duration) -> Result<(), Status> {
        self.found = self.try_next();
        if self.found.is_none() {
            self.found = if timeout.is_zero() {
                engine.look();
                self.try_next()
            } else {
                engine.drive(timeout, self.next())
            };
        }
        if self.found.is_some() { Ok(()) } else { Err(Status::Timeout) }
    }
}
