//! What is announced of participants and endpoints, in the contract's terms (C37).

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;

use busmark_adapter::{EntityKind, Qos};
use cyclonedds_rust_sys as dds;

/// The vendor number of this library. For other vendors' endpoints it shows its own defaults for what they
/// do not announce, such as the history.
const CYCLONE: u32 = 0x0110;
/// A time without end.
const INFINITE: i64 = i64::MAX;

type Set = *const dds::dds_qos_t;

/// What of these policies the contract can say, and the rest in words.
pub fn qos(from: Set, kind: EntityKind, vendor: u32) -> (Qos, String) {
    let mut qos = Qos::default();
    let mut more = Vec::new();
    reliability(from, &mut qos);
    durability(from, &mut qos, &mut more);
    times(from, kind, &mut qos);
    qos.partition = partition(from);
    ownership(from, &mut qos);
    if vendor == CYCLONE {
        history(from, &mut qos);
    }
    more.extend(liveliness(from));
    more.extend(presentation(from));
    more.extend(representation(from));
    (qos, more.join("; "))
}

/// What a getter of the library gives; `None` where the policy is not there.
fn get<T: Default>(getter: impl FnOnce(*mut T) -> bool) -> Option<T> {
    let mut value = T::default();
    getter(&raw mut value).then_some(value)
}

fn ownership(from: Set, qos: &mut Qos) {
    // SAFETY: the set is alive; the places are ours.
    let (kind, strength, order) = unsafe {
        (
            get(|v| dds::dds_qget_ownership(from, v)),
            get(|v| dds::dds_qget_ownership_strength(from, v)),
            get(|v| dds::dds_qget_destination_order(from, v)),
        )
    };
    if kind == Some(dds::dds_ownership_kind_DDS_OWNERSHIP_EXCLUSIVE) {
        qos.ownership_strength = Some(strength.unwrap_or(0));
    }
    let by_source = dds::dds_destination_order_kind_DDS_DESTINATIONORDER_BY_SOURCE_TIMESTAMP;
    qos.order_by_source = order == Some(by_source);
}

fn reliability(from: Set, qos: &mut Qos) {
    let (mut kind, mut blocking) = (0, 0);
    // SAFETY: the set is alive; the places are ours.
    if unsafe { dds::dds_qget_reliability(from, &raw mut kind, &raw mut blocking) } {
        qos.reliable = Some(kind == dds::dds_reliability_kind_DDS_RELIABILITY_RELIABLE);
        if qos.reliable == Some(true) && blocking != INFINITE {
            qos.max_blocking_ns = blocking;
        }
    }
}

fn durability(from: Set, qos: &mut Qos, more: &mut Vec<String>) {
    // SAFETY: the set is alive; the place is ours.
    match get(|v| unsafe { dds::dds_qget_durability(from, v) }) {
        Some(dds::dds_durability_kind_DDS_DURABILITY_VOLATILE) => {
            qos.transient_local = Some(false);
        }
        Some(dds::dds_durability_kind_DDS_DURABILITY_TRANSIENT_LOCAL) => {
            qos.transient_local = Some(true);
        }
        Some(dds::dds_durability_kind_DDS_DURABILITY_TRANSIENT) => {
            more.push("durability transient".to_owned());
        }
        Some(_) => more.push("durability persistent".to_owned()),
        None => {}
    }
}

fn times(from: Set, kind: EntityKind, qos: &mut Qos) {
    let ends = |time: &i64| *time != INFINITE;
    let above_none = |time: &i64| *time > 0;
    // SAFETY: the set is alive; the places are ours.
    unsafe {
        qos.deadline_ns = get(|v| dds::dds_qget_deadline(from, v)).filter(ends);
        qos.latency_budget_ns = get(|v| dds::dds_qget_latency_budget(from, v)).filter(above_none);
        let priority = get(|v| dds::dds_qget_transport_priority(from, v));
        qos.transport_priority = priority.filter(|priority| *priority != 0);
        if kind == EntityKind::Writer {
            qos.lifespan_ns = get(|v| dds::dds_qget_lifespan(from, v)).filter(ends);
        } else {
            let filter = get(|v| dds::dds_qget_time_based_filter(from, v));
            qos.time_based_filter_ns = filter.filter(above_none);
        }
    }
}

fn history(from: Set, qos: &mut Qos) {
    let (mut kind, mut depth) = (0, 0);
    // SAFETY: the set is alive; the places are ours.
    if unsafe { dds::dds_qget_history(from, &raw mut kind, &raw mut depth) } {
        qos.keep_all = Some(kind == dds::dds_history_kind_DDS_HISTORY_KEEP_ALL);
        qos.depth = if qos.keep_all == Some(true) { 0 } else { depth };
    }
    let (mut all, mut instances, mut each) = (0, 0, 0);
    // SAFETY: as above.
    let limited = unsafe {
        dds::dds_qget_resource_limits(from, &raw mut all, &raw mut instances, &raw mut each)
    };
    qos.max_samples = Some(all).filter(|all| limited && *all > 0);
}

