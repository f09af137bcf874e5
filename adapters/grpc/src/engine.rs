//! The runtime of one endpoint, which the worker's own threads drive.
//!
//! tonic is asynchronous: nothing is read or written but by a thread that drives its runtime. Here that is
//! the thread that waits, takes or writes, as in a program that is asynchronous throughout, so that no
//! change of threads is added to the way of a sample. Where no such thread is in the endpoint, one of the
//! endpoint's own, which sleeps otherwise, *stands in*: for an endpoint that others connect to, after a
//! moment in which nobody drove; for one that connects, as long as something is left that the system did
//! not take. It leaves as soon as a thread of the worker's comes.
//!
//! One thread drives at a time. Another that has something for the runtime, such as a response, posts it:
//! it drives if nobody does, and otherwise leaves that to the one who does, who looks for posts when it
//! stops.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::task::Poll;
use std::thread::JoinHandle;
use std::time::Duration;

use busmark_adapter::{Result, Status};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::Notify;
use tokio::task::yield_now;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::connection::Traffic;

/// Time without anybody who drives, after which the endpoint's own thread stands in.
const IDLE: Duration = Duration::from_millis(100);

/// When the endpoint's own thread stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duty {
    /// Whenever nobody has driven for a while: others connect to this endpoint at any time.
    Accepts,
    /// While something is left to be sent: this endpoint connects.
    Connects,
}

/// A runtime of one thread at a time, and who drives it.
pub struct Engine {
    inner: Arc<Inner>,
    /// The thread that stands in, once there is one.
    substitute: Mutex<Option<JoinHandle<()>>>,
}

struct Inner {
    runtime: Runtime,
    /// What its connections are doing.
    traffic: Arc<Traffic>,
    duty: Duty,
    /// Held by the thread that drives.
    driving: Mutex<Alarm>,
    /// Something was given to the runtime since a thread has driven it through.
    posted: AtomicBool,
    /// How often the worker's threads have driven.
    driven: AtomicU64,
    /// Ends the substitute's turn.
    leave: Notify,
    /// Ends `drive_on`.
    stop: Notify,
    stopped: AtomicBool,
    /// What the substitute sleeps for.
    call: Mutex<Call>,
    called: Condvar,
}

#[derive(Default)]
struct Call {
    ends: bool,
    stand_in: bool,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Engine {
    /// A runtime at rest.
    pub fn new(duty: Duty) -> Result<Self> {
        let runtime = Builder::new_current_thread().enable_io().enable_time().build();
        let runtime =
            runtime.map_err(|error| Status::Resources.error(format!("tokio: {error}")))?;
        let inner = Arc::new(Inner {
            runtime,
            traffic: Arc::default(),
            duty,
            driving: Mutex::default(),
            posted: AtomicBool::new(false),
            driven: AtomicU64::new(0),
            leave: Notify::new(),
            stop: Notify::new(),
            stopped: AtomicBool::new(false),
            call: Mutex::default(),
            called: Condvar::new(),
        });
        Ok(Self { inner, substitute: Mutex::new(None) })
    }

    /// To give it tasks.
    pub fn handle(&self) -> &Handle {
        self.inner.runtime.handle()
    }

    /// What its connections are doing.
    pub fn traffic(&self) -> &Arc<Traffic> {
        &self.inner.traffic
    }

    /// Drives until `done`; `None`: the time is over. For one thread at a time. Hot.
    #[inline]
    pub fn drive<T>(&self, limit: Duration, done: impl Future<Output = T>) -> Option<T> {
        let output = {
            let mut alarm = self.inner.take_over();
            self.inner.driven.fetch_add(1, Ordering::Relaxed);
            self.inner.runtime.block_on(alarm.within(limit, done))
        };
        self.inner.help();
        output
    }

    /// Reads what has come, and runs all that can run then. For the thread that takes. Hot.
    #[inline]
    pub fn look(&self) {
        {
            let _driving = self.inner.take_over();
            self.inner.driven.fetch_add(1, Ordering::Relaxed);
            self.inner.runtime.block_on(async {
                // What can run does, and the system is asked what has come; then that is read.
                yield_now().await;
                yield_now().await;
            });
        }
        self.inner.help();
    }

    /// Drives until `done`, or until [`stop`](Self::stop); `None` after that.
    pub fn drive_on<T>(&self, done: impl Future<Output = T>) -> Option<T> {
        let _driving = self.inner.take_over();
        self.inner.runtime.block_on(async {
            tokio::select! {
                biased;
                () = self.inner.stop.notified() => None,
                output = done => Some(output),
            }
        })
    }

    /// Ends [`drive_on`](Self::drive_on), or the next one.
    pub fn stop(&self) {
        self.inner.stopped.store(true, Ordering::Release);
        self.inner.stop.notify_one();
    }

    /// Whether it was told to stop.
    pub fn is_stopped(&self) -> bool {
        self.inner.stopped.load(Ordering::Acquire)
    }

    /// Gives the runtime something, and runs all that can run then, if nobody else drives. From any
    /// thread. Hot.
    #[inline]
    pub fn post<T>(&self, give: impl FnOnce() -> T) -> T {
        self.inner.driven.fetch_add(1, Ordering::Relaxed);
        let given = if let Some(_alarm) = self.inner.try_driving() {
            // Within the runtime: from without it is woken, by a system call.
            self.inner.runtime.block_on(async {
                let given = give();
                yield_now().await;
                given
            })
        } else {
            let given = give();
            self.inner.posted.store(true, Ordering::SeqCst);
            given
        };
        self.inner.help();
        given
    }

    /// Runs all that can run now, if nobody else drives. From any thread. Hot.
    #[inline]
    pub fn pass(&self) {
        self.post(|| ());
    }

    /// After something was sent: drives while `left` says that the system has not taken all of it, if
    /// nobody else drives, and at most so long. Hot.
    #[inline]
    pub fn send_the_rest(&self, limit: Duration, left: impl Fn() -> bool) {
        if left() {
            self.send_slowly(limit, left);
        }
    }

    #[cold]
    fn send_slowly(&self, limit: Duration, left: impl Fn() -> bool) {
        {
            let Some(mut alarm) = self.inner.try_driving() else { return };
            self.inner.runtime.block_on(alarm.within(limit, self.inner.traffic.until(|| !left())));
        }
        self.inner.help();
        if left() {
            self.stand_in();
        }
    }

    /// Has the endpoint's own thread drive: at once, and then as its duty is.
    #[cold]
    pub fn stand_in(&self) {
        let mut substitute = locked(&self.substitute);
        if substitute.is_none() {
            let inner = Arc::clone(&self.inner);
            // Without one nobody stands in: what is left then waits for the worker's next call.
            *substitute = std::thread::Builder::new()
                .name("grpc-substitute".to_owned())
                .spawn(move || inner.substitute())
                .ok();
        }
        drop(substitute);
        locked(&self.inner.call).stand_in = true;
        self.inner.called.notify_one();
    }
}

/// Ends waiting. The runtime is woken by a system call for each timer that goes off before all others,
/// so there is one, which is set again when it has gone off, or would go off too late.
#[derive(Default)]
struct Alarm(Option<Pin<Box<Sleep>>>);

impl Alarm {
    /// What `done` gives; `None`: the time is over. Hot.
    #[inline]
    async fn within<T>(&mut self, limit: Duration, done: impl Future<Output = T>) -> Option<T> {
        let end = Instant::now() + limit;
        let timer = self.0.get_or_insert_with(|| Box::pin(sleep_until(end)));
        if timer.deadline() > end {
            timer.as_mut().reset(end);
        }
        let mut done = pin!(done);
        poll_fn(|context| {
            if let Poll::Ready(output) = done.as_mut().poll(context) {
                return Poll::Ready(Some(output));
            }
            while timer.as_mut().poll(context).is_ready() {
                if Instant::now() >= end {
                    return Poll::Ready(None);
                }
                timer.as_mut().reset(end);
            }
            Poll::Pending
        })
        .await
    }
}

impl Inner {
    /// The right to drive.
    #[inline]
    fn take_over(&self) -> MutexGuard<'_, Alarm> {
        self.try_driving().unwrap_or_else(|| {
            // If it is the substitute who drives. Others are ready in a moment.
            self.leave.notify_one();
            locked(&self.driving)
        })
    }

