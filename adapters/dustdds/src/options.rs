//! The adapter's options: `matrix.option.ADAPTER.KEY` in a scenario.

use std::net::Ipv4Addr;
use std::time::Duration;

use busmark_adapter::{OptionSpec, ParticipantConfig, Result, Status};
use dust_dds::configuration::{DustDdsConfiguration, DustDdsConfigurationBuilder};

use crate::transport::{MAX_PARTICIPANTS, Settings};

/// All, with their defaults, which are the crate's.
pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        key: "fragment_size",
        value: "1344",
        doc: "Largest part of a sample in one datagram, in bytes, 8 to 65000.",
    },
    OptionSpec {
        key: "receive_buffer",
        value: "",
        doc: "Bytes of the receive buffer (SO_RCVBUF) of the socket for data; empty: what the system \
              gives.",
    },
    OptionSpec {
        key: "announcement_interval_ms",
        value: "5000",
        doc: "Time between two announcements of a participant, in milliseconds.",
    },
    OptionSpec {
        key: "well_known_ports",
        value: "0",
        doc: "Participants of the interface's own address, 1 to 120, that are announced to at their \
              well-known unicast ports besides the multicast group, where others do without \
              multicast; this one then takes such a port, too. 0: multicast alone, as the crate ships.",
    },
    OptionSpec {
        key: "type_information",
        value: "true",
        doc: "true: discovery carries type information (XTypes); false: endpoints match by type name \
              alone.",
    },
];

/// Last domain whose ports are below 65536.
const MAX_DOMAIN: u32 = 232;

/// The transport's part of the configuration.
pub fn transport(config: &ParticipantConfig) -> Result<Settings> {
    let address = &config.interface_address;
    let interface: Ipv4Addr = address.parse().map_err(|_| {
        Status::Invalid.error(format!("interface_address {address:?} is not an IPv4 address"))
    })?;
    if config.domain > MAX_DOMAIN {
        let text = format!("domain {} has no UDP ports; the last is {MAX_DOMAIN}", config.domain);
        return Err(Status::Invalid.error(text));
    }
    let fragment_bytes = config.number(OPTIONS, "fragment_size")?;
    if !(8..=65_000).contains(&fragment_bytes) {
        let text = format!("option fragment_size: {fragment_bytes} is not between 8 and 65000");
        return Err(Status::Invalid.error(text));
    }
    let receive_buffer_bytes = match config.option(OPTIONS, "receive_buffer") {
        "" => None,
        _ => Some(config.number(OPTIONS, "receive_buffer")?),
    };
    let well_known = config.number(OPTIONS, "well_known_ports")?;
    if well_known > MAX_PARTICIPANTS {
        let text = format!(
            "option well_known_ports: {well_known} is not between 0 and {MAX_PARTICIPANTS}"
        );
        return Err(Status::Invalid.error(text));
    }
    let domain = config.domain as u16;
    Ok(Settings { interface, domain, fragment_bytes, receive_buffer_bytes, well_known })
}

/// The crate's part of the configuration.
pub fn discovery(config: &ParticipantConfig) -> Result<DustDdsConfiguration> {
    let interval: u32 = config.number(OPTIONS, "announcement_interval_ms")?;
    let type_information = match config.option(OPTIONS, "type_information") {
        "true" => true,
        "false" => false,
        other => {
            let text = format!("option type_information: {other:?} is neither true nor false");
            return Err(Status::Invalid.error(text));
        }
    };
    DustDdsConfigurationBuilder::new()
        .participant_announcement_interval(Duration::from_millis(u64::from(interval)))
        .enable_type_information(type_information)
        .build()
        .map_err(|e| crate::errors::error(&e, "configuration"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(settings: &[(&str, &str)]) -> ParticipantConfig {
        ParticipantConfig {
            domain: 7,
            interface_address: "127.0.0.1".to_owned(),
            settings: settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
            ..ParticipantConfig::default()
        }
    }

    #[test]
    fn nothing_differs_from_what_ships_unless_asked_for() {
        let shipped = DustDdsConfiguration::default();
        assert_eq!(discovery(&config(&[])), Ok(shipped));
        let settings = transport(&config(&[])).expect("valid");
        let shipped = dust_dds::rtps_udp_transport::udp_transport::RtpsUdpTransportParticipantFactory::default();
        assert_eq!(settings.fragment_bytes, shipped.fragment_size());
        assert_eq!(settings.receive_buffer_bytes, shipped.udp_receive_buffer_size());
        assert_eq!(settings.well_known, 0);
    }

    #[test]
    fn a_wrong_value_is_refused_with_its_name() {
        for (key, value) in [
            ("fragment_size", "65001"),
            ("receive_buffer", "much"),
            ("well_known_ports", "121"),
            ("type_information", "yes"),
        ] {
            let config = config(&[(key, value)]);
            let error = transport(&config)
                .map(drop)
                .and_then(|()| discovery(&config).map(drop))
                .expect_err(key);
            assert!(error.status == Status::Invalid && error.message.contains(key), "{error}");
        }
    }
}
