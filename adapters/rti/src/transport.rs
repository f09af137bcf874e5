//! The part of a participant's QoS that is about transports and discovery, as XML.

use crate::options::{Settings, Transport};
use crate::xml::{duration, element, properties};

/// How often the library looks whether a participant that is being deleted has ended. It ships with one
/// second; the reference of `DatabaseQosPolicy` says that a shorter one makes deletion quicker. It has no
/// effect before that.
const SHUTDOWN_CLEANUP_NS: i64 = 10_000_000;

/// What the properties of the library's own UDP transport begin with.
const UDP: &str = "dds.transport.UDPv4.builtin.";
/// The same of its shared memory.
const SHMEM: &str = "dds.transport.shmem.builtin.";

/// The multicast group of discovery, as shipped (RTPS 9.6.1.4.1).
const GROUP: &str = "builtin.udpv4://239.255.0.1";

/// Buffers of sockets and of shared memory in the profiles of the vendor's own performance test (RTI
/// Perftest, `perftest_qos_profiles.xml`, `BaseProfileQos`).
const TUNED_RECEIVE_BUFFER: u32 = 2_097_152;
const TUNED_SEND_BUFFER: u32 = 524_288;

/// `domain_participant_qos`.
pub fn participant_qos(settings: &Settings, name: &str) -> String {
    let mask = match settings.transport {
        Transport::Udp => "UDPv4",
        Transport::SharedMemory => "SHMEM",
    };
    let parts = [
        element("participant_name", element("name", name)),
        element("transport_builtin", element("mask", mask)),
        discovery(settings),
        element("database", duration("shutdown_cleanup_period", SHUTDOWN_CLEANUP_NS)),
        properties(&transport_properties(settings)),
    ];
    element("domain_participant_qos", parts.concat())
}

/// Whom to announce to, and where to listen for announcements besides.
fn discovery(settings: &Settings) -> String {
    let last = settings.max_participants - 1;
    let unicast = |host| format!("{last}@builtin.udpv4://{host}");
    let group = (settings.transport == Transport::Udp && settings.multicast).then_some(GROUP);
    let mut peers: Vec<String> = group.iter().map(ToString::to_string).collect();
    match settings.transport {
        Transport::SharedMemory => peers.push(format!("{last}@builtin.shmem://")),
        Transport::Udp => {
            if !settings.multicast {
                peers.push(unicast(settings.address));
            }
            peers.extend(settings.peers.iter().copied().map(unicast));
        }
    }
    let peers: String = peers.iter().map(|peer| element("element", peer)).collect();
    let groups: String = group.iter().map(|group| element("element", group)).collect();
    let lists = element("initial_peers", peers) + &element("multicast_receive_addresses", groups);
    element("discovery", lists)
}

fn transport_properties(settings: &Settings) -> Vec<(String, String)> {
    let mut list = Vec::new();
    let tuned = |bytes| settings.is_tuned.then_some(bytes);
    if settings.transport == Transport::SharedMemory {
        if let Some(bytes) = tuned(TUNED_RECEIVE_BUFFER) {
            list.push((format!("{SHMEM}receive_buffer_size"), bytes.to_string()));
        }
        if let Some(bytes) = settings.message_bytes {
            list.push((format!("{SHMEM}parent.message_size_max"), bytes.to_string()));
        }
        return list;
    }
    let mut set = |name: &str, value: String| list.push((format!("{UDP}{name}"), value));
    let address = settings.address.to_string();
    set("parent.allow_interfaces_list", address.clone());
    set("parent.allow_multicast_interfaces_list", address);
    set("ignore_loopback_interface", "0".to_owned());
    if !settings.multicast {
        set("multicast_enabled", "0".to_owned());
    }
    // A transport priority is the type of service on the wire: as shipped it is masked out.
    set("transport_priority_mask", "255".to_owned());
    set("transport_priority_mapping_low", "0".to_owned());
    set("transport_priority_mapping_high", "255".to_owned());
    let own = settings.socket_buffer_bytes;
    if let Some(bytes) = own.or(tuned(TUNED_RECEIVE_BUFFER)) {
        set("recv_socket_buffer_size", bytes.to_string());
    }
    if let Some(bytes) = own.or(tuned(TUNED_SEND_BUFFER)) {
        set("send_socket_buffer_size", bytes.to_string());
    }
    if let Some(bytes) = settings.message_bytes {
        set("parent.message_size_max", bytes.to_string());
    }
    list
}

#[cfg(test)]
mod tests {
    use busmark_adapter::ParticipantConfig;

    use super::*;

    fn qos(transport: &str, address: &str, options: &[(&str, &str)]) -> String {
        let config = ParticipantConfig {
            interface_address: address.to_owned(),
            transport: transport.to_owned(),
            settings: options.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
            ..ParticipantConfig::default()
        };
        participant_qos(&Settings::new(&config).expect("valid"), "name")
    }

    #[test]
    fn nothing_is_multicast_on_loopback() {
        let text = qos("udp", "127.0.0.1", &[]);
        assert!(
            !text.contains("239.255") && text.contains("119@builtin.udpv4://127.0.0.1"),
            "{text}"
        );
        assert!(text.contains("<multicast_receive_addresses></multicast_receive_addresses>"));
        let text = qos("udp", "10.0.0.1", &[("peers", "10.0.0.2")]);
        assert!(
            text.contains("239.255.0.1") && text.contains("@builtin.udpv4://10.0.0.2"),
            "{text}"
        );
    }

    #[test]
    fn shared_memory_is_alone() {
        let text = qos("shm", "127.0.0.1", &[("max_participants", "10")]);
        assert!(!text.contains("UDP") && text.contains("9@builtin.shmem://"), "{text}");
    }
}
