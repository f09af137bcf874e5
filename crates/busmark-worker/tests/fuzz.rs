//! Damaged lines of the control protocol: each is read, or refused in words.

#[path = "common/damage.rs"]
mod damage;

use busmark_worker::protocol::{Command, Request};
use busmark_worker::ranges;
use damage::{Outcome, fuzz, fuzz_at_length};

/// One of each command, as controllers write them.
const CORPUS: &str = include_str!("data/messages.jsonl");

fn read(bytes: &[u8], outcome: &mut Outcome) {
    // A worker reads lines of text.
    let Ok(line) = std::str::from_utf8(bytes) else { return };
    match serde_json::from_str::<Request>(line) {
        Ok(Request { command: Command::Prepare(setup), .. }) => {
            outcome.note(&ranges::check(&setup), |failure| &failure.message);
        }
        Ok(_) => outcome.read += 1,
        Err(_) => outcome.refused += 1,
    }
}

#[test]
fn commands_as_they_are_written_are_read() {
    for line in CORPUS.lines() {
        assert!(serde_json::from_str::<Request>(line).is_ok(), "{line}");
    }
}

#[test]
fn damaged_commands_are_read_or_refused() {
    let outcome = fuzz(CORPUS, 20_000, read);
    assert!(outcome.read > 1000 && outcome.refused > 1000);
}

#[test]
#[ignore = "as many inputs as BUSMARK_FUZZ_INPUTS says, ten million by default: minutes"]
fn as_many_as_asked_for_are_read_or_refused() {
    fuzz_at_length(CORPUS, read);
}
