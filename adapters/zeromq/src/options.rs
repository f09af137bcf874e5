//! The adapter's options, and what a participant makes of them.

use std::net::IpAddr;

use busmark_adapter::{OptionSpec, ParticipantConfig, Result, Status};

const PATTERN: &str = "pattern";
const IO_THREADS: &str = "io_threads";
const SEND_HWM: &str = "send_hwm";
const RECEIVE_HWM: &str = "receive_hwm";
const SEND_BUFFER: &str = "send_buffer_bytes";
const RECEIVE_BUFFER: &str = "receive_buffer_bytes";
const ZERO_COPY: &str = "zero_copy_from_bytes";
const CONFLATE: &str = "conflate";
const LINGER: &str = "linger_ms";

/// All, with their defaults. An empty default leaves the choice to the profile.
pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        key: PATTERN,
        value: "pub_sub",
        doc: "Socket types: pub_sub (XPUB and SUB, topics are message prefixes) or push_pull (PUSH \
              and PULL, one reader per writer, no topics).",
    },
    OptionSpec {
        key: IO_THREADS,
        value: "1",
        doc: "ZMQ_IO_THREADS: threads of each participant for input and output, 1 to 64; over inproc \
              there is always one.",
    },
    OptionSpec {
        key: SEND_HWM,
        value: "",
        doc: "ZMQ_SNDHWM: messages that a writer queues for each reader, 0: no limit; the library \
              ships with 1000, of which no more are used than 256 MiB of the largest samples.",
    },
    OptionSpec {
        key: RECEIVE_HWM,
        value: "",
        doc: "ZMQ_RCVHWM: messages that a reader queues for each writer, 0: no limit; the library \
              ships with 1000, of which no more are used than 256 MiB of the largest samples.",
    },
    OptionSpec {
        key: SEND_BUFFER,
        value: "-1",
        doc: "ZMQ_SNDBUF: send buffer of each connection in bytes; -1 leaves the system's; more than \
              net.core.wmem_max is an error.",
    },
    OptionSpec {
        key: RECEIVE_BUFFER,
        value: "-1",
        doc: "ZMQ_RCVBUF: receive buffer of each connection in bytes; -1 leaves the system's; more \
              than net.core.rmem_max is an error.",
    },
    OptionSpec {
        key: ZERO_COPY,
        value: "",
        doc: "Bodies of so many bytes or more travel as a message part of their own whose memory is \
              shared instead of copied; 0: never. Profile default: 0; tuned: 8192.",
    },
    OptionSpec {
        key: CONFLATE,
        value: "false",
        doc: "ZMQ_CONFLATE: true makes a reader keep the newest message only; not together with \
              zero_copy_from_bytes.",
    },
    OptionSpec {
        key: LINGER,
        value: "1000",
        doc: "ZMQ_LINGER: how long a closed writer goes on sending what it has queued, in \
              milliseconds, 0 to 9000; the library ships with no limit.",
    },
];

/// Memory that a queue may take where its length is not set by an option.
const QUEUE_BYTES: u64 = 256 << 20;
/// `ZMQ_SNDHWM` and `ZMQ_RCVHWM` as shipped.
const SHIPPED_HWM: u64 = 1000;
/// From where the library sends a message from its own memory: its batches are of so many bytes
/// (`out_batch_size`). The guide (chapter 2, "Zero-Copy") advises it for "large blocks of memory
/// (thousands of bytes)".
const TUNED_ZERO_COPY: usize = 8192;

/// How writers and readers of a participant reach each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// TCP on the interface.
    Tcp,
    /// A Unix-domain socket in the run directory.
    Ipc,
    /// Memory of the process.
    Inproc,
}

/// Socket types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// XPUB and SUB.
    PubSub,
    /// PUSH and PULL.
    PushPull,
}

/// Options and configuration of a participant, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Of the participant.
    pub domain: u32,
    /// Its transport.
    pub transport: Transport,
    /// Its interface.
    pub interface: IpAddr,
    /// Where sockets of the file system are made.
    pub run_dir: String,
    /// Socket types.
    pub pattern: Pattern,
    /// Threads for input and output.
    pub io_threads: i32,
    /// Bytes of a connection's buffers; -1: the system's.
    pub send_buffer: i32,
    /// As above.
    pub receive_buffer: i32,
    /// Bodies from this size are shared; `None`: never.
    pub zero_copy_from: Option<usize>,
    /// Readers keep the newest message only.
    pub conflate: bool,
    /// Milliseconds.
    pub linger: i32,
    send_hwm: Option<i32>,
    receive_hwm: Option<i32>,
}

