//! C24: matched counts.

use busmark_adapter::{Feature, QosValue, Status};

use crate::kit::{Context, Inbox, Link, Outbox, Verdict, connect, ensure, fail, told, until};

fn settles(
    context: &Context,
    what: &str,
    ask: impl Fn() -> Result<u32, Status>,
    wanted: u32,
) -> Verdict<()> {
    until(what, context.patience(), || match ask() {
        Ok(n) if n == wanted => Ok(()),
        other => Err(format!("{} instead of {wanted}", told(&other))),
    })
}

pub(crate) fn c24_matched_rises_and_falls(context: &Context) -> Verdict {
    context.need(Feature::Matched)?;
    let endpoint = context.endpoint();
    let participant = context.participant()?;
    let writer = Outbox::new(&participant, &endpoint, 0, context.patience())?;
    let lonely = writer.handle.matched();
    ensure!(lonely == Ok(0), "a writer without readers counts {}", told(&lonely));
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
            return fail(format!("{what}: it is still {}", told(&writer.handle.matched())));
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
        let known = count != Err(Status::Unsupported);
        ensure!(
            known == context.has(Feature::Matched),
            "{side}_matched gave {}, although the feature MATCHED is {}declared",
            told(&count),
            if context.has(Feature::Matched) { "" } else { "not " }
        );
    }
    Ok(format!("writer_matched gave {}, reader_matched {}", told(&counts[0]), told(&counts[1])))
}
