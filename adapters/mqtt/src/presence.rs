//! Who is there: readers that the broker has acknowledged, and writers.
//!
//! MQTT has no matching. So every endpoint leaves a retained message on a topic of its own when it is
//! ready (a reader: when its subscription is acknowledged) and takes it back when it goes; if its
//! process dies, the broker does that by the client's will. Each participant has one further client,
//! with a thread of the library, that subscribes to these topics and counts. It sleeps while samples
//! travel.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CString;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use busmark_adapter::Result;

use crate::client::{Client, Handler, Route};
use crate::ffi::Message;
use crate::topics::text;

/// A participant's view of the other endpoints.
pub struct Presence {
    client: Client,
    watched: Arc<Watched>,
}

/// Topics that are looked at, by their prefix.
#[derive(Default)]
struct Watched(Mutex<BTreeMap<String, Watch>>);

#[derive(Default)]
struct Watch {
    users: usize,
    present: BTreeSet<String>,
    number: Arc<AtomicU32>,
}

/// How many endpoints are there under one prefix, as long as this lives.
pub struct Count {
    presence: Arc<Presence>,
    prefix: String,
    number: Arc<AtomicU32>,
}

impl Watched {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Watch>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch {
    fn tell(&self) {
        self.number.store(u32::try_from(self.present.len()).unwrap_or(u32::MAX), Ordering::Release);
    }
}

impl Handler for Watched {
    fn on_message(&self, message: &Message) {
        let topic = message.topic();
        let Some((prefix, name)) = topic.rfind('/').map(|at| topic.split_at(at + 1)) else {
            return;
        };
        if let Some(watch) = self.lock().get_mut(prefix) {
            if message.payload().is_empty() {
                watch.present.remove(name);
            } else {
                watch.present.insert(name.to_owned());
            }
            watch.tell();
        }
    }

    fn on_lost(&self) {
        // Without the broker nobody is there.
        for watch in self.lock().values_mut() {
            watch.present.clear();
            watch.tell();
        }
    }
}

impl Presence {
    /// Connects the client that looks.
    pub fn new(route: &Route) -> Result<Self> {
        let watched = Arc::new(Watched::default());
        let handler: Arc<dyn Handler> = watched.clone();
        let mut client = Client::connect(route, true, None, handler)?;
        client.start_thread()?;
        Ok(Self { client, watched })
    }

    /// Counts those who announce themselves under `prefix`.
    pub fn count(self: &Arc<Self>, prefix: String) -> Result<Count> {
        let mut watched = self.watched.lock();
        let watch = watched.entry(prefix.clone()).or_default();
        watch.users += 1;
        let number = Arc::clone(&watch.number);
        let is_new = watch.users == 1;
        drop(watched);
        let count = Count { presence: Arc::clone(self), prefix, number };
        if is_new {
            self.client.ask(&[filter(&count.prefix)], 1)?;
        }
        Ok(count)
    }
}

impl Count {
    /// The number.
    pub fn get(&self) -> u32 {
        self.number.load(Ordering::Acquire)
    }
}

impl Drop for Count {
    fn drop(&mut self) {
        let mut watched = self.presence.watched.lock();
        if let Some(watch) = watched.get_mut(&self.prefix) {
            watch.users -= 1;
            if watch.users == 0 {
                watched.remove(&self.prefix);
                drop(watched);
                self.presence.client.unsubscribe(&filter(&self.prefix));
            }
        }
    }
}

fn filter(prefix: &str) -> CString {
    text(format!("{prefix}+"))
}
