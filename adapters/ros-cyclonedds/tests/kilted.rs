//! Nodes of ROS 2 Kilted, by the library of the adapter `rmw`.

mod common;

use std::ffi::{CStr, CString, c_void};
use std::ptr::{null, null_mut};

use busmark_adapter::testing::{eventually, library, participant};
use busmark_adapter::{EndpointConfig, Qos, Wait};
use cyclonedds_rust_sys as dds;

use common::{both_ways, domain, endpoint, ros};

#[test]
fn a_message_of_each_reaches_the_other() {
    both_ways("rmw", domain(0));
}

/// What an endpoint announces: its topic, its type and its user data.
type Announced = (String, String, String);

/// A third participant, which looks on.
struct Observer {
    domain: dds::dds_entity_t,
    participant: dds::dds_entity_t,
}

/// The library's pseudo handles of its built-in topics (`dds.h`).
const PARTICIPANTS: dds::dds_entity_t = 0x7fff_0001;
const WRITERS: dds::dds_entity_t = 0x7fff_0003;
const READERS: dds::dds_entity_t = 0x7fff_0004;

impl Observer {
    fn new(domain: u32) -> Self {
        let xml = CString::new(
            "<CycloneDDS><Domain><General><Interfaces><NetworkInterface address=\"127.0.0.1\"/>\
             </Interfaces><AllowMulticast>false</AllowMulticast></General><Discovery>\
             <ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>119\
             </MaxAutoParticipantIndex><Peers AddLocalhost=\"false\"><Peer Address=\"127.0.0.1\"/>\
             </Peers></Discovery></Domain></CycloneDDS>",
        );
        let xml = xml.expect("a text");
        // SAFETY: the text lives during the call; NULL stands for the defaults.
        let (entity, participant) = unsafe {
            let entity = dds::dds_create_domain(domain, xml.as_ptr());
            (entity, dds::dds_create_participant(domain, null(), null()))
        };
        assert!(entity > 0 && participant > 0, "{entity}, {participant}");
        Self { domain: entity, participant }
    }

    /// Hands on the samples of a built-in topic.
    fn each(&self, topic: dds::dds_entity_t, mut hand: impl FnMut(*const c_void)) {
        // SAFETY: the participant is alive; the arrays have the length given; with NULL first the
        // library lends samples, which are given back.
        unsafe {
            let reader = dds::dds_create_reader(self.participant, topic, null(), null());
            assert!(reader > 0, "{reader}");
            let mut samples = [null_mut(); 64];
            let mut infos = [dds::dds_sample_info_t::default(); 64];
            let count = dds::dds_take(reader, samples.as_mut_ptr(), infos.as_mut_ptr(), 64, 64);
            for (sample, info) in
                samples.iter().zip(&infos).take(usize::try_from(count).unwrap_or(0))
            {
                if info.valid_data {
                    hand(*sample);
                }
            }
            dds::dds_return_loan(reader, samples.as_mut_ptr(), count);
            dds::dds_delete(reader);
        }
    }

    /// The endpoints of ROS's prefix on this topic.
    fn endpoints(&self, topic: dds::dds_entity_t) -> Vec<Announced> {
        let mut found = Vec::new();
        self.each(topic, |sample| {
            // SAFETY: samples of both topics have this type; its texts end with a zero.
            let (name, kind, data) = unsafe {
                let sample = &*sample.cast::<dds::dds_builtintopic_endpoint>();
                let text = |text| CStr::from_ptr(text).to_string_lossy().into_owned();
                (text(sample.topic_name), text(sample.type_name), user_data(sample.qos))
            };
            if name.starts_with("rt/ros_") {
                found.push((name, kind, data));
            }
        });
        found
    }

    /// The user data of all participants but this one's own, which has none.
    fn participants(&self) -> Vec<String> {
        let mut found = Vec::new();
        self.each(PARTICIPANTS, |sample| {
            // SAFETY: samples of this topic have this type.
            let sample = unsafe { &*sample.cast::<dds::dds_builtintopic_participant>() };
            found.push(user_data(sample.qos));
        });
        found.retain(|data| !data.is_empty());
        // One implementation ends the text with a zero, another does not.
        found.iter().map(|data| data.trim_end_matches('\0').to_owned()).collect()
    }
}

impl Drop for Observer {
    fn drop(&mut self) {
        // SAFETY: handles are numbers that the library checks; the participant goes with its domain.
        unsafe { dds::dds_delete(self.domain) };
    }
}

fn user_data(qos: *const dds::dds_qos_t) -> String {
    let (mut bytes, mut count) = (null_mut::<c_void>(), 0);
    // SAFETY: the QoS is alive; the bytes are ours to free.
    unsafe {
        if !dds::dds_qget_userdata(qos, &raw mut bytes, &raw mut count) || bytes.is_null() {
            return String::new();
        }
        let text = std::slice::from_raw_parts(bytes.cast::<u8>(), count);
        let text = String::from_utf8_lossy(text).into_owned();
        dds::dds_free(bytes);
        text
    }
}

#[test]
fn what_is_announced_is_what_a_node_announces() {
    let Some(theirs) = ros("rmw") else { return };
    let ours = library("ros_cyclonedds");
    let domain = domain(2);
    let config = participant(domain, "udp", &[]);
    let endpoint = EndpointConfig { wait: Wait::Poll, ..endpoint("ros_same__0", Qos::default()) };
    let ends = [&theirs, &ours].map(|library| {
        let participant = library.participant(&config).expect("a participant");
        let reader = participant.reader(&endpoint, None).expect("a reader");
        let writer = participant.writer(&endpoint).expect("a writer");
        (reader, writer, participant)
    });
    let observer = Observer::new(domain);
    for topic in [WRITERS, READERS] {
        eventually("two endpoints", || observer.endpoints(topic).len() == 2);
        let found = observer.endpoints(topic);
        assert_eq!(found[0], found[1]);
        assert_eq!(found[0].0, "rt/ros_same_0");
        assert_eq!(found[0].1, "busmark_msgs::msg::dds_::Sample_");
        assert!(found[0].2.starts_with("typehash=RIHS01_"), "{}", found[0].2);
    }
    eventually("two participants", || observer.participants().len() == 2);
    assert_eq!(observer.participants(), ["enclave=/;", "enclave=/;"]);
    drop(ends);
}
