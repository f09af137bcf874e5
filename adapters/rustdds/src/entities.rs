//! What is on the bus (C37): endpoints of others from the crate's snapshots of its discovery, their
//! participants from the events that are read for matches anyway, and what this participant has made.

use std::collections::BTreeMap;

use busmark_adapter::{
    Announced, Durability, Entity, EntityKind, Guid, Liveliness, OwnEndpoints, Scope,
};
use rustdds::policy::{self, DestinationOrder, History, Ownership, Reliability};
use rustdds::{DomainParticipant, Duration, GUID, QosPolicies, RTPSEntity};

use crate::matches::Matches;

/// As RTPS has it.
pub fn guid(of: GUID) -> Guid {
    Guid(of.to_bytes())
}

/// `None` without end.
fn nanoseconds(time: Duration) -> Option<i64> {
    (time != Duration::INFINITE).then_some(time.to_nanoseconds())
}

fn durability(policy: policy::Durability) -> Durability {
    match policy {
        policy::Durability::Volatile => Durability::Volatile,
        policy::Durability::TransientLocal => Durability::TransientLocal,
        policy::Durability::Transient => Durability::Transient,
        policy::Durability::Persistent => Durability::Persistent,
    }
}

fn liveliness(policy: policy::Liveliness) -> (Liveliness, Option<i64>) {
    let kind = match policy {
        policy::Liveliness::Automatic { .. } => Liveliness::Automatic,
        policy::Liveliness::ManualByParticipant { .. } => Liveliness::ManualByParticipant,
        policy::Liveliness::ManualByTopic { .. } => Liveliness::ManualByTopic,
    };
    (kind, nanoseconds(policy.duration()))
}

fn presentation(policy: policy::Presentation) -> (Scope, bool, bool) {
    let scope = match policy.access_scope {
        policy::PresentationAccessScope::Instance => Scope::Instance,
        policy::PresentationAccessScope::Topic => Scope::Topic,
        policy::PresentationAccessScope::Group => Scope::Group,
    };
    (scope, policy.coherent_access, policy.ordered_access)
}

/// Policies in the contract's terms.
fn announced(from: &QosPolicies) -> Announced {
    Announced {
        reliable: from.reliability().map(|kind| kind != Reliability::BestEffort),
        max_blocking_ns: from.reliable_max_blocking_time().and_then(nanoseconds),
        durability: from.durability().map(durability),
        deadline_ns: from.deadline().and_then(|policy| nanoseconds(policy.0)),
        latency_budget_ns: from.latency_budget().and_then(|policy| nanoseconds(policy.duration)),
        lifespan_ns: from.lifespan().and_then(|policy| nanoseconds(policy.duration)),
        time_based_filter_ns: from
            .time_based_filter()
            .and_then(|policy| nanoseconds(policy.minimum_separation)),
        ownership_strength: from.ownership().and_then(|policy| match policy {
            Ownership::Exclusive { strength } => Some(strength),
            Ownership::Shared => None,
        }),
        order_by_source: from.destination_order() == Some(DestinationOrder::BySourceTimeStamp),
        history: from.history().map(|policy| match policy {
            History::KeepAll => (true, 0),
            History::KeepLast { depth } => (false, depth),
        }),
        max_samples: from.resource_limits().map(|limits| limits.max_samples),
        liveliness: from.liveliness().map(liveliness),
        presentation: from.presentation().map(presentation),
        representation: from.data_representation().map(|forms| forms.value).unwrap_or_default(),
        ..Announced::default()
    }
}

/// An endpoint of this participant.
pub fn own(kind: EntityKind, key: GUID, topic: &str, type_name: &str, qos: &QosPolicies) -> Entity {
    Entity { own: true, ..announced(qos).endpoint(kind, guid(key), topic, type_name) }
}

/// Policies of another's endpoint: what it does not announce has the specification's default.
fn of_others(kind: EntityKind, from: &QosPolicies) -> Announced {
    let policies = announced(from);
    let durability = policies.durability.or(Some(Durability::Volatile));
    let reliable = policies.reliable.or(Some(kind == EntityKind::Writer));
    Announced { durability, reliable, ..policies }
}

/// What others have made.
fn others(participant: &DomainParticipant) -> Vec<Entity> {
    let writers = participant.discovered_writers().into_iter().map(|found| {
        let data = found.publication_topic_data;
        let policies = of_others(EntityKind::Writer, &data.qos());
        policies.endpoint(EntityKind::Writer, guid(data.key), data.topic_name, data.type_name)
    });
    let readers = participant.discovered_readers().into_iter().map(|found| {
        let data = found.subscription_topic_data;
        let (topic, type_name) = (data.topic_name().as_str(), data.type_name().as_str());
        let policies = of_others(EntityKind::Reader, &data.qos());
        policies.endpoint(EntityKind::Reader, guid(data.key()), topic, type_name)
    });
    writers.chain(readers).collect()
}

/// All that the participant knows of.
pub fn list(
    participant: &DomainParticipant,
    matches: &Matches,
    own: &OwnEndpoints<Entity>,
) -> Vec<Entity> {
    let here = Entity::own_participant(guid(participant.guid()));
    let mut participants: BTreeMap<String, Entity> =
        matches.participants().into_iter().map(|one| (one.key.clone(), one)).collect();
    let endpoints = others(participant);
    // The crate drops events when 2048 wait, and has them later than the endpoints.
    for one in &endpoints {
        participants.entry(one.participant.clone()).or_insert_with(|| Entity {
            vendor: one.vendor,
            ..Entity::participant(one.participant.as_str())
        });
    }
    // A participant with multicast hears itself.
    participants.remove(&here.key);
    let endpoints = endpoints.into_iter().filter(|one| one.participant != here.key);
    let mut found: Vec<Entity> = participants.into_values().chain(endpoints).collect();
    found.extend(own.each(Entity::clone));
    found.push(here);
    Entity::set_vendors(&mut found);
    found
}
