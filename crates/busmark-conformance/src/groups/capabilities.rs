//! C9, C10: what is declared is true and constant.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use busmark_adapter::{
    CapabilityReport, Carrier, Disclosure, EndpointConfig, Feature, Payload, Qos, QosValue, Reach,
    Status, Wait,
};

use crate::kit::process::internet_sockets;
use crate::kit::{Context, Got, Link, Plan, Stop, Verdict, ensure, fail, skip, word};
use crate::raw::RawTable;

pub(crate) fn c09_declarations_are_complete_and_consistent(context: &Context) -> Verdict {
    let caps = &context.caps;
    let wrong = faults_of(caps);
    ensure!(wrong.is_empty(), "{}", wrong.join("; "));
    let raw = RawTable::of(&context.library).map_err(Stop::Failed)?;
    let Some(c) = raw.capabilities() else { return fail("capabilities is NULL") };
    let payloads = Payload::ALL.iter().fold(Payload::Type.bit(), |bits, p| bits | p.bit());
    let unknown = [
        ("waits", c.waits & !Wait::bits(Wait::ALL)),
        ("reach", c.reach & !Reach::bits(Reach::ALL)),
        ("payloads", c.payloads & !payloads),
        ("qos", c.qos & !QosValue::bits(QosValue::ALL)),
        ("qos_mutable", c.qos_mutable & !c.qos),
    ];
    for (field, bits) in unknown {
        ensure!(bits == 0, "{field} has bits that do not belong there: {bits:#x}");
    }
    let beyond = raw.disclosures() & !Disclosure::bits(Disclosure::ALL);
    ensure!(beyond == 0, "disclosures has bits that do not belong there: {beyond:#x}");
    let unknown = caps.transports.iter().find(|name| !caps.carriers.contains_key(*name));
    if let Some(name) = unknown.filter(|_| raw.has_carriers()) {
        return fail(format!("transport {name}: its carrier is none of the contract's"));
    }
    Ok(format!("{} {} ({})", caps.title, caps.version, caps.middleware_version))
}

/// What is missing or contradicts itself.
fn faults_of(caps: &CapabilityReport) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut rule = |holds: bool, text: &str| {
        if !holds {
            wrong.push(text.to_owned());
        }
    };
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(c);
    rule(!caps.name.is_empty() && caps.name.chars().all(plain), "name is not of a–z, 0–9, _ and -");
    rule(!caps.title.is_empty(), "title is empty");
    rule(!caps.version.is_empty(), "version is empty");
    rule(!caps.middleware_version.is_empty(), "middleware_version is empty");
    rule(!caps.licence.is_empty(), "licence is empty");
    rule(!caps.waits.is_empty(), "no wait strategy");
    rule(!caps.reach.is_empty(), "no reach");
    rule(!caps.payloads.is_empty(), "no payload kind");
    rule(!caps.transports.is_empty(), "no transport");
    rule(caps.transports.iter().all(|t| !t.is_empty()), "a transport without a name");
    let documented = |o: &busmark_adapter::OptionReport| !o.key.is_empty() && !o.doc.is_empty();
    rule(caps.options.iter().all(documented), "an option without key or doc");
    let body = caps.payloads.iter().any(|p| *p != Payload::Empty);
    rule(!body || caps.max_body_bytes > 0, "payload kinds with a body, but max_body_bytes 0");
    let nested = caps.has(Feature::WriteInListener) || !caps.has(Feature::KeepAllInListener);
    rule(nested, "keep_all_in_listener without write_in_listener");
    let listener = caps.waits.contains(&Wait::Listener);
    rule(listener || !caps.has(Feature::WriteInListener), "write_in_listener without a listener");
    wrong
}

pub(crate) fn c09_every_wait_strategy_receives(context: &Context) -> Verdict {
    for &wait in &context.caps.waits {
        let endpoint = EndpointConfig { wait, ..context.endpoint() };
        let mut link = Link::pair(context, &endpoint)?;
        link.writer().write_many(10)?;
        link.reader().expect(0, 10, context.patience()).map_err(|stop| named(wait, stop))?;
    }
    Ok(context.caps.waits.iter().map(word).collect::<Vec<_>>().join(", "))
}

fn named(what: impl std::fmt::Debug, stop: Stop) -> Stop {
    match stop {
        Stop::Failed(text) => Stop::Failed(format!("{what:?}: {text}")),
        skipped @ Stop::Skipped(_) => skipped,
    }
}

