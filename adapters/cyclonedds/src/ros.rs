//! What the adapter `ros-cyclonedds` declares and sends: names, types and defaults of ROS 2.
//!
//! They are what `rmw_cyclonedds_cpp` gives to the library, so that ROS's nodes and this adapter's
//! endpoints match.

use std::mem::offset_of;

use busmark_adapter::{Capabilities, Carrier, Feature, Header, Payload, Qos, QosValue};
use cyclonedds_rust_sys::dds_topic_descriptor_t;

use crate::COMMON;
use crate::options::OPTIONS;
use crate::types::{ADR, Descriptor, HEADER, Native, RTS, SUBTYPE_1BY, TYPE_SEQ, describe, join};

/// What the adapter declares.
pub const CAPABILITIES: Capabilities = Capabilities {
    name: "ros-cyclonedds",
    title: "Cyclone DDS as ROS 2 speaks it",
    transports: &[("udp", Carrier::Udp), ("shipped", Carrier::Udp)],
    // Without the one of TCP.
    options: OPTIONS.split_at(OPTIONS.len() - 1).0,
    payloads: &[Payload::Octet],
    // The policies that a node of ROS can choose.
    qos: &[
        QosValue::BestEffort,
        QosValue::Reliable,
        QosValue::KeepLast,
        QosValue::KeepAll,
        QosValue::Volatile,
        QosValue::TransientLocal,
        QosValue::Lifespan,
        QosValue::Deadline,
        QosValue::LivelinessLease,
    ],
    qos_mutable: &[],
    // As of the adapter cyclonedds, without what ROS has not.
    features: &[
        Feature::Matched,
        Feature::MatchEvents,
        Feature::WriteInListener,
        Feature::Synchronous,
        Feature::SourceTime,
    ],
    security: &[],
    ..COMMON
};

/// The security enclave of a context, which ROS announces with the participant.
pub const PARTICIPANT_DATA: &[u8] = b"enclave=/;";
/// The hash of the type's description, which ROS announces with endpoints: the generator's, of
/// `adapters/rmw/msg/Sample.msg`.
pub const ENDPOINT_DATA: &[u8] =
    b"typehash=RIHS01_f893aec28d509081e57f5df8fa92821881419023539b4ef2dc43441011282718;";
/// A writer that ends leaves its instances.
pub const AUTODISPOSE: Option<bool> = Some(false);
/// A reliable writer waits until there is room.
pub const MAX_BLOCKING_NS: i64 = i64::MAX;

/// The name of a topic on the wire: ROS's prefix, and the case's name as the adapter `rmw` makes it ROS's,
/// which allows no two underscores that follow each other.
pub fn topic(name: &str) -> String {
    let mut topic = "rt/".to_owned();
    for c in name.chars() {
        if c != '_' || !topic.ends_with('_') {
            topic.push(c);
        }
    }
    topic
}

/// `busmark_msgs/msg/Sample`: the members of the header, and the body.
static SAMPLE_OPS: [u32; 21] = join(&[
    // Without its end.
    HEADER.split_at(HEADER.len() - 1).0,
    &[ADR | TYPE_SEQ | SUBTYPE_1BY, offset_of!(Native, body) as u32, RTS],
]);
static SAMPLE: Descriptor = describe(c"busmark_msgs::msg::dds_::Sample_", &SAMPLE_OPS, 11);

// The members of the header are the message's own.
const _: () = assert!(offset_of!(Native, header) == 0 && offset_of!(Native, body) >= Header::BYTES);

/// The topic descriptor of the message.
pub fn descriptor(kind: Payload, keyed: bool) -> Option<&'static dds_topic_descriptor_t> {
    (kind == Payload::Octet && !keyed).then_some(&SAMPLE.0)
}

/// What a case leaves open is as in ROS's default profile.
pub fn settled(qos: &Qos) -> Qos {
    Qos {
        reliable: qos.reliable.or(Some(true)),
        keep_all: qos.keep_all.or(Some(false)),
        depth: if qos.keep_all.is_some() { qos.depth } else { 10 },
        transient_local: qos.transient_local.or(Some(false)),
        ..qos.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_have_names_that_ros_allows() {
        for (name, named) in [("flow_0", "rt/flow_0"), ("a___b__c", "rt/a_b_c")] {
            assert_eq!(topic(name), named);
        }
    }

    #[test]
    fn what_is_left_open_is_as_in_the_default_profile_of_ros() {
        let open = settled(&Qos::default());
        assert_eq!((open.reliable, open.transient_local), (Some(true), Some(false)));
        assert_eq!((open.keep_all, open.depth), (Some(false), 10));
        let asked = Qos { keep_all: Some(false), depth: 3, ..Qos::default() };
        assert_eq!(settled(&asked).depth, 3);
    }
}
