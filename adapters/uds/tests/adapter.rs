//! The adapter as the worker drives it: through its library, over both transports.

use std::fs::create_dir_all;

use busmark_adapter::{Payload, Qos, Status, Wait};
use busmark_sockets::testing::{
    Arrived, RunDir, body, endpoint, library, participant, reader, receive, stream, write, writer,
};

const TRANSPORTS: [&str; 2] = ["stream", "seqpacket"];

#[test]
fn every_payload_kind_arrives_intact() {
    for transport in TRANSPORTS {
        stream::every_payload_kind_arrives_intact("uds", transport);
    }
}

#[test]
fn large_bodies_arrive_intact() {
    for transport in TRANSPORTS {
        stream::large_bodies_arrive_intact("uds", transport, 1 << 20);
    }
}

#[test]
fn three_writers_reach_one_reader_each_in_order() {
    for transport in TRANSPORTS {
        stream::three_writers_reach_one_reader("uds", transport);
    }
}

#[test]
fn one_writer_reaches_three_readers() {
    for transport in TRANSPORTS {
        stream::one_writer_reaches_three_readers("uds", transport);
    }
}

#[test]
fn matched_counts_rise_and_fall_with_the_peers() {
    for transport in TRANSPORTS {
        stream::matched_counts_rise_and_fall("uds", transport);
    }
}

#[test]
fn a_wait_without_samples_times_out() {
    for transport in TRANSPORTS {
        stream::a_wait_times_out("uds", transport);
    }
}

#[test]
fn a_listener_is_not_called_after_its_reader_is_gone() {
    for transport in TRANSPORTS {
        stream::no_call_after_drop("uds", transport);
    }
}

#[test]
fn a_write_that_timed_out_is_not_delivered_and_later_ones_are() {
    for transport in TRANSPORTS {
        for bytes in [1000, 150_000, 300_000, 1 << 20] {
            stream::timed_out_writes_are_not_delivered("uds", transport, bytes);
        }
    }
}

#[test]
fn another_domain_is_refused() {
    for transport in TRANSPORTS {
        stream::another_domain_is_refused("uds", transport);
    }
}

#[test]
fn buffers_beyond_the_kernels_limit_are_refused_with_a_remedy() {
    for transport in TRANSPORTS {
        stream::large_buffers_are_refused("uds", transport);
    }
}

/// Around the largest packet of default buffers, and of large ones.
#[test]
fn bodies_of_every_size_around_a_packet_arrive() {
    let run_dir = RunDir::new();
    for settings in [vec![], vec![("send_buffer_bytes".into(), "2000000".into())]] {
        let mut config = run_dir.participant("seqpacket", &[]);
        config.settings = settings;
        let participant = library("uds").participant(&config).expect("a participant");
        let endpoint = endpoint(Wait::Listener, 2 << 20);
        let arrived = Arrived::new(Payload::Octet);
        let reader = reader(&participant, &endpoint, &arrived);
        let writer = writer(&participant, &endpoint, &[&reader]);
        let sizes = [212_992, 2 * 212_992, 425_984, 557_056, 2 * 557_056];
        let sizes: Vec<_> = sizes.into_iter().flat_map(|n| n - 120..=n).step_by(23).collect();
        for (seq, bytes) in (0..).zip(&sizes) {
            write(&writer, 1, seq, seq + 1, &body(Payload::Octet, *bytes));
        }
        receive(&reader, Wait::Listener, &arrived, sizes.len());
        assert_eq!(arrived.of(1), (0..).zip(sizes).collect::<Vec<_>>());
        assert_eq!(arrived.damaged(), 0);
    }
}

#[test]
fn a_run_directory_with_a_long_path_is_refused_with_a_reason() {
    let run_dir = RunDir::new();
    let long = run_dir.0.join("x".repeat(100));
    create_dir_all(&long).expect("a folder");
    let mut config = run_dir.participant("stream", &[]);
    config.run_dir = long.to_string_lossy().into_owned();
    let error = library("uds").participant(&config).err().expect("an error");
    assert_eq!(error.status, Status::Invalid, "{error}");
    assert!(error.message.contains("a shorter folder in the variable TMPDIR"), "{error}");
}

#[test]
fn a_missing_run_directory_is_told() {
    let run_dir = RunDir::new();
    let mut config = run_dir.participant("stream", &[]);
    config.run_dir += "/missing";
    let participant = library("uds").participant(&config).expect("a participant");
    let error = participant.reader(&endpoint(Wait::Poll, 100), None).err().expect("an error");
    assert_eq!(error.status, Status::Unavailable, "{error}");
    assert!(error.message.contains("missing"), "{error}");
}

#[test]
fn best_effort_is_not_pretended() {
    let run_dir = RunDir::new();
    let participant = participant("uds", "stream", &run_dir);
    let mut endpoint = endpoint(Wait::Waitset, 100);
    endpoint.qos = Qos { reliable: Some(false), ..Qos::default() };
    let error = participant.writer(&endpoint).err().expect("an error");
    assert_eq!(error.status, Status::Unsupported, "{error}");
}
