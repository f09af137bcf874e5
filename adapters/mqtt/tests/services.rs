//! Requests of MQTT 5, as every adapter's services must be; and what becomes of them without the broker.

use std::time::Duration;

use busmark_adapter::testing::services::Case;
use busmark_adapter::{Header, Received, Side, Status, Wait};
use busmark_server::testing::{Bench, endpoint, eventually};

fn cases() -> Vec<Case> {
    let over = |transport| {
        // Without it each exchange over TCP takes some 40 ms.
        let bench = Bench::new("mqtt", transport, &[("nodelay", "true")]);
        let (library, config) = (bench.library.clone(), bench.config.clone());
        Case::by_wait(&library, &config, bench)
    };
    ["tcp", "unix"].into_iter().flat_map(over).collect()
}

busmark_adapter::service_tests!(cases);

#[test]
fn more_requests_than_may_be_unacknowledged_are_sent_by_a_thread_that_does_not_take() {
    const COUNT: usize = 100;
    let bench = Bench::new("mqtt", "tcp", &[("max_inflight", "3")]);
    let here = bench.participant();
    let config = endpoint(Wait::Waitset, Some(true));
    let server = here.service(&config, Side::Server).expect("a server");
    let client = here.service(&config, Side::Client).expect("a client");
    eventually("a server", || client.matched().is_ok_and(|ends| ends.count == 1));
    let mut sample = client.sample(b"a request").expect("a request");
    for seq in 0..COUNT as u64 {
        let header = Header { seq, ..Header::default() };
        assert_eq!(client.send(&mut sample, &header, &mut 0), Ok(()));
    }
    let mut seqs = Vec::new();
    while seqs.len() < COUNT {
        assert_eq!(server.wait(Duration::from_secs(60)), Ok(()));
        let _ = server.take(16, &mut |r: &Received| seqs.push(r.header.seq));
    }
    assert!(seqs.into_iter().eq(0..COUNT as u64));
}

#[test]
fn ends_notice_that_the_broker_is_gone() {
    let mut bench = Bench::new("mqtt", "tcp", &[]);
    let here = bench.participant();
    let config = endpoint(Wait::Waitset, Some(true));
    let server = here.service(&config, Side::Server).expect("a server");
    let client = here.service(&config, Side::Client).expect("a client");
    eventually("a server", || client.matched().is_ok_and(|ends| ends.count == 1));
    bench.stop();
    for end in [&client, &server] {
        eventually("waits fail", || end.wait(Duration::from_millis(10)) == Err(Status::Failed));
        let taken = end.take(1, &mut |_: &Received| ());
        assert_eq!(taken, Err(Status::Failed));
        assert!(end.last_error().is_some());
        eventually("nobody is there", || end.matched().is_ok_and(|ends| ends.count == 0));
    }
    let mut sample = client.sample(b"a request").expect("a request");
    assert_eq!(client.send(&mut sample, &Header::default(), &mut 0), Err(Status::Failed));
}
