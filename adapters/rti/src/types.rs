//! The types of `idl/busmark.idl` as the library takes them, and samples of them.
//!
//! The library knows them as dynamic types only. What lies in memory at Busmark's border is, for these
//! types, what CDR puts on the wire (little endian, no padding between members), so one conversion
//! from or to CDR stands for all the members of a body.

use std::ffi::CStr;
use std::ptr::null;
use std::sync::{Mutex, PoisonError};

use busmark_adapter::{EndpointConfig, Header, Payload, Result, Status};

use crate::error::{call, check, object};
use crate::factory::with_document;
use crate::native::{Api, Object};

/// `idl/busmark.idl` in the library's XML. A `sequenceMaxLength` of -1 is unbounded.
const XML: &str = "<types><module name='busmark'>\
<struct name='Header' extensibility='final'>\
<member name='cookie' type='uint64'/><member name='seq' type='uint64'/>\
<member name='intended_ns' type='int64'/><member name='sent_ns' type='int64'/>\
<member name='echo_sent_ns' type='int64'/><member name='echo_delivered_ns' type='int64'/>\
<member name='echo_read_ns' type='int64'/>\
<member name='writer_id' type='uint32'/><member name='flags' type='uint32'/></struct>\
<struct name='StructElement' extensibility='final'><member name='number' type='int32'/>\
<member name='text' type='char8' arrayDimensions='8'/><member name='real' type='float32'/></struct>\
<struct name='EmptySample' extensibility='final'>HEADER</struct>\
<struct name='OctetSample' extensibility='final'>HEADER\
<member name='body' type='byte' sequenceMaxLength='-1'/></struct>\
<struct name='CharSample' extensibility='final'>HEADER\
<member name='body' type='char8' sequenceMaxLength='-1'/></struct>\
<struct name='ShortSample' extensibility='final'>HEADER\
<member name='body' type='int16' sequenceMaxLength='-1'/></struct>\
<struct name='FloatSample' extensibility='final'>HEADER\
<member name='body' type='float32' sequenceMaxLength='-1'/></struct>\
<struct name='LongSample' extensibility='final'>HEADER\
<member name='body' type='int32' sequenceMaxLength='-1'/></struct>\
<struct name='StructSample' extensibility='final'>HEADER\
<member name='body' type='nonBasic' nonBasicTypeName='busmark::StructElement' \
sequenceMaxLength='-1'/></struct>\
<union name='AnyValue' extensibility='final'><discriminator type='int32'/>\
<case><caseDiscriminator value='1'/>\
<member name='octets' type='byte' sequenceMaxLength='-1'/></case>\
<case><caseDiscriminator value='5'/>\
<member name='longs' type='int32' sequenceMaxLength='-1'/></case>\
<case><caseDiscriminator value='6'/><member name='structs' type='nonBasic' \
nonBasicTypeName='busmark::StructElement' sequenceMaxLength='-1'/></case></union>\
<struct name='AnySample' extensibility='final'>HEADER\
<member name='body' type='nonBasic' nonBasicTypeName='busmark::AnyValue'/></struct>\
<struct name='KeyedSample' extensibility='final'>\
<member name='instance' type='uint32' key='true'/>HEADER\
<member name='body' type='byte' sequenceMaxLength='-1'/></struct>\
</module></types>";
const HEADER_XML: &str =
    "<member name='header' type='nonBasic' nonBasicTypeName='busmark::Header'/>";

/// CDR, little endian; no options.
const ENCAPSULATION: [u8; 4] = [0, 1, 0, 0];

/// How the samples of an endpoint are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The type's name.
    pub name: &'static CStr,
    kind: Payload,
    keyed: bool,
}

impl Shape {
    /// Of an endpoint's samples.
    pub fn new(config: &EndpointConfig) -> Self {
        let keyed = config.instances > 0;
        let name = match config.payload {
            _ if keyed => c"busmark::KeyedSample",
            Payload::Empty => c"busmark::EmptySample",
            Payload::Octet => c"busmark::OctetSample",
            Payload::Char => c"busmark::CharSample",
            Payload::Short => c"busmark::ShortSample",
            Payload::Float => c"busmark::FloatSample",
            Payload::Long => c"busmark::LongSample",
            Payload::Struct => c"busmark::StructSample",
            Payload::Any => c"busmark::AnySample",
        };
        Self { name, kind: config.payload, keyed }
    }

    /// Where the header is, from after the encapsulation.
    const fn header_at(self) -> usize {
        // The key and the padding after it.
        if self.keyed { 8 } else { 0 }
    }

