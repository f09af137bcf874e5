//! What RTPS participants announce of themselves and of their endpoints, in the contract's terms (C37): the
//! part that adapters of DDS libraries have in common.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::time::Duration;

use crate::entity::{Entity, EntityKind};
use crate::qos::Qos;

/// The entity id of every participant (RTPS 9.3.1.3).
const PARTICIPANT: [u8; 4] = [0, 0, 1, 0xc1];
/// The first version of the encoding, by its number in `DataRepresentationQosPolicy`.
const XCDR1: i16 = 0;

/// A GUID of RTPS (8.2.4.1); as a text 32 hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Guid(pub [u8; 16]);

impl Guid {
    /// The vendor's number, with which every prefix should begin; 0 where it does not: vendors have numbers
    /// from 0x0101 to 0x01ff. Dust DDS begins it with an address.
    pub fn vendor(&self) -> u32 {
        let number = u32::from(u16::from_be_bytes([self.0[0], self.0[1]]));
        if number >> 8 == 1 { number } else { 0 }
    }

    /// The participant that it belongs to.
    #[must_use]
    pub fn participant(&self) -> Self {
        let mut guid = self.0;
        guid[12..].copy_from_slice(&PARTICIPANT);
        Self(guid)
    }
}

impl fmt::Display for Guid {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Kinds of `DurabilityQosPolicy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Nothing is kept for later readers.
    Volatile,
    /// As long as the writer is there.
    TransientLocal,
    /// As long as the system runs.
    Transient,
    /// For ever.
    Persistent,
}

/// Kinds of `LivelinessQosPolicy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Liveliness {
    /// Asserted by the library.
    Automatic,
    /// Asserted by the application, for all writers of a participant.
    ManualByParticipant,
    /// Asserted by the application, for each writer.
    ManualByTopic,
}

/// Scopes of `PresentationQosPolicy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Within an instance.
    Instance,
    /// Within a topic.
    Topic,
    /// Within a publisher.
    Group,
}

/// Policies of a writer or reader, as announced. What is not announced is `None` or empty; so is a time
/// without end, and a budget, a priority or a separation of 0 may be.
///
/// RTPS counts times in parts of 2^-32 s. Libraries cut them to whole nanoseconds, or round them up: a
/// nanosecond beside a whole microsecond is taken for that microsecond.
#[derive(Clone, Debug, Default)]
pub struct Announced {
    /// Reliable or best effort.
    pub reliable: Option<bool>,
    /// Writers only: how long a reliable write may block.
    pub max_blocking_ns: Option<i64>,
    /// What is kept for later readers.
    pub durability: Option<Durability>,
    /// The longest pause between samples.
    pub deadline_ns: Option<i64>,
    /// Delay that may be used.
    pub latency_budget_ns: Option<i64>,
    /// Priority on the wire.
    pub transport_priority: Option<i32>,
    /// Writers only: how long a sample is valid.
    pub lifespan_ns: Option<i64>,
    /// Readers only: samples that come sooner are left out.
    pub time_based_filter_ns: Option<i64>,
    /// Strength of exclusive ownership; 0 for a reader.
    pub ownership_strength: Option<i32>,
    /// Destination order by source time stamp.
    pub order_by_source: bool,
    /// Names of partitions.
    pub partition: Vec<String>,
    /// Whether all samples are kept, else how many.
    pub history: Option<(bool, i32)>,
    /// Bound on stored samples.
    pub max_samples: Option<i32>,
    /// Kind and lease.
    pub liveliness: Option<(Liveliness, Option<i64>)>,
    /// Scope, coherent access, ordered access.
    pub presentation: Option<(Scope, bool, bool)>,
    /// Encodings by their number.
    pub representation: Vec<i16>,
}

