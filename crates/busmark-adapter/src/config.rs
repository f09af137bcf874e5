//! Configuration of participants and endpoints, as owned Rust values.

use std::net::{IpAddr, Ipv4Addr};

use serde::{Deserialize, Serialize};

use crate::abi::{ABSENT, CountersC, EndpointConfigC, ParticipantConfigC, known_by_head};
use crate::capabilities::Wait;
use crate::error::{Result, Status};
use crate::payload::Payload;
use crate::qos::Qos;
use crate::security::Security;
use crate::setting::Setting;
use crate::strings::read;

/// `busmark_participant_config_t`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParticipantConfig {
    /// Two domains do not hear each other.
    pub domain: u32,
    /// Such as "lo".
    pub interface_name: String,
    /// Such as "127.0.0.1".
    pub interface_address: String,
    /// One of the adapter's transports.
    pub transport: String,
    /// "default" or "tuned".
    pub profile: String,
    /// A directory shared by all participants on this host; the only place for files.
    pub run_dir: String,
    /// Options that differ from their default.
    pub settings: Vec<(String, String)>,
    /// Who the participant is and what it may do; `None`: unsecured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security: Option<Box<Security>>,
}

impl ParticipantConfig {
    /// The value of an option: as set, else its default among `options`.
    pub fn option<'a>(&'a self, options: &[crate::OptionSpec], key: &str) -> &'a str {
        if let Some((_, value)) = self.settings.iter().find(|(k, _)| k == key) {
            return value;
        }
        options.iter().find(|o| o.key == key).map_or("", |o| o.value)
    }

    /// The value of an option, to be read as what it must be.
    pub fn setting<'a>(&'a self, options: &[crate::OptionSpec], key: &'a str) -> Setting<'a> {
        Setting { key, text: self.option(options, key) }
    }

    /// Whether the profile is the tuned one.
    pub fn tuned(&self) -> bool {
        self.profile == "tuned"
    }

    /// The address of the interface.
    pub fn interface(&self) -> Result<IpAddr> {
        let address = &self.interface_address;
        address.parse().map_err(|_| {
            Status::Invalid.error(format!("interface_address {address:?} is not an IP address"))
        })
    }

    /// The same for a middleware without IPv6.
    pub fn interface_v4(&self) -> Result<Ipv4Addr> {
        match self.interface()? {
            IpAddr::V4(address) => Ok(address),
            IpAddr::V6(address) => Err(Status::Unsupported
                .error(format!("interface_address {address}: this adapter runs over IPv4 only"))),
        }
    }

    /// The domain of an RTPS participant: the ports of later ones (RTPS 9.6.2.3) would be beyond 65535.
    pub fn rtps_domain(&self) -> Result<u16> {
        const LAST: u16 = 232;
        u16::try_from(self.domain).ok().filter(|domain| *domain <= LAST).ok_or_else(|| {
            let text = format!("domain {} has no UDP ports; the last is {LAST}", self.domain);
            Status::Invalid.error(text)
        })
    }

    pub(crate) unsafe fn from_c(c: &ParticipantConfigC) -> Self {
        let mut settings = Vec::new();
        // SAFETY: the list ends with a NULL key and its texts are valid (contract).
        unsafe {
            let mut at = c.settings;
            while !at.is_null() && !(*at).key.is_null() {
                settings.push((read((*at).key), read((*at).value)));
                at = at.add(1);
            }
        }
        // SAFETY: texts are valid (contract).
        let text = |p| unsafe { read(p) };
        Self {
            domain: c.domain,
            interface_name: text(c.interface_name),
            interface_address: text(c.interface_address),
            transport: text(c.transport),
            profile: text(c.profile),
            run_dir: text(c.run_dir),
            settings,
            // SAFETY: NULL, or as the contract says.
            security: unsafe { Security::from_c(c.security) }.map(Box::new),
        }
    }
}

/// `busmark_endpoint_config_t`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointConfig {
    /// The topic's name.
    pub topic: String,
    /// Kind of the body's elements.
    pub payload: Payload,
    /// How the reader learns of samples; writers ignore it.
    pub wait: Wait,
    /// No sample of this endpoint is larger.
    pub max_body_bytes: u64,
    /// Quality of service.
    pub qos: Qos,
    /// Instances of a keyed topic (C27); 0: no key.
    pub instances: u32,
    /// Readers: only instances below this (C28); 0: all.
    pub filter_below: u32,
}

