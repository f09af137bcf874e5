//! A data writer.

use std::ffi::c_void;

use busmark_adapter::{
    Counters, EndpointConfig, Error, Header, LastError, Match, MatchClock, Payload, Qos, Result,
    Status, Writer,
};
use cyclonedds_rust_sys::{
    dds_create_listener, dds_delete_listener, dds_entity_t, dds_get_offered_deadline_missed_status,
    dds_get_publication_matched_status, dds_listener_t, dds_lset_publication_matched,
    dds_offered_deadline_missed_status_t, dds_publication_matched_status_t, dds_return_t,
    dds_set_qos, dds_write, dds_write_flush,
};

use crate::entity::{Entity, check, error, status};
use crate::qos::NativeQos;
use crate::types::Sample;

/// The library's listener object of a writer, which keeps the matches.
pub struct MatchWatch {
    native: *mut dds_listener_t,
    // Where the library's argument points.
    matches: Box<MatchClock>,
}

// SAFETY: the native object is constant after `new`; the library copies it.
unsafe impl Send for MatchWatch {}
// SAFETY: as above.
unsafe impl Sync for MatchWatch {}

unsafe extern "C" fn on_publication_matched(
    _writer: dds_entity_t,
    status: dds_publication_matched_status_t,
    argument: *mut c_void,
) {
    // SAFETY: the argument is the clock of a `MatchWatch` that outlives the writer.
    unsafe { &*argument.cast::<MatchClock>() }.set(status.current_count);
}

impl MatchWatch {
    pub(crate) fn new() -> Self {
        let matches = Box::<MatchClock>::default();
        let argument = std::ptr::from_ref(&*matches).cast_mut().cast();
        // SAFETY: the object is new; function and argument belong together.
        let native = unsafe {
            let native = dds_create_listener(argument);
            dds_lset_publication_matched(native, Some(on_publication_matched));
            native
        };
        Self { native, matches }
    }

    pub(crate) fn as_ptr(&self) -> *const dds_listener_t {
        self.native
    }
}

impl Drop for MatchWatch {
    fn drop(&mut self) {
        // SAFETY: made by `new`, deleted once; entities have copies.
        unsafe { dds_delete_listener(self.native) };
    }
}

/// A writer with the publisher and the topic that were made for it, deleted in this order.
pub struct CycloneWriter {
    writer: Entity,
    _publisher: Entity,
    _topic: Entity,
    // Used until the writer has been deleted.
    watch: MatchWatch,
    failure: LastError,
    payload: Payload,
    instances: u32,
}

impl CycloneWriter {
    pub(crate) fn new(
        config: &EndpointConfig,
        writer: Entity,
        publisher: Entity,
        topic: Entity,
        watch: MatchWatch,
    ) -> Self {
        Self {
            writer,
            _publisher: publisher,
            _topic: topic,
            watch,
            failure: LastError::default(),
            payload: config.payload,
            instances: config.instances,
        }
    }
}

impl CycloneWriter {
    /// The status of a write that failed. A write that only timed out needs no words.
    #[cold]
    fn failed(&self, code: dds_return_t) -> Status {
        let status = status(code);
        if status == Status::Timeout {
            return status;
        }
        self.failure.keep(error(code, "write"))
    }
}

impl Writer for CycloneWriter {
    type Sample = Sample;

    fn prepare(&self, body: &[u8]) -> Result<Sample> {
        Sample::new(self.payload, self.instances, body)
    }

    #[inline]
    fn write(&self, sample: &mut Sample, header: &Header) -> std::result::Result<(), Status> {
        // SAFETY: the sample is of this writer's type and lives during the call; the library copies
        // it.
        let code = unsafe { dds_write(self.writer.raw(), sample.stamped(header)) };
        if code < 0 { Err(self.failed(code)) } else { Ok(()) }
    }

    fn flush(&self) -> std::result::Result<(), Status> {
        // SAFETY: the handle is a number that the library checks.
        check(unsafe { dds_write_flush(self.writer.raw()) })
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        let mut status = dds_publication_matched_status_t::default();
        // SAFETY: `status` is of the type that the function fills in.
        check(unsafe { dds_get_publication_matched_status(self.writer.raw(), &raw mut status) })?;
        Ok(status.current_count)
    }

    fn match_event(&self) -> std::result::Result<Match, Status> {
        Ok(self.watch.matches.get())
    }

    fn last_error(&self) -> Option<Error> {
        self.failure.get()
    }

    fn set_qos(&self, qos: &Qos) -> Result<()> {
        let change = NativeQos::change(qos);
        // SAFETY: the QoS lives during the call.
        let code = unsafe { dds_set_qos(self.writer.raw(), change.as_ptr()) };
        if code < 0 { Err(error(code, "changed QoS")) } else { Ok(()) }
    }

    fn counters(&self) -> Counters {
        let mut status = dds_offered_deadline_missed_status_t::default();
        // SAFETY: `status` is of the type that the function fills in.
        let code =
            unsafe { dds_get_offered_deadline_missed_status(self.writer.raw(), &raw mut status) };
        Counters {
            deadline_missed: (code == 0).then_some(u64::from(status.total_count)),
            ..Counters::default()
        }
    }
}
