//! The adapter's options, and what they and the profile come to.

use std::time::Duration;

use busmark_adapter::{EndpointConfig, OptionSpec, ParticipantConfig, Result, Setting, Status};
use zenoh::qos::Priority;

const EXPRESS: &str = "express";
const PRIORITY: &str = "priority";
const BATCHING: &str = "batching";
const BATCH_SIZE: &str = "batch_size";
const FIFO_CAPACITY: &str = "fifo_capacity";
const SEND_BUFFER: &str = "send_buffer_bytes";
const RECEIVE_BUFFER: &str = "receive_buffer_bytes";
const QUERY_TIMEOUT: &str = "query_timeout_s";
const CONFIG: &str = "config";

/// All, with their defaults. An empty default leaves the choice to the profile.
pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        key: EXPRESS,
        value: "",
        doc: "Publisher option express: true sends each sample without waiting for others to share \
              its batch; zenoh ships with false. Profile tuned: true unless history is keep_all.",
    },
    OptionSpec {
        key: PRIORITY,
        value: "5",
        doc: "Publisher option priority: 1 (real time) to 7 (background); zenoh ships with 5 (data).",
    },
    OptionSpec {
        key: BATCHING,
        value: "true",
        doc: "transport/link/tx/queue/batching/enabled: true lets samples that queue up share a batch.",
    },
    OptionSpec {
        key: BATCH_SIZE,
        value: "65535",
        doc: "transport/link/tx/batch_size: bytes of a batch and so of the largest piece of a sample, \
              1024 to 65535.",
    },
    OptionSpec {
        key: FIFO_CAPACITY,
        value: "",
        doc: "Samples that a reader's FIFO channel holds (waitset and poll), 1 to 1048576; zenoh ships \
              with 256. With keep_all, where a full channel would stop the session's receive thread, \
              by default 16384, of which no more than fit into 256 MiB.",
    },
    OptionSpec {
        key: SEND_BUFFER,
        value: "0",
        doc: "transport/link/tcp/so_sndbuf: send buffer of each connection in bytes; 0 leaves the \
              system's; more than net.core.wmem_max is an error.",
    },
    OptionSpec {
        key: RECEIVE_BUFFER,
        value: "0",
        doc: "transport/link/tcp/so_rcvbuf: receive buffer of each connection in bytes; 0 leaves the \
              system's; more than net.core.rmem_max is an error.",
    },
    OptionSpec {
        key: QUERY_TIMEOUT,
        value: "60",
        doc: "Timeout of a client's queries in seconds, 1 to 86400: how long zenoh awaits a response,               and how long it keeps a task for each query, answered or not; zenoh ships with 10.",
    },
    OptionSpec {
        key: CONFIG,
        value: "",
        doc: "The user's own configuration, read before Busmark's: empty (none), env (the file that \
              ZENOH_CONFIG names) or a file's absolute path. Mode, connections, scouting, and what \
              other options set, are Busmark's.",
    },
];

/// What a participant's options come to.
#[derive(Clone, Debug)]
pub struct Settings {
    express: Option<bool>,
    tuned: bool,
    /// Priority of publishers.
    pub priority: Priority,
    /// Samples may share a batch.
    pub batching: bool,
    /// Bytes.
    pub batch_size: u32,
    /// Bytes; 0: the system's.
    pub send_buffer: u32,
    /// As above.
    pub receive_buffer: u32,
    fifo_capacity: Option<usize>,
    /// Options of a client's queries.
    pub query_timeout: Duration,
    /// File of the user's own configuration.
    pub config: Option<String>,
}

