//! Quality of service: what is asked for, as the library's XML. What is not asked for stays at the
//! library's default (C8).

use busmark_adapter::{EndpointConfig, Qos, QosValue, Result, Status, escape_xml};

use crate::options::{Settings, Transport};
use crate::profiles;
use crate::types::Shape;
use crate::xml::{duration, element, properties};

/// The values that have their effect here. `NOTES.md` says what is wrong with the others.
pub const HONOURED: &[QosValue] = &[
    QosValue::BestEffort,
    QosValue::Reliable,
    QosValue::KeepLast,
    QosValue::KeepAll,
    QosValue::Volatile,
    QosValue::TransientLocal,
    QosValue::Lifespan,
    QosValue::Deadline,
    QosValue::TransportPriority,
    QosValue::Partition,
    QosValue::OwnershipStrength,
    QosValue::OrderBySource,
    QosValue::ResourceLimits,
    QosValue::TimeBasedFilter,
];

/// The values that can change while traffic flows.
pub const MUTABLE: &[QosValue] = &[
    QosValue::Lifespan,
    QosValue::Deadline,
    QosValue::Partition,
    QosValue::OwnershipStrength,
    QosValue::TimeBasedFilter,
];

/// Those of them that mean something to a writer.
const MUTABLE_BY_WRITER: &[QosValue] =
    &[QosValue::Lifespan, QosValue::Deadline, QosValue::Partition, QosValue::OwnershipStrength];

/// Those of them that mean something to a reader.
const MUTABLE_BY_READER: &[QosValue] =
    &[QosValue::Deadline, QosValue::Partition, QosValue::TimeBasedFilter];

/// What the vendor advises for latency with reliability, built into its library ("Built-in QoS
/// profiles" of the reference).
const LOW_LATENCY: &str = "BuiltinQosSnippetLib::Optimization.ReliabilityProtocol.LowLatency";
/// The same for reliable samples in fragments. As shipped what is lost of one is sent again after three
/// seconds, a few fragments at a time: so large samples do not arrive at all (C7).
const LARGE_DATA: &str = "BuiltinQosSnippetLib::Optimization.ReliabilityProtocol.LargeData";
/// Samples that the library makes room for at first.
const INITIAL_SAMPLES: i32 = 32;
/// Heartbeats along with samples, in a full history, as the library ships.
const SHIPPED_HEARTBEATS: i32 = 8;
/// Room in a message for what is not sample: headers, time stamp, inline QoS, a heartbeat.
const MESSAGE_OVERHEAD: usize = 1024;
/// Buffers of the history are made beforehand up to this size, larger ones when needed.
const LARGEST_POOLED: usize = 64 << 10;

/// Which side an endpoint is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// With its publisher.
    Writer,
    /// With its subscriber.
    Reader,
}

/// Fails for what has no effect on this transport (C8).
pub fn check(settings: &Settings, qos: &Qos) -> Result<()> {
    if qos.transport_priority.is_some() && settings.transport == Transport::SharedMemory {
        return Err(Status::Unsupported.error("shared memory has no transport priority"));
    }
    Ok(())
}

/// The document with the profile of an endpoint whose QoS is `qos`.
pub fn document(settings: &Settings, config: &EndpointConfig, qos: &Qos, side: Side) -> String {
    let (group, endpoint) = match side {
        Side::Writer => ("publisher_qos", "datawriter_qos"),
        Side::Reader => ("subscriber_qos", "datareader_qos"),
    };
    let partition = qos.partition.as_ref().map_or_else(String::new, |name| {
        element("partition", element("name", element("element", escape_xml(name))))
    });
    let mut policies = common(qos);
    policies.push(match side {
        Side::Writer => writer(settings, config, qos),
        Side::Reader => reader(qos),
    });
    policies.push(pool(config, side));
    let base = if needs_fragments(settings, config, qos) {
        Some(LARGE_DATA)
    } else {
        settings.is_tuned.then_some(LOW_LATENCY)
    };
    let policies = element(group, partition) + &element(endpoint, policies.concat());
    profiles::document(base, &policies)
}

fn kind(policy: &str, kind: &str) -> String {
    element(policy, element("kind", kind))
}

