//! C25, C36: locators, of readers or of writers, and discovery, which needs none.

use busmark_adapter::{Error, Feature, QosValue, ReaderHandle, Status, WriterHandle};

use super::config::RawLink;
use crate::kit::{
    Binds, Context, Inbox, Link, Outbox, Plan, Verdict, connect, describe, ensure, fail, skip, told,
};

/// Which side binds, and has a locator.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Reader,
    Writer,
}

impl Side {
    fn feature(self) -> Feature {
        match self {
            Self::Reader => Feature::Locators,
            Self::Writer => Feature::WriterLocators,
        }
    }

    fn entry(self) -> &'static str {
        match self {
            Self::Reader => "reader_locator",
            Self::Writer => "writer_locator",
        }
    }

    /// The locator of whichever endpoint binds.
    fn locator(self, writer: &WriterHandle, reader: &ReaderHandle) -> Result<String, Status> {
        match self {
            Self::Reader => reader.locator(),
            Self::Writer => writer.locator(),
        }
    }

    /// Connects the other one.
    fn connect(
        self,
        writer: &WriterHandle,
        reader: &ReaderHandle,
        locator: &str,
    ) -> Result<(), Error> {
        match self {
            Self::Reader => writer.connect(locator),
            Self::Writer => reader.connect(locator),
        }
    }

    /// Skips the test unless this side binds, by what is declared and by the options of this check.
    fn need(self, context: &Context) -> Verdict<()> {
        context.need(self.feature())?;
        let (writer, reader) = endpoints(context)?;
        let here = match Binds::of(context, &writer.handle, &reader.handle)? {
            Binds::Reader(_) => Self::Reader,
            Binds::Writer(_) => Self::Writer,
            Binds::Nobody => return fail("no endpoint has a locator"),
        };
        if here == self {
            return Ok(());
        }
        skip(format!("with these options the other side binds; {} is unsupported", self.entry()))
    }
}

/// A writer and a reader of one topic that are not connected.
fn endpoints(context: &Context) -> Verdict<(Outbox, Inbox)> {
    let endpoint = context.endpoint();
    let writer = Outbox::new(&context.participant()?, &endpoint, 0, context.patience())?;
    Ok((writer, Inbox::new(&context.participant()?, &endpoint)?))
}

pub(crate) fn c25_locators_connect(context: &Context) -> Verdict {
    locators_connect(context, Side::Reader)
}

pub(crate) fn c36_writer_locators_connect(context: &Context) -> Verdict {
    locators_connect(context, Side::Writer)
}

fn locators_connect(context: &Context, side: Side) -> Verdict {
    side.need(context)?;
    let plan = Plan::new(context, &context.endpoint()).unmatched();
    let mut link = Link::open(context, &plan)?;
    let locator = side.locator(&link.writers[0].handle, &link.reader().handle)?;
    ensure!(!locator.is_empty(), "the locator is empty");
    ensure!(
        side.locator(&link.writers[0].handle, &link.reader().handle) == Ok(locator.clone()),
        "the locator is another one on the second call"
    );
    its_room_is_kept(context, side)?;
    // No waiting: after all connects have returned, samples arrive.
    link.writer().write()?;
    let got = link.reader().gather(1, context.patience())?;
    let lost = got.is_empty() && context.honours(QosValue::Reliable);
    ensure!(!lost, "the first sample after connecting was lost");
    // Who was not connected is not heard, and as a reader hears nobody (C36).
    let mut alone = Outbox::new(&link.writing, &plan.writer.endpoint, 9, context.patience())?;
    alone.write().ok();
    let heard = link.reader().gather(1, context.options.quiet)?;
    let seqs: Vec<u64> = heard.iter().map(|g| g.header.seq).collect();
    ensure!(heard.is_empty(), "a writer that was not connected was heard: {}", describe(&seqs));
    if side == Side::Writer {
        let deaf = Inbox::new(&link.reading, &plan.reader.endpoint)?;
        link.writer().write()?;
        let heard = deaf.gather(1, context.options.quiet)?;
        ensure!(heard.is_empty(), "a reader that was not connected heard {} samples", heard.len());
    }
    Ok(format!("{locator:?}"))
}

