//! The library's configuration, as the XML that `dds_create_domain` takes.
//!
//! Both profiles differ from what ships in the network interface, the way of discovery that a
//! loopback interface needs, and logging to standard error instead of a file. The profile "tuned"
//! adds what the library's own documentation and performance scripts set.

use std::fmt::Write as _;
use std::net::Ipv4Addr;

use busmark_adapter::{ParticipantConfig, Result, Setting, Status, escape_xml};

use crate::options::OPTIONS;
use crate::security::Realm;

/// First of the ports that the RTPS specification gives to a participant of a domain (9.6.2.3):
/// PB + DG · domain + d1, then PG · index.
const PORT_BASE: u32 = 7400;
const DOMAIN_GAIN: u32 = 250;
const UNICAST_OFFSET: u32 = 10;
const PARTICIPANT_GAIN: u32 = 2;
/// Participant indexes from 0 whose ports do not reach into the next domain's.
const MAX_PROCESSES: u32 = 120;

/// How `rmw_cyclonedds_cpp` has nodes find each other where ROS's discovery range is LOCALHOST; multicast
/// is off then. With the range SUBNET, ROS's default, it configures nothing.
const LOCALHOST: &str = "<Discovery><ParticipantIndex>auto</ParticipantIndex>\
    <MaxAutoParticipantIndex>32</MaxAutoParticipantIndex>\
    <Peers><Peer Address=\"localhost\"/></Peers></Discovery>";

/// Options of the network.
const NETWORK: [&str; 3] = ["multicast", "peers", "max_processes"];

/// Settings of `General` and `Internal` that have no fixed value in a profile.
const SIZES: [&str; 5] = [
    "max_message_size",
    "fragment_size",
    "socket_receive_buffer",
    "socket_send_buffer",
    "whc_high",
];

/// What the "tuned" profile sets, with where the advice is from; all in the library's source tree.
fn tuned(key: &str) -> Option<u64> {
    match key {
        // README.md, "Run-time configuration": "Large values such as these typically improve
        // performance"; also examples/perfscript/perftest.
        "max_message_size" => Some(65_500),
        // examples/perfscript/perftest: <SocketReceiveBufferSize max="6MB"/>.
        "socket_receive_buffer" => Some(6 << 20),
        // README.md, "Run-time configuration": <WhcHigh>500kB</WhcHigh>; by now the default too.
        "whc_high" => Some(500 << 10),
        // The library's documentation gives no figure for the others.
        _ => None,
    }
}

/// A participant's configuration, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Domain of the worker; `ExternalDomainId` stays the same.
    pub domain: u32,
    /// The transport.
    pub network: Network,
    interface_name: String,
    interface_address: Ipv4Addr,
    multicast: Multicast,
    peers: Vec<String>,
    max_processes: u32,
    sizes: [Option<u64>; SIZES.len()],
    synchronous_delivery: bool,
    tcp_no_delay: bool,
    multiple_receive_threads: Option<bool>,
    write_batching: Option<bool>,
    /// Publish mode of endpoints.
    pub publish_mode: PublishMode,
    realm: Option<Realm>,
    /// The user's own elements, which come first.
    user: String,
}

/// By what samples travel, and who configures it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// UDP on the case's interface.
    Udp,
    /// TCP, where each process needs a port of its own.
    Tcp,
    /// UDP as ROS configures it, on the interface of the library's choice.
    Shipped,
}

/// On which thread a writer sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublishMode {
    /// Within the write, as the library ships.
    Synchronous,
    /// On a thread of the library's.
    Asynchronous,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Multicast {
    /// The library decides, on an interface that is not loopback.
    Shipped,
    Off,
    On,
    Discovery,
}

