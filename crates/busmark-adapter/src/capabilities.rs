//! What an adapter can do, as data (clauses C9, C10).

use std::collections::BTreeMap;
use std::ffi::c_char;

use serde::{Deserialize, Serialize};

use crate::abi::{CapabilitiesC, OptionC, known_by_head};
use crate::payload::Payload;
use crate::qos::QosValue;
use crate::strings::{leak, read_bounded};

macro_rules! bit_names {
    ($(#[$doc:meta])* $name:ident: $bits:ident {
        $($(#[$vdoc:meta])* $variant:ident = $bit:expr,)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[repr($bits)]
        pub enum $name { $($(#[$vdoc])* $variant = $bit,)* }

        impl $name {
            /// All, in the order of the contract.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Those whose bit is set.
            pub fn from_bits(bits: $bits) -> Vec<Self> {
                Self::ALL.iter().copied().filter(|v| bits & *v as $bits != 0).collect()
            }

            /// The bits of these.
            pub fn bits(values: &[Self]) -> $bits {
                values.iter().fold(0, |bits, v| bits | *v as $bits)
            }
        }
    };
}
pub(crate) use bit_names;

bit_names! {
    /// `busmark_wait_e`: how a reader learns that there are samples.
    Wait: u32 {
        /// The middleware calls back from a thread of its own.
        Listener = 1,
        /// A thread of the worker sleeps in wait.
        Waitset = 2,
        /// A thread of the worker calls take in a loop.
        Poll = 4,
    }
}
bit_names! {
    /// `busmark_reach_e`: how far apart writer and reader may be.
    Reach: u32 {
        /// In one process.
        Process = 1,
        /// Between processes of one host.
        Host = 2,
        /// Between hosts.
        Network = 4,
    }
}
bit_names! {
    /// `busmark_feature_e`.
    Feature: u64 {
        /// No discovery: readers have locators, writers connect to them (C25).
        Locators = 1,
        /// Matched counts are known (C24).
        Matched = 1 << 1,
        /// Write may be called from `on_data` (C21).
        WriteInListener = 1 << 2,
        /// … also with reliable keep-all.
        KeepAllInListener = 1 << 3,
        /// `on_data` may be called from within write.
        Synchronous = 1 << 4,
        /// Received samples carry the middleware's source time.
        SourceTime = 1 << 5,
        /// Received samples carry the middleware's reception time.
        ReceptionTime = 1 << 6,
        /// Flush matters.
        Batching = 1 << 7,
        /// Lends memory for bodies (C35).
        Loans = 1 << 8,
        /// Keyed topics (C27).
        Keys = 1 << 9,
        /// Readers may ask for some instances only (C28).
        ContentFilter = 1 << 10,
        /// Security plug-ins.
        Security = 1 << 11,
        /// Injects faults on purpose.
        Faults = 1 << 12,
        /// Participants meet at a server (C29).
        Server = 1 << 13,
        /// The time of a match is known (C33).
        MatchEvents = 1 << 14,
        /// Several samples in one call (C34).
        WriteMany = 1 << 15,
        /// No discovery: writers have locators, readers connect to them (C36).
        WriterLocators = 1 << 16,
        /// Lists the participants, writers and readers on the bus (C37).
        Entities = 1 << 17,
        /// Has requests and responses of its own (C39).
        Services = 1 << 18,
    }
}

bit_names! {
    /// `busmark_disclosure_e`: what the middleware does against a clause, and the adapter cannot mend.
    Disclosure: u64 {
        /// Sockets receive on all interfaces (C11).
        AllInterfaces = 1,
        /// Threads and descriptors of a runtime outlive the last destroy (C15).
        RuntimeStays = 1 << 1,
        /// Memory grows with endpoints that are made and destroyed (C15).
        GrowsByEndpoint = 1 << 2,
        /// Memory grows with samples that are sent (C15).
        GrowsBySample = 1 << 3,
        /// `write` allocates memory on the calling thread (C18).
        Allocates = 1 << 4,
        /// Reliable samples are lost, or best-effort ones although nothing is overloaded (C8).
        Loses = 1 << 5,
        /// Reliable samples go at some tens a second (C8).
        Slow = 1 << 6,
    }
}

bit_names! {
    /// `busmark_carrier_e`: what carries the samples of a transport.
    Carrier: u32 {
        /// Memory of one process.
        Memory = 1,
        /// Memory that processes of one host share.
        SharedMemory = 1 << 1,
        /// Pipes and Unix-domain sockets of one host.
        Local = 1 << 2,
        /// UDP.
        Udp = 1 << 3,
        /// TCP.
        Tcp = 1 << 4,
        /// What the middleware chooses: one within a host, another beyond.
        Mixed = 1 << 5,
    }
}

/// One adapter option: `matrix.option.ADAPTER.KEY` in a scenario.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// Its name.
    pub key: &'static str,
    /// Its default.
    pub value: &'static str,
    /// One sentence: meaning, unit, allowed values.
    pub doc: &'static str,
}

/// What an adapter declares. Constant: no middleware is started to find it out.
#[derive(Clone, Copy, Debug)]
pub struct Capabilities {
    /// As in the library's file name.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// Version of the adapter.
    pub version: &'static str,
    /// Name and version of the middleware.
    pub middleware_version: &'static str,
    /// SPDX expression of the middleware's licence.
    pub licence: &'static str,
    /// For people: what a sample costs beside the middleware; empty if nothing.
    pub cost: &'static str,
    /// The command that installs the middleware; empty if built in.
    pub install: &'static str,
    /// Transport names and what carries their samples, default first.
    pub transports: &'static [(&'static str, Carrier)],
    /// Options with their defaults.
    pub options: &'static [OptionSpec],
    /// Wait strategies, preferred first.
    pub waits: &'static [Wait],
    /// How far writer and reader may be apart.
    pub reach: &'static [Reach],
    /// Payload kinds.
    pub payloads: &'static [Payload],
    /// QoS values that are honoured.
    pub qos: &'static [QosValue],
    /// QoS values that can change while traffic flows.
    pub qos_mutable: &'static [QosValue],
    /// Features.
    pub features: &'static [Feature],
    /// Largest body in bytes.
    pub max_body_bytes: u64,
    /// What is done against a clause.
    pub disclosures: &'static [Disclosure],
    /// Security profiles that it knows (C38); with any of them the feature is declared.
    pub security: &'static [&'static str],
    /// What the profile "tuned" sets, as "key value unit" separated by commas; empty: nothing.
    pub tuned: &'static str,
    /// Samples, and bytes of bodies, that a writer's shared memory holds for a keep-all reader at most;
    /// 0: its size is the same whatever the samples.
    pub stored: (u64, u64),
}

/// What an adapter's services can do (C39).
#[derive(Clone, Copy, Debug, Default)]
pub struct ServiceCapabilities {
    /// Wait strategies of both ends, preferred first: waitset and poll.
    pub waits: &'static [Wait],
    /// QoS values that requests and responses honour.
    pub qos: &'static [QosValue],
    /// Requests of one client that may wait for a response at a time; 0: no limit but memory.
    pub requests: u32,
    /// Clients of one service; 0: no limit but memory.
    pub clients: u32,
}

impl Capabilities {
    /// The C structure; leaked, for it lives as long as the library.
    pub(crate) fn to_c(
        self,
        user_type: Option<&str>,
        services: Option<ServiceCapabilities>,
    ) -> CapabilitiesC {
        let features = Feature::bits(self.features)
            | services.map_or(0, |_| Feature::bits(&[Feature::Services]));
        let services = services.unwrap_or_default();
        let transports: Vec<_> =
            self.transports.iter().map(|(name, _)| leak(name)).chain([std::ptr::null()]).collect();
        let security: Vec<_> =
            self.security.iter().map(|name| leak(name)).chain([std::ptr::null()]).collect();
        let carriers: Vec<_> = self.transports.iter().map(|(_, carrier)| *carrier as u32).collect();
        let end = OptionC { key: std::ptr::null(), value: std::ptr::null(), doc: std::ptr::null() };
        let options: Vec<_> = self
            .options
            .iter()
            .map(|o| OptionC { key: leak(o.key), value: leak(o.value), doc: leak(o.doc) })
            .chain([end])
            .collect();
        CapabilitiesC {
            struct_size: size_of::<CapabilitiesC>() as u32,
            waits: Wait::bits(self.waits),
            reach: Reach::bits(self.reach),
            payloads: self.payloads.iter().fold(0, |bits, p| bits | p.bit()),
            qos: QosValue::bits(self.qos),
            qos_mutable: QosValue::bits(self.qos_mutable),
            features,
            max_body_bytes: self.max_body_bytes,
            name: leak(self.name),
            title: leak(self.title),
            version: leak(self.version),
            middleware_version: leak(self.middleware_version),
            licence: leak(self.licence),
            cost: leak(self.cost),
            install: leak(self.install),
            transports: Vec::leak(transports).as_ptr(),
            options: Vec::leak(options).as_ptr(),
            user_type: user_type.map_or(std::ptr::null(), leak),
            disclosures: Disclosure::bits(self.disclosures),
            carriers: Vec::leak(carriers).as_ptr(),
            security: Vec::leak(security).as_ptr(),
            tuned: leak(self.tuned),
            stored_samples: self.stored.0,
            stored_bytes: self.stored.1,
            service_waits: Wait::bits(services.waits),
            service_qos: QosValue::bits(services.qos),
            service_requests: services.requests,
            service_clients: services.clients,
        }
    }
}

/// An option as loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct OptionReport {
    pub key: String,
    pub value: String,
    pub doc: String,
}

/// Capabilities as loaded from a library; the form in which they are stored and shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct CapabilityReport {
    pub name: String,
    pub title: String,
    pub version: String,
    pub middleware_version: String,
    pub licence: String,
    pub cost: String,
    pub install: String,
    pub transports: Vec<String>,
    pub options: Vec<OptionReport>,
    pub waits: Vec<Wait>,
    pub reach: Vec<Reach>,
    pub payloads: Vec<Payload>,
    pub qos: Vec<QosValue>,
    pub qos_mutable: Vec<QosValue>,
    pub features: Vec<Feature>,
    pub max_body_bytes: u64,
    /// The user's type with which the library was compiled (C30).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_type: Option<String>,
    /// Empty for a library that was made before there were any.
    #[serde(default)]
    pub disclosures: Vec<Disclosure>,
    /// By transport; empty for a library that was made before it could tell.
    #[serde(default)]
    pub carriers: BTreeMap<String, Carrier>,
    /// Security profiles (C38).
    #[serde(default)]
    pub security: Vec<String>,
    /// What the profile "tuned" sets; empty: nothing; none: the library does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuned: Option<String>,
    /// Samples that a writer's shared memory holds for a keep-all reader at most; 0: its size is the
    /// same whatever the samples.
    #[serde(default, skip_serializing_if = "is_none")]
    pub stored_samples: u64,
    /// And bytes of their bodies, but two samples at least.
    #[serde(default, skip_serializing_if = "is_none")]
    pub stored_bytes: u64,
    /// Wait strategies of services; empty: it has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub service_waits: Vec<Wait>,
    /// QoS values that services honour.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub service_qos: Vec<QosValue>,
    /// Requests of one client that may wait for a response at a time; 0: no limit but memory.
    #[serde(default, skip_serializing_if = "is_none")]
    pub service_requests: u64,
    /// Clients of one service; 0: no limit but memory.
    #[serde(default, skip_serializing_if = "is_none")]
    pub service_clients: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_none(number: &u64) -> bool {
    *number == 0
}

/// Texts of capabilities have at most so many bytes.
pub const TEXT_BYTES: usize = 4096;
/// No more transports are read.
pub const MOST_TRANSPORTS: usize = 64;
/// No more options are read.
pub const MOST_OPTIONS: usize = 256;
/// No more security profiles are read.
pub const MOST_PROFILES: usize = 32;

impl CapabilityReport {
    /// What a library declares; an error says what is not as the contract allows. Reading is bounded, for
    /// a library may declare texts and lists without an end.
    ///
    /// # Safety
    /// `c` is NULL or follows the contract: texts are valid, lists end as declared, and what its
    /// `struct_size` covers is there.
    pub(crate) unsafe fn from_c(c: *const CapabilitiesC) -> Result<Self, String> {
        if c.is_null() {
            return Err("capabilities is NULL".to_owned());
        }
        // SAFETY: every structure begins with its size (C2). A library that was made before
        // `user_type` ends before it; the structure is copied so far as it goes.
        let c = unsafe { known_by_head(c) };
        // SAFETY: texts are valid (contract).
        let text = |what: &str, p| unsafe { read_bounded(what, p, TEXT_BYTES) };
        let user_type = if c.user_type.is_null() {
            None
        } else {
            Some(text("user_type", c.user_type)?).filter(|name| !name.is_empty())
        };
        // SAFETY: both lists end with NULL (contract).
        let transports = unsafe { names("transport", c.transports, MOST_TRANSPORTS) }?;
        // SAFETY: as above; NULL is an empty list.
        let security = unsafe { names("security profile", c.security, MOST_PROFILES) }?;
        Ok(Self {
            name: text("name", c.name)?,
            title: text("title", c.title)?,
            version: text("version", c.version)?,
            middleware_version: text("middleware_version", c.middleware_version)?,
            licence: text("licence", c.licence)?,
            cost: text("cost", c.cost)?,
            install: text("install", c.install)?,
            // SAFETY: there is a carrier for each transport (contract).
            carriers: unsafe { carriers(&c, &transports) },
            transports,
            security,
            // SAFETY: as above.
            options: unsafe { options(&c) }?,
            waits: Wait::from_bits(c.waits),
            reach: Reach::from_bits(c.reach),
            payloads: Payload::from_bits(c.payloads),
            qos: QosValue::from_bits(c.qos),
            qos_mutable: QosValue::from_bits(c.qos_mutable),
            features: Feature::from_bits(c.features),
            max_body_bytes: c.max_body_bytes,
            user_type,
            disclosures: Disclosure::from_bits(c.disclosures),
            tuned: if c.tuned.is_null() { None } else { Some(text("tuned", c.tuned)?) },
            stored_samples: c.stored_samples,
            stored_bytes: c.stored_bytes,
            service_waits: Wait::from_bits(c.service_waits),
            service_qos: QosValue::from_bits(c.service_qos),
            service_requests: c.service_requests.into(),
            service_clients: c.service_clients.into(),
        })
    }

    /// Whether the adapter has this feature.
    pub fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    /// Whether the adapter discloses this.
    pub fn discloses(&self, disclosure: Disclosure) -> bool {
        self.disclosures.contains(&disclosure)
    }
}

/// # Safety
/// The list is NULL or ends with NULL, and its texts are valid.
unsafe fn names(
    what: &str,
    list: *const *const c_char,
    most: usize,
) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let mut at = list;
    // SAFETY: promised by the caller.
    while !at.is_null() && !unsafe { *at }.is_null() {
        if found.len() == most {
            return Err(format!("more than {most} {what}s, or a list without NULL"));
        }
        let one = format!("{what} {}", found.len());
        // SAFETY: as above.
        found.push(unsafe { read_bounded(&one, *at, TEXT_BYTES) }?);
        // SAFETY: the end has not been reached.
        at = unsafe { at.add(1) };
    }
    Ok(found)
}

