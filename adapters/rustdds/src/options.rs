//! The adapter's options: `matrix.option.ADAPTER.KEY` in a scenario.

use std::net::Ipv4Addr;

use busmark_adapter::{OptionSpec, ParticipantConfig, Result, Status};
use rustdds::DomainParticipantBuilder;

/// All, with their defaults, which are the crate's.
pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        key: "receive_buffer",
        value: "8388608",
        doc: "Bytes of receive buffer (SO_RCVBUF) to ask the kernel for, for each socket; it grants at \
              most net.core.rmem_max. 0: what the system gives.",
    },
    OptionSpec {
        key: "send_buffer",
        value: "8388608",
        doc: "Bytes of send buffer (SO_SNDBUF) to ask the kernel for, for each socket; it grants at \
              most net.core.wmem_max. 0: what the system gives.",
    },
];

/// Last domain whose ports are below 65536.
const MAX_DOMAIN: u32 = 232;

/// A participant's configuration, checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    domain: u16,
    interface: Ipv4Addr,
    receive_buffer: usize,
    send_buffer: usize,
}

impl Settings {
    /// Checks what the border has not checked: values.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        let address = &config.interface_address;
        let interface = address.parse().map_err(|_| {
            Status::Invalid.error(format!("interface_address {address:?} is not an IPv4 address"))
        })?;
        if config.domain > MAX_DOMAIN {
            let text =
                format!("domain {} has no UDP ports; the last is {MAX_DOMAIN}", config.domain);
            return Err(Status::Invalid.error(text));
        }
        Ok(Self {
            domain: config.domain as u16,
            interface,
            receive_buffer: config.number(OPTIONS, "receive_buffer")?,
            send_buffer: config.number(OPTIONS, "send_buffer")?,
        })
    }

    /// As the crate takes it.
    pub fn builder(&self) -> DomainParticipantBuilder {
        DomainParticipantBuilder::new(self.domain)
            .with_only_networks([self.interface])
            // By default the crate announces itself on loopback too, whatever the interface.
            .same_host_loopback(self.interface.is_loopback())
            .socket_receive_buffer_size(self.receive_buffer)
            .socket_send_buffer_size(self.send_buffer)
    }
}

#[cfg(test)]
mod tests {
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
    fn buffers_are_those_of_the_crate_unless_asked_for() {
        let settings = Settings::new(&config(7, "127.0.0.1", &[])).expect("valid");
        let shipped = DomainParticipantBuilder::DEFAULT_SOCKET_RECEIVE_BUFFER_SIZE;
        assert_eq!(settings.receive_buffer, shipped);
        let shipped = DomainParticipantBuilder::DEFAULT_SOCKET_SEND_BUFFER_SIZE;
        assert_eq!(settings.send_buffer, shipped);
    }

    #[test]
    fn wrong_values_are_refused() {
        for config in [
            config(233, "127.0.0.1", &[]),
            config(7, "::1", &[]),
            config(7, "127.0.0.1", &[("receive_buffer", "much")]),
            config(7, "127.0.0.1", &[("send_buffer", "-1")]),
        ] {
            assert_eq!(Settings::new(&config).expect_err("wrong").status, Status::Invalid);
        }
    }
}
