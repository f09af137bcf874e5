//! A thread that hands samples on when they are due.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use busmark_adapter::{Result, Status};

use crate::clock::monotonic_ns;
use crate::link::Parcel;

/// Parcels by due time, then by order of coming.
struct Line {
    waiting: BTreeMap<(i64, u64), Parcel>,
    next: u64,
    closing: bool,
}

struct Shared {
    line: Mutex<Line>,
    changed: Condvar,
}

/// Delivers parcels later. Dropping it delivers at once what is left.
pub struct DelayLine {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl DelayLine {
    pub fn start() -> Result<Self> {
        let line = Line { waiting: BTreeMap::new(), next: 0, closing: false };
        let shared = Arc::new(Shared { line: Mutex::new(line), changed: Condvar::new() });
        let run = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("reference-delay".to_owned())
            .spawn(move || run.deliver())
            .map_err(|error| Status::Resources.error(format!("no thread for delays: {error}")))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    pub fn put(&self, delay_ns: i64, parcel: Parcel) {
        let due = monotonic_ns().saturating_add(delay_ns);
        let mut line = self.shared.line.lock().unwrap_or_else(PoisonError::into_inner);
        let order = line.next;
        line.next += 1;
        line.waiting.insert((due, order), parcel);
        drop(line);
        self.shared.changed.notify_one();
    }
}

impl Shared {
    fn deliver(&self) {
        // The default slack of 50 µs would be added to every delay.
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let left = line.waiting.keys().next().map(|(due, _)| due - monotonic_ns());
            line = match left {
                None if line.closing => return,
                None => self.changed.wait(line).unwrap_or_else(PoisonError::into_inner),
                Some(left) if left > 0 && !line.closing => {
                    let left = Duration::from_nanos(left as u64);
                    let woken = self.changed.wait_timeout(line, left);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
                Some(_) => {
                    let parcel = line.waiting.pop_first().map(|(_, parcel)| parcel);
                    drop(line);
                    if let Some(parcel) = parcel {
                        parcel.deliver();
                    }
                    self.line.lock().unwrap_or_else(PoisonError::into_inner)
                }
            };
        }
    }
}

impl Drop for DelayLine {
    fn drop(&mut self) {
        self.shared.line.lock().unwrap_or_else(PoisonError::into_inner).closing = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
