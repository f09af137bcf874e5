//! C23: wait.

use std::time::Duration;

use busmark_adapter::{EndpointConfig, Status, Wait};

use crate::kit::{Context, Link, Verdict, ensure, until};
use crate::raw::system::thread_cpu_time;

const SHORT: Duration = Duration::from_millis(30);

fn waiting(context: &Context) -> Verdict<Link> {
    context.need_wait(Wait::Waitset)?;
    Link::pair(context, &EndpointConfig { wait: Wait::Waitset, ..context.endpoint() })
}

/// Takes until nothing is there and no wait finds more.
fn empty(context: &Context, link: &Link) -> Verdict<()> {
    until("the reader is empty", context.patience(), || {
        link.reader().pump().map_err(|stop| format!("{stop:?}"))?;
        match link.reader().handle.wait(SHORT) {
            Err(Status::Timeout) => Ok(()),
            other => Err(format!("wait gave {other:?} although all had been taken")),
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
        ensure!(result == Ok(()), "the {call} wait with a sample there gave {result:?}");
    }
    // What a smaller take leaves must be signalled too.
    let taken = link.reader().handle.take(1, &mut |_| ());
    ensure!(taken == Ok(1), "take(1) after wait gave {taken:?}");
    let rest = link.reader().handle.wait(patience);
    ensure!(rest == Ok(()), "wait with samples left by take(1) gave {rest:?}");
    empty(context, &link)?;
    let none = link.reader().handle.wait(Duration::ZERO);
    ensure!(none == Err(Status::Timeout), "wait of no time without a sample gave {none:?}");
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
        ensure!(result == Ok(()), "in round {round} the sleeping wait gave {result:?}");
        let got = link.reader().gather(1, patience)?;
        ensure!(got.len() == 1, "in round {round} there was nothing to take after wait");
    }
    Ok("5 sleeping waits were woken by a sample".to_owned())
}

pub(crate) fn c23_wait_sleeps(context: &Context) -> Verdict {
    let link = waiting(context)?;
    empty(context, &link)?;
    let limit = Duration::from_millis(200);
    let mut spent = Vec::new();
    for _ in 0..3 {
        let before = thread_cpu_time();
        let result = link.reader().handle.wait(limit);
        let used = thread_cpu_time().saturating_sub(before);
        ensure!(result == Err(Status::Timeout), "wait without a sample gave {result:?}");
        spent.push(format!("{} µs", used.as_micros()));
        // A spinning thread uses all that a busy machine leaves it, a sleeping one next to nothing.
        if used < limit / 10 {
            return Ok(format!("processor time in a wait of 200 ms: {}", spent.join(", ")));
        }
    }
    crate::kit::fail(format!("waits of 200 ms used {} of processor time", spent.join(", ")))
}