impl Settings {
    /// Checks what the border has not checked: values.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        let set = |key| config.setting(OPTIONS, key);
        let domain = u32::from(config.rtps_domain()?);
        let interface_address = config.interface_v4()?;
        let mut sizes = [None; SIZES.len()];
        for (size, key) in sizes.iter_mut().zip(SIZES) {
            *size = set(key).optional(Setting::number)?;
            if config.tuned() && size.is_none() {
                *size = tuned(key);
            }
        }
        Ok(Self {
            domain,
            network: network(config)?,
            interface_name: config.interface_name.clone(),
            interface_address,
            multicast: multicast(config, interface_address)?,
            peers: set("peers").list().map(str::to_owned).collect(),
            max_processes: max_processes(config)?,
            sizes,
            synchronous_delivery: set("synchronous_delivery").flag()?,
            tcp_no_delay: set("tcp_no_delay").flag()?,
            multiple_receive_threads: set("multiple_receive_threads").optional(Setting::flag)?,
            write_batching: set("write_batching").optional(Setting::flag)?,
            publish_mode: set("publish_mode").choice(&[
                ("synchronous", PublishMode::Synchronous),
                ("asynchronous", PublishMode::Asynchronous),
            ])?,
            realm: config.security.as_deref().map(Realm::of).transpose()?,
            user: user(set("config"))?,
        })
    }

    /// The ports among which a process over TCP takes a free one.
    pub fn tcp_ports(&self) -> impl Iterator<Item = u16> + use<> {
        let domain = self.domain;
        (0..self.max_processes).filter_map(move |index| u16::try_from(port(domain, index)).ok())
    }

    /// The whole configuration; `tcp_port` is this process's own (0 for UDP).
    pub fn xml(&self, tcp_port: u16) -> String {
        let mut x = self.user.clone();
        x.push_str("<CycloneDDS><Domain Id=\"any\">");
        self.general(&mut x);
        self.discovery(&mut x, tcp_port);
        self.internal(&mut x);
        if self.network == Network::Tcp {
            let no_delay = self.tcp_no_delay;
            put(
                &mut x,
                format_args!("<TCP><NoDelay>{no_delay}</NoDelay><Port>{tcp_port}</Port></TCP>"),
            );
        }
        // Warnings and errors only, and no file: by default the library would name cyclonedds.log.
        x.push_str("<Tracing><Verbosity>none</Verbosity><OutputFile>stderr</OutputFile></Tracing>");
        x.push_str("</Domain></CycloneDDS>");
        x
    }

    fn general(&self, x: &mut String) {
        let transport = if self.network == Network::Tcp { "tcp" } else { "udp" };
        put(x, format_args!("<General><Transport>{transport}</Transport>"));
        if self.network != Network::Shipped {
            self.interface(x);
        }
        let allow = match self.multicast {
            Multicast::Shipped => None,
            Multicast::Off => Some("false"),
            Multicast::On => Some("true"),
            Multicast::Discovery => Some("spdp"),
        };
        if let Some(allow) = allow {
            put(x, format_args!("<AllowMulticast>{allow}</AllowMulticast>"));
        }
        if let Some(bytes) = self.size("max_message_size") {
            put(x, format_args!("<MaxMessageSize>{bytes}B</MaxMessageSize>"));
        }
        if let Some(bytes) = self.size("fragment_size") {
            put(x, format_args!("<FragmentSize>{bytes}B</FragmentSize>"));
        }
        x.push_str("</General>");
    }

    fn interface(&self, x: &mut String) {
        x.push_str("<Interfaces><NetworkInterface");
        if !self.interface_name.is_empty() {
            put(x, format_args!(" name=\"{}\"", escape_xml(&self.interface_name)));
        }
        put(x, format_args!(" address=\"{}\"", self.interface_address));
        if matches!(self.multicast, Multicast::On | Multicast::Discovery) {
            // The system says of a loopback interface that it cannot; it can.
            x.push_str(" multicast=\"true\"");
        }
        x.push_str("/></Interfaces>");
    }

    fn discovery(&self, x: &mut String, tcp_port: u16) {
        if self.network == Network::Shipped {
            if self.multicast == Multicast::Off {
                x.push_str(LOCALHOST);
            }
            return;
        }
        x.push_str("<Discovery>");
        let unicast = self.network == Network::Tcp || self.multicast == Multicast::Off;
        if unicast && self.network == Network::Udp {
            x.push_str("<ParticipantIndex>auto</ParticipantIndex>");
            let last = self.max_processes - 1;
            put(x, format_args!("<MaxAutoParticipantIndex>{last}</MaxAutoParticipantIndex>"));
        }
        x.push_str("<Peers AddLocalhost=\"false\">");
        if unicast {
            self.peer(x, &self.interface_address.to_string(), tcp_port);
        }
        for address in &self.peers {
            self.peer(x, address, tcp_port);
        }
        x.push_str("</Peers></Discovery>");
    }

    /// UDP: the library itself asks every index at an address. TCP: it asks the given ports.
    fn peer(&self, x: &mut String, address: &str, own: u16) {
        let address = escape_xml(address);
        if self.network == Network::Tcp && !address.contains(':') {
            for port in self.tcp_ports().filter(|port| *port != own) {
                put(x, format_args!("<Peer Address=\"{address}:{port}\"/>"));
            }
        } else {
            put(x, format_args!("<Peer Address=\"{address}\"/>"));
        }
    }

    fn internal(&self, x: &mut String) {
        x.push_str("<Internal>");
        if let Some(bytes) = self.size("socket_receive_buffer") {
            put(x, format_args!("<SocketReceiveBufferSize max=\"{bytes}B\"/>"));
        }
        if let Some(bytes) = self.size("socket_send_buffer") {
            put(x, format_args!("<SocketSendBufferSize min=\"default\" max=\"{bytes}B\"/>"));
        }
        if let Some(bytes) = self.size("whc_high") {
            put(x, format_args!("<Watermarks><WhcHigh>{bytes}B</WhcHigh></Watermarks>"));
        }
        if let Some(several) = self.multiple_receive_threads {
            put(x, format_args!("<MultipleReceiveThreads>{several}</MultipleReceiveThreads>"));
        }
        if let Some(batching) = self.write_batching {
            put(x, format_args!("<WriteBatch>{batching}</WriteBatch>"));
        }
        if !self.synchronous_delivery {
            // Writers have transport priority 0, so this makes all delivery asynchronous.
            let name = "SynchronousDeliveryPriorityThreshold";
            put(x, format_args!("<{name}>1</{name}>"));
        }
        x.push_str("</Internal>");
    }

    fn size(&self, key: &str) -> Option<u64> {
        SIZES.iter().position(|k| *k == key).and_then(|at| self.sizes[at])
    }
}

