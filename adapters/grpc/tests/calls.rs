//! Unary calls beyond what all services must do: one server, clients that do not read, and words.

use std::time::{Duration, Instant};

use busmark_adapter::testing::{RunDir, WATCHDOG, all, endpoint, eventually, library};
use busmark_adapter::{
    EndpointConfig, Header, ParticipantHandle, Received, ServiceHandle, Side, Status,
};

const LARGE: usize = 1 << 20;

fn config() -> EndpointConfig {
    EndpointConfig { qos: all(), ..endpoint("service", LARGE as u64) }
}

fn participant() -> (RunDir, ParticipantHandle) {
    let run_dir = RunDir::new();
    let config = run_dir.participant("tcp", &[]);
    let participant = library("grpc").participant(&config).expect("a participant");
    (run_dir, participant)
}

fn end(participant: &ParticipantHandle, side: Side) -> ServiceHandle {
    participant.service(&config(), side).expect("an end")
}

fn client_of(participant: &ParticipantHandle, server: &ServiceHandle) -> ServiceHandle {
    let client = end(participant, Side::Client);
    client.connect(&server.locator().expect("a locator")).expect("a connection");
    client
}

fn ask(client: &ServiceHandle, writer_id: u32) -> u64 {
    let mut sample = client.sample(b"a request").expect("a request");
    let mut number = 0;
    let header = Header { writer_id, ..Header::default() };
    client.send(&mut sample, &header, &mut number).expect("it is sent");
    number
}

fn take(end: &ServiceHandle) -> (u64, Header) {
    let start = Instant::now();
    loop {
        assert!(start.elapsed() < WATCHDOG, "nothing arrived");
        let _ = end.wait(Duration::from_millis(50));
        let mut found = None;
        let _ = end.take(1, &mut |r: &Received| found = Some((r.request, *r.header)));
        if let Some(found) = found {
            return found;
        }
    }
}

#[test]
fn a_client_has_one_server_at_a_time() {
    let (_run_dir, participant) = participant();
    let first = end(&participant, Side::Server);
    let second = end(&participant, Side::Server);
    let client = client_of(&participant, &first);
    let again = client.connect(&second.locator().expect("a locator")).expect_err("refused");
    assert_eq!(again.status, Status::Unsupported, "{again}");
    drop(first);
    eventually("the first is gone", || client.matched().is_ok_and(|server| server.count == 0));
    client.connect(&second.locator().expect("a locator")).expect("the second");
    assert_eq!(client.matched().map(|server| server.count), Ok(1));
    ask(&client, 1);
    assert_eq!(take(&second).1.writer_id, 1);
}

#[test]
fn a_client_that_reads_nothing_holds_up_no_other() {
    const RESPONSES: u32 = 20;
    let (_run_dir, participant) = participant();
    let server = end(&participant, Side::Server);
    let (deaf, other) = (client_of(&participant, &server), client_of(&participant, &server));
    // More than its windows and the system's buffers hold.
    for _ in 0..RESPONSES {
        ask(&deaf, 1);
    }
    let large = vec![7; LARGE];
    let mut response = server.sample(&large).expect("a response");
    for _ in 0..RESPONSES {
        let (mut request, header) = take(&server);
        assert_eq!(server.send(&mut response, &header, &mut request), Ok(()));
    }
    for _ in 0..10 {
        let number = ask(&other, 2);
        let (mut request, header) = take(&server);
        assert_eq!(header.writer_id, 2);
        assert_eq!(server.send(&mut response, &header, &mut request), Ok(()));
        // Its own thread sends what is left.
        assert_eq!(take(&other), (number, header));
    }
    for _ in 0..RESPONSES {
        assert_eq!(take(&deaf).1.writer_id, 1);
    }
}

#[test]
fn a_thousand_requests_of_one_client_may_wait_at_a_time() {
    const COUNT: usize = 1000;
    let (_run_dir, participant) = participant();
    let server = end(&participant, Side::Server);
    let client = client_of(&participant, &server);
    let asked: Vec<_> = (0..COUNT).map(|_| ask(&client, 1)).collect();
    let requests: Vec<_> = (0..COUNT).map(|_| take(&server)).collect();
    let mut response = server.sample(b"a response").expect("a response");
    for (mut request, header) in requests {
        assert_eq!(server.send(&mut response, &header, &mut request), Ok(()));
    }
    let mut answered: Vec<_> = (0..COUNT).map(|_| take(&client).0).collect();
    answered.sort_unstable();
    assert_eq!(answered, asked);
}

#[test]
fn a_call_that_fails_is_told_in_words_and_given_to_nobody() {
    let (_run_dir, participant) = participant();
    let server = end(&participant, Side::Server);
    let client = client_of(&participant, &server);
    assert!(client.last_error().is_none());
    ask(&client, 1);
    let (request, _) = take(&server);
    assert_eq!(server.forget(request), Ok(()));
    eventually("words", || {
        assert_eq!(client.take(1, &mut |_: &Received| ()), Err(Status::NoData));
        client.last_error().is_some_and(|error| error.message.contains("does not answer"))
    });
    drop(server);
    eventually("the server is gone", || client.matched().is_ok_and(|server| server.count == 0));
    ask(&client, 1);
    eventually("other words", || {
        assert_eq!(client.take(1, &mut |_: &Received| ()), Err(Status::NoData));
        client.last_error().is_some_and(|error| error.message.contains("connection has ended"))
    });
    let alone = end(&participant, Side::Client);
    let mut sample = alone.sample(&[]).expect("a request");
    let sent = alone.send(&mut sample, &Header::default(), &mut 0);
    assert_eq!(sent, Err(Status::Failed), "without a server");
}
