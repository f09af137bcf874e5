//! C27, C28: keyed topics and content filters.

use std::time::Duration;

use busmark_adapter::{EndpointConfig, Feature, Payload, QosValue, Status};

use crate::kit::{BODY, Context, Link, Plan, Verdict, describe, ensure, fail, until};

/// Instances of most tests: few enough for any history.
const INSTANCES: u32 = 10;

fn keyed(context: &Context) -> EndpointConfig {
    EndpointConfig {
        payload: Payload::Octet,
        max_body_bytes: BODY,
        instances: INSTANCES,
        ..context.endpoint()
    }
}

/// Sequence numbers that arrive of `count`.
fn arrivals(context: &Context, plan: &Plan, count: u64, expected: usize) -> Verdict<Vec<u64>> {
    let mut link = Link::open(context, plan)?;
    link.writer().write_many(count)?;
    let mut got = link.reader().gather(expected, context.patience())?;
    // What should not come would come about now.
    got.extend(link.reader().gather(1, context.options.quiet)?);
    Ok(got.iter().map(|g| g.header.seq).collect())
}

pub(crate) fn c27_samples_of_every_instance_arrive(context: &Context) -> Verdict {
    context.need(Feature::Keys)?;
    for (instances, count) in [(1, 20), (INSTANCES, 100), (1000, 2000)] {
        let endpoint = EndpointConfig { instances, topic: context.topic(), ..keyed(context) };
        let plan = Plan::new(context, &endpoint);
        let mut seqs = arrivals(context, &plan, count, count as usize)?;
        // Order is promised within an instance only.
        seqs.sort_by_key(|seq| (seq % u64::from(instances), *seq));
        seqs.dedup();
        seqs.sort_unstable();
        if context.honours(QosValue::Reliable) {
            ensure!(
                seqs == (0..count).collect::<Vec<_>>(),
                "{instances} instances, of {count} samples {}",
                describe(&seqs)
            );
        }
    }
    Ok("1, 10 and 1000 instances".to_owned())
}

pub(crate) fn c27_keep_last_holds_samples_of_each_instance(context: &Context) -> Verdict {
    context.need(Feature::Keys)?;
    context.need_qos(QosValue::KeepLast)?;
    let mut endpoint = EndpointConfig { wait: context.late_wait()?, ..keyed(context) };
    endpoint.qos.keep_all = Some(false);
    endpoint.qos.depth = 1;
    let n = u64::from(INSTANCES);
    let expected: Vec<u64> = (4 * n..5 * n).collect();
    let mut link = Link::pair(context, &endpoint)?;
    // With pauses: a writer that keeps the last of each instance need not send what is overtaken.
    link.writer().pause = Duration::from_millis(1);
    link.writer().write_many(5 * n)?;
    std::thread::sleep(context.options.quiet);
    link.reader().pump()?;
    let mut seqs: Vec<u64> = link.reader().drain().iter().map(|g| g.header.seq).collect();
    seqs.sort_unstable();
    ensure!(
        seqs == expected,
        "the reader should find the last sample of each of {n} instances ({}); it found {}",
        describe(&expected),
        describe(&seqs)
    );
    Ok(format!("of 5 samples of each of {n} instances a late reader finds the last of each"))
}

pub(crate) fn c27_without_the_feature_keys_are_refused(context: &Context) -> Verdict {
    if context.has(Feature::Keys) {
        let endpoint = EndpointConfig { payload: Payload::Long, ..keyed(context) };
        return refused(context, &endpoint, "a keyed topic of longs");
    }
    let payload = context.payload();
    refused(context, &EndpointConfig { payload, ..keyed(context) }, "a keyed topic")
}

fn refused(context: &Context, endpoint: &EndpointConfig, what: &str) -> Verdict {
    let participant = context.participant()?;
    match participant.writer(endpoint) {
        Err(error) if matches!(error.status, Status::Unsupported | Status::Invalid) => {
            Ok(format!("{what} is refused: {}", error.message))
        }
        Err(error) => fail(format!("{what}: neither unsupported nor invalid: {error}")),
        Ok(_) => fail(format!("{what} was accepted")),
    }
}

pub(crate) fn c28_a_filter_gives_its_instances_only(context: &Context) -> Verdict {
    context.need(Feature::Keys)?;
    context.need(Feature::ContentFilter)?;
    let below = 3;
    let mut plan = Plan::new(context, &keyed(context));
    plan.reader.endpoint.filter_below = below;
    let admitted = |seq: &u64| seq % u64::from(INSTANCES) < u64::from(below);
    let expected: Vec<u64> = (0..100).filter(admitted).collect();
    let mut seqs = arrivals(context, &plan, 100, expected.len())?;
    seqs.sort_unstable();
    ensure!(
        seqs == expected,
        "expected instances 0 to {} of {INSTANCES} ({} samples of 100), {}",
        below - 1,
        expected.len(),
        describe(&seqs)
    );
    Ok(format!("{} of 100 samples, from 3 instances of 10", expected.len()))
}

pub(crate) fn c28_a_filter_leaves_other_readers_alone(context: &Context) -> Verdict {
    context.need(Feature::Keys)?;
    context.need(Feature::ContentFilter)?;
    context.need_qos(QosValue::Reliable)?;
    let mut plan = Plan::new(context, &keyed(context));
    plan.reader.endpoint.filter_below = 1;
    let mut link = Link::open(context, &Plan { matched: false, ..plan })?;
    link.add_reader(&EndpointConfig { filter_below: 0, ..link_endpoint(context, &link) })?;
    link.wire(context)?;
    link.wait_for_match(context)?;
    link.writer().write_many(50)?;
    let all = link.readers[1].gather(50, context.patience())?;
    ensure!(all.len() == 50, "a reader without filter got {} of 50 samples", all.len());
    until("the filtered samples", context.patience(), || {
        link.readers[0].pump().map_err(|stop| stop.to_string())?;
        let count = link.readers[0].store.len();
        if count == 5 { Ok(()) } else { Err(format!("{count} of 5")) }
    })?;
    Ok("5 of 50 samples with a filter, 50 without".to_owned())
}

/// The endpoint that the link's writer has.
fn link_endpoint(context: &Context, link: &Link) -> EndpointConfig {
    EndpointConfig { topic: link.writers[0].topic.clone(), ..keyed(context) }
}

pub(crate) fn c28_a_filter_that_cannot_be_is_refused(context: &Context) -> Verdict {
    let participant = context.participant()?;
    let mut endpoint = EndpointConfig { filter_below: 1, ..context.late_endpoint()? };
    if context.has(Feature::ContentFilter) {
        // Without a key there is nothing to filter by.
        endpoint.instances = 0;
    }
    match participant.reader(&endpoint, None) {
        Err(error) if matches!(error.status, Status::Unsupported | Status::Invalid) => {
            Ok(format!("refused: {}", error.message))
        }
        Err(error) => fail(format!("neither unsupported nor invalid: {error}")),
        Ok(_) => fail("a filter was accepted"),
    }
}
