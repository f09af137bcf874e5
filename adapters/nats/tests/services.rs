//! Requests and replies, as every adapter's services must be; and what becomes of them without the server.

use std::time::Duration;

use busmark_adapter::testing::services::Case;
use busmark_adapter::{EndpointConfig, Header, Received, Side, Status, Wait};
use busmark_server::testing::{Bench, endpoint, eventually};

fn cases() -> Vec<Case> {
    // At once: a hop of the default profile takes a millisecond.
    let bench = Bench::new("nats", "tcp", &[("send_asap", "true")]);
    let (library, config) = (bench.library.clone(), bench.config.clone());
    Case::by_wait(&library, &config, bench)
}

busmark_adapter::service_tests!(cases);

#[test]
fn a_request_that_nobody_answers_gives_nothing_and_ends_notice_that_the_server_is_gone() {
    let mut bench = Bench::new("nats", "tcp", &[]);
    let here = bench.participant();
    let client = here.service(&endpoint(Wait::Waitset, None), Side::Client).expect("a client");
    let server = here.service(&endpoint(Wait::Waitset, None), Side::Server).expect("a server");
    let other = EndpointConfig { topic: "other".into(), ..endpoint(Wait::Waitset, None) };
    let alone = here.service(&other, Side::Client).expect("a client");
    let mut sample = alone.sample(b"a request").expect("a request");
    // The server of NATS says that nobody is there, which is no response.
    assert_eq!(alone.send(&mut sample, &Header::default(), &mut 0), Ok(()));
    assert_eq!(alone.wait(Duration::from_millis(100)), Err(Status::Timeout));
    assert_eq!(alone.take(1, &mut |_: &Received| ()), Err(Status::NoData));
    eventually("a server is counted", || client.matched().is_ok_and(|ends| ends.count == 1));
    bench.stop();
    for end in [&client, &server] {
        eventually("waits fail", || end.wait(Duration::from_millis(10)) == Err(Status::Failed));
    }
    let mut sample = client.sample(b"a request").expect("a request");
    eventually("requests fail", || {
        client.send(&mut sample, &Header::default(), &mut 0) == Err(Status::Failed)
    });
    let words = client.last_error().expect("words").message;
    assert!(words.starts_with("a request: "), "{words}");
}
