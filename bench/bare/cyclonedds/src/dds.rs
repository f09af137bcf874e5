//! The library: one participant, the type `busmark::OctetSample`, a reader and a writer.

use std::ffi::{CStr, CString, c_void};
use std::mem::{MaybeUninit, offset_of};
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use cyclonedds_rust_sys as sys;

use crate::options::{Options, Wait};
use crate::security;

/// `busmark::Header`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Header {
    pub cookie: u64,
    pub seq: u64,
    pub times: [i64; 5],
    pub writer_id: u32,
    pub flags: u32,
}

/// `busmark::OctetSample`.
#[repr(C)]
pub struct Sample {
    pub header: Header,
    pub body: sys::dds_sequence,
}

impl Sample {
    /// A sample to write; its body lives as long as the process.
    pub fn new(size: usize) -> Self {
        let body = vec![1_u8; size].leak();
        let (length, buffer) = (size as u32, body.as_mut_ptr());
        let body = sys::dds_sequence {
            _maximum: length,
            _length: length,
            _buffer: buffer,
            _release: false,
        };
        Self { header: Header::default(), body }
    }

    fn to_read_into() -> Self {
        let body =
            sys::dds_sequence { _maximum: 0, _length: 0, _buffer: null_mut(), _release: true };
        Self { header: Header::default(), body }
    }
}

// Instructions of the serialiser, as idlc makes them of idl/busmark.idl.
const LONG_LONG: u32 = 0x0104_0000;
const SIGNED: u32 = 4;
static OPS: [u32; 25] = [
    0x010d_0000,
    offset_of!(Sample, header) as u32,
    (3 << 16) + 6,
    0x0107_0100,
    offset_of!(Sample, body) as u32,
    0,
    LONG_LONG,
    0,
    LONG_LONG,
    8,
    LONG_LONG | SIGNED,
    16,
    LONG_LONG | SIGNED,
    24,
    LONG_LONG | SIGNED,
    32,
    LONG_LONG | SIGNED,
    40,
    LONG_LONG | SIGNED,
    48,
    0x0103_0000,
    56,
    0x0103_0000,
    60,
    0,
];

const CONFIGURATION: &str = "<CycloneDDS><Domain Id='any'><General><Interfaces>\
    <NetworkInterface name='lo' address='127.0.0.1'/></Interfaces>\
    <AllowMulticast>false</AllowMulticast></General>\
    <Discovery><ParticipantIndex>auto</ParticipantIndex>\
    <MaxAutoParticipantIndex>119</MaxAutoParticipantIndex>\
    <Peers AddLocalhost='false'><Peer Address='127.0.0.1'/></Peers></Discovery>\
    <Tracing><Verbosity>none</Verbosity><OutputFile>stderr</OutputFile></Tracing>\
    <Internal>INTERNAL</Internal></Domain></CycloneDDS>";

fn configuration(options: &Options) -> CString {
    let name = "MultipleReceiveThreads";
    let set = options.receive_threads.map(|value| format!("<{name}>{value}</{name}>"));
    let text = CONFIGURATION.replace("INTERNAL", &set.unwrap_or_default());
    CString::new(text).expect("words and numbers")
}

fn made(handle: sys::dds_entity_t, what: &str) -> Result<sys::dds_entity_t, String> {
    if handle >= 0 {
        return Ok(handle);
    }
    // SAFETY: the library returns a constant text for every number.
    let text = unsafe { CStr::from_ptr(sys::dds_strretcode(handle)) };
    Err(format!("{what}: {}", text.to_string_lossy()))
}

/// A participant in the domain.
pub struct Domain {
    entity: sys::dds_entity_t,
    participant: sys::dds_entity_t,
    reliable: bool,
    keep_all: bool,
    batching: bool,
}

impl Domain {
    pub fn join(options: &Options, keep_all: bool) -> Result<Self, String> {
        // SAFETY: texts live during the calls; NULL stands for the defaults.
        unsafe {
            let domain = sys::dds_create_domain(options.domain, configuration(options).as_ptr());
            let domain = made(domain, "domain")?;
            let qos = security::qos(options)?;
            let participant = sys::dds_create_participant(options.domain, qos, null());
            sys::dds_delete_qos(qos);
            let participant = made(participant, "participant")?;
            let (reliable, batching) = (options.reliable, options.batching);
            Ok(Self { entity: domain, participant, reliable, keep_all, batching })
        }
    }

