//! What the contract does not ask: options, several peers, and what is left of connections.

use busmark_adapter::testing::{RunDir, all, body, connect, library, receive};
use busmark_adapter::{EndpointConfig, Payload, testing};

fn endpoint(payload: Payload, max_body_bytes: u64) -> EndpointConfig {
    EndpointConfig { payload, qos: all(), ..testing::endpoint("test", max_body_bytes) }
}
#[test]
fn large_bodies_arrive_intact() {
    let library = library("grpc");
    let run_dir = RunDir::new();
    let config = run_dir.participant("tcp", &[]);
    let here = library.participant(&config).expect("a participant");
    let there = library.participant(&config).expect("a participant");
    for (kind, bytes) in
        [(Payload::Octet, 1 << 20), (Payload::Any, 1 << 20), (Payload::Octet, 2<<20), (Payload::Octet, 4<<20), (Payload::Octet, 8<<20), (Payload::Octet, 64 << 20)]
    {
        let endpoint = endpoint(kind, bytes as u64);
        let reader = there.reader(&endpoint, None).expect("a reader");
        let writer = here.writer(&endpoint).expect("a writer");
        connect(&writer, &reader);
        let body = body(kind, bytes);
        eprintln!("{bytes}");
        let t = std::time::Instant::now();
        testing::write(&writer, &body, 0..1);
        eprintln!("wrote {:?}", t.elapsed()); std::thread::sleep(std::time::Duration::from_millis(500)); eprintln!("{:?} {:?} {:?}", writer.matched(), reader.matched(), writer.last_error());
        assert!(receive(&reader) == (0, body), "{kind:?} {bytes}");
        eprintln!("got {:?}", t.elapsed());
    }
}
