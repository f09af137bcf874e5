//! What is on the bus (C37): endpoints of others from the readers of the library's built-in topics, which
//! every participant has and the library fills; participants from its list; and what this participant has
//! made. All of it is read when somebody asks.

use std::collections::BTreeMap;

use busmark_adapter::{
    Announced, Durability, EndpointConfig, Entity, EntityKind, Guid, Liveliness, OwnEndpoints,
    Result, Scope, Status,
};
use zerodds_dcps::qos::{
    DestinationOrderKind, DurabilityKind, HistoryKind, LivelinessKind, LivelinessQosPolicy,
    OwnershipKind, PresentationAccessScope, PresentationQosPolicy, ReliabilityKind,
};
use zerodds_dcps::sample_info::{instance_state_mask, sample_state_mask, view_state_mask};
use zerodds_dcps::{
    DataReader, DataReaderQos, DataWriterQos, DcpsPublicationBuiltinTopicData,
    DcpsSubscriptionBuiltinTopicData, DdsType, DomainParticipant, PublisherQos, SubscriberQos,
};
use zerodds_qos::Duration;

use crate::error::error;

/// `None` without end.
fn nanoseconds(time: Duration) -> Option<i64> {
    if time.is_infinite() { None } else { i64::try_from(time.to_nanos()).ok() }
}

fn durability(kind: DurabilityKind) -> Durability {
    match kind {
        DurabilityKind::Volatile => Durability::Volatile,
        DurabilityKind::TransientLocal => Durability::TransientLocal,
        DurabilityKind::Transient => Durability::Transient,
        DurabilityKind::Persistent => Durability::Persistent,
    }
}

fn liveliness(policy: &LivelinessQosPolicy) -> (Liveliness, Option<i64>) {
    let kind = match policy.kind {
        LivelinessKind::Automatic => Liveliness::Automatic,
        LivelinessKind::ManualByParticipant => Liveliness::ManualByParticipant,
        LivelinessKind::ManualByTopic => Liveliness::ManualByTopic,
    };
    (kind, nanoseconds(policy.lease_duration))
}

fn presentation(policy: PresentationQosPolicy) -> (Scope, bool, bool) {
    let scope = match policy.access_scope {
        PresentationAccessScope::Instance => Scope::Instance,
        PresentationAccessScope::Topic => Scope::Topic,
        PresentationAccessScope::Group => Scope::Group,
    };
    (scope, policy.coherent_access, policy.ordered_access)
}

/// What structures of the library name alike; `$group` has what publishers and subscribers say.
macro_rules! common {
    ($from:expr, $group:expr) => {
        Announced {
            reliable: Some($from.reliability.kind == ReliabilityKind::Reliable),
            durability: Some(durability($from.durability.kind)),
            deadline_ns: nanoseconds($from.deadline.period),
            latency_budget_ns: nanoseconds($from.latency_budget.duration),
            order_by_source: $from.destination_order.kind
                == DestinationOrderKind::BySourceTimestamp,
            liveliness: Some(liveliness(&$from.liveliness)),
            partition: $group.partition.names.clone(),
            presentation: Some(presentation($group.presentation)),
            ..Announced::default()
        }
    };
}

fn publication(from: &DcpsPublicationBuiltinTopicData) -> Entity {
    let is_exclusive = from.ownership.kind == OwnershipKind::Exclusive;
    let policies = Announced {
        max_blocking_ns: nanoseconds(from.reliability.max_blocking_time),
        lifespan_ns: nanoseconds(from.lifespan.duration),
        ownership_strength: is_exclusive.then_some(from.ownership_strength.value),
        ..common!(from, from)
    };
    let key = Guid(from.key.to_bytes());
    policies.endpoint(EntityKind::Writer, key, &*from.topic_name, &*from.type_name)
}

fn subscription(from: &DcpsSubscriptionBuiltinTopicData) -> Entity {
    let is_exclusive = from.ownership.kind == OwnershipKind::Exclusive;
    let policies = Announced {
        time_based_filter_ns: nanoseconds(from.time_based_filter.minimum_separation),
        ownership_strength: is_exclusive.then_some(0),
        ..common!(from, from)
    };
    let key = Guid(from.key.to_bytes());
    policies.endpoint(EntityKind::Reader, key, &*from.topic_name, &*from.type_name)
}