/// Those that are known, by transport.
///
/// # Safety
/// `carriers` is NULL or has one for each transport.
unsafe fn carriers(c: &CapabilitiesC, transports: &[String]) -> BTreeMap<String, Carrier> {
    if c.carriers.is_null() {
        return BTreeMap::new();
    }
    // SAFETY: promised by the caller.
    let values = unsafe { std::slice::from_raw_parts(c.carriers, transports.len()) };
    let known = |value: u32| Carrier::ALL.iter().copied().find(|carrier| *carrier as u32 == value);
    let pairs = transports.iter().zip(values);
    pairs.filter_map(|(name, value)| Some((name.clone(), known(*value)?))).collect()
}

/// # Safety
/// The list of options ends with a key of NULL, and its texts are valid.
unsafe fn options(c: &CapabilitiesC) -> Result<Vec<OptionReport>, String> {
    let mut found: Vec<OptionReport> = Vec::new();
    let mut at = c.options;
    // SAFETY: promised by the caller.
    while !at.is_null() && !unsafe { (*at).key }.is_null() {
        if found.len() == MOST_OPTIONS {
            return Err(format!("more than {MOST_OPTIONS} options, or a list without key == NULL"));
        }
        let n = found.len();
        // SAFETY: as above.
        let text = |field: &str, p| unsafe {
            read_bounded(&format!("{field} of option {n}"), p, TEXT_BYTES)
        };
        // SAFETY: as above.
        let (key, value, doc) = unsafe { ((*at).key, (*at).value, (*at).doc) };
        let (key, value, doc) = (text("key", key)?, text("value", value)?, text("doc", doc)?);
        found.push(OptionReport { key, value, doc });
        // SAFETY: the end has not been reached.
        at = unsafe { at.add(1) };
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(user_type: Option<&str>) -> CapabilitiesC {
        let capabilities = Capabilities {
            name: "mine",
            title: "Mine",
            version: "1",
            middleware_version: "1",
            licence: "MIT",
            cost: "",
            install: "",
            transports: &[("udp", Carrier::Udp), ("shm", Carrier::SharedMemory)],
            options: &[],
            waits: &[Wait::Poll],
            reach: &[Reach::Host],
            payloads: &[Payload::Octet, Payload::Type],
            qos: &[],
            qos_mutable: &[],
            features: &[],
            max_body_bytes: 64,
            disclosures: &[Disclosure::RuntimeStays],
            security: &[],
            tuned: "buffer 4 MiB",
            stored: (1024, 64 << 20),
        };
        capabilities.to_c(user_type, None)
    }

    #[test]
    fn the_users_type_goes_across_the_border() {
        let c = declared(Some("a::B"));
        // SAFETY: the structure was made as the contract says.
        let report = unsafe { CapabilityReport::from_c(&raw const c) }.expect("as declared");
        assert_eq!(report.user_type.as_deref(), Some("a::B"));
        assert_eq!(report.payloads, [Payload::Octet, Payload::Type]);
    }

    #[test]
    fn a_library_from_before_the_users_type_has_none() {
        let older = CapabilitiesC {
            struct_size: std::mem::offset_of!(CapabilitiesC, user_type) as u32,
            // Not part of such a structure, so nothing to look at.
            user_type: std::ptr::without_provenance(1),
            ..declared(None)
        };
        // SAFETY: as above, as far as the size says.
        let report = unsafe { CapabilityReport::from_c(&raw const older) }.expect("as declared");
        assert_eq!(report.user_type, None);
        assert_eq!(report.name, "mine");
    }

    #[test]
    fn disclosures_go_across_the_border_and_an_older_library_has_none() {
        let c = declared(None);
        // SAFETY: the structure was made as the contract says.
        let report = unsafe { CapabilityReport::from_c(&raw const c) }.expect("as declared");
        assert_eq!(report.disclosures, [Disclosure::RuntimeStays]);
        let older = CapabilitiesC {
            struct_size: std::mem::offset_of!(CapabilitiesC, disclosures) as u32,
            // Not part of such a structure, so nothing to look at.
            disclosures: u64::MAX,
            ..c
        };
        // SAFETY: as above, as far as the size says.
        let report = unsafe { CapabilityReport::from_c(&raw const older) }.expect("as declared");
        assert_eq!(report.disclosures, []);
    }

    #[test]
    fn tuned_settings_go_across_the_border_and_an_older_library_has_none() {
        let c = declared(None);
        // SAFETY: the structure was made as the contract says.
        let report = unsafe { CapabilityReport::from_c(&raw const c) }.expect("as declared");
        assert_eq!(report.tuned.as_deref(), Some("buffer 4 MiB"));
        assert_eq!((report.stored_samples, report.stored_bytes), (1024, 64 << 20));
        let older = CapabilitiesC {
            struct_size: std::mem::offset_of!(CapabilitiesC, tuned) as u32,
            // Not part of such a structure, so nothing to look at.
            tuned: std::ptr::without_provenance(1),
            ..c
        };
        // SAFETY: as above, as far as the size says.
        let report = unsafe { CapabilityReport::from_c(&raw const older) }.expect("as declared");
        assert_eq!(report.tuned, None);
        assert_eq!((report.stored_samples, report.stored_bytes), (0, 0));
    }

    #[test]
    fn carriers_go_across_the_border_and_an_older_library_has_none() {
        let c = declared(None);
        // SAFETY: the structure was made as the contract says.
        let report = unsafe { CapabilityReport::from_c(&raw const c) }.expect("as declared");
        let expected = [("shm", Carrier::SharedMemory), ("udp", Carrier::Udp)];
        assert_eq!(report.carriers, expected.map(|(name, c)| (name.to_owned(), c)).into());
        // A value of tomorrow's contract is left out.
        let tomorrow = CapabilitiesC { carriers: [8, 1 << 20].as_ptr(), ..declared(None) };
        // SAFETY: as above.
        let report = unsafe { CapabilityReport::from_c(&raw const tomorrow) }.expect("as declared");
        assert_eq!(report.carriers, [("udp".to_owned(), Carrier::Udp)].into());
        let older = CapabilitiesC {
            struct_size: std::mem::offset_of!(CapabilitiesC, carriers) as u32,
            // Not part of such a structure, so nothing to look at.
            carriers: std::ptr::without_provenance(4),
            ..c
        };
        // SAFETY: as above, as far as the size says.
        let report = unsafe { CapabilityReport::from_c(&raw const older) }.expect("as declared");
        assert!(report.carriers.is_empty());
    }

    /// What is said of capabilities with this fault.
    fn refusal(change: impl FnOnce(&mut CapabilitiesC)) -> String {
        let mut c = declared(None);
        change(&mut c);
        // SAFETY: texts and lists end, as the contract says.
        unsafe { CapabilityReport::from_c(&raw const c) }.expect_err("refused")
    }

    #[test]
    fn what_is_declared_without_an_end_is_refused_in_words() {
        let endless = refusal(|c| c.title = leak(&"x".repeat(100 << 20)));
        assert_eq!(endless, "title is longer than 4096 bytes, or has no end");
        let option = OptionC { key: leak("k"), value: leak(""), doc: leak("d") };
        let end = OptionC { key: std::ptr::null(), value: leak(""), doc: leak("") };
        let copy = || OptionC { key: option.key, value: option.value, doc: option.doc };
        let list: Vec<OptionC> = (0..1_000_000).map(|_| copy()).chain([end]).collect();
        let many = refusal(|c| c.options = list.as_ptr());
        assert_eq!(many, "more than 256 options, or a list without key == NULL");
        let names: Vec<_> = (0..100).map(|_| leak("t")).chain([std::ptr::null()]).collect();
        let many = refusal(|c| c.transports = names.as_ptr());
        assert_eq!(many, "more than 64 transports, or a list without NULL");
    }

    #[test]
    fn what_would_reach_a_terminal_as_a_command_is_refused_in_words() {
        let escape = refusal(|c| c.version = leak("1\u{1b}[2J"));
        assert_eq!(escape, "version has the control character U+001B at byte 1");
        let latin = std::ffi::CString::new([b'a', 0xe4, b'b']).expect("no zero");
        let text = refusal(|c| c.cost = latin.as_ptr());
        assert_eq!(text, "cost is not UTF-8 (at byte 1)");
        // SAFETY: NULL is allowed here.
        let none = unsafe { CapabilityReport::from_c(std::ptr::null()) };
        assert_eq!(none.expect_err("refused"), "capabilities is NULL");
    }
}
