//! What is announced of participants and endpoints, read from the library's QoS (C37).

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::null_mut;

use busmark_adapter::{Announced, Durability, Liveliness, Scope};
use cyclonedds_rust_sys as dds;

/// The vendor number of this library. For other vendors' endpoints it shows its own defaults for what they
/// do not announce, such as the history.
const CYCLONE: u32 = 0x0110;
/// A time without end.
const INFINITE: i64 = i64::MAX;

type Set = *const dds::dds_qos_t;

/// The policies of an endpoint of this vendor.
pub fn policies(from: Set, vendor: u32) -> Announced {
    let mut found = Announced {
        durability: durability(from),
        partition: partition(from),
        liveliness: liveliness(from),
        presentation: presentation(from),
        representation: representation(from),
        ..Announced::default()
    };
    reliability(from, &mut found);
    times(from, &mut found);
    ownership(from, &mut found);
    if vendor == CYCLONE {
        history(from, &mut found);
    }
    found
}

/// What a getter of the library gives; `None` where the policy is not there.
fn get<T: Default>(getter: impl FnOnce(*mut T) -> bool) -> Option<T> {
    let mut value = T::default();
    getter(&raw mut value).then_some(value)
}

fn ends(time: i64) -> Option<i64> {
    (time != INFINITE).then_some(time)
}

fn ownership(from: Set, found: &mut Announced) {
    // SAFETY: the set is alive; the places are ours.
    let (kind, strength, order) = unsafe {
        (
            get(|v| dds::dds_qget_ownership(from, v)),
            get(|v| dds::dds_qget_ownership_strength(from, v)),
            get(|v| dds::dds_qget_destination_order(from, v)),
        )
    };
    if kind == Some(dds::dds_ownership_kind_DDS_OWNERSHIP_EXCLUSIVE) {
        found.ownership_strength = Some(strength.unwrap_or(0));
    }
    let by_source = dds::dds_destination_order_kind_DDS_DESTINATIONORDER_BY_SOURCE_TIMESTAMP;
    found.order_by_source = order == Some(by_source);
}

fn reliability(from: Set, found: &mut Announced) {
    let (mut kind, mut blocking) = (0, 0);
    // SAFETY: the set is alive; the places are ours.
    if unsafe { dds::dds_qget_reliability(from, &raw mut kind, &raw mut blocking) } {
        found.reliable = Some(kind == dds::dds_reliability_kind_DDS_RELIABILITY_RELIABLE);
        found.max_blocking_ns = ends(blocking);
    }
}

fn durability(from: Set) -> Option<Durability> {
    // SAFETY: the set is alive; the place is ours.
    get(|v| unsafe { dds::dds_qget_durability(from, v) }).map(|kind| match kind {
        dds::dds_durability_kind_DDS_DURABILITY_VOLATILE => Durability::Volatile,
        dds::dds_durability_kind_DDS_DURABILITY_TRANSIENT_LOCAL => Durability::TransientLocal,
        dds::dds_durability_kind_DDS_DURABILITY_TRANSIENT => Durability::Transient,
        _ => Durability::Persistent,
    })
}

fn times(from: Set, found: &mut Announced) {
    // SAFETY: the set is alive; the places are ours.
    unsafe {
        found.deadline_ns = get(|v| dds::dds_qget_deadline(from, v)).and_then(ends);
        found.latency_budget_ns = get(|v| dds::dds_qget_latency_budget(from, v));
        found.transport_priority = get(|v| dds::dds_qget_transport_priority(from, v));
        found.lifespan_ns = get(|v| dds::dds_qget_lifespan(from, v)).and_then(ends);
        found.time_based_filter_ns = get(|v| dds::dds_qget_time_based_filter(from, v));
    }
}

