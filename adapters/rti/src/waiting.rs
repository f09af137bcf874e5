//! How a thread sleeps until a reader of the library has samples.

use std::ptr::null_mut;
use std::time::Duration;

use busmark_adapter::{HotCell, Result, Status};

use crate::errors::{check, made, status};
use crate::ffi::{ANY, Api, Object};
use crate::sequence::Sequence;

/// A waitset with one condition: there are samples.
pub struct Waiting {
    api: &'static Api,
    reader: Object,
    waitset: Object,
    condition: Object,
    active: HotCell<Sequence>,
}

impl Waiting {
    /// For a reader, which must outlive it.
    pub fn new(api: &'static Api, reader: Object) -> Result<Self> {
        let active = HotCell::new(Sequence::of_conditions(api));
        let none = null_mut();
        let mut new = Self { api, reader, waitset: none, condition: none, active };
        // SAFETY: the reader is alive.
        unsafe {
            new.waitset = made((api.waitset_new)(), "waitset")?;
            new.condition = made((api.condition_new)(reader, ANY, ANY, ANY), "condition")?;
            let code = (api.waitset_attach)(new.waitset, new.condition);
            check(code, "condition of a waitset")?;
        }
        Ok(new)
    }

    /// Sleeps until there are samples. Hot.
    #[inline]
    pub fn wait(&self, timeout: Duration) -> std::result::Result<(), Status> {
        let mut active = self.active.get().ok_or(Status::Invalid)?;
        let timeout = crate::ffi::Duration {
            sec: i32::try_from(timeout.as_secs()).unwrap_or(i32::MAX - 1),
            nanosec: timeout.subsec_nanos(),
        };
        // SAFETY: waitset and condition are alive; one thread waits.
        status(unsafe { (self.api.waitset_wait)(self.waitset, active.raw(), &raw const timeout) })
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        // SAFETY: what was made is deleted once; nobody waits.
        unsafe {
            if !self.condition.is_null() {
                (self.api.waitset_detach)(self.waitset, self.condition);
                (self.api.condition_delete)(self.reader, self.condition);
            }
            if !self.waitset.is_null() {
                (self.api.waitset_delete)(self.waitset);
            }
        }
    }
}