impl Settings {
    /// Checks the values.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        let set = |key| config.setting(OPTIONS, key);
        let priority: u8 = set(PRIORITY).within(1..=7)?;
        Ok(Self {
            express: set(EXPRESS).optional(Setting::flag)?,
            tuned: config.tuned(),
            priority: Priority::try_from(priority)
                .map_err(|error| Status::Invalid.error(format!("option priority: {error}")))?,
            batching: set(BATCHING).flag()?,
            batch_size: set(BATCH_SIZE).within(1024..=65_535)?,
            send_buffer: set(SEND_BUFFER).buffer(0..=u32::MAX, "wmem_max")?,
            receive_buffer: set(RECEIVE_BUFFER).buffer(0..=u32::MAX, "rmem_max")?,
            fifo_capacity: set(FIFO_CAPACITY).optional(|s| s.within(1..=1 << 20))?,
            query_timeout: Duration::from_secs(set(QUERY_TIMEOUT).within(1..=86_400)?),
            config: set(CONFIG).config("ZENOH_CONFIG")?,
        })
    }

    /// Whether a writer sends express. Among zenoh's own examples the one that measures latency
    /// (`z_ping`) does, the one that measures throughput (`z_pub_thr`) does not.
    pub fn express(&self, config: &EndpointConfig) -> bool {
        self.express.unwrap_or(self.tuned && config.qos.keep_all != Some(true))
    }

    /// Samples in a reader's channel.
    pub fn fifo_capacity(&self, config: &EndpointConfig) -> usize {
        const SHIPPED: usize = 256;
        const MOST: u64 = 16_384;
        const LEAST: u64 = 16;
        const BYTES: u64 = 256 << 20;
        self.fifo_capacity.unwrap_or(match config.qos.keep_all {
            Some(true) => (BYTES / config.max_body_bytes.max(1)).clamp(LEAST, MOST) as usize,
            _ => SHIPPED,
        })
    }
}

#[cfg(test)]
mod tests {
    use busmark_adapter::{Payload, Qos, Wait};

    use super::*;

    fn settings(profile: &str, settings: &[(&str, &str)]) -> Result<Settings> {
        let pair = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        Settings::new(&ParticipantConfig {
            profile: profile.to_owned(),
            settings: settings.iter().map(pair).collect(),
            ..ParticipantConfig::default()
        })
    }

    fn endpoint(keep_all: Option<bool>, max_body_bytes: u64) -> EndpointConfig {
        EndpointConfig {
            topic: "options".to_owned(),
            payload: Payload::Octet,
            wait: Wait::Poll,
            max_body_bytes,
            qos: Qos { keep_all, ..Qos::default() },
            instances: 0,
            filter_below: 0,
        }
    }

    #[test]
    fn express_is_the_options_then_the_profiles() {
        let latency = endpoint(Some(false), 64);
        let throughput = endpoint(Some(true), 64);
        let express = |profile, options, endpoint| {
            settings(profile, options).expect("settings").express(endpoint)
        };
        assert!(!express("default", &[], &latency));
        assert!(express("tuned", &[], &latency));
        assert!(!express("tuned", &[], &throughput));
        assert!(express("default", &[(EXPRESS, "true")], &throughput));
        assert!(!express("tuned", &[(EXPRESS, "false")], &latency));
    }

    #[test]
    fn channels_are_as_shipped_unless_all_is_to_be_kept() {
        let shipped = settings("default", &[]).expect("settings");
        assert_eq!(shipped.fifo_capacity(&endpoint(None, 64)), 256);
        assert_eq!(shipped.fifo_capacity(&endpoint(Some(true), 64)), 16_384);
        assert_eq!(shipped.fifo_capacity(&endpoint(Some(true), 1 << 20)), 256);
        let said = settings("default", &[(FIFO_CAPACITY, "7")]).expect("settings");
        assert_eq!(said.fifo_capacity(&endpoint(Some(true), 64)), 7);
    }

    #[test]
    fn values_that_make_no_sense_are_refused() {
        let wrong = [
            (EXPRESS, "yes"),
            (PRIORITY, "0"),
            (PRIORITY, "8"),
            (BATCH_SIZE, "65536"),
            (FIFO_CAPACITY, "0"),
            (QUERY_TIMEOUT, "0"),
            (SEND_BUFFER, "4294967295"),
        ];
        for option in wrong {
            assert!(settings("default", &[option]).is_err(), "{option:?}");
        }
    }
}
