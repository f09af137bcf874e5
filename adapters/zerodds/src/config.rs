//! The library's configuration, made from values alone: neither its environment variables nor its
//! configuration files are read.

use std::net::{Ipv4Addr, SocketAddrV4};
use std::time::Duration;

use busmark_adapter::{ParticipantConfig, Result, Setting, Status};
use zerodds_dcps::runtime::{RuntimeConfig, UserTransportKind};

use crate::options::OPTIONS;

/// Participant indexes from 0 that the library looks for a free port.
const MAX_PROCESSES: u32 = 120;

/// A body of 16 MiB with what surrounds it.
const LARGEST_SAMPLE: usize = (16 << 20) + 1024;

/// How a reader waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// By a `WaitSet` of the DDS specification.
    Waitset,
    /// By the library's `wait_for_data`.
    Reader,
}

/// A participant's configuration, checked.
pub struct Settings {
    /// The domain as the library counts.
    pub domain: i32,
    /// Everything that the library's runtime takes.
    pub runtime: RuntimeConfig,
    /// Waiting of its readers.
    pub waiting: Waiting,
    /// The group and port at which the library waits for announcements, and the interface, where
    /// it sends nothing there itself.
    pub quiet_group: Option<(Ipv4Addr, SocketAddrV4)>,
}

impl Settings {
    /// Checks what the border has not checked: values.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        let domain = i32::from(config.rtps_domain()?);
        let mut runtime = RuntimeConfig::default();
        interface(config, &mut runtime)?;
        profile(config, &mut runtime);
        sizes(config, &mut runtime)?;
        times(config, &mut runtime)?;
        let waiting = config
            .setting(OPTIONS, "waiting")
            .choice(&[("waitset", Waiting::Waitset), ("reader", Waiting::Reader)])?;
        let quiet_group = quiet_group(config.domain, &runtime);
        Ok(Self { domain, runtime, waiting, quiet_group })
    }
}

fn quiet_group(domain: u32, runtime: &RuntimeConfig) -> Option<(Ipv4Addr, SocketAddrV4)> {
    if runtime.spdp_multicast_send {
        return None;
    }
    let port = u16::try_from(runtime.port_mapping.spdp_multicast_port(domain)).ok()?;
    let group = SocketAddrV4::new(runtime.spdp_multicast_group, port);
    Some((runtime.multicast_interface, group))
}

/// Interface, transport and the way of discovery.
fn interface(config: &ParticipantConfig, runtime: &mut RuntimeConfig) -> Result<()> {
    let set = |key| config.setting(OPTIONS, key);
    let address = config.interface_v4()?;
    runtime.multicast_interface = address;
    runtime.user_transport = Some(match config.transport.as_str() {
        "tcp" => UserTransportKind::TcpV4,
        _ => UserTransportKind::UdpV4,
    });
    let words = [("auto", !address.is_loopback()), ("true", true), ("false", false)];
    let multicast = set("multicast").choice(&words)?;
    runtime.spdp_multicast_send = multicast;
    runtime.user_multicast = multicast;
    if multicast {
        // The sockets of this cache are bound to no interface, so that what goes to a group leaves
        // by the default route and not by the interface that was named (C11).
        runtime.udp.connected_cache_enabled = false;
    }
    // As shipped 16 MiB for a whole sample: a body of 16 MiB has a header.
    runtime.max_reassembly_sample_bytes = LARGEST_SAMPLE;
    runtime.initial_peer_max_participants = set("max_processes").within(1..=MAX_PROCESSES)?;
    for peer in set("peers").list() {
        // The library would leave out what it cannot read.
        if peer.parse::<Ipv4Addr>().is_err() && peer.parse::<SocketAddrV4>().is_err() {
            let text = format!("option peers: {peer:?} is no IPv4 ADDRESS or ADDRESS:PORT");
            return Err(Status::Invalid.error(text));
        }
        runtime.initial_peer_specs.push(peer.to_owned());
    }
    if !multicast {
        runtime.initial_peer_specs.push(address.to_string());
    }
    Ok(())
}

/// What the "tuned" profile sets, with where the advice is from.
fn profile(config: &ParticipantConfig, runtime: &mut RuntimeConfig) {
    if config.tuned() {
        // documentation/03-configuration/runtime-config.md, "Hard real-time".
        runtime.tick_period = Duration::from_millis(2);
        // tests/latency_assertions.rs of the crate counts an answer without delay among what makes
        // reliable traffic fast; RuntimeConfig's documentation gives 0 for "on the next tick".
        runtime.reader_heartbeat_response_delay = Duration::ZERO;
        runtime.nack_response_delay = Duration::ZERO;
        // Documentation of UdpTransportConfig::dont_route: saves the routing look-up of each send
        // where targets are on loopback or in the same network.
        runtime.udp.dont_route = true;
    }
}