fn history(from: Set, found: &mut Announced) {
    let (mut kind, mut depth) = (0, 0);
    // SAFETY: the set is alive; the places are ours.
    if unsafe { dds::dds_qget_history(from, &raw mut kind, &raw mut depth) } {
        found.history = Some((kind == dds::dds_history_kind_DDS_HISTORY_KEEP_ALL, depth));
    }
    let (mut all, mut instances, mut each) = (0, 0, 0);
    // SAFETY: as above.
    let limited = unsafe {
        dds::dds_qget_resource_limits(from, &raw mut all, &raw mut instances, &raw mut each)
    };
    found.max_samples = limited.then_some(all);
}

fn partition(from: Set) -> Vec<String> {
    let (mut count, mut names) = (0, null_mut::<*mut c_char>());
    // SAFETY: the set is alive; the places are ours. The list and its texts are ours to free.
    unsafe {
        if !dds::dds_qget_partition(from, &raw mut count, &raw mut names) || names.is_null() {
            return Vec::new();
        }
        let texts = (0..count as usize).map(|at| taken(*names.add(at))).collect();
        dds::dds_free(names.cast::<c_void>());
        texts
    }
}

fn liveliness(from: Set) -> Option<(Liveliness, Option<i64>)> {
    let (mut kind, mut lease) = (0, 0);
    // SAFETY: the set is alive; the places are ours.
    if !unsafe { dds::dds_qget_liveliness(from, &raw mut kind, &raw mut lease) } {
        return None;
    }
    let kind = match kind {
        dds::dds_liveliness_kind_DDS_LIVELINESS_AUTOMATIC => Liveliness::Automatic,
        dds::dds_liveliness_kind_DDS_LIVELINESS_MANUAL_BY_PARTICIPANT => {
            Liveliness::ManualByParticipant
        }
        _ => Liveliness::ManualByTopic,
    };
    Some((kind, ends(lease)))
}

fn presentation(from: Set) -> Option<(Scope, bool, bool)> {
    let (mut scope, mut coherent, mut ordered) = (0, false, false);
    // SAFETY: the set is alive; the places are ours.
    let there = unsafe {
        let (coherent, ordered) = (&raw mut coherent, &raw mut ordered);
        dds::dds_qget_presentation(from, &raw mut scope, coherent, ordered)
    };
    let scope = match scope {
        dds::dds_presentation_access_scope_kind_DDS_PRESENTATION_INSTANCE => Scope::Instance,
        dds::dds_presentation_access_scope_kind_DDS_PRESENTATION_TOPIC => Scope::Topic,
        _ => Scope::Group,
    };
    there.then_some((scope, coherent, ordered))
}

fn representation(from: Set) -> Vec<i16> {
    let (mut count, mut list) = (0, null_mut());
    // SAFETY: the set is alive; the places are ours, and the list is ours to free.
    unsafe {
        if !dds::dds_qget_data_representation(from, &raw mut count, &raw mut list) || list.is_null()
        {
            return Vec::new();
        }
        let forms = (0..count as usize).map(|at| *list.add(at)).collect();
        dds::dds_free(list.cast::<c_void>());
        forms
    }
}

/// The name of an entity.
pub fn name(from: Set) -> String {
    // SAFETY: the set is alive; the text is ours to free.
    get_text(|to| unsafe { dds::dds_qget_entity_name(from, to) })
}

/// What a participant announces by this name; empty if it does not.
pub fn property(from: Set, name: &str) -> String {
    let Ok(name) = CString::new(name) else { return String::new() };
    // SAFETY: the set is alive; the text is ours to free.
    get_text(|to| unsafe { dds::dds_qget_prop(from, name.as_ptr(), to) })
}

fn get_text(getter: impl FnOnce(*mut *mut c_char) -> bool) -> String {
    let mut text = null_mut();
    // SAFETY: what the getter gave is ours.
    if getter(&raw mut text) { unsafe { taken(text) } } else { String::new() }
}

/// # Safety
/// The text is NULL, or from the library's heap, and not used any more.
unsafe fn taken(text: *mut c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: promised by the caller.
    unsafe {
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        dds::dds_free(text.cast::<c_void>());
        copy
    }
}
