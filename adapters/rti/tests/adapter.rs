//! What the contract does not say: that RTI's structures lie as the adapter reads them, what the library
//! says when it refuses, and what comes of samples that are not this endpoint's.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use busmark_adapter::{
    EndpointConfig, Header, Library, ParticipantConfig, Payload, Qos, ReaderHandle, Status, Wait,
    WriterHandle,
};

/// Opens the library that this build made; `None`, and why, where RTI's is missing.
fn library() -> Option<Library> {
    static PACKAGES: OnceLock<()> = OnceLock::new();
    PACKAGES.get_or_init(name_packages);
    let exe = std::env::current_exe().expect("a path");
    let folders: Vec<PathBuf> = exe.ancestors().skip(1).take(2).map(PathBuf::from).collect();
    let path = folders
        .iter()
        .map(|folder| folder.join("libbusmark_rti.so"))
        .find(|path| path.exists())
        .unwrap_or_else(|| panic!("no libbusmark_rti.so in {folders:?}"));
    let library = Library::open(&path).expect("an adapter");
    match library.probe() {
        Ok(()) => Some(library),
        Err(error) => {
            println!("skipped: {error}");
            None
        }
    }
}

/// Where `make adapters` installs, unless the caller names another place.
fn name_packages() {
    const VARIABLE: &str = "BUSMARK_SITE_PACKAGES";
    let lib = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.venv/lib");
    if std::env::var_os(VARIABLE).is_some() {
        return;
    }
    if let Some(python) = std::fs::read_dir(lib).ok().and_then(|mut found| found.next()?.ok()) {
        // SAFETY: every test waits for this before it opens a library, and nothing else of this
        // process reads the environment but through Rust, which has a lock.
        unsafe { std::env::set_var(VARIABLE, python.path().join("site-packages")) };
    }
}

/// A domain that no other test run on this host is likely to use; `offset` is below 8.
fn participant(offset: u32, transport: &str) -> ParticipantConfig {
    ParticipantConfig {
        domain: 140 + (std::process::id() % 5) * 8 + offset,
        interface_name: "lo".to_owned(),
        interface_address: "127.0.0.1".to_owned(),
        transport: transport.to_owned(),
        profile: "default".to_owned(),
        run_dir: std::env::temp_dir().display().to_string(),
        settings: Vec::new(),
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

/// The next sample's number, body and stamps.
fn next(reader: &ReaderHandle) -> Result<(u64, Vec<u8>, i64, i64), Status> {
    let start = Instant::now();
    loop {
        assert!(start.elapsed() < Duration::from_secs(20), "nothing arrived");
        let _ = reader.wait(Duration::from_millis(50));
        let mut found = None;
        let taken = reader.take(1, &mut |r| {
            found = Some((r.header.seq, r.body.to_vec(), r.source_ns, r.reception_ns));
        });
        match (taken, found) {
            (Ok(1), Some(found)) => return Ok(found),
            (Err(Status::NoData), None) => (),
            (other, _) => return Err(other.expect_err("an error")),
        }
    }
}

fn now_ns() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_nanos() as i64
}

fn write(writer: &WriterHandle, body: &[u8], seq: u64) {
    let mut sample = writer.sample(body).expect("a sample");
    writer.write(&mut sample, &Header { seq, ..Header::default() }).expect("written");
}

#[test]
fn the_stamps_of_a_sample_are_those_of_its_way() {
    let Some(library) = library() else { return };
    for (offset, transport) in ["udp", "shm"].into_iter().enumerate() {
        let here = library.participant(&participant(offset as u32, transport)).expect("one");
        let reader = here.reader(&endpoint("stamps", 64), None).expect("a reader");
        let writer = here.writer(&endpoint("stamps", 64)).expect("a writer");
        matched(&writer, &reader);
        let before = now_ns();
        write(&writer, &[7; 5], 3);
        let (seq, body, source, reception) = next(&reader).expect("a sample");
        assert_eq!((seq, body), (3, vec![7; 5]));
        // The library counts in parts of 2^-32 s, and rounds.
        assert!(before - 1 <= source && source <= reception + 1 && reception <= now_ns());
    }
}

#[test]
fn news_of_an_instance_is_no_sample() {
    let Some(library) = library() else { return };
    let here = library.participant(&participant(2, "udp")).expect("a participant");
    let keyed = EndpointConfig { instances: 4, ..endpoint("keyed", 64) };
    let reader = here.reader(&keyed, None).expect("a reader");
    let writer = here.writer(&keyed).expect("a writer");
    matched(&writer, &reader);
    write(&writer, &[1], 0);
    assert_eq!(next(&reader).expect("a sample").0, 0);
    // The library tells that nobody writes the instance any more, as a sample without data.
    drop(writer);
    let _ = reader.wait(Duration::from_secs(2));
    assert_eq!(reader.take(10, &mut |r| panic!("{:?}", r.header)), Err(Status::NoData));
}

#[test]
fn a_sample_larger_than_the_endpoints_largest_is_refused_and_the_next_arrives() {
    let Some(library) = library() else { return };
    let here = library.participant(&participant(3, "udp")).expect("a participant");
    let reader = here.reader(&endpoint("larger", 64), None).expect("a reader");
    let writer = here.writer(&endpoint("larger", 1000)).expect("a writer");
    matched(&writer, &reader);
    write(&writer, &[1; 1000], 0);
    assert!(next(&reader).is_err());
    write(&writer, &[2; 10], 1);
    assert_eq!(next(&reader).map(|(seq, body, ..)| (seq, body)), Ok((1, vec![2; 10])));
}

#[test]
fn what_the_library_refuses_is_said_in_its_own_words() {
    let Some(library) = library() else { return };
    let here = library.participant(&participant(4, "udp")).expect("a participant");
    let mut wrong = endpoint("refused", 64);
    // More than may be stored.
    (wrong.qos.depth, wrong.qos.max_samples) = (100, Some(10));
    for error in [here.writer(&wrong).err(), here.reader(&wrong, None).err()] {
        let error = error.expect("an error");
        assert!(error.message.contains("depth"), "{error}");
    }
    assert!(here.writer(&endpoint("refused", 64)).is_ok(), "nothing of it is left");
}

#[test]
fn a_topic_has_one_type_as_long_as_it_is_used() {
    let Some(library) = library() else { return };
    let here = library.participant(&participant(5, "udp")).expect("a participant");
    let reader = here.reader(&endpoint("typed", 64), None).expect("a reader");
    let other = EndpointConfig { payload: Payload::Long, ..endpoint("typed", 64) };
    let error = here.writer(&other).err().expect("another type");
    assert!(error.status == Status::Invalid && error.message.contains("LongSample"), "{error}");
    drop(reader);
    assert!(here.writer(&other).is_ok(), "the topic is gone with its last user");
}

#[test]
fn both_sides_of_a_message_arrive_with_and_without_a_thread_that_sends() {
    let Some(library) = library() else { return };
    let here = library.participant(&participant(6, "udp")).expect("a participant");
    for bytes in [64_000, 64_500, 65_000, 65_500, 66_000] {
        let topic = format!("edge {bytes}");
        let reader = here.reader(&endpoint(&topic, bytes), None).expect("a reader");
        let writer = here.writer(&endpoint(&topic, bytes)).expect("a writer");
        matched(&writer, &reader);
        let body: Vec<u8> = (0..bytes).map(|i| i as u8).collect();
        write(&writer, &body, 0);
        assert_eq!(next(&reader).map(|(seq, body, ..)| (seq, body)), Ok((0, body)));
    }
}
