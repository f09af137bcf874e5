//! C9, C16: what only shows between two processes.

use std::time::Duration;

use busmark_adapter::{EndpointConfig, QosValue, Reach};

use super::lifecycle::ends;
use crate::kit::{Context, Inbox, Plan, Verdict, describe, ensure, skip};
use crate::peer::PeerProcess;

const COUNT: u64 = 200;

pub(super) fn between_processes(context: &Context) -> Verdict<()> {
    if context.caps.reach.contains(&Reach::Host) || context.caps.reach.contains(&Reach::Network) {
        return Ok(());
    }
    skip("does not declare a reach beyond one process")
}

/// A reader here and a writer in a second process, which has begun to write if they could be connected.
fn pair(context: &Context, transport: &str) -> Verdict<(PeerProcess, Inbox, Verdict<()>)> {
    let endpoint: EndpointConfig = context.endpoint();
    let plan = Plan::new(context, &endpoint).transport(context, transport);
    let participant = context.library.participant(&plan.reader.participant)?;
    let reader = Inbox::new(&participant, &endpoint)?;
    let mut writer = PeerProcess::start(context, &plan.writer, COUNT, Duration::from_micros(200))?;
    // A transport of one process lets nobody in from another one.
    let begun = writer.connect(context, &reader).and_then(|()| writer.go());
    Ok((writer, reader, begun))
}

/// Transports of the adapter that carry samples between processes; why the others do not.
fn try_all(context: &Context) -> Verdict<(Vec<String>, Vec<String>)> {
    let (mut done, mut not) = (Vec::new(), Vec::new());
    for transport in &context.caps.transports {
        let (mut writer, reader, begun) = pair(context, transport)?;
        if let Err(stop) = begun.and_then(|()| writer.done()) {
            not.push(format!("{transport}: {stop}"));
            continue;
        }
        let got = reader.gather(COUNT as usize, context.patience())?;
        let seqs: Vec<u64> = got.iter().map(|g| g.header.seq).collect();
        let whole = seqs == (0..COUNT).collect::<Vec<_>>();
        if whole || (!context.honours(QosValue::Reliable) && !seqs.is_empty()) {
            done.push(transport.clone());
        } else {
            not.push(format!("{transport}: of {COUNT} samples {}", describe(&seqs)));
        }
    }
    Ok((done, not))
}

pub(crate) fn c09_samples_cross_processes_where_declared(context: &Context) -> Verdict {
    between_processes(context)?;
    let (done, not) = try_all(context)?;
    // Reach is declared for the adapter, not for each transport: one must do it.
    ensure!(!done.is_empty(), "no transport works between processes: {}", not.join("; "));
    let others = if not.is_empty() { "" } else { "; not between processes: " };
    Ok(format!("{}{others}{}", done.join(", "), not.join("; ")))
}

pub(crate) fn c16_destroy_returns_when_the_peer_was_killed(context: &Context) -> Verdict {
    between_processes(context)?;
    let (mut told, mut not) = (Vec::new(), Vec::new());
    for transport in &context.caps.transports {
        let (mut writer, reader, begun) = pair(context, transport)?;
        if let Err(stop) = begun {
            not.push(format!("{transport}: not connected ({stop})"));
            continue;
        }
        let got = reader.gather(1, context.patience() / 4)?;
        writer.kill();
        let what = if got.is_empty() { "before a sample came" } else { "after samples had come" };
        ends("destroying a reader whose writer's process was killed", move || drop(reader))?;
        told.push(format!("{transport}: killed {what}"));
        clear(context);
    }
    ensure!(!told.is_empty(), "{}", not.join("; "));
    told.append(&mut not);
    Ok(told.join(", "))
}

/// What a killed process leaves in the run directory is nobody's fault.
fn clear(context: &Context) {
    for entry in std::fs::read_dir(&context.run_dir).into_iter().flatten().flatten() {
        let _ = std::fs::remove_file(entry.path());
    }
}