/// What writers and readers have alike.
fn common(qos: &Qos) -> Vec<String> {
    let mut list = Vec::new();
    match qos.keep_all {
        Some(true) => list.push(kind("history", "KEEP_ALL_HISTORY_QOS")),
        Some(false) => {
            let depth = element("depth", qos.depth.max(1));
            list.push(element("history", element("kind", "KEEP_LAST_HISTORY_QOS") + &depth));
        }
        None => (),
    }
    match qos.transient_local {
        Some(true) => list.push(kind("durability", "TRANSIENT_LOCAL_DURABILITY_QOS")),
        Some(false) => list.push(kind("durability", "VOLATILE_DURABILITY_QOS")),
        None => (),
    }
    if let Some(ns) = qos.deadline_ns {
        list.push(element("deadline", duration("period", ns)));
    }
    if qos.ownership_strength.is_some() {
        list.push(kind("ownership", "EXCLUSIVE_OWNERSHIP_QOS"));
    }
    if qos.order_by_source {
        list.push(kind("destination_order", "BY_SOURCE_TIMESTAMP_DESTINATIONORDER_QOS"));
    }
    list.push(element("resource_limits", resource_limits(qos)));
    list
}

fn resource_limits(qos: &Qos) -> String {
    match qos.max_samples {
        Some(max) => {
            element("max_samples", max)
                + &element("max_samples_per_instance", max)
                + &element("initial_samples", max.min(INITIAL_SAMPLES))
        }
        // As shipped. The vendor's advice on the protocol has 256 for readers.
        None => element("max_samples", "LENGTH_UNLIMITED"),
    }
}

fn reliability(qos: &Qos, max_blocking: &str) -> String {
    let kind = match qos.reliable {
        Some(true) => element("kind", "RELIABLE_RELIABILITY_QOS"),
        Some(false) => element("kind", "BEST_EFFORT_RELIABILITY_QOS"),
        None => String::new(),
    };
    element("reliability", kind + max_blocking)
}

fn writer(settings: &Settings, config: &EndpointConfig, qos: &Qos) -> String {
    let mut max_blocking = String::new();
    if qos.max_blocking_ns > 0 {
        max_blocking = duration("max_blocking_time", qos.max_blocking_ns);
    }
    let mut list = vec![reliability(qos, &max_blocking)];
    if let Some(ns) = qos.lifespan_ns {
        list.push(element("lifespan", duration("duration", ns)));
    }
    if let Some(priority) = qos.transport_priority {
        list.push(element("transport_priority", element("value", priority)));
    }
    if let Some(strength) = qos.ownership_strength {
        list.push(element("ownership_strength", element("value", strength)));
    }
    if settings.asynchronous || needs_fragments(settings, config, qos) {
        list.push(kind("publish_mode", "ASYNCHRONOUS_PUBLISH_MODE_QOS"));
    }
    let protocol = reliable_protocol(settings, qos);
    if !protocol.is_empty() {
        list.push(element("protocol", element("rtps_reliable_writer", protocol)));
    }
    list.concat()
}

fn reliable_protocol(settings: &Settings, qos: &Qos) -> String {
    let mut protocol = String::new();
    if let Some(max) = qos.max_samples {
        // As shipped. Those of the vendor's advice may be above what may be stored, an error.
        protocol += &element("low_watermark", 0);
        protocol += &element("high_watermark", 1);
        protocol += &element("heartbeats_per_max_samples", max.min(SHIPPED_HEARTBEATS));
    }
    if let Some(ns) = settings.heartbeat_period_ns {
        let periods = ["heartbeat_period", "fast_heartbeat_period", "late_joiner_heartbeat_period"];
        protocol += &periods.map(|name| duration(name, ns)).concat();
    }
    protocol
}

/// Whether the library wants a thread of its own to send: "in order to use the large data feature with
/// reliability the writer must be an asynchronous one" (its reference, Large Data Use Cases).
fn needs_fragments(settings: &Settings, config: &EndpointConfig, qos: &Qos) -> bool {
    let shipped = match settings.transport {
        Transport::Udp => 65_507,
        Transport::SharedMemory => 65_536,
    };
    let message = settings.message_bytes.unwrap_or(shipped) as usize;
    let largest = Shape::new(config).serialized_bytes(config.max_body_bytes as usize);
    // Writers are reliable as shipped.
    qos.reliable != Some(false) && largest + MESSAGE_OVERHEAD > message
}

fn reader(qos: &Qos) -> String {
    let mut list = vec![reliability(qos, "")];
    if let Some(ns) = qos.time_based_filter_ns {
        list.push(element("time_based_filter", duration("minimum_separation", ns)));
    }
    list.concat()
}