/// Names joined by commas; `None` without any.
fn partition(from: Set) -> Option<String> {
    let (mut count, mut names) = (0, null_mut::<*mut c_char>());
    // SAFETY: the set is alive; the places are ours. The list and its texts are ours to free.
    unsafe {
        if !dds::dds_qget_partition(from, &raw mut count, &raw mut names) || names.is_null() {
            return None;
        }
        let texts: Vec<String> = (0..count as usize).map(|at| taken(*names.add(at))).collect();
        dds::dds_free(names.cast::<c_void>());
        (!texts.is_empty()).then(|| texts.join(","))
    }
}

fn liveliness(from: Set) -> Option<String> {
    let (mut kind, mut lease) = (0, 0);
    // SAFETY: the set is alive; the places are ours.
    if !unsafe { dds::dds_qget_liveliness(from, &raw mut kind, &raw mut lease) } {
        return None;
    }
    let word = match kind {
        dds::dds_liveliness_kind_DDS_LIVELINESS_AUTOMATIC if lease == INFINITE => return None,
        dds::dds_liveliness_kind_DDS_LIVELINESS_AUTOMATIC => "automatic",
        dds::dds_liveliness_kind_DDS_LIVELINESS_MANUAL_BY_PARTICIPANT => "manual by participant",
        _ => "manual by topic",
    };
    let time = if lease == INFINITE {
        String::new()
    } else {
        format!(" {} s", std::time::Duration::from_nanos(lease.max(0) as u64).as_secs_f64())
    };
    Some(format!("liveliness {word}{time}"))
}

fn presentation(from: Set) -> Option<String> {
    let (mut scope, mut coherent, mut ordered) = (0, false, false);
    // SAFETY: the set is alive; the places are ours.
    let there = unsafe {
        let (coherent, ordered) = (&raw mut coherent, &raw mut ordered);
        dds::dds_qget_presentation(from, &raw mut scope, coherent, ordered)
    };
    let word = match scope {
        dds::dds_presentation_access_scope_kind_DDS_PRESENTATION_INSTANCE => "instance",
        dds::dds_presentation_access_scope_kind_DDS_PRESENTATION_TOPIC => "topic",
        _ => "group",
    };
    let coherent = if coherent { " coherent" } else { "" };
    let ordered = if ordered { " ordered" } else { "" };
    let text = format!("presentation {word}{coherent}{ordered}");
    (there && text != "presentation instance").then_some(text)
}

/// Forms of samples that are offered or understood, unless it is the first version alone.
fn representation(from: Set) -> Option<String> {
    let (mut count, mut list) = (0, null_mut());
    // SAFETY: the set is alive; the places are ours, and the list is ours to free.
    let forms: Vec<u32> = unsafe {
        if !dds::dds_qget_data_representation(from, &raw mut count, &raw mut list) || list.is_null()
        {
            return None;
        }
        let forms = (0..count as usize).map(|at| *list.add(at) as u32).collect();
        dds::dds_free(list.cast::<c_void>());
        forms
    };
    if forms.is_empty() || forms == [dds::DDS_DATA_REPRESENTATION_XCDR1] {
        return None;
    }
    let word = |form: &u32| match *form {
        dds::DDS_DATA_REPRESENTATION_XCDR1 => "XCDR1".to_owned(),
        dds::DDS_DATA_REPRESENTATION_XCDR2 => "XCDR2".to_owned(),
        dds::DDS_DATA_REPRESENTATION_XML => "XML".to_owned(),
        other => other.to_string(),
    };
    Some(format!("representation {}", forms.iter().map(word).collect::<Vec<_>>().join(", ")))
}

/// The name of an entity.
pub fn name(from: Set) -> String {
    // SAFETY: the set is alive; the text is ours to free.
    get_text(|to| unsafe { dds::dds_qget_entity_name(from, to) })
}

/// The host of a participant, as this and other libraries announce it.
pub fn host(from: Set) -> String {
    let first =
        |names: &[&CStr]| names.iter().map(|name| property(from, name)).find(|v| !v.is_empty());
    first(&[c"__Hostname", c"dds.sys_info.hostname"]).unwrap_or_else(|| {
        // "host:user:…"
        let physical = property(from, c"fastdds.physical_data.host");
        physical.split(':').next().unwrap_or_default().to_owned()
    })
}

/// Number and name of a participant's process.
pub fn process(from: Set) -> String {
    let names = [c"__Pid", c"dds.sys_info.process_id", c"fastdds.physical_data.process"];
    let number = names.iter().map(|name| property(from, name)).find(|value| !value.is_empty());
    let words = [number.unwrap_or_default(), property(from, c"__ProcessName")];
    words.join(" ").trim().to_owned()
}

fn property(from: Set, name: &CStr) -> String {
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
