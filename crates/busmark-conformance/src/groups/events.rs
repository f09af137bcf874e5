//! C33: the time of a match.

use busmark_adapter::{Feature, Status};

use crate::kit::{Context, Inbox, Outbox, Verdict, connect, ensure, until};
use crate::raw::system::monotonic_ns;

pub(crate) fn c33_a_match_carries_the_time_of_its_event(context: &Context) -> Verdict {
    context.need(Feature::MatchEvents)?;
    let endpoint = context.endpoint();
    let participant = context.participant()?;
    let other = context.participant()?;
    let writer = Outbox::new(&participant, &endpoint, 0, context.patience())?;
    let lonely = writer.handle.match_event()?;
    ensure!(lonely.count == 0, "a writer without readers counts {}", lonely.count);
    let before = monotonic_ns();
    let reader = Inbox::new(&other, &endpoint)?;
    connect(context, &writer, &reader)?;
    until("both sides match", context.patience(), || {
        let counts = (writer.handle.matched(), reader.handle.matched());
        if counts == (Ok(1), Ok(1)) { Ok(()) } else { Err(format!("they count {counts:?}")) }
    })?;
    let seen = monotonic_ns();
    // A stamp that is taken when somebody asks would now be later than the match that was seen.
    std::thread::sleep(context.options.quiet / 10);
    let mut first = Vec::new();
    for (side, found) in
        [("writer", writer.handle.match_event()?), ("reader", reader.handle.match_event()?)]
    {
        ensure!(
            found.count == 1,
            "{side}_match counts {} where {side}_matched counts 1",
            found.count
        );
        ensure!(
            (before..=seen).contains(&found.changed_ns),
            "{side}_match says {} ns, the match came between {before} and {seen}",
            found.changed_ns
        );
        first.push(found);
    }
    ensure!(writer.handle.match_event()? == first[0], "the writer's time changes when it is asked");
    drop((reader, other));
    let what = "the writer's match falls when the reader closes";
    until(what, context.patience(), || match writer.handle.match_event() {
        Ok(found) if found.count == 0 && found.changed_ns > first[0].changed_ns => Ok(()),
        found => Err(format!("it is {found:?}, it was {:?}", first[0])),
    })?;
    Ok("times of rise and fall match the events".to_owned())
}

pub(crate) fn c33_without_the_feature_no_time_is_reported(context: &Context) -> Verdict {
    if context.has(Feature::MatchEvents) {
        ensure!(context.has(Feature::Matched), "declares match_events without matched");
        return crate::kit::skip("declares match events");
    }
    let participant = context.participant()?;
    let writer = participant.writer(&context.endpoint())?;
    let told = writer.match_event();
    ensure!(told == Err(Status::Unsupported), "writer_match gave {told:?} instead of unsupported");
    Ok("writer_match is unsupported".to_owned())
}