/// The user's configuration as a text that the library's parser takes before others: an XML text, or
/// files that are separated by commas, as in `CYCLONEDDS_URI`.
fn user(setting: Setting) -> Result<String> {
    let Some(value) = setting.config("CYCLONEDDS_URI")? else { return Ok(String::new()) };
    let value = value.trim();
    let texts = if value.starts_with('<') {
        vec![value.to_owned()]
    } else {
        value
            .split(',')
            .map(str::trim)
            .map(|part| part.strip_prefix("file://").unwrap_or(part))
            .map(|file| {
                std::fs::read_to_string(file)
                    .map_err(|error| setting.invalid(&format!("cannot be read: {file}: {error}")))
            })
            .collect::<Result<_>>()?
    };
    let mut all = String::new();
    for text in texts {
        for element in ["NetworkInterface", "Peer", "ExternalDomainId"] {
            if text.contains(&format!("<{element} ")) || text.contains(&format!("<{element}>")) {
                return Err(setting.invalid(&format!(
                    "has an element {element}: interface, peers and domain are the case's; remove it"
                )));
            }
        }
        // A declaration may stand at the begin of a text only, and others follow.
        let text = text.trim_start_matches('\u{feff}').trim();
        let text = match text.strip_prefix("<?xml") {
            Some(rest) => rest.split_once("?>").map_or("", |(_, body)| body).trim(),
            None => text,
        };
        all.push_str(text);
        all.push(',');
    }
    Ok(all)
}

fn port(domain: u32, index: u32) -> u32 {
    PORT_BASE + DOMAIN_GAIN * domain + UNICAST_OFFSET + PARTICIPANT_GAIN * index
}

/// The transport. Options of the network have no effect where ROS configures it.
fn network(config: &ParticipantConfig) -> Result<Network> {
    match config.transport.as_str() {
        "tcp" => return Ok(Network::Tcp),
        "shipped" => (),
        _ => return Ok(Network::Udp),
    }
    for option in OPTIONS.iter().filter(|option| NETWORK.contains(&option.key)) {
        let key = option.key;
        if config.option(OPTIONS, key) != option.value {
            let text = format!(
                "option {key}: the transport shipped has ROS's own network; leave it out, or choose udp"
            );
            return Err(Status::Unsupported.error(text));
        }
    }
    Ok(Network::Shipped)
}

fn multicast(config: &ParticipantConfig, address: Ipv4Addr) -> Result<Multicast> {
    if config.transport == "tcp" {
        return Ok(Multicast::Off);
    }
    let auto = if address.is_loopback() { Multicast::Off } else { Multicast::Shipped };
    config.setting(OPTIONS, "multicast").choice(&[
        ("auto", auto),
        ("true", Multicast::On),
        ("false", Multicast::Off),
        ("spdp", Multicast::Discovery),
    ])
}

fn max_processes(config: &ParticipantConfig) -> Result<u32> {
    let asked = config.setting(OPTIONS, "max_processes").within(1..=MAX_PROCESSES)?;
    // The last domain's higher ports do not exist. Data goes to the port after discovery's.
    let fit = (u32::from(u16::MAX) - 1 - port(config.domain, 0)) / PARTICIPANT_GAIN + 1;
    Ok(asked.min(fit))
}

