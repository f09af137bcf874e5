//! C20 to C22: when a listener is called, what it may do, when it falls silent.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use busmark_adapter::abi::LOCATOR_BYTES;
use busmark_adapter::{EndpointConfig, Feature, Header, OnData, Qos, QosValue, Taker, Wait};

use super::config::failed;
use crate::kit::{Context, Inbox, Link, Outbox, Plan, Side, Stop, Store, Verdict, connect, told};
use crate::kit::{ensure, fail, until};
use crate::raw::{RawParticipant, RawTable, WatchedReader};

fn listening(context: &Context) -> Verdict<EndpointConfig> {
    context.need_wait(Wait::Listener)?;
    Ok(EndpointConfig { wait: Wait::Listener, ..context.endpoint() })
}

pub(crate) fn c20_every_sample_is_announced_without_overlap(context: &Context) -> Verdict {
    let endpoint = listening(context)?;
    // Several writers make overlaps likely; not every adapter serves them.
    let mut writers = 4;
    let plan = Plan::new(context, &endpoint);
    let mut link = match Link::open(context, &plan.clone().counts(writers, 1)) {
        Err(Stop::Skipped(_)) => {
            writers = 1;
            Link::open(context, &plan)?
        }
        other => other?,
    };
    let count = context.samples(500);
    let got = link.exchange(count, context.patience())?.remove(0);
    let expected = count as usize * writers;
    let store = &link.reader().store;
    let calls = store.calls.load(Ordering::SeqCst);
    let overlaps = store.overlaps.load(Ordering::SeqCst);
    ensure!(overlaps == 0, "on_data was called {overlaps} times before it had returned");
    ensure!(
        got.len() == expected || !context.honours(QosValue::Reliable),
        "{} of {expected} samples were announced",
        got.len()
    );
    ensure!(!got.is_empty(), "no sample was announced");
    // One by one, each must be announced without another one pushing it.
    for _ in 0..20 {
        link.writer().write()?;
        let got = link.reader().gather(1, context.patience())?;
        ensure!(got.len() == 1, "a single sample was not announced");
    }
    Ok(format!("{} samples of {writers} writers in {calls} calls, then 20 one by one", got.len()))
}

pub(crate) fn c20_on_data_never_comes_from_within_reader_create(context: &Context) -> Verdict {
    let endpoint = listening(context)?;
    let history = context.honours(QosValue::TransientLocal);
    let qos = Qos { transient_local: history.then_some(true), ..endpoint.qos.clone() };
    let endpoint = EndpointConfig { qos, ..endpoint };
    // Samples wait for the reader before it is made.
    let plan = Plan::new(context, &endpoint);
    let none = Side { count: 0, ..plan.reader.clone() };
    let mut link = Link::open(context, &Plan { reader: none, matched: false, ..plan })?;
    link.writer().write_many(5)?;
    let table = RawTable::of(&context.library).map_err(Stop::Failed)?;
    let config = context.participant_config(0);
    let mut participant = RawParticipant::new(&table, &config).map_err(failed)?;
    for _ in 0..5 {
        let mut reader = WatchedReader::new(&mut participant, &endpoint).map_err(failed)?;
        link.writer().write()?;
        std::thread::sleep(context.options.quiet / 5);
        let within = reader.calls_within_create();
        reader.destroy();
        ensure!(within == 0, "on_data was called by the thread that was in reader_create");
    }
    let what = if history { "with history waiting" } else { "while a writer writes" };
    Ok(format!("5 readers made {what}"))
}

/// Answers each sample with the same header on another writer.
struct Echo {
    outbox: Mutex<Outbox>,
    failed: Arc<AtomicU64>,
}

impl OnData for Echo {
    fn on_data(&self, taker: &Taker) {
        loop {
            let mut headers: Vec<Header> = Vec::new();
            let result = taker.take(16, &mut |r| headers.push(*r.header));
            let mut outbox = self.outbox.lock().unwrap_or_else(PoisonError::into_inner);
            for header in headers {
                outbox.header.echo_sent_ns = header.seq as i64;
                self.failed.fetch_add(u64::from(outbox.try_write().is_err()), Ordering::SeqCst);
            }
            if result != Ok(16) {
                return;
            }
        }
    }
}

