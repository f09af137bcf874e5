//! C26: QoS changes while traffic flows.

use std::time::Duration;

use busmark_adapter::{Feature, Qos, QosValue, Status};

use super::qos_late::expect_expiry;
use super::qos_plain::{expect_missed_deadline, expect_thinned, missed, with};
use super::qos_routing::expect_owner;
use crate::kit::{Context, Link, Plan, Stop, Verdict, connect, ensure, fail, skip, until, word};

/// Changes both sides; at least one must be able to.
fn change(link: &Link, qos: &Qos) -> Verdict<()> {
    let writer = link.writers[0].handle.set_qos(qos);
    let reader = link.readers[0].handle.set_qos(qos);
    let changed = writer.is_ok() || reader.is_ok();
    for error in [writer, reader].into_iter().filter_map(Result::err) {
        let other_side = changed && error.status == Status::Unsupported;
        ensure!(other_side, "set_qos of a mutable value: {error}");
    }
    Ok(())
}

fn flows(context: &Context, link: &mut Link) -> Verdict<()> {
    let first = link.writer().next();
    link.writer().write_many(3)?;
    link.reader().expect(first, 3, context.patience()).map(drop)
}

pub(crate) fn c26_set_qos_takes_effect_while_traffic_flows(context: &Context) -> Verdict {
    let mut told = Vec::new();
    for &value in &context.caps.qos_mutable {
        let result = match value {
            QosValue::Lifespan => lifespan(context),
            QosValue::Deadline => deadline(context),
            QosValue::Partition => partition(context),
            QosValue::OwnershipStrength => ownership(context),
            QosValue::TimeBasedFilter => time_based_filter(context),
            // They show on a network only: tests of their own.
            QosValue::LatencyBudget | QosValue::TransportPriority => continue,
            _ => fail("the suite knows no way to change it while traffic flows"),
        };
        let name = word(&value);
        told.push(match result {
            Ok(()) => name,
            Err(Stop::Skipped(why)) => format!("{name} not tested: {why}"),
            Err(Stop::Failed(why)) => return fail(format!("{name}: {why}")),
        });
    }
    if told.is_empty() {
        return skip("declares no QoS that can change at run time and shows without a network");
    }
    Ok(told.join(", "))
}

fn lifespan(context: &Context) -> Verdict<()> {
    let mut endpoint = context.late_endpoint()?;
    endpoint.qos.lifespan_ns = Some(3_600_000_000_000);
    let mut link = Link::pair(context, &endpoint)?;
    flows(context, &mut link)?;
    let short = Duration::from_millis(200);
    change(&link, &Qos { lifespan_ns: Some(short.as_nanos() as i64), ..Qos::default() })?;
    expect_expiry(&mut link, short)
}

fn deadline(context: &Context) -> Verdict<()> {
    let endpoint = with(context, |q| q.deadline_ns = Some(3_600_000_000_000));
    let mut link = Link::pair(context, &endpoint)?;
    flows(context, &mut link)?;
    let before = missed(&link).unwrap_or(0);
    ensure!(before == 0, "{before} deadlines of an hour were missed");
    change(&link, &Qos { deadline_ns: Some(50_000_000), ..Qos::default() })?;
    expect_missed_deadline(context, &mut link).map(drop)
}

fn partition(context: &Context) -> Verdict<()> {
    let endpoint = with(context, |q| q.partition = Some("here".to_owned()));
    let mut link = Link::pair(context, &endpoint)?;
    flows(context, &mut link)?;
    let to = |name: &str| Qos { partition: Some(name.to_owned()), ..Qos::default() };
    // One side only, for both would meet again in the new partition.
    let writer = link.writers[0].handle.clone();
    let reader = link.readers[0].handle.clone();
    let set = |qos: &Qos| match writer.set_qos(qos) {
        Err(error) if error.status == Status::Unsupported => reader.set_qos(qos),
        other => other,
    };
    set(&to("there"))?;
    until("samples stop after the move to another partition", context.patience(), || {
        let told = |stop: Stop| stop.to_string();
        link.reader().drain();
        link.writer().write().map_err(told)?;
        let got = link.reader().gather(1, context.options.quiet / 3).map_err(told)?;
        if got.is_empty() { Ok(()) } else { Err("still heard".to_owned()) }
    })?;
    set(&to("here"))?;
    until("samples come again after the move back", context.patience(), || {
        let told = |stop: Stop| stop.to_string();
        link.writer().write().map_err(told)?;
        let got = link.reader().gather(1, context.options.quiet / 3).map_err(told)?;
        if got.is_empty() { Err("not heard".to_owned()) } else { Ok(()) }
    })
}

