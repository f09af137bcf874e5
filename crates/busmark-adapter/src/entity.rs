//! What is on the bus, from both sides (C37): what an adapter lists, and what the worker reads of it.

use std::ffi::{CStr, c_char, c_void};

use serde::{Deserialize, Serialize};

use crate::abi::{EntityC, QosC, known_by_head};
use crate::error::{Result, Status};
use crate::qos::{Qos, QosValue};
use crate::strings::owned;

/// More are not read: whoever can write on a network can announce as many as they like.
const MOST: usize = 65_536;
/// Bytes of a text that are read.
const TEXT_BYTES: usize = 1024;

/// `busmark_entity_kind_e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u32)]
pub enum EntityKind {
    /// An attachment to the middleware.
    Participant = 1,
    /// Sends samples of a topic.
    Writer = 2,
    /// Receives samples of a topic.
    Reader = 3,
}

/// `busmark_entity_t`: texts are empty where the middleware does not say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entity {
    /// What it is.
    pub kind: EntityKind,
    /// Made through the participant that was asked.
    pub own: bool,
    /// RTPS vendor id, such as 0x0110; 0: unknown, or not RTPS.
    pub vendor: u32,
    /// Nobody else on the bus has it; RTPS: the GUID, 32 hex digits.
    pub key: String,
    /// Key of the participant that it belongs to; its own where it is one.
    pub participant: String,
    /// That its owner has given it.
    pub name: String,
    /// Participants: host name.
    pub host: String,
    /// Participants: number of the process on that host, and its name.
    pub process: String,
    /// Writers and readers: the topic.
    pub topic: String,
    /// Writers and readers: the topic's type.
    pub type_name: String,
    /// Writers and readers: what is announced; `None` for a participant.
    pub qos: Option<Qos>,
    /// What the QoS above cannot say, such as "durability persistent".
    pub more: String,
}

impl Entity {
    /// A participant of this key, of which nothing else is known.
    pub fn participant(key: impl Into<String>) -> Self {
        let key = key.into();
        let text = String::new;
        Self {
            kind: EntityKind::Participant,
            own: false,
            vendor: 0,
            participant: key.clone(),
            key,
            name: text(),
            host: text(),
            process: text(),
            topic: text(),
            type_name: text(),
            qos: None,
            more: text(),
        }
    }

    /// A writer or reader of this key in this participant, with QoS of which nothing is known.
    pub fn endpoint(
        kind: EntityKind,
        key: impl Into<String>,
        participant: impl Into<String>,
    ) -> Self {
        let participant = participant.into();
        Self { kind, participant, qos: Some(Qos::default()), ..Self::participant(key) }
    }

    /// Runs `body` with the C structure.
    pub(crate) fn with_c(&self, body: impl FnOnce(*const EntityC)) {
        let partition = self.qos.as_ref().and_then(|qos| qos.partition.as_deref()).map(owned);
        let qos = self.qos.as_ref().map(|qos| qos.to_c(partition.as_deref()));
        let texts = [
            &self.key,
            &self.participant,
            &self.name,
            &self.host,
            &self.process,
            &self.topic,
            &self.type_name,
            &self.more,
        ]
        .map(|text| owned(text));
        let [key, participant, name, host, process, topic, type_name, more] =
            texts.each_ref().map(|text| text.as_ptr());
        let c = EntityC {
            struct_size: size_of::<EntityC>() as u32,
            kind: self.kind as u32,
            own: self.own.into(),
            vendor: self.vendor,
            key,
            participant,
            name,
            host,
            process,
            topic,
            type_name,
            qos: qos.as_ref().map_or(std::ptr::null(), std::ptr::from_ref),
            more,
        };
        body(&raw const c);
    }

    /// `None` for a kind of tomorrow's contract.
    ///
    /// # Safety
    /// `c` follows the contract: it is valid as far as its size goes, texts and QoS included.
    unsafe fn from_c(c: *const EntityC) -> Option<Self> {
        // SAFETY: promised by the caller.
        let c = unsafe { known_by_head(c) };
        let kinds = [EntityKind::Participant, EntityKind::Writer, EntityKind::Reader];
        let kind = kinds.into_iter().find(|kind| *kind as u32 == c.kind)?;
        // SAFETY: as above.
        let text = |p| unsafe { visible(p) };
        Some(Self {
            kind,
            own: c.own != 0,
            vendor: c.vendor,
            key: text(c.key),
            participant: text(c.participant),
            name: text(c.name),
            host: text(c.host),
            process: text(c.process),
            topic: text(c.topic),
            type_name: text(c.type_name),
            // SAFETY: NULL, or valid as far as its size goes.
            qos: (!c.qos.is_null()).then(|| unsafe { qos(c.qos) }),
            more: text(c.more),
        })
    }
}