fn put(x: &mut String, text: std::fmt::Arguments) {
    x.write_fmt(text).expect("a String takes all");
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

    fn xml(config: &ParticipantConfig) -> String {
        Settings::new(config).expect("valid").xml(0)
    }

    #[test]
    fn the_default_profile_changes_no_size() {
        let text = xml(&config("udp", "default"));
        for element in ["MaxMessageSize", "FragmentSize", "BufferSize", "Watermarks"] {
            assert!(!text.contains(element), "{element} in {text}");
        }
        assert!(text.contains("<AllowMulticast>false</AllowMulticast>"));
    }

    #[test]
    fn an_option_goes_before_the_profile() {
        let mut config = config("udp", "tuned");
        assert!(xml(&config).contains("<MaxMessageSize>65500B</MaxMessageSize>"));
        config.settings = vec![("max_message_size".to_owned(), "9000".to_owned())];
        assert!(xml(&config).contains("<MaxMessageSize>9000B</MaxMessageSize>"));
    }

    #[test]
    fn receive_threads_and_batching_stay_as_shipped_unless_asked_for() {
        let mut config = config("udp", "default");
        for element in ["MultipleReceiveThreads", "WriteBatch"] {
            assert!(!xml(&config).contains(element));
        }
        config.settings = vec![
            ("multiple_receive_threads".to_owned(), "true".to_owned()),
            ("write_batching".to_owned(), "true".to_owned()),
        ];
        let text = xml(&config);
        assert!(text.contains("<MultipleReceiveThreads>true</MultipleReceiveThreads>"));
        assert!(text.contains("<WriteBatch>true</WriteBatch>"));
        config.settings = vec![("write_batching".to_owned(), "maybe".to_owned())];
        assert!(Settings::new(&config).is_err());
    }

    #[test]
    fn the_processes_of_a_domain_keep_to_their_ports() {
        for domain in [0, 7, 231, 232] {
            let config = ParticipantConfig { domain, ..config("tcp", "default") };
            let ports: Vec<_> = Settings::new(&config).expect("valid").tcp_ports().collect();
            let next = PORT_BASE + DOMAIN_GAIN * (domain + 1);
            assert!(ports.iter().all(|port| u32::from(*port) + 1 < next), "{ports:?}");
            assert_eq!(ports.len(), if domain == 232 { 63 } else { 120 });
        }
    }

    #[test]
    fn the_users_file_comes_first_without_what_is_the_cases() {
        let file = std::env::temp_dir().join(format!("busmark-cyclone-{}.xml", std::process::id()));
        let mut config = config("udp", "default");
        config.settings = vec![("config".to_owned(), file.display().to_string())];
        let error = Settings::new(&config).expect_err("no such file");
        assert!(error.status == Status::Invalid && error.message.contains("config"), "{error}");
        let own = "<CycloneDDS><Domain><Internal><WriteBatch>true</WriteBatch></Internal></Domain></CycloneDDS>";
        std::fs::write(&file, format!("<?xml version=\"1.0\"?>\n{own}\n")).expect("a file");
        let text = xml(&config);
        assert!(text.starts_with(&format!("{own},<CycloneDDS>")), "{text}");
        let peer = "<CycloneDDS><Domain><Discovery><Peers><Peer Address=\"h\"/></Peers></Discovery></Domain></CycloneDDS>";
        std::fs::write(&file, peer).expect("a file");
        let error = Settings::new(&config).expect_err("a peer");
        std::fs::remove_file(&file).expect("removed");
        assert!(error.message.contains("Peer"), "{error}");
    }

    #[test]
    fn the_shipped_network_is_the_one_that_ros_configures() {
        let text = xml(&config("shipped", "default"));
        assert!(text.contains(LOCALHOST) && !text.contains("NetworkInterface"), "{text}");
        let wide = ParticipantConfig {
            interface_address: "192.0.2.7".to_owned(),
            ..config("shipped", "default")
        };
        let text = xml(&wide);
        assert!(!text.contains("Discovery") && !text.contains("AllowMulticast"), "{text}");
        let settings = vec![("peers".to_owned(), "192.0.2.8".to_owned())];
        let error = Settings::new(&ParticipantConfig { settings, ..wide }).expect_err("no effect");
        assert!(error.status == Status::Unsupported && error.message.contains("peers"), "{error}");
    }

    #[test]
    fn a_wrong_value_is_refused_with_its_name() {
        for (key, value) in [
            ("multicast", "yes"),
            ("whc_high", "much"),
            ("max_processes", "121"),
            ("publish_mode", "late"),
        ] {
            let mut config = config("udp", "default");
            config.settings = vec![(key.to_owned(), value.to_owned())];
            let error = Settings::new(&config).expect_err(key);
            assert!(error.status == Status::Invalid && error.message.contains(key), "{error}");
        }
    }

    #[test]
    fn a_process_over_tcp_does_not_call_itself() {
        let settings = Settings::new(&config("tcp", "default")).expect("valid");
        let own = settings.tcp_ports().next().expect("a port");
        let text = settings.xml(own);
        assert!(text.contains(&format!("<Port>{own}</Port>")));
        assert!(!text.contains(&format!("127.0.0.1:{own}\"")));
        assert!(text.contains(&format!("127.0.0.1:{}\"", own + 2)));
    }
}
