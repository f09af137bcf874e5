//! Connections of one socket, as the library's own monitor reports them.

use std::ffi::c_int;
use std::sync::atomic::{AtomicU64, Ordering};

use busmark_adapter::{Result, Status};

use crate::endpoints::Maker;
use crate::ffi;
use crate::socket::{Message, Socket};

/// Receives a socket's events and keeps count of its connections.
pub struct Monitor {
    events: Socket,
    message: Message,
    /// Connections whose handshake has succeeded and that have not ended.
    connections: u32,
    /// Handshakes that failed; the end of their connection is still to be reported.
    failed: u32,
    /// Other sides of connections that have ended.
    lost: Vec<String>,
}

/// What an event changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A handshake has succeeded.
    Connected,
    /// Anything that needs no action.
    Other,
    /// The monitor was stopped; this was the last event.
    Stopped,
}

impl Monitor {
    /// Monitor of `socket`, from before it is bound or connected.
    pub fn new(maker: &Maker, socket: &Socket) -> Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("inproc://monitor-{}", NEXT.fetch_add(1, Ordering::Relaxed));
        socket.monitor(&name)?;
        let events = maker.plain_socket(ffi::PAIR)?;
        events.set(ffi::LINGER, 0)?;
        events.connect(&name)?;
        Ok(Self { events, message: Message::empty()?, connections: 0, failed: 0, lost: Vec::new() })
    }

    /// How long [`Monitor::next`] may wait.
    pub fn set_timeout(&self, milliseconds: i32) -> Result<()> {
        self.events.set(ffi::RCVTIMEO, milliseconds)
    }

    /// Receives one event.
    pub fn next(&mut self, flags: c_int) -> std::result::Result<Change, Status> {
        self.events.receive(&mut self.message, flags)?;
        let event = match self.message.bytes() {
            [low, high, ..] => u16::from_ne_bytes([*low, *high]),
            _ => 0,
        };
        while self.message.has_more() {
            // The address; parts arrive together.
            self.events.receive(&mut self.message, ffi::DONTWAIT)?;
        }
        Ok(self.enter(event))
    }

    fn enter(&mut self, event: u16) -> Change {
        if event == ffi::EVENT_DISCONNECTED {
            self.lost.push(String::from_utf8_lossy(self.message.bytes()).into_owned());
        }
        match event {
            ffi::EVENT_HANDSHAKE_SUCCEEDED => {
                self.connections += 1;
                return Change::Connected;
            }
            ffi::EVENT_DISCONNECTED if self.failed > 0 => self.failed -= 1,
            ffi::EVENT_DISCONNECTED => self.connections = self.connections.saturating_sub(1),
            ffi::EVENT_MONITOR_STOPPED => return Change::Stopped,
            event if event & ffi::EVENT_HANDSHAKE_FAILED != 0 => self.failed += 1,
            _ => {}
        }
        Change::Other
    }

    /// Connections now.
    pub fn connections(&mut self) -> u32 {
        while self.next(ffi::DONTWAIT).is_ok() {}
        self.connections
    }

    /// The other sides of connections that have ended since the last call.
    pub fn lost(&mut self) -> Vec<String> {
        while self.next(ffi::DONTWAIT).is_ok() {}
        std::mem::take(&mut self.lost)
    }

    /// Connections as of the last event received.
    pub fn known_connections(&self) -> u32 {
        self.connections
    }
}
