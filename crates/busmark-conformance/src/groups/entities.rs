//! C37: what is on the bus.

use std::collections::BTreeSet;

use busmark_adapter::{
    EndpointConfig, Entity, EntityKind, Feature, ParticipantHandle, Qos, QosValue, Status,
};

use super::processes::between_processes;
use crate::kit::{Context, Inbox, Link, Outbox, Plan, Verdict, ensure, skip, told, until};
use crate::peer::PeerProcess;

/// Samples that are written while somebody looks.
const COUNT: u64 = 200;
/// A time that no default has.
const TIME_NS: i64 = 7_250_000_000;

/// An endpoint with every policy that others learn of and that the adapter declares.
fn announced(context: &Context) -> EndpointConfig {
    let endpoint = context.endpoint();
    let qos = Qos {
        transient_local: context.honours(QosValue::TransientLocal).then_some(true),
        deadline_ns: context.honours(QosValue::Deadline).then_some(TIME_NS),
        liveliness_lease_ns: context.honours(QosValue::LivelinessLease).then_some(TIME_NS),
        partition: context.honours(QosValue::Partition).then(|| "busmark_c37".to_owned()),
        ..endpoint.qos
    };
    EndpointConfig { qos, ..endpoint }
}

/// The one of this kind and topic that this participant lists.
fn of(
    participant: &ParticipantHandle,
    kind: EntityKind,
    topic: &str,
) -> Result<Option<Entity>, String> {
    let listed = participant.entities().map_err(|error| error.to_string())?;
    let mut found = listed.into_iter().filter(|e| e.kind == kind && e.topic == topic);
    let first = found.next();
    match found.next() {
        None => Ok(first),
        Some(second) => Err(format!("two of kind {kind:?} on one topic: {first:?}, {second:?}")),
    }
}

/// The same, awaited.
fn appears(
    context: &Context,
    participant: &ParticipantHandle,
    kind: EntityKind,
    topic: &str,
) -> Verdict<Entity> {
    let what = format!("the {kind:?} of the other participant is listed");
    until(&what, context.patience(), || {
        of(participant, kind, topic)?.ok_or_else(|| "it is not listed".to_owned())
    })
}

/// Its own participant, which is listed from the start.
fn own(participant: &ParticipantHandle) -> Verdict<Entity> {
    let listed = participant.entities()?;
    let is_own = |e: &&Entity| e.kind == EntityKind::Participant && e.own;
    let found: Vec<&Entity> = listed.iter().filter(is_own).collect();
    ensure!(found.len() == 1, "a participant lists {} participants as its own", found.len());
    ensure!(!found[0].key.is_empty(), "its own participant has no key");
    Ok(found[0].clone())
}

pub(crate) fn c37_entities_are_listed_with_topic_type_and_qos(context: &Context) -> Verdict {
    context.need(Feature::Entities)?;
    let endpoint = announced(context);
    let (maker, looker) = (context.participant()?, context.participant()?);
    let _writer = maker.writer(&endpoint)?;
    let _reader = Inbox::new(&maker, &endpoint)?;
    let home = own(&maker)?;
    let key = &home.key;
    ensure!(own(&looker)?.key != *key, "two participants have the same key");
    let mut types = BTreeSet::new();
    for kind in [EntityKind::Writer, EntityKind::Reader] {
        let found = appears(context, &looker, kind, &endpoint.topic)?;
        ensure!(
            found.participant == *key,
            "a {kind:?} of {key} is listed of {}",
            found.participant
        );
        ensure!(!found.own, "a {kind:?} of another participant is listed as its own");
        let mine = appears(context, &maker, kind, &endpoint.topic)?;
        ensure!(mine.own, "a participant does not list its own {kind:?} as its own");
        ensure!(mine.key == found.key, "a {kind:?} has the keys {} and {}", mine.key, found.key);
        for one in [&mine, &found] {
            let told = one.qos.clone().unwrap_or_default();
            let (wanted, is) = (known(&endpoint.qos), known(&told));
            ensure!(wanted == is, "a {kind:?} of {wanted:?} is listed with {is:?}");
        }
        types.insert(found.type_name);
    }
    let type_name = types.first().cloned().unwrap_or_default();
    ensure!(
        types.len() == 1 && !type_name.is_empty(),
        "writer and reader of one topic have the types {types:?}"
    );
    let listed = looker.entities()?;
    let there = listed.iter().any(|e| e.kind == EntityKind::Participant && e.key == *key);
    ensure!(there, "the participant {key} is not listed, its endpoints are");
    let keys: BTreeSet<&str> = listed.iter().map(|e| &*e.key).collect();
    ensure!(keys.len() == listed.len(), "{} entities have {} keys", listed.len(), keys.len());
    Ok(format!("a writer and a reader of type {type_name}, on both sides"))
}

/// What others must learn of it, or could not match.
fn known(qos: &Qos) -> (Option<bool>, Option<bool>, [Option<i64>; 2], Option<String>) {
    let times = [qos.deadline_ns, qos.liveliness_lease_ns];
    (qos.reliable, qos.transient_local.or(Some(false)), times, qos.partition.clone())
}

