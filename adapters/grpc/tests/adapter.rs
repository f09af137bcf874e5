//! Streams: options, several peers, who drives, and what is left of connections.

use std::thread::sleep;
use std::time::Duration;

use busmark_adapter::{Header, ParticipantConfig, ParticipantHandle, Payload, Qos, Status, Wait};
use busmark_sockets::testing::{
    Arrived, RunDir, WAITS, body, endpoint, eventually, library, participant, reader, receive,
    stream, write, writer,
};

/// After which the endpoint's own threads have begun to drive, where nobody else does.
const IDLE: Duration = Duration::from_millis(300);

fn with(options: &[(&str, &str)]) -> (RunDir, ParticipantHandle) {
    let run_dir = RunDir::new();
    let config = run_dir.participant("tcp", options);
    let participant = library("grpc").participant(&config).expect("a participant");
    (run_dir, participant)
}

#[test]
fn every_payload_kind_arrives_intact() {
    stream::every_payload_kind_arrives_intact("grpc", "tcp");
}

#[test]
fn a_body_of_a_megabyte_arrives_intact() {
    stream::large_bodies_arrive_intact("grpc", "tcp", 1 << 20);
}

#[test]
fn one_writer_reaches_three_readers() {
    stream::one_writer_reaches_three_readers("grpc", "tcp");
}

#[test]
fn a_wait_without_samples_times_out() {
    stream::a_wait_times_out("grpc", "tcp");
}

#[test]
fn a_listener_is_not_called_after_its_reader_is_gone() {
    stream::no_call_after_drop("grpc", "tcp");
}

#[test]
fn buffers_beyond_the_kernels_limit_are_refused_with_a_remedy() {
    stream::large_buffers_are_refused("grpc", "tcp");
}

#[test]
fn every_option_carries_samples() {
    const BYTES: usize = 300_000;
    for options in [
        &[("nodelay", "false")][..],
        &[("stream_window_bytes", "65535"), ("connection_window_bytes", "65535")],
        &[("stream_window_bytes", "16777216"), ("connection_window_bytes", "16777216")],
        &[("receive_buffer_bytes", "8192"), ("send_buffer_bytes", "8192")],
    ] {
        let (_run_dir, participant) = with(options);
        for wait in WAITS {
            let endpoint = endpoint(wait, BYTES as u64);
            let arrived = Arrived::new(Payload::Octet);
            let reader = reader(&participant, &endpoint, &arrived);
            let writer = writer(&participant, &endpoint, &[&reader]);
            let body = body(Payload::Octet, BYTES);
            let writing = std::thread::spawn(move || write(&writer, 1, 0, 20, &body));
            receive(&reader, wait, &arrived, 20);
            writing.join().expect("writes");
            let expected: Vec<_> = (0..20).map(|seq| (seq, BYTES)).collect();
            assert_eq!((arrived.of(1), arrived.damaged()), (expected, 0), "{options:?} {wait:?}");
        }
    }
}

#[test]
fn three_writers_reach_one_reader_each_in_order() {
    const EACH: u64 = 2000;
    let (_run_dir, participant) = with(&[]);
    for wait in WAITS {
        let endpoint = endpoint(wait, 500);
        let arrived = Arrived::new(Payload::Octet);
        let reader = reader(&participant, &endpoint, &arrived);
        let writing = [1, 2, 3].map(|id| {
            let writer = writer(&participant, &endpoint, &[&reader]);
            std::thread::spawn(move || write(&writer, id, 0, EACH, &body(Payload::Octet, 500)))
        });
        receive(&reader, wait, &arrived, 3 * EACH as usize);
        for (id, writing) in (1..).zip(writing) {
            writing.join().expect("writes");
            let expected: Vec<_> = (0..EACH).map(|seq| (seq, 500)).collect();
            assert_eq!(arrived.of(id), expected, "{wait:?}");
        }
        eventually("no writer is matched", || reader.matched() == Ok(0));
    }
}

#[test]
fn matched_counts_rise_and_fall_with_the_peers() {
    let (_run_dir, participant) = with(&[]);
    for wait in WAITS {
        let endpoint = endpoint(wait, 100);
        let arrived = Arrived::new(Payload::Octet);
        let one = reader(&participant, &endpoint, &arrived);
        let two = reader(&participant, &endpoint, &Arrived::new(Payload::Octet));
        assert_eq!(one.matched(), Ok(0));
        let both = writer(&participant, &endpoint, &[&one, &two]);
        let other = writer(&participant, &endpoint, &[&one]);
        eventually("all are counted", || {
            (one.matched(), two.matched()) == (Ok(2), Ok(1))
                && (both.matched(), other.matched()) == (Ok(2), Ok(1))
        });
        drop(other);
        eventually("the reader counts one writer", || one.matched() == Ok(1));
        drop(two);
        eventually("the writer counts one reader", || both.matched() == Ok(1));
        write(&both, 1, 0, 10, &body(Payload::Octet, 100));
        receive(&one, wait, &arrived, 10);
    }
}

