//! C3 to C5: failures tell why, misuse is refused, the process is left alone.

use busmark_adapter::{EndpointConfig, Payload, Qos, QosValue, Status, Wait};

use super::config::failed;
use crate::kit::{Context, Link, Stop, Verdict, body, ensure, fail, skip, word};
use crate::raw::{RawError, RawParticipant, RawTable, Shape, system};

/// A number that no enumeration of the contract holds.
const UNKNOWN: u32 = 99;

/// Samples of the look at standard output.
const SAMPLES: u64 = 1000;

fn participant(context: &Context) -> Verdict<(RawTable, RawParticipant)> {
    let table = RawTable::of(&context.library).map_err(Stop::Failed)?;
    let participant =
        RawParticipant::new(&table, &context.participant_config(0)).map_err(failed)?;
    Ok((table, participant))
}

/// The call must have been refused as misuse.
pub(super) fn refused<T>(what: &str, result: Result<T, RawError>) -> Verdict<RawError> {
    let allowed = [Status::Invalid as u32, Status::Unsupported as u32];
    match result {
        Ok(_) => fail(format!("{what} was accepted")),
        Err(error) if allowed.contains(&error.status) => Ok(error),
        Err(error) => fail(format!(
            "{what} gave status {} ({}) instead of invalid or unsupported",
            error.status, error.message
        )),
    }
}

pub(crate) fn c03_every_failure_says_what_failed(context: &Context) -> Verdict {
    let (table, mut raw) = participant(context)?;
    let mut config = context.participant_config(0);
    "no-such-transport".clone_into(&mut config.transport);
    let unknown = Shape { payload: Some(UNKNOWN), ..Shape::default() };
    let endpoint = context.endpoint();
    let failures = [
        ("participant_create", RawParticipant::new(&table, &config).map(drop)),
        ("writer_create", raw.writer(&endpoint, unknown).map(drop)),
        ("reader_create", raw.reader(&endpoint, unknown, None).map(drop)),
    ];
    let mut messages = Vec::new();
    for (call, result) in failures {
        let error = refused(call, result)?;
        ensure!(error.message.len() >= 8, "{call} failed with the message {:?}", error.message);
        ensure!(
            error.stored_status == error.status,
            "{call} returned {} and stored {} in the error",
            error.status,
            error.stored_status
        );
        messages.push(format!("{call}: {}", error.message));
    }
    Ok(messages.join("; "))
}

pub(crate) fn c04_an_undeclared_transport_is_refused(context: &Context) -> Verdict {
    let table = RawTable::of(&context.library).map_err(Stop::Failed)?;
    for name in ["no-such-transport", ""] {
        let mut config = context.participant_config(0);
        name.clone_into(&mut config.transport);
        refused(&format!("transport {name:?}"), RawParticipant::new(&table, &config))?;
    }
    Ok("unknown and empty names were refused".to_owned())
}

pub(crate) fn c04_an_unknown_option_is_refused(context: &Context) -> Verdict {
    let table = RawTable::of(&context.library).map_err(Stop::Failed)?;
    let mut config = context.participant_config(0);
    config.settings.push(("no_such_option".to_owned(), "1".to_owned()));
    let error = refused("option no_such_option", RawParticipant::new(&table, &config))?;
    Ok(error.message)
}

/// Tries each shape on a reader, and on a writer too if `writers`.
fn shapes_refused(context: &Context, shapes: &[(String, Shape)], writers: bool) -> Verdict {
    let (_table, mut raw) = participant(context)?;
    let endpoint = EndpointConfig { wait: Wait::Poll, qos: Qos::default(), ..context.endpoint() };
    // Without a listener a reader that listens is refused anyway: try a strategy that needs none.
    let wait = context.late_wait().unwrap_or(Wait::Listener);
    for (what, shape) in shapes {
        if writers {
            refused(&format!("a writer with {what}"), raw.writer(&endpoint, *shape))?;
        }
        let shape = Shape { wait: shape.wait.or(Some(wait as u32)), ..*shape };
        refused(&format!("a reader with {what}"), raw.reader(&endpoint, shape, None))?;
    }
    let names: Vec<_> = shapes.iter().map(|(what, _)| what.as_str()).collect();
    Ok(format!("refused: {}", names.join(", ")))
}

pub(crate) fn c04_an_undeclared_payload_kind_is_refused(context: &Context) -> Verdict {
    let mut shapes: Vec<_> = Payload::ALL
        .into_iter()
        .chain([Payload::Type])
        .filter(|k| !context.caps.payloads.contains(k))
        .map(|k| (word(&k), Shape { payload: Some(k as u32), ..Shape::default() }))
        .collect();
    let unknown = Shape { payload: Some(UNKNOWN), ..Shape::default() };
    shapes.push((format!("payload kind {UNKNOWN}"), unknown));
    shapes_refused(context, &shapes, true)
}