/// A locator fits with its final zero, or the entry says RESOURCES and writes nothing past the end.
fn its_room_is_kept(context: &Context, side: Side) -> Verdict<()> {
    let link = RawLink::open(context)?;
    let of_writer = side == Side::Writer;
    let entry = side.entry();
    let Ok(whole) = link.locator(of_writer, busmark_adapter::abi::LOCATOR_BYTES) else {
        return fail(format!("{entry} gave no locator"));
    };
    for room in [1, whole.len()] {
        let short = link.locator(of_writer, room);
        ensure!(
            short == Err(Status::Resources as u32),
            "{entry} with {room} bytes of room for {} and a zero gave {}, not RESOURCES",
            whole.len(),
            short.map_or_else(|status| format!("status {status}"), |text| format!("{text:?}"))
        );
    }
    let exact = link.locator(of_writer, whole.len() + 1);
    ensure!(
        exact.as_ref() == Ok(&whole),
        "{entry} with just enough room gave {exact:?} instead of {whole:?}"
    );
    Ok(())
}

pub(crate) fn c36_each_reader_hears_the_writers_that_it_was_connected_to(
    context: &Context,
) -> Verdict {
    Side::Writer.need(context)?;
    let endpoint = context.endpoint();
    let mut link = Link::open(context, &Plan::new(context, &endpoint).counts(3, 2))?;
    let count = 50;
    for (r, got) in link.exchange(count, context.patience())?.iter().enumerate() {
        for id in 0..3 {
            let of_one = |g: &&crate::kit::Got| g.header.writer_id == id;
            let seqs: Vec<u64> = got.iter().filter(of_one).map(|g| g.header.seq).collect();
            let whole = seqs.iter().copied().eq(0..count);
            let enough = if context.honours(QosValue::Reliable) { whole } else { !seqs.is_empty() };
            ensure!(enough, "reader {r}, writer {id}: {}", describe(&seqs));
        }
    }
    // While the others write: what they send during the connect is kept.
    let late = Inbox::new(&link.reading, &endpoint)?;
    connect(context, &link.writers[0], &late)?;
    link.writers[0].write()?;
    connect(context, &link.writers[1], &late)?;
    for writer in &mut link.writers[1..] {
        writer.write()?;
    }
    let enough = |got: &[crate::kit::Got]| got.len() >= 2;
    let got = late.gather_until(context.patience(), enough)?;
    let more = late.gather(1, context.options.quiet)?;
    let mut ids: Vec<u32> = got.iter().chain(&more).map(|g| g.header.writer_id).collect();
    ids.sort_unstable();
    let expected = ids == [0, 1] || !context.honours(QosValue::Reliable) && !ids.contains(&2);
    ensure!(
        expected,
        "a reader that was connected to writers 0 and 1 of 3, which wrote once each, heard {ids:?}"
    );
    a_writer_that_goes_leaves_the_others(context, &mut link)?;
    Ok(format!("3 writers of {count} samples and 2 readers; a third reader hears 2 of them"))
}

/// After one of three writers has gone both readers still hear the others.
fn a_writer_that_goes_leaves_the_others(context: &Context, link: &mut Link) -> Verdict<()> {
    for reader in &link.readers {
        reader.gather(usize::MAX, context.options.quiet)?;
    }
    drop(link.writers.remove(0));
    let first = link.writers[0].next();
    link.writers[0].write_many(3)?;
    for reader in &link.readers {
        let got = reader.gather(3, context.patience())?;
        let seqs: Vec<u64> = got.iter().map(|g| g.header.seq).collect();
        let whole = seqs.iter().copied().eq(first..first + 3);
        ensure!(
            whole || !context.honours(QosValue::Reliable) && !seqs.is_empty(),
            "after one of three writers had gone, of another one's samples {}",
            describe(&seqs)
        );
    }
    Ok(())
}

