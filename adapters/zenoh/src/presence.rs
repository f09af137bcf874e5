//! Who is there, by zenoh's liveliness tokens: one for each endpoint, gone when the endpoint is or the
//! connection to it. (A publisher's matching status tells whether somebody listens, not how many.)

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use busmark_adapter::Result;
use zenoh::liveliness::LivelinessToken;
use zenoh::pubsub::Subscriber;
use zenoh::sample::SampleKind;
use zenoh::{Session, Wait};

use crate::participant::{failed, key};

/// This endpoint's token.
pub fn announce(session: &Session, role: &str, name: &str) -> Result<LivelinessToken> {
    session
        .liveliness()
        .declare_token(key(&format!("{role}/{name}"))?)
        .wait()
        .map_err(|error| failed("liveliness token", error))
}

/// The endpoints of the other side.
pub struct Others {
    names: Arc<Mutex<HashSet<String>>>,
    _subscriber: Subscriber<()>,
}

fn lock(names: &Mutex<HashSet<String>>) -> MutexGuard<'_, HashSet<String>> {
    names.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Others {
    /// Those whose tokens are under `role`, present and to come.
    pub fn new(session: &Session, role: &str) -> Result<Self> {
        let names = Arc::new(Mutex::new(HashSet::new()));
        let known = Arc::clone(&names);
        let subscriber = session
            .liveliness()
            .declare_subscriber(format!("{role}/*"))
            .history(true)
            .callback(move |sample| {
                let key = sample.key_expr().as_str();
                let name = key.rsplit('/').next().unwrap_or_default().to_owned();
                match sample.kind() {
                    SampleKind::Put => lock(&known).insert(name),
                    SampleKind::Delete => lock(&known).remove(&name),
                };
            })
            .wait()
            .map_err(|error| failed("liveliness subscriber", error))?;
        Ok(Self { names, _subscriber: subscriber })
    }

    /// How many.
    pub fn count(&self) -> u32 {
        lock(&self.names).len() as u32
    }

    /// Whether this one is there.
    pub fn has(&self, name: &str) -> bool {
        lock(&self.names).contains(name)
    }
}
