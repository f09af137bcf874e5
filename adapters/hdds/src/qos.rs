//! Quality of service: what is asked for, in the library's terms. What is not asked for stays at the
//! library's default (C8), which is that of `QoS::reliable` and `QoS::best_effort`.

use std::time::Duration;

use busmark_adapter::{Qos, QosValue};
use hdds::dds::qos::{Durability, History, Reliability};
use hdds::dds::{Lifespan, Ownership, OwnershipStrength, Partition, QoS};

/// The values that have their effect here; `NOTES.md` says what became of the others.
pub const HONOURED: &[QosValue] = &[
    QosValue::BestEffort,
    QosValue::Volatile,
];

/// `DataRepresentationId` of XCDR version 1.
const XCDR1: u16 = 0;

/// For a writer or a reader: the library has one set for both.
pub fn native(asked: &Qos) -> QoS {
    let mut qos = if asked.reliable == Some(true) { QoS::reliable() } else { QoS::best_effort() };
    qos.data_representation = vec![XCDR1];
    if let Some(reliable) = asked.reliable {
        qos.reliability = if reliable { Reliability::Reliable } else { Reliability::BestEffort };
    }
    if let Some(keep_all) = asked.keep_all {
        qos.history = match u32::try_from(asked.depth) {
            Ok(depth) if !keep_all => History::KeepLast(depth),
            _ => History::KeepAll,
        };
    }
    if let Some(transient_local) = asked.transient_local {
        qos.durability =
            if transient_local { Durability::TransientLocal } else { Durability::Volatile };
    }
    if let Some(ns) = asked.lifespan_ns {
        qos.lifespan = Lifespan { duration: Duration::from_nanos(ns.max(0).unsigned_abs()) };
    }
    if let Some(name) = &asked.partition {
        qos.partition = Partition::single(name);
    }
    if let Some(strength) = asked.ownership_strength {
        qos.ownership = Ownership::exclusive();
        qos.ownership_strength = OwnershipStrength { value: strength };
    }
    qos
}