pub(crate) fn c04_an_undeclared_wait_strategy_is_refused(context: &Context) -> Verdict {
    let mut shapes: Vec<_> = Wait::ALL
        .iter()
        .filter(|w| !context.caps.waits.contains(w))
        .map(|w| (word(w), Shape { wait: Some(*w as u32), ..Shape::default() }))
        .collect();
    for wait in [0, UNKNOWN] {
        let shape = Shape { wait: Some(wait), ..Shape::default() };
        shapes.push((format!("wait strategy {wait}"), shape));
    }
    let detail = shapes_refused(context, &shapes, false)?;
    let (_table, mut raw) = participant(context)?;
    let ignored = Shape { wait: Some(0), ..Shape::default() };
    raw.writer(&context.endpoint(), ignored).map_err(failed)?;
    Ok(format!("{detail}; a writer ignores the strategy"))
}

pub(crate) fn c04_an_undeclared_qos_value_is_refused(context: &Context) -> Verdict {
    let mut shapes: Vec<_> = QosValue::ALL
        .iter()
        .filter(|q| !context.caps.qos.contains(q))
        .map(|q| (word(q), Shape { qos: *q as u32, ..Shape::default() }))
        .collect();
    shapes.push(("QoS bit 31".to_owned(), Shape { qos: 1 << 31, ..Shape::default() }));
    let pairs =
        [[QosValue::Reliable, QosValue::BestEffort], [QosValue::KeepAll, QosValue::KeepLast]];
    for pair in pairs {
        let qos = QosValue::bits(&pair);
        let both = format!("{} and {} together", word(&pair[0]), word(&pair[1]));
        shapes.push((both, Shape { qos, ..Shape::default() }));
    }
    shapes_refused(context, &shapes, true)
}

pub(crate) fn c04_a_body_larger_than_the_endpoint_is_refused(context: &Context) -> Verdict {
    if context.payload() == Payload::Empty {
        return skip("declares no payload kind with a body");
    }
    let endpoint = context.endpoint();
    let participant = context.participant()?;
    let writer = participant.writer(&endpoint)?;
    let element = endpoint.payload.element_bytes() as u64;
    let over = body(endpoint.payload, endpoint.max_body_bytes + element);
    match writer.sample(&over) {
        Ok(_) => fail(format!(
            "a body of {} bytes was accepted by an endpoint made for {}",
            over.len(),
            endpoint.max_body_bytes
        )),
        Err(e) if matches!(e.status, Status::Invalid | Status::Unsupported) => Ok(e.message),
        Err(e) => fail(format!("refused as {} instead of invalid or unsupported", e.status)),
    }
}

pub(crate) fn c04_an_endpoint_larger_than_the_capabilities_is_refused(
    context: &Context,
) -> Verdict {
    let limit = context.caps.max_body_bytes;
    if limit == u64::MAX {
        return skip("declares no largest body");
    }
    let (_table, mut raw) = participant(context)?;
    let endpoint = EndpointConfig { max_body_bytes: limit + 1, ..context.endpoint() };
    let what = format!("a writer of {} bytes", limit + 1);
    Ok(refused(&what, raw.writer(&endpoint, Shape::default()))?.message)
}

pub(crate) fn c04_a_topic_without_a_name_is_refused(context: &Context) -> Verdict {
    let (_table, mut raw) = participant(context)?;
    let endpoint = EndpointConfig { topic: String::new(), ..context.endpoint() };
    Ok(refused("a writer of a nameless topic", raw.writer(&endpoint, Shape::default()))?.message)
}

pub(crate) fn c04_a_listener_that_does_not_fit_the_strategy_is_refused(
    context: &Context,
) -> Verdict {
    context.need_wait(Wait::Listener)?;
    let (_table, mut raw) = participant(context)?;
    let endpoint = EndpointConfig { wait: Wait::Listener, ..context.endpoint() };
    let what = "the listener strategy without a listener";
    Ok(refused(what, raw.reader(&endpoint, Shape::default(), None))?.message)
}

/// Creates, exchanges, destroys.
fn whole_cycle(context: &Context) -> Verdict<()> {
    let mut link = Link::pair(context, &context.endpoint())?;
    link.writer().write_many(3)?;
    link.reader().gather(3, context.patience())?;
    Ok(())
}

pub(crate) fn c05_nothing_is_printed_on_standard_output(context: &Context) -> Verdict {
    // Some print at their first sample, others now and then.
    whole_cycle(context)?;
    let mut link = Link::pair(context, &context.endpoint())?;
    link.exchange(SAMPLES, context.options.quiet * 3)?;
    drop(link);
    let printed = context.process.printed()?;
    let text = String::from_utf8_lossy(&printed);
    ensure!(text.is_empty(), "printed {} bytes: {text:.200?}", text.len());
    Ok(format!("a whole cycle and {SAMPLES} samples printed nothing"))
}

pub(crate) fn c05_signal_handlers_are_left_alone(context: &Context) -> Verdict {
    let participant = context.participant()?;
    let during = system::signal_handlers();
    drop(participant);
    whole_cycle(context)?;
    let after = system::signal_handlers();
    let before = &context.process.handlers;
    for now in [during, after] {
        let changed: Vec<_> =
            now.iter().zip(before).filter(|(n, b)| n != b).map(|(n, _)| n.0.to_string()).collect();
        ensure!(changed.is_empty(), "handlers changed of signals {}", changed.join(", "));
    }
    Ok(format!("{} signals keep their handlers", before.len()))
}
