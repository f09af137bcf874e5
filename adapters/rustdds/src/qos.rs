//! Quality of service: what is asked for, in the crate's terms. What is not asked for stays at the
//! crate's default (C8).

use busmark_adapter::{EndpointConfig, Qos, QosValue};
use rustdds::policy::{Deadline, Durability, History, Reliability, ResourceLimits};
use rustdds::{Duration, QosPolicies, QosPolicyBuilder};

/// The values that have their effect here. `NOTES.md` says what is wrong with the others.
pub const HONOURED: &[QosValue] = &[
    QosValue::BestEffort,
    QosValue::Reliable,
    QosValue::KeepLast,
    QosValue::Volatile,
    QosValue::TransientLocal,
    QosValue::Deadline,
];

/// DDS specification, 2.2.3: the default of a reliable writer. The crate has none, for there is no
/// reliability without this time there.
const MAX_BLOCKING_NS: i64 = 100_000_000;

/// Samples that the crate's cache of a topic holds if it is told nothing.
const CACHE_SAMPLES: i32 = 64;

/// For a topic, a publisher or a subscriber: nothing.
pub fn none() -> QosPolicies {
    QosPolicyBuilder::new().build()
}

/// For a writer.
pub fn writer(qos: &Qos) -> QosPolicies {
    endpoint(qos).build()
}

/// For a reader. The crate's cache of a topic does not know instances: on a keyed topic it is given room
/// for the history of each.
pub fn reader(config: &EndpointConfig) -> QosPolicies {
    let mut builder = endpoint(&config.qos);
    if config.instances > 0 {
        let instances = i32::try_from(config.instances).unwrap_or(i32::MAX);
        let depth = config.qos.depth.max(1);
        builder = builder.resource_limits(ResourceLimits {
            max_samples: instances.saturating_mul(depth).max(CACHE_SAMPLES),
            max_instances: instances,
            max_samples_per_instance: depth,
        });
    }
    builder.build()
}

fn endpoint(qos: &Qos) -> QosPolicyBuilder {
    let mut builder = QosPolicyBuilder::new();
    if let Some(reliable) = qos.reliable {
        let ns = if qos.max_blocking_ns > 0 { qos.max_blocking_ns } else { MAX_BLOCKING_NS };
        builder = builder.reliability(if reliable {
            Reliability::Reliable { max_blocking_time: Duration::from_nanos(ns) }
        } else {
            Reliability::BestEffort
        });
    }
    if qos.keep_all.is_some() {
        builder = builder.history(History::KeepLast { depth: qos.depth.max(1) });
    }
    if let Some(transient_local) = qos.transient_local {
        builder = builder.durability(if transient_local {
            Durability::TransientLocal
        } else {
            Durability::Volatile
        });
    }
    if let Some(ns) = qos.deadline_ns {
        builder = builder.deadline(Deadline(Duration::from_nanos(ns)));
    }
    builder
}
