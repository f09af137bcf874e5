//! The adapter's options: `matrix.option.ADAPTER.KEY` in a scenario.

use std::net::Ipv4Addr;

use busmark_adapter::{OptionSpec, ParticipantConfig, Result, Setting};

/// All, with their defaults. An empty default leaves the choice to the profile.
pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        key: "discovery",
        value: "auto",
        doc: "How participants find each other (udp): auto (unicast on a loopback interface, multicast \
              elsewhere), unicast or multicast.",
    },
    OptionSpec {
        key: "peers",
        value: "",
        doc: "IPv4 addresses of other hosts to announce this one to where discovery is unicast, \
              separated by commas.",
    },
    OptionSpec {
        key: "max_participants",
        value: "120",
        doc: "Participants of one domain on one host that can find each other without multicast, and \
              so the number of ports that are announced to, 1 to 120; the library ships with 5.",
    },
    OptionSpec {
        key: "socket_buffer_bytes",
        value: "",
        doc: "Bytes of every send and receive buffer of a socket, of which the kernel grants at most \
              net.core.wmem_max and rmem_max; the library ships with 131072.",
    },
    OptionSpec {
        key: "message_bytes",
        value: "",
        doc: "Largest RTPS message of a transport (message_size_max), and so the size of a fragment, in \
              bytes, 2048 to 65507; the library ships with 65507 (udp) and 65536 (shm).",
    },
    OptionSpec {
        key: "publish_mode",
        value: "auto",
        doc: "PublishModeQosPolicy: auto (write sends, as the library ships, but for reliable endpoints \
              whose largest sample fits no message, of which the library asks the other) or \
              asynchronous (a thread of the library sends).",
    },
    OptionSpec {
        key: "heartbeat_period_ms",
        value: "",
        doc: "Period of a reliable writer's heartbeats while samples are unacknowledged, in \
              milliseconds; the library ships with 3000.",
    },
];

/// Participants whose ports do not reach into the next domain's.
const MOST_PARTICIPANTS: u32 = 120;
/// What a message may measure, in bytes; more does not fit into a datagram.
const MESSAGE_BYTES: std::ops::RangeInclusive<u32> = 2048..=65_507;

/// The transports' names in the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// `UDPv4`.
    Udp,
    /// `SHMEM`, as the vendor has it.
    SharedMemory,
}

/// What the configuration of a participant says, read and checked.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The only one.
    pub transport: Transport,
    /// The vendor's advice for its profile.
    pub is_tuned: bool,
    /// The domain.
    pub domain: u32,
    /// All traffic stays on its interface.
    pub address: Ipv4Addr,
    /// Whether discovery is by multicast.
    pub multicast: bool,
    /// Other hosts.
    pub peers: Vec<Ipv4Addr>,
    /// On one host.
    pub max_participants: u32,
    /// Buffer of sockets.
    pub socket_buffer_bytes: Option<u32>,
    /// Largest message.
    pub message_bytes: Option<u32>,
    /// A thread of the library sends, always.
    pub asynchronous: bool,
    /// Heartbeat period of reliable writers.
    pub heartbeat_period_ns: Option<i64>,
}

impl Settings {
    /// Reads and checks them.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        let set = |key| config.setting(OPTIONS, key);
        let address = config.interface_v4()?;
        let heartbeat_ms: Option<u32> =
            set("heartbeat_period_ms").optional(|s| s.within(1..=3_600_000))?;
        let discovery = [("auto", !address.is_loopback()), ("unicast", false), ("multicast", true)];
        Ok(Self {
            transport: match config.transport.as_str() {
                "shm" => Transport::SharedMemory,
                _ => Transport::Udp,
            },
            is_tuned: config.tuned(),
            domain: config.rtps_domain()?.into(),
            address,
            multicast: set("discovery").choice(&discovery)?,
            peers: set("peers")
                .list()
                .map(|peer| ipv4(set("peers"), peer))
                .collect::<Result<_>>()?,
            max_participants: set("max_participants").within(1..=MOST_PARTICIPANTS)?,
            socket_buffer_bytes: set("socket_buffer_bytes")
                .optional(|s| s.within(4096..=1 << 30))?,
            message_bytes: set("message_bytes").optional(|s| s.within(MESSAGE_BYTES))?,
            asynchronous: set("publish_mode").choice(&[("auto", false), ("asynchronous", true)])?,
            heartbeat_period_ns: heartbeat_ms.map(|ms| i64::from(ms) * 1_000_000),
        })
    }
}

fn ipv4(option: Setting, text: &str) -> Result<Ipv4Addr> {
    text.parse().map_err(|_| option.invalid(&format!("has {text:?}, which is not an IPv4 address")))
}

#[cfg(test)]
mod tests {
    use busmark_adapter::Status;

    use super::*;

    fn with(address: &str, settings: &[(&str, &str)]) -> Result<Settings> {
        Settings::new(&ParticipantConfig {
            interface_address: address.to_owned(),
            settings: settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
            ..ParticipantConfig::default()
        })
    }

    #[test]
    fn discovery_follows_the_interface_unless_it_is_set() {
        assert!(!with("127.0.0.1", &[]).expect("valid").multicast);
        assert!(with("10.0.0.1", &[]).expect("valid").multicast);
        assert!(with("127.0.0.1", &[("discovery", "multicast")]).expect("valid").multicast);
    }

    #[test]
    fn a_wrong_value_is_refused_with_its_name() {
        for (key, value) in [
            ("discovery", "broadcast"),
            ("peers", "10.0.0.1, here"),
            ("max_participants", "121"),
            ("socket_buffer_bytes", "much"),
            ("message_bytes", "65508"),
            ("publish_mode", "later"),
            ("heartbeat_period_ms", "0"),
        ] {
            let error = with("127.0.0.1", &[(key, value)]).expect_err(key);
            assert!(error.status == Status::Invalid && error.message.contains(key), "{error}");
        }
        assert!(with("localhost", &[]).is_err());
    }
}
