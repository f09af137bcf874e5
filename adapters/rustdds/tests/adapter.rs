//! What the contract does not say: how the crate's participants find each other and end, and what holds
//! a reliable writer back.

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
        .map(|folder| folder.join("libbusmark_rustdds.so"))
        .find(|path| path.exists())
        .unwrap_or_else(|| panic!("no libbusmark_rustdds.so in {folders:?}"));
    Library::open(&path).expect("an adapter")
}

/// A domain that no other test run on this host is likely to use; `offset` is below 6.
fn participant(offset: u32) -> ParticipantConfig {
    ParticipantConfig {
        domain: 140 + (std::process::id() % 5) * 6 + offset,
        interface_name: "lo".to_owned(),
        interface_address: "127.0.0.1".to_owned(),
        transport: "udp".to_owned(),
        profile: "default".to_owned(),
        run_dir: std::env::temp_dir().display().to_string(),
        settings: Vec::new(),
    }
}

fn endpoint(topic: &str, keep_all: bool) -> EndpointConfig {
    let qos = Qos { reliable: Some(true), keep_all: Some(keep_all), depth: 10, ..Qos::default() };
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

/// Asks again until it is true.
fn within(limit: Duration, what: &str, mut ask: impl FnMut() -> bool) {
    let start = Instant::now();
    while !ask() {
        assert!(start.elapsed() < limit, "not within {limit:?}: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn matched(writer: &WriterHandle, reader: &ReaderHandle) {
    within(Duration::from_secs(20), "match", || {
        (writer.matched(), reader.matched()) == (Ok(1), Ok(1))
    });
}

/// What arrives of `count` samples at a reader that takes once all have been received.
fn late_take(offset: u32, keep_all: bool, count: u64) -> Vec<u64> {
    let (library, config) = (library(), endpoint("late", keep_all));
    let near = library.participant(&participant(offset)).expect("a participant");
    let far = library.participant(&participant(offset)).expect("another");
    let reader = near.reader(&config, None).expect("a reader");
    let writer = far.writer(&config).expect("a writer");
    matched(&writer, &reader);
    let mut sample = writer.sample(&[7; 3]).expect("a sample");
    for seq in 0..count {
        writer.write(&mut sample, &Header { seq, ..Header::default() }).expect("written");
    }
    std::thread::sleep(Duration::from_secs(2));
    let mut seqs = Vec::new();
    while reader.take(64, &mut |received| seqs.push(received.header.seq)).is_ok() {}
    seqs
}

#[test]
fn a_reliable_writer_does_not_wait_for_a_reader_that_keeps_the_last() {
    assert_eq!(late_take(0, false, 2000), (1990..2000).collect::<Vec<_>>());
}

#[test]
fn a_reader_that_keeps_all_has_room_for_the_send_window() {
    assert_eq!(late_take(1, true, 8000), (0..8000).collect::<Vec<_>>());
}

/// Whether `lo` carries multicast; then nothing of what is peculiar to loopback holds.
fn multicast() -> bool {
    netdev::get_interfaces().iter().any(|i| i.is_loopback() && i.is_multicast())
}

#[test]
fn endpoints_of_one_participant_do_not_count_where_they_do_not_hear_each_other() {
    let library = library();
    let here = library.participant(&participant(2)).expect("a participant");
    let reader = here.reader(&endpoint("shared", true), None).expect("a reader");
    let writer = here.writer(&endpoint("shared", true)).expect("a writer");
    // By the time that another has been found, the own would have been, too.
    let there = library.participant(&participant(2)).expect("another");
    let second = there.reader(&endpoint("shared", true), None).expect("a reader");
    let other = there.writer(&endpoint("shared", true)).expect("a writer");
    let wanted = if multicast() { 2 } else { 1 };
    within(Duration::from_secs(20), "match", || {
        let counts = [writer.matched(), other.matched(), reader.matched(), second.matched()];
        counts == [Ok(wanted); 4]
    });
    let mut sample = writer.sample(&[7; 3]).expect("a sample");
    writer.write(&mut sample, &Header::default()).expect("written");
    assert_eq!(second.wait(Duration::from_secs(10)), Ok(()));
    assert_eq!(reader.wait(Duration::from_secs(1)).is_ok(), multicast());
}

#[test]
fn who_cannot_be_found_is_refused() {
    let library = library();
    if multicast() {
        return; // By multicast everybody is found.
    }
    let join = || library.participant(&participant(3));
    let found: Vec<_> = (0..12).map(|_| join().expect("a participant")).collect();
    let error = join().err().expect("one too many");
    assert!(error.status == Status::Resources && error.message.contains("multicast"), "{error}");
    drop(found);
    assert!(join().is_ok(), "there is room again");
}

#[test]
fn a_participant_that_goes_while_it_is_found_says_farewell() {
    let library = library();
    let near = library.participant(&participant(4)).expect("a participant");
    let reader = near.reader(&endpoint("farewell", true), None).expect("a reader");
    for round in 0..60 {
        let far = library.participant(&participant(4)).expect("another");
        let writer = far.writer(&endpoint("farewell", true)).expect("a writer");
        within(Duration::from_secs(20), "match", || reader.matched() == Ok(1));
        // The crate answers whom it has just found 10 ms later.
        std::thread::sleep(Duration::from_micros(200 * (round % 60)));
        drop((writer, far));
        within(Duration::from_secs(10), "farewell", || reader.matched() == Ok(0));
    }
}

#[test]
fn nothing_of_a_participant_is_left_when_it_ends() {
    // Names of threads are cut to 15 bytes, which leaves no number; other tests have participants, too.
    let left = || {
        let names = std::fs::read_dir("/proc/self/task").expect("tasks").flatten();
        names
            .filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok())
            .filter(|name| name.starts_with("RustDDS"))
            .count()
    };
    let here = library().participant(&participant(5)).expect("a participant");
    let reader = here.reader(&endpoint("end", true), None).expect("a reader");
    assert!(left() >= 2);
    drop((reader, here));
    within(Duration::from_secs(60), "the end of all threads", || left() == 0);
}
