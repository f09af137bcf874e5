//! How a reader lets writers in, beside the thread that takes.
//!
//! The library makes a new connection part of a bound socket only when a thread calls into that socket;
//! a subscriber sends its subscriptions no sooner. A reader whose samples nobody is taking yet would
//! never be matched. So somebody else makes that call: over TCP and IPC a thread that sleeps until the
//! socket's monitor reports a connection, over `inproc`, which the monitor does not know, the writer.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use busmark_adapter::{HotCell, HotGuard, Result, Status};

use crate::monitor::{Change, Monitor};
use crate::reader::Incoming;

/// A reader's socket as others than the taking thread see it.
pub struct Door {
    /// The taking thread's.
    pub hot: HotCell<Incoming>,
    /// Writers that are connected.
    pub writers: AtomicU32,
    /// Not yet dropped.
    pub open: AtomicBool,
}

/// How long a call into a socket that is being waited on is tried: the waiting thread is in the library
/// and so makes the call superfluous, unless it ends at just this moment.
const BUSY: Duration = Duration::from_secs(1);

impl Door {
    /// Around a bound socket.
    pub fn new(incoming: Incoming) -> Arc<Self> {
        let (writers, open) = (AtomicU32::new(0), AtomicBool::new(true));
        Arc::new(Self { hot: HotCell::new(incoming), writers, open })
    }

    /// The taking thread's access. Anybody else has the socket for a moment only, when a writer comes.
    #[inline]
    pub fn take(&self) -> HotGuard<'_, Incoming> {
        loop {
            match self.hot.get() {
                Some(guard) => return guard,
                None => std::thread::yield_now(),
            }
        }
    }

    /// Lets the library attach new connections.
    pub fn attach(&self) {
        let start = Instant::now();
        while start.elapsed() < BUSY && self.open.load(Ordering::Relaxed) {
            if let Some(incoming) = self.hot.get() {
                incoming.socket.process();
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// The thread that watches a monitor; it ends when the monitor is stopped.
pub fn watch(door: &Arc<Door>, mut monitor: Monitor) -> Result<JoinHandle<()>> {
    let door = Arc::clone(door);
    let watch = move || {
        loop {
            match monitor.next(0) {
                Ok(Change::Connected) => door.attach(),
                Ok(Change::Other) | Err(Status::Timeout) => {}
                Ok(Change::Stopped) | Err(_) => return,
            }
            door.writers.store(monitor.known_connections(), Ordering::Release);
        }
    };
    std::thread::Builder::new()
        .name("busmark-zmq".to_owned())
        .spawn(watch)
        .map_err(|error| Status::Resources.error(format!("no thread for the monitor: {error}")))
}

/// Readers of this process over `inproc`, by their end points.
type Doors = Mutex<Option<HashMap<String, Arc<Door>>>>;
static DOORS: Doors = Mutex::new(None);

fn doors() -> MutexGuard<'static, Option<HashMap<String, Arc<Door>>>> {
    DOORS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a reader over `inproc` known.
pub fn enter(end_point: &str, door: &Arc<Door>) {
    doors().get_or_insert_default().insert(end_point.to_owned(), Arc::clone(door));
}

/// Makes it unknown.
pub fn leave(end_point: &str) {
    if let Some(doors) = doors().as_mut() {
        doors.remove(end_point);
    }
}

/// The reader over `inproc` that is bound to this end point.
pub fn find(end_point: &str) -> Result<Arc<Door>> {
    doors().as_ref().and_then(|doors| doors.get(end_point).cloned()).ok_or_else(|| {
        let text = format!("no reader of this process is bound to {end_point}");
        Status::Unavailable.error(text)
    })
}

/// Repeats `update`, which tells how many subscriptions it received, until there were so many.
pub fn await_subscriptions(
    wanted: u32,
    end_point: &str,
    mut update: impl FnMut() -> std::result::Result<u32, Status>,
) -> Result<()> {
    /// After which the reader counts as unreachable.
    const LIMIT: Duration = Duration::from_secs(5);
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
            Err(status) => return Err(status.error(format!("no answer from {end_point}"))),
        }
    }
    Ok(())
}
