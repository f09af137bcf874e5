//! DEALER and ROUTER, as every adapter's services must be; and queues that are full.

use busmark_adapter::testing::services::Case;
use busmark_adapter::testing::{RunDir, WATCHDOG, endpoint, eventually, probed};
use busmark_adapter::{EndpointConfig, Header, ParticipantConfig, Qos, Received, Side, Status};

/// Over every transport, and with bodies that are parts of their own.
fn cases() -> Vec<Case> {
    let Some(library) = probed("zeromq") else { return Vec::new() };
    let with = |transport: &str, options: &[(&str, &str)]| {
        let run_dir = RunDir::new();
        let config = run_dir.participant(transport, options);
        Case::by_wait(&library, &config, run_dir)
    };
    let mut cases: Vec<_> =
        ["tcp", "ipc", "inproc"].map(|t| with(t, &[])).into_iter().flatten().collect();
    cases.extend(with("tcp", &[("zero_copy_from_bytes", "1"), ("bind", "writer")]));
    cases
}

busmark_adapter::service_tests!(cases);

#[test]
fn what_finds_a_queue_full_times_out_and_everything_else_arrives() {
    let Some(library) = probed("zeromq") else { return };
    for transport in ["tcp", "ipc", "inproc"] {
        let run_dir = RunDir::new();
        let config = run_dir.participant(transport, &[("send_hwm", "5"), ("receive_hwm", "5")]);
        let participant = library.participant(&config).expect("a participant");
        let qos = Qos { max_blocking_ns: 5_000_000, ..Qos::default() };
        let config = EndpointConfig { qos, ..endpoint("service", 100_000) };
        let server = participant.service(&config, Side::Server).expect("a server");
        let client = participant.service(&config, Side::Client).expect("a client");
        client.connect(&server.locator().expect("a locator")).expect("a connection");
        let large = vec![7; 100_000];
        let mut request = client.sample(&large).expect("a request");
        let mut ask = |seq| client.send(&mut request, &Header { seq, ..Header::default() }, &mut 0);
        let mut sent = 0;
        eventually("a queue is full", || {
            let outcome = ask(sent);
            sent += u64::from(outcome.is_ok());
            outcome == Err(Status::Timeout)
        });
        let mut handles = Vec::new();
        eventually("all requests", || {
            let _ = server.take(1, &mut |r: &Received| handles.push((r.request, r.header.seq)));
            handles.len() as u64 == sent
        });
        assert!(handles.iter().map(|(_, seq)| *seq).eq(0..sent), "{transport}");
        // Twice as many as went one way: the queues the other way are full before.
        let mut response = server.sample(&large).expect("a response");
        let mut answer = |(handle, seq): (u64, u64)| {
            let header = Header { seq, ..Header::default() };
            let outcome = server.send(&mut response, &header, &mut { handle });
            assert!(matches!(outcome, Ok(()) | Err(Status::Timeout)), "{outcome:?}");
            outcome.is_ok()
        };
        let mut answered = Vec::new();
        for handle in handles {
            let mut take = || {
                let _ = client.take(1, &mut |r: &Received| answered.push(r.header.seq));
            };
            // A response that timed out has not been sent, and its request is still to be answered.
            while !answer(handle) {
                take();
            }
        }
        eventually("all responses", || {
            let _ = client.take(1, &mut |r: &Received| answered.push(r.header.seq));
            answered.len() as u64 == sent
        });
        assert!(answered.into_iter().eq(0..sent), "{transport}");
    }
}

#[test]
fn servers_of_other_domains_and_those_that_are_gone_are_told_apart() {
    let Some(library) = probed("zeromq") else { return };
    for transport in ["tcp", "ipc", "inproc"] {
        let run_dir = RunDir::new();
        let here = run_dir.participant(transport, &[]);
        let there = ParticipantConfig { domain: 8, ..here.clone() };
        let [here, there] = [here, there].map(|c| library.participant(&c).expect("a participant"));
        let config = endpoint("service", 100);
        let server = there.service(&config, Side::Server).expect("a server");
        let locator = server.locator().expect("a locator");
        let client = here.service(&config, Side::Client).expect("a client");
        let error = client.connect(&locator).expect_err("another domain");
        assert!(error.status == Status::Invalid && error.message.contains("domain 8"), "{error}");
        assert_eq!(client.connect("nonsense").map_err(|e| e.status), Err(Status::Invalid));
        drop(server);
        let client = there.service(&config, Side::Client).expect("a client");
        let gone = client.connect(&locator).map_err(|error| error.status);
        assert_eq!(gone, Err(Status::Unavailable), "{transport}");
        // No request goes to the one that was never there.
        let server = there.service(&config, Side::Server).expect("a server");
        client.connect(&server.locator().expect("a locator")).expect("a connection");
        let mut request = client.sample(b"a request").expect("a request");
        for seq in 0..5 {
            let header = Header { seq, ..Header::default() };
            assert_eq!(client.send(&mut request, &header, &mut 0), Ok(()));
            assert_eq!(server.wait(WATCHDOG), Ok(()), "{transport}, request {seq}");
            let mut take = |r: &Received| assert_eq!(r.header.seq, seq);
            assert_eq!(server.take(1, &mut take), Ok(1));
        }
        drop(server);
        assert_eq!(run_dir.files(), 0, "{transport}");
    }
}
