//! C24, C25: matched counts, locators, discovery.

use busmark_adapter::{Feature, QosValue, Status};

use crate::kit::{Context, Inbox, Link, Outbox, Plan, Side, Verdict, connect, describe};
use crate::kit::{ensure, fail, until};

fn settles(
    context: &Context,
    what: &str,
    ask: impl Fn() -> Result<u32, Status>,
    wanted: u32,
) -> Verdict<()> {
    until(what, context.patience(), || match ask() {
        Ok(n) if n == wanted => Ok(()),
        other => Err(format!("{other:?} instead of {wanted}")),
    })
}

pub(crate) fn c24_matched_rises_and_falls(context: &Context) -> Verdict {
    context.need(Feature::Matched)?;
    let endpoint = context.endpoint();
    let participant = context.participant()?;
    let writer = Outbox::new(&participant, &endpoint, 0, context.patience())?;
    let lonely = writer.handle.matched();
    ensure!(lonely == Ok(0), "a writer without readers counts {lonely:?}");
    let join = || -> Verdict<(Inbox, _)> {
        let other = context.participant()?;
        let reader = Inbox::new(&other, &endpoint)?;
        connect(context, &writer, &reader)?;
        Ok((reader, other))
    };
    for round in 0..3 {
        let (reader, other) = join()?;
        settles(context, "the writer counts its reader", || writer.handle.matched(), 1)?;
        settles(context, "the reader counts its writer", || reader.handle.matched(), 1)?;
        drop((reader, other));
        let what = format!("round {round}: the writer's count falls when the reader closes");
        if settles(context, &what, || writer.handle.matched(), 0).is_err() {
            return fail(format!("{what}: it is still {:?}", writer.handle.matched()));
        }
        if context.has(Feature::Locators) {
            break; // A writer of some adapters connects once.
        }
    }
    let mut link = Link::pair(context, &context.endpoint())?;
    link.writers.clear();
    let reader = link.reader();
    let what = "the reader's count falls when the writer closes";
    settles(context, what, || reader.handle.matched(), 0)?;
    Ok("0, 1, 0 on both sides".to_owned())
}

pub(crate) fn c24_a_reliable_sample_after_matching_is_not_lost(context: &Context) -> Verdict {
    context.need(Feature::Matched)?;
    context.need_qos(QosValue::Reliable)?;
    let rounds = 10;
    for round in 0..rounds {
        let mut link = Link::pair(context, &context.endpoint())?;
        link.writer().write()?;
        let got = link.reader().gather(1, context.patience())?;
        ensure!(got.len() == 1, "round {round}: the first sample after matching was lost");
    }
    Ok(format!("the first sample arrived in {rounds} of {rounds} rounds"))
}

pub(crate) fn c24_matched_is_unsupported_without_the_feature(context: &Context) -> Verdict {
    let link = Link::pair(context, &context.endpoint())?;
    let counts = [link.writers[0].handle.matched(), link.readers[0].handle.matched()];
    for (side, count) in ["writer", "reader"].iter().zip(counts) {
        let told = count != Err(Status::Unsupported);
        ensure!(
            told == context.has(Feature::Matched),
            "{side}_matched gave {count:?}, the feature's declaration is {}",
            context.has(Feature::Matched)
        );
    }
    Ok(format!("{counts:?}"))
}

pub(crate) fn c25_locators_connect(context: &Context) -> Verdict {
    context.need(Feature::Locators)?;
    let endpoint = context.endpoint();
    let plan = Plan::new(context, &endpoint).unmatched();
    let mut link = Link::open(context, &plan)?;
    let locator = link.reader().handle.locator()?;
    ensure!(!locator.is_empty(), "the locator is empty");
    ensure!(
        link.reader().handle.locator() == Ok(locator.clone()),
        "the locator is another one on the second call"
    );
    let short = super::config::RawLink::open(context)?.short_locator();
    ensure!(
        short == Some(Status::Resources as u32),
        "reader_locator with one byte of room gave status {short:?} instead of resources"
    );
    // No waiting: after all connects have returned, samples arrive.
    link.writer().write()?;
    let got = link.reader().gather(1, context.patience())?;
    let lost = got.is_empty() && context.honours(QosValue::Reliable);
    ensure!(!lost, "the first sample after connecting was lost");
    // A writer that was not connected is not heard.
    let stranger = Side { count: 1, ..plan.writer };
    let mut alone = Outbox::new(&link.writing, &stranger.endpoint, 9, context.patience())?;
    alone.write().ok();
    let heard = link.reader().gather(1, context.options.quiet)?;
    let seqs: Vec<u64> = heard.iter().map(|g| g.header.seq).collect();
    ensure!(heard.is_empty(), "a writer that was not connected was heard: {}", describe(&seqs));
    Ok(format!("{locator:?}"))
}

pub(crate) fn c25_a_wrong_locator_is_refused(context: &Context) -> Verdict {
    context.need(Feature::Locators)?;
    let participant = context.participant()?;
    let writer = participant.writer(&context.endpoint())?;
    let mut told = Vec::new();
    for locator in ["", "this is no locator"] {
        match writer.connect(locator) {
            Ok(()) => return fail(format!("the locator {locator:?} was accepted")),
            Err(error) => told.push(error.to_string()),
        }
    }
    Ok(told.join("; "))
}

pub(crate) fn c25_discovery_needs_no_locators(context: &Context) -> Verdict {
    if context.has(Feature::Locators) {
        return crate::kit::skip("declares locators");
    }
    let mut link = Link::pair(context, &context.endpoint())?;
    let locator = link.reader().handle.locator();
    ensure!(locator == Err(Status::Unsupported), "reader_locator gave {locator:?}");
    match link.writer().handle.connect("somewhere") {
        Err(error) if error.status == Status::Unsupported => (),
        other => return fail(format!("writer_connect gave {other:?} instead of unsupported")),
    }
    link.writer().write_many(3)?;
    let got = link.reader().gather(3, context.patience())?;
    ensure!(!got.is_empty(), "endpoints of one topic did not find each other");
    Ok("endpoints of one topic found each other; both calls are unsupported".to_owned())
}