fn sizes(config: &ParticipantConfig, runtime: &mut RuntimeConfig) -> Result<()> {
    let set = |key| config.setting(OPTIONS, key);
    let size = |key, field: &mut usize| -> Result<()> {
        *field = set(key).optional(Setting::number)?.unwrap_or(*field);
        Ok(())
    };
    size("writer_unacked_window", &mut runtime.writer_unacked_window)?;
    size("max_message_size", &mut runtime.max_message_size)?;
    size("receive_batch", &mut runtime.recv_batch_size)?;
    size("extra_receive_threads", &mut runtime.extra_recv_threads)?;
    if let Some(bytes) = set("udp_message_size").optional(|s| s.within(1472..=65_507))? {
        runtime.udp.max_message_size = bytes;
    }
    for (key, field) in [
        ("socket_receive_buffer", &mut runtime.udp.recv_buffer_size),
        ("socket_send_buffer", &mut runtime.udp.connected_cache_sndbuf),
    ] {
        *field = set(key).optional(Setting::number)?.or(*field);
    }
    Ok(())
}

fn times(config: &ParticipantConfig, runtime: &mut RuntimeConfig) -> Result<()> {
    for (key, field) in [
        ("heartbeat_period_ms", &mut runtime.writer_heartbeat_period),
        ("heartbeat_response_delay_ms", &mut runtime.reader_heartbeat_response_delay),
        ("nack_response_delay_ms", &mut runtime.nack_response_delay),
    ] {
        if let Some(ms) = config.setting(OPTIONS, key).optional(Setting::number)? {
            *field = Duration::from_millis(ms);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(transport: &str, profile: &str) -> ParticipantConfig {
        ParticipantConfig {
            domain: 7,
            interface_name: "lo".to_owned(),
            interface_address: "127.0.0.1".to_owned(),
            transport: transport.to_owned(),
            profile: profile.to_owned(),
            ..ParticipantConfig::default()
        }
    }

    fn refused(key: &str, value: &str) -> String {
        let settings = vec![(key.to_owned(), value.to_owned())];
        let config = ParticipantConfig { settings, ..config("udp", "default") };
        Settings::new(&config).err().expect("refused").message
    }

    #[test]
    fn the_default_profile_changes_discovery_and_the_largest_size_only() {
        let ours = Settings::new(&config("udp", "default")).expect("valid").runtime;
        let shipped = RuntimeConfig {
            multicast_interface: Ipv4Addr::LOCALHOST,
            user_transport: Some(UserTransportKind::UdpV4),
            spdp_multicast_send: false,
            user_multicast: false,
            initial_peer_specs: vec!["127.0.0.1".to_owned()],
            initial_peer_max_participants: 40,
            max_reassembly_sample_bytes: (16 << 20) + 1024,
            ..RuntimeConfig::default()
        };
        assert_eq!(format!("{ours:?}"), format!("{shipped:?}"));
    }

    #[test]
    fn the_tuned_profile_sets_what_the_notes_say() {
        let tuned = Settings::new(&config("udp", "tuned")).expect("valid").runtime;
        assert_eq!(tuned.tick_period, Duration::from_millis(2));
        assert!(tuned.udp.dont_route);
        assert_eq!(tuned.reader_heartbeat_response_delay, Duration::ZERO);
        assert_eq!(tuned.nack_response_delay, Duration::ZERO);
    }

    #[test]
    fn multicast_keeps_to_the_interface() {
        let settings = vec![("multicast".to_owned(), "true".to_owned())];
        let config = ParticipantConfig { settings, ..config("udp", "default") };
        let ours = Settings::new(&config).expect("valid");
        assert!(ours.runtime.spdp_multicast_send && !ours.runtime.udp.connected_cache_enabled);
        assert_eq!((ours.runtime.initial_peer_specs.len(), ours.quiet_group), (0, None));
    }

    #[test]
    fn options_reach_the_library() {
        let settings = [
            ("peers", "192.0.2.1, 192.0.2.2:7410"),
            ("writer_unacked_window", "0"),
            ("nack_response_delay_ms", "3"),
            ("waiting", "reader"),
        ];
        let settings = settings.map(|(k, v)| (k.to_owned(), v.to_owned())).to_vec();
        let config = ParticipantConfig { settings, ..config("tcp", "default") };
        let ours = Settings::new(&config).expect("valid");
        let peers = ["192.0.2.1", "192.0.2.2:7410", "127.0.0.1"];
        assert_eq!(ours.runtime.initial_peer_specs, peers);
        assert_eq!(ours.runtime.writer_unacked_window, 0);
        assert_eq!(ours.runtime.nack_response_delay, Duration::from_millis(3));
        assert_eq!(ours.runtime.user_transport, Some(UserTransportKind::TcpV4));
        assert_eq!(ours.waiting, Waiting::Reader);
    }

    #[test]
    fn wrong_values_are_named() {
        for (key, value) in [
            ("multicast", "perhaps"),
            ("peers", "somewhere"),
            ("max_processes", "0"),
            ("udp_message_size", "70000"),
            ("waiting", "spin"),
            ("heartbeat_period_ms", "soon"),
        ] {
            let text = refused(key, value);
            assert!(text.contains(key) && text.contains(value), "{text}");
        }
    }
}