/// `count` samples go to a listener and each comes back, written from within `on_data`.
fn echo(context: &Context, qos: Qos, count: u64) -> Verdict {
    let there = EndpointConfig { qos, ..listening(context)? };
    let back = EndpointConfig { topic: context.topic(), ..there.clone() };
    let near = context.participant()?;
    let far = context.participant()?;
    let answers = Inbox::new(&near, &back)?;
    let reply = Outbox::new(&far, &back, 1, context.patience())?;
    connect(context, &reply, &answers)?;
    let matched = reply.handle.clone();
    let refused = Arc::new(AtomicU64::new(0));
    let echo = Echo { outbox: Mutex::new(reply), failed: Arc::clone(&refused) };
    let store = Arc::new(Store::default());
    let asked = Inbox::with(&far, &there, Some(Box::new(echo)), store)?;
    let mut question = Outbox::new(&near, &there, 0, context.patience())?;
    connect(context, &question, &asked)?;
    if context.has(Feature::Matched) {
        until("both directions match", context.patience(), || {
            let counts = (question.handle.matched(), matched.matched());
            if counts == (Ok(1), Ok(1)) {
                Ok(())
            } else {
                Err(format!("{} readers, {} writers", told(&counts.0), told(&counts.1)))
            }
        })?;
    }
    // As a ping-pong does: the next one only after the answer.
    for seq in 0..count {
        question.write()?;
        let answer = answers.gather(1, context.patience())?;
        let echoed = answer.first().map(|g| g.header.echo_sent_ns);
        let refusals = refused.load(Ordering::SeqCst);
        ensure!(
            echoed == Some(seq as i64),
            "no answer to sample {seq} ({refusals} writes within on_data were refused)"
        );
    }
    Ok(format!("{count} answers written from within on_data"))
}

pub(crate) fn c21_write_works_from_within_on_data(context: &Context) -> Verdict {
    context.need(Feature::WriteInListener)?;
    let mut qos = context.dependable();
    if context.honours(QosValue::KeepLast) {
        qos.keep_all = Some(false);
        qos.depth = 1;
    } else if !context.has(Feature::KeepAllInListener) {
        qos.keep_all = None;
    }
    echo(context, qos, 200)
}

pub(crate) fn c21_reliable_keep_all_writes_work_from_within_on_data(context: &Context) -> Verdict {
    context.need(Feature::KeepAllInListener)?;
    context.need_qos(QosValue::Reliable)?;
    context.need_qos(QosValue::KeepAll)?;
    echo(context, context.dependable(), 1000)
}

pub(crate) fn c22_no_call_comes_after_reader_destroy(context: &Context) -> Verdict {
    let mut endpoint = listening(context)?;
    // Some middleware does not end a write's waiting for a reader that has gone.
    endpoint.qos.max_blocking_ns = 50_000_000;
    let table = RawTable::of(&context.library).map_err(Stop::Failed)?;
    let config = context.participant_config(0);
    let rounds = 20;
    for round in 0..rounds {
        let endpoint = EndpointConfig { topic: context.topic(), ..endpoint.clone() };
        let mut reading = RawParticipant::new(&table, &config).map_err(failed)?;
        let mut reader = WatchedReader::new(&mut reading, &endpoint).map_err(failed)?;
        let writing = context.participant()?;
        let mut writer = Outbox::new(&writing, &endpoint, 0, context.patience())?;
        if context.has_locators() {
            let Some(raw) = reader.raw() else { return fail("no reader") };
            match (raw.locator(LOCATOR_BYTES), writer.handle.locator()) {
                (Ok(locator), _) => writer.handle.connect(&locator)?,
                (_, Ok(locator)) => raw.connect(&locator).map_err(failed)?,
                _ => return fail("neither side has a locator"),
            }
        }
        let stop = AtomicBool::new(false);
        let (running, late) = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let _ = writer.try_write();
                }
            });
            std::thread::sleep(context.options.quiet / 20);
            let running = reader.destroy();
            std::thread::sleep(context.options.quiet / 20);
            stop.store(true, Ordering::Relaxed);
            (running, reader.calls_after_destroy())
        });
        drop(writer);
        ensure!(
            running == 0,
            "in round {round} a call was still running when reader_destroy returned"
        );
        ensure!(late == 0, "in round {round} {late} calls came after reader_destroy had returned");
    }
    Ok(format!("{rounds} readers destroyed while a writer writes"))
}
