//! What is on the bus (C37): what others have, from the library's built-in topics, and what this
//! participant has, from its own endpoints, which those topics leave out.
//!
//! The readers of built-in topics must be there before the participant is enabled, or they miss what was
//! discovered earlier. They have no listener, and the library no thread for them; they are read when
//! somebody asks.

use std::ffi::{CStr, CString, c_int};
use std::mem::offset_of;

use busmark_adapter::{Entity, EntityKind, Guid, Result, Status};

use crate::announced::{self, text};
use crate::builtin::{
    GroupQos, Participant, Publication, QosRoom, ReaderQos, Subscription, WriterQos,
};
use crate::errors::{check, made};
use crate::ffi::{ANY, Api, BuiltinTopic, Duration, NO_DATA, Object, Text};
use crate::qos::Side;
use crate::sequence::Sequence;
use crate::topic::{OwnEndpoint, Topics};

/// `DDS_ALIVE_INSTANCE_STATE`.
const ALIVE: u32 = 1;
/// `DDS_LENGTH_UNLIMITED`.
const ALL: c_int = -1;

/// The readers of the library's built-in topics, of one participant.
pub struct Builtin {
    participants: Object,
    publications: Object,
    subscriptions: Object,
}

// SAFETY: the library guards its objects by locks.
unsafe impl Send for Builtin {}
// SAFETY: as above.
unsafe impl Sync for Builtin {}

impl Builtin {
    /// Finds them in a participant that is not enabled yet. They go with it.
    pub fn of(api: &Api, participant: Object) -> Result<Self> {
        // SAFETY: the participant is alive.
        let subscriber = unsafe { (api.builtin_subscriber)(participant) };
        let subscriber = made(subscriber, "subscriber of the built-in topics")?;
        let reader = |topic: &CStr| -> Result<Object> {
            // SAFETY: as above; the text is read during the call.
            let reader = unsafe { (api.lookup_reader)(subscriber, topic.as_ptr()) };
            let reader = made(reader, &topic.to_string_lossy())?;
            forget_what_has_gone(api, reader)?;
            Ok(reader)
        };
        Ok(Self {
            participants: reader(c"DCPSParticipant")?,
            publications: reader(c"DCPSPublication")?,
            subscriptions: reader(c"DCPSSubscription")?,
        })
    }

    /// All that others have.
    fn others(&self, api: &Api, found: &mut Vec<Entity>) -> Result<()> {
        each(api, &api.participants, self.participants, |from: &Participant| {
            // SAFETY: texts of samples end with a zero.
            let name = unsafe { text(from.name) };
            let property = |name: &str| property(api, from, name);
            let vendor = u16::from_be_bytes(from.vendor).into();
            found.push(Entity { name, vendor, ..Entity::announced(from.key.guid(), property) });
        })?;
        each(api, &api.publications, self.publications, |from: &Publication| {
            let policies = announced::publication(api, from);
            // SAFETY: as above.
            let [name, topic, type_name] =
                [from.name, from.topic, from.type_name].map(|from| unsafe { text(from) });
            let entity = policies.endpoint(EntityKind::Writer, from.key.guid(), topic, type_name);
            let participant = from.participant.guid().to_string();
            found.push(Entity { name, participant, ..entity });
        })?;
        each(api, &api.subscriptions, self.subscriptions, |from: &Subscription| {
            let policies = announced::subscription(api, from);
            // SAFETY: as above.
            let [name, topic, type_name] =
                [from.name, from.topic, from.type_name].map(|from| unsafe { text(from) });
            let entity = policies.endpoint(EntityKind::Reader, from.key.guid(), topic, type_name);
            let participant = from.participant.guid().to_string();
            found.push(Entity { name, participant, ..entity });
        })
    }
}

/// As shipped, a reader of a built-in topic keeps what has gone for ever.
fn forget_what_has_gone(api: &Api, reader: Object) -> Result<()> {
    let mut qos = Room::new(api.reader_qos_initialize, api.reader_qos_finalize);
    // SAFETY: the reader is alive; there is room for the QoS.
    check(unsafe { (api.reader_get_qos)(reader, qos.raw()) }, "QoS of a built-in reader")?;
    // SAFETY: the room begins with the structure.
    let known = unsafe { &mut *qos.raw().cast::<ReaderQos>() };
    if known.autopurge_disposed_samples.sec != i32::MAX {
        let at = offset_of!(ReaderQos, autopurge_disposed_samples);
        let text = format!("DDS_DataReaderQos of this RTI library is another at byte {at}");
        return Err(Status::Unavailable.error(text));
    }
    // At once; the library asks for more than 0.
    known.autopurge_disposed_samples = Duration { sec: 0, nanosec: 1 };
    // SAFETY: as above.
    check(unsafe { (api.reader_put_qos)(reader, qos.raw()) }, "QoS of a built-in reader")
}

