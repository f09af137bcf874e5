//! Policies of the library's structures in the contract's terms (C37).

use std::ffi::CStr;

use busmark_adapter::{Announced, Durability, Liveliness, Scope};

use crate::builtin::{
    self, GroupQos, Presentation, Publication, ReaderQos, Seq, Subscription, WriterQos,
};
use crate::ffi::{Api, Duration, Text};
use crate::sequence::Storage;

impl Duration {
    /// `None` without end.
    fn nanoseconds(&self) -> Option<i64> {
        let time = i64::from(self.sec) * 1_000_000_000 + i64::from(self.nanosec);
        (self.sec != i32::MAX).then_some(time)
    }
}

/// A text of the library; empty for NULL.
///
/// # Safety
/// The text is NULL, or ends with a zero.
pub unsafe fn text(from: Text) -> String {
    if from.is_null() {
        return String::new();
    }
    // SAFETY: promised by the caller.
    unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned()
}

/// The texts of a sequence.
fn texts(api: &Api, from: &Seq) -> Vec<String> {
    let from: *const Storage = std::ptr::from_ref(from).cast();
    // SAFETY: a sequence of texts of the library.
    let count = unsafe { (api.strings_length)(from) };
    // SAFETY: it has so many.
    (0..count).map(|index| unsafe { text((api.strings_get)(from, index)) }).collect()
}

/// The encodings of a sequence; that the library chooses one (-1) is not announced.
fn forms(api: &Api, from: &Seq) -> Vec<i16> {
    let from: *const Storage = std::ptr::from_ref(from).cast();
    // SAFETY: a sequence of numbers of the library.
    let count = unsafe { (api.forms_length)(from) };
    // SAFETY: it has so many.
    let all = (0..count).map(|index| unsafe { (api.forms_get)(from, index) });
    all.filter(|form| *form >= 0).collect()
}

fn durability(from: &builtin::Durability) -> Option<Durability> {
    match from.kind {
        0 => Some(Durability::Volatile),
        1 => Some(Durability::TransientLocal),
        2 => Some(Durability::Transient),
        3 => Some(Durability::Persistent),
        _ => None,
    }
}

fn liveliness(from: &builtin::Liveliness) -> Option<(Liveliness, Option<i64>)> {
    let kind = match from.kind {
        0 => Liveliness::Automatic,
        1 => Liveliness::ManualByParticipant,
        2 => Liveliness::ManualByTopic,
        _ => return None,
    };
    Some((kind, from.lease.nanoseconds()))
}

fn presentation(from: &Presentation) -> Option<(Scope, bool, bool)> {
    let scope = match from.scope {
        0 => Scope::Instance,
        1 => Scope::Topic,
        2 => Scope::Group,
        _ => return None,
    };
    Some((scope, from.coherent != 0, from.ordered != 0))
}

/// What the structures name alike.
macro_rules! common {
    ($api:expr, $from:expr, $group:expr) => {
        Announced {
            reliable: Some($from.reliability.kind != 0),
            durability: durability(&$from.durability),
            deadline_ns: $from.deadline.nanoseconds(),
            latency_budget_ns: $from.latency_budget.nanoseconds(),
            order_by_source: $from.destination_order.kind == 1,
            liveliness: liveliness(&$from.liveliness),
            representation: forms($api, &$from.representation),
            presentation: presentation(&$group.presentation),
            partition: texts($api, &$group.partition),
            ..Announced::default()
        }
    };
}

/// Policies of a writer that was found.
pub fn publication(api: &Api, from: &Publication) -> Announced {
    Announced {
        max_blocking_ns: from.reliability.max_blocking_time.nanoseconds(),
        lifespan_ns: from.lifespan.nanoseconds(),
        ownership_strength: (from.ownership == 1).then_some(from.ownership_strength),
        ..common!(api, from, from)
    }
}

/// Policies of a reader that was found.
pub fn subscription(api: &Api, from: &Subscription) -> Announced {
    Announced {
        time_based_filter_ns: from.time_based_filter.nanoseconds(),
        ownership_strength: (from.ownership == 1).then_some(0),
        ..common!(api, from, from)
    }
}

/// Policies of a writer of this process.
pub fn writer(api: &Api, from: &WriterQos, group: &GroupQos) -> Announced {
    Announced {
        max_blocking_ns: from.reliability.max_blocking_time.nanoseconds(),
        lifespan_ns: from.lifespan.nanoseconds(),
        transport_priority: Some(from.transport_priority),
        ownership_strength: (from.ownership == 1).then_some(from.ownership_strength),
        history: Some((from.history.kind == 1, from.history.depth)),
        max_samples: Some(from.max_samples),
        ..common!(api, from, group)
    }
}

/// Policies of a reader of this process.
pub fn reader(api: &Api, from: &ReaderQos, group: &GroupQos) -> Announced {
    Announced {
        time_based_filter_ns: from.time_based_filter.nanoseconds(),
        ownership_strength: (from.ownership == 1).then_some(0),
        history: Some((from.history.kind == 1, from.history.depth)),
        max_samples: Some(from.max_samples),
        ..common!(api, from, group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_ends_unless_its_seconds_are_the_last_number() {
        let time = |sec, nanosec| Duration { sec, nanosec }.nanoseconds();
        assert_eq!(time(i32::MAX, u32::MAX), None);
        assert_eq!(time(7, 250_000_000), Some(7_250_000_000));
        assert_eq!((time(0, 0), time(0, 1)), (Some(0), Some(1)));
    }
}
