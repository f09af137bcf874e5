//! Quality of service: what is asked for, in the crate's terms. What is not asked for stays at the
//! crate's default (C8).

use busmark_adapter::{Qos, QosValue};
use dust_dds::infrastructure::qos::{DataReaderQos, DataWriterQos, PublisherQos, SubscriberQos};
use dust_dds::infrastructure::qos_policy::{
    DurabilityQosPolicyKind, HistoryQosPolicyKind, OwnershipQosPolicyKind, PartitionQosPolicy,
    ReliabilityQosPolicyKind, XCDR_DATA_REPRESENTATION, XCDR2_DATA_REPRESENTATION,
};
use dust_dds::infrastructure::time::{Duration, DurationKind};

/// The values that have their effect here. `NOTES.md` says what is wrong with the others.
pub const HONOURED: &[QosValue] = &[
    QosValue::BestEffort,
    QosValue::Reliable,
    QosValue::KeepLast,
    QosValue::Volatile,
    QosValue::TransientLocal,
    QosValue::Lifespan,
    QosValue::Deadline,
    QosValue::Partition,
    QosValue::OwnershipStrength,
    QosValue::TimeBasedFilter,
];

/// The values that can change while traffic flows.
pub const MUTABLE: &[QosValue] = &[
    QosValue::Lifespan,
    QosValue::Deadline,
    QosValue::OwnershipStrength,
    QosValue::TimeBasedFilter,
];

/// Those of them that mean something to a writer.
pub const MUTABLE_BY_WRITER: &[QosValue] =
    &[QosValue::Lifespan, QosValue::Deadline, QosValue::OwnershipStrength];

/// Those of them that mean something to a reader.
pub const MUTABLE_BY_READER: &[QosValue] = &[QosValue::Deadline, QosValue::TimeBasedFilter];

/// The longest duration up to this one that a peer of the crate reads as it was announced. The crate
/// announces fractions of 2⁻³² s, and reads some of them as a nanosecond less: 0.2 s is then more than the
/// other end's 199,999,999 ns, and the two do not match.
fn duration(ns: i64) -> DurationKind {
    const SECOND: u64 = 1_000_000_000;
    let (seconds, rest) = (ns.max(0) as u64 / SECOND, ns.max(0) as u64 % SECOND);
    let read = |ns: u64| ((((ns << 32) + SECOND / 2) / SECOND) * SECOND) >> 32;
    let rest = (0..=rest).rev().find(|ns| read(*ns) == *ns).unwrap_or(0);
    DurationKind::Finite(Duration::new(i32::try_from(seconds).unwrap_or(i32::MAX), rest as u32))
}

fn partition(qos: &Qos) -> PartitionQosPolicy {
    PartitionQosPolicy { name: qos.partition.iter().cloned().collect() }
}

fn durability(qos: &Qos) -> Option<DurabilityQosPolicyKind> {
    qos.transient_local.map(|yes| {
        if yes {
            DurabilityQosPolicyKind::TransientLocal
        } else {
            DurabilityQosPolicyKind::Volatile
        }
    })
}

fn reliability(qos: &Qos) -> Option<ReliabilityQosPolicyKind> {
    qos.reliable.map(|yes| {
        if yes { ReliabilityQosPolicyKind::Reliable } else { ReliabilityQosPolicyKind::BestEffort }
    })
}

fn history(qos: &Qos) -> Option<HistoryQosPolicyKind> {
    qos.keep_all.map(|_| HistoryQosPolicyKind::KeepLast(qos.depth.max(1) as u32))
}

/// For the publisher of a writer.
pub fn publisher(qos: &Qos) -> PublisherQos {
    PublisherQos { partition: partition(qos), ..PublisherQos::default() }
}

/// For the subscriber of a reader.
pub fn subscriber(qos: &Qos) -> SubscriberQos {
    SubscriberQos { partition: partition(qos), ..SubscriberQos::default() }
}

/// For a writer.
pub fn writer(qos: &Qos) -> DataWriterQos {
    let mut native = DataWriterQos::default();
    if let Some(kind) = reliability(qos) {
        native.reliability.kind = kind;
    }
    if qos.max_blocking_ns > 0 {
        native.reliability.max_blocking_time = duration(qos.max_blocking_ns);
    }
    if let Some(kind) = history(qos) {
        native.history.kind = kind;
    }
    if let Some(kind) = durability(qos) {
        native.durability.kind = kind;
    }
    if qos.ownership_strength.is_some() {
        native.ownership.kind = OwnershipQosPolicyKind::Exclusive;
    }
    change_writer(&mut native, qos);
    native
}

/// What can change of a writer.
pub fn change_writer(native: &mut DataWriterQos, qos: &Qos) {
    if let Some(ns) = qos.lifespan_ns {
        native.lifespan.duration = duration(ns);
    }
    if let Some(ns) = qos.deadline_ns {
        native.deadline.period = duration(ns);
    }
    if let Some(strength) = qos.ownership_strength {
        native.ownership_strength.value = strength;
    }
}

/// For a reader. It takes both encodings; writers send XCDR1, the crate's default.
pub fn reader(qos: &Qos) -> DataReaderQos {
    let mut native = DataReaderQos::default();
    native.representation.value = vec![XCDR_DATA_REPRESENTATION, XCDR2_DATA_REPRESENTATION];
    if let Some(kind) = reliability(qos) {
        native.reliability.kind = kind;
    }
    if let Some(kind) = history(qos) {
        native.history.kind = kind;
    }
    if let Some(kind) = durability(qos) {
        native.durability.kind = kind;
    }
    if qos.ownership_strength.is_some() {
        native.ownership.kind = OwnershipQosPolicyKind::Exclusive;
    }
    change_reader(&mut native, qos);
    native
}

/// What can change of a reader.
pub fn change_reader(native: &mut DataReaderQos, qos: &Qos) {
    if let Some(ns) = qos.deadline_ns {
        native.deadline.period = duration(ns);
    }
    if let Some(ns) = qos.time_based_filter_ns {
        native.time_based_filter.minimum_separation = duration(ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_one_that_the_crate_reads_as_it_was_announced() {
        let finite = |seconds, ns| DurationKind::Finite(Duration::new(seconds, ns));
        assert_eq!(duration(200_000_000), finite(0, 199_999_999));
        assert_eq!(duration(2_100_000_000), finite(2, 100_000_000));
        assert_eq!(duration(-1), finite(0, 0));
    }
}