pub(crate) fn c09_every_transport_carries_samples(context: &Context) -> Verdict {
    let mut done = Vec::new();
    let mut missing = Vec::new();
    for name in &context.caps.transports {
        let plan = Plan::new(context, &context.endpoint()).transport(context, name);
        // A transport may need something that this host lacks; the adapter says what.
        if let Err(error) = context.library.participant(&plan.writer.participant)
            && error.status == Status::Unavailable
        {
            missing.push(format!("{name}: {}", error.message));
            continue;
        }
        let mut link = Link::open(context, &plan).map_err(|stop| named(name, stop))?;
        link.writer().write_many(10)?;
        link.reader().expect(0, 10, context.patience()).map_err(|stop| named(name, stop))?;
        done.push(name.as_str());
    }
    if done.is_empty() {
        return skip(format!("no transport can be used on this host: {}", missing.join("; ")));
    }
    let note = if missing.is_empty() { "" } else { "; not on this host: " };
    Ok(format!("{}{note}{}", done.join(", "), missing.join("; ")))
}

pub(crate) fn c09_transports_use_the_sockets_of_their_carriers(context: &Context) -> Verdict {
    context.serve();
    let mut told = Vec::new();
    for (name, carrier) in &context.caps.carriers {
        let before = internet_sockets();
        let plan = Plan::new(context, &context.endpoint()).transport(context, name);
        let Ok(mut link) = Link::open(context, &plan) else { continue }; // Tested above.
        link.writer().write()?;
        link.reader().expect(0, 1, context.patience()).map_err(|stop| named(name, stop))?;
        let now = internet_sockets();
        let count = |kind| now.iter().filter(|socket| socket.0 == kind).count();
        let (udp, tcp) = (count("udp"), count("tcp"));
        let holds = match carrier {
            // A runtime may have had its sockets before.
            Carrier::Udp => udp > 0,
            Carrier::Tcp => tcp > 0,
            Carrier::Memory => now.is_subset(&before),
            // Discovery may go over the network all the same.
            Carrier::SharedMemory | Carrier::Local | Carrier::Mixed => true,
        };
        ensure!(holds, "{name}: {udp} UDP and {tcp} TCP sockets, declared as {carrier:?}");
        told.push(format!("{name}: {udp} UDP, {tcp} TCP"));
    }
    if told.is_empty() {
        return skip("no transport tells its carrier, or none can be used on this host");
    }
    Ok(told.join("; "))
}

/// Between writing and taking, where the source's stamp must lie before the middle.
const ASLEEP: Duration = Duration::from_millis(200);

pub(crate) fn c09_source_time_is_the_writers(context: &Context) -> Verdict {
    context.need(Feature::SourceTime)?;
    let mut link = Link::pair(context, &context.late_endpoint()?)?;
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos() as i64);
    // The clock may be set in between: once is enough.
    let mut last = 0;
    for _ in 0..3 {
        let before = now();
        link.writer().write()?;
        std::thread::sleep(ASLEEP);
        let until = before + ASLEEP.as_nanos() as i64 / 2;
        let got = link.reader().gather(1, context.patience())?;
        ensure!(!got.is_empty(), "no sample arrived");
        let stamp = got[0].source_ns;
        if (before..until).contains(&stamp) {
            let after = (stamp - before) / 1000;
            return Ok(format!("stamped {after} µs after the call of write(), taken after 200 ms"));
        }
        last = (stamp - before) / 1_000_000;
    }
    fail(format!(
        "source_ns is {last} ms after the call of write(), in a sample that was taken after 200 ms: it \
         must be stamped by the writer"
    ))
}

pub(crate) fn c09_flush_matters_where_batching_is_declared(context: &Context) -> Verdict {
    context.need(Feature::Batching)?;
    let mut plan = Plan::new(context, &context.endpoint());
    if context.has(Feature::Faults) && context.caps.options.iter().any(|o| o.key == "reorder") {
        // What it holds back is what it reorders.
        plan.writer.participant.settings.push(("reorder".to_owned(), "1".to_owned()));
    }
    let mut link = Link::open(context, &plan)?;
    let mut held = 0;
    for round in 0..20 {
        let seq = link.writer().try_write()?;
        let early = link.reader().gather(1, context.options.quiet / 20)?;
        link.writers[0].handle.flush()?;
        if !early.is_empty() {
            continue;
        }
        held += 1;
        let got = link.reader().gather(1, context.patience())?;
        ensure!(got.iter().any(|g| g.header.seq == seq), "sample {seq} did not come after flush()");
        if held == 3 {
            let of = round + 1;
            return Ok(format!("{held} of {of} samples came with flush() and not before"));
        }
    }
    fail("declares BATCHING, but 20 samples came at once, without flush(): do not declare it")
}