    /// Where the body is, from after the encapsulation.
    pub const fn body_at(self) -> usize {
        self.header_at()
            + Header::BYTES
            + match self.kind {
                Payload::Empty => 0,
                // The discriminator and the length.
                Payload::Any => 8,
                _ => 4,
            }
    }

    /// Bytes of a sample with such a body on the wire.
    pub const fn wire_bytes(self, body_bytes: u64) -> u64 {
        (ENCAPSULATION.len() + self.body_at()) as u64 + body_bytes
    }

    /// A sample with this body, and zeros for the header, in CDR.
    fn encode(self, body: &[u8]) -> Result<Vec<u8>> {
        let element = if self.kind == Payload::Empty { 1 } else { self.kind.element_bytes() };
        if !body.len().is_multiple_of(element) {
            let text = format!("a body of {} bytes is no whole number of elements", body.len());
            return Err(Status::Invalid.error(text));
        }
        let mut image = Vec::with_capacity(self.wire_bytes(body.len() as u64) as usize);
        image.extend_from_slice(&ENCAPSULATION);
        image.resize(ENCAPSULATION.len() + self.header_at() + Header::BYTES, 0);
        if self.kind == Payload::Any {
            image.extend_from_slice(&(Payload::Octet as u32).to_le_bytes());
        }
        if self.kind != Payload::Empty {
            image.extend_from_slice(&((body.len() / element) as u32).to_le_bytes());
        }
        image.extend_from_slice(body);
        Ok(image)
    }
}

/// A sample in CDR, as it was received; kept from one sample to the next.
pub struct Image {
    shape: Shape,
    // Words, for the alignment of header and body. The encapsulation takes the second half of the
    // first word, so that all that follows is aligned as CDR has it.
    words: Box<[u64]>,
}

impl Image {
    /// For samples with at most such a body.
    pub fn new(shape: Shape, max_body_bytes: u64) -> Self {
        let words = (4 + shape.wire_bytes(max_body_bytes)).div_ceil(8);
        // Zeroed pages, which cost nothing until they are used.
        Self { shape, words: vec![0; words as usize].into_boxed_slice() }
    }

    /// Reads a sample of the library; its header and its body.
    #[inline]
    pub fn read(
        &mut self,
        api: &Api,
        sample: Object,
    ) -> std::result::Result<(&Header, &[u8]), Status> {
        let room = self.words.len() * 8;
        let base = self.words.as_mut_ptr().cast::<u8>();
        let mut bytes = (room - 4) as u32;
        // SAFETY: the sample is on loan; the buffer has `bytes` bytes from its second half-word.
        let code = unsafe { (api.data_to_cdr)(sample, base.add(4).cast(), &raw mut bytes) };
        check(code)?;
        let (start, end) = (8 + self.shape.body_at(), 4 + bytes as usize);
        if end < start || end > room {
            return Err(Status::Failed);
        }
        // SAFETY: within the allocation, as was just checked; the header is at a multiple of 8 and
        // any bits make one.
        Ok(unsafe {
            let header = &*self.words.as_ptr().add(1 + self.shape.header_at() / 8).cast::<Header>();
            (header, std::slice::from_raw_parts(base.add(start), end - start))
        })
    }
}

struct Known {
    name: &'static CStr,
    type_code: Object,
    support: Object,
}

// SAFETY: both objects are constant once they are made.
unsafe impl Send for Known {}

/// The types that were asked for so far; they live as long as the process.
static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());

/// The type's code and its support, made when it is first asked for.
fn known(api: &Api, shape: Shape) -> Result<(Object, Object)> {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(one) = known.iter().find(|one| one.name == shape.name) {
        return Ok((one.type_code, one.support));
    }
    let (type_code, support) = with_document(api, &XML.replace("HEADER", HEADER_XML), || {
        // SAFETY: the factories always exist; the name lives during the call.
        let loaded = object("a type", || unsafe {
            (api.factory_get_typecode)((api.factory)(), shape.name.as_ptr())
        })?;
        let mut exception = 0;
        // The loaded one goes with the document.
        // SAFETY: the type code is alive.
        let type_code = object("a type", || unsafe {
            (api.typecode_clone)((api.typecode_factory)(), loaded, &raw mut exception)
        })?;
        // SAFETY: the type code is alive, and stays so; the property is the library's default.
        let support = object("a type's support", || unsafe {
            (api.type_support_new)(type_code, api.type_property_default)
        })?;
        Ok((type_code, support))
    })?;
    known.push(Known { name: shape.name, type_code, support });
    Ok((type_code, support))
}

