//! The adapter's options: `matrix.option.grpc.KEY` in a scenario.

use std::net::IpAddr;

use busmark_adapter::{OptionSpec, ParticipantConfig, Result, Setting};
use busmark_sockets::{Buffers, RECEIVE_BUFFER, SEND_BUFFER};

const NODELAY: &str = "nodelay";
const STREAM_WINDOW: &str = "stream_window_bytes";
const CONNECTION_WINDOW: &str = "connection_window_bytes";

/// All, with their defaults. An empty default leaves the choice to the library.
pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        key: NODELAY,
        value: "true",
        doc: "TCP_NODELAY of every connection: true, as tonic ships, or false.",
    },
    OptionSpec {
        key: STREAM_WINDOW,
        value: "",
        doc: "initial_stream_window_size of both sides: bytes that may be under way to a side in one \
              stream of HTTP/2, 65535 to 2147483647; as shipped servers take 1 MiB, clients 2 MiB.",
    },
    OptionSpec {
        key: CONNECTION_WINDOW,
        value: "",
        doc: "initial_connection_window_size of both sides: the same for all streams of a connection; \
              as shipped servers take 1 MiB, clients 5 MiB.",
    },
    RECEIVE_BUFFER,
    SEND_BUFFER,
];

/// The least window of HTTP/2, and the largest.
const WINDOWS: std::ops::RangeInclusive<u32> = 65_535..=0x7fff_ffff;

/// What a participant's options come to.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Where it listens and connects from.
    pub interface: IpAddr,
    /// `TCP_NODELAY`.
    pub nodelay: bool,
    /// Bytes; `None`: as shipped.
    pub stream_window: Option<u32>,
    /// As above.
    pub connection_window: Option<u32>,
    /// The sockets'.
    pub buffers: Buffers,
}

impl Settings {
    /// Reads and checks them.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        let set = |key| config.setting(OPTIONS, key);
        let window = |setting: Setting| setting.within(WINDOWS);
        Ok(Self {
            interface: config.interface()?,
            nodelay: set(NODELAY).flag()?,
            stream_window: set(STREAM_WINDOW).optional(window)?,
            connection_window: set(CONNECTION_WINDOW).optional(window)?,
            buffers: Buffers::new(config, 0)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use busmark_adapter::Status;

    use super::*;

    fn with(key: &str, value: &str) -> Result<Settings> {
        Settings::new(&ParticipantConfig {
            interface_address: "127.0.0.1".into(),
            settings: vec![(key.into(), value.into())],
            ..ParticipantConfig::default()
        })
    }

    #[test]
    fn windows_are_as_shipped_unless_they_are_set() {
        assert_eq!(with(NODELAY, "true").map(|s| s.stream_window), Ok(None));
        assert_eq!(with(STREAM_WINDOW, "65535").map(|s| s.stream_window), Ok(Some(65_535)));
        assert_eq!(with(CONNECTION_WINDOW, "100000").map(|s| s.stream_window), Ok(None));
    }

    #[test]
    fn values_that_mean_nothing_are_refused() {
        for (key, value) in [
            (NODELAY, "perhaps"),
            (STREAM_WINDOW, "65534"),
            (CONNECTION_WINDOW, "2147483648"),
            (RECEIVE_BUFFER.key, "many"),
        ] {
            let error = with(key, value).expect_err(key);
            assert_eq!(error.status, Status::Invalid, "{error}");
        }
    }
}
