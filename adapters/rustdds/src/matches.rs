//! Who is matched with whom.
//!
//! The crate's own question to a writer panics, and the events that it tells an endpoint are dropped
//! when five come at once. Those that it tells the participant have room for 2048; they say, too, which
//! other participants there are.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use busmark_adapter::Entity;
use rustdds::{
    DomainParticipant, DomainParticipantStatusEvent as Event, DomainParticipantStatusListener,
    GUID, LostReason, StatusEvented,
};

use crate::entities;

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
    /// Others' participants.
    participants: HashMap<GUID, Entity>,
}

impl Matches {
    /// Those of this participant, from now on. On loopback the crate sends only to participants that it
    /// has heard, and without multicast it does not hear itself: such matches must not count (C24).
    pub fn of(participant: &DomainParticipant, hears_itself: bool) -> Self {
        let listener = participant.status_listener();
        let (matched, gone, participants) = (HashMap::new(), HashSet::new(), HashMap::new());
        Self(Mutex::new(State { hears_itself, listener, matched, gone, participants }))
    }

    /// Endpoints that match `local`.
    pub fn count(&self, local: GUID) -> u32 {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.update();
        state.matched.get(&local).map_or(0, |remote| remote.len() as u32)
    }

    /// Participants that were found and have not gone.
    pub fn participants(&self) -> Vec<Entity> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.update();
        state.participants.values().cloned().collect()
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
                Event::ParticipantDiscovered { dpd } => {
                    // The crate does not keep the properties that are announced.
                    let found = Entity::announced(entities::guid(dpd.guid), |_| String::new());
                    let name = dpd.entity_name.unwrap_or_default();
                    let vendor = u16::from_be_bytes(dpd.vendor_id.vendor_id).into();
                    self.participants.insert(dpd.guid, Entity { name, vendor, ..found });
                }
                Event::ParticipantLost { id, .. } => {
                    self.participants.retain(|guid, _| guid.prefix != id);
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
