//! The adapter as the worker drives it: through its library.

use busmark_adapter::Payload;
use busmark_adapter::{Qos, Status, Wait};
use busmark_sockets::testing::{Arrived, receive, stream, write};
use busmark_sockets::testing::{
    RunDir, WAITS, body, endpoint, library, participant, reader, writer,
};

#[test]
fn every_payload_kind_arrives_intact() {
    stream::every_payload_kind_arrives_intact("tcp", "tcp");
}

#[test]
fn a_body_of_a_megabyte_arrives_intact() {
    stream::large_bodies_arrive_intact("tcp", "tcp", 1 << 20);
}

#[test]
fn three_writers_reach_one_reader_each_in_order() {
    stream::three_writers_reach_one_reader("tcp", "tcp");
}

#[test]
fn one_writer_reaches_three_readers() {
    stream::one_writer_reaches_three_readers("tcp", "tcp");
}

#[test]
fn matched_counts_rise_and_fall_with_the_peers() {
    stream::matched_counts_rise_and_fall("tcp", "tcp");
}

#[test]
fn a_wait_without_samples_times_out() {
    stream::a_wait_times_out("tcp", "tcp");
}

#[test]
fn a_listener_is_not_called_after_its_reader_is_gone() {
    stream::no_call_after_drop("tcp", "tcp");
}

#[test]
fn a_write_that_timed_out_is_not_delivered_and_later_ones_are() {
    stream::timed_out_writes_are_not_delivered("tcp", "tcp", 1000);
    stream::timed_out_writes_are_not_delivered("tcp", "tcp", 300_000);
}

#[test]
fn another_domain_is_refused() {
    stream::another_domain_is_refused("tcp", "tcp");
}

#[test]
fn buffers_beyond_the_kernels_limit_are_refused_with_a_remedy() {
    stream::large_buffers_are_refused("tcp", "tcp");
}

#[test]
fn both_settings_of_nodelay_carry_samples_and_others_are_refused() {
    let library = library("tcp");
    let run_dir = RunDir::new();
    let mut config = run_dir.participant("tcp", &[]);
    for value in ["true", "false"] {
        config.settings = vec![("nodelay".into(), value.into())];
        let participant = library.participant(&config).expect(value);
        let arrived = Arrived::new(Payload::Octet);
        let endpoint = endpoint(Wait::Waitset, 100);
        let reader = reader(&participant, &endpoint, &arrived);
        let writer = writer(&participant, &endpoint, &[&reader]);
        write(&writer, 1, 0, 10, &body(Payload::Octet, 100));
        receive(&reader, Wait::Waitset, &arrived, 10);
    }
    config.settings = vec![("nodelay".into(), "perhaps".into())];
    let error = library.participant(&config).err().expect("an error");
    assert_eq!(error.status, Status::Invalid, "{error}");
}

#[test]
fn locators_that_are_none_and_readers_that_are_gone_are_told_apart() {
    let run_dir = RunDir::new();
    let participant = participant("tcp", "tcp", &run_dir);
    let endpoint = endpoint(Wait::Waitset, 100);
    let reader = reader(&participant, &endpoint, &Arrived::new(Payload::Octet));
    let gone = reader.locator().expect("a locator");
    drop(reader);
    let writer = participant.writer(&endpoint).expect("a writer");
    let status = |locator: &str| writer.connect(locator).map_err(|error| error.status);
    assert_eq!(status("nonsense"), Err(Status::Invalid));
    assert_eq!(status(&gone), Err(Status::Unavailable));
    assert_eq!(writer.matched(), Ok(0));
}

#[test]
fn best_effort_is_not_pretended() {
    let run_dir = RunDir::new();
    let participant = participant("tcp", "tcp", &run_dir);
    for wait in WAITS {
        let mut endpoint = endpoint(wait, 100);
        endpoint.qos = Qos { reliable: Some(false), ..Qos::default() };
        let error = participant.writer(&endpoint).err().expect("an error");
        assert_eq!(error.status, Status::Unsupported, "{error}");
    }
}
