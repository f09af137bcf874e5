//! Receiving datagrams into a stash from which samples are taken.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use busmark_adapter::{EndpointConfig, Header, Payload, Sink, Source, Status};
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

use crate::batch::Batch;
use crate::limit::Limit;

/// Every so manieth receive asks for a batch, to learn whether datagrams queue up.
const PROBE: u32 = 64;
/// So many batches of one datagram in a row mean that they do not queue up any more.
const LONELY: u32 = 4;

/// A socket and what was received from it but not yet taken.
///
/// A plain receive is about 2 % of a round trip cheaper than one for a batch; a batch is cheaper per
/// datagram as soon as there are two. So receives are plain until a batch, asked for now and then,
/// brings more than one.
pub struct Receiver {
    socket: Arc<OwnedFd>,
    payload: Payload,
    batch: Batch,
    next: usize,
    filled: usize,
    plain: u32,
    lonely: u32,
    limit: Limit,
}

impl Receiver {
    /// For the samples of this endpoint.
    pub fn new(socket: Arc<OwnedFd>, config: &EndpointConfig) -> Self {
        let payload = config.payload;
        let largest = config.max_body_bytes as usize + payload.wire_overhead();
        let batch = Batch::new(Header::BYTES + largest);
        let limit = Limit::default();
        Self { socket, payload, batch, next: 0, filled: 0, plain: 0, lonely: LONELY, limit }
    }

    /// Whether a sample can be taken. Passes over datagrams that are none. Hot.
    #[inline]
    pub fn ready(&mut self) -> bool {
        while self.next < self.filled {
            if self.batch.get(self.next).is_some_and(|bytes| bytes.len() >= Header::BYTES) {
                return true;
            }
            self.next += 1;
        }
        false
    }

    /// One system call: receives into the empty stash. Hot; always inlined, for the first return
    /// from a function that a thread slept in is mispredicted and costs up to a microsecond.
    #[inline(always)]
    pub fn receive(&mut self, flags: RecvFlags) -> Result<(), Errno> {
        (self.next, self.filled) = (0, 0);
        self.plain += 1;
        if self.lonely < LONELY || self.plain >= PROBE {
            self.plain = 0;
            self.filled = self.batch.receive(&*self.socket, flags.bits().cast_signed())?;
            self.lonely = if self.filled > 1 { 0 } else { self.lonely.saturating_add(1) };
        } else {
            // With TRUNC the kernel tells the datagram's length even where it did not fit.
            let (_, bytes) = recv(&*self.socket, self.batch.first(), flags | RecvFlags::TRUNC)?;
            self.batch.set_first(bytes);
            self.filled = 1;
        }
        Ok(())
    }

    /// Sleeps in a receive until something comes or the time is over. Inlined as
    /// [`receive`](Self::receive) is.
    #[inline(always)]
    pub fn receive_within(&mut self, timeout: Duration) -> Result<(), Errno> {
        if timeout.is_zero() {
            return self.receive(RecvFlags::DONTWAIT);
        }
        self.limit.set(&self.socket, timeout)?;
        self.receive(RecvFlags::empty())
    }
}

impl Source for Receiver {
    #[inline]
    fn take(&mut self, max: usize, sink: &mut Sink) -> Result<usize, Status> {
        let mut count = 0;
        while count < max && self.next < self.filled {
            let bytes = self.batch.get(self.next);
            self.next += 1;
            if let Some(bytes) = bytes
                && let Some(header) = Header::from_bytes(bytes)
            {
                sink.deliver(&header, self.payload.from_wire(&bytes[Header::BYTES..]));
                count += 1;
            }
        }
        if count == 0 { Err(Status::NoData) } else { Ok(count) }
    }
}
