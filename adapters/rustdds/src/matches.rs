//! Who is matched with whom.
//!
//! The crate's own question to a writer panics, and the events that it tells an endpoint are dropped
//! when five come at once. Those that it tells the participant have room for 2048.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use rustdds::{
    DomainParticipant, DomainParticipantStatusEvent as Event, DomainParticipantStatusListener,
    GUID, LostReason, StatusEvented,
};

/// The matches of one participant's endpoints.
pub struct Matches(Mutex<State>);

struct State {
    /// Whether samples reach readers of the same participant.
    hears_itself: bool,
    listener: DomainParticipantStatusListener,
    /// Remote endpoints by local endpoint.
    matched: HashMap<GUID, HashSet<GUID>>,
    /// Remote endpoints that said farewell: the news that they match may come after that they are gone,
    /// for two threads tell.
    gone: HashSet<GUID>,
}

impl Matches {
    /// Those of this participant, from now on. On loopback the crate sends only to participants that it
    /// has heard, and without multicast it does not hear itself: such matches must not count (C24).
    pub fn of(participant: &DomainParticipant, hears_itself: bool) -> Self {
        let listener = participant.status_listener();
        let (matched, gone) = (HashMap::new(), HashSet::new());
        Self(Mutex::new(State { hears_itself, listener, matched, gone }))
    }

    /// Endpoints that match `local`.
    pub fn count(&self, local: GUID) -> u32 {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.update();
        state.matched.get(&local).map_or(0, |remote| remote.len() as u32)
    }
}

impl State {
    fn update(&mut self) {
        while let Some(event) = self.listener.try_recv_status() {
            match event {
                Event::RemoteReaderMatched { local_writer, remote_reader } => {
                    self.add(local_writer, remote_reader);
                }
                Event::RemoteWriterMatched { local_reader, remote_writer } => {
                    self.add(local_reader, remote_writer);
                }
                Event::ReaderLost { guid, reason } | Event::WriterLost { guid, reason } => {
                    if matches!(reason, LostReason::Disposed) {
                        self.gone.insert(guid);
                    }
                    for remote in self.matched.values_mut() {
                        remote.remove(&guid);
                    }
                }
                Event::ParticipantLost { id, .. } => {
                    for remote in self.matched.values_mut() {
                        remote.retain(|guid| guid.prefix != id);
                    }
                }
                _ => (),
            }
        }
    }

    fn add(&mut self, local: GUID, remote: GUID) {
        let reached = self.hears_itself || local.prefix != remote.prefix;
        if reached && !self.gone.contains(&remote) {
            self.matched.entry(local).or_default().insert(remote);
        }
    }
}
