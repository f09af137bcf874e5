//! Sending over a connection that is protected.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{SendFlags, send};

use crate::lane::Failure;
use crate::shield::{Over, Shield};

/// What one writer has sealed for one connection. What was sealed must be sent, for the records are
/// numbered: a sample of which only a part has left when its time ends arrives when the rest has left.
pub(crate) struct Protected {
    shield: Arc<dyn Shield>,
    sealed: Vec<u8>,
    /// How much of it is to be sent, and has been.
    length: usize,
    sent: usize,
    /// Number of the sample that was sealed.
    seq: u64,
    /// The last send had to wait: the next sample is sealed only when there is room again, so that one
    /// that finds none leaves no trace.
    pressed: bool,
}

impl Protected {
    pub(crate) fn new(shield: Arc<dyn Shield>) -> Self {
        Self { shield, sealed: Vec::new(), length: 0, sent: 0, seq: 0, pressed: false }
    }

    /// Hot.
    #[inline]
    pub(crate) fn send(
        &mut self,
        socket: &OwnedFd,
        frame: &[u8],
        seq: u64,
        limit: Duration,
    ) -> Result<(), Failure> {
        if self.sent < self.length {
            self.flush(socket)?;
            if self.seq == seq {
                // The same sample again.
                return Ok(());
            }
        }
        if self.pressed && !has_room(socket, limit) {
            return Err(Failure::TimedOut);
        }
        let sealed = self.shield.seal(frame, &mut self.sealed);
        self.length = sealed.map_err(|Over| Failure::Gone)?;
        (self.sent, self.seq) = (0, seq);
        self.flush(socket)
    }

    /// Sends what is sealed.
    #[inline]
    fn flush(&mut self, socket: &OwnedFd) -> Result<(), Failure> {
        let mut flags = SendFlags::NOSIGNAL;
        loop {
            match send(socket, &self.sealed[self.sent..self.length], flags) {
                Ok(more) => self.sent += more,
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => {
                    self.pressed = true;
                    return Err(Failure::TimedOut);
                }
                Err(_) => return Err(Failure::Gone),
            }
            if self.sent == self.length {
                self.pressed = flags.contains(SendFlags::DONTWAIT);
                return Ok(());
            }
            // Its time has passed, or a signal came: tells the two apart, and takes no more time.
            flags |= SendFlags::DONTWAIT;
        }
    }
}

/// Whether the system takes more within the time.
fn has_room(socket: &OwnedFd, limit: Duration) -> bool {
    let mut state = [PollFd::new(socket, PollFlags::OUT)];
    let limit = Timespec::try_from(limit).ok();
    matches!(poll(&mut state, limit.as_ref()), Ok(1..))
}
