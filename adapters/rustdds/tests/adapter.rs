//! What the contract does not say: how many participants a process may have, and what the types are on
//! the wire.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use busmark_adapter::{
    EndpointConfig, Header, Library, ParticipantConfig, Payload, Qos, ReaderHandle, Status, Wait,
    WriterHandle,
};
use busmark_rustdds::types::{AnySample, CharSample, KeyedSample, Sample, StructSample};
use rustdds::CDRSerializerAdapter;
use rustdds::no_key::SerializerAdapter;

/// Opens the library that this build made.
fn library() -> Library {
    let exe = std::env::current_exe().expect("a path");
    let folders: Vec<PathBuf> = exe.ancestors().skip(1).take(2).map(PathBuf::from).collect();
    let path = folders
        .iter()
        .map(|folder| folder.join("libbusmark_rustdds.so"))
        .find(|path| path.exists())
        .unwrap_or_else(|| panic!("no libbusmark_rustdds.so in {folders:?}"));
    Library::open(&path).expect("an adapter")
}

/// A domain that no other test run on this host is likely to use; `offset` is below 4.
fn participant(offset: u32) -> ParticipantConfig {
    ParticipantConfig {
        domain: 140 + (std::process::id() % 5) * 4 + offset,
        interface_name: "lo".to_owned(),
        interface_address: "127.0.0.1".to_owned(),
        transport: "udp".to_owned(),
        profile: "default".to_owned(),
        run_dir: std::env::temp_dir().display().to_string(),
        settings: Vec::new(),
    }
}

fn endpoint(topic: &str) -> EndpointConfig {
    let qos = Qos { reliable: Some(true), keep_all: Some(false), depth: 10, ..Qos::default() };
    EndpointConfig {
        topic: topic.to_owned(),
        payload: Payload::Octet,
        wait: Wait::Waitset,
        max_body_bytes: 64,
        qos,
        instances: 0,
        filter_below: 0,
    }
}

/// Waits until each sees the other.
fn matched(writer: &WriterHandle, reader: &ReaderHandle) {
    let start = Instant::now();
    loop {
        let counts = (writer.matched(), reader.matched());
        if counts == (Ok(1), Ok(1)) {
            return;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "not matched: {counts:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn more_participants_than_the_crate_can_discover_live_in_one_process() {
    let library = library();
    let all: Vec<_> =
        (0..18).map(|_| library.participant(&participant(0)).expect("a participant")).collect();
    for (index, pair) in all.chunks(2).enumerate() {
        let topic = format!("pair_{index}");
        let reader = pair[0].reader(&endpoint(&topic), None).expect("a reader");
        let writer = pair[1].writer(&endpoint(&topic)).expect("a writer");
        matched(&writer, &reader);
        let mut sample = writer.sample(&[9]).expect("a sample");
        writer.write(&mut sample, &Header { seq: 5, ..Header::default() }).expect("written");
        assert_eq!(reader.wait(Duration::from_secs(30)), Ok(()));
        let mut seqs = Vec::new();
        let start = Instant::now();
        while seqs.is_empty() && start.elapsed() < Duration::from_secs(30) {
            let _ = reader.take(8, &mut |r| seqs.push(r.header.seq));
        }
        assert_eq!(seqs, [5]);
    }
}

#[test]
fn listeners_are_not_pretended() {
    let here = library().participant(&participant(1)).expect("a participant");
    let config = EndpointConfig { wait: Wait::Listener, ..endpoint("listener") };
    let error = here.reader(&config, None).err().expect("none");
    assert_eq!(error.status, Status::Unsupported);
}

/// A sample in CDR, without the header's 64 bytes, which begin at `header_at`.
fn body<T: Sample>(body: &[u8], header_at: usize) -> Vec<u8> {
    let mut bytes =
        CDRSerializerAdapter::<T>::to_bytes(&T::with_body(body)).expect("serialised").to_vec();
    bytes.drain(header_at..header_at + 64);
    bytes
}

#[test]
fn types_are_on_the_wire_as_the_idl_says() {
    // Length, then one byte for each character.
    assert_eq!(body::<CharSample>(b"ab", 0), [2, 0, 0, 0, b'a', b'b']);
    // The discriminator of the case, length, octets.
    assert_eq!(body::<AnySample>(&[8, 9], 0), [1, 0, 0, 0, 2, 0, 0, 0, 8, 9]);
    // The key, aligned for what follows; then as octets.
    assert_eq!(body::<KeyedSample>(&[8], 8), [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 8]);
    // Length; a number, eight characters, a float.
    let element = [1, 0, 0, 0, b'a', b'b', b'c', b'd', b'e', b'f', b'g', b'h', 0, 0, 128, 63];
    assert_eq!(body::<StructSample>(&element, 0), [&[1, 0, 0, 0][..], &element].concat());
}
