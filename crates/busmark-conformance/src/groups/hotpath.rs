//! C18, C19: write and take.

use std::sync::Arc;

use busmark_adapter::{EndpointConfig, OnData, QosValue, Status, Taker, Wait};

use crate::kit::{
    BODY, Context, Inbox, Link, Plan, Side, Store, Verdict, describe, ensure, fail, skip,
};

pub(crate) fn c18_a_sample_may_be_written_again_at_once(context: &Context) -> Verdict {
    let mut link = Link::pair(context, &context.endpoint())?;
    let count = 100;
    for seq in 0..count {
        // The same native sample each time, its header differs in more than the number.
        link.writer().header.sent_ns = seq as i64 * 3;
        link.writer().write()?;
    }
    let got = link.reader().gather(count as usize, context.patience())?;
    let whole = got.len() as u64 == count || !context.honours(QosValue::Reliable);
    ensure!(whole && !got.is_empty(), "{} of {count} samples arrived", got.len());
    let mixed = got.iter().filter(|g| g.header.sent_ns != g.header.seq as i64 * 3).count();
    ensure!(mixed == 0, "{mixed} samples carry the header of another one");
    Ok(format!("one native sample written {count} times, each header arrived as it was"))
}

pub(crate) fn c18_write_does_not_allocate(context: &Context) -> Verdict {
    let Some(allocations) = context.options.allocation_counter else {
        return skip("this process does not count allocations");
    };
    if !context.caps.cost.is_empty() {
        return skip(format!("declares its cost: {}", context.caps.cost));
    }
    let endpoint = context.endpoint();
    let plan = Plan::new(context, &endpoint);
    let reader = Side { count: 0, ..plan.reader.clone() };
    let mut link = Link::open(context, &Plan { reader, matched: false, ..plan })?;
    let store = Arc::new(Store::default());
    let tally: Option<Box<dyn OnData>> =
        (endpoint.wait == Wait::Listener).then(|| Box::new(Tally) as _);
    link.readers.push(Inbox::with(&link.reading, &endpoint, tally, store)?);
    link.wire(context)?;
    link.wait_for_match(context)?;
    let mut least = u64::MAX;
    let batch = 50;
    for _ in 0..10 {
        let before = allocations();
        let written = (0..batch).take_while(|_| link.writer().try_write().is_ok()).count();
        let during = allocations() - before;
        if written == batch {
            least = least.min(during);
        }
        link.reader().gather(written, context.options.quiet / 10)?;
    }
    ensure!(least != u64::MAX, "no batch of {batch} writes went through");
    let found = format!("at least {least} allocations in {batch} writes on the writing thread");
    if least > 0 && has_own_middleware(context) {
        return skip(format!(
            "{found}: the adapter's or its middleware's, which cannot be told apart"
        ));
    }
    ensure!(least == 0, "{found}");
    Ok(format!("no allocation in {batch} writes on the writing thread, in any language"))
}

/// Whether somebody else's code lies under the adapter. The clause lets a middleware do what it does.
fn has_own_middleware(context: &Context) -> bool {
    let name = &context.caps.middleware_version;
    name != "none" && !name.starts_with("Linux ")
}

/// Takes without keeping: a synchronous adapter calls it on the writing thread.
struct Tally;

impl OnData for Tally {
    fn on_data(&self, taker: &Taker) {
        while taker.take(16, &mut |_| ()) == Ok(16) {}
    }
}

pub(crate) fn c18_a_write_that_times_out_was_not_sent(context: &Context) -> Verdict {
    context.need_qos(QosValue::Reliable)?;
    context.need_qos(QosValue::KeepAll)?;
    let mut endpoint = context.late_endpoint()?;
    endpoint.qos.max_blocking_ns = 20_000_000;
    endpoint.max_body_bytes = (64 * BODY).min(context.caps.max_body_bytes);
    if context.honours(QosValue::ResourceLimits) {
        endpoint.qos.max_samples = Some(16);
    }
    let mut link = Link::pair(context, &endpoint)?;
    let mut timed_out = 0;
    // A number that was refused is used again: it must arrive once, not twice and not never.
    for _ in 0..5000 {
        match link.writer().try_write() {
            Ok(_) => (),
            Err(Status::Timeout) => timed_out += 1,
            Err(status) => return fail(format!("write: {status}")),
        }
        if timed_out == 3 {
            break;
        }
    }
    let sent = link.writer().next();
    if timed_out == 0 {
        return skip(format!("{sent} samples that nobody took did not make a write block"));
    }
    link.reader().expect(0, sent, context.patience())?;
    let more = link.reader().gather(1, context.options.quiet)?;
    ensure!(more.is_empty(), "{} samples arrived whose write had timed out", more.len());
    Ok(format!("{timed_out} writes timed out after {sent} samples; exactly those arrived"))
}

pub(crate) fn c19_take_gives_at_most_max_and_in_order(context: &Context) -> Verdict {
    let endpoint = context.late_endpoint()?;
    let mut link = Link::pair(context, &endpoint)?;
    link.writer().write_many(10)?;
    let reader = &link.readers[0];
    let mut seqs = Vec::new();
    let begin = std::time::Instant::now();
    while seqs.len() < 10 && begin.elapsed() < context.patience() {
        let before = seqs.len();
        let taken = reader.handle.take(3, &mut |r| seqs.push(r.header.seq));
        let called = seqs.len() - before;
        match taken {
            Ok(n) => ensure!(
                n as usize == called && (1..=3).contains(&called),
                "take(3) said {n} and called the sink {called} times"
            ),
            Err(Status::NoData) if called == 0 => {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            Err(status) => {
                return fail(format!("take(3): {status} after {called} calls of the sink"));
            }
        }
    }
    let whole = seqs == (0..10).collect::<Vec<_>>();
    ensure!(whole || !context.honours(QosValue::Reliable), "of 10 samples {}", describe(&seqs));
    ensure!(seqs.is_sorted() && !seqs.is_empty(), "out of order: {}", describe(&seqs));
    Ok("10 samples by takes of at most 3".to_owned())
}

pub(crate) fn c19_take_says_when_there_is_nothing(context: &Context) -> Verdict {
    let mut strategies = Vec::new();
    for wait in [Wait::Waitset, Wait::Poll] {
        if !context.caps.waits.contains(&wait) {
            continue;
        }
        let endpoint = EndpointConfig { wait, ..context.endpoint() };
        let mut link = Link::pair(context, &endpoint)?;
        for _ in 0..2 {
            let empty = link.reader().handle.take(10, &mut |_| ());
            ensure!(empty == Err(Status::NoData), "take with nothing there gave {empty:?}");
            link.writer().write()?;
            link.reader().gather(1, context.patience())?;
        }
        strategies.push(format!("{wait:?}"));
    }
    if strategies.is_empty() {
        return skip("take without an announcement needs waitset or poll, which are not declared");
    }
    Ok(strategies.join(", "))
}
