//! Damaged messages of the bus: each is read, or refused in words.

#[path = "../../busmark-worker/tests/common/damage.rs"]
mod damage;

use busmark_bus::message;
use damage::{Outcome, fuzz, fuzz_at_length};

/// One of each order and news, as callers and members write them.
const CORPUS: &str = include_str!("data/messages.jsonl");

fn read(bytes: &[u8], outcome: &mut Outcome) {
    outcome.note(&message::order(bytes), |trouble| &trouble.message);
    outcome.note(&message::report(bytes), |trouble| &trouble.message);
}

#[test]
fn messages_as_they_are_written_are_read() {
    for line in CORPUS.lines().map(str::as_bytes) {
        assert!(message::order(line).is_ok() || message::report(line).is_ok(), "{line:?}");
    }
}

#[test]
fn damaged_messages_are_read_or_refused() {
    let outcome = fuzz(CORPUS, 20_000, read);
    assert!(outcome.read > 1000 && outcome.refused > 1000);
}

#[test]
#[ignore = "as many inputs as BUSMARK_FUZZ_INPUTS says, ten million by default: minutes"]
fn as_many_as_asked_for_are_read_or_refused() {
    fuzz_at_length(CORPUS, read);
}
