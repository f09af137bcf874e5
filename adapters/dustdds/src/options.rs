//! The adapter's options: `matrix.option.ADAPTER.KEY` in a scenario.

use std::time::Duration;

use busmark_adapter::{OptionSpec, ParticipantConfig, Result, Setting};
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

/// The transport's part of the configuration.
pub fn transport(config: &ParticipantConfig) -> Result<Settings> {
    let set = |key| config.setting(OPTIONS, key);
    Ok(Settings {
        interface: config.interface_v4()?,
        domain: config.rtps_domain()?,
        fragment_bytes: set("fragment_size").within(8..=65_000)?,
        receive_buffer_bytes: set("receive_buffer").optional(Setting::number)?,
        well_known: set("well_known_ports").within(0..=MAX_PARTICIPANTS)?,
    })
}

/// The crate's part of the configuration.
pub fn discovery(config: &ParticipantConfig) -> Result<DustDdsConfiguration> {
    let set = |key| config.setting(OPTIONS, key);
    let interval: u32 = set("announcement_interval_ms").number()?;
    DustDdsConfigurationBuilder::new()
        .participant_announcement_interval(Duration::from_millis(u64::from(interval)))
        .enable_type_information(set("type_information").flag()?)
        .build()
        .map_err(|e| crate::errors::error(&e, "configuration"))
}

#[cfg(test)]
mod tests {
    use busmark_adapter::Status;

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
