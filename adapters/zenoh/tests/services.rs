//! Services as the contract has them, over both transports.

use std::time::Duration;

use busmark_adapter::testing::services::Case;
use busmark_adapter::testing::{RunDir, endpoint, eventually, library};
use busmark_adapter::{Header, Side, Status};

fn cases() -> Vec<Case> {
    let library = library("zenoh");
    let of = |transport| {
        let run_dir = RunDir::new();
        let config = run_dir.participant(transport, &[]);
        Case::by_wait(&library, &config, run_dir)
    };
    ["tcp", "unix"].into_iter().flat_map(of).collect()
}

busmark_adapter::service_tests!(cases);

/// The session of the same participant, to which the client is connected.
#[test]
fn a_server_of_the_same_name_is_found_again_without_connecting() {
    let run_dir = RunDir::new();
    let config = run_dir.participant("tcp", &[]);
    let library = library("zenoh");
    let (here, there) = (library.participant(&config), library.participant(&config));
    let (here, there) = (here.expect("a participant"), there.expect("a participant"));
    let service = endpoint("again", 100);
    let serve = || there.service(&service, Side::Server).expect("a server");
    let client = here.service(&service, Side::Client).expect("a client");
    let mut server = serve();
    client.connect(&server.locator().expect("a locator")).expect("connected");
    for seq in 0..5 {
        let mut sample = client.sample(&[]).expect("a request");
        let header = Header { seq, ..Header::default() };
        let mut number = 0;
        client.send(&mut sample, &header, &mut number).expect("sent");
        let mut found = None;
        eventually("the request", || {
            let _ = server.take(1, &mut |r| found = Some((r.request, r.header.seq)));
            found.is_some()
        });
        let (mut handle, asked) = found.expect("a request");
        assert_eq!(asked, seq);
        let mut response = server.sample(&[]).expect("a response");
        server.send(&mut response, &header, &mut handle).expect("answered");
        drop(response);
        let mut answered = None;
        eventually("the response", || {
            let _ = client.take(1, &mut |r| answered = Some(r.request));
            answered.is_some()
        });
        assert_eq!(answered, Some(number));
        drop(server);
        eventually("no server", || client.matched().is_ok_and(|servers| servers.count == 0));
        server = serve();
        eventually("a server", || client.matched().is_ok_and(|servers| servers.count == 1));
    }
}

#[test]
fn a_service_is_apart_from_topics_and_other_services() {
    let run_dir = RunDir::new();
    let config = run_dir.participant("tcp", &[]);
    let here = library("zenoh").participant(&config).expect("a participant");
    let server = here.service(&endpoint("one", 100), Side::Server).expect("a server");
    let reader = here.reader(&endpoint("one", 100), None).expect("a reader");
    let client = here.service(&endpoint("other", 100), Side::Client).expect("a client");
    assert_eq!(client.matched().map(|servers| servers.count), Ok(0));
    let mut sample = client.sample(&[]).expect("a request");
    client.send(&mut sample, &Header::default(), &mut 0).expect("a get that nobody answers");
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(server.take(1, &mut |_| {}), Err(Status::NoData));
    assert_eq!(reader.take(1, &mut |_| {}), Err(Status::NoData));
    assert_eq!(server.matched().map(|clients| clients.count), Ok(0));
}