type Stamp = fn(&Got) -> i64;

/// Stamps further than this from the clock are not `CLOCK_REALTIME`; loose, for the clock may be set.
const PLAUSIBLE_NS: i128 = 3_600_000_000_000;

pub(crate) fn c09_time_stamps_are_there_exactly_if_declared(context: &Context) -> Verdict {
    let mut link = Link::pair(context, &context.endpoint())?;
    link.writer().write_many(5)?;
    let got = link.reader().expect(0, 5, context.patience())?;
    let stamps: [(&str, Feature, Stamp); 2] = [
        ("source", Feature::SourceTime, |g| g.source_ns),
        ("reception", Feature::ReceptionTime, |g| g.reception_ns),
    ];
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos() as i128);
    let mut told = Vec::new();
    for (name, feature, stamp) in stamps {
        let declared = context.has(feature);
        for ns in got.iter().map(stamp) {
            ensure!((ns != 0) == declared, "{name} time {ns} although declared is {declared}");
            let off = (i128::from(ns) - now).abs();
            ensure!(!declared || off < PLAUSIBLE_NS, "{name} time {ns} is not CLOCK_REALTIME");
        }
        told.push(format!("{name} time {}", if declared { "present" } else { "absent" }));
    }
    Ok(told.join(", "))
}

/// Fault options of an adapter with the feature FAULTS, one at a time, with its counter.
pub(crate) fn c09_injected_faults_are_counted_exactly(context: &Context) -> Verdict {
    context.need(Feature::Faults)?;
    let count = 500;
    let mut told = Vec::new();
    for fault in ["drop", "duplicate", "reorder", "corrupt"] {
        if !context.caps.options.iter().any(|o| o.key == fault) {
            continue;
        }
        let mut plan = Plan::new(context, &context.endpoint());
        plan.writer.participant.settings = vec![(fault.to_owned(), "0.1".to_owned())];
        plan.reader.participant.settings.clear();
        let mut link = Link::open(context, &plan)?;
        for _ in 0..count {
            // Without a flush each: that would release a sample that is held back.
            link.writer().try_write()?;
        }
        link.writers[0].handle.flush()?;
        let c = link.writers[0].handle.counters();
        let (counted, enough) = match fault {
            "drop" => (c.injected_drops, count - c.injected_drops.unwrap_or(0)),
            "duplicate" => (c.injected_duplicates, count + c.injected_duplicates.unwrap_or(0)),
            "reorder" => (c.injected_reorders, count),
            _ => (c.injected_corruptions, count),
        };
        let got = link.reader().gather(enough as usize, context.patience())?;
        let seen = seen(fault, count, &got);
        ensure!(
            counted == Some(seen) && seen > 0,
            "{fault}: counted {}, seen at the reader {seen}",
            counted.map_or("as absent".to_owned(), |n| n.to_string())
        );
        told.push(format!("{fault} {seen}"));
    }
    Ok(format!("of {count} samples each: {}", told.join(", ")))
}

fn seen(fault: &str, count: u64, got: &[Got]) -> u64 {
    let kind = |g: &&Got| !busmark_adapter::verify_pattern(Payload::Octet, &g.body);
    match fault {
        "drop" => count - got.len() as u64,
        "duplicate" => got.len() as u64 - count,
        "reorder" => got.windows(2).filter(|w| w[1].header.seq < w[0].header.seq).count() as u64,
        _ => got.iter().filter(kind).count() as u64,
    }
}

pub(crate) fn c10_capabilities_are_constant(context: &Context) -> Verdict {
    let raw = RawTable::of(&context.library).map_err(Stop::Failed)?;
    let first = raw.capabilities().map(std::ptr::from_ref);
    let mut link =
        Link::pair(context, &EndpointConfig { qos: Qos::default(), ..context.endpoint() })?;
    link.writer().try_write().ok();
    let during = busmark_adapter::Library::open(context.library.path());
    drop(link);
    let after = busmark_adapter::Library::open(context.library.path());
    for library in [during, after] {
        match library {
            Ok(library) => ensure!(
                *library.capabilities() == context.caps,
                "the capabilities changed while the middleware was in use"
            ),
            Err(error) => return fail(error.to_string()),
        }
    }
    let last = raw.capabilities().map(std::ptr::from_ref);
    ensure!(first == last, "the table points to other capabilities than before");
    Ok("the same before, during and after use".to_owned())
}
