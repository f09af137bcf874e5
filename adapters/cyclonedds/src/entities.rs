//! What is on the bus, from the library's built-in topics (C37).
//!
//! Their readers are of this process only: the library fills them from what its discovery knows when they
//! are made, and announces them to nobody.

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use busmark_adapter::{Entity, EntityKind, Guid, Result};
use cyclonedds_rust_sys as dds;

use crate::announced;
use crate::entity::{self, error};

/// The library's pseudo handles of its built-in topics (`dds.h`).
const PSEUDO: dds::dds_entity_t = 0x7fff_0000;
const PARTICIPANTS: dds::dds_entity_t = PSEUDO + 1;
const WRITERS: dds::dds_entity_t = PSEUDO + 3;
const READERS: dds::dds_entity_t = PSEUDO + 4;

/// Types of the library's own topics.
const BUILT_IN: &str = "org::eclipse::cyclonedds::builtin::";

/// Samples that are taken at once.
const BATCH: usize = 64;

/// All that the domain of this participant knows.
pub fn list(participant: dds::dds_entity_t) -> Result<Vec<Entity>> {
    let mut own = dds::dds_guid_t::default();
    // SAFETY: the participant is alive; the key is ours.
    let code = unsafe { dds::dds_get_guid(participant, &raw mut own) };
    if code < 0 {
        return Err(error(code, "key of the participant"));
    }
    let mut found = Vec::new();
    each(participant, PARTICIPANTS, |sample| {
        // SAFETY: samples of this topic have this type; their QoS is there.
        let (key, qos) = unsafe {
            let sample = &*sample.cast::<dds::dds_builtintopic_participant>();
            (sample.key, sample.qos)
        };
        found.push(Entity {
            own: key.v == own.v,
            name: announced::name(qos),
            ..Entity::announced(Guid(key.v), |name| announced::property(qos, name))
        });
    })?;
    for (topic, kind) in [(WRITERS, EntityKind::Writer), (READERS, EntityKind::Reader)] {
        each(participant, topic, |sample| {
            // SAFETY: as above.
            let sample = unsafe { &*sample.cast::<dds::dds_builtintopic_endpoint>() };
            let type_name = text(sample.type_name);
            // They belong to this process, this very reader among them; nobody else sees them.
            if type_name.starts_with(BUILT_IN) {
                return;
            }
            let key = Guid(sample.key.v);
            let policies = announced::policies(sample.qos, key.vendor());
            found.push(Entity {
                own: sample.participant_key.v == own.v,
                participant: Guid(sample.participant_key.v).to_string(),
                name: announced::name(sample.qos),
                ..policies.endpoint(kind, key, text(sample.topic_name), type_name)
            });
        })?;
    }
    Ok(found)
}

/// Hands every sample of a built-in topic on; it is valid during the call only.
fn each(
    participant: dds::dds_entity_t,
    topic: dds::dds_entity_t,
    mut hand: impl FnMut(*const std::ffi::c_void),
) -> Result<()> {
    // SAFETY: the participant is alive; NULL stands for the defaults.
    let handle = unsafe { dds::dds_create_reader(participant, topic, null(), null()) };
    let reader = entity::Entity::new(handle, "reader of a built-in topic")?;
    loop {
        let mut samples = [null_mut(); BATCH];
        let mut infos = [dds::dds_sample_info_t::default(); BATCH];
        // SAFETY: both arrays have room for a batch; with NULL first the library lends samples.
        let count = unsafe {
            let infos = infos.as_mut_ptr();
            dds::dds_take(reader.raw(), samples.as_mut_ptr(), infos, BATCH, BATCH as u32)
        };
        if count < 0 {
            return Err(error(count, "samples of a built-in topic"));
        }
        if count == 0 {
            return Ok(());
        }
        let taken = samples.iter().zip(&infos).take(count as usize);
        taken.filter(|(_, info)| info.valid_data).for_each(|(sample, _)| hand(*sample));
        // SAFETY: lent by the call above, given back once.
        unsafe { dds::dds_return_loan(reader.raw(), samples.as_mut_ptr(), count) };
    }
}

fn text(from: *const std::ffi::c_char) -> String {
    if from.is_null() {
        return String::new();
    }
    // SAFETY: texts of samples end with a zero.
    unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned()
}
