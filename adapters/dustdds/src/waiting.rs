//! The crate's waitset, with a time limit that does no harm.
//!
//! The crate's own limit drops the wait wherever it is, also between a question to the executor and the
//! answer. Whoever asks next then gets that answer for his own, and panics. Here a wait is dropped only
//! when the executor is known to owe it nothing.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

use busmark_adapter::{Result, Status};
use dust_dds::dds_async::condition::StatusConditionAsync;
use dust_dds::dds_async::wait_set::{ConditionAsync, WaitSetAsync};
use dust_dds::infrastructure::status::StatusKind;
use dust_dds::std_runtime::executor::block_on;

use crate::errors::{error, status};

/// Wakes a thread that is parked.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}

/// A waitset with the status condition of one reader.
pub struct Waiter {
    waitset: WaitSetAsync,
    condition: StatusConditionAsync,
}

impl Waiter {
    /// For data only.
    pub fn new(condition: StatusConditionAsync) -> Result<Self> {
        let mut waitset = WaitSetAsync::new();
        let attach = async {
            condition.set_enabled_statuses(&[StatusKind::DataAvailable]).await?;
            waitset.attach_condition(ConditionAsync::StatusCondition(condition.clone())).await
        };
        block_on(attach).map_err(|e| error(&e, "waitset"))?;
        Ok(Self { waitset, condition })
    }

    /// Sleeps until there is data.
    pub fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        let deadline = Instant::now() + timeout;
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        let mut context = Context::from_waker(&waker);
        let mut waiting = pin!(self.waitset.wait());
        loop {
            if let Some(result) = finished(waiting.as_mut(), &mut context) {
                return result;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            std::thread::park_timeout(left);
        }
        // Questions are answered one after the other: when this one has been, the wait's have been,
        // too, and it must not be asked to continue, because then it might put the next.
        let mut last = pin!(self.condition.get_trigger_value());
        loop {
            if let Some(result) = finished(waiting.as_mut(), &mut context) {
                // Its answer must be fetched before it is dropped.
                let _ = block_on(last);
                return result;
            }
            match last.as_mut().poll(&mut context) {
                Poll::Ready(Ok(true)) => return Ok(()),
                Poll::Ready(Ok(false)) => return Err(Status::Timeout),
                Poll::Ready(Err(e)) => return Err(status(&e)),
                Poll::Pending => std::thread::park(),
            }
        }
    }
}

type Waited = dust_dds::infrastructure::error::DdsResult<Vec<ConditionAsync>>;

/// The end of a wait, if it has come.
fn finished(
    waiting: Pin<&mut impl Future<Output = Waited>>,
    context: &mut Context,
) -> Option<std::result::Result<(), Status>> {
    match waiting.poll(context) {
        Poll::Ready(Ok(_)) => Some(Ok(())),
        Poll::Ready(Err(e)) => Some(Err(status(&e))),
        Poll::Pending => None,
    }
}