impl Announced {
    /// A writer or reader with these policies.
    pub fn endpoint(
        self,
        kind: EntityKind,
        key: Guid,
        topic: impl Into<String>,
        type_name: impl Into<String>,
    ) -> Entity {
        let (qos, more) = self.words(kind);
        Entity {
            vendor: key.vendor(),
            topic: topic.into(),
            type_name: type_name.into(),
            qos: Some(qos),
            more,
            ..Entity::endpoint(kind, key.to_string(), key.participant().to_string())
        }
    }

    /// What of these policies the contract can say, and the rest in words.
    fn words(self, kind: EntityKind) -> (Qos, String) {
        let writes = kind == EntityKind::Writer;
        let above_none = |time: &i64| *time > 0;
        let time = |time: Option<i64>| time.map(to_microsecond);
        let automatic = self.liveliness.filter(|(kind, _)| *kind == Liveliness::Automatic);
        let durability = match self.durability {
            Some(Durability::Transient) => Some("durability transient".to_owned()),
            Some(Durability::Persistent) => Some("durability persistent".to_owned()),
            _ => None,
        };
        let more = [
            durability,
            self.liveliness.and_then(|(kind, lease)| liveliness(kind, time(lease))),
            self.presentation
                .and_then(|(scope, coherent, ordered)| presentation(scope, coherent, ordered)),
            representation(&self.representation),
        ];
        let (keep_all, depth) = self.history.unzip();
        let qos = Qos {
            reliable: self.reliable,
            max_blocking_ns: time(self.max_blocking_ns)
                .filter(|_| writes && self.reliable == Some(true))
                .unwrap_or(0),
            keep_all,
            depth: depth.filter(|_| keep_all == Some(false)).unwrap_or(0),
            transient_local: match self.durability {
                Some(Durability::Volatile) => Some(false),
                Some(Durability::TransientLocal) => Some(true),
                _ => None,
            },
            lifespan_ns: time(self.lifespan_ns).filter(|_| writes),
            deadline_ns: time(self.deadline_ns),
            latency_budget_ns: time(self.latency_budget_ns).filter(above_none),
            transport_priority: self.transport_priority.filter(|priority| *priority != 0),
            partition: (!self.partition.is_empty()).then(|| self.partition.join(",")),
            ownership_strength: self.ownership_strength,
            order_by_source: self.order_by_source,
            max_samples: self.max_samples.filter(|max| *max > 0),
            time_based_filter_ns: time(self.time_based_filter_ns)
                .filter(above_none)
                .filter(|_| !writes),
            liveliness_lease_ns: automatic.and_then(|(_, lease)| time(lease)),
        };
        (qos, more.into_iter().flatten().collect::<Vec<_>>().join("; "))
    }
}

/// The microsecond that a time is at most a nanosecond away from; else the time.
fn to_microsecond(time_ns: i64) -> i64 {
    match time_ns % 1000 {
        999 if time_ns > 1000 => time_ns + 1,
        1 if time_ns > 1000 => time_ns - 1,
        _ => time_ns,
    }
}

fn liveliness(kind: Liveliness, lease: Option<i64>) -> Option<String> {
    let word = match kind {
        Liveliness::Automatic => return None,
        Liveliness::ManualByParticipant => "manual by participant",
        Liveliness::ManualByTopic => "manual by topic",
    };
    let mut text = format!("liveliness {word}");
    if let Some(lease) = lease {
        let lease = Duration::from_nanos(lease.max(0) as u64).as_secs_f64();
        let _ = write!(text, " {lease} s");
    }
    Some(text)
}

fn presentation(scope: Scope, coherent: bool, ordered: bool) -> Option<String> {
    let word = match scope {
        Scope::Instance if !coherent && !ordered => return None,
        Scope::Instance => "instance",
        Scope::Topic => "topic",
        Scope::Group => "group",
    };
    let coherent = if coherent { " coherent" } else { "" };
    let ordered = if ordered { " ordered" } else { "" };
    Some(format!("presentation {word}{coherent}{ordered}"))
}