/// What an endpoint of this participant is, but for its policies.
pub struct Own {
    key: Guid,
    topic: String,
    type_name: &'static str,
}

impl Own {
    /// An endpoint of the runtime with this prefix.
    pub fn new<T: DdsType>(prefix: [u8; 12], id: [u8; 4], config: &EndpointConfig) -> Self {
        let mut key = [0; 16];
        key[..12].copy_from_slice(&prefix);
        key[12..].copy_from_slice(&id);
        Self { key: Guid(key), topic: config.topic.clone(), type_name: T::TYPE_NAME }
    }

    fn with(&self, kind: EntityKind, policies: Announced) -> Entity {
        Entity { own: true, ..policies.endpoint(kind, self.key, &*self.topic, self.type_name) }
    }

    /// A writer with these policies.
    pub fn writer(&self, qos: &DataWriterQos, group: &PublisherQos) -> Entity {
        let is_exclusive = qos.ownership.kind == OwnershipKind::Exclusive;
        let policies = Announced {
            max_blocking_ns: nanoseconds(qos.reliability.max_blocking_time),
            lifespan_ns: nanoseconds(qos.lifespan.duration),
            transport_priority: Some(qos.transport_priority.value),
            ownership_strength: is_exclusive.then_some(qos.ownership_strength.value),
            history: Some((qos.history.kind == HistoryKind::KeepAll, qos.history.depth)),
            max_samples: Some(qos.resource_limits.max_samples),
            representation: qos.data_representation.clone().unwrap_or_default(),
            ..common!(qos, group)
        };
        self.with(EntityKind::Writer, policies)
    }

    /// A reader with these policies.
    pub fn reader(&self, qos: &DataReaderQos, group: &SubscriberQos) -> Entity {
        let is_exclusive = qos.ownership.kind == OwnershipKind::Exclusive;
        let policies = Announced {
            time_based_filter_ns: nanoseconds(qos.time_based_filter.minimum_separation),
            ownership_strength: is_exclusive.then_some(0),
            history: Some((qos.history.kind == HistoryKind::KeepAll, qos.history.depth)),
            max_samples: Some(qos.resource_limits.max_samples),
            representation: qos.data_representation.clone().unwrap_or_default(),
            ..common!(qos, group)
        };
        self.with(EntityKind::Reader, policies)
    }
}

/// What is alive of a built-in topic; it stays in the library's reader.
fn alive<T: DdsType + Send + 'static>(
    reader: &DataReader<T>,
    make: fn(&T) -> Entity,
) -> Result<Vec<Entity>> {
    let (sample, view) = (sample_state_mask::ANY, view_state_mask::ANY);
    let samples = reader
        .read_filtered(sample, view, instance_state_mask::ALIVE)
        .map_err(|e| error(&e, "samples of a built-in topic"))?;
    Ok(samples.iter().filter(|one| one.info.valid_data).map(|one| make(&one.data)).collect())
}

/// All that the participant knows of.
pub fn list(participant: &DomainParticipant, own: &OwnEndpoints<Entity>) -> Result<Vec<Entity>> {
    let runtime = participant.runtime();
    let runtime = runtime.ok_or_else(|| Status::Failed.error("the participant is offline"))?;
    let mut key = [0; 16];
    key[..12].copy_from_slice(&runtime.guid_prefix.to_bytes());
    let here = Entity::own_participant(Guid(key).participant());
    let mut participants = BTreeMap::new();
    for found in runtime.discovered_participants() {
        let properties = &found.data.properties.entries;
        let property = |name: &str| {
            let known = properties.iter().find(|one| one.name == name);
            known.map(|one| one.value.clone()).unwrap_or_default()
        };
        let vendor = u16::from_be_bytes(found.data.vendor_id.0).into();
        let key = Guid(found.data.guid.to_bytes());
        let found = Entity { vendor, ..Entity::announced(key, property) };
        participants.insert(found.key.clone(), found);
    }
    participants.remove(&here.key);
    let builtin = participant.get_builtin_subscriber();
    let mut endpoints = alive(&builtin.publication_reader(), publication)?;
    endpoints.extend(alive(&builtin.subscription_reader(), subscription)?);
    endpoints.retain(|one| participants.contains_key(&one.participant));
    let mut found = vec![here];
    found.extend(participants.into_values());
    found.extend(endpoints);
    found.extend(own.each(Entity::clone));
    Entity::set_vendors(&mut found);
    Ok(found)
}
