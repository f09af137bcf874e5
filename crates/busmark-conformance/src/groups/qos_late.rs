//! C8: QoS values that show on a reader that takes late or joins late.

use std::time::Duration;

use busmark_adapter::{EndpointConfig, Qos, QosValue, Status};

use crate::kit::{Context, Got, Link, Plan, Side, Verdict, connect, describe, ensure, fail};

/// Longest pause before a late take; starts at a sixteenth of it.
const SETTLE: Duration = Duration::from_millis(1600);

fn late(context: &Context, change: impl FnOnce(&mut Qos)) -> Verdict<EndpointConfig> {
    let mut endpoint = context.late_endpoint()?;
    change(&mut endpoint.qos);
    Ok(endpoint)
}

/// Writes `count` samples, lets them settle, then takes all at once.
fn write_then_take(
    context: &Context,
    endpoint: &EndpointConfig,
    count: u64,
    settle: Duration,
) -> Verdict<Vec<u64>> {
    let endpoint = EndpointConfig { topic: context.topic(), ..endpoint.clone() };
    let mut link = Link::pair(context, &endpoint)?;
    link.writer().write_many(count)?;
    std::thread::sleep(settle);
    link.reader().pump()?;
    Ok(seqs(&link.reader().drain()))
}

fn seqs(got: &[Got]) -> Vec<u64> {
    got.iter().map(|g| g.header.seq).collect()
}

/// Repeats [`write_then_take`] with longer pauses until `expected` was seen.
fn expect_late(
    context: &Context,
    endpoint: &EndpointConfig,
    count: u64,
    expected: &[u64],
) -> Verdict<()> {
    let mut seen = Vec::new();
    for divisor in [16, 8, 4, 2, 1] {
        let got = write_then_take(context, endpoint, count, SETTLE / divisor)?;
        if got == expected {
            return Ok(());
        }
        seen.push(describe(&got));
    }
    fail(format!(
        "of {count} samples the reader should find {}; it found: {}",
        describe(expected),
        seen.join(" | ")
    ))
}

pub(crate) fn c08_keep_last_keeps_the_last_samples_only(context: &Context) -> Verdict {
    context.need_qos(QosValue::KeepLast)?;
    // A fixed size under the asked one shows beyond the sizes that come to mind first.
    for (depth, count) in [(1, 10), (3, 10), (50, 80)] {
        let endpoint = late(context, |q| {
            q.keep_all = Some(false);
            q.depth = depth;
        })?;
        let expected: Vec<u64> = (count - depth as u64..count).collect();
        expect_late(context, &endpoint, count, &expected)?;
    }
    Ok("a late reader finds the last 1 and 3 of 10 samples, and the last 50 of 80".to_owned())
}

pub(crate) fn c08_keep_all_keeps_all_samples(context: &Context) -> Verdict {
    context.need_qos(QosValue::KeepAll)?;
    let endpoint = late(context, |q| q.keep_all = Some(true))?;
    let all: Vec<u64> = (0..100).collect();
    expect_late(context, &endpoint, 100, &all)?;
    Ok("a late reader finds all of 100 samples".to_owned())
}

/// A writer that has written 5 samples before its reader joins.
fn late_joiner(context: &Context, transient_local: bool) -> Verdict<(Link, Vec<Got>)> {
    let mut endpoint = context.endpoint();
    endpoint.qos.transient_local = Some(transient_local);
    if !context.honours(QosValue::KeepAll) && context.honours(QosValue::KeepLast) {
        endpoint.qos.depth = 5;
    }
    let plan = Plan::new(context, &endpoint);
    let reader = Side { count: 0, ..plan.reader.clone() };
    let mut link = Link::open(context, &Plan { reader, matched: false, ..plan })?;
    link.writer().write_many(5)?;
    link.add_reader(&endpoint)?;
    connect(context, &link.writers[0], &link.readers[0])?;
    link.wait_for_match(context)?;
    let history = if transient_local {
        link.reader().gather(5, context.patience())?
    } else {
        link.reader().gather(1, context.options.quiet)?
    };
    Ok((link, history))
}

