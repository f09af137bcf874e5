//! The crate's own runtime, one executor thread, with an end.
//!
//! As it ships, the executor's thread waits for ever and the tasks of listeners never finish. Here every
//! task is wrapped so that it can be told to finish, and the thread is woken when nobody is left who
//! could give it work, upon which it ends by itself. A task that panics is noted, for whoever asks the
//! crate anything afterwards would wait for ever.

use std::cell::RefCell;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

use busmark_adapter::Status;
use dust_dds::runtime::{DdsRuntime, Spawner};
use dust_dds::std_runtime::executor::{ExecutorHandle, ExecutorTaskHandle, TimerHandle};
use dust_dds::std_runtime::{StdClock, StdRuntime};

/// What all tasks of one runtime share.
#[derive(Default)]
struct Tasks {
    stopped: AtomicBool,
    panicked: AtomicBool,
    wakers: Mutex<Vec<Waker>>,
}

/// Whether a runtime still answers.
#[derive(Clone)]
pub struct Health(Arc<Tasks>);

impl Health {
    /// `Failed` once a task has panicked. Hot.
    #[inline]
    pub fn check(&self) -> Result<(), Status> {
        if self.0.panicked.load(Ordering::Relaxed) { Err(Status::Failed) } else { Ok(()) }
    }
}

/// Starts tasks that [`End::stop`] can finish.
#[derive(Clone)]
pub struct EndableSpawner {
    inner: ExecutorHandle,
    tasks: Arc<Tasks>,
}

impl Spawner for EndableSpawner {
    type TaskHandle = ExecutorTaskHandle;

    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) -> ExecutorTaskHandle {
        let mut task: Option<Pin<Box<dyn Future<Output = ()> + Send>>> = Some(Box::pin(task));
        let tasks = Arc::clone(&self.tasks);
        let mut known = false;
        let endable = move |context: &mut Context| {
            if !known {
                // The executor gives a task the same waker each time.
                known = true;
                let mut wakers = tasks.wakers.lock().unwrap_or_else(PoisonError::into_inner);
                wakers.push(context.waker().clone());
            }
            if tasks.stopped.load(Ordering::Acquire) {
                task = None;
            }
            let Some(running) = &mut task else { return Poll::Ready(()) };
            let poll = || running.as_mut().poll(context);
            let progress = catch_unwind(AssertUnwindSafe(poll)).unwrap_or_else(|_| {
                tasks.panicked.store(true, Ordering::Release);
                Poll::Ready(())
            });
            if progress.is_ready() {
                task = None;
            }
            progress
        };
        self.inner.spawn(poll_fn(endable))
    }
}

/// The runtime as the crate takes it.
pub struct EndableRuntime {
    inner: StdRuntime,
    tasks: Arc<Tasks>,
}

impl DdsRuntime for EndableRuntime {
    type ClockHandle = StdClock;
    type TimerHandle = TimerHandle;
    type SpawnerHandle = EndableSpawner;

    fn timer(&self) -> TimerHandle {
        self.inner.timer()
    }

    fn clock(&self) -> StdClock {
        self.inner.clock()
    }

    fn spawner(&self) -> EndableSpawner {
        EndableSpawner { inner: self.inner.spawner(), tasks: Arc::clone(&self.tasks) }
    }
}

/// Tells when the thread that holds it has ended.
struct LastWord(#[allow(dead_code)] Sender<()>);

thread_local! {
    static LAST_WORD: RefCell<Option<LastWord>> = const { RefCell::new(None) };
}

/// The end of a runtime, in the hands of who started it.
pub struct End {
    tasks: Arc<Tasks>,
    thread: Thread,
    ended: Mutex<Receiver<()>>,
}

/// The contract gives destroy ten seconds.
const PATIENCE: Duration = Duration::from_secs(5);

impl EndableRuntime {
    /// Starts the executor's thread.
    pub fn start() -> Option<(Self, End)> {
        let runtime = Self { inner: StdRuntime::new(), tasks: Arc::default() };
        let (last_word, ended) = channel();
        let (sender, thread) = channel();
        runtime.inner.spawner().spawn(async move {
            LAST_WORD.set(Some(LastWord(last_word)));
            let _ = sender.send(std::thread::current());
        });
        let thread = thread.recv().ok()?;
        let end = End { tasks: Arc::clone(&runtime.tasks), thread, ended: Mutex::new(ended) };
        Some((runtime, end))
    }
}

impl End {
    /// Tells of the tasks, also when they have ended.
    pub fn health(&self) -> Health {
        Health(Arc::clone(&self.tasks))
    }

    /// Finishes all tasks.
    pub fn stop(&self) {
        self.tasks.stopped.store(true, Ordering::Release);
        let mut wakers = self.tasks.wakers.lock().unwrap_or_else(PoisonError::into_inner);
        for waker in wakers.drain(..) {
            waker.wake();
        }
    }

    /// Waits for the end of the thread; everything that could give it work must be gone.
    pub fn join(self) {
        let ended = self.ended.into_inner().unwrap_or_else(PoisonError::into_inner);
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            self.thread.unpark();
            // Nothing is ever sent: the thread has let go of its last word.
            let heard = ended.recv_timeout(Duration::from_millis(1));
            if heard == Err(RecvTimeoutError::Disconnected) {
                return;
            }
        }
    }
}
