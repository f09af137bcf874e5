//! Properties of MQTT 5: the response topic and the correlation data.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;

use busmark_adapter::Result;

use crate::ffi::{Api, CORRELATION_DATA, Property, RESPONSE_TOPIC, api};

unsafe extern "C" {
    /// The C library's, by which libmosquitto wants back what it has read for others.
    fn free(memory: *mut c_void);
}

/// Properties that are to be sent.
pub struct Properties {
    raw: *mut Property,
    api: &'static Api,
}

// SAFETY: a list of values that nobody else has.
unsafe impl Send for Properties {}
// SAFETY: as above; it is only read.
unsafe impl Sync for Properties {}

impl Properties {
    /// For a request: where the response goes, and what is to be in it.
    #[inline]
    pub fn asking(topic: &CStr, correlation: &[u8]) -> Result<Self> {
        let mut properties = Self::answering(correlation)?;
        let Self { raw, api } = &mut properties;
        // SAFETY: a list of the library's; the text is copied.
        api.check(unsafe { (api.add_string)(raw, RESPONSE_TOPIC, topic.as_ptr()) }, "a property")?;
        Ok(properties)
    }

    /// For a response.
    #[inline]
    pub fn answering(correlation: &[u8]) -> Result<Self> {
        let mut properties = Self { raw: null_mut(), api: api()? };
        let Self { raw, api } = &mut properties;
        // The length was read as one of 16 bits, or is 8.
        let bytes = u16::try_from(correlation.len()).unwrap_or(u16::MAX);
        let data = correlation.as_ptr().cast();
        // SAFETY: as above; so many bytes are copied.
        api.check(unsafe { (api.add_binary)(raw, CORRELATION_DATA, data, bytes) }, "a property")?;
        Ok(properties)
    }

    /// As the library takes them.
    #[inline]
    pub fn raw(&self) -> *const Property {
        self.raw
    }
}

impl Drop for Properties {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: a list of the library's, given back once.
        unsafe { (self.api.properties_free)(&raw mut self.raw) };
    }
}

/// Properties of a message that was received.
#[derive(Clone, Copy)]
pub struct Received<'a>(*const Property, std::marker::PhantomData<&'a Property>);

impl Received<'_> {
    /// Those of the message that a callback is about.
    ///
    /// # Safety
    /// The list lives as long as this.
    pub unsafe fn new(raw: *const Property) -> Self {
        Self(raw, std::marker::PhantomData)
    }

    /// The topic that a response is to go to.
    pub fn response_topic(&self) -> Option<Text> {
        let mut raw: *mut c_char = null_mut();
        // SAFETY: the list is alive, the pointer is filled in.
        unsafe { (api().ok()?.read_string)(self.0, RESPONSE_TOPIC, &raw mut raw, false) };
        (!raw.is_null()).then_some(Text(raw))
    }

    /// What a request wants back in its response.
    pub fn correlation(&self) -> Option<Bytes> {
        let (mut raw, mut bytes) = (null_mut(), 0);
        // SAFETY: as above.
        unsafe {
            let (data, length) = (&raw mut raw, &raw mut bytes);
            (api().ok()?.read_binary)(self.0, CORRELATION_DATA, data, length, false);
        }
        (!raw.is_null()).then_some(Bytes(raw, c_int::from(bytes).unsigned_abs() as usize))
    }
}

/// A text that the library has read for us.
pub struct Text(*mut c_char);

// SAFETY: memory that nobody else has.
unsafe impl Send for Text {}
// SAFETY: as above; it is only read.
unsafe impl Sync for Text {}

impl Text {
    /// The text.
    #[inline]
    pub fn as_c_str(&self) -> &CStr {
        // SAFETY: the library ends it with a zero.
        unsafe { CStr::from_ptr(self.0) }
    }
}

impl Drop for Text {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: given back once.
        unsafe { free(self.0.cast()) };
    }
}

/// Bytes that the library has read for us.
pub struct Bytes(*mut c_void, usize);

impl Bytes {
    /// The bytes.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: pointer and length came together.
        unsafe { std::slice::from_raw_parts(self.0.cast(), self.1) }
    }
}

impl Drop for Bytes {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: given back once.
        unsafe { free(self.0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_is_what_is_received() {
        if api().is_err() {
            return; // The library is not here.
        }
        for correlation in [&b"\0\x01\xff"[..], &[7; 8], &[1; 300]] {
            let properties = Properties::asking(c"a/topic", correlation).expect("properties");
            // SAFETY: the list lives as long.
            let received = unsafe { Received::new(properties.raw()) };
            assert_eq!(received.correlation().expect("data").as_slice(), correlation);
            assert_eq!(received.response_topic().expect("a topic").as_c_str(), c"a/topic");
            let answering = Properties::answering(correlation).expect("properties");
            // SAFETY: as above.
            let received = unsafe { Received::new(answering.raw()) };
            assert!(received.response_topic().is_none());
        }
        // SAFETY: as above; there are none.
        let nothing = unsafe { Received::new(std::ptr::null()) };
        assert!(nothing.correlation().is_none() && nothing.response_topic().is_none());
    }
}