/// The types have no bound, so the library needs the size of the buffers that it allocates
/// beforehand ("Sequences with unbounded members" of its manual).
fn pool(config: &EndpointConfig, side: Side) -> String {
    let largest = Shape::new(config).serialized_bytes(config.max_body_bytes as usize);
    let of = match side {
        Side::Writer => "writer",
        Side::Reader => "reader",
    };
    let name = format!("dds.data_{of}.history.memory_manager.fast_pool.pool_buffer_max_size");
    properties(&[(name, largest.min(LARGEST_POOLED).to_string())])
}

/// `qos` with the values that `change` has, if they mean something to that side.
pub fn changed(qos: &Qos, change: &Qos, side: Side) -> Result<Qos> {
    change.require(match side {
        Side::Writer => MUTABLE_BY_WRITER,
        Side::Reader => MUTABLE_BY_READER,
    })?;
    Ok(Qos {
        lifespan_ns: change.lifespan_ns.or(qos.lifespan_ns),
        deadline_ns: change.deadline_ns.or(qos.deadline_ns),
        partition: change.partition.clone().or_else(|| qos.partition.clone()),
        ownership_strength: change.ownership_strength.or(qos.ownership_strength),
        time_based_filter_ns: change.time_based_filter_ns.or(qos.time_based_filter_ns),
        ..qos.clone()
    })
}

#[cfg(test)]
mod tests {
    use busmark_adapter::{ParticipantConfig, Payload, Wait};

    use super::*;

    fn settings(profile: &str, transport: &str) -> Settings {
        let config = ParticipantConfig {
            interface_address: "127.0.0.1".to_owned(),
            profile: profile.to_owned(),
            transport: transport.to_owned(),
            ..ParticipantConfig::default()
        };
        Settings::new(&config).expect("valid")
    }

    fn endpoint(max_body_bytes: u64) -> EndpointConfig {
        EndpointConfig {
            topic: "topic".to_owned(),
            payload: Payload::Octet,
            wait: Wait::Poll,
            max_body_bytes,
            qos: Qos::default(),
            instances: 0,
            filter_below: 0,
        }
    }

    #[test]
    fn what_is_not_asked_for_is_not_mentioned() {
        let text =
            document(&settings("default", "udp"), &endpoint(64), &Qos::default(), Side::Writer);
        for policy in ["history", "durability>", "kind", "base_name", "publish_mode", "protocol"] {
            assert!(!text.contains(&format!("<{policy}")), "{policy} in {text}");
        }
        let tuned =
            document(&settings("tuned", "udp"), &endpoint(64), &Qos::default(), Side::Reader);
        assert!(tuned.contains(LOW_LATENCY), "{tuned}");
    }

    #[test]
    fn a_thread_sends_only_what_fits_no_message_and_must_arrive() {
        for transport in ["udp", "shm"] {
            let settings = settings("default", transport);
            let is_asynchronous = |bytes, reliable| {
                let qos = Qos { reliable, ..Qos::default() };
                let text = document(&settings, &endpoint(bytes), &qos, Side::Writer);
                assert_eq!(text.contains("ASYNCHRONOUS"), text.contains(LARGE_DATA));
                text.contains("ASYNCHRONOUS")
            };
            assert!(!is_asynchronous(60_000, Some(true)));
            assert!(is_asynchronous(65_536, Some(true)) && is_asynchronous(65_536, None));
            assert!(!is_asynchronous(65_536, Some(false)));
        }
    }

    #[test]
    fn a_priority_that_nothing_would_carry_is_refused() {
        let qos = Qos { transport_priority: Some(1), ..Qos::default() };
        assert_eq!(check(&settings("default", "udp"), &qos), Ok(()));
        assert!(check(&settings("default", "shm"), &qos).is_err());
    }

    #[test]
    fn a_partition_is_text_whatever_it_holds() {
        let qos = Qos { partition: Some("</element>&".to_owned()), ..Qos::default() };
        let text = document(&settings("default", "udp"), &endpoint(64), &qos, Side::Reader);
        assert!(text.contains("<element>&lt;/element&gt;&amp;</element>"), "{text}");
    }

    #[test]
    fn a_change_that_means_nothing_to_a_side_is_refused_there() {
        let filter = Qos { time_based_filter_ns: Some(1), ..Qos::default() };
        assert!(changed(&Qos::default(), &filter, Side::Writer).is_err());
        assert_eq!(changed(&Qos::default(), &filter, Side::Reader), Ok(filter));
        let lifespan = Qos { lifespan_ns: Some(1), ..Qos::default() };
        assert!(changed(&Qos::default(), &lifespan, Side::Reader).is_err());
    }
}
