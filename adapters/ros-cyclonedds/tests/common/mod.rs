//! Nodes of ROS 2 and this adapter's endpoints: a message of the one reaches the other, bit for bit.

use std::path::Path;

use busmark_adapter::testing::{self, body, library, matched, participant};
use busmark_adapter::{
    EndpointConfig, Header, Library, ParticipantHandle, Payload, Qos, ReaderHandle, WriterHandle,
};

/// From none to many fragments.
const SIZES: [usize; 6] = [0, 1, 63, 1000, 100_003, 4 << 20];
/// Those of one packet: on best effort a fragment may be lost.
const SMALL: [usize; 4] = [0, 1, 63, 1000];

/// Below 4.
pub fn domain(offset: u32) -> u32 {
    testing::domain(100, 4, offset)
}

pub fn endpoint(topic: &str, qos: Qos) -> EndpointConfig {
    EndpointConfig { qos, ..testing::endpoint(topic, 4 << 20) }
}

/// An adapter of ROS's, where it is built. A process can load one: both have libraries of the same names.
pub fn ros(name: &str) -> Option<Library> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/release");
    let path = root.join(format!("libbusmark_{name}.so"));
    if !path.exists() {
        eprintln!("skipped: {} is not built", path.display());
        return None;
    }
    Some(Library::open(&path).expect("the adapter loads"))
}

/// Whose members all differ.
fn header(seq: u64) -> Header {
    Header {
        cookie: 0xfeed_beef_0102_0304,
        seq,
        intended_ns: -1,
        sent_ns: i64::MAX,
        echo_sent_ns: i64::MIN,
        echo_delivered_ns: 3,
        echo_read_ns: 4,
        writer_id: u32::MAX,
        flags: Header::CHECKED,
    }
}

/// Writes a message of each size and reads it.
fn exchange(writer: &WriterHandle, reader: &ReaderHandle, sizes: &[usize]) {
    matched(writer, reader);
    for (seq, &bytes) in sizes.iter().enumerate() {
        let content = body(Payload::Octet, bytes);
        let mut sample = writer.sample(&content).expect("a sample");
        let sent = header(seq as u64);
        writer.write(&mut sample, &sent).expect("written");
        let (came, arrived) =
            testing::next(reader, |r| (*r.header, r.body.to_vec())).expect("received");
        assert_eq!(came, sent, "{bytes} bytes");
        assert!(arrived == content, "{bytes} bytes: the body that arrived is another");
    }
}

/// Exchanges messages between a node and an endpoint of this adapter, in both directions.
pub fn both_ways(rmw: &str, domain: u32) {
    let Some(theirs) = ros(rmw) else { return };
    let ours = library("ros_cyclonedds");
    let config = participant(domain, "udp", &[]);
    let node = theirs.participant(&config).expect("a node");
    let here = ours.participant(&config).expect("a participant");
    // What a node asks for by itself, and what the suite asks for.
    let reliable = Qos { transient_local: Some(true), ..testing::all() };
    let best_effort = Qos { reliable: Some(false), ..testing::last(5) };
    let cases = [(Qos::default(), &SIZES[..]), (reliable, &SIZES), (best_effort, &SMALL)];
    for (number, (qos, sizes)) in cases.into_iter().enumerate() {
        let pair = |from: &ParticipantHandle, to: &ParticipantHandle, way: &str| {
            let config = endpoint(&format!("ros_{way}_{number}"), qos.clone());
            let reader = to.reader(&config, None).expect("a reader");
            let writer = from.writer(&config).expect("a writer");
            exchange(&writer, &reader, sizes);
        };
        pair(&node, &here, "there");
        pair(&here, &node, "back");
    }
}
