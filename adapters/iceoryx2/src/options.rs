//! The adapter's options.

use busmark_adapter::{OptionSpec, ParticipantConfig, Result};

const LOAN: &str = "loan";
const BUFFER_SIZE: &str = "buffer_size";
const MAX_PUBLISHERS: &str = "max_publishers";
const MAX_SUBSCRIBERS: &str = "max_subscribers";

/// All, with their defaults.
pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        key: LOAN,
        value: "copy",
        doc: "How a body comes into the loaned memory: copy (at every write) or in_place (once for \
              each piece of memory, as if the writer had made it there; write copies the header \
              only).",
    },
    OptionSpec {
        key: BUFFER_SIZE,
        value: "",
        doc: "subscriber_max_buffer_size with keep_all: samples that a reader stores for each writer, \
              1 to 65536; by default 1024, of which no more than fit into 512 MiB of shared memory for \
              all readers.",
    },
    OptionSpec {
        key: MAX_PUBLISHERS,
        value: "16",
        doc: "max_publishers: writers that a topic may have, 1 to 1024; the library ships with 2.",
    },
    OptionSpec {
        key: MAX_SUBSCRIBERS,
        value: "8",
        doc: "max_subscribers: readers that a topic may have, 1 to 1024; each takes its share of \
              every writer's shared memory.",
    },
];

/// What the options come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Bodies are put into loaned memory once only.
    pub in_place: bool,
    /// Buffer of keep-all readers, if the user sets it.
    pub buffer_size: Option<usize>,
    /// Writers of a topic.
    pub max_publishers: usize,
    /// Readers of a topic.
    pub max_subscribers: usize,
}

impl Settings {
    /// Checks the values.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        let set = |key| config.setting(OPTIONS, key);
        Ok(Self {
            in_place: set(LOAN).choice(&[("copy", false), ("in_place", true)])?,
            buffer_size: set(BUFFER_SIZE).optional(|s| s.within(1..=65_536))?,
            max_publishers: set(MAX_PUBLISHERS).within(1..=1024)?,
            max_subscribers: set(MAX_SUBSCRIBERS).within(1..=1024)?,
        })
    }
}
