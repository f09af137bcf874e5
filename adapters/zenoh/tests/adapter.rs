//! What the contract does not ask: options, several peers, and readers that stop reading.

use busmark_adapter::testing::{RunDir, all, body, connect, eventually, library};
use busmark_adapter::{
    EndpointConfig, ParticipantConfig, Payload, ReaderHandle, Status, WriterHandle, testing,
    verify_pattern,
};

fn endpoint(max_body_bytes: u64) -> EndpointConfig {
    EndpointConfig { qos: all(), ..testing::endpoint("test", max_body_bytes) }
}

fn write(writer: &WriterHandle, seq: u64, bytes: usize) {
    testing::write(writer, &body(Payload::Octet, bytes), seq..seq + 1);
}

/// Number and length of the next sample.
fn receive(reader: &ReaderHandle) -> (u64, usize) {
    let (seq, body) = testing::receive(reader);
    assert!(verify_pattern(Payload::Octet, &body));
    (seq, body.len())
}

#[test]
fn every_option_carries_samples() {
    let library = library("zenoh");
    let run_dir = RunDir::new();
    let options: [&[(&str, &str)]; 5] = [
        &[],
        &[("express", "true"), ("priority", "1")],
        &[("batching", "false")],
        &[("batch_size", "1024")],
        &[("send_buffer_bytes", "65536"), ("receive_buffer_bytes", "65536")],
    ];
    for transport in ["tcp", "unix"] {
        for options in options {
            let config = run_dir.participant(transport, options);
            let here = library.participant(&config).expect("a participant");
            let there = library.participant(&config).expect("a participant");
            let endpoint = endpoint(60_000);
            let reader = there.reader(&endpoint, None).expect("a reader");
            let writer = here.writer(&endpoint).expect("a writer");
            connect(&writer, &reader);
            for (seq, bytes) in [0, 1, 1023, 1024, 60_000].into_iter().enumerate() {
                write(&writer, seq as u64, bytes);
                let got = receive(&reader);
                assert_eq!(got, (seq as u64, bytes), "{transport} {options:?}");
            }
        }
    }
    assert_eq!(run_dir.files(), 0, "left behind");
}

#[test]
fn both_directions_between_two_peers_connect_at_once() {
    let library = library("zenoh");
    let run_dir = RunDir::new();
    for round in 0..5 {
        let config = run_dir.participant("tcp", &[]);
        let (one, two) = (
            library.participant(&config).expect("a participant"),
            library.participant(&config).expect("a participant"),
        );
        let there = EndpointConfig { topic: "there".into(), ..endpoint(100) };
        let back = EndpointConfig { topic: "back".into(), ..endpoint(100) };
        let asked = two.reader(&there, None).expect("a reader");
        let answered = one.reader(&back, None).expect("a reader");
        let question = one.writer(&there).expect("a writer");
        let reply = two.writer(&back).expect("a writer");
        std::thread::scope(|scope| {
            scope.spawn(|| connect(&question, &asked));
            connect(&reply, &answered);
        });
        write(&question, round, 100);
        write(&reply, round, 100);
        assert_eq!(receive(&asked), (round, 100));
        assert_eq!(receive(&answered), (round, 100));
        drop(asked);
        eventually("no reader of questions", || question.matched() == Ok(0));
        assert_eq!(reply.matched(), Ok(1));
    }
}

#[test]
fn a_reader_whose_channel_is_full_can_be_dropped() {
    let library = library("zenoh");
    let run_dir = RunDir::new();
    let config = run_dir.participant("tcp", &[("fifo_capacity", "4")]);
    let here = library.participant(&config).expect("a participant");
    let there = library.participant(&config).expect("a participant");
    let endpoint = endpoint(100);
    let reader = there.reader(&endpoint, None).expect("a reader");
    let writer = here.writer(&endpoint).expect("a writer");
    connect(&writer, &reader);
    for seq in 0..100 {
        write(&writer, seq, 100);
    }
    drop(reader);
    eventually("no reader", || writer.matched() == Ok(0));
}

#[test]
fn another_domain_and_topics_that_are_no_keys_are_refused() {
    let library = library("zenoh");
    let run_dir = RunDir::new();
    let here = library.participant(&run_dir.participant("tcp", &[])).expect("a participant");
    let elsewhere = ParticipantConfig { domain: 8, ..run_dir.participant("tcp", &[]) };
    let there = library.participant(&elsewhere).expect("a participant");
    let endpoint = endpoint(100);
    let reader = there.reader(&endpoint, None).expect("a reader");
    let writer = here.writer(&endpoint).expect("a writer");
    let error = writer.connect(&reader.locator().expect("a locator")).err();
    assert_eq!(error.map(|error| error.status), Some(Status::Invalid));
    for topic in ["**", "a/*/b", "a//b", "a?b"] {
        let endpoint = EndpointConfig { topic: topic.to_owned(), ..endpoint.clone() };
        let error = here.writer(&endpoint).err().expect(topic);
        assert_eq!(error.status, Status::Invalid, "{topic}: {error}");
    }
}
