//! One connection as the thread sees it that sends.

use std::sync::Arc;
use std::time::Duration;

use busmark_adapter::EndpointConfig;
use rustix::io::Errno;
use rustix::net::{SendFlags, send};

use crate::WRITE_LIMIT;
use crate::connections::Link;
use crate::frame::{MARK, VOID};
use crate::protected::Protected;

/// Sends frames over one connection.
pub(crate) struct Lane {
    pub(crate) link: Arc<Link>,
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

/// How long a send of this endpoint may block.
pub(crate) fn write_limit(config: &EndpointConfig) -> Duration {
    let limit = match config.qos.max_blocking_ns {
        1.. => Duration::from_nanos(config.qos.max_blocking_ns.unsigned_abs()),
        _ => WRITE_LIMIT,
    };
    limit.max(Duration::from_micros(1))
}

impl Lane {
    pub(crate) fn new(link: Arc<Link>, packet: usize) -> Self {
        let protected = link.protection().map(Protected::new);
        Self { link, packet, owed: Vec::new(), protected }
    }

    /// Sends a frame within the time; `id` distinguishes it from other frames. Hot.
    #[inline(always)]
    pub(crate) fn send(
        &mut self,
        frame: &[u8],
        id: u64,
        limit: Duration,
    ) -> std::result::Result<(), Failure> {
        match &mut self.protected {
            None => self.send_plain(frame),
            Some(protected) => protected.send(&self.link.socket, frame, id, limit),
        }
    }

    #[inline(always)]
    fn send_plain(&mut self, frame: &[u8]) -> std::result::Result<(), Failure> {
        if self.owed.is_empty() {
            let first = &frame[..frame.len().min(self.packet)];
            let sent = send(&self.link.socket, first, SendFlags::NOSIGNAL);
            if sent == Ok(frame.len()) { Ok(()) } else { self.go_on(frame, sent) }
        } else {
            self.settle()?;
            self.send_plain(frame)
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
                Err(Errno::INTR) if sent == 0 => return self.send_plain(frame),
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