/// # Safety
/// `from` is valid as far as its size goes, its text included.
unsafe fn qos(from: *const QosC) -> Qos {
    // SAFETY: promised by the caller.
    let mut c = unsafe { known_by_head(from) };
    // What tomorrow's contract can say beyond this one's is left out.
    c.present &= QosValue::bits(QosValue::ALL);
    // SAFETY: as above.
    let mut qos = unsafe { Qos::from_c(&c) }.unwrap_or_default();
    if qos.partition.is_some() {
        // SAFETY: as above.
        qos.partition = Some(unsafe { visible(c.partition) });
    }
    qos
}

/// A text that anybody on the network may have written: bounded, and nothing in it commands a terminal.
///
/// # Safety
/// `text` is NULL or ends with a zero.
unsafe fn visible(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: promised by the caller.
    let bytes = unsafe { CStr::from_ptr(text) }.to_bytes();
    let cut = &bytes[..bytes.len().min(TEXT_BYTES)];
    let shown = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    let mut text: String = String::from_utf8_lossy(cut).chars().map(shown).collect();
    if cut.len() < bytes.len() {
        text.push('…');
    }
    text
}

/// What the sink has been given.
#[derive(Default)]
pub(crate) struct Found {
    entities: Vec<Entity>,
    beyond: usize,
}

impl Found {
    pub fn entities(self) -> Result<Vec<Entity>> {
        if self.beyond == 0 {
            return Ok(self.entities);
        }
        let all = MOST + self.beyond;
        Err(Status::Resources
            .error(format!("{all} entities on the bus; at most {MOST} are listed")))
    }
}

/// The sink of the entry `entities`; its context is a [`Found`].
pub(crate) unsafe extern "C" fn found_one(context: *mut c_void, entity: *const EntityC) {
    // SAFETY: the context came with this sink, which is called by one thread at a time (C37).
    let found = unsafe { &mut *context.cast::<Found>() };
    if found.entities.len() == MOST {
        found.beyond += 1;
        return;
    }
    // SAFETY: valid during this call (C37).
    found.entities.extend(unsafe { Entity::from_c(entity) });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn across(entity: &Entity) -> Vec<Entity> {
        let mut found = Found::default();
        let context: *mut Found = &raw mut found;
        // SAFETY: the structure is made as the contract says.
        entity.with_c(|c| unsafe { found_one(context.cast(), c) });
        found.entities().expect("few")
    }

    #[test]
    fn an_entity_crosses_the_border_unchanged() {
        let qos = Qos {
            reliable: Some(true),
            transient_local: Some(false),
            deadline_ns: Some(3),
            partition: Some("a,b".to_owned()),
            ..Qos::default()
        };
        let writer = Entity {
            own: true,
            vendor: 0x0110,
            topic: "rt/chatter".to_owned(),
            type_name: "std_msgs::String".to_owned(),
            qos: Some(qos),
            more: "durability persistent".to_owned(),
            ..Entity::endpoint(EntityKind::Writer, "01", "02")
        };
        let participant = Entity { host: "here".to_owned(), ..Entity::participant("02") };
        for entity in [writer, participant] {
            assert_eq!(across(&entity), [entity]);
        }
    }

    #[test]
    fn what_strangers_have_written_is_cut_and_made_visible() {
        let topic = format!("\u{1b}[2J{}", "x".repeat(5000));
        let entity = Entity { topic, ..Entity::endpoint(EntityKind::Reader, "1", "2") };
        let found = &across(&entity)[0];
        assert!(found.topic.starts_with("\u{fffd}[2Jxxx") && found.topic.ends_with("x…"));
        assert!(found.topic.len() < TEXT_BYTES + 10);
    }

    #[test]
    fn what_only_a_later_contract_knows_is_left_out() {
        let entity = Entity { qos: Some(Qos::default()), ..Entity::participant("1") };
        let mut found = Found::default();
        let context: *mut Found = &raw mut found;
        entity.with_c(|c| {
            // SAFETY: made by `with_c`.
            let (mut c, mut qos) = unsafe { (known_by_head(c), known_by_head((*c).qos)) };
            qos.present = 1 << 30 | QosValue::Reliable as u32;
            c.qos = &raw const qos;
            // SAFETY: as above; the second one's kind is of a later contract.
            unsafe { found_one(context.cast(), &raw const c) };
            c.kind = 9;
            // SAFETY: as above.
            unsafe { found_one(context.cast(), &raw const c) };
        });
        let found = found.entities().expect("few");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].qos.as_ref().and_then(|qos| qos.reliable), Some(true));
    }

    #[test]
    fn a_flood_is_an_error_and_no_memory() {
        let found = Found { entities: Vec::new(), beyond: 5 };
        assert!(found.entities().is_err_and(|e| e.message.contains("65541 entities")));
    }
}