pub(crate) fn c08_volatile_gives_a_late_reader_no_history(context: &Context) -> Verdict {
    context.need_qos(QosValue::Volatile)?;
    let (mut link, history) = late_joiner(context, false)?;
    ensure!(history.is_empty(), "history {}", describe(&seqs(&history)));
    let next = link.writer().write()?;
    let got = link.reader().gather(1, context.patience())?;
    ensure!(seqs(&got) == [next], "after joining, of sample {next} {}", describe(&seqs(&got)));
    Ok("no history, then the next sample".to_owned())
}

pub(crate) fn c08_transient_local_gives_a_late_reader_the_history(context: &Context) -> Verdict {
    context.need_qos(QosValue::TransientLocal)?;
    let (mut link, history) = late_joiner(context, true)?;
    ensure!(
        seqs(&history) == [0, 1, 2, 3, 4],
        "of 5 samples written before the reader joined {}",
        describe(&seqs(&history))
    );
    let next = link.writer().write()?;
    let got = link.reader().gather(1, context.patience())?;
    ensure!(seqs(&got) == [next], "after joining, of sample {next} {}", describe(&seqs(&got)));
    Ok("5 samples of history in order, then the next sample".to_owned())
}

/// Samples written now are gone when they are taken after their lifespan, and a fresh one is there.
pub(super) fn expect_expiry(link: &mut Link, lifespan: Duration) -> Verdict<()> {
    let first = link.writer().next();
    link.writer().write_many(5)?;
    std::thread::sleep(lifespan * 3);
    link.reader().pump()?;
    let got = seqs(&link.reader().drain());
    ensure!(
        got.iter().all(|seq| *seq < first),
        "after three lifespans of {} ms {}",
        lifespan.as_millis(),
        describe(&got)
    );
    // On a busy machine even a fresh sample may be older than its lifespan when it is taken.
    for _ in 0..20 {
        link.writer().write()?;
        if !link.reader().gather(1, lifespan * 2)?.is_empty() {
            return Ok(());
        }
    }
    fail("samples that were taken at once had expired too, 20 times")
}

pub(crate) fn c08_lifespan_lets_old_samples_expire(context: &Context) -> Verdict {
    context.need_qos(QosValue::Lifespan)?;
    let lifespan = Duration::from_millis(200);
    let endpoint = late(context, |q| q.lifespan_ns = Some(lifespan.as_nanos() as i64))?;
    let mut link = Link::pair(context, &endpoint)?;
    expect_expiry(&mut link, lifespan)?;
    Ok("nothing is left after three lifespans of 200 ms; a fresh sample is delivered".to_owned())
}

pub(crate) fn c08_resource_limits_bound_what_is_stored(context: &Context) -> Verdict {
    context.need_qos(QosValue::ResourceLimits)?;
    let limit = 10;
    // On best effort nothing is held back to fill a place that becomes free.
    let best_effort = context.honours(QosValue::BestEffort);
    let endpoint = late(context, |q| {
        q.max_samples = Some(limit);
        q.max_blocking_ns = 20_000_000;
        if best_effort {
            q.reliable = Some(false);
        }
    })?;
    let mut link = Link::pair(context, &endpoint)?;
    let (mut accepted, mut refused) = (0, 0);
    while accepted < 50 && refused < 3 {
        match link.writer().try_write() {
            Ok(_) => accepted += 1,
            Err(Status::Timeout | Status::Resources) => refused += 1,
            Err(status) => return fail(format!("write: {status}")),
        }
    }
    std::thread::sleep(context.options.quiet);
    link.reader().pump()?;
    let stored = link.reader().drain().len();
    let bounded = stored <= limit as usize || (!best_effort && refused > 0);
    ensure!(
        bounded,
        "with a limit of {limit}, {accepted} samples were accepted and {stored} of them stored"
    );
    Ok(format!(
        "limit {limit}: {accepted} accepted, {refused} refused, {stored} found by a late take"
    ))
}
