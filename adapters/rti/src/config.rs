//! A participant's configuration, and the XML document by which RTI Connector makes it.

use std::fmt::Write as _;
use std::net::Ipv4Addr;

use busmark_adapter::{ParticipantConfig, Result, Status};

use crate::factory::escape;
use crate::options::OPTIONS;

const MAX_DOMAIN: u32 = 232;
/// Participant indexes from 0 whose ports do not reach into those of the next domain (RTPS 9.6.2.3).
const MAX_PARTICIPANTS: u32 = 120;
/// The library's address for discovery.
const MULTICAST: &str = "239.255.0.1";
/// What a message needs beside a sample: RTPS header, submessages, inline QoS.
const MESSAGE_OVERHEAD: u64 = 512;

/// Which set of profiles reliable endpoints start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The library's defaults.
    None,
    /// `BuiltinQosLib::Generic.…`
    Generic,
    /// The same with `Optimization.ReliabilityProtocol.LowLatency` where a writer keeps all.
    LowLatency,
    /// The same with `Optimization.ReliabilityProtocol.HighRate` where a writer keeps all.
    HighRate,
}

/// Who sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PublishMode {
    Auto,
    Synchronous,
    Asynchronous,
}

/// A participant's configuration, checked.
#[derive(Clone, Debug)]
pub struct Settings {
    domain: u32,
    shmem: bool,
    address: Ipv4Addr,
    multicast: bool,
    peers: Vec<String>,
    max_participants: u32,
    /// What reliable endpoints start from.
    pub base: Base,
    publish_mode: PublishMode,
    /// Bytes of a batch, if writers batch.
    pub batch_bytes: Option<u64>,
    type_object: bool,
    message_size_max: u64,
    receive_buffer: u64,
    send_buffer: u64,
    shm_receive_buffer: u64,
    shm_messages: u64,
}