pub(crate) fn c37_what_has_gone_is_not_listed(context: &Context) -> Verdict {
    context.need(Feature::Entities)?;
    let endpoint = context.endpoint();
    let looker = context.participant()?;
    let maker = context.participant()?;
    let key = own(&maker)?.key;
    let writer = maker.writer(&endpoint)?;
    let reader = Inbox::new(&maker, &endpoint)?;
    for kind in [EntityKind::Writer, EntityKind::Reader] {
        appears(context, &looker, kind, &endpoint.topic)?;
    }
    let gone = |kind: EntityKind| {
        let what = format!("the {kind:?} that was closed is not listed any more");
        until(&what, context.patience(), || match of(&looker, kind, &endpoint.topic)? {
            None => Ok(()),
            Some(found) => Err(format!("it still is: {}", found.key)),
        })
    };
    drop(reader);
    gone(EntityKind::Reader)?;
    let left = of(&looker, EntityKind::Writer, &endpoint.topic);
    ensure!(matches!(left, Ok(Some(_))), "with the reader went the writer: {left:?}");
    drop(writer);
    gone(EntityKind::Writer)?;
    drop(maker);
    until("the participant that has left is not listed", context.patience(), || {
        let listed = looker.entities().map_err(|error| error.to_string())?;
        if listed.iter().any(|e| e.key == key) { Err("it still is".to_owned()) } else { Ok(()) }
    })?;
    Ok("reader, writer and participant, one after the other".to_owned())
}

pub(crate) fn c37_looking_changes_nothing(context: &Context) -> Verdict {
    context.need(Feature::Entities)?;
    let endpoint = context.endpoint();
    let mut link = Link::open(context, &Plan::new(context, &endpoint))?;
    let looker = context.participant()?;
    // A writer that nobody reads: whoever matched with it would be counted.
    let alone = context.endpoint();
    let lonely = Outbox::new(&link.writing, &alone, 1, context.patience())?;
    appears(context, &looker, EntityKind::Writer, &alone.topic)?;
    appears(context, &looker, EntityKind::Writer, &endpoint.topic)?;
    appears(context, &looker, EntityKind::Reader, &endpoint.topic)?;
    // Both must have found each other, or what is new would be the other one.
    let key = own(&looker)?.key;
    let ours = [&link.writing, &link.reading, &looker].map(own);
    let ours: BTreeSet<String> = ours.into_iter().map(|e| Ok(e?.key)).collect::<Verdict<_>>()?;
    // Other programs may join this domain, and leave it.
    let keys = |participant: &ParticipantHandle| -> Verdict<BTreeSet<String>> {
        let listed = participant.entities()?.into_iter();
        Ok(listed.filter(|e| ours.contains(&e.participant)).map(|e| e.key).collect())
    };
    until("the one that looks is found", context.patience(), || {
        let listed = link.writing.entities().map_err(|error| error.to_string())?;
        if listed.iter().any(|e| e.key == key) { Ok(()) } else { Err("it is not".to_owned()) }
    })?;
    let before = (keys(&link.writing)?, keys(&looker)?);
    let heard = std::thread::scope(|scope| {
        let looking = scope.spawn(|| (0..20).try_for_each(|_| looker.entities().map(drop)));
        let heard = link.exchange(COUNT, context.patience());
        let looked = looking.join().unwrap_or_else(|_| {
            Err(Status::Failed.error("entities() panicked while samples were written"))
        });
        looked.map_err(Into::into).and(heard)
    })?;
    if context.honours(QosValue::Reliable) {
        let got = heard[0].len() as u64;
        ensure!(got == COUNT, "{got} of {COUNT} samples arrived while a third participant looked");
    }
    let after = (keys(&link.writing)?, keys(&looker)?);
    ensure!(before == after, "looking has added or removed entities: {before:?}, then {after:?}");
    if context.has(Feature::Matched) {
        let count = lonely.handle.matched();
        ensure!(count == Ok(0), "a writer that was looked at counts {} readers", told(&count));
    }
    Ok(format!("{} entities before, during and after", after.1.len()))
}

pub(crate) fn c37_entities_of_another_process_are_listed(context: &Context) -> Verdict {
    context.need(Feature::Entities)?;
    between_processes(context)?;
    let endpoint = context.endpoint();
    let plan = Plan::new(context, &endpoint);
    let looker = context.library.participant(&plan.reader.participant)?;
    let reader = Inbox::new(&looker, &endpoint)?;
    let mut peer =
        PeerProcess::start(context, &plan.writer, 1, std::time::Duration::from_millis(1))?;
    peer.connect(context, &reader)?;
    let found = appears(context, &looker, EntityKind::Writer, &endpoint.topic)?;
    ensure!(!found.own, "a writer of another process is listed as its own");
    let listed = looker.entities()?;
    let home = listed
        .iter()
        .find(|e| e.kind == EntityKind::Participant && e.key == found.participant)
        .cloned();
    let Some(home) = home else {
        return crate::kit::fail(format!("its participant {} is not listed", found.participant));
    };
    peer.kill();
    drop(reader);
    let told = |text: &str| if text.is_empty() { "?".to_owned() } else { text.to_owned() };
    Ok(format!("a process {} on host {}", told(&home.process), told(&home.host)))
}

pub(crate) fn c37_without_the_feature_nothing_is_listed(context: &Context) -> Verdict {
    if context.has(Feature::Entities) {
        return skip("declares entities");
    }
    let listed = context.participant()?.entities();
    let status = listed.as_ref().map_err(|error| error.status).map(Vec::len);
    ensure!(
        status == Err(Status::Unsupported),
        "entities gave {status:?}, although the feature ENTITIES is not declared"
    );
    Ok("entities is unsupported".to_owned())
}
