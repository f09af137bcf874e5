//! One connection for both directions, where a participant has one writer and one reader, and so has
//! the participant at its other end.
//!
//! Whoever connects first makes the connection. When the other side's writer connects in turn, it finds
//! what was made, and its greeting, over a connection that is closed again, has the reader listen there.
//! Locators carry the participant's name beside the address, by which either side knows that it meets the
//! same one again.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use busmark_adapter::{Error, Result, Status};

use crate::connections::Link;
use crate::{CONNECT_LIMIT, Family};

/// Between the address and the name in a locator.
pub const MARK: char = '@';
/// How long a wait lasts before it is asked again whether the reader is to end.
const SLICE: Duration = Duration::from_millis(20);

/// Which end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Writer,
    Reader,
}

/// What a reader's participant says to a writer that greets.
pub(crate) enum Meeting {
    /// The connection of the greeting is the one.
    Here,
    /// This one is, which there was before.
    There(Arc<Link>),
    /// The participant has another peer.
    Refused,
    /// It ends, or the connection that it was making has failed.
    Nothing,
}

/// The connections of a participant that shares them.
pub struct Pair {
    name: u64,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    writers: usize,
    readers: usize,
    known: Vec<Known>,
}

/// A connection with another participant.
struct Known {
    peer: u64,
    /// `None` while it is being made.
    link: Option<Weak<Link>>,
    /// Made by this side's writer.
    ours: bool,
    /// Samples travel in both directions.
    both: bool,
}

impl Known {
    fn link(&self) -> Option<Arc<Link>> {
        self.link.as_ref()?.upgrade().filter(|link| link.is_alive())
    }
}

impl State {
    /// Forgets connections that have ended.
    fn tidy(&mut self) {
        self.known.retain(|known| known.link.is_none() || known.link().is_some());
    }

    /// Whether something can come back: only then a connection is shared.
    fn is_two_way(&self) -> bool {
        self.writers > 0 && self.readers > 0
    }

    fn peers_besides(&self, peer: u64) -> bool {
        self.known.iter().any(|known| known.peer != peer)
    }

    fn find(&mut self, peer: u64, ours: bool) -> Option<&mut Known> {
        self.known.iter_mut().find(|k| k.peer == peer && k.ours == ours && !k.both)
    }

    /// Lets go of a connection that was to be made.
    fn abandon(&mut self, peer: u64) {
        let making = |k: &Known| k.peer == peer && k.ours && k.link.is_none();
        if let Some(at) = self.known.iter().position(making) {
            self.known.remove(at);
        }
    }
}

impl Default for Pair {
    fn default() -> Self {
        // Its keys are random.
        let name = RandomState::new().build_hasher().finish();
        Self { name, state: Mutex::default(), changed: Condvar::new() }
    }
}

/// Why there can be no pair.
fn no_pair(why: &str) -> Error {
    Status::Unsupported.error(format!(
        "{why}; connection=shared is for pairs: a participant that writes and reads has one writer and \
         one reader, and so has its only peer. Use connection=separate here"
    ))
}

impl Pair {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The participant's name within locators and greetings.
    pub(crate) fn name(&self) -> u64 {
        self.name
    }

    /// The locator of a reader that listens at this address.
    pub fn locator(&self, address: &str) -> String {
        format!("{address}{MARK}{:016x}", self.name)
    }

    /// Address and name in a locator.
    pub(crate) fn split(locator: &str) -> Result<(&str, u64)> {
        let parts = locator.rsplit_once(MARK);
        let parts = parts.and_then(|(at, name)| Some((at, u64::from_str_radix(name, 16).ok()?)));
        parts.ok_or_else(|| {
            Status::Invalid.error(format!(
                "{locator:?} is not the locator of a reader with connection=shared \
                 (ADDRESS:PORT{MARK}NAME); the option must be the same on both sides"
            ))
        })
    }

