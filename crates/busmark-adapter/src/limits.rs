//! What the worker promises about texts that it passes (the header's "Limits").

use crate::abi::{RUN_DIR_BYTES, TOPIC_BYTES};
use crate::error::{Result, Status};

/// Refuses a topic that an adapter need not take. An empty one is the adapter's to refuse (C4).
pub(crate) fn topic(name: &str) -> Result<()> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.len() <= TOPIC_BYTES && name.chars().all(allowed) {
        return Ok(());
    }
    let text =
        format!("topic {name:?}: at most {TOPIC_BYTES} letters A to Z, digits and _ are allowed");
    Err(Status::Invalid.error(text))
}

/// Refuses a run directory in which a socket's path would be too long.
pub(crate) fn run_dir(path: &str) -> Result<()> {
    if path.len() <= RUN_DIR_BYTES {
        return Ok(());
    }
    let text = format!(
        "run directory {path:?}: {} bytes, at most {RUN_DIR_BYTES} are allowed, for sockets in it have \
         paths of at most 107: name a shorter folder in the variable TMPDIR",
        path.len()
    );
    Err(Status::Invalid.error(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_of_other_letters_or_too_long_are_refused() {
        assert!(topic("busmark_ping_0").is_ok() && topic(&"a".repeat(TOPIC_BYTES)).is_ok());
        for bad in ["with space", "a/b", "grün", &"a".repeat(TOPIC_BYTES + 1)] {
            assert_eq!(topic(bad).map_err(|e| e.status), Err(Status::Invalid), "{bad}");
        }
    }

    #[test]
    fn a_run_directory_without_room_for_a_socket_is_refused_with_the_remedy() {
        assert!(run_dir("/tmp/busmark-run-1-abcdefgh").is_ok());
        let error = run_dir(&"/x".repeat(RUN_DIR_BYTES)).map_err(|e| e.message);
        assert!(error.is_err_and(|text| text.contains("TMPDIR")));
    }
}
