//! Services as the contract has them, over both transports.

use std::net::UdpSocket;

use busmark_adapter::Payload;
use busmark_adapter::testing::services::Case;
use busmark_adapter::{Header, Side, Status, Wait};
use busmark_sockets::testing::{Arrived, RunDir, endpoint, eventually, library, reader};

const TRANSPORTS: [&str; 2] = ["unicast", "multicast"];

fn cases() -> Vec<Case> {
    let library = library("udp");
    let of = |transport| {
        let run_dir = RunDir::new();
        let config = run_dir.participant(transport, &[]);
        Case::by_wait(&library, &config, run_dir)
    };
    TRANSPORTS.into_iter().flat_map(of).collect()
}

busmark_adapter::service_tests!(cases);

#[test]
fn services_are_apart_from_topics_and_other_domains() {
    let run_dir = RunDir::new();
    for transport in TRANSPORTS {
        let mut config = run_dir.participant(transport, &[]);
        let here = library("udp").participant(&config).expect("a participant");
        config.domain += 1;
        let there = library("udp").participant(&config).expect("a participant");
        let endpoint = endpoint(Wait::Waitset, 100);
        let server = here.service(&endpoint, Side::Server).expect("a server");
        let reader = reader(&here, &endpoint, &Arrived::new(Payload::Octet));
        let writer = here.writer(&endpoint).expect("a writer");
        let client = here.service(&endpoint, Side::Client).expect("a client");
        let stranger = there.service(&endpoint, Side::Client).expect("a client");
        let (server, reader) = (server.locator(), reader.locator());
        let (server, reader) = (server.expect("a locator"), reader.expect("a locator"));
        let refused = [
            writer.connect(&server).expect_err("a writer at a server"),
            client.connect(&reader).expect_err("a client at a reader"),
            stranger.connect(&server).expect_err("a client of another domain"),
        ];
        for error in refused {
            assert_eq!(error.status, Status::Invalid, "{error}");
        }
    }
}

/// Datagrams that are too short, and too long, to be requests.
#[test]
fn strange_datagrams_are_passed_over() {
    let run_dir = RunDir::new();
    let here = library("udp").participant(&run_dir.participant("unicast", &[])).expect("one");
    for wait in [Wait::Waitset, Wait::Poll] {
        let endpoint = endpoint(wait, 100);
        let server = here.service(&endpoint, Side::Server).expect("a server");
        let client = here.service(&endpoint, Side::Client).expect("a client");
        let locator = server.locator().expect("a locator");
        client.connect(&locator).expect("connected");
        let stranger = UdpSocket::bind("127.0.0.1:0").expect("a socket");
        let address = locator.split('/').next().expect("an address");
        for bytes in [0, 1, 71, 173] {
            stranger.send_to(&vec![7; bytes], address).expect("sent");
        }
        let mut number = 0;
        let mut sample = client.sample(&[]).expect("a request");
        let header = Header { seq: 9, ..Header::default() };
        client.send(&mut sample, &header, &mut number).expect("sent");
        if wait == Wait::Waitset {
            assert_eq!(server.wait(busmark_sockets::testing::WATCHDOG), Ok(()));
        }
        let mut seqs = Vec::new();
        eventually("the request", || {
            let _ = server.take(16, &mut |r| seqs.push(r.header.seq));
            seqs == [9]
        });
    }
}

/// To a server that has gone: the error that the network reports is of no later request.
#[test]
fn a_client_outlives_its_server() {
    let run_dir = RunDir::new();
    let here = library("udp").participant(&run_dir.participant("unicast", &[])).expect("one");
    let endpoint = endpoint(Wait::Waitset, 100);
    let client = here.service(&endpoint, Side::Client).expect("a client");
    let mut sample = client.sample(&[]).expect("a request");
    let mut number = 0;
    // Without a server, and with one that has gone.
    for _ in 0..2 {
        for _ in 0..10 {
            assert_eq!(client.send(&mut sample, &Header::default(), &mut number), Ok(()));
            assert_eq!(client.take(1, &mut |_| {}), Err(Status::NoData));
            let short = std::time::Duration::from_millis(1);
            assert_eq!(client.wait(short), Err(Status::Timeout));
        }
        let server = here.service(&endpoint, Side::Server).expect("a server");
        client.connect(&server.locator().expect("a locator")).expect("connected");
    }
    assert_eq!(number, 20, "each has a number of its own");
}
