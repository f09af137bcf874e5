//! The library's factory: one per process, with one set of XML profiles loaded at a time. Everything
//! that reads profiles goes through here, one at a time.

use std::ffi::{CStr, CString};
use std::ptr::{from_mut, null};
use std::sync::{Mutex, PoisonError};

use busmark_adapter::{Result, Status};

use crate::error::{call, failure, object};
use crate::log;
use crate::native::{Api, ConnectorOptions, FactoryQos, Object};

/// The document that is loaded; `None`: that of a participant, or nothing yet. Loading takes tens of
/// milliseconds, for the library then reads its own profiles again too.
static LOADED: Mutex<Option<CString>> = Mutex::new(None);

/// Objects that a thread may use: enough for some 100 participants in one process, where the library
/// by itself allows about 15.
const MAX_OBJECTS: i32 = 16_384;

/// Text that fits between XML tags and quotes, and between the quotes of [`document_url`].
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A document as the library takes it instead of a file's name: nothing is written anywhere.
fn document_url(content: &str) -> Result<CString> {
    debug_assert!(!content.contains('"'), "a quote would end the document");
    CString::new(format!("str://\"<dds>{content}</dds>\""))
        .map_err(|_| Status::Invalid.error("a zero byte in a name"))
}

/// Has the library load this document (or none), and nothing of the user's own: by itself it would
/// read `USER_QOS_PROFILES.xml` of the current folder and what `NDDS_QOS_PROFILES` names.
fn load(api: &Api, document: Option<&CStr>) -> Result<()> {
    // SAFETY: the factory always exists; the structure is initialised, used and finalised by the
    // library's functions, and larger than what they fill in.
    unsafe {
        let factory = (api.factory)();
        let mut qos = FactoryQos::BLANK;
        (api.factory_qos_initialize)(&raw mut qos);
        let result = (|| {
            call("the factory's QoS", || (api.factory_get_qos)(factory, &raw mut qos))?;
            qos.ignore_profiles = [1; 3];
            // The same each time, for it cannot change while there is a participant.
            qos.max_objects_per_thread = MAX_OBJECTS;
            if let Some(document) = document {
                let texts = [document.as_ptr()];
                let urls = from_mut(&mut qos.url_profile).cast();
                (api.string_seq_from_array)(urls, texts.as_ptr(), 1);
            }
            call("the factory's QoS", || (api.factory_set_qos)(factory, &raw const qos))?;
            if document.is_some() {
                call("XML profiles", || (api.factory_reload_profiles)(factory))?;
            }
            Ok(())
        })();
        (api.factory_qos_finalize)(&raw mut qos);
        result
    }
}

/// Runs `body` while the profiles and types of this document are loaded.
pub fn with_document<T>(api: &Api, content: &str, body: impl FnOnce() -> Result<T>) -> Result<T> {
    let url = document_url(content)?;
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if loaded.as_ref() != Some(&url) {
        *loaded = None;
        load(api, Some(&url))?;
        *loaded = Some(url);
    }
    body()
}

/// A participant as RTI Connector makes it.
pub struct Connector {
    api: &'static Api,
    raw: Object,
    participant: Object,
}

// SAFETY: the library's participants may be used from any thread; the Connector itself is only
// created and deleted, under the lock.
unsafe impl Send for Connector {}
// SAFETY: as above.
unsafe impl Sync for Connector {}

impl Connector {
    /// Makes the participant that the document describes as `busmark::participant`; `name` is its
    /// name there, which no other participant of this process has.
    pub fn new(api: &'static Api, content: &str, name: &str) -> Result<Self> {
        let url = document_url(content)?;
        let name =
            CString::new(name).map_err(|_| Status::Invalid.error("a zero byte in a name"))?;
        let options = ConnectorOptions { enable_on_data_event: 0, one_based_sequence_indexing: 0 };
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        // The Connector loads its own instead.
        *loaded = None;
        load(api, None)?;
        let what = "RTI Connector makes no participant";
        // SAFETY: texts and options live during the call.
        let raw = object(what, || unsafe {
            (api.connector_new)(c"busmark::participant".as_ptr(), url.as_ptr(), &raw const options)
        })?;
        // SAFETY: the factory always exists; the name lives during the call.
        let participant =
            unsafe { (api.factory_lookup_participant)((api.factory)(), name.as_ptr()) };
        let made = Self { api, raw, participant };
        if participant.is_null() {
            return Err(failure(Status::Failed, "the Connector's participant is not found"));
        }
        Ok(made)
    }

    /// The native participant.
    pub fn participant(&self) -> Object {
        self.participant
    }
}

impl Drop for Connector {
    fn drop(&mut self) {
        let _one = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        log::forget();
        // SAFETY: made by `new`, deleted once, with the participant and what is left in it.
        unsafe { (self.api.connector_delete)(self.raw) };
    }
}

/// A sequence of texts, given back when dropped.
pub struct Texts {
    api: &'static Api,
    sequence: Box<crate::native::Sequence>,
}

impl Texts {
    /// With this one text.
    pub fn one(api: &'static Api, text: &CStr) -> Self {
        let mut sequence = Box::new(crate::native::Sequence::BLANK);
        let raw = from_mut(&mut *sequence).cast();
        let texts = [text.as_ptr(), null()];
        // SAFETY: the buffer is larger than a sequence; the library copies the text.
        unsafe {
            (api.string_seq_initialize)(raw);
            (api.string_seq_from_array)(raw, texts.as_ptr(), 1);
        }
        Self { api, sequence }
    }

    /// For calls of the library.
    pub fn as_ptr(&self) -> *const crate::native::Sequence {
        &raw const *self.sequence
    }
}

impl Drop for Texts {
    fn drop(&mut self) {
        // SAFETY: initialised by `one`.
        unsafe { (self.api.string_seq_finalize)(from_mut(&mut *self.sequence).cast()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_place_in_the_document() {
        assert_eq!(escape("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c&apos;");
        assert!(document_url("a\0b").is_err());
    }
}
