//! What is there in a domain, by liveliness tokens: ROS's graph, as each context keeps it.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use busmark_adapter::{Match, MatchClock, Result};
use zenoh::pubsub::Subscriber;
use zenoh::sample::SampleKind;
use zenoh::{Session, Wait};

use crate::participant::failed;
use crate::token::{self, Kind};

/// The tokens, and who wants to know of them.
#[derive(Default)]
struct Known {
    tokens: HashSet<String>,
    watches: Vec<Arc<Counted>>,
}

/// Endpoints of one kind and topic, counted.
struct Counted {
    kind: Kind,
    topic: String,
    matches: MatchClock,
    /// While false, none is counted.
    ready: AtomicBool,
}

impl Known {
    fn count(&self, counted: &Counted) {
        let is = |token: &&String| token::is(token, counted.kind, &counted.topic);
        let there = self.tokens.iter().filter(is).count() as u32;
        counted.matches.set(if counted.ready.load(Ordering::Relaxed) { there } else { 0 });
    }

    /// After this token has come or gone.
    fn changed(&self, token: &str) {
        let of = |counted: &&Arc<Counted>| token::is(token, counted.kind, &counted.topic);
        self.watches.iter().filter(of).for_each(|counted| self.count(counted));
    }
}

fn lock(known: &Mutex<Known>) -> MutexGuard<'_, Known> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The graph of a domain.
pub struct Graph {
    known: Arc<Mutex<Known>>,
    _subscriber: Subscriber<()>,
}

impl Graph {
    /// What is there already, and what comes and goes.
    pub fn new(session: &Session, domain: u32) -> Result<Self> {
        let known = Arc::<Mutex<Known>>::default();
        let kept = Arc::clone(&known);
        let subscriber = session
            .liveliness()
            .declare_subscriber(token::all(domain))
            .history(true)
            .callback(move |sample| {
                let token = sample.key_expr().as_str();
                let mut known = lock(&kept);
                match sample.kind() {
                    SampleKind::Put => known.tokens.insert(token.to_owned()),
                    SampleKind::Delete => known.tokens.remove(token),
                };
                known.changed(token);
            })
            .wait()
            .map_err(|error| failed("liveliness subscriber", error))?;
        Ok(Self { known, _subscriber: subscriber })
    }

    /// Counts the endpoints of this kind and topic from now on.
    pub fn watch(&self, kind: Kind, topic: &str) -> Watch {
        let counted = Arc::new(Counted {
            kind,
            topic: topic.to_owned(),
            matches: MatchClock::default(),
            ready: AtomicBool::new(true),
        });
        let mut known = lock(&self.known);
        known.count(&counted);
        known.watches.push(Arc::clone(&counted));
        Watch { known: Arc::clone(&self.known), counted }
    }
}

/// A count that is kept until this is dropped.
pub struct Watch {
    known: Arc<Mutex<Known>>,
    counted: Arc<Counted>,
}

impl Watch {
    /// How many there are, and since when.
    pub fn get(&self) -> Match {
        self.counted.matches.get()
    }

    /// Whether it counts.
    #[inline]
    pub fn ready(&self) -> bool {
        self.counted.ready.load(Ordering::Relaxed)
    }

    /// By which it counts, or does not.
    pub fn gate(&self) -> impl Fn(bool) + Send + Sync + 'static {
        let (known, counted) = (Arc::clone(&self.known), Arc::clone(&self.counted));
        move |ready| {
            let known = lock(&known);
            counted.ready.store(ready, Ordering::Relaxed);
            known.count(&counted);
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        lock(&self.known).watches.retain(|other| !Arc::ptr_eq(other, &self.counted));
    }
}
