//! The adapter's options.

use busmark_adapter::{OptionSpec, ParticipantConfig, Result};

const SERVER: &str = "server";
const SEND_BUFFER: &str = "send_buffer_bytes";
const RECEIVE_BUFFER: &str = "receive_buffer_bytes";
const CONFIG: &str = "config";

/// All, with their defaults.
pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        key: SERVER,
        value: "",
        doc: "The router at which sessions meet, as zenoh names its place: tcp/ADDRESS:PORT, such as \
              tcp/127.0.0.1:7447 of a running rmw_zenohd or zenohd; empty: the run starts one.",
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
        key: CONFIG,
        value: "",
        doc: "A configuration of sessions that is read before Busmark's: empty (what ROS ships), env \
              (the file that ZENOH_SESSION_CONFIG_URI names) or a file's absolute path. Mode, \
              connections and what other options set are Busmark's.",
    },
];

/// What they come to.
pub struct Settings {
    /// Where the router listens; empty: not known.
    pub router: String,
    /// Bytes; 0: the system's.
    pub send_buffer: u32,
    /// As above.
    pub receive_buffer: u32,
    /// File of the user's own configuration.
    pub config: Option<String>,
}

impl Settings {
    /// Checks the values.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        let set = |key| config.setting(OPTIONS, key);
        Ok(Self {
            router: set(SERVER).text.to_owned(),
            send_buffer: set(SEND_BUFFER).buffer(0..=u32::MAX, "wmem_max")?,
            receive_buffer: set(RECEIVE_BUFFER).buffer(0..=u32::MAX, "rmem_max")?,
            config: set(CONFIG).config("ZENOH_SESSION_CONFIG_URI")?,
        })
    }
}
