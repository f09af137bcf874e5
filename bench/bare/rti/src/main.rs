//! The smallest round trip and the smallest stream over RTI Connext DDS: the library of RTI Connector, the
//! type, transport and QoS of Busmark's adapter, and nothing of Busmark. Samples are `DynamicData`, made of
//! their serialised form and serialised again to be read, as there. What is made lives as long as the
//! process.

mod connext;
mod document;

use std::ffi::{CString, c_int, c_uint, c_void};
use std::ptr::{null, null_mut};
use std::time::Duration;

use bare_common::{Header, Library, OnSample, Options, Reader, Wait, Writer};

use crate::connext::{
    ANY, Api, DATA_AVAILABLE, Listener, Matched, NO_STATUS, OK, Object, Sequence,
};
use crate::document::document;

const TYPE: &std::ffi::CStr = c"busmark::OctetSample";
const LIBRARY: Text = c"bare".as_ptr();
const PROFILE: Text = c"profile".as_ptr();
/// First bytes of a serialised sample: plain CDR, little endian; the header begins behind it.
const ENCAPSULATION: [u8; 4] = [0, 1, 0, 0];
const HEADER_AT: usize = ENCAPSULATION.len();
/// Samples that are taken at once, as by Busmark's worker.
const BATCH: c_int = 64;

type Text = connext::Text;

fn made(object: Object, what: &str) -> Result<Object, String> {
    if object.is_null() { Err(format!("no {what}")) } else { Ok(object) }
}

struct Connext {
    api: &'static Api,
    participant: Object,
    /// The type's support.
    support: Object,
    domain: u32,
    sample_bytes: usize,
}

impl Connext {
    /// A topic: what a writer writes, and its description, which a reader reads.
    fn topic(&self, name: &str) -> Result<(Object, Object), String> {
        let name = CString::new(name).map_err(|error| error.to_string())?;
        let (text, kind, none) = (name.as_ptr(), TYPE.as_ptr(), null_mut());
        let (api, participant) = (self.api, self.participant);
        // SAFETY: the participant is alive, the type is registered, texts are copied.
        unsafe {
            let make = api.topic_new;
            let topic = make(participant, text, kind, LIBRARY, PROFILE, none, NO_STATUS);
            let description = (api.topic_description)(participant, text);
            Ok((made(topic, "topic")?, made(description, "topic")?))
        }
    }
}

impl Library for Connext {
    const WAIT: Wait = Wait::Listener;
    type Writer = Out;
    type Reader<H: OnSample> = In;

    fn join(options: &Options) -> Result<Self, String> {
        let (api, domain) = (connext::open()?, options.domain()?);
        let text = CString::new(document(options, domain, "bare")).map_err(|e| e.to_string())?;
        // No events, indexes from 0.
        let settings = [0; 2];
        // SAFETY: texts are copied; the factory is a singleton and finds what the document has.
        let (participant, support) = unsafe {
            let participant = c"bare_participants::participant";
            let connector =
                (api.connector_new)(participant.as_ptr(), text.as_ptr(), &raw const settings);
            made(connector, "connector")?;
            let factory = (api.factory)();
            let participant = (api.participant_by_name)(factory, c"bare".as_ptr());
            let code = made((api.type_code)(factory, TYPE.as_ptr()), "type")?;
            let support = made((api.type_new)(code, api.type_property), "support of the type")?;
            (made(participant, "participant")?, support)
        };
        // SAFETY: as above.
        if unsafe { (api.type_register)(support, participant, TYPE.as_ptr()) } != OK {
            return Err("the type is refused".to_owned());
        }
        let sample_bytes = HEADER_AT + Header::BYTES + size_of::<u32>() + options.size;
        Ok(Self { api, participant, support, domain, sample_bytes })
    }

    fn address(&self) -> String {
        self.domain.to_string()
    }

    fn writer(&self, topic: &str, body: &[u8]) -> Result<Out, String> {
        let (api, (topic, _)) = (self.api, self.topic(topic)?);
        let count = u32::try_from(body.len()).map_err(|error| error.to_string())?;
        let serialized =
            [&ENCAPSULATION[..], &[0; Header::BYTES], &count.to_le_bytes(), body].concat();
        let (participant, none) = (self.participant, null_mut());
        // SAFETY: the participant and the topic are alive.
        unsafe {
            let publisher = (api.publisher_new)(participant, LIBRARY, PROFILE, none, NO_STATUS);
            let publisher = made(publisher, "publisher")?;
            let writer = (api.writer_new)(publisher, topic, LIBRARY, PROFILE, none, NO_STATUS);
            let writer = made((api.writer_narrow)(made(writer, "writer")?), "writer of the type")?;
            let data = made((api.data_create)(self.support), "sample")?;
            Ok(Out { api, writer, data, serialized })
        }
    }

