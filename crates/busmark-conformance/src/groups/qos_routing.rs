//! C8: QoS values that decide who hears whom, and in which order.

use std::time::Duration;

use busmark_adapter::{EndpointConfig, Feature, QosValue, Wait};

use super::qos_plain::with;
use crate::kit::{
    Context, Inbox, Link, Outbox, Plan, Stop, Verdict, connect, describe, ensure, until,
};

pub(crate) fn c08_partitions_separate(context: &Context) -> Verdict {
    context.need_qos(QosValue::Partition)?;
    let here = with(context, |q| q.partition = Some("here".to_owned()));
    let mut there = here.clone();
    there.qos.partition = Some("there".to_owned());
    let mut link = Link::pair(context, &here)?;
    let other = Inbox::new(&link.reading, &there)?;
    if context.has_locators() {
        // Refusing the connection separates as well as ignoring the samples.
        let _ = connect(context, &link.writers[0], &other);
    } else {
        std::thread::sleep(context.options.quiet);
    }
    link.writer().write_many(10)?;
    link.reader().expect(0, 10, context.patience())?;
    let foreign = other.gather(1, context.options.quiet)?;
    ensure!(foreign.is_empty(), "{} samples reached another partition", foreign.len());
    Ok("10 samples reached the reader of their partition and no other".to_owned())
}

pub(crate) fn c08_a_reader_hears_writers_of_its_liveliness_lease(context: &Context) -> Verdict {
    context.need_qos(QosValue::LivelinessLease)?;
    // Long ones, so that nobody is taken for gone where the machine is busy.
    let [strict, offered, lax] = [10, 20, 40]
        .map(|lease| with(context, |q| q.liveliness_lease_ns = Some(lease * 1_000_000_000)));
    let mut plan = Plan::new(context, &lax);
    plan.writer.endpoint.qos = offered.qos;
    let mut link = Link::open(context, &plan)?;
    let strict = EndpointConfig { topic: lax.topic, ..strict };
    let other = Inbox::new(&link.reading, &strict)?;
    if context.has_locators() {
        // As with partitions.
        let _ = connect(context, &link.writers[0], &other);
    } else {
        std::thread::sleep(context.options.quiet);
    }
    link.writer().write_many(10)?;
    link.reader().expect(0, 10, context.patience())?;
    let foreign = other.gather(1, context.options.quiet)?;
    ensure!(foreign.is_empty(), "{} samples of a longer lease than requested", foreign.len());
    Ok("offered with 20 s, 10 samples reached a reader of 40 s and none one of 10 s".to_owned())
}

/// Number of the writers in `got`, each once.
fn heard(got: &[crate::kit::Got]) -> Vec<u32> {
    let mut ids: Vec<u32> = got.iter().map(|g| g.header.writer_id).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Both write until the reader has heard `wanted`, and for a while nobody else.
pub(super) fn expect_owner(context: &Context, link: &mut Link, wanted: u32) -> Verdict<()> {
    until(&format!("writer {wanted} alone is heard"), context.patience(), || {
        let told = |stop: Stop| stop.to_string();
        link.readers[0].drain();
        for _ in 0..10 {
            for writer in link.writers.iter_mut().rev() {
                writer.write().map_err(told)?;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let got = link.readers[0].gather(20, Duration::from_millis(100)).map_err(told)?;
        let ids = heard(&got);
        if ids == [wanted] { Ok(()) } else { Err(format!("writers {ids:?} were heard")) }
    })
}

pub(crate) fn c08_the_strongest_owner_alone_is_heard(context: &Context) -> Verdict {
    context.need_qos(QosValue::OwnershipStrength)?;
    let weak = with(context, |q| q.ownership_strength = Some(1));
    let mut link = Link::open(context, &Plan::new(context, &weak))?;
    let mut strong = weak.clone();
    strong.qos.ownership_strength = Some(10);
    // Through a participant of its own, so that it can leave alone.
    let elsewhere = context.participant()?;
    let strong = Outbox::new(&elsewhere, &strong, 1, context.patience())?;
    connect(context, &strong, &link.readers[0])?;
    link.writers.push(strong);
    link.wait_for_match(context)?;
    expect_owner(context, &mut link, 1)?;
    link.writers.pop();
    expect_owner(context, &mut link, 0)?;
    Ok("the stronger of two alone, the weaker after the stronger had left".to_owned())
}

pub(crate) fn c08_order_by_source_keeps_the_order_of_writing(context: &Context) -> Verdict {
    context.need_qos(QosValue::OrderBySource)?;
    let mut endpoint = context.late_endpoint().unwrap_or_else(|_| context.endpoint());
    endpoint.qos.order_by_source = true;
    let mut link = Link::open(context, &Plan::new(context, &endpoint).counts(2, 1))?;
    for _ in 0..20 {
        for writer in &mut link.writers {
            writer.write()?;
        }
    }
    std::thread::sleep(context.options.quiet);
    let got = link.reader().gather(40, context.patience())?;
    for id in 0..2 {
        let of = got.iter().filter(|g| g.header.writer_id == id);
        let seqs: Vec<u64> = of.map(|g| g.header.seq).collect();
        let all: Vec<u64> = (0..20).collect();
        ensure!(seqs == all, "of 20 samples of writer {id} {}", describe(&seqs));
    }
    if context.has(Feature::SourceTime) && endpoint.wait != Wait::Listener {
        let sorted = got.is_sorted_by_key(|g| g.source_ns);
        ensure!(sorted, "a late take gave two writers' samples out of the order of their stamps");
    }
    Ok("accepted; each of two writers' samples in order".to_owned())
}