impl Settings {
    /// Checks what the border has not checked: values.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        if config.domain > MAX_DOMAIN {
            let text =
                format!("domain {} has no UDP ports; the last is {MAX_DOMAIN}", config.domain);
            return Err(Status::Invalid.error(text));
        }
        let address: Ipv4Addr = config.interface_address.parse().map_err(|_| {
            let text = format!("interface_address {:?} is not of IPv4", config.interface_address);
            Status::Invalid.error(text)
        })?;
        let shmem = config.transport == "shmem";
        let tuned = config.profile == "tuned";
        // Tuned: the library's own snippet Optimization.Transport.LargeBuffers, without its size of
        // messages, which is more than UDP carries.
        let size = |key, shipped, advised| size(config, key, if tuned { advised } else { shipped });
        let settings = Self {
            domain: config.domain,
            shmem,
            address,
            multicast: multicast(config, shmem, address)?,
            peers: peers(config, shmem)?,
            max_participants: within(config, "max_participants", 1, MAX_PARTICIPANTS)?,
            base: base(config, tuned)?,
            publish_mode: choice(
                config,
                "publish_mode",
                &[
                    ("auto", PublishMode::Auto),
                    ("synchronous", PublishMode::Synchronous),
                    ("asynchronous", PublishMode::Asynchronous),
                ],
            )?,
            batch_bytes: if boolean(config, "batching")? {
                Some(within(config, "batch_bytes", 1, 60_000)?.into())
            } else {
                None
            },
            type_object: boolean(config, "type_object")?,
            message_size_max: if shmem {
                size("message_size_max", 65_536, 65_530)?
            } else {
                size("message_size_max", 65_507, 65_507)?
            },
            receive_buffer: size("socket_receive_buffer", 131_072, 1_048_576)?,
            send_buffer: size("socket_send_buffer", 131_072, 524_288)?,
            shm_receive_buffer: size("shm_receive_buffer", 1_048_576, 2_097_152)?,
            shm_messages: size("shm_messages", 64, 32)?,
        };
        if settings.message_size_max <= MESSAGE_OVERHEAD || settings.message_size_max > 1 << 24 {
            let text = "option message_size_max: not within 513 to 16777216";
            return Err(Status::Invalid.error(text));
        }
        Ok(settings)
    }

    /// Whether a sample of so many bytes does not fit into one message.
    pub fn exceeds_message(&self, wire_bytes: u64) -> bool {
        wire_bytes + MESSAGE_OVERHEAD > self.message_size_max
    }

    /// Whether a thread of the library sends samples of at most so many bytes.
    pub fn asynchronous(&self, wire_bytes: u64) -> Result<bool> {
        let large = self.exceeds_message(wire_bytes);
        match self.publish_mode {
            PublishMode::Auto => Ok(large),
            PublishMode::Asynchronous => Ok(true),
            PublishMode::Synchronous if large => {
                let text = "option publish_mode: the library sends samples larger than a message \
                            asynchronously only";
                Err(Status::Invalid.error(text))
            }
            PublishMode::Synchronous => Ok(false),
        }
    }

    /// The document with the participant `busmark::participant`, by this name.
    pub fn document(&self, name: &str) -> String {
        let mut x = format!(
            "<domain_library name='busmark_domains'>\
             <domain name='domain' domain_id='{}'/></domain_library>\
             <domain_participant_library name='busmark'>\
             <domain_participant name='participant' domain_ref='busmark_domains::domain'>\
             <participant_qos><participant_name><name>{}</name></participant_name>",
            self.domain,
            escape(name)
        );
        let mask = if self.shmem { "SHMEM" } else { "UDPv4" };
        put(&mut x, format_args!("<transport_builtin><mask>{mask}</mask></transport_builtin>"));
        self.discovery(&mut x);
        if !self.type_object {
            x.push_str(
                "<resource_limits>\
                 <type_object_max_serialized_length>0</type_object_max_serialized_length>\
                 <type_code_max_serialized_length>0</type_code_max_serialized_length>\
                 </resource_limits>",
            );
        }
        self.properties(&mut x);
        x.push_str("</participant_qos></domain_participant></domain_participant_library>");
        x
    }

    fn discovery(&self, x: &mut String) {
        // Peers by number: the library asks the ports of the participants 0 to `last`.
        let last = self.max_participants - 1;
        x.push_str("<discovery><initial_peers>");
        if self.shmem {
            put(x, format_args!("<element>{last}@builtin.shmem://</element>"));
        } else {
            put(x, format_args!("<element>{last}@builtin.udpv4://{}</element>", self.address));
        }
        if self.multicast {
            put(x, format_args!("<element>builtin.udpv4://{MULTICAST}</element>"));
        }
        for peer in &self.peers {
            put(x, format_args!("<element>{last}@builtin.udpv4://{}</element>", escape(peer)));
        }
        x.push_str("</initial_peers><multicast_receive_addresses>");
        if self.multicast {
            put(x, format_args!("<element>builtin.udpv4://{MULTICAST}</element>"));
        }
        // What the library sends to domain 0 for the vendor's tools stays out: its own snippet
        // Compatibility.OtherDDSVendor.Enable.
        x.push_str(
            "</multicast_receive_addresses></discovery><discovery_config>\
             <default_domain_announcement_period><sec>DURATION_INFINITE_SEC</sec>\
             <nanosec>DURATION_INFINITE_NSEC</nanosec></default_domain_announcement_period>\
             </discovery_config>",
        );
        // The library looks once a second, twice at least, whether a participant that is being deleted
        // has come to an end. Nothing else depends on it.
        x.push_str(
            "<database><shutdown_cleanup_period><sec>0</sec><nanosec>10000000</nanosec>\
             </shutdown_cleanup_period></database>",
        );
    }

    fn properties(&self, x: &mut String) {
        x.push_str("<property><value>");
        let mut set = |name: &str, value: &dyn std::fmt::Display| {
            put(
                x,
                format_args!(
                    "<element><name>dds.transport.{name}</name><value>{value}</value></element>"
                ),
            );
        };
        if self.shmem {
            set("shmem.builtin.parent.message_size_max", &self.message_size_max);
            set("shmem.builtin.receive_buffer_size", &self.shm_receive_buffer);
            set("shmem.builtin.received_message_count_max", &self.shm_messages);
        } else {
            set("UDPv4.builtin.parent.message_size_max", &self.message_size_max);
            set("UDPv4.builtin.parent.allow_interfaces_list", &self.address);
            set("UDPv4.builtin.parent.allow_multicast_interfaces_list", &self.address);
            // By itself the library leaves loopback out where it has another interface.
            set("UDPv4.builtin.ignore_loopback_interface", &0);
            set("UDPv4.builtin.recv_socket_buffer_size", &self.receive_buffer);
            set("UDPv4.builtin.send_socket_buffer_size", &self.send_buffer);
            // A writer's transport priority becomes the type of service of its datagrams; by itself
            // the library maps none, and the priority 0 stays 0.
            set("UDPv4.builtin.transport_priority_mask", &255);
            set("UDPv4.builtin.transport_priority_mapping_low", &0);
            set("UDPv4.builtin.transport_priority_mapping_high", &255);
        }
        x.push_str("</value></property>");
    }
}

fn size(config: &ParticipantConfig, key: &str, otherwise: u64) -> Result<u64> {
    if config.option(OPTIONS, key).is_empty() { Ok(otherwise) } else { config.number(OPTIONS, key) }
}