/// Makes the type known to the participant.
pub fn register(api: &Api, participant: Object, shape: Shape) -> Result<()> {
    let (_, support) = known(api, shape)?;
    // SAFETY: support and participant are alive, the name is a constant.
    call("the type", || unsafe {
        (api.type_support_register)(support, participant, shape.name.as_ptr())
    })
}

/// A sample of the library, for writing.
pub struct Sample {
    api: &'static Api,
    data: Object,
    // A window on the member `header`, open during `stamp` only.
    window: Object,
    shape: Shape,
    // What it carries; unknown after a failure.
    header: Option<Header>,
}

// SAFETY: both objects are the sample's own.
unsafe impl Send for Sample {}

/// Members by number: the library counts them from 1.
#[derive(Clone, Copy)]
#[repr(i32)]
enum Member {
    Cookie = 1,
    Seq,
    IntendedNs,
    SentNs,
    EchoSentNs,
    EchoDeliveredNs,
    EchoReadNs,
    WriterId,
    Flags,
}

impl Sample {
    /// With this body.
    pub fn new(api: &'static Api, shape: Shape, body: &[u8]) -> Result<Self> {
        let image = shape.encode(body)?;
        let (type_code, _) = known(api, shape)?;
        let make = |type_code| {
            // SAFETY: the type code is alive or NULL, which makes a window without a place.
            object("a sample", || unsafe { (api.data_new)(type_code, api.data_property_default) })
        };
        let mut sample = Self {
            api,
            data: make(type_code)?,
            window: std::ptr::null_mut(),
            shape,
            header: Some(Header::default()),
        };
        sample.window = make(std::ptr::null_mut())?;
        // SAFETY: the sample is alive; the image has the length given.
        call("a sample's body", || unsafe {
            (api.data_from_cdr)(sample.data, image.as_ptr().cast(), image.len() as u32)
        })?;
        Ok(sample)
    }

    /// The sample for the call that writes it.
    #[inline]
    pub fn data(&self) -> Object {
        self.data
    }

    /// Sets the key.
    #[inline]
    pub fn set_instance(&mut self, instance: u32) -> std::result::Result<(), Status> {
        // SAFETY: the sample is alive; its first member is the key.
        check(unsafe { (self.api.data_set_ulong)(self.data, null(), 1, instance) })
    }

    /// Sets what differs from the header that the sample has.
    #[inline]
    pub fn stamp(&mut self, header: &Header) -> std::result::Result<(), Status> {
        let old = self.header.take();
        if old != Some(*header) {
            let (api, window) = (self.api, self.window);
            let at = if self.shape.keyed { 2 } else { 1 };
            // SAFETY: both objects are alive; the member is the struct `Header`.
            check(unsafe { (api.data_bind)(self.data, window, null(), at) })?;
            let set = self.set_members(old.as_ref(), header);
            // SAFETY: bound above.
            let unbound = unsafe { (api.data_unbind)(self.data, window) };
            set.and(check(unbound))?;
        }
        self.header = Some(*header);
        Ok(())
    }

    #[inline]
    fn set_members(&self, old: Option<&Header>, new: &Header) -> std::result::Result<(), Status> {
        macro_rules! set {
            ($($field:ident by $set:ident as $member:ident;)*) => {
                $(if old.is_none_or(|old| old.$field != new.$field) {
                    let member = Member::$member as i32;
                    // SAFETY: the window is bound to a `Header`, whose member has this type.
                    check(unsafe { (self.api.$set)(self.window, null(), member, new.$field) })?;
                })*
            };
        }
        set! {
            cookie by data_set_ulonglong as Cookie;
            seq by data_set_ulonglong as Seq;
            intended_ns by data_set_longlong as IntendedNs;
            sent_ns by data_set_longlong as SentNs;
            echo_sent_ns by data_set_longlong as EchoSentNs;
            echo_delivered_ns by data_set_longlong as EchoDeliveredNs;
            echo_read_ns by data_set_longlong as EchoReadNs;
            writer_id by data_set_ulong as WriterId;
            flags by data_set_ulong as Flags;
        }
        Ok(())
    }
}

impl Drop for Sample {
    fn drop(&mut self) {
        for object in [self.window, self.data] {
            if !object.is_null() {
                // SAFETY: made by `new`, deleted once.
                unsafe { (self.api.data_delete)(object) };
            }
        }
    }
}