    fn enter(&self, end: End) -> Result<()> {
        let mut state = self.state();
        state.tidy();
        let (mut writers, mut readers) = (state.writers, state.readers);
        match end {
            End::Writer => writers += 1,
            End::Reader => readers += 1,
        }
        if writers > 0 && readers > 0 {
            if writers > 1 || readers > 1 {
                return Err(no_pair(&format!(
                    "the participant would have {writers} writers and {readers} readers"
                )));
            }
            if let Some(first) = state.known.first().map(|known| known.peer)
                && state.peers_besides(first)
            {
                return Err(no_pair("the participant is connected to several others"));
            }
        }
        (state.writers, state.readers) = (writers, readers);
        Ok(())
    }

    fn leave(&self, end: End) {
        let mut state = self.state();
        match end {
            End::Writer => state.writers -= 1,
            End::Reader => state.readers -= 1,
        }
    }

    /// This side's writer is about to connect to `peer`. Whether there is a connection that the other
    /// side has made and that can carry both directions.
    pub(crate) fn begin(&self, peer: u64) -> Result<bool> {
        let mut state = self.state();
        state.tidy();
        if peer == self.name {
            return Ok(false);
        }
        if state.is_two_way() && state.peers_besides(peer) {
            return Err(no_pair("the participant is connected to another one"));
        }
        if state.find(peer, false).is_some() {
            return Ok(true);
        }
        state.known.push(Known { peer, link: None, ours: true, both: false });
        Ok(false)
    }

    /// The connection that this side's writer has made is welcome.
    pub(crate) fn opened(&self, peer: u64, link: &Arc<Link>) {
        if peer == self.name {
            return;
        }
        let mut state = self.state();
        state.abandon(peer);
        let link = Some(Arc::downgrade(link));
        state.known.push(Known { peer, link, ours: true, both: false });
        self.changed.notify_all();
    }

    /// No connection has come about.
    pub(crate) fn abandon(&self, peer: u64) {
        self.state().abandon(peer);
        self.changed.notify_all();
    }

    /// The connection that the other side has made or is making, for this side's writer.
    pub(crate) fn theirs(&self, peer: u64) -> Result<Arc<Link>> {
        let start = Instant::now();
        let mut state = self.state();
        state.abandon(peer);
        loop {
            if let Some(known) = state.find(peer, false)
                && let Some(link) = known.link()
            {
                known.both = true;
                return Ok(link);
            }
            if start.elapsed() > CONNECT_LIMIT {
                return Err(Status::Timeout.error("the other side's connection has not come"));
            }
            state = self.wait(state);
        }
    }

    /// A writer of `peer` greets over `accepted`; `has`: it has accepted a connection from here, and
    /// counts on it.
    pub(crate) fn meet(
        &self,
        peer: u64,
        has: bool,
        accepted: &Arc<Link>,
        stop: &AtomicBool,
    ) -> Meeting {
        if peer == self.name {
            return Meeting::Here;
        }
        let start = Instant::now();
        let mut state = self.state();
        loop {
            state.tidy();
            if state.is_two_way() && state.peers_besides(peer) {
                return Meeting::Refused;
            }
            match state.find(peer, true) {
                Some(known) if known.link.is_some() => {
                    known.both = true;
                    return known.link().map_or(Meeting::Nothing, Meeting::There);
                }
                // Both are connecting: the one with the smaller name does.
                Some(_) if has || self.name < peer => {}
                _ => {
                    let link = Some(Arc::downgrade(accepted));
                    state.known.push(Known { peer, link, ours: false, both: false });
                    self.changed.notify_all();
                    return Meeting::Here;
                }
            }
            if stop.load(Ordering::SeqCst) || start.elapsed() > CONNECT_LIMIT {
                return Meeting::Nothing;
            }
            state = self.wait(state);
        }
    }

    fn wait<'a>(&'a self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, SLICE).unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Why the reader's participant lets no further writer in.
pub(crate) fn refused() -> Error {
    no_pair("the reader's participant is connected to another one")
}

/// An endpoint's place in its participant, until dropped.
pub(crate) struct Place(Arc<dyn Family>, End);

impl Place {
    /// Refuses an endpoint that would make the participant one of no pair.
    pub(crate) fn take(family: &Arc<dyn Family>, end: End) -> Result<Self> {
        if let Some(pair) = family.pair() {
            pair.enter(end)?;
        }
        Ok(Self(Arc::clone(family), end))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(pair) = self.0.pair() {
            pair.leave(self.1);
        }
    }
}
