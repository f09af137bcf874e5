//! What the contract does not say: the limits that the crate has, and how its participants are found.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use busmark_adapter::{
    EndpointConfig, Header, Library, ParticipantConfig, Payload, Qos, ReaderHandle, Status, Wait,
    WriterHandle,
};

/// Opens the library that this build made.
fn library() -> Library {
    let exe = std::env::current_exe().expect("a path");
    let folders: Vec<PathBuf> = exe.ancestors().skip(1).take(2).map(PathBuf::from).collect();
    let path = folders
        .iter()
        .map(|folder| folder.join("libbusmark_dustdds.so"))
        .find(|path| path.exists())
        .unwrap_or_else(|| panic!("no libbusmark_dustdds.so in {folders:?}"));
    Library::open(&path).expect("an adapter")
}

/// A domain that no other test run on this host is likely to use; `offset` is below 4.
fn participant(offset: u32, settings: &[(&str, &str)]) -> ParticipantConfig {
    ParticipantConfig {
        domain: 120 + (std::process::id() % 5) * 4 + offset,
        interface_name: "lo".to_owned(),
        interface_address: "127.0.0.1".to_owned(),
        transport: "udp".to_owned(),
        profile: "default".to_owned(),
        run_dir: std::env::temp_dir().display().to_string(),
        settings: settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
    }
}

fn endpoint(topic: &str, max_body_bytes: u64) -> EndpointConfig {
    let qos = Qos { reliable: Some(true), keep_all: Some(false), depth: 10, ..Qos::default() };
    EndpointConfig {
        topic: topic.to_owned(),
        payload: Payload::Octet,
        wait: Wait::Waitset,
        max_body_bytes,
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
        assert!(start.elapsed() < Duration::from_secs(20), "not matched: {counts:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn exchange(writer: &WriterHandle, reader: &ReaderHandle) {
    matched(writer, reader);
    let mut sample = writer.sample(&[7; 3]).expect("a sample");
    let mut seqs = Vec::new();
    for seq in 0..5 {
        writer.write(&mut sample, &Header { seq, ..Header::default() }).expect("written");
    }
    let start = Instant::now();
    while seqs.len() < 5 {
        assert!(start.elapsed() < Duration::from_secs(20), "{seqs:?} arrived");
        let _ = reader.wait(Duration::from_millis(50));
        let _ = reader.take(8, &mut |r| seqs.push((r.header.seq, r.body.to_vec())));
    }
    assert!(seqs.iter().enumerate().all(|(at, (seq, body))| at as u64 == *seq && body == &[7; 3]));
}

#[test]
fn a_sample_of_more_fragments_than_can_be_asked_for_is_refused() {
    let here = library().participant(&participant(0, &[("fragment_size", "500")])).expect("one");
    let fits = endpoint("fragments", 256 * 500 - 128);
    let larger = endpoint("fragments", 256 * 500);
    assert!(here.writer(&fits).is_ok() && here.reader(&fits, None).is_ok());
    for error in [here.writer(&larger).err(), here.reader(&larger, None).err()] {
        let error = error.expect("an error");
        assert_eq!(error.status, Status::Invalid);
        assert!(error.message.contains("fragment_size"), "{error}");
    }
}

#[test]
fn endpoints_of_one_participant_share_their_topic_and_hear_each_other() {
    let here = library().participant(&participant(1, &[])).expect("a participant");
    let reader = here.reader(&endpoint("shared", 64), None).expect("a reader");
    let writer = here.writer(&endpoint("shared", 64)).expect("a writer");
    exchange(&writer, &reader);
    let other = EndpointConfig { payload: Payload::Long, ..endpoint("shared", 64) };
    let error = here.writer(&other).err().expect("another type");
    assert!(error.status == Status::Invalid && error.message.contains("LongSample"), "{error}");
    drop((writer, reader));
    assert!(here.writer(&other).is_ok(), "the topic is gone with its last user");
}

#[test]
fn participants_find_each_other_with_and_without_well_known_ports() {
    let library = library();
    for (near, far) in [("0", "0"), ("0", "20"), ("20", "20")] {
        let near = participant(2, &[("well_known_ports", near)]);
        let far = participant(2, &[("well_known_ports", far)]);
        let (near, far) = (library.participant(&near), library.participant(&far));
        let (near, far) = (near.expect("a participant"), far.expect("another"));
        let reader = near.reader(&endpoint("ports", 64), None).expect("a reader");
        let writer = far.writer(&endpoint("ports", 64)).expect("a writer");
        exchange(&writer, &reader);
    }
}

#[test]
fn nothing_of_a_participant_is_left_when_it_ends() {
    let left = || {
        let names = std::fs::read_dir("/proc/self/task").expect("tasks").flatten();
        names
            .filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok())
            .filter(|name| name.starts_with("Dust DDS") || name.starts_with("dust-"))
            .count()
    };
    // The other tests of this process have participants of their own.
    let here = library().participant(&participant(3, &[])).expect("a participant");
    let reader = here.reader(&endpoint("end", 64), None).expect("a reader");
    assert!(left() >= 3);
    drop((reader, here));
    let start = Instant::now();
    while left() > 0 {
        assert!(start.elapsed() < Duration::from_secs(60), "{} threads are left", left());
        std::thread::sleep(Duration::from_millis(20));
    }
}
