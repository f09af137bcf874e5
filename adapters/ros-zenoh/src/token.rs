//! Liveliness tokens: how ROS's nodes and endpoints say that they are there.

use busmark_adapter::Qos;
use busmark_ros::{HASH, TYPE};

use crate::attachment::GID_BYTES;

/// What begins all of them.
const SPACE: &str = "@ros2_lv";
/// The history depth that a token leaves out.
const DEPTH: i32 = 42;
/// Where the kind and the name are among a token's parts.
const KIND_AT: usize = 5;
const NAME_AT: usize = 9;

/// What is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A publisher.
    Publisher,
    /// A subscription.
    Subscription,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Publisher => "MP",
            Self::Subscription => "MS",
        }
    }

    /// What it exchanges samples with.
    pub fn other(self) -> Self {
        match self {
            Self::Publisher => Self::Subscription,
            Self::Subscription => Self::Publisher,
        }
    }
}

/// The node of a session: the first of its context, without enclave and namespace.
pub struct Node {
    /// `ROS_DOMAIN_ID`.
    pub domain: u32,
    /// The session.
    pub zid: String,
    /// Its name.
    pub name: String,
}

impl Node {
    /// Its own token.
    pub fn token(&self) -> String {
        let Self { domain, zid, name } = self;
        format!("{SPACE}/{domain}/{zid}/0/0/NN/%/%/{name}")
    }

    /// The token of an endpoint with this number. `topic` is without its leading slash.
    pub fn endpoint(&self, number: u64, kind: Kind, topic: &str, qos: &Qos) -> String {
        let Self { domain, zid, name } = self;
        let (kind, qos) = (kind.word(), compact(qos));
        format!("{SPACE}/{domain}/{zid}/0/{number}/{kind}/%/%/{name}/%{topic}/{TYPE}/{HASH}/{qos}")
    }
}

/// All tokens of a domain.
pub fn all(domain: u32) -> String {
    format!("{SPACE}/{domain}/**")
}

/// The key expression of a topic.
pub fn key(domain: u32, topic: &str) -> String {
    format!("{domain}/{topic}/{TYPE}/{HASH}")
}

/// Whether the token is one of an endpoint of this kind, topic and type.
pub fn is(token: &str, kind: Kind, topic: &str) -> bool {
    let mut parts = token.split('/');
    let name = |part: &str| part.strip_prefix('%') == Some(topic);
    parts.nth(KIND_AT) == Some(kind.word())
        && parts.nth(NAME_AT - KIND_AT - 1).is_some_and(name)
        && parts.next() == Some(TYPE)
        && parts.next() == Some(HASH)
}

/// The number of an endpoint, which ROS makes of its token: XXH3 of 128 bits, low half first.
pub fn gid(token: &str) -> [u8; GID_BYTES] {
    xxhash_rust::xxh3::xxh3_128(token.as_bytes()).to_le_bytes()
}

/// QoS in ROS's compact form: reliability, durability, history and depth, deadline, lifespan, liveliness,
/// by the numbers of ROS's enumerations, without what is as by default.
fn compact(qos: &Qos) -> String {
    let reliability = if qos.reliable == Some(false) { "2" } else { "" };
    let durability = if qos.transient_local == Some(true) { "1" } else { "" };
    let (history, depth) = match qos.keep_all {
        Some(true) => ("2", String::new()),
        _ if qos.depth == DEPTH => ("", String::new()),
        _ => ("", qos.depth.to_string()),
    };
    format!("{reliability}:{durability}:{history},{depth}:,:,:,,")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn qos(reliable: bool, keep_all: bool, depth: i32, transient_local: bool) -> Qos {
        Qos {
            reliable: Some(reliable),
            keep_all: Some(keep_all),
            depth,
            transient_local: Some(transient_local),
            ..Qos::default()
        }
    }

    #[test]
    fn qos_is_compact_as_in_the_examples_of_the_document() {
        assert_eq!(compact(&qos(true, false, 10, false)), "::,10:,:,:,,");
        assert_eq!(compact(&qos(true, false, 7, false)), "::,7:,:,:,,");
        assert_eq!(compact(&qos(true, false, 42, false)), "::,:,:,:,,");
        assert_eq!(compact(&qos(false, true, 0, true)), "2:1:2,:,:,:,,");
    }

    #[test]
    fn a_token_is_known_by_kind_topic_and_type() {
        let node = Node { domain: 2, zid: "a1".to_owned(), name: "n".to_owned() };
        assert_eq!(node.token(), "@ros2_lv/2/a1/0/0/NN/%/%/n");
        let token = node.endpoint(10, Kind::Publisher, "t", &qos(true, false, 7, false));
        assert_eq!(token, format!("@ros2_lv/2/a1/0/10/MP/%/%/n/%t/{TYPE}/{HASH}/::,7:,:,:,,"));
        assert!(is(&token, Kind::Publisher, "t"));
        assert!(!is(&token, Kind::Subscription, "t") && !is(&token, Kind::Publisher, "tt"));
        assert!(!is(&token.replace(TYPE, "std_msgs::msg::dds_::String_"), Kind::Publisher, "t"));
        assert!(!is(&node.token(), Kind::Publisher, "t"));
    }

    #[test]
    fn numbers_of_endpoints_are_xxh3_of_their_tokens() {
        // XXH3 of 128 bits of nothing, as its specification has it: 99aa06d3014798d86001c324468d497f.
        let nothing = 0x99aa_06d3_0147_98d8_6001_c324_468d_497f_u128;
        assert_eq!(gid(""), nothing.to_le_bytes());
    }
}
