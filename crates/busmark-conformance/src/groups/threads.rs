//! C17: which calls may meet.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use busmark_adapter::{Disclosure, Feature, QosValue};

use crate::kit::{Context, Got, Link, Plan, Stop, Verdict, describe, ensure, skip, until};

/// Samples of one writer.
const COUNT: u64 = 300;

/// Every writer's samples, in order; all of them if the adapter is reliable.
fn judge(context: &Context, writers: u32, got: &[Got]) -> Verdict<()> {
    for id in 0..writers {
        let of = got.iter().filter(|g| g.header.writer_id == id);
        let seqs: Vec<u64> = of.map(|g| g.header.seq).collect();
        ensure!(seqs.is_sorted(), "writer {id}'s samples out of order: {}", describe(&seqs));
        let count = context.samples(COUNT);
        let complete = seqs == (0..count).collect::<Vec<_>>();
        ensure!(
            complete || !context.honours(QosValue::Reliable),
            "of {count} samples of writer {id} {}",
            describe(&seqs)
        );
        ensure!(!seqs.is_empty(), "no sample of writer {id} arrived");
    }
    Ok(())
}

pub(crate) fn c17_four_writers_and_two_readers_share_a_topic(context: &Context) -> Verdict {
    let (writers, readers) = (4, 2);
    let plan = Plan::new(context, &context.endpoint()).counts(writers, readers);
    let mut link = Link::open(context, &plan)?;
    let count = context.samples(COUNT);
    for got in link.exchange(count, context.patience())? {
        judge(context, writers as u32, &got)?;
    }
    let seen = format!("4 writers, 2 readers, a thread each, {count} samples per writer");
    if count < COUNT {
        return context.against(Disclosure::Slow, &seen, "send faster");
    }
    Ok(seen)
}

pub(crate) fn c17_pairs_on_their_own_topics_run_at_once(context: &Context) -> Verdict {
    let mut links = Vec::new();
    for _ in 0..4 {
        links.push(Link::pair(context, &context.endpoint())?);
    }
    let (count, patience) = (context.samples(COUNT), context.patience());
    let results: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            links.iter_mut().map(|l| scope.spawn(move || l.exchange(count, patience))).collect();
        threads.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
    });
    for result in results {
        let got = result.unwrap_or_else(|_| Err(Stop::Failed("a sender panicked".to_owned())))?;
        judge(context, 1, &got[0])?;
    }
    Ok(format!("4 pairs at once, {count} samples each"))
}

pub(crate) fn c17_matched_and_counters_answer_during_traffic(context: &Context) -> Verdict {
    let mut link = Link::pair(context, &context.endpoint())?;
    let (writer, reader) = (link.writers[0].handle.clone(), link.readers[0].handle.clone());
    let (done, asked) = (AtomicBool::new(false), AtomicU64::new(0));
    let wrong = std::thread::scope(|scope| {
        let questions = scope.spawn(|| {
            let mut wrong = 0;
            while !done.load(Ordering::Relaxed) {
                let counts = [writer.matched(), reader.matched()];
                let (_, _) = (writer.counters(), reader.counters());
                let counted = counts.iter().all(|c| *c == Ok(1));
                wrong += u64::from(context.has(Feature::Matched) && !counted);
                asked.fetch_add(1, Ordering::Relaxed);
            }
            wrong
        });
        // On a busy machine the other thread may come late.
        let begun = until("the other thread asks", context.patience(), || {
            if asked.load(Ordering::Relaxed) > 0 { Ok(()) } else { Err("not yet".to_owned()) }
        });
        let result = begun.and_then(|()| link.exchange(context.samples(COUNT), context.patience()));
        done.store(true, Ordering::Relaxed);
        let wrong = questions.join().unwrap_or(u64::MAX);
        result.map(|got| (wrong, got))
    });
    let (wrong, got) = wrong?;
    judge(context, 1, &got[0])?;
    ensure!(wrong == 0, "matched was not 1 in {wrong} answers during traffic");
    let asked = asked.into_inner();
    if asked == 0 {
        return skip("the other thread never ran");
    }
    Ok(format!("asked {asked} times from another thread"))
}
