//! A listener that watches when it is called: from within `reader_create`, or after `reader_destroy`.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;

use busmark_adapter::EndpointConfig;
use busmark_adapter::abi::{ListenerC, Table};

use super::table::{RawError, RawParticipant, RawReader, Shape, Taken, sink};

/// What the calls leave behind. Leaked, so that a call after the end is seen and not a crash.
struct Watch {
    table: &'static Table,
    reader: AtomicPtr<c_void>,
    creator: ThreadId,
    /// From just before `reader_destroy`: no more takes, so that a late call cannot crash.
    closing: AtomicBool,
    destroyed: AtomicBool,
    inside: AtomicU64,
    within_create: AtomicU64,
    after_destroy: AtomicU64,
    taken: Mutex<Taken>,
}

/// A reader whose listener is a [`Watch`].
pub(crate) struct WatchedReader {
    reader: Option<RawReader>,
    watch: &'static Watch,
}

unsafe extern "C" fn on_data(context: *mut c_void) {
    // SAFETY: the context is a leaked `Watch`.
    let watch: &Watch = unsafe { &*context.cast() };
    watch.inside.fetch_add(1, Ordering::SeqCst);
    if watch.destroyed.load(Ordering::SeqCst) {
        watch.after_destroy.fetch_add(1, Ordering::SeqCst);
    } else {
        watch.receive();
    }
    watch.inside.fetch_sub(1, Ordering::SeqCst);
}

impl Watch {
    /// Takes as the worker does: held back until the handle is known.
    fn receive(&self) {
        while self.reader.load(Ordering::SeqCst).is_null() {
            if std::thread::current().id() == self.creator {
                self.within_create.fetch_add(1, Ordering::SeqCst);
                return;
            }
            std::thread::yield_now();
        }
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if self.closing.load(Ordering::SeqCst) {
            drop(taken);
            // A call that lasts: `reader_destroy` has to wait for it.
            std::thread::sleep(Duration::from_micros(200));
            return;
        }
        let reader = self.reader.load(Ordering::SeqCst);
        loop {
            let mut count = 0;
            // SAFETY: the reader is alive: it is destroyed only after `on_data` is not called any
            // more, which is what is being tested.
            let status = unsafe {
                (self.table.take)(
                    reader,
                    16,
                    sink,
                    std::ptr::from_mut(&mut *taken).cast(),
                    &raw mut count,
                )
            };
            if status != 0 || count < 16 || self.closing.load(Ordering::SeqCst) {
                return;
            }
        }
    }
}

impl WatchedReader {
    pub fn new(
        participant: &mut RawParticipant,
        config: &EndpointConfig,
    ) -> Result<Self, RawError> {
        let watch: &'static Watch = Box::leak(Box::new(Watch {
            table: participant.table,
            reader: AtomicPtr::new(std::ptr::null_mut()),
            creator: std::thread::current().id(),
            closing: AtomicBool::new(false),
            destroyed: AtomicBool::new(false),
            inside: AtomicU64::new(0),
            within_create: AtomicU64::new(0),
            after_destroy: AtomicU64::new(0),
            taken: Mutex::default(),
        }));
        let context = std::ptr::from_ref(watch).cast_mut().cast();
        let listener = ListenerC { struct_size: 0, reserved: 0, on_data, context };
        let reader = participant.reader(config, Shape::default(), Some(listener))?;
        watch.reader.store(reader.handle, Ordering::SeqCst);
        Ok(Self { reader: Some(reader), watch })
    }

    pub fn raw(&self) -> Option<&RawReader> {
        self.reader.as_ref()
    }

    /// Destroys the reader; the number of calls that were still running when that returned.
    pub fn destroy(&mut self) -> u64 {
        self.watch.closing.store(true, Ordering::SeqCst);
        // Waits for a take that is under way, lest the `reader_destroy` of an adapter that does not wait
        // pulls the reader from under it. Takes look at `closing` once they hold this lock.
        drop(self.watch.taken.lock().unwrap_or_else(PoisonError::into_inner));
        self.reader = None;
        self.watch.destroyed.store(true, Ordering::SeqCst);
        self.watch.inside.load(Ordering::SeqCst)
    }

    pub fn calls_within_create(&self) -> u64 {
        self.watch.within_create.load(Ordering::SeqCst)
    }

    pub fn calls_after_destroy(&self) -> u64 {
        self.watch.after_destroy.load(Ordering::SeqCst)
    }

    /// The samples so far.
    pub fn taken(&self) -> Taken {
        self.watch.taken.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