fn within(config: &ParticipantConfig, key: &str, first: u32, last: u32) -> Result<u32> {
    let asked: u32 = config.number(OPTIONS, key)?;
    if (first..=last).contains(&asked) {
        return Ok(asked);
    }
    Err(Status::Invalid.error(format!("option {key}: {asked} is not within {first} to {last}")))
}

fn choice<T: Copy>(config: &ParticipantConfig, key: &str, words: &[(&str, T)]) -> Result<T> {
    let text = config.option(OPTIONS, key);
    words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value).ok_or_else(|| {
        let known: Vec<_> = words.iter().map(|(word, _)| *word).collect();
        Status::Invalid.error(format!("option {key}: {text:?} is not one of {}", known.join(", ")))
    })
}

fn boolean(config: &ParticipantConfig, key: &str) -> Result<bool> {
    choice(config, key, &[("true", true), ("false", false)])
}

fn base(config: &ParticipantConfig, tuned: bool) -> Result<Base> {
    let own = if tuned { Base::HighRate } else { Base::Generic };
    let words = [
        ("", own),
        ("generic", Base::Generic),
        ("low_latency", Base::LowLatency),
        ("high_rate", Base::HighRate),
        ("none", Base::None),
    ];
    choice(config, "qos_base", &words)
}

fn multicast(config: &ParticipantConfig, shmem: bool, address: Ipv4Addr) -> Result<bool> {
    let auto = !shmem && !address.is_loopback();
    let asked = choice(config, "multicast", &[("auto", auto), ("true", true), ("false", false)])?;
    if asked && !auto {
        let text = "option multicast: there is none over shared memory, and the library finds none \
                    on a loopback interface";
        return Err(Status::Unsupported.error(text));
    }
    Ok(asked)
}

fn peers(config: &ParticipantConfig, shmem: bool) -> Result<Vec<String>> {
    let text = config.option(OPTIONS, "peers");
    let peers: Vec<_> =
        text.split(',').map(str::trim).filter(|p| !p.is_empty()).map(str::to_owned).collect();
    if shmem && !peers.is_empty() {
        return Err(Status::Unsupported.error("option peers: shared memory reaches this host only"));
    }
    Ok(peers)
}

fn put(x: &mut String, text: std::fmt::Arguments) {
    x.write_fmt(text).expect("a String takes all");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(transport: &str, profile: &str, settings: &[(&str, &str)]) -> ParticipantConfig {
        let own = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        ParticipantConfig {
            domain: 7,
            interface_name: "lo".to_owned(),
            interface_address: "127.0.0.1".to_owned(),
            transport: transport.to_owned(),
            profile: profile.to_owned(),
            settings: settings.iter().map(own).collect(),
            ..ParticipantConfig::default()
        }
    }

    fn document(transport: &str, profile: &str, settings: &[(&str, &str)]) -> String {
        Settings::new(&config(transport, profile, settings)).expect("valid").document("n")
    }

    #[test]
    fn loopback_is_without_multicast_and_bound() {
        let text = document("udp", "default", &[]);
        assert!(text.contains("<element>39@builtin.udpv4://127.0.0.1</element>"));
        assert!(text.contains("allow_interfaces_list</name><value>127.0.0.1<"));
        assert!(!text.contains(MULTICAST));
        assert!(!document("shmem", "default", &[]).contains("udpv4"));
    }

    #[test]
    fn an_option_goes_before_the_profile() {
        let buffer = |settings| {
            let text = document("udp", "tuned", settings);
            let at = text.find("recv_socket_buffer_size</name><value>").expect("set");
            text[at + 37..].split('<').next().expect("a value").to_owned()
        };
        assert_eq!(buffer(&[]), "1048576");
        assert_eq!(buffer(&[("socket_receive_buffer", "9000")]), "9000");
    }

    #[test]
    fn what_exceeds_a_message_is_sent_by_a_thread_of_the_library() {
        let settings = Settings::new(&config("udp", "default", &[])).expect("valid");
        assert_eq!(settings.asynchronous(1024), Ok(false));
        assert_eq!(settings.asynchronous(65_507), Ok(true));
        let settings = config("udp", "default", &[("publish_mode", "synchronous")]);
        let settings = Settings::new(&settings).expect("valid");
        assert!(settings.asynchronous(1024) == Ok(false) && settings.asynchronous(65_507).is_err());
    }

    #[test]
    fn a_wrong_value_is_refused_with_its_name() {
        let wrong = [
            ("multicast", "yes"),
            ("multicast", "true"),
            ("max_participants", "121"),
            ("qos_base", "fast"),
            ("batching", "1"),
            ("message_size_max", "much"),
            ("message_size_max", "1"),
        ];
        for (key, value) in wrong {
            let error = Settings::new(&config("udp", "default", &[(key, value)])).expect_err(key);
            assert!(error.message.contains(key), "{error}");
        }
    }
}
