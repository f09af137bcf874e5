//! Peers that cut frames at will, send garbage, go silent or reset.

use std::io::ErrorKind::WouldBlock;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use busmark_adapter::{Header, Payload, ReaderHandle, Side, Status, Wait};
use busmark_sockets::frame::Frame;
use busmark_sockets::testing::{
    Arrived, RunDir, WAITS, WATCHDOG, body, endpoint, eventually, participant, reader, receive,
    write, writer,
};
use proptest::prelude::*;

const DOMAIN: u32 = 7;
const MAX: u64 = 5000;

/// A writer made by hand: connected and welcome.
fn by_hand(reader: &ReaderHandle) -> TcpStream {
    welcome(&reader.locator().expect("a locator"), *b"busmark1")
}

fn welcome(locator: &str, hello: [u8; 8]) -> TcpStream {
    let mut stream = TcpStream::connect(locator).expect("a connection");
    stream.set_read_timeout(Some(WATCHDOG)).expect("a time limit");
    stream.set_nodelay(true).expect("no delay");
    stream.write_all(&[&hello[..], &DOMAIN.to_le_bytes()].concat()).expect("hello");
    let mut welcome = [0; 8];
    stream.read_exact(&mut welcome).expect("an answer");
    assert_eq!(&welcome, b"welcome1");
    stream
}

fn frame(seq: u64, bytes: usize) -> Vec<u8> {
    let mut frame = Frame::new(&body(Payload::Octet, bytes));
    frame.set_header(&Header { seq, writer_id: 9, ..Header::default() });
    frame.bytes().to_vec()
}

/// Whether the other side has closed the connection.
fn closed(stream: &mut TcpStream) -> bool {
    let mut byte = [0];
    !matches!(stream.read(&mut byte), Ok(1..))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn frames_may_be_cut_anywhere(
        sizes in prop::collection::vec(0_usize..5000, 1..8),
        cuts in prop::collection::vec(1_usize..3000, 1..20),
        wait in prop::sample::select(WAITS.to_vec()),
    ) {
        let run_dir = RunDir::new();
        let participant =
            participant("tcp", "tcp", &run_dir);
        let arrived = Arrived::new(Payload::Octet);
        let reader = reader(&participant, &endpoint(wait, MAX), &arrived);
        let mut stream = by_hand(&reader);
        let all: Vec<u8> =
            sizes.iter().enumerate().flat_map(|(seq, bytes)| frame(seq as u64, *bytes)).collect();
        let mut rest = &all[..];
        for cut in cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, after) = rest.split_at(rest.len().min(*cut));
            stream.write_all(piece).expect("a write");
            rest = after;
        }
        receive(&reader, wait, &arrived, sizes.len());
        let expected: Vec<_> = sizes.iter().enumerate().map(|(i, n)| (i as u64, *n)).collect();
        prop_assert_eq!(arrived.of(9), expected);
        prop_assert_eq!(arrived.damaged(), 0);
    }
}

#[test]
fn garbage_closes_its_connection_and_no_other() {
    let garbage: [&[u8]; 4] = [&[0; 4], &[0xff; 4], &[0xff; 4096], &5064_u32.to_le_bytes()];
    for wait in WAITS {
        let run_dir = RunDir::new();
        let participant = participant("tcp", "tcp", &run_dir);
        let arrived = Arrived::new(Payload::Octet);
        let endpoint = endpoint(wait, MAX);
        let reader = reader(&participant, &endpoint, &arrived);
        let writer = writer(&participant, &endpoint, &[&reader]);
        let (mut count, mut number) = (0, 0);
        for bytes in garbage {
            let mut stream = by_hand(&reader);
            // A sample that came before the garbage counts.
            stream.write_all(&[&frame(number, 10), bytes].concat()).expect("a write");
            if bytes == 5064_u32.to_le_bytes() {
                // The largest frame is one byte longer; this one is cut off by its peer.
                drop(stream);
            } else {
                receive(&reader, wait, &arrived, count + 1);
                write(&writer, 1, number, number + 1, &body(Payload::Octet, 10));
                receive(&reader, wait, &arrived, count + 2);
                assert!(closed(&mut stream), "{wait:?} {bytes:?}");
                count += 2;
                number += 1;
            }
            eventually("only the writer is left", || {
                arrived.take_if(&reader, wait);
                reader.matched() == Ok(1)
            });
        }
    }
}

