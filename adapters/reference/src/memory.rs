//! The transport within a process: a writer puts samples into the reader's queue.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use busmark_adapter::{Result, Status};

use crate::link::Client;
use crate::locator::Locator;
use crate::queue::Queue;

/// What a server does with the locator of a new client.
pub type Greeter = Box<dyn Fn(&Locator) -> Result<Arc<Client>> + Send + Sync>;

/// What a writer shows to the readers that it is connected to.
#[derive(Default)]
pub struct Card {
    pub partition: Mutex<String>,
}

impl Card {
    pub fn is_in(&self, partition: &str) -> bool {
        *self.partition.lock().unwrap_or_else(PoisonError::into_inner) == partition
    }
}

/// A reader, or an end of a service, as others of this process see it.
pub struct Port {
    pub queue: Arc<Queue>,
    pub partition: String,
    /// Queue of a server.
    greeter: Option<Greeter>,
    writers: Mutex<Vec<Weak<Card>>>,
    closed: AtomicBool,
}

type Ports = HashMap<u64, Arc<Port>>;

fn ports() -> MutexGuard<'static, Ports> {
    static PORTS: OnceLock<Mutex<Ports>> = OnceLock::new();
    PORTS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

impl Port {
    /// A new port and its number.
    pub fn open(queue: Arc<Queue>, partition: &str, greeter: Option<Greeter>) -> (u64, Arc<Self>) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let port = Arc::new(Self {
            queue,
            partition: partition.to_owned(),
            greeter,
            writers: Mutex::default(),
            closed: AtomicBool::new(false),
        });
        ports().insert(number, Arc::clone(&port));
        (number, port)
    }

    pub fn close(&self, number: u64) {
        self.closed.store(true, Ordering::Release);
        ports().remove(&number);
    }

    /// Connected writers of the same partition.
    pub fn matched(&self) -> u32 {
        let mut writers = self.writers.lock().unwrap_or_else(PoisonError::into_inner);
        writers.retain(|card| card.strong_count() > 0);
        let ready = |card: &Weak<Card>| card.upgrade().is_some_and(|c| c.is_in(&self.partition));
        writers.iter().filter(|card| ready(card)).count() as u32
    }
}

/// A writer's connection to a port.
pub struct MemoryLink {
    port: Arc<Port>,
    card: Arc<Card>,
}

impl MemoryLink {
    pub fn connect(at: &str, card: &Arc<Card>) -> Result<Self> {
        let number = at.parse().ok();
        let Some(port) = number.and_then(|n: u64| ports().get(&n).cloned()) else {
            return Err(Status::Unavailable.error(format!("no reader {at} in this process")));
        };
        let mut writers = port.writers.lock().unwrap_or_else(PoisonError::into_inner);
        writers.retain(|card| card.strong_count() > 0);
        writers.push(Arc::downgrade(card));
        drop(writers);
        Ok(Self { port, card: Arc::clone(card) })
    }

    pub fn greet(&self, client: &Locator) -> Result<Arc<Client>> {
        let greeter = self.port.greeter.as_ref();
        greeter.ok_or_else(|| Status::Invalid.error("no server of a service"))?(client)
    }

    pub fn queue(&self) -> &Queue {
        &self.port.queue
    }

    /// Whether writer and reader are in the same partition.
    pub fn is_joined(&self) -> bool {
        self.card.is_in(&self.port.partition)
    }

    pub fn is_open(&self) -> bool {
        !self.port.closed.load(Ordering::Acquire)
    }
}
