//! Who is there: readers whose subscription the server has worked off, and writers.
//!
//! NATS has no matching and keeps no messages. So endpoints of a topic talk on a subject of their own:
//! an endpoint that is ready says so and asks who else is there, everybody answers, and whoever goes
//! says that too. Each participant has one subscription for each topic that it has endpoints of, with
//! a thread of the library, which sleeps while samples travel.
//!
//! An endpoint whose process was killed says nothing, and is counted until its readers and writers go.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CString;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{SystemTime, UNIX_EPOCH};

use busmark_adapter::Result;

use crate::connection::{Called, Handler, Link};
use crate::subjects::text;

/// What kind of endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A reader.
    Reader,
    /// A writer.
    Writer,
}

/// What is said: one of these, `r` or `w`, and a name.
const HERE: u8 = b'+';
const GONE: u8 = b'-';
/// Who is there?
const ASK: &[u8] = b"?";

impl Side {
    fn letter(self) -> u8 {
        if self == Self::Reader { b'r' } else { b'w' }
    }
}

/// A participant's view of the other endpoints.
pub struct Presence {
    link: Arc<Link>,
    topics: Mutex<BTreeMap<String, Arc<Topic>>>,
}

/// One topic that the participant has endpoints of.
struct Topic {
    subject: CString,
    link: Arc<Link>,
    state: Mutex<State>,
    readers: AtomicU32,
    writers: AtomicU32,
    // There from its making on; it refers to the topic weakly.
    talk: Mutex<Option<Called>>,
}

#[derive(Default)]
struct State {
    /// Endpoints of this participant: side and name, as they are announced.
    own: Vec<Vec<u8>>,
    readers: BTreeSet<Vec<u8>>,
    writers: BTreeSet<Vec<u8>>,
}

/// An endpoint that is there as long as this lives.
pub struct Member {
    presence: Arc<Presence>,
    topic: Arc<Topic>,
    side: Side,
    name: Vec<u8>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Topic {
    fn say(&self, what: u8, who: &[u8]) {
        self.link.publish(&self.subject, &[&[what], who].concat());
    }

    fn hear(&self, said: &[u8]) {
        if said == ASK {
            let own = locked(&self.state).own.clone();
            for who in &own {
                self.say(HERE, who);
            }
            return;
        }
        let &[what, side, ref name @ ..] = said else { return };
        let mut state = locked(&self.state);
        let (set, count) = if side == b'r' {
            (&mut state.readers, &self.readers)
        } else {
            (&mut state.writers, &self.writers)
        };
        if what == HERE {
            set.insert(name.to_vec());
        } else if what == GONE {
            set.remove(name);
        }
        count.store(u32::try_from(set.len()).unwrap_or(u32::MAX), Ordering::Release);
    }
}

struct Ear(Weak<Topic>);

impl Handler for Ear {
    fn on_message(&self, payload: &[u8]) {
        if let Some(topic) = self.0.upgrade() {
            topic.hear(payload);
        }
    }
}

impl Presence {
    /// Nobody yet.
    pub fn new(link: &Arc<Link>) -> Self {
        Self { link: Arc::clone(link), topics: Mutex::default() }
    }

    /// An endpoint that is ready: its own subscription, if it has one, has been flushed.
    pub fn join(self: &Arc<Self>, subject: String, side: Side) -> Result<Member> {
        let topic = self.topic(subject)?;
        // Others must be heard before they are asked.
        self.link.flush()?;
        let name = [&[side.letter()], unique_name().as_bytes()].concat();
        locked(&topic.state).own.push(name.clone());
        topic.say(HERE, &name);
        self.link.publish(&topic.subject, ASK);
        Ok(Member { presence: Arc::clone(self), topic, side, name })
    }

    fn topic(&self, subject: String) -> Result<Arc<Topic>> {
        let mut topics = locked(&self.topics);
        if let Some(topic) = topics.get(&subject) {
            return Ok(Arc::clone(topic));
        }
        let topic = Arc::new(Topic {
            subject: text(subject.clone()),
            link: Arc::clone(&self.link),
            state: Mutex::default(),
            readers: AtomicU32::new(0),
            writers: AtomicU32::new(0),
            talk: Mutex::new(None),
        });
        let ear = Box::new(Ear(Arc::downgrade(&topic)));
        *locked(&topic.talk) = Some(Called::new(&self.link, &topic.subject, ear)?);
        topics.insert(subject, Arc::clone(&topic));
        Ok(topic)
    }
}

impl Member {
    /// How many endpoints of the other side are there.
    pub fn others(&self) -> u32 {
        let count = match self.side {
            Side::Reader => &self.topic.writers,
            Side::Writer => &self.topic.readers,
        };
        count.load(Ordering::Acquire)
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let mut topics = locked(&self.presence.topics);
        let mut state = locked(&self.topic.state);
        state.own.retain(|own| *own != self.name);
        let is_last = state.own.is_empty();
        drop(state);
        // Not flushed: the answer would come after all samples that are on their way to this
        // connection. Closing it sends what the library still has.
        self.topic.say(GONE, &self.name);
        if is_last {
            topics.retain(|_, topic| !Arc::ptr_eq(topic, &self.topic));
            drop(topics);
            let talk = locked(&self.topic.talk).take();
            drop(talk);
        }
    }
}

fn unique_name() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{:x}-{number:x}-{:x}", std::process::id(), now.as_nanos())
}
