//! What an adapter can do, as data (clauses C9, C10).

use serde::{Deserialize, Serialize};

use crate::abi::{CapabilitiesC, OptionC};
use crate::payload::Payload;
use crate::strings::{leak, read};

macro_rules! bit_names {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $bit:expr,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[repr(u32)]
        pub enum $name { $($(#[$vdoc])* $variant = $bit,)* }

        impl $name {
            /// All, in the order of the contract.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Those whose bit is set.
            pub fn from_bits(bits: u32) -> Vec<Self> {
                Self::ALL.iter().copied().filter(|v| bits & *v as u32 != 0).collect()
            }

            /// The bits of these.
            pub fn bits(values: &[Self]) -> u32 {
                values.iter().fold(0, |bits, v| bits | *v as u32)
            }
        }
    };
}

bit_names! {
    /// `busmark_wait_e`: how a reader learns that there are samples.
    Wait {
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
    Reach {
        /// In one process.
        Process = 1,
        /// Between processes of one host.
        Host = 2,
        /// Between hosts.
        Network = 4,
    }
}
bit_names! {
    /// `busmark_qos_value_e`: each value of a policy that can be asked for.
    QosValue {
        /// Reliability: best effort.
        BestEffort = 1,
        /// Reliability: reliable.
        Reliable = 1 << 1,
        /// History: keep last `depth`.
        KeepLast = 1 << 2,
        /// History: keep all.
        KeepAll = 1 << 3,
        /// Durability: volatile.
        Volatile = 1 << 4,
        /// Durability: transient local.
        TransientLocal = 1 << 5,
        /// Samples expire.
        Lifespan = 1 << 6,
        /// A missed deadline is told.
        Deadline = 1 << 7,
        /// Delay that may be used for batching.
        LatencyBudget = 1 << 8,
        /// Priority on the wire.
        TransportPriority = 1 << 9,
        /// Partition.
        Partition = 1 << 10,
        /// Exclusive ownership with a strength.
        OwnershipStrength = 1 << 11,
        /// Destination order by source time stamp.
        OrderBySource = 1 << 12,
        /// Bound on stored samples.
        ResourceLimits = 1 << 13,
        /// Minimum separation at the reader.
        TimeBasedFilter = 1 << 14,
    }
}
bit_names! {
    /// `busmark_feature_e`.
    Feature {
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
        /// Write does not copy the body.
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
    /// Of the adapter.
    pub version: &'static str,
    /// Name and version of the middleware.
    pub middleware_version: &'static str,
    /// SPDX expression of the middleware's licence.
    pub licence: &'static str,
    /// What the adapter must convert per sample; empty if nothing.
    pub cost: &'static str,
    /// The command that installs the middleware; empty if built in.
    pub install: &'static str,
    /// Transport names, default first.
    pub transports: &'static [&'static str],
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
}

impl Capabilities {
    /// The C structure; leaked, for it lives as long as the library.
    pub(crate) fn to_c(self, user_type: Option<&str>) -> CapabilitiesC {
        let transports: Vec<_> =
            self.transports.iter().map(|t| leak(t)).chain([std::ptr::null()]).collect();
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
            features: Feature::bits(self.features),
            reserved: 0,
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
}

impl CapabilityReport {
    /// # Safety
    /// `c` follows the contract: texts are valid, lists end as declared, and what its `struct_size`
    /// covers is there.
    pub(crate) unsafe fn from_c(c: *const CapabilitiesC) -> Self {
        // SAFETY: every structure begins with its size (C2). A library that was made before
        // `user_type` ends before it; the structure is copied so far as it goes.
        let c = unsafe {
            let mut known = std::mem::zeroed::<CapabilitiesC>();
            let size = (c.cast::<u32>().read() as usize).min(size_of::<CapabilitiesC>());
            std::ptr::copy_nonoverlapping(c.cast::<u8>(), (&raw mut known).cast(), size);
            known
        };
        let mut transports = Vec::new();
        let mut options = Vec::new();
        // SAFETY: both lists end with NULL (contract).
        unsafe {
            let mut at = c.transports;
            while !at.is_null() && !(*at).is_null() {
                transports.push(read(*at));
                at = at.add(1);
            }
            let mut at = c.options;
            while !at.is_null() && !(*at).key.is_null() {
                options.push(OptionReport {
                    key: read((*at).key),
                    value: read((*at).value),
                    doc: read((*at).doc),
                });
                at = at.add(1);
            }
        }
        // SAFETY: texts are valid (contract).
        let text = |p| unsafe { read(p) };
        let user_type = (!c.user_type.is_null()).then(|| text(c.user_type));
        Self {
            name: text(c.name),
            title: text(c.title),
            version: text(c.version),
            middleware_version: text(c.middleware_version),
            licence: text(c.licence),
            cost: text(c.cost),
            install: text(c.install),
            transports,
            options,
            waits: Wait::from_bits(c.waits),
            reach: Reach::from_bits(c.reach),
            payloads: Payload::from_bits(c.payloads),
            qos: QosValue::from_bits(c.qos),
            qos_mutable: QosValue::from_bits(c.qos_mutable),
            features: Feature::from_bits(c.features),
            max_body_bytes: c.max_body_bytes,
            user_type: user_type.filter(|name| !name.is_empty()),
        }
    }

    /// Whether the adapter has this feature.
    pub fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }
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
            transports: &["udp"],
            options: &[],
            waits: &[Wait::Poll],
            reach: &[Reach::Host],
            payloads: &[Payload::Octet, Payload::Type],
            qos: &[],
            qos_mutable: &[],
            features: &[],
            max_body_bytes: 64,
        };
        capabilities.to_c(user_type)
    }

    #[test]
    fn the_users_type_goes_across_the_border() {
        let c = declared(Some("a::B"));
        // SAFETY: the structure was made as the contract says.
        let report = unsafe { CapabilityReport::from_c(&raw const c) };
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
        let report = unsafe { CapabilityReport::from_c(&raw const older) };
        assert_eq!(report.user_type, None);
        assert_eq!(report.name, "mine");
    }
}