/// Forms of samples that are offered or understood, unless it is the first version alone.
fn representation(forms: &[i16]) -> Option<String> {
    if forms.is_empty() || forms == [XCDR1] {
        return None;
    }
    let word = |form: &i16| match *form {
        XCDR1 => "XCDR1".to_owned(),
        1 => "XML".to_owned(),
        2 => "XCDR2".to_owned(),
        other => other.to_string(),
    };
    Some(format!("representation {}", forms.iter().map(word).collect::<Vec<_>>().join(", ")))
}

impl Entity {
    /// An RTPS participant, with host and process from the properties that it announces, in the words of
    /// the libraries that do. A property that is not there is an empty text.
    pub fn announced(key: Guid, property: impl Fn(&str) -> String) -> Self {
        let first = |names: &[&str]| {
            names
                .iter()
                .map(|name| property(name))
                .find(|text| !text.is_empty())
                .unwrap_or_default()
        };
        let host = first(&["__Hostname", "dds.sys_info.hostname", "fastdds.physical_data.host"]);
        let number = first(&["__Pid", "dds.sys_info.process_id", "fastdds.physical_data.process"]);
        let program = first(&["__ProcessName", "dds.sys_info.executable_filepath"]);
        let program = program.rsplit('/').next().unwrap_or_default();
        Self {
            vendor: key.vendor(),
            // Fast DDS: "host:user:…".
            host: host.split(':').next().unwrap_or_default().to_owned(),
            process: format!("{number} {program}").trim().to_owned(),
            ..Self::participant(key.to_string())
        }
    }

    /// Writers and readers get the vendor of their participant: it announces its number, and a GUID may not
    /// begin with it.
    pub fn set_vendors(found: &mut [Self]) {
        let participants = found.iter().filter(|one| one.kind == EntityKind::Participant);
        let vendors: BTreeMap<String, u32> =
            participants.map(|one| (one.key.clone(), one.vendor)).collect();
        for one in found.iter_mut().filter(|one| one.kind != EntityKind::Participant) {
            if let Some(vendor) = vendors.get(&one.participant) {
                one.vendor = *vendor;
            }
        }
    }