    #[inline]
    fn try_driving(&self) -> Option<MutexGuard<'_, Alarm>> {
        match self.driving.try_lock() {
            Ok(driving) => Some(driving),
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Runs what was posted. Who finds somebody driving leaves it to them: they come here when they stop.
    #[inline]
    fn help(&self) {
        while self.posted.load(Ordering::SeqCst) {
            let Some(_driving) = self.try_driving() else { return };
            self.posted.store(false, Ordering::SeqCst);
            self.runtime.block_on(yield_now());
        }
    }

    /// Whether the endpoint's own thread may have something to do without a call.
    fn watches(&self) -> bool {
        self.duty == Duty::Accepts || self.traffic.is_left()
    }

    /// The thread that stands in.
    fn substitute(&self) {
        let mut driven = self.driven.load(Ordering::Relaxed);
        loop {
            let idle = |call: &mut Call| !call.ends && !call.stand_in;
            let mut call = locked(&self.call);
            if self.watches() {
                let waited = self.called.wait_timeout_while(call, IDLE, idle);
                call = waited.unwrap_or_else(PoisonError::into_inner).0;
            } else {
                let waited = self.called.wait_while(call, idle);
                call = waited.unwrap_or_else(PoisonError::into_inner);
            }
            if call.ends {
                return;
            }
            let called = std::mem::take(&mut call.stand_in);
            drop(call);
            let before = std::mem::replace(&mut driven, self.driven.load(Ordering::Relaxed));
            if called || (before == driven && self.watches()) {
                self.drive_for_others();
            }
        }
    }

    fn drive_for_others(&self) {
        {
            let Some(_driving) = self.try_driving() else { return };
            self.runtime.block_on(async {
                let over = async {
                    match self.duty {
                        Duty::Accepts => std::future::pending().await,
                        Duty::Connects => self.traffic.until(|| !self.traffic.is_left()).await,
                    }
                };
                tokio::select! {
                    () = self.leave.notified() => {}
                    () = over => {}
                }
            });
        }
        self.help();
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let Some(substitute) = locked(&self.substitute).take() else { return };
        locked(&self.inner.call).ends = true;
        self.inner.called.notify_one();
        self.inner.leave.notify_one();
        let _ = substitute.join();
    }
}
