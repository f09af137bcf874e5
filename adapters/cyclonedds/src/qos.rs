//! Quality of service: what is asked for, in the library's terms. What is not asked for stays at the
//! library's default (C8).

use std::ffi::CString;

use busmark_adapter::{Qos, Result, Status};
use cyclonedds_rust_sys as dds;

use crate::config::PublishMode;
use crate::conventions::{AUTODISPOSE, MAX_BLOCKING_NS, PARTICIPANT_DATA, endpoint_data, settled};

/// A set of policies, as the library has it.
pub struct NativeQos(*mut dds::dds_qos_t);

impl NativeQos {
    fn new() -> Self {
        // SAFETY: no preconditions; the library ends the process rather than return NULL.
        Self(unsafe { dds::dds_create_qos() })
    }

    /// For calls of the library.
    pub fn as_ptr(&self) -> *const dds::dds_qos_t {
        self.0
    }

    /// For a participant.
    pub fn participant() -> Self {
        let native = Self::new();
        native.user_data(PARTICIPANT_DATA);
        native
    }

    /// What is announced besides.
    fn user_data(&self, text: &str) {
        if !text.is_empty() {
            // SAFETY: the object is alive; the library copies the bytes.
            unsafe { dds::dds_qset_userdata(self.0, text.as_ptr().cast(), text.len()) };
        }
    }

    /// For a participant with documents; none of these is told to others.
    pub fn properties<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Self> {
        let native = Self::new();
        let text = |text: &str| {
            CString::new(text).map_err(|_| Status::Invalid.error("a zero byte in a property"))
        };
        for (name, value) in pairs {
            let (name, value) = (text(name)?, text(value)?);
            // SAFETY: the object is alive; the library copies the texts.
            unsafe { dds::dds_qset_prop(native.0, name.as_ptr(), value.as_ptr()) };
        }
        Ok(native)
    }

    /// For a publisher or a subscriber.
    pub fn group(qos: &Qos) -> Result<Self> {
        let native = Self::new();
        if let Some(partition) = &qos.partition {
            let name = CString::new(partition.as_str())
                .map_err(|_| Status::Invalid.error("a zero byte in the partition's name"))?;
            // SAFETY: the object is alive; the library copies the text.
            unsafe { dds::dds_qset_partition1(native.0, name.as_ptr()) };
        }
        Ok(native)
    }

    /// For a writer.
    pub fn writer(qos: &Qos, mode: PublishMode) -> Self {
        let qos = &settled(qos);
        let native = Self::endpoint(qos, mode);
        native.writer_only(qos);
        if let Some(autodispose) = AUTODISPOSE {
            // SAFETY: the object is alive.
            unsafe { dds::dds_qset_writer_data_lifecycle(native.0, autodispose) };
        }
        if qos.transient_local == Some(true) {
            let (kind, depth) = history(qos);
            let limit = qos.max_samples.unwrap_or(dds::DDS_LENGTH_UNLIMITED);
            // What late joiners get is a policy of its own here, and by default one sample: give them
            // the writer's history, as the DDS specification has it for this durability.
            // SAFETY: the object is alive.
            unsafe {
                let unlimited = dds::DDS_LENGTH_UNLIMITED;
                dds::dds_qset_durability_service(native.0, 0, kind, depth, limit, unlimited, limit);
            }
        }
        native
    }

    /// For a reader.
    pub fn reader(qos: &Qos, mode: PublishMode) -> Self {
        let native = Self::endpoint(&settled(qos), mode);
        if let Some(separation) = qos.time_based_filter_ns {
            // SAFETY: the object is alive.
            unsafe { dds::dds_qset_time_based_filter(native.0, separation) };
        }
        native
    }

    /// What can change of an enabled writer.
    pub fn change(qos: &Qos) -> Self {
        let native = Self::new();
        native.writer_only(qos);
        native
    }

    fn writer_only(&self, qos: &Qos) {
        // SAFETY: the object is alive.
        unsafe {
            if let Some(lifespan) = qos.lifespan_ns {
                dds::dds_qset_lifespan(self.0, lifespan);
            }
            if let Some(strength) = qos.ownership_strength {
                dds::dds_qset_ownership_strength(self.0, strength);
            }
        }
    }

    /// What writers and readers have in common.
    fn endpoint(qos: &Qos, mode: PublishMode) -> Self {
        let native = Self::new();
        native.user_data(&endpoint_data());
        let it = native.0;
        // SAFETY: the object is alive.
        unsafe {
            if let Some(reliable) = qos.reliable {
                let blocking =
                    if qos.max_blocking_ns > 0 { qos.max_blocking_ns } else { MAX_BLOCKING_NS };
                let kind = if reliable {
                    dds::dds_reliability_kind_DDS_RELIABILITY_RELIABLE
                } else {
                    dds::dds_reliability_kind_DDS_RELIABILITY_BEST_EFFORT
                };
                dds::dds_qset_reliability(it, kind, blocking);
            }
            if qos.keep_all.is_some() {
                let (kind, depth) = history(qos);
                dds::dds_qset_history(it, kind, depth);
            }
            if let Some(transient_local) = qos.transient_local {
                let kind = if transient_local {
                    dds::dds_durability_kind_DDS_DURABILITY_TRANSIENT_LOCAL
                } else {
                    dds::dds_durability_kind_DDS_DURABILITY_VOLATILE
                };
                dds::dds_qset_durability(it, kind);
            }
            if let Some(deadline) = qos.deadline_ns {
                dds::dds_qset_deadline(it, deadline);
            }
            if let Some(lease) = qos.liveliness_lease_ns {
                let kind = dds::dds_liveliness_kind_DDS_LIVELINESS_AUTOMATIC;
                dds::dds_qset_liveliness(it, kind, lease);
            }
            if mode == PublishMode::Asynchronous {
                // Any budget has the library send from its own thread.
                dds::dds_qset_latency_budget(it, 1);
            }
            if qos.ownership_strength.is_some() {
                dds::dds_qset_ownership(it, dds::dds_ownership_kind_DDS_OWNERSHIP_EXCLUSIVE);
            }
            if qos.order_by_source {
                let kind = dds::dds_destination_order_kind_DDS_DESTINATIONORDER_BY_SOURCE_TIMESTAMP;
                dds::dds_qset_destination_order(it, kind);
            }
            if let Some(limit) = qos.max_samples {
                // Topics have no key, hence one instance.
                dds::dds_qset_resource_limits(it, limit, dds::DDS_LENGTH_UNLIMITED, limit);
            }
        }
        native
    }
}

impl Drop for NativeQos {
    fn drop(&mut self) {
        // SAFETY: made by `new`, deleted once.
        unsafe { dds::dds_delete_qos(self.0) };
    }
}

fn history(qos: &Qos) -> (dds::dds_history_kind_t, i32) {
    match qos.keep_all {
        Some(true) => (dds::dds_history_kind_DDS_HISTORY_KEEP_ALL, dds::DDS_LENGTH_UNLIMITED),
        Some(false) => (dds::dds_history_kind_DDS_HISTORY_KEEP_LAST, qos.depth),
        // The library's default.
        None => (dds::dds_history_kind_DDS_HISTORY_KEEP_LAST, 1),
    }
}