#[test]
fn a_writer_that_goes_leaves_what_it_has_written() {
    const COUNT: u64 = 60;
    let (_run_dir, participant) = with(&[]);
    for wait in [Wait::Waitset, Wait::Poll] {
        let endpoint = endpoint(wait, 20_000);
        let arrived = Arrived::new(Payload::Octet);
        let reader = reader(&participant, &endpoint, &arrived);
        let writer = writer(&participant, &endpoint, &[&reader]);
        write(&writer, 1, 0, COUNT, &body(Payload::Octet, 20_000));
        // Nobody takes meanwhile: the reader's own thread reads to the end.
        drop(writer);
        receive(&reader, wait, &arrived, COUNT as usize);
        assert_eq!(arrived.of(1), (0..COUNT).map(|seq| (seq, 20_000)).collect::<Vec<_>>());
    }
}

#[test]
fn the_rest_of_a_sample_leaves_although_nobody_uses_its_writer_any_more() {
    const BYTES: usize = 16 << 20;
    let (_run_dir, participant) = with(&[]);
    let mut endpoint = endpoint(Wait::Waitset, BYTES as u64);
    // Far less than it takes, and the reader holds 1 MiB.
    endpoint.qos = Qos { max_blocking_ns: 1, ..Qos::default() };
    let arrived = Arrived::new(Payload::Octet);
    let reader = reader(&participant, &endpoint, &arrived);
    let writer = writer(&participant, &endpoint, &[&reader]);
    write(&writer, 1, 0, 1, &body(Payload::Octet, BYTES));
    sleep(IDLE);
    receive(&reader, Wait::Waitset, &arrived, 1);
    assert_eq!((arrived.of(1), arrived.damaged()), (vec![(0, BYTES)], 0));
    assert_eq!(writer.matched(), Ok(1));
}

#[test]
fn a_write_that_timed_out_reaches_nobody_and_later_ones_reach_all() {
    const BYTES: usize = 100_000;
    let (_run_dir, participant) = with(&[]);
    let mut endpoint = endpoint(Wait::Waitset, BYTES as u64);
    endpoint.qos = Qos { max_blocking_ns: 20_000_000, ..Qos::default() };
    let arrived = [(); 2].map(|()| Arrived::new(Payload::Octet));
    let readers = [0, 1].map(|i| reader(&participant, &endpoint, &arrived[i]));
    let writer = writer(&participant, &endpoint, &[&readers[0], &readers[1]]);
    let body = body(Payload::Octet, BYTES);
    let mut sample = writer.sample(&body).expect("a sample");
    let mut write =
        |seq| writer.write(&mut sample, &Header { seq, writer_id: 1, ..Header::default() });
    let mut next = 0;
    // One of two readers does not take.
    eventually("a write times out", || {
        let written = write(next);
        next += u64::from(written.is_ok());
        arrived[0].take(&readers[0]);
        assert!(matches!(written, Ok(()) | Err(Status::Timeout)), "{written:?}");
        written.is_err()
    });
    std::thread::scope(|scope| {
        for (reader, arrived) in readers.iter().zip(&arrived) {
            scope.spawn(move || receive(reader, Wait::Waitset, arrived, next as usize + 10));
        }
        for seq in next..next + 10 {
            eventually("there is room again", || write(seq).is_ok());
        }
    });
    for arrived in &arrived {
        assert_eq!(arrived.of(1), (0..next + 10).map(|seq| (seq, BYTES)).collect::<Vec<_>>());
    }
}

#[test]
fn locators_that_are_none_of_another_domain_and_of_readers_that_are_gone_are_told_apart() {
    let run_dir = RunDir::new();
    let here = participant("grpc", "tcp", &run_dir);
    let elsewhere = ParticipantConfig { domain: 8, ..run_dir.participant("tcp", &[]) };
    let there = library("grpc").participant(&elsewhere).expect("a participant");
    let endpoint = endpoint(Wait::Waitset, 100);
    let reader = reader(&here, &endpoint, &Arrived::new(Payload::Octet));
    let locator = reader.locator().expect("a locator");
    let writer = here.writer(&endpoint).expect("a writer");
    let status = |locator: &str| writer.connect(locator).map_err(|error| error.status);
    assert_eq!(status("nonsense"), Err(Status::Invalid));
    let error = there.writer(&endpoint).expect("a writer").connect(&locator).expect_err("refused");
    assert!(error.status == Status::Invalid && error.message.contains("domain 7"), "{error}");
    drop(reader);
    assert_eq!(status(&locator), Err(Status::Unavailable));
    assert_eq!(writer.matched(), Ok(0));
}

#[test]
fn a_sample_that_is_too_large_for_its_reader_ends_the_stream_in_words() {
    let (_run_dir, participant) = with(&[]);
    let reader = reader(&participant, &endpoint(Wait::Poll, 100), &Arrived::new(Payload::Octet));
    let writer = writer(&participant, &endpoint(Wait::Poll, 10_000), &[&reader]);
    write(&writer, 1, 0, 1, &body(Payload::Octet, 10_000));
    eventually("the stream has ended", || writer.matched() == Ok(0));
    let words = writer.last_error().expect("words").message;
    assert!(words.contains("too large"), "{words}");
}

#[test]
fn best_effort_is_not_pretended() {
    let (_run_dir, participant) = with(&[]);
    for wait in WAITS {
        let mut endpoint = endpoint(wait, 100);
        endpoint.qos = Qos { reliable: Some(false), ..Qos::default() };
        let error = participant.writer(&endpoint).err().expect("an error");
        assert_eq!(error.status, Status::Unsupported, "{error}");
    }
}