fn time_based_filter(context: &Context) -> Verdict<()> {
    let separated = |separation: Duration| Qos {
        time_based_filter_ns: Some(separation.as_nanos() as i64),
        ..Qos::default()
    };
    let mut link = Link::pair(context, &context.endpoint())?;
    flows(context, &mut link)?;
    let separation = Duration::from_millis(50);
    change(&link, &separated(separation))?;
    expect_thinned(context, &mut link, separation)?;
    change(&link, &separated(Duration::ZERO))?;
    // The last sample that the filter held back may come now, or with the next one.
    link.writer().write()?;
    link.reader().gather(2, context.options.quiet)?;
    flows(context, &mut link)
}

fn ownership(context: &Context) -> Verdict<()> {
    let weak = with(context, |q| q.ownership_strength = Some(1));
    let mut link = Link::open(context, &Plan::new(context, &weak))?;
    let mut strong = weak.clone();
    strong.qos.ownership_strength = Some(10);
    link.add_writer(context, &strong)?;
    connect(context, &link.writers[1], &link.readers[0])?;
    link.wait_for_match(context)?;
    expect_owner(context, &mut link, 1)?;
    link.writers[0].handle.set_qos(&Qos { ownership_strength: Some(100), ..Qos::default() })?;
    expect_owner(context, &mut link, 0)
}

/// A change that shows where traffic flows, for the values that `Context::endpoint` does not ask for.
fn other(value: QosValue) -> Option<Qos> {
    let none = Qos::default();
    match value {
        QosValue::Reliable | QosValue::KeepAll | QosValue::Volatile | QosValue::OrderBySource => {
            None
        }
        QosValue::BestEffort => Some(Qos { reliable: Some(false), ..none }),
        QosValue::KeepLast => Some(Qos { keep_all: Some(false), depth: 1, ..none }),
        QosValue::TransientLocal => Some(Qos { transient_local: Some(true), ..none }),
        QosValue::Partition => Some(Qos { partition: Some("elsewhere".to_owned()), ..none }),
        QosValue::TimeBasedFilter => {
            Some(Qos { time_based_filter_ns: Some(3_600_000_000_000), ..none })
        }
        number => Qos::number(number, 1),
    }
}

pub(crate) fn c26_what_cannot_change_is_refused_and_changes_nothing(context: &Context) -> Verdict {
    let mut link = Link::pair(context, &context.endpoint())?;
    flows(context, &mut link)?;
    let mut refused = Vec::new();
    for &value in QosValue::ALL {
        if context.caps.qos_mutable.contains(&value) {
            continue;
        }
        let Some(qos) = other(value) else { continue };
        let sides = [link.writers[0].handle.set_qos(&qos), link.readers[0].handle.set_qos(&qos)];
        for (side, result) in ["writer", "reader"].iter().zip(sides) {
            match result {
                Err(error) if error.status == Status::Unsupported => (),
                other => {
                    let gave = other.map_or_else(|error| error.to_string(), |()| "OK".to_owned());
                    let name = word(&value);
                    return fail(format!("{side}_set_qos of {name}, not mutable, gave {gave}"));
                }
            }
        }
        refused.push(word(&value));
    }
    flows(context, &mut link)?;
    if context.has(Feature::Matched) {
        ensure!(link.writer().handle.matched() == Ok(1), "the endpoints no longer match");
    }
    Ok(format!("refused: {}", refused.join(", ")))
}
