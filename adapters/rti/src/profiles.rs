//! QoS profiles as XML, which the factory of participants reads.
//!
//! Endpoints are made "with a profile": the factory is given a document with one profile, and the
//! library looks it up while it makes or changes the endpoint. The factory is one for the whole process,
//! hence a lock.

use std::ffi::{CStr, CString};
use std::sync::{Mutex, PoisonError};

use busmark_adapter::{Result, Status};

use crate::errors::check;
use crate::ffi::{Api, Object, Text};
use crate::log;
use crate::sequence::{SEQUENCE_BYTES, Storage};
use crate::xml::element;

/// The library of QoS profiles in every document.
pub const LIBRARY: &CStr = c"busmark_qos";
/// The profile in every document.
pub const PROFILE: &CStr = c"profile";

static FACTORY: Mutex<()> = Mutex::new(());

/// A document with one profile.
pub fn document(base: Option<&str>, policies: &str) -> String {
    let base = base.map_or_else(String::new, |name| element("base_name", element("element", name)));
    format!(
        "<dds><qos_library name='busmark_qos'><qos_profile name='profile'>{base}{policies}</qos_profile>\
         </qos_library></dds>"
    )
}

/// Runs `make` while the profile of `document` is what [`LIBRARY`] and [`PROFILE`] name.
pub fn with<T>(api: &Api, document: &str, make: impl FnOnce() -> Result<T>) -> Result<T> {
    exclusively(|| {
        load(api, document)?;
        make()
    })
}

/// Runs `make` while nobody else uses the factory.
pub fn exclusively<T>(make: impl FnOnce() -> T) -> T {
    let _guard = FACTORY.lock().unwrap_or_else(PoisonError::into_inner);
    log::forget();
    make()
}

/// Participants that are made from now on are not enabled by that: who makes one does.
pub fn make_disabled(api: &Api) -> Result<()> {
    let mut qos = FactoryQos::get(api)?;
    // SAFETY: `entity_factory` is the first member, a boolean.
    unsafe { qos.raw().cast::<u8>().write(0) };
    // SAFETY: the factory copies the QoS.
    check(unsafe { (api.factory_set_qos)((api.factory)(), qos.raw()) }, "QoS of the factory")
}

fn load(api: &Api, document: &str) -> Result<()> {
    let document = CString::new(document)
        .map_err(|_| Status::Invalid.error("a zero byte within a text of the configuration"))?;
    let mut qos = FactoryQos::get(api)?;
    let texts: [Text; 1] = [document.as_ptr()];
    // SAFETY: an initialised sequence, which copies the text.
    if unsafe { (api.strings_from_array)(qos.documents(), texts.as_ptr(), 1) } == 0 {
        return Err(Status::Resources.error("no room for a QoS profile"));
    }
    // SAFETY: the factory copies the QoS, and reads its documents.
    let code = unsafe { (api.factory_set_qos)((api.factory)(), qos.raw()) };
    check(code, "QoS profile")
}

/// Fails unless the factory's QoS is laid out as is known here: Connector has just put `url` in it.
pub fn check_layout(api: &Api, url: &CStr) -> Result<()> {
    let mut qos = FactoryQos::get(api)?;
    let urls = qos.urls();
    // SAFETY: the library checks a mark within the sequence, and gives 0 if it is none.
    let count = unsafe { (api.strings_length)(urls) };
    let known = (0..count).any(|index| {
        // SAFETY: an initialised sequence of this many texts.
        let text = unsafe { (api.strings_get)(urls, index) };
        // SAFETY: a text of the sequence, or nothing.
        !text.is_null() && unsafe { CStr::from_ptr(text) } == url
    });
    if known {
        return Ok(());
    }
    Err(Status::Unavailable.error("the structures of this RTI library differ from version 6.1.2's"))
}

/// `DDS_DomainParticipantFactoryQos`, of which two members are known: the members of its profile
/// policy.
struct FactoryQos<'a> {
    room: Box<[u64; 512]>,
    api: &'a Api,
}

/// After `entity_factory` (a byte) and `resource_limits` (a number).
const DOCUMENTS_AT: usize = 8;
const URLS_AT: usize = DOCUMENTS_AT + SEQUENCE_BYTES;

impl<'a> FactoryQos<'a> {
    fn get(api: &'a Api) -> Result<Self> {
        let mut qos = Self { room: Box::new([0; 512]), api };
        // SAFETY: there is more room than the structure needs.
        let code = unsafe {
            (api.factory_qos_initialize)(qos.raw());
            (api.factory_get_qos)((api.factory)(), qos.raw())
        };
        check(code, "QoS of the factory")?;
        Ok(qos)
    }

    fn raw(&mut self) -> Object {
        self.room.as_mut_ptr().cast()
    }

    fn at(&mut self, offset: usize) -> *mut Storage {
        // SAFETY: the offset is within the room.
        unsafe { self.room.as_mut_ptr().cast::<u8>().add(offset).cast() }
    }

    /// `profile.string_profile`: documents.
    fn documents(&mut self) -> *mut Storage {
        self.at(DOCUMENTS_AT)
    }

    /// `profile.url_profile`: where documents are.
    fn urls(&mut self) -> *mut Storage {
        self.at(URLS_AT)
    }
}

impl Drop for FactoryQos<'_> {
    fn drop(&mut self) {
        // SAFETY: initialised by `get`, finalised once.
        unsafe { (self.api.factory_qos_finalize)(self.raw()) };
    }
}
