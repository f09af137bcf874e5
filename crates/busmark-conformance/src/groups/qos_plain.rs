//! C8: QoS values that show on a reader that takes at once.

use std::time::{Duration, Instant};

use busmark_adapter::{Counters, Disclosure, EndpointConfig, Qos, QosValue};

use crate::kit::{Context, Link, Verdict, describe, ensure, until};

/// An endpoint that is as dependable as possible, with `change` on top.
pub(super) fn with(context: &Context, change: impl FnOnce(&mut Qos)) -> EndpointConfig {
    let mut endpoint = context.endpoint();
    change(&mut endpoint.qos);
    endpoint
}

pub(crate) fn c08_reliable_delivers_every_sample_in_order(context: &Context) -> Verdict {
    context.need_qos(QosValue::Reliable)?;
    let count = context.samples(2000);
    let mut link = Link::pair(context, &context.endpoint())?;
    let got = link.exchange(count, context.patience())?.remove(0);
    let seqs: Vec<u64> = got.iter().map(|g| g.header.seq).collect();
    let once = seqs.windows(2).all(|pair| pair[0] < pair[1]);
    ensure!(once, "of {count} samples {}", describe(&seqs));
    if seqs.len() as u64 != count {
        let seen = format!("of {count} samples {}", describe(&seqs));
        return context.against(Disclosure::Loses, &seen, "deliver all");
    }
    Ok(format!("{count} samples as fast as they go, none lost, none twice, in order"))
}

pub(crate) fn c08_best_effort_delivers(context: &Context) -> Verdict {
    context.need_qos(QosValue::BestEffort)?;
    let endpoint = with(context, |q| q.reliable = Some(false));
    let mut link = Link::pair(context, &endpoint)?;
    let (sent, enough) = (50, 25);
    for _ in 0..sent {
        link.writer().write()?;
        std::thread::sleep(Duration::from_millis(1));
    }
    let got = link.reader().gather(sent, context.patience() / 5)?;
    let seqs: Vec<u64> = got.iter().map(|g| g.header.seq).collect();
    let once = seqs.windows(2).all(|pair| pair[0] < pair[1]);
    ensure!(once, "out of order or twice: {}", describe(&seqs));
    if seqs.len() < enough {
        let seen = format!("of {sent} samples with pauses {}", describe(&seqs));
        return context.against(Disclosure::Loses, &seen, "deliver them");
    }
    Ok(format!("{} of {sent} samples with pauses arrived", seqs.len()))
}

/// The larger of what both sides counted as missed; `None` if neither counts.
pub(super) fn missed(link: &Link) -> Option<u64> {
    let of = |c: Counters| c.deadline_missed;
    of(link.writers[0].handle.counters()).max(of(link.readers[0].handle.counters()))
}

/// A pause is counted as a missed deadline.
pub(super) fn expect_missed_deadline(context: &Context, link: &mut Link) -> Verdict<u64> {
    link.writer().write_many(3)?;
    link.reader().gather(3, context.patience())?;
    until("a missed deadline in the counters", context.patience(), || match missed(link) {
        None => Err("neither side keeps a counter deadline_missed".to_owned()),
        Some(0) => Err("deadline_missed is 0".to_owned()),
        Some(n) => Ok(n),
    })
}

pub(crate) fn c08_a_missed_deadline_is_counted(context: &Context) -> Verdict {
    context.need_qos(QosValue::Deadline)?;
    let patient = with(context, |q| q.deadline_ns = Some(3_600_000_000_000));
    let mut link = Link::pair(context, &patient)?;
    link.writer().write_many(3)?;
    link.reader().gather(3, context.patience())?;
    std::thread::sleep(context.options.quiet);
    let early = missed(&link).unwrap_or(0);
    ensure!(early == 0, "{early} missed although the deadline is an hour");
    drop(link);

    let endpoint = with(context, |q| q.deadline_ns = Some(50_000_000));
    let mut link = Link::pair(context, &endpoint)?;
    let count = expect_missed_deadline(context, &mut link)?;
    Ok(format!("{count} missed in a pause with a deadline of 50 ms, none with one of an hour"))
}

/// A filter with this separation lets few samples of a stream through.
pub(super) fn expect_thinned(
    context: &Context,
    link: &mut Link,
    separation: Duration,
) -> Verdict<String> {
    let begin = Instant::now();
    let sent = 100;
    for _ in 0..sent {
        link.writer().write()?;
        std::thread::sleep(Duration::from_millis(2));
    }
    let most = begin.elapsed().as_nanos() / separation.as_nanos() + 2;
    let got = link.reader().gather(sent, context.options.quiet)?;
    ensure!(!got.is_empty(), "the filter lets nothing through");
    ensure!(
        got.len() as u128 <= most,
        "{} samples got through a filter that admits {most} in that time",
        got.len()
    );
    Ok(format!("{} of {sent} samples got through, at most {most} were admissible", got.len()))
}

pub(crate) fn c08_a_time_based_filter_thins_the_stream(context: &Context) -> Verdict {
    context.need_qos(QosValue::TimeBasedFilter)?;
    let separation = Duration::from_millis(50);
    let mut endpoint = context.endpoint();
    endpoint.qos.time_based_filter_ns = Some(separation.as_nanos() as i64);
    let mut plan = crate::kit::Plan::new(context, &endpoint);
    // The filter is the reader's.
    plan.writer.endpoint.qos.time_based_filter_ns = None;
    let mut link = Link::open(context, &plan)?;
    expect_thinned(context, &mut link, separation)
}
