//! A writer over connections: every reader gets its own.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use busmark_adapter::{EndpointConfig, Header, HotCell, Payload, Result, Status, Writer};
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{SendFlags, send};

use crate::connections::{Connections, Link};
use crate::errors::os_error;
use crate::frame::{Frame, MARK, OVERHEAD, VOID};
use crate::greeting::say_hello;
use crate::{Family, WRITE_LIMIT};

/// Sends each sample to every reader it is connected to.
pub struct StreamWriter {
    hot: HotCell<Outgoing>,
    connections: Connections,
    family: Arc<dyn Family>,
    payload: Payload,
    max_body_bytes: u64,
    limit: Duration,
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
}

enum Failure {
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
    pub fn new(family: Arc<dyn Family>, config: &EndpointConfig) -> Self {
        let limit = match config.qos.max_blocking_ns {
            1.. => Duration::from_nanos(config.qos.max_blocking_ns.unsigned_abs()),
            _ => WRITE_LIMIT,
        };
        Self {
            hot: HotCell::new(Outgoing::default()),
            connections: Connections::default(),
            family,
            payload: config.payload,
            max_body_bytes: config.max_body_bytes,
            limit: limit.max(Duration::from_micros(1)),
        }
    }

    fn open(&self, locator: &str) -> Result<OwnedFd> {
        let socket = self.family.connect(locator)?;
        say_hello(&socket, self.family.domain(), locator)?;
        set_socket_timeout(&socket, Timeout::Send, Some(self.limit))
            .map_err(|errno| os_error("time limit of writes", errno))?;
        Ok(socket)
    }
}

impl Writer for StreamWriter {
    type Sample = Frame;

    fn prepare(&self, body: &[u8]) -> Result<Frame> {
        if body.len() as u64 > self.max_body_bytes {
            return Err(Status::Invalid.error(format!(
                "a body of {} bytes: the writer was made for at most {}",
                body.len(),
                self.max_body_bytes
            )));
        }
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
            match lane.send(sample.bytes()) {
                Ok(()) => at += 1,
                Err(Failure::TimedOut) => {
                    out.unfinished = Some((header.seq, at));
                    return Err(Status::Timeout);
                }
                Err(Failure::Gone) => {
                    let lane = out.lanes.remove(at);
                    self.connections.remove(&lane.link);
                }
            }
        }
        Ok(())
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        Ok(self.connections.alive())
    }

    fn connect(&self, locator: &str) -> Result<()> {
        let busy = || Status::Invalid.error("the writer is in use by another thread");
        let connected = |lane: &Lane| lane.locator == locator && lane.link.is_alive();
        if self.hot.get().ok_or_else(busy)?.lanes.iter().any(connected) {
            return Err(Status::Invalid.error(format!("already connected to {locator}")));
        }
        let socket = self.open(locator)?;
        let mut out = self.hot.get().ok_or_else(busy)?;
        out.lanes.push(Lane {
            link: self.connections.add(socket, true),
            locator: locator.to_owned(),
            packet: self.family.packet(),
            owed: Vec::new(),
        });
        Ok(())
    }
}
