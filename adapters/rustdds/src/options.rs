//! The adapter's options: `matrix.option.ADAPTER.KEY` in a scenario.

use std::net::Ipv4Addr;

use busmark_adapter::{OptionSpec, ParticipantConfig, Result, Status};
use rustdds::DomainParticipantBuilder;

/// All, with their defaults, which are the crate's.
pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        key: "receive_buffer",
        value: "8388608",
        doc: "Bytes of the receive buffer (SO_RCVBUF) of each socket, as far as the system grants them; \
              0: what the system gives.",
    },
    OptionSpec {
        key: "send_buffer",
        value: "8388608",
        doc: "Bytes of the send buffer (SO_SNDBUF) of each socket, as far as the system grants them; 0: \
              what the system gives.",
    },
    OptionSpec {
        key: "send_window",
        value: "",
        doc: "Samples of a reliable writer that may be unacknowledged, from 1 (its resource limits); empty: \
              the crate's own, 8192.",
    },
];

/// An interface of this host.
#[derive(Debug)]
pub struct Interface {
    address: Ipv4Addr,
    /// Whether it carries multicast, which decides by what means the crate announces.
    pub multicast: bool,
}

/// The interface of the configuration. With one that it cannot use the crate would start all the same,
/// and be found by nobody.
pub fn interface(config: &ParticipantConfig) -> Result<Interface> {
    let address = config.interface_v4()?;
    let interfaces = netdev::get_interfaces();
    let Some(found) = interfaces.iter().find(|i| i.ipv4_addrs().contains(&address)) else {
        let text = format!("interface_address {address} is not one of this host");
        return Err(Status::Invalid.error(text));
    };
    let multicast = found.is_multicast();
    if !multicast && !address.is_loopback() {
        let text = format!("RustDDS needs multicast, which {} does not carry", found.name);
        return Err(Status::Invalid.error(text));
    }
    Ok(Interface { address, multicast })
}

/// A participant as the configuration wants it, bound to its interface.
pub fn participant(
    config: &ParticipantConfig,
    interface: &Interface,
) -> Result<DomainParticipantBuilder> {
    let set = |key| config.setting(OPTIONS, key);
    Ok(DomainParticipantBuilder::new(config.rtps_domain()?)
        .with_only_networks([interface.address])
        // As shipped, whatever the interface, announcements go to loopback, too.
        .same_host_loopback(interface.address.is_loopback())
        .socket_receive_buffer_size(set("receive_buffer").number()?)
        .socket_send_buffer_size(set("send_buffer").number()?))
}

/// The send window that is asked for.
pub fn send_window(config: &ParticipantConfig) -> Result<Option<i32>> {
    config.setting(OPTIONS, "send_window").optional(|s| s.within(1..=i32::MAX))
}

#[cfg(test)]
mod tests {
    use busmark_adapter::Status;

    use super::*;

    fn config(domain: u32, address: &str, settings: &[(&str, &str)]) -> ParticipantConfig {
        ParticipantConfig {
            domain,
            interface_address: address.to_owned(),
            settings: settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
            ..ParticipantConfig::default()
        }
    }

    #[test]
    fn nothing_differs_from_what_ships_unless_asked_for() {
        let shipped = [
            DomainParticipantBuilder::DEFAULT_SOCKET_RECEIVE_BUFFER_SIZE,
            DomainParticipantBuilder::DEFAULT_SOCKET_SEND_BUFFER_SIZE,
        ];
        let config = config(7, "127.0.0.1", &[]);
        let here =
            ["receive_buffer", "send_buffer"].map(|key| config.setting(OPTIONS, key).number());
        assert_eq!(here, shipped.map(Ok));
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_name() {
        for (config, name) in [
            (config(7, "127.0.0.1", &[("receive_buffer", "much")]), "receive_buffer"),
            (config(7, "127.0.0.1", &[("send_buffer", "-1")]), "send_buffer"),
            (config(7, "127.0.0.1", &[("send_window", "0")]), "send_window"),
            (config(233, "127.0.0.1", &[]), "domain 233"),
            (config(7, "localhost", &[]), "localhost"),
            (config(7, "192.0.2.1", &[]), "192.0.2.1"),
        ] {
            let made = interface(&config).and_then(|i| participant(&config, &i));
            let made = made.and_then(|_| send_window(&config));
            let error = made.expect_err(name);
            assert!(error.status == Status::Invalid && error.message.contains(name), "{error}");
        }
    }
}
