//! A reader and whatever drives it: the middleware's listener, or a thread of ours.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use busmark_adapter::{EndpointConfig, Error, OnData, ReaderHandle, Status, Taker, Wait};

use super::Context;

/// How long a waiting thread sleeps before it looks whether it should stop.
const NAP: Duration = Duration::from_millis(100);

/// Lets several owners share a handler.
struct Shared<H>(Arc<H>);

impl<H: OnData> OnData for Shared<H> {
    #[inline]
    fn on_data(&self, taker: &Taker) {
        self.0.on_data(taker);
    }

    fn announced_early(&self) {
        self.0.announced_early();
    }
}

/// A reader whose samples go to a handler.
pub struct Subscriber<H> {
    reader: Option<ReaderHandle>,
    handler: Arc<H>,
    wait: Wait,
    yields: bool,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl<H: OnData + 'static> Subscriber<H> {
    /// Makes the reader. With the listener strategy samples flow at once.
    pub fn new(context: &Context, config: &EndpointConfig, handler: Arc<H>) -> Result<Self, Error> {
        let on_data = (config.wait == Wait::Listener)
            .then(|| Box::new(Shared(Arc::clone(&handler))) as Box<dyn OnData>);
        let reader = context.participant.reader(config, on_data)?;
        Ok(Self {
            reader: Some(reader),
            handler,
            wait: config.wait,
            yields: context.yields,
            stop: Arc::default(),
            thread: None,
        })
    }

    /// The reader; gone after `close`.
    pub fn reader(&self) -> Option<&ReaderHandle> {
        self.reader.as_ref()
    }

    /// What handles its samples.
    pub fn handler(&self) -> &H {
        &self.handler
    }

    /// Starts a thread that waits and handles, unless a listener does.
    pub fn start(&mut self) {
        if self.wait == Wait::Listener || self.thread.is_some() {
            return;
        }
        let Some(reader) = self.reader.clone() else { return };
        let (handler, stop) = (Arc::clone(&self.handler), Arc::clone(&self.stop));
        let (wait, yields) = (self.wait, self.yields);
        self.thread = Some(std::thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                step(&reader, wait, yields, NAP, &*handler);
            }
        }));
    }

    /// Ends the thread and closes the reader; nothing is handled after that.
    pub fn close(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        self.reader = None;
    }
}

/// Waits and handles once. Hot.
#[inline]
fn step<H: OnData>(
    reader: &ReaderHandle,
    wait: Wait,
    yields: bool,
    timeout: Duration,
    handler: &H,
) {
    match wait {
        Wait::Waitset => match reader.wait(timeout) {
            Ok(()) => handler.on_data(&reader.taker()),
            Err(Status::Timeout) => {}
            // A broken reader must not become a busy loop; the missing samples tell.
            Err(_) => std::thread::sleep(timeout.min(NAP)),
        },
        Wait::Poll | Wait::Listener => {
            handler.on_data(&reader.taker());
            if yields {
                std::thread::yield_now();
            }
        }
    }
}