impl Settings {
    /// Checks what the border has not checked: values.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        let transport = match config.transport.as_str() {
            "ipc" => Transport::Ipc,
            "inproc" => Transport::Inproc,
            _ => Transport::Tcp,
        };
        let interface = config.interface_address.parse().map_err(|_| {
            Status::Invalid.error(format!("{:?} is not an IP address", config.interface_address))
        })?;
        let pattern = match config.option(OPTIONS, PATTERN) {
            "pub_sub" => Pattern::PubSub,
            "push_pull" => Pattern::PushPull,
            other => {
                let text = format!("option pattern: {other:?} is neither pub_sub nor push_pull");
                return Err(Status::Invalid.error(text));
            }
        };
        let zero_copy_from = match config.option(OPTIONS, ZERO_COPY) {
            "" if config.profile == "tuned" => Some(TUNED_ZERO_COPY),
            "" => None,
            _ => Some(config.number(OPTIONS, ZERO_COPY)?).filter(|bytes| *bytes > 0),
        };
        let conflate = match config.option(OPTIONS, CONFLATE) {
            "true" if zero_copy_from.is_some() => {
                let text = "option conflate: ZMQ_CONFLATE does not support messages of several \
                            parts, as zero_copy_from_bytes makes them";
                return Err(Status::Invalid.error(text));
            }
            "true" => true,
            "false" => false,
            other => {
                let text = format!("option conflate: {other:?} is neither true nor false");
                return Err(Status::Invalid.error(text));
            }
        };
        Ok(Self {
            domain: config.domain,
            transport,
            interface,
            run_dir: config.run_dir.clone(),
            pattern,
            io_threads: within(config, IO_THREADS, 1, 64)?,
            send_buffer: buffer(config, SEND_BUFFER, "wmem_max")?,
            receive_buffer: buffer(config, RECEIVE_BUFFER, "rmem_max")?,
            zero_copy_from,
            conflate,
            linger: within(config, LINGER, 0, 9000)?,
            send_hwm: limit(config, SEND_HWM)?,
            receive_hwm: limit(config, RECEIVE_HWM)?,
        })
    }

    /// Messages of at most this size that a writer queues.
    pub fn send_hwm(&self, message_bytes: u64) -> i32 {
        self.send_hwm.unwrap_or_else(|| shipped(message_bytes))
    }

    /// Messages of at most this size that a reader queues.
    pub fn receive_hwm(&self, message_bytes: u64) -> i32 {
        self.receive_hwm.unwrap_or_else(|| shipped(message_bytes))
    }
}

fn shipped(message_bytes: u64) -> i32 {
    (QUEUE_BYTES / message_bytes.max(1)).clamp(1, SHIPPED_HWM) as i32
}

fn within(config: &ParticipantConfig, key: &str, least: i32, most: i32) -> Result<i32> {
    let value = config.number(OPTIONS, key)?;
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    Err(Status::Invalid.error(format!("option {key}: {value} is not within {least} to {most}")))
}

fn limit(config: &ParticipantConfig, key: &str) -> Result<Option<i32>> {
    if config.option(OPTIONS, key).is_empty() {
        return Ok(None);
    }
    within(config, key, 0, i32::MAX).map(Some)
}

/// The library asks the kernel and does not look at what it got.
fn buffer(config: &ParticipantConfig, key: &str, limit: &str) -> Result<i32> {
    let bytes = within(config, key, -1, i32::MAX)?;
    let path = format!("/proc/sys/net/core/{limit}");
    let granted = std::fs::read_to_string(path).ok().and_then(|text| text.trim().parse().ok());
    match granted {
        Some(granted) if bytes > granted => Err(Status::Resources.error(format!(
            "{key} = {bytes}: the kernel grants {granted} bytes only; raise its limit with `sysctl \
             -w net.core.{limit}={bytes}` or ask for less"
        ))),
        _ => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(profile: &str, settings: &[(&str, &str)]) -> Result<Settings> {
        let pair = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        Settings::new(&ParticipantConfig {
            interface_address: "127.0.0.1".to_owned(),
            transport: "tcp".to_owned(),
            profile: profile.to_owned(),
            settings: settings.iter().map(pair).collect(),
            ..ParticipantConfig::default()
        })
    }

    #[test]
    fn queues_are_as_shipped_until_they_would_take_too_much_memory() {
        let shipped = settings("default", &[]).expect("the defaults");
        assert_eq!([shipped.send_hwm(64), shipped.receive_hwm(16 << 10)], [1000, 1000]);
        assert_eq!([shipped.send_hwm(1 << 20), shipped.send_hwm(1 << 30)], [256, 1]);
        let said = settings("default", &[(SEND_HWM, "7"), (RECEIVE_HWM, "0")]).expect("numbers");
        assert_eq!([said.send_hwm(1 << 30), said.receive_hwm(1 << 30)], [7, 0]);
    }

    #[test]
    fn a_profile_gives_way_to_an_option() {
        assert_eq!(settings("default", &[]).map(|s| s.zero_copy_from), Ok(None));
        assert_eq!(settings("tuned", &[]).map(|s| s.zero_copy_from), Ok(Some(8192)));
        assert_eq!(settings("tuned", &[(ZERO_COPY, "0")]).map(|s| s.zero_copy_from), Ok(None));
    }

    #[test]
    fn values_that_make_no_sense_are_refused() {
        let wrong: [&[(&str, &str)]; 7] = [
            &[(PATTERN, "pair")],
            &[(IO_THREADS, "0")],
            &[(SEND_HWM, "-1")],
            &[(SEND_BUFFER, "2147483647")],
            &[(CONFLATE, "yes")],
            &[(CONFLATE, "true"), (ZERO_COPY, "1")],
            &[(LINGER, "10000")],
        ];
        for options in wrong {
            assert!(settings("default", options).is_err(), "{options:?}");
        }
    }
}