#[test]
fn a_client_that_sends_no_requests_loses_its_connection_and_no_other_does() {
    let run_dir = RunDir::new();
    let participant = participant("tcp", "tcp", &run_dir);
    for wait in [Wait::Waitset, Wait::Poll] {
        let config = endpoint(wait, MAX);
        let server = participant.service(&config, Side::Server).expect("a server");
        let locator = server.locator().expect("a locator");
        let client = participant.service(&config, Side::Client).expect("a client");
        client.connect(&locator).expect("a connection");
        // A sample without a request's number, a length that cannot be, and one that ends early.
        for garbage in [frame(1, 7), vec![0xff; 100], frame(1, 1000)[..500].to_vec()] {
            let mut stream = welcome(&locator, *b"busmark3");
            stream.write_all(&garbage).expect("a write");
            stream.shutdown(Shutdown::Write).expect("shut down");
            stream.set_nonblocking(true).expect("no waiting");
            eventually("its connection is closed", || {
                assert_eq!(server.take(16, &mut |_| {}), Err(Status::NoData));
                stream.read(&mut [0]).map_or_else(|e| e.kind() != WouldBlock, |n| n == 0)
            });
            assert_eq!(server.matched().map(|clients| clients.count), Ok(1));
            let mut number = 0;
            let mut sample = client.sample(&[]).expect("a request");
            client.send(&mut sample, &Header::default(), &mut number).expect("a request");
            eventually("the request", || server.take(1, &mut |_| {}) == Ok(1));
        }
    }
}

#[test]
fn strangers_are_sent_away() {
    let run_dir = RunDir::new();
    let participant = participant("tcp", "tcp", &run_dir);
    let arrived = Arrived::new(Payload::Octet);
    let endpoint = endpoint(Wait::Listener, MAX);
    let reader = reader(&participant, &endpoint, &arrived);
    let locator = reader.locator().expect("a locator");
    let silent = TcpStream::connect(&locator).expect("a connection");
    let mut stranger = TcpStream::connect(&locator).expect("a connection");
    stranger.set_read_timeout(Some(WATCHDOG)).expect("a time limit");
    stranger.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("a write");
    assert!(closed(&mut stranger));
    // A silent one keeps nobody else waiting, is not matched and does not outlive the reader.
    let writer = writer(&participant, &endpoint, &[&reader]);
    assert_eq!(reader.matched(), Ok(1));
    write(&writer, 1, 0, 3, &body(Payload::Octet, 10));
    receive(&reader, Wait::Listener, &arrived, 3);
    drop(reader);
    let mut silent = silent;
    silent.set_read_timeout(Some(WATCHDOG)).expect("a time limit");
    assert!(closed(&mut silent));
}

#[test]
fn a_peer_that_resets_lowers_matched() {
    for wait in WAITS {
        let run_dir = RunDir::new();
        let participant = participant("tcp", "tcp", &run_dir);
        let arrived = Arrived::new(Payload::Octet);
        let reader = reader(&participant, &endpoint(wait, MAX), &arrived);
        let stream = by_hand(&reader);
        assert_eq!(reader.matched(), Ok(1));
        // Half a frame, then a reset: closing with a lingering time of zero does that.
        (&stream).write_all(&frame(0, 100)[..50]).expect("a write");
        rustix::net::sockopt::set_socket_linger(&stream, Some(Duration::ZERO)).expect("linger");
        drop(stream);
        eventually("nobody is matched", || {
            arrived.take_if(&reader, wait);
            reader.matched() == Ok(0)
        });
        assert_eq!(arrived.count(), 0);
    }
}