impl EndpointConfig {
    /// # Safety
    /// `c` follows the contract: texts and the QoS are valid.
    pub(crate) unsafe fn from_c(c: &EndpointConfigC, reader: bool) -> Result<Self> {
        let payload = Payload::from_c(c.payload)
            .ok_or_else(|| Status::Invalid.error(format!("no payload kind {}", c.payload)))?;
        let wait = match c.wait {
            2 => Wait::Waitset,
            4 => Wait::Poll,
            1 => Wait::Listener,
            _ if !reader => Wait::Poll, // Writers ignore it.
            other => return Err(Status::Invalid.error(format!("no wait strategy {other}"))),
        };
        // SAFETY: texts and the QoS pointer are valid (contract).
        let (topic, qos) = unsafe {
            (
                read(c.topic),
                if c.qos.is_null() { Qos::default() } else { Qos::from_c(&known_by_head(c.qos))? },
            )
        };
        Ok(Self {
            topic,
            payload,
            wait,
            max_body_bytes: c.max_body_bytes,
            qos,
            instances: c.instances,
            filter_below: if reader { c.filter_below } else { 0 },
        })
    }
}

/// `busmark_counters_t`: the middleware's own figures; `None` where it keeps none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Counters {
    pub lost: Option<u64>,
    pub rejected: Option<u64>,
    pub deadline_missed: Option<u64>,
    pub retransmitted: Option<u64>,
    pub injected_drops: Option<u64>,
    pub injected_duplicates: Option<u64>,
    pub injected_reorders: Option<u64>,
    pub injected_corruptions: Option<u64>,
    pub injected_delays: Option<u64>,
}

impl Counters {
    pub(crate) fn to_c(self) -> CountersC {
        let value = |v: Option<u64>| v.unwrap_or(ABSENT);
        CountersC {
            struct_size: size_of::<CountersC>() as u32,
            reserved: 0,
            lost: value(self.lost),
            rejected: value(self.rejected),
            deadline_missed: value(self.deadline_missed),
            retransmitted: value(self.retransmitted),
            injected_drops: value(self.injected_drops),
            injected_duplicates: value(self.injected_duplicates),
            injected_reorders: value(self.injected_reorders),
            injected_corruptions: value(self.injected_corruptions),
            injected_delays: value(self.injected_delays),
        }
    }

    pub(crate) fn from_c(c: &CountersC) -> Self {
        let value = |v: u64| (v != ABSENT).then_some(v);
        Self {
            lost: value(c.lost),
            rejected: value(c.rejected),
            deadline_missed: value(c.deadline_missed),
            retransmitted: value(c.retransmitted),
            injected_drops: value(c.injected_drops),
            injected_duplicates: value(c.injected_duplicates),
            injected_reorders: value(c.injected_reorders),
            injected_corruptions: value(c.injected_corruptions),
            injected_delays: value(c.injected_delays),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(domain: u32, interface_address: &str) -> ParticipantConfig {
        let interface_address = interface_address.to_owned();
        ParticipantConfig { domain, interface_address, ..ParticipantConfig::default() }
    }

    #[test]
    fn an_interface_is_an_address_that_the_middleware_can_use() {
        assert_eq!(config(0, "127.0.0.1").interface_v4(), Ok(Ipv4Addr::LOCALHOST));
        assert!(config(0, "::1").interface().is_ok_and(|address| address.is_ipv6()));
        let error = config(0, "::1").interface_v4().expect_err("no IPv6");
        assert!(error.status == Status::Unsupported && error.message.contains("::1"), "{error}");
        let error = config(0, "localhost").interface_v4().expect_err("no address");
        assert!(error.status == Status::Invalid && error.message.contains("localhost"), "{error}");
    }

    #[test]
    fn the_last_domain_of_rtps_is_232() {
        assert_eq!(config(232, "").rtps_domain(), Ok(232));
        for domain in [233, 65_536] {
            let error = config(domain, "").rtps_domain().expect_err("no ports");
            let text = format!("domain {domain} has no UDP ports; the last is 232");
            assert_eq!(error, Status::Invalid.error(text));
        }
    }
}
