//! What adapters share that have ROS 2's conventions, without a ROS 2: the message, names, defaults.
//!
//! The message is the one of the adapter `rmw`, `busmark_msgs/msg/Sample`.

use busmark_adapter::Qos;

/// The type's name on the wire.
pub const TYPE: &str = "busmark_msgs::msg::dds_::Sample_";

/// The hash of the type's description, which ROS's generator makes of `adapters/rmw/msg/Sample.msg`. A test
/// of the adapter `ros-cyclonedds` holds it against what a node announces.
pub const HASH: &str = "RIHS01_f893aec28d509081e57f5df8fa92821881419023539b4ef2dc43441011282718";

/// The name of a topic, without its leading slash, as the adapter `rmw` makes it of the case's: ROS allows
/// no two underscores that follow each other.
pub fn topic(name: &str) -> String {
    let mut topic = String::with_capacity(name.len());
    for c in name.chars() {
        if c != '_' || !topic.ends_with('_') {
            topic.push(c);
        }
    }
    topic
}

/// The history depth of ROS's default profile.
const DEPTH: i32 = 10;

/// What a case leaves open is as in ROS's default profile.
#[must_use]
pub fn settled(qos: &Qos) -> Qos {
    Qos {
        reliable: qos.reliable.or(Some(true)),
        keep_all: qos.keep_all.or(Some(false)),
        depth: if qos.keep_all.is_some() { qos.depth } else { DEPTH },
        transient_local: qos.transient_local.or(Some(false)),
        ..qos.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_have_names_that_ros_allows() {
        for (name, named) in [("flow_0", "flow_0"), ("a___b__c", "a_b_c")] {
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