    fn topic(&self, name: &str) -> Result<sys::dds_entity_t, String> {
        let none = sys::dds_type_meta_ser { data: null(), sz: 0 };
        let descriptor = sys::dds_topic_descriptor {
            m_size: size_of::<Sample>() as u32,
            m_align: align_of::<Sample>() as u32,
            m_flagset: 0,
            m_nkeys: 0,
            m_typename: c"busmark::OctetSample".as_ptr(),
            m_keys: null(),
            m_nops: 13,
            m_ops: OPS.as_ptr(),
            m_meta: c"".as_ptr(),
            type_information: none,
            type_mapping: none,
            restrict_data_representation: 0,
        };
        let name = CString::new(name).expect("a literal");
        let pp = self.participant;
        // SAFETY: the library copies descriptor and name.
        let topic = unsafe {
            sys::dds_create_topic(pp, &raw const descriptor, name.as_ptr(), null(), null())
        };
        made(topic, "topic")
    }

    /// A set of policies, used once and left to the end of the process.
    fn qos(&self) -> *const sys::dds_qos_t {
        // SAFETY: the object is new.
        unsafe {
            let qos = sys::dds_create_qos();
            let reliability = if self.reliable {
                sys::dds_reliability_kind_DDS_RELIABILITY_RELIABLE
            } else {
                sys::dds_reliability_kind_DDS_RELIABILITY_BEST_EFFORT
            };
            sys::dds_qset_reliability(qos, reliability, 1_000_000_000);
            let (history, depth) = if self.keep_all {
                (sys::dds_history_kind_DDS_HISTORY_KEEP_ALL, sys::DDS_LENGTH_UNLIMITED)
            } else {
                (sys::dds_history_kind_DDS_HISTORY_KEEP_LAST, 1)
            };
            sys::dds_qset_history(qos, history, depth);
            sys::dds_qset_writer_batching(qos, self.batching);
            qos
        }
    }

    pub fn writer(&self, topic: &str) -> Result<Writer, String> {
        // SAFETY: participant, topic and QoS are alive.
        let writer = unsafe {
            sys::dds_create_writer(self.participant, self.topic(topic)?, self.qos(), null())
        };
        Ok(Writer(made(writer, "writer")?))
    }

    /// A writer or a reader that only counts its matches, in `matches`, until the process ends.
    pub fn counted(
        &self,
        topic: &str,
        is_writer: bool,
        matches: *const c_void,
        noted: (sys::dds_on_publication_matched_fn, sys::dds_on_subscription_matched_fn),
    ) -> Result<sys::dds_entity_t, String> {
        let topic = self.topic(topic)?;
        // SAFETY: participant, topic, QoS and listener are alive; the caller keeps the argument.
        unsafe {
            let listener = sys::dds_create_listener(matches.cast_mut());
            if is_writer {
                sys::dds_lset_publication_matched(listener, noted.0);
                let writer = sys::dds_create_writer(self.participant, topic, self.qos(), listener);
                return made(writer, "writer");
            }
            sys::dds_lset_subscription_matched(listener, noted.1);
            made(sys::dds_create_reader(self.participant, topic, self.qos(), listener), "reader")
        }
    }

    /// A reader; `on_data` with its argument is called in listener mode.
    pub fn reader(
        &self,
        topic: &str,
        wait: Wait,
        on_data: (sys::dds_on_data_available_fn, *mut c_void),
    ) -> Result<Reader, String> {
        // SAFETY: participant, topic, QoS and listener are alive; the caller keeps the argument.
        unsafe {
            let listener = sys::dds_create_listener(on_data.1);
            if wait == Wait::Listener {
                sys::dds_lset_data_available(listener, on_data.0);
            }
            let topic = self.topic(topic)?;
            let reader = sys::dds_create_reader(self.participant, topic, self.qos(), listener);
            let reader = made(reader, "reader")?;
            let waitset = made(sys::dds_create_waitset(self.participant), "waitset")?;
            if wait == Wait::Waitset {
                let any = sys::DDS_ANY_STATE;
                let condition = made(sys::dds_create_readcondition(reader, any), "condition")?;
                made(sys::dds_waitset_attach(waitset, condition, 0), "attached")?;
            }
            Ok(Reader { entity: reader, waitset, wait, turn: 0, slots: Slots::new() })
        }
    }
}

impl Drop for Domain {
    fn drop(&mut self) {
        // SAFETY: handles are numbers that the library checks; this ends all that was made of it.
        unsafe { sys::dds_delete(self.entity) };
    }
}

