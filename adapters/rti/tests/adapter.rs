//! What the contract does not say: that RTI's structures lie as the adapter reads them, what the library
//! says when it refuses, and what comes of samples that are not this endpoint's.

use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use busmark_adapter::testing::{domain, last, matched, next, probed, receive, write};
use busmark_adapter::{
    EndpointConfig, EntityKind, Library, ParticipantConfig, ParticipantHandle, Payload, Qos,
    Status, testing,
};

/// Opens the library that this build made; `None`, and why, where RTI's is missing.
fn library() -> Option<Library> {
    static PACKAGES: OnceLock<()> = OnceLock::new();
    PACKAGES.get_or_init(name_packages);
    probed("rti")
}

/// Where `make adapters` installs, unless the caller names another place.
fn name_packages() {
    const VARIABLE: &str = "BUSMARK_SITE_PACKAGES";
    let folder = std::env::var("CARGO_MANIFEST_DIR").expect("cargo runs this");
    let lib = format!("{folder}/../../.venv/lib");
    if std::env::var_os(VARIABLE).is_some() {
        return;
    }
    if let Some(python) = std::fs::read_dir(lib).ok().and_then(|mut found| found.next()?.ok()) {
        // SAFETY: every test waits for this before it opens a library, and nothing else of this
        // process reads the environment but through Rust, which has a lock.
        unsafe { std::env::set_var(VARIABLE, python.path().join("site-packages")) };
    }
}

/// In a domain by its offset, below 8.
fn participant(offset: u32, transport: &str) -> ParticipantConfig {
    testing::participant(domain(140, 8, offset), transport, &[])
}

fn endpoint(topic: &str, max_body_bytes: u64) -> EndpointConfig {
    EndpointConfig { qos: last(10), ..testing::endpoint(topic, max_body_bytes) }
}

fn now_ns() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_nanos() as i64
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
        write(&writer, &[7; 5], 3..4);
        let all = next(&reader, |r| (r.header.seq, r.body.to_vec(), r.source_ns, r.reception_ns));
        let (seq, body, source, reception) = all.expect("a sample");
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
    write(&writer, &[1], 0..1);
    assert_eq!(receive(&reader).0, 0);
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
    write(&writer, &[1; 1000], 0..1);
    assert!(next(&reader, |_| ()).is_err());
    write(&writer, &[2; 10], 1..2);
    assert_eq!(receive(&reader), (1, vec![2; 10]));
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
        let topic = format!("edge_{bytes}");
        let reader = here.reader(&endpoint(&topic, bytes), None).expect("a reader");
        let writer = here.writer(&endpoint(&topic, bytes)).expect("a writer");
        matched(&writer, &reader);
        let body: Vec<u8> = (0..bytes).map(|i| i as u8).collect();
        write(&writer, &body, 0..1);
        assert_eq!(receive(&reader), (0, body));
    }
}

/// What the participant lists of an endpoint, once it knows it.
fn listed(participant: &ParticipantHandle, kind: EntityKind) -> Qos {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        let found = participant.entities().expect("a list");
        if let Some(one) = found.into_iter().find(|one| one.kind == kind) {
            assert_eq!((&*one.topic, &*one.type_name), ("listed", "busmark::OctetSample"));
            return one.qos.expect("an endpoint has QoS");
        }
        assert!(Instant::now() < end, "the {kind:?} is not listed");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_endpoint_is_listed_with_the_qos_that_was_asked_for() {
    let Some(library) = library() else { return };
    let here = library.participant(&participant(7, "udp")).expect("a participant");
    let there = library.participant(&participant(7, "udp")).expect("another");
    let both = Qos {
        reliable: Some(true),
        keep_all: Some(false),
        depth: 3,
        transient_local: Some(true),
        deadline_ns: Some(3_250_000_000),
        partition: Some("part".to_owned()),
        order_by_source: true,
        max_samples: Some(33),
        ..Qos::default()
    };
    let written = Qos {
        max_blocking_ns: 75_000_000,
        lifespan_ns: Some(9_500_000_000),
        transport_priority: Some(7),
        ownership_strength: Some(5),
        ..both.clone()
    };
    let time_based_filter_ns = Some(25_000_000);
    let read = Qos { time_based_filter_ns, ownership_strength: Some(0), ..both };
    let of = |qos: &Qos| EndpointConfig { qos: qos.clone(), ..endpoint("listed", 64) };
    let _writer = here.writer(&of(&written)).expect("a writer");
    let _reader = here.reader(&of(&read), None).expect("a reader");
    for (kind, qos) in [(EntityKind::Writer, written), (EntityKind::Reader, read)] {
        assert_eq!(listed(&here, kind), qos, "its own {kind:?}");
        // What is not announced.
        let (keep_all, depth, max_samples, transport_priority) = (None, 0, None, None);
        let announced = Qos { keep_all, depth, max_samples, transport_priority, ..qos };
        assert_eq!(listed(&there, kind), announced, "the {kind:?} of another");
    }
}
