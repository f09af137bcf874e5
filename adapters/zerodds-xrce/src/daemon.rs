//! The agent's configuration: the crate's own daemon, with what a run decides.

use std::net::Ipv4Addr;

use zerodds_dcps::runtime::{RuntimeConfig, UserTransportKind};
use zerodds_xrce_agent::daemon::config::{DaemonConfig, ListenerConfig};

/// Participant indexes that are looked for on the interface, where nothing is sent to a group.
const MAX_PROCESSES: u32 = 40;
/// Objects of one client: the crate refuses more than 256.
const MAX_OBJECTS: usize = 4095;

/// The daemon that listens at this address alone.
pub fn daemon(transport: &str, address: &str) -> DaemonConfig {
    let bind = address.to_owned();
    DaemonConfig {
        listeners: vec![match transport {
            "tcp" => ListenerConfig::Tcp { bind },
            _ => ListenerConfig::Udp { bind },
        }],
        // It would wait for clients at a group, on all interfaces.
        discovery_enabled: false,
        // Busmark's types are known by name alone: samples are passed on as they come.
        forward_unknown_topic_types: true,
        max_objects_per_client: MAX_OBJECTS,
        ..DaemonConfig::default()
    }
}

/// Its DDS, on this interface alone.
pub fn dds(interface: Ipv4Addr) -> RuntimeConfig {
    let mut runtime = RuntimeConfig {
        multicast_interface: interface,
        user_transport: Some(UserTransportKind::UdpV4),
        spdp_multicast_send: !interface.is_loopback(),
        user_multicast: !interface.is_loopback(),
        ..RuntimeConfig::default()
    };
    if interface.is_loopback() {
        runtime.initial_peer_max_participants = MAX_PROCESSES;
        runtime.initial_peer_specs.push(interface.to_string());
    } else {
        // The sockets of this cache are bound to no interface: what goes to a group would leave by the
        // default route.
        runtime.udp.connected_cache_enabled = false;
    }
    runtime
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_goes_to_a_group_on_loopback() {
        let runtime = dds(Ipv4Addr::LOCALHOST);
        assert!(!runtime.spdp_multicast_send && !runtime.user_multicast);
        assert_eq!(runtime.initial_peer_specs, ["127.0.0.1"]);
        assert!(!daemon("udp", "127.0.0.1:1").discovery_enabled);
    }

    #[test]
    fn another_interface_has_groups() {
        let runtime = dds(Ipv4Addr::new(192, 0, 2, 1));
        assert!(runtime.spdp_multicast_send && runtime.initial_peer_specs.is_empty());
        assert_eq!(runtime.multicast_interface, Ipv4Addr::new(192, 0, 2, 1));
    }
}