#[derive(Clone, Copy)]
pub struct Writer(sys::dds_entity_t);

impl Writer {
    /// Whether the sample was taken; not when a reliable write has blocked for too long.
    #[inline]
    pub fn write(self, sample: &Sample) -> bool {
        // SAFETY: the sample is of the writer's type and lives during the call.
        unsafe { sys::dds_write(self.0, std::ptr::from_ref(sample).cast()) == 0 }
    }

    /// Sends what the library holds back in a batch.
    pub fn flush(self) {
        // SAFETY: the handle is a number that the library checks.
        unsafe { sys::dds_write_flush(self.0) };
    }

    /// Waits until every reader has acknowledged every sample.
    pub fn acknowledged(self) {
        // SAFETY: the handle is a number that the library checks.
        unsafe { sys::dds_wait_for_acks(self.0, 10_000_000_000) };
    }

    pub fn matched(self) -> bool {
        let mut status = sys::dds_publication_matched_status_t::default();
        // SAFETY: `status` is of the type that the function fills in.
        unsafe { sys::dds_get_publication_matched_status(self.0, &raw mut status) };
        status.current_count > 0
    }
}

const SLOTS: usize = 64;

struct Slots {
    _samples: Box<[Sample]>,
    pointers: [*mut c_void; SLOTS],
    infos: [MaybeUninit<sys::dds_sample_info_t>; SLOTS],
}

impl Slots {
    fn new() -> Self {
        let mut samples: Box<[Sample]> = (0..SLOTS).map(|_| Sample::to_read_into()).collect();
        let mut pointers = [null_mut(); SLOTS];
        for (pointer, sample) in pointers.iter_mut().zip(samples.iter_mut()) {
            *pointer = std::ptr::from_mut(sample).cast();
        }
        Self { _samples: samples, pointers, infos: [MaybeUninit::uninit(); SLOTS] }
    }
}

pub struct Reader {
    entity: sys::dds_entity_t,
    waitset: sys::dds_entity_t,
    wait: Wait,
    turn: u32,
    slots: Slots,
}

impl Reader {
    pub fn matched(&self) -> bool {
        let mut status = sys::dds_subscription_matched_status_t::default();
        // SAFETY: `status` is of the type that the function fills in.
        unsafe { sys::dds_get_subscription_matched_status(self.entity, &raw mut status) };
        status.current_count > 0
    }

    /// Takes what is there.
    #[inline]
    pub fn take(&mut self, mut body: impl FnMut(&Sample)) {
        loop {
            // SAFETY: both arrays have `SLOTS` entries; each pointer leads to a sample of this type.
            let taken = unsafe {
                let infos = self.slots.infos.as_mut_ptr().cast();
                let pointers = self.slots.pointers.as_mut_ptr();
                sys::dds_take(self.entity, pointers, infos, SLOTS, SLOTS as u32)
            };
            let taken = usize::try_from(taken).unwrap_or(0);
            for at in 0..taken {
                // SAFETY: the library filled in `taken` entries of both.
                unsafe {
                    if self.slots.infos[at].assume_init_ref().valid_data {
                        body(&*self.slots.pointers[at].cast::<Sample>());
                    }
                }
            }
            if taken < SLOTS {
                return;
            }
        }
    }

    /// Waits in the way of this reader; a listener's work is done elsewhere. False if there was
    /// nothing for a while, so that there is time to look at other things.
    #[inline]
    pub fn wait(&mut self) -> bool {
        match self.wait {
            Wait::Poll => {
                self.turn = self.turn.wrapping_add(1);
                !self.turn.is_multiple_of(1 << 14)
            }
            Wait::Listener => {
                std::thread::sleep(Duration::from_millis(5));
                false
            }
            Wait::Waitset => {
                let mut mark = 0;
                // SAFETY: the array has the length given.
                unsafe { sys::dds_waitset_wait(self.waitset, &raw mut mark, 1, 20_000_000) > 0 }
            }
        }
    }
}

/// Tells the other side where this one is, once it is there.
pub fn tell(options: &Options) {
    println!("{{\"address\":\"{}\"}}", options.domain);
}

/// Waits until `condition` holds.
pub fn until(what: &str, condition: impl Fn() -> bool) -> Result<(), String> {
    let start = Instant::now();
    while !condition() {
        if start.elapsed() > Duration::from_secs(30) {
            return Err(format!("gave up after 30 s: {what}"));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}