    fn reader<H: OnSample>(&self, topic: &str, on_sample: H) -> Result<In, String> {
        let (api, (_, topic)) = (self.api, self.topic(topic)?);
        let mut taking = Box::new(Taking {
            api,
            reader: null_mut(),
            samples: Sequence::new(),
            infos: Sequence::new(),
            scratch: vec![0; self.sample_bytes],
            on_sample,
        });
        let (participant, none) = (self.participant, null_mut());
        // SAFETY: the participant and the topic are alive; what the listener points to lives as long as
        // the process, and is used by the library's thread alone once there is a writer.
        unsafe {
            (api.samples_initialize)(&raw mut taking.samples);
            (api.infos_initialize)(&raw mut taking.infos);
            let taking = Box::into_raw(taking);
            let listener = Listener {
                data: taking.cast(),
                before: [null(); 4],
                on_data_available: on_data_available::<H>,
                after: [null(); 2],
            };
            let subscriber = (api.subscriber_new)(participant, LIBRARY, PROFILE, none, NO_STATUS);
            let subscriber = made(subscriber, "subscriber")?;
            let (listener, mask) = (&raw const listener, DATA_AVAILABLE);
            let reader = (api.reader_new)(subscriber, topic, LIBRARY, PROFILE, listener, mask);
            Ok(In { api, reader: made(reader, "reader")? })
        }
    }
}

struct Out {
    api: &'static Api,
    writer: Object,
    data: Object,
    serialized: Vec<u8>,
}

// SAFETY: the library guards its objects by locks.
unsafe impl Send for Out {}

impl Writer for Out {
    #[inline]
    fn write(&mut self, header: &Header) -> bool {
        self.serialized[HEADER_AT..HEADER_AT + Header::BYTES].copy_from_slice(header.as_bytes());
        let (api, bytes) = (self.api, &self.serialized);
        // SAFETY: writer and sample are alive, the buffer has so many bytes.
        unsafe {
            (api.data_from_cdr)(self.data, bytes.as_ptr(), bytes.len() as c_uint) == OK
                && (api.write)(self.writer, self.data, api.no_instance) == OK
        }
    }

    fn matched(&mut self) -> bool {
        let mut status = Matched::default();
        // SAFETY: the writer is alive, there is room for the status.
        unsafe { (self.api.writer_matched)(self.writer, &raw mut status) };
        status.current_count > 0
    }

    fn finish(&mut self, limit: Duration) {
        let limit =
            connext::Duration { sec: limit.as_secs() as i32, nanosec: limit.subsec_nanos() };
        // SAFETY: the writer is alive.
        unsafe { (self.api.writer_wait)(self.writer, &raw const limit) };
    }
}

/// What the library's thread takes samples with.
struct Taking<H> {
    api: &'static Api,
    /// Told by the first call.
    reader: Object,
    samples: Sequence,
    infos: Sequence,
    scratch: Vec<u8>,
    on_sample: H,
}

unsafe extern "C" fn on_data_available<H: OnSample>(data: *mut c_void, reader: Object) {
    // SAFETY: made for this listener, whose calls come one at a time.
    let taking = unsafe { &mut *data.cast::<Taking<H>>() };
    if taking.reader.is_null() {
        // SAFETY: the reader is alive.
        taking.reader = unsafe { (taking.api.reader_narrow)(reader) };
    }
    while taking.take() == BATCH {}
}

impl<H: OnSample> Taking<H> {
    /// Hands over what is there, at most [`BATCH`]; how many.
    #[inline]
    fn take(&mut self) -> c_int {
        let (api, samples, infos) = (self.api, &raw mut self.samples, &raw mut self.infos);
        // SAFETY: the reader is alive, both sequences are empty.
        if unsafe { (api.take)(self.reader, samples, infos, BATCH, ANY, ANY, ANY) } != OK {
            return 0;
        }
        // SAFETY: a sequence with what was taken.
        let count = unsafe { (api.samples_length)(samples) };
        for index in 0..count {
            let mut bytes = self.scratch.len() as c_uint;
            // SAFETY: the sample is on loan, the buffer has so many bytes. One without data, which tells
            // the end of a writer, cannot be serialised.
            let code = unsafe {
                let sample = (api.samples_get)(samples, index);
                (api.data_to_cdr)(sample, self.scratch.as_mut_ptr(), &raw mut bytes)
            };
            if code == OK
                && let Some(header) = Header::from_bytes(&self.scratch[HEADER_AT..])
            {
                (self.on_sample)(&header);
            }
        }
        // SAFETY: what was taken is given back.
        unsafe { (api.return_loan)(self.reader, samples, infos) };
        count
    }
}

struct In {
    api: &'static Api,
    reader: Object,
}

impl Reader for In {
    fn matched(&mut self) -> bool {
        let mut status = Matched::default();
        // SAFETY: the reader is alive, there is room for the status.
        unsafe { (self.api.reader_matched)(self.reader, &raw mut status) };
        status.current_count > 0
    }
}

fn main() -> Result<(), String> {
    bare_common::run::<Connext>()
}