    /// The participant that is asked: of this process.
    pub fn own_participant(key: Guid) -> Self {
        let read = |path| std::fs::read_to_string(path).unwrap_or_default().trim().to_owned();
        let program = read("/proc/self/comm");
        Self {
            own: true,
            vendor: key.vendor(),
            host: read("/proc/sys/kernel/hostname"),
            process: format!("{} {program}", std::process::id()).trim().to_owned(),
            ..Self::participant(key.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITER: Guid = Guid([1, 16, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 2, 3]);

    #[test]
    fn a_guid_says_vendor_and_participant() {
        assert_eq!(WRITER.to_string(), "0110030405060708090a0b0c00000203");
        assert_eq!(WRITER.participant().to_string(), "0110030405060708090a0b0c000001c1");
        assert_eq!(WRITER.vendor(), 0x0110);
        let mut by_address = WRITER;
        by_address.0[..4].copy_from_slice(&[127, 0, 0, 1]);
        assert_eq!(by_address.vendor(), 0);
    }

    #[test]
    fn what_has_no_effect_is_left_out() {
        let plain = Announced {
            reliable: Some(false),
            max_blocking_ns: Some(5),
            durability: Some(Durability::Volatile),
            latency_budget_ns: Some(0),
            transport_priority: Some(0),
            time_based_filter_ns: Some(0),
            max_samples: Some(-1),
            history: Some((true, 7)),
            liveliness: Some((Liveliness::Automatic, None)),
            presentation: Some((Scope::Instance, false, false)),
            representation: vec![0],
            ..Announced::default()
        };
        let found = plain.endpoint(EntityKind::Reader, WRITER, "topic", "type");
        let qos = Qos {
            reliable: Some(false),
            transient_local: Some(false),
            keep_all: Some(true),
            ..Qos::default()
        };
        assert_eq!((found.qos, &*found.more), (Some(qos), ""));
        assert_eq!((&*found.topic, &*found.type_name), ("topic", "type"));
        assert_eq!(found.participant, WRITER.participant().to_string());
    }

    #[test]
    fn a_time_is_a_microsecond_if_it_is_a_nanosecond_away() {
        let known = [0, 1, 999, 50_000_001, 74_999_999, 74_999_998, 3_250_000_000];
        let times = known.map(to_microsecond);
        assert_eq!(times, [0, 1, 999, 50_000_000, 75_000_000, 74_999_998, 3_250_000_000]);
    }

    #[test]
    fn an_endpoint_has_the_vendor_of_its_participant() {
        let participant = Guid([127; 16]).participant();
        let writer =
            Announced::default().endpoint(EntityKind::Writer, Guid([127; 16]), "topic", "type");
        let home = Entity { vendor: 0x0114, ..Entity::own_participant(participant) };
        let mut found = [writer, home];
        Entity::set_vendors(&mut found);
        assert_eq!(found.map(|one| one.vendor), [0x0114, 0x0114]);
    }

    #[test]
    fn what_the_contract_cannot_say_is_in_words() {
        let rich = Announced {
            reliable: Some(true),
            max_blocking_ns: Some(5),
            durability: Some(Durability::Persistent),
            lifespan_ns: Some(9),
            time_based_filter_ns: Some(8),
            ownership_strength: Some(3),
            partition: vec!["a".to_owned(), "b".to_owned()],
            history: Some((false, 7)),
            liveliness: Some((Liveliness::ManualByTopic, Some(2_500_000_000))),
            presentation: Some((Scope::Topic, true, false)),
            representation: vec![0, 2],
            ..Announced::default()
        };
        let found = rich.endpoint(EntityKind::Writer, WRITER, "topic", "type");
        let words = "durability persistent; liveliness manual by topic 2.5 s; \
                     presentation topic coherent; representation XCDR1, XCDR2";
        assert_eq!(found.more, words);
        let qos = found.qos.expect("an endpoint");
        assert_eq!((qos.max_blocking_ns, qos.depth, qos.ownership_strength), (5, 7, Some(3)));
        assert_eq!((qos.lifespan_ns, qos.time_based_filter_ns), (Some(9), None));
        assert_eq!((qos.partition.as_deref(), qos.transient_local), (Some("a,b"), None));
        assert_eq!(qos.liveliness_lease_ns, None, "of automatic liveliness only");
    }

    #[test]
    fn a_lease_of_automatic_liveliness_is_a_policy() {
        let liveliness = Some((Liveliness::Automatic, Some(2_499_999_999)));
        let leased = Announced { liveliness, ..Announced::default() };
        let found = leased.endpoint(EntityKind::Reader, WRITER, "topic", "type");
        let qos = Qos { liveliness_lease_ns: Some(2_500_000_000), ..Qos::default() };
        assert_eq!((found.qos, &*found.more), (Some(qos), ""));
    }

    #[test]
    fn host_and_process_are_found_in_the_words_of_each_library() {
        let announced = |list: &[(&str, &str)]| {
            let found = Entity::announced(WRITER, |name| {
                let text = list.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
                text.unwrap_or_default().to_owned()
            });
            (found.host, found.process)
        };
        let both = |host: &str, process: &str| (host.to_owned(), process.to_owned());
        let cyclone = [("__Hostname", "here"), ("__Pid", "7"), ("__ProcessName", "talk")];
        assert_eq!(announced(&cyclone), both("here", "7 talk"));
        let rti =
            [("dds.sys_info.process_id", "7"), ("dds.sys_info.executable_filepath", "/x/talk")];
        assert_eq!(announced(&rti), both("", "7 talk"));
        assert_eq!(announced(&[("fastdds.physical_data.host", "here:me:x")]), both("here", ""));
        assert_eq!(announced(&[]), both("", ""));
    }

    #[test]
    fn an_own_participant_is_of_this_process() {
        let own = Entity::own_participant(WRITER);
        assert!(own.own && own.process.starts_with(&std::process::id().to_string()), "{own:?}");
        assert!(!own.host.is_empty());
    }
}
