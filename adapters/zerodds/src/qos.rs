//! Quality of service: what is asked for, in the library's terms. What is not asked for stays at the
//! library's default (C8).

use busmark_adapter::{Qos, QosValue};
use zerodds_dcps::qos::{
    DestinationOrderKind, DurabilityKind, HistoryKind, HistoryQosPolicy, OwnershipKind,
    ReliabilityKind, ResourceLimitsQosPolicy,
};
use zerodds_dcps::{DataReaderQos, DataWriterQos};
use zerodds_qos::Duration;

/// The values that have their effect here.
pub const HONOURED: &[QosValue] = &[
    QosValue::BestEffort,
    QosValue::Reliable,
    QosValue::KeepLast,
    QosValue::KeepAll,
    QosValue::Volatile,
    QosValue::TransientLocal,
    QosValue::Lifespan,
    QosValue::Deadline,
    QosValue::LatencyBudget,
    QosValue::TransportPriority,
    QosValue::Partition,
    QosValue::OwnershipStrength,
    QosValue::OrderBySource,
    QosValue::ResourceLimits,
    QosValue::TimeBasedFilter,
];

/// The values of an enabled endpoint that can change.
pub const MUTABLE: &[QosValue] = &[
    QosValue::Lifespan,
    QosValue::Deadline,
    QosValue::LatencyBudget,
    QosValue::TransportPriority,
    QosValue::Partition,
    QosValue::OwnershipStrength,
    QosValue::TimeBasedFilter,
];

/// `DataRepresentationId` of XCDR version 1.
const XCDR1: i16 = 0;
/// `DataRepresentationId` of XCDR version 2.
const XCDR2: i16 = 2;

/// Nanoseconds in the library's terms.
fn duration(ns: i64) -> Duration {
    let ns = ns.max(0).unsigned_abs();
    let seconds = i32::try_from(ns / 1_000_000_000);
    // Below a thousand million, hence within 32 bits.
    #[allow(clippy::cast_possible_truncation)]
    let rest = (ns % 1_000_000_000) as u32;
    seconds.map_or(Duration::INFINITE, |s| Duration::from_sec_nanosec(s, rest))
}

/// The partition, as publishers and subscribers name it.
pub fn partition(qos: &Qos) -> Vec<String> {
    qos.partition.iter().cloned().collect()
}

/// For a writer.
pub fn writer(asked: &Qos) -> DataWriterQos {
    let mut qos =
        DataWriterQos { data_representation: Some(vec![XCDR1]), ..DataWriterQos::default() };
    if let Some(kind) = reliability(asked) {
        qos.reliability.kind = kind;
    }
    if asked.max_blocking_ns > 0 {
        qos.reliability.max_blocking_time = duration(asked.max_blocking_ns);
    }
    if let Some(kind) = durability(asked) {
        qos.durability.kind = kind;
    }
    if let Some(history) = history(asked) {
        qos.history = history;
    }
    if let Some(limits) = limits(asked) {
        qos.resource_limits = limits;
    }
    if let Some(strength) = asked.ownership_strength {
        qos.ownership.kind = OwnershipKind::Exclusive;
        qos.ownership_strength.value = strength;
    }
    if asked.order_by_source {
        qos.destination_order.kind = DestinationOrderKind::BySourceTimestamp;
    }
    change_writer(asked, &mut qos);
    qos
}

/// For a reader.
pub fn reader(asked: &Qos) -> DataReaderQos {
    let representations = Some(vec![XCDR1, XCDR2]);
    let mut qos =
        DataReaderQos { data_representation: representations, ..DataReaderQos::default() };
    if let Some(kind) = reliability(asked) {
        qos.reliability.kind = kind;
    }
    if let Some(kind) = durability(asked) {
        qos.durability.kind = kind;
    }
    if let Some(history) = history(asked) {
        qos.history = history;
    }
    if let Some(limits) = limits(asked) {
        qos.resource_limits = limits;
    }
    if asked.ownership_strength.is_some() {
        qos.ownership.kind = OwnershipKind::Exclusive;
    }
    if asked.order_by_source {
        qos.destination_order.kind = DestinationOrderKind::BySourceTimestamp;
    }
    change_reader(asked, &mut qos);
    qos
}

/// What can change of an enabled writer.
pub fn change_writer(asked: &Qos, qos: &mut DataWriterQos) {
    if let Some(lifespan) = asked.lifespan_ns {
        qos.lifespan.duration = duration(lifespan);
    }
    if let Some(deadline) = asked.deadline_ns {
        qos.deadline.period = duration(deadline);
    }
    if let Some(budget) = asked.latency_budget_ns {
        qos.latency_budget.duration = duration(budget);
    }
    if let Some(priority) = asked.transport_priority {
        qos.transport_priority.value = priority;
    }
    if let Some(strength) = asked.ownership_strength {
        qos.ownership_strength.value = strength;
    }
}

/// What can change of an enabled reader.
pub fn change_reader(asked: &Qos, qos: &mut DataReaderQos) {
    if let Some(deadline) = asked.deadline_ns {
        qos.deadline.period = duration(deadline);
    }
    if let Some(budget) = asked.latency_budget_ns {
        qos.latency_budget.duration = duration(budget);
    }
    if let Some(separation) = asked.time_based_filter_ns {
        qos.time_based_filter.minimum_separation = duration(separation);
    }
}

fn reliability(asked: &Qos) -> Option<ReliabilityKind> {
    asked.reliable.map(|r| if r { ReliabilityKind::Reliable } else { ReliabilityKind::BestEffort })
}

fn durability(asked: &Qos) -> Option<DurabilityKind> {
    let kind = |t| if t { DurabilityKind::TransientLocal } else { DurabilityKind::Volatile };
    asked.transient_local.map(kind)
}

fn history(asked: &Qos) -> Option<HistoryQosPolicy> {
    asked.keep_all.map(|all| {
        let kind = if all { HistoryKind::KeepAll } else { HistoryKind::KeepLast };
        HistoryQosPolicy { kind, depth: if all { 1 } else { asked.depth } }
    })
}

/// The bound is the whole endpoint's; an instance may use all of it.
fn limits(asked: &Qos) -> Option<ResourceLimitsQosPolicy> {
    let of = |max_samples| ResourceLimitsQosPolicy { max_samples, ..Default::default() };
    asked.max_samples.map(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_asked_for_stays_as_shipped() {
        let shipped =
            DataWriterQos { data_representation: Some(vec![XCDR1]), ..DataWriterQos::default() };
        assert_eq!(writer(&Qos::default()), shipped);
        let shipped = DataReaderQos {
            data_representation: Some(vec![XCDR1, XCDR2]),
            ..DataReaderQos::default()
        };
        assert_eq!(reader(&Qos::default()), shipped);
    }

    #[test]
    fn durations_keep_their_nanoseconds_and_the_longest_is_infinite() {
        assert_eq!(duration(1_500_000_001).to_nanos(), 1_500_000_001);
        assert_eq!(duration(-1), Duration::ZERO);
        assert!(duration(i64::MAX).is_infinite());
    }
}
