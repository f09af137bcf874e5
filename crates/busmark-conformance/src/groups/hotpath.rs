//! C18, C19: write and take.

use std::sync::Arc;

use busmark_adapter::{Disclosure, EndpointConfig, OnData, QosValue, Status, Taker, Wait};

use crate::kit::{
    BODY, Context, Got, Inbox, Link, Plan, Side, Store, Verdict, describe, ensure, fail, skip, word,
};

/// Writes that follow each other without a pause; few enough for any queue.
const BURST: u64 = 8;

pub(crate) fn c18_a_sample_may_be_written_again_at_once(context: &Context) -> Verdict {
    let mut link = Link::pair(context, &context.endpoint())?;
    let reliable = context.honours(QosValue::Reliable);
    let bursts = 20;
    for burst in 0..bursts {
        let first = burst * BURST;
        for seq in first..first + BURST {
            // The same native sample each time, its header differs in more than the number.
            link.writer().header.sent_ns = seq as i64 * 3;
            link.writer().try_write()?;
        }
        link.writers[0].handle.flush()?;
        let patience = if reliable { context.patience() } else { context.options.quiet };
        let got = link.reader().gather(BURST as usize, patience)?;
        judge_burst(&got, first, reliable)?;
    }
    Ok(format!("one native sample written {BURST} times at once, {bursts} times; each as it was"))
}

/// Each sample of a burst came once, with its own header.
fn judge_burst(got: &[Got], first: u64, whole: bool) -> Verdict<()> {
    let mixed = got.iter().filter(|g| g.header.sent_ns != g.header.seq as i64 * 3).count();
    ensure!(mixed == 0, "{mixed} samples carry the header of another one");
    let seqs: Vec<u64> = got.iter().map(|g| g.header.seq).collect();
    let own = seqs.iter().all(|seq| (first..first + BURST).contains(seq));
    let once = seqs.windows(2).all(|pair| pair[0] < pair[1]);
    ensure!(
        own && once,
        "of samples {first} to {}, written at once from one native sample, {}: write() must be done \
         with the sample when it returns",
        first + BURST - 1,
        describe(&seqs)
    );
    let enough = if whole { BURST as usize } else { 1 };
    ensure!(got.len() >= enough, "of {BURST} samples written at once {}", describe(&seqs));
    Ok(())
}

pub(crate) fn c18_write_does_not_allocate(context: &Context) -> Verdict {
    let Some(allocations) = context.options.allocation_counter else {
        return skip("this process does not count allocations");
    };
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
    if least > 0 {
        let remedy = "have the memory ready when the sample is made";
        return context.against(Disclosure::Allocates, &found, remedy);
    }
    Ok(format!("no allocation in {batch} writes on the writing thread, in any language"))
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
    let got = link.reader().gather(sent as usize, context.patience())?;
    let seqs: Vec<u64> = got.iter().map(|g| g.header.seq).collect();
    let more = link.reader().gather(1, context.options.quiet)?;
    ensure!(more.is_empty(), "{} samples arrived whose write had timed out", more.len());
    let first = (0..seqs.len() as u64).collect::<Vec<_>>() == seqs;
    ensure!(first, "of {sent} samples {}", describe(&seqs));
    if seqs.len() as u64 != sent {
        let seen = format!("of {sent} samples {}", describe(&seqs));
        return context.against(Disclosure::Loses, &seen, "deliver all");
    }
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
            let said = |end: &Result<u32, Status>| match end {
                Ok(n) => format!("{n} samples"),
                Err(status) => status.to_string(),
            };
            ensure!(empty == Err(Status::NoData), "take with nothing there gave {}", said(&empty));
            link.writer().write()?;
            link.reader().gather(1, context.patience())?;
        }
        strategies.push(word(&wait));
    }
    if strategies.is_empty() {
        return skip("take without an announcement needs waitset or poll, which are not declared");
    }
    Ok(strategies.join(", "))
}
