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
    QosValue::KeepAll,
    QosValue::Volatile,
    QosValue::TransientLocal,
    QosValue::Deadline,
];

/// Limit of a reliable write, if none is asked for: the default of the DDS specification, because
/// the crate wants a value.
const MAX_BLOCKING: Duration = Duration::from_millis(100);

/// What a reader stores of one topic where it is to keep all, in bytes of body and in samples. The
/// crate wants a bound, 64 samples by default, because nothing leaves the store when it is taken.
const STORE_BYTES: u64 = 256 << 20;
const STORE_SAMPLES: std::ops::RangeInclusive<u64> = 64..=8192;

/// For a writer with this send window: samples that may be unacknowledged, which the crate takes from
/// the resource limits.
pub fn writer(config: &EndpointConfig, send_window: Option<i32>) -> QosPolicies {
    let native = policies(config);
    match send_window {
        Some(samples) => native.resource_limits(limits(samples, samples)).build(),
        None => native.build(),
    }
}

/// For a reader.
pub fn reader(config: &EndpointConfig) -> QosPolicies {
    let native = policies(config);
    let qos = &config.qos;
    match qos.keep_all {
        Some(true) => {
            let all = STORE_BYTES / config.max_body_bytes.max(1);
            let all = all.clamp(*STORE_SAMPLES.start(), *STORE_SAMPLES.end()) as i32;
            native.resource_limits(limits(all, all)).build()
        }
        // The last of each instance: the store does not know instances, so it must hold all of them.
        Some(false) if config.instances > 0 => {
            let all = i64::from(depth(qos)) * i64::from(config.instances);
            let all = i32::try_from(all).unwrap_or(i32::MAX);
            native.resource_limits(limits(all, depth(qos))).build()
        }
        _ => native.build(),
    }
}

/// What both have in common.
fn policies(config: &EndpointConfig) -> QosPolicyBuilder {
    let qos = &config.qos;
    let mut native = QosPolicyBuilder::new();
    if let Some(reliable) = qos.reliable {
        native = native.reliability(reliability(qos, reliable));
    }
    if let Some(keep_all) = qos.keep_all {
        let depth = depth(qos);
        native =
            native.history(if keep_all { History::KeepAll } else { History::KeepLast { depth } });
    }
    if let Some(transient_local) = qos.transient_local {
        native = native.durability(if transient_local {
            Durability::TransientLocal
        } else {
            Durability::Volatile
        });
    }
    if let Some(ns) = qos.deadline_ns {
        native = native.deadline(Deadline(Duration::from_nanos(ns)));
    }
    native
}

fn depth(qos: &Qos) -> i32 {
    qos.depth.max(1)
}

fn reliability(qos: &Qos, reliable: bool) -> Reliability {
    if !reliable {
        return Reliability::BestEffort;
    }
    let max_blocking_time = match qos.max_blocking_ns {
        0 => MAX_BLOCKING,
        ns => Duration::from_nanos(ns),
    };
    Reliability::Reliable { max_blocking_time }
}

fn limits(max_samples: i32, max_samples_per_instance: i32) -> ResourceLimits {
    ResourceLimits { max_samples, max_instances: max_samples, max_samples_per_instance }
}
