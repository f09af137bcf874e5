//! Who is there: two sockets beside each endpoint, over the same transport, that carry nothing but
//! subscriptions.
//!
//! An XPUB socket is told of every subscription, and of its end when the connection ends, however it
//! ends. So each side has an XPUB to which the other side's SUB subscribes, and counts. Data sockets
//! are left alone: they belong to the thread that writes or takes.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use busmark_adapter::{Result, Status};

use crate::endpoints::Maker;
use crate::ffi;
use crate::socket::{Message, Socket};

/// How long an announcement may take before the other side counts as unreachable.
const LIMIT: Duration = Duration::from_secs(5);

/// Both sockets of one endpoint.
pub struct Presence {
    /// To which the other side subscribes.
    peers: Mutex<Peers>,
    /// That subscribes to the other side.
    here: Socket,
}

struct Peers {
    socket: Socket,
    message: Message,
    count: u32,
}

/// What a first byte of an XPUB's message means.
const SUBSCRIBED: u8 = 1;

impl Peers {
    /// Takes what has been announced. Returns how many subscribed.
    fn update(&mut self, flags: std::ffi::c_int) -> std::result::Result<u32, Status> {
        self.socket.receive(&mut self.message, flags)?;
        let more = self.message.bytes().first() == Some(&SUBSCRIBED);
        self.count = if more { self.count + 1 } else { self.count.saturating_sub(1) };
        Ok(u32::from(more))
    }
}

impl Presence {
    /// Of a reader or a writer, not yet bound or connected.
    pub fn new(maker: &Maker) -> Result<Self> {
        let peers = maker.socket(ffi::XPUB)?;
        // Every subscription and every end of one, not only the first and the last.
        peers.set(ffi::XPUB_VERBOSER, 1)?;
        peers.set(ffi::RCVTIMEO, 100)?;
        let here = maker.socket(ffi::SUB)?;
        here.set_bytes(ffi::SUBSCRIBE, b"")?;
        let peers = Mutex::new(Peers { socket: peers, message: Message::empty()?, count: 0 });
        Ok(Self { peers, here })
    }

    /// A reader's: binds both. The end points for a writer's [`Presence::connect`].
    pub fn bind(&self, maker: &Maker) -> Result<[String; 2]> {
        let peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        Ok([peers.socket.bind(&maker.end_point())?, self.here.bind(&maker.end_point())?])
    }

    /// A writer's: subscribes to the reader and waits for the reader's subscription.
    pub fn connect(&self, maker: &Maker, [peers, here]: [&str; 2]) -> Result<()> {
        self.here.connect(&maker.target(peers))?;
        let mut own = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        own.socket.connect(&maker.target(here))?;
        await_subscriptions(1, here, || own.update(0))
    }

    /// Endpoints of the other side.
    pub fn count(&self) -> u32 {
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        while peers.update(ffi::DONTWAIT).is_ok() {}
        peers.count
    }
}

/// Repeats `update`, which tells how many subscriptions it received, until there were so many.
pub fn await_subscriptions(
    wanted: u32,
    end_point: &str,
    mut update: impl FnMut() -> std::result::Result<u32, Status>,
) -> Result<()> {
    let start = Instant::now();
    let mut seen = 0;
    while seen < wanted {
        match update() {
            Ok(more) => seen += more,
            Err(Status::Timeout) if start.elapsed() < LIMIT => {}
            Err(Status::Timeout) => {
                let text = format!("nobody answers at {end_point} within {} s", LIMIT.as_secs());
                return Err(Status::Unavailable.error(text));
            }
            Err(status) => return Err(status.error(format!("no subscription from {end_point}"))),
        }
    }
    Ok(())
}
