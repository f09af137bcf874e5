//! What is on the bus (C37), from what the crate has discovered: its list of participants, and the readers
//! of its built-in topics, which every participant of the crate has. They are read when somebody asks. A
//! participant discovers itself, so that its own endpoints are among them.

use std::collections::BTreeSet;

use busmark_adapter::{Announced, Durability, Entity, EntityKind, Guid, Liveliness, Result, Scope};
use dust_dds::builtin_topics::{
    DCPS_PUBLICATION, DCPS_SUBSCRIPTION, PublicationBuiltinTopicData, SubscriptionBuiltinTopicData,
};
use dust_dds::domain::domain_participant::DomainParticipant;
use dust_dds::infrastructure::error::DdsError;
use dust_dds::infrastructure::qos_policy::{
    DestinationOrderQosPolicyKind, DurabilityQosPolicy, DurabilityQosPolicyKind,
    LivelinessQosPolicy, LivelinessQosPolicyKind, OwnershipQosPolicyKind, PresentationQosPolicy,
    PresentationQosPolicyAccessScopeKind, ReliabilityQosPolicyKind,
};
use dust_dds::infrastructure::sample_info::{ANY_SAMPLE_STATE, ANY_VIEW_STATE, InstanceStateKind};
use dust_dds::infrastructure::time::DurationKind;
use dust_dds::xtypes::type_support::TypeSupport;

use crate::errors::error;

/// The number of Dust DDS; its GUIDs do not begin with it.
const VENDOR: u32 = 0x0114;

/// `None` without end.
fn nanoseconds(time: DurationKind) -> Option<i64> {
    match time {
        DurationKind::Finite(time) => {
            Some(i64::from(time.sec()) * 1_000_000_000 + i64::from(time.nanosec()))
        }
        DurationKind::Infinite => None,
    }
}

fn durability(policy: &DurabilityQosPolicy) -> Durability {
    match policy.kind {
        DurabilityQosPolicyKind::Volatile => Durability::Volatile,
        DurabilityQosPolicyKind::TransientLocal => Durability::TransientLocal,
        DurabilityQosPolicyKind::Transient => Durability::Transient,
        DurabilityQosPolicyKind::Persistent => Durability::Persistent,
    }
}

fn liveliness(policy: &LivelinessQosPolicy) -> (Liveliness, Option<i64>) {
    let kind = match policy.kind {
        LivelinessQosPolicyKind::Automatic => Liveliness::Automatic,
        LivelinessQosPolicyKind::ManualByParticipant => Liveliness::ManualByParticipant,
        LivelinessQosPolicyKind::ManualByTopic => Liveliness::ManualByTopic,
    };
    (kind, nanoseconds(policy.lease_duration))
}

fn presentation(policy: &PresentationQosPolicy) -> (Scope, bool, bool) {
    let scope = match policy.access_scope {
        PresentationQosPolicyAccessScopeKind::Instance => Scope::Instance,
        PresentationQosPolicyAccessScopeKind::Topic => Scope::Topic,
    };
    (scope, policy.coherent_access, policy.ordered_access)
}

/// What is announced of writers and readers alike.
macro_rules! common {
    ($from:expr) => {
        Announced {
            reliable: Some($from.reliability().kind == ReliabilityQosPolicyKind::Reliable),
            durability: Some(durability($from.durability())),
            deadline_ns: nanoseconds($from.deadline().period),
            latency_budget_ns: nanoseconds($from.latency_budget().duration),
            order_by_source: $from.destination_order().kind
                == DestinationOrderQosPolicyKind::BySourceTimestamp,
            partition: $from.partition().name.clone(),
            liveliness: Some(liveliness($from.liveliness())),
            presentation: Some(presentation($from.presentation())),
            representation: $from.representation().value.iter().map(|form| *form as i16).collect(),
            ..Announced::default()
        }
    };
}

fn writer(from: &PublicationBuiltinTopicData) -> Entity {
    let is_exclusive = from.ownership().kind == OwnershipQosPolicyKind::Exclusive;
    let policies = Announced {
        max_blocking_ns: nanoseconds(from.reliability().max_blocking_time),
        lifespan_ns: nanoseconds(from.lifespan().duration),
        ownership_strength: is_exclusive.then_some(from.ownership_strength().value),
        ..common!(from)
    };
    let key = Guid(from.key().value);
    policies.endpoint(EntityKind::Writer, key, from.topic_name(), from.get_type_name())
}

fn reader(from: &SubscriptionBuiltinTopicData) -> Entity {
    let is_exclusive = from.ownership().kind == OwnershipQosPolicyKind::Exclusive;
    let policies = Announced {
        time_based_filter_ns: nanoseconds(from.time_based_filter().minimum_separation),
        ownership_strength: is_exclusive.then_some(0),
        ..common!(from)
    };
    let key = Guid(from.key().value);
    policies.endpoint(EntityKind::Reader, key, from.topic_name(), from.get_type_name())
}

/// What is alive of a built-in topic; it stays in the crate's reader.
fn alive<T: TypeSupport>(participant: &DomainParticipant, topic: &str) -> Result<Vec<T>> {
    let failed = |e: &DdsError| error(e, &format!("built-in topic {topic}"));
    let subscriber = participant.get_builtin_subscriber();
    let reader = subscriber.lookup_datareader::<T>(topic).map_err(|e| failed(&e))?;
    let reader = reader.ok_or_else(|| failed(&DdsError::NoData))?;
    let states = &[InstanceStateKind::Alive];
    match reader.read(i32::MAX, ANY_SAMPLE_STATE, ANY_VIEW_STATE, states) {
        Ok(samples) => Ok(samples.into_iter().filter_map(|sample| sample.data).collect()),
        Err(DdsError::NoData) => Ok(Vec::new()),
        Err(e) => Err(failed(&e)),
    }
}

/// All that the participant knows of.
pub fn list(participant: &DomainParticipant) -> Result<Vec<Entity>> {
    let own = Guid(participant.get_instance_handle().into());
    let known = participant.get_discovered_participants();
    let known = known.map_err(|e| error(&e, "participants that were found"))?;
    let mut known: BTreeSet<Guid> = known.into_iter().map(|handle| Guid(handle.into())).collect();
    known.remove(&own);
    // The crate keeps neither names nor properties of participants.
    let nothing = |_: &str| String::new();
    let mut found = vec![Entity { vendor: VENDOR, ..Entity::own_participant(own) }];
    found.extend(known.iter().map(|key| Entity::announced(*key, nothing)));
    let writers = alive::<PublicationBuiltinTopicData>(participant, DCPS_PUBLICATION)?;
    let readers = alive::<SubscriptionBuiltinTopicData>(participant, DCPS_SUBSCRIPTION)?;
    let endpoints = writers.iter().map(writer).chain(readers.iter().map(reader));
    // Endpoints of a participant whose lease has ended stay in the crate's readers.
    let participants: BTreeSet<String> = found.iter().map(|one| one.key.clone()).collect();
    let endpoints = endpoints.filter(|one| participants.contains(&one.participant));
    let own = own.to_string();
    found.extend(endpoints.map(|one| Entity { own: one.participant == own, ..one }));
    Entity::set_vendors(&mut found);
    Ok(found)
}