pub(crate) fn c25_a_wrong_locator_is_refused(context: &Context) -> Verdict {
    wrong_locators(context, Side::Reader)
}

pub(crate) fn c36_a_wrong_locator_is_refused(context: &Context) -> Verdict {
    wrong_locators(context, Side::Writer)
}

fn wrong_locators(context: &Context, side: Side) -> Verdict {
    side.need(context)?;
    let (writer, reader) = endpoints(context)?;
    let right = side.locator(&writer.handle, &reader.handle)?;
    let mut wrong = vec![String::new(), "this is no locator".to_owned()];
    if side == Side::Writer {
        // That of a writer which has gone.
        let gone = endpoints(context)?.0.handle.locator()?;
        ensure!(gone != right, "two writers have the locator {right:?}");
        wrong.push(gone);
    }
    let mut reasons = Vec::new();
    for locator in &wrong {
        match side.connect(&writer.handle, &reader.handle, locator) {
            Ok(()) => return fail(format!("the locator {locator:?} was accepted")),
            Err(error) => {
                let words = !error.message.is_empty() && error.message != SILENT;
                ensure!(words, "the locator {locator:?} was refused without a word (C3)");
                reasons.push(error.to_string());
            }
        }
    }
    Ok(reasons.join("; "))
}

/// What the worker's side says where the adapter says nothing.
const SILENT: &str = "the adapter gave no reason";

pub(crate) fn c36_only_the_side_that_binds_has_a_locator(context: &Context) -> Verdict {
    let (writer, reader) = endpoints(context)?;
    let sides = [Side::Reader, Side::Writer];
    let found = sides.map(|side| side.locator(&writer.handle, &reader.handle));
    for (side, locator) in sides.iter().zip(&found) {
        let declared = context.has(side.feature());
        ensure!(
            locator.is_ok() || *locator == Err(Status::Unsupported),
            "{} gave {}, neither a locator nor UNSUPPORTED",
            side.entry(),
            told(locator)
        );
        ensure!(
            declared || locator.is_err(),
            "{} gave {}, although its feature is not declared",
            side.entry(),
            told(locator)
        );
        if locator.is_err() {
            let outcome = side.connect(&writer.handle, &reader.handle, "somewhere");
            let status = outcome.map_err(|error| error.status);
            ensure!(
                status == Err(Status::Unsupported),
                "{} is unsupported, but connecting the other side gave {}",
                side.entry(),
                told(&status)
            );
        }
    }
    let binding = found.iter().filter(|locator| locator.is_ok()).count();
    let expected = usize::from(context.has_locators());
    ensure!(
        binding == expected,
        "{binding} sides have a locator, where it should be {expected}: samples would come twice or \
         never"
    );
    Ok(format!("reader_locator gave {}, writer_locator {}", told(&found[0]), told(&found[1])))
}

pub(crate) fn c25_discovery_needs_no_locators(context: &Context) -> Verdict {
    if context.has_locators() {
        return skip("declares locators");
    }
    let mut link = Link::pair(context, &context.endpoint())?;
    let locator = link.reader().handle.locator();
    ensure!(
        locator == Err(Status::Unsupported),
        "reader_locator gave {}, not UNSUPPORTED",
        told(&locator)
    );
    match link.writer().handle.connect("somewhere") {
        Err(error) if error.status == Status::Unsupported => (),
        Err(error) => return fail(format!("writer_connect gave {error}, not UNSUPPORTED")),
        Ok(()) => return fail("writer_connect gave OK, not UNSUPPORTED"),
    }
    link.writer().write_many(3)?;
    let got = link.reader().gather(3, context.patience())?;
    ensure!(!got.is_empty(), "endpoints of one topic did not find each other");
    Ok("endpoints of one topic found each other; both calls are unsupported".to_owned())
}
