//! What the contract does not say: the limits that the crate has, and how its participants are found.

use busmark_adapter::testing::{
    domain, eventually, last, library, matched, receive, threads, write,
};
use busmark_adapter::{
    EndpointConfig, ParticipantConfig, Payload, ReaderHandle, Status, WriterHandle, testing,
};

/// In a domain by its offset, below 4.
fn participant(offset: u32, settings: &[(&str, &str)]) -> ParticipantConfig {
    testing::participant(domain(120, 4, offset), "udp", settings)
}

fn endpoint(topic: &str, max_body_bytes: u64) -> EndpointConfig {
    EndpointConfig { qos: last(10), ..testing::endpoint(topic, max_body_bytes) }
}

fn exchange(writer: &WriterHandle, reader: &ReaderHandle) {
    matched(writer, reader);
    write(writer, &[7; 3], 0..5);
    for seq in 0..5 {
        assert_eq!(receive(reader), (seq, vec![7; 3]));
    }
}

#[test]
fn a_sample_of_more_fragments_than_can_be_asked_for_is_refused() {
    let here =
        library("dustdds").participant(&participant(0, &[("fragment_size", "500")])).expect("one");
    let fits = endpoint("fragments", 256 * 500 - 128);
    let larger = endpoint("fragments", 256 * 500);
    assert!(here.writer(&fits).is_ok() && here.reader(&fits, None).is_ok());
    for error in [here.writer(&larger).err(), here.reader(&larger, None).err()] {
        let error = error.expect("an error");
        assert_eq!(error.status, Status::Invalid);
        assert!(error.message.contains("fragment_size"), "{error}");
    }
}

#[test]
fn endpoints_of_one_participant_share_their_topic_and_hear_each_other() {
    let here = library("dustdds").participant(&participant(1, &[])).expect("a participant");
    let reader = here.reader(&endpoint("shared", 64), None).expect("a reader");
    let writer = here.writer(&endpoint("shared", 64)).expect("a writer");
    exchange(&writer, &reader);
    let other = EndpointConfig { payload: Payload::Long, ..endpoint("shared", 64) };
    let error = here.writer(&other).err().expect("another type");
    assert!(error.status == Status::Invalid && error.message.contains("LongSample"), "{error}");
    drop((writer, reader));
    assert!(here.writer(&other).is_ok(), "the topic is gone with its last user");
}

#[test]
fn participants_find_each_other_with_and_without_well_known_ports() {
    let library = library("dustdds");
    for (near, far) in [("0", "0"), ("0", "20"), ("20", "20")] {
        let near = participant(2, &[("well_known_ports", near)]);
        let far = participant(2, &[("well_known_ports", far)]);
        let (near, far) = (library.participant(&near), library.participant(&far));
        let (near, far) = (near.expect("a participant"), far.expect("another"));
        let reader = near.reader(&endpoint("ports", 64), None).expect("a reader");
        let writer = far.writer(&endpoint("ports", 64)).expect("a writer");
        exchange(&writer, &reader);
    }
}

#[test]
fn nothing_of_a_participant_is_left_when_it_ends() {
    let left = || threads(&["Dust DDS", "dust-"]);
    // The other tests of this process have participants of their own.
    let here = library("dustdds").participant(&participant(3, &[])).expect("a participant");
    let reader = here.reader(&endpoint("end", 64), None).expect("a reader");
    eventually("threads of the participant", || left() >= 3);
    drop((reader, here));
    eventually("the end of all threads", || left() == 0);
}
