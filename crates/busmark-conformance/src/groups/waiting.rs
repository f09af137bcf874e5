//! C23: wait.

use std::time::Duration;

use busmark_adapter::{EndpointConfig, Status, Wait};

use crate::kit::{Context, Link, Verdict, ensure, told, until};
use crate::raw::system::{thread_awake_time, times_thread_slept};

const SHORT: Duration = Duration::from_millis(30);

fn waiting(context: &Context) -> Verdict<Link> {
    context.need_wait(Wait::Waitset)?;
    Link::pair(context, &EndpointConfig { wait: Wait::Waitset, ..context.endpoint() })
}

/// Takes until nothing is there and no wait finds more.
fn empty(context: &Context, link: &Link) -> Verdict<()> {
    until("the reader is empty", context.patience(), || {
        link.reader().pump().map_err(|stop| stop.to_string())?;
        match link.reader().handle.wait(SHORT) {
            Err(Status::Timeout) => Ok(()),
            other => Err(format!("wait gave {} although all had been taken", told(&other))),
        }
    })
}

pub(crate) fn c23_wait_returns_with_data_and_times_out_without(context: &Context) -> Verdict {
    let mut link = waiting(context)?;
    empty(context, &link)?;
    link.writer().write_many(3)?;
    let patience = context.patience();
    // Twice, for waiting does not take.
    for call in ["first", "second"] {
        let result = link.reader().handle.wait(patience);
        ensure!(result == Ok(()), "the {call} wait with a sample there gave {}", told(&result));
    }
    // What a smaller take leaves must be signalled too.
    let taken = link.reader().handle.take(1, &mut |_| ());
    ensure!(taken == Ok(1), "take(1) after wait gave {} samples", told(&taken));
    let rest = link.reader().handle.wait(patience);
    ensure!(rest == Ok(()), "wait with samples left by take(1) gave {}", told(&rest));
    empty(context, &link)?;
    let none = link.reader().handle.wait(Duration::ZERO);
    ensure!(none == Err(Status::Timeout), "wait of no time without a sample gave {}", told(&none));
    Ok("with samples, with samples left by a take, without samples".to_owned())
}

pub(crate) fn c23_wait_wakes_for_a_late_sample(context: &Context) -> Verdict {
    let mut link = waiting(context)?;
    empty(context, &link)?;
    for round in 0..5 {
        let reader = link.readers[0].handle.clone();
        let patience = context.patience();
        let waiter = std::thread::spawn(move || reader.wait(patience));
        std::thread::sleep(SHORT);
        link.writer().write()?;
        let result = waiter.join().unwrap_or(Err(Status::Failed));
        ensure!(result == Ok(()), "in round {round} the sleeping wait gave {}", told(&result));
        let got = link.reader().gather(1, patience)?;
        ensure!(got.len() == 1, "in round {round} there was nothing to take after wait");
    }
    Ok("5 sleeping waits were woken by a sample".to_owned())
}

pub(crate) fn c23_wait_sleeps(context: &Context) -> Verdict {
    let link = waiting(context)?;
    empty(context, &link)?;
    sleeps(|limit| link.reader().handle.wait(limit))
}

/// A wait with nothing there sleeps, in one of a few tries: a busy machine may keep a thread that wakes
/// up waiting.
pub(super) fn sleeps(wait: impl Fn(Duration) -> Result<(), Status>) -> Verdict {
    let limit = Duration::from_millis(200);
    let mut spent = Vec::new();
    for _ in 0..5 {
        let (awake, slept) = (thread_awake_time(), times_thread_slept());
        let result = wait(limit);
        let slept = times_thread_slept() - slept;
        let awake = thread_awake_time().saturating_sub(awake);
        ensure!(result == Err(Status::Timeout), "wait with nothing there gave {}", told(&result));
        spent.push(format!("{} µs, {slept} sleeps", awake.as_micros()));
        if asleep(awake, slept, limit) {
            return Ok(format!("awake in a wait of 200 ms: {}", spent.join("; ")));
        }
    }
    crate::kit::fail(format!("waits of 200 ms: awake for {}", spent.join("; ")))
}

/// Whether a thread that waited for `limit` slept. A spinning one runs or waits for a processor all
/// the time. Time that a hypervisor takes from the processor counts as neither, so that little of it
/// does not prove a sleep: the thread must have given up its processor as well. One that naps again
/// and again polls, however little it runs in between: the kernel rounds the shortest naps up.
fn asleep(awake: Duration, slept: i64, limit: Duration) -> bool {
    (1..MOST_NAPS).contains(&slept) && awake < limit / 4
}

/// Sleeps in one wait from which on they are naps between polls.
const MOST_NAPS: i64 = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_millis(200);

    #[test]
    fn a_thread_that_gave_up_its_processor_and_hardly_ran_slept() {
        assert!(asleep(Duration::from_micros(80), 1, LIMIT));
    }

    #[test]
    fn a_spinning_thread_whose_processor_the_hypervisor_took_did_not_sleep() {
        assert!(!asleep(Duration::from_millis(20), 0, LIMIT));
    }

    #[test]
    fn a_thread_that_naps_all_the_time_did_not_sleep() {
        assert!(!asleep(Duration::from_millis(150), 9000, LIMIT));
        assert!(!asleep(Duration::from_millis(17), 3700, LIMIT));
    }

    #[test]
    fn a_sleep_is_counted() {
        let before = times_thread_slept();
        std::thread::sleep(Duration::from_millis(1));
        assert!(times_thread_slept() > before);
    }
}
