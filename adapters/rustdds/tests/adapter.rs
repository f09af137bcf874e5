//! What the contract does not say: how the crate's participants find each other and end, and what holds
//! a reliable writer back.

use std::time::Duration;

use busmark_adapter::testing::{all, domain, eventually, last, library, matched, threads, write};
use busmark_adapter::{EndpointConfig, ParticipantConfig, Qos, Status, testing};

/// In a domain by its offset, below 6.
fn participant(offset: u32) -> ParticipantConfig {
    testing::participant(domain(140, 6, offset), "udp", &[])
}

fn endpoint(topic: &str, qos: Qos) -> EndpointConfig {
    EndpointConfig { qos, ..testing::endpoint(topic, 64) }
}

/// What arrives of `count` samples at a reader that takes once all have been received.
fn late_take(offset: u32, qos: Qos, count: u64) -> Vec<u64> {
    let (library, config) = (library("rustdds"), endpoint("late", qos));
    let near = library.participant(&participant(offset)).expect("a participant");
    let far = library.participant(&participant(offset)).expect("another");
    let reader = near.reader(&config, None).expect("a reader");
    let writer = far.writer(&config).expect("a writer");
    matched(&writer, &reader);
    write(&writer, &[7; 3], 0..count);
    std::thread::sleep(Duration::from_secs(2));
    let mut seqs = Vec::new();
    while reader.take(64, &mut |received| seqs.push(received.header.seq)).is_ok() {}
    seqs
}

#[test]
fn a_reliable_writer_does_not_wait_for_a_reader_that_keeps_the_last() {
    assert_eq!(late_take(0, last(10), 2000), (1990..2000).collect::<Vec<_>>());
}

#[test]
fn a_reader_that_keeps_all_has_room_for_the_send_window() {
    assert_eq!(late_take(1, all(), 8000), (0..8000).collect::<Vec<_>>());
}

/// Whether `lo` carries multicast; then nothing of what is peculiar to loopback holds.
fn multicast() -> bool {
    netdev::get_interfaces().iter().any(|i| i.is_loopback() && i.is_multicast())
}

#[test]
fn endpoints_of_one_participant_do_not_count_where_they_do_not_hear_each_other() {
    let library = library("rustdds");
    let here = library.participant(&participant(2)).expect("a participant");
    let reader = here.reader(&endpoint("shared", all()), None).expect("a reader");
    let writer = here.writer(&endpoint("shared", all())).expect("a writer");
    // By the time that another has been found, the own would have been, too.
    let there = library.participant(&participant(2)).expect("another");
    let second = there.reader(&endpoint("shared", all()), None).expect("a reader");
    let other = there.writer(&endpoint("shared", all())).expect("a writer");
    let wanted = if multicast() { 2 } else { 1 };
    eventually("match", || {
        let counts = [writer.matched(), other.matched(), reader.matched(), second.matched()];
        counts == [Ok(wanted); 4]
    });
    write(&writer, &[7; 3], 0..1);
    assert_eq!(second.wait(Duration::from_secs(10)), Ok(()));
    assert_eq!(reader.wait(Duration::from_secs(1)).is_ok(), multicast());
}

#[test]
fn who_cannot_be_found_is_refused() {
    let library = library("rustdds");
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
    let library = library("rustdds");
    let near = library.participant(&participant(4)).expect("a participant");
    let reader = near.reader(&endpoint("farewell", all()), None).expect("a reader");
    for round in 0..60 {
        let far = library.participant(&participant(4)).expect("another");
        let writer = far.writer(&endpoint("farewell", all())).expect("a writer");
        eventually("match", || reader.matched() == Ok(1));
        // The crate answers whom it has just found 10 ms later.
        std::thread::sleep(Duration::from_micros(200 * (round % 60)));
        drop((writer, far));
        eventually("farewell", || reader.matched() == Ok(0));
    }
}

#[test]
fn nothing_of_a_participant_is_left_when_it_ends() {
    // Names of threads are cut to 15 bytes, which leaves no number; other tests have participants, too.
    let left = || threads(&["RustDDS"]);
    let here = library("rustdds").participant(&participant(5)).expect("a participant");
    let reader = here.reader(&endpoint("end", all()), None).expect("a reader");
    assert!(left() >= 2);
    drop((reader, here));
    eventually("the end of all threads", || left() == 0);
}