/// Hands every sample that is alive on.
fn each<T>(
    api: &Api,
    topic: &BuiltinTopic,
    reader: Object,
    mut hand: impl FnMut(&T),
) -> Result<()> {
    let mut samples = Sequence::new(topic.initialize, topic.finalize);
    let mut infos = Sequence::of_infos(api);
    // SAFETY: the reader is alive, both sequences are empty.
    let code = unsafe { (topic.read)(reader, samples.raw(), infos.raw(), ALL, ANY, ANY, ALIVE) };
    if code == NO_DATA {
        return Ok(());
    }
    check(code, "samples of a built-in topic")?;
    // SAFETY: sequences of what was read, on loan until it is given back.
    unsafe {
        for index in 0..(topic.length)(samples.raw()) {
            if (*(api.infos_get)(infos.raw(), index)).valid_data != 0 {
                hand(&*(topic.get)(samples.raw(), index).cast::<T>());
            }
        }
        check((topic.return_loan)(reader, samples.raw(), infos.raw()), "a built-in topic")
    }
}

/// What a participant announces by this name; empty if it does not.
fn property(api: &Api, from: &Participant, name: &str) -> String {
    let Ok(name) = CString::new(name) else { return String::new() };
    let policy: *const std::ffi::c_void = std::ptr::from_ref(&from.property).cast();
    // SAFETY: a policy is its sequence; what is found begins with two texts, and belongs to the sample.
    unsafe {
        let found = (api.property)(policy.cast_mut(), name.as_ptr()).cast::<[Text; 2]>();
        if found.is_null() { String::new() } else { text((*found)[1]) }
    }
}

/// Room for a QoS of the library.
struct Room {
    room: Box<QosRoom>,
    finalize: unsafe extern "C" fn(Object) -> c_int,
}

impl Room {
    fn new(
        initialize: unsafe extern "C" fn(Object) -> c_int,
        finalize: unsafe extern "C" fn(Object) -> c_int,
    ) -> Self {
        let mut new = Self { room: Box::new(QosRoom([0; 2048])), finalize };
        // SAFETY: there is more room than any QoS needs.
        unsafe { initialize(new.raw()) };
        new
    }

    fn raw(&mut self) -> Object {
        (&raw mut *self.room).cast()
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // SAFETY: initialised, finalised once.
        unsafe { (self.finalize)(self.raw()) };
    }
}

/// The GUID of an entity of this process.
fn guid(api: &Api, entity: Object) -> Guid {
    // SAFETY: the entity is alive.
    unsafe { (api.entity_handle)(entity) }.guid()
}

/// A writer or reader of this participant.
fn described(api: &Api, own: &OwnEndpoint) -> Result<Entity> {
    let (kind, policies) = match own.side {
        Side::Writer => (EntityKind::Writer, writer(api, own)?),
        Side::Reader => (EntityKind::Reader, reader(api, own)?),
    };
    let key = guid(api, own.endpoint);
    let entity = policies.endpoint(kind, key, own.topic.as_str(), own.type_name);
    Ok(Entity { own: true, ..entity })
}

fn writer(api: &Api, own: &OwnEndpoint) -> Result<busmark_adapter::Announced> {
    let mut qos = Room::new(api.writer_qos_initialize, api.writer_qos_finalize);
    let mut group = Room::new(api.publisher_qos_initialize, api.publisher_qos_finalize);
    // SAFETY: both are alive as long as they are listed; there is room for their QoS, which begins with
    // the structures.
    unsafe {
        check((api.writer_get_qos)(own.endpoint, qos.raw()), "QoS of a writer")?;
        check((api.publisher_get_qos)(own.group, group.raw()), "QoS of a publisher")?;
        let (qos, group) = (qos.raw().cast::<WriterQos>(), group.raw().cast::<GroupQos>());
        Ok(announced::writer(api, &*qos, &*group))
    }
}

fn reader(api: &Api, own: &OwnEndpoint) -> Result<busmark_adapter::Announced> {
    let mut qos = Room::new(api.reader_qos_initialize, api.reader_qos_finalize);
    let mut group = Room::new(api.subscriber_qos_initialize, api.subscriber_qos_finalize);
    // SAFETY: as of a writer.
    unsafe {
        check((api.reader_get_qos)(own.endpoint, qos.raw()), "QoS of a reader")?;
        check((api.subscriber_get_qos)(own.group, group.raw()), "QoS of a subscriber")?;
        let (qos, group) = (qos.raw().cast::<ReaderQos>(), group.raw().cast::<GroupQos>());
        Ok(announced::reader(api, &*qos, &*group))
    }
}

/// All that this participant knows of.
pub fn list(topics: &Topics, builtin: &Builtin, name: &str) -> Result<Vec<Entity>> {
    let api = topics.api;
    let own = Entity::own_participant(guid(api, topics.participant));
    let mut found = vec![Entity { name: name.to_owned(), ..own }];
    for own in topics.own.each(|own| described(api, own)) {
        found.push(own?);
    }
    builtin.others(api, &mut found)?;
    Entity::set_vendors(&mut found);
    Ok(found)
}
