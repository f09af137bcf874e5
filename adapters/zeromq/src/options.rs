//! The adapter's options, and what a participant makes of them.

use std::net::IpAddr;

use busmark_adapter::{OptionSpec, ParticipantConfig, Result, Setting, Status};

const PATTERN: &str = "pattern";
const BIND: &str = "bind";
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
        key: BIND,
        value: "reader",
        doc: "Which side binds: reader (SUB or PULL binds, writers connect) or writer (PUB binds, \
              readers connect); writer goes with pattern pub_sub only.",
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
        doc: "Bodies of this many bytes or more travel as a message part of their own whose memory is \
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
        doc: "ZMQ_LINGER: how long a closed writer keeps sending what it has queued, in \
              milliseconds, 0 to 9000; the library ships with no limit.",
    },
];

/// Memory that a queue may take where its length is not set by an option.
const QUEUE_BYTES: u64 = 256 << 20;
/// `ZMQ_SNDHWM` and `ZMQ_RCVHWM` as shipped.
const SHIPPED_HWM: u64 = 1000;
/// Size from which the library sends a message from its own memory: its batches have this size
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

/// Which endpoints have locators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bind {
    /// Readers; writers connect.
    Reader,
    /// Writers; readers connect.
    Writer,
}

/// Options and configuration of a participant, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Domain of the participant.
    pub domain: u32,
    /// Its transport.
    pub transport: Transport,
    /// Its interface.
    pub interface: IpAddr,
    /// Where sockets of the file system are made.
    pub run_dir: String,
    /// Socket types.
    pub pattern: Pattern,
    /// Which side binds.
    pub bind: Bind,
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
        let set = |key| config.setting(OPTIONS, key);
        let limit = |setting: Setting| setting.within(0..=i32::MAX);
        let pattern = set(PATTERN)
            .choice(&[("pub_sub", Pattern::PubSub), ("push_pull", Pattern::PushPull)])?;
        let bind = set(BIND).choice(&[("reader", Bind::Reader), ("writer", Bind::Writer)])?;
        if bind == Bind::Writer && pattern == Pattern::PushPull {
            let text = "option bind: writers bind with pattern=pub_sub only";
            return Err(Status::Invalid.error(text));
        }
        let zero_copy_from = match set(ZERO_COPY).optional(Setting::number)? {
            None => config.tuned().then_some(TUNED_ZERO_COPY),
            Some(bytes) => Some(bytes).filter(|bytes| *bytes > 0),
        };
        let conflate = set(CONFLATE).flag()?;
        if conflate && zero_copy_from.is_some() {
            let text = "option conflate: ZMQ_CONFLATE does not support messages of several parts, as \
                        zero_copy_from_bytes makes them";
            return Err(Status::Invalid.error(text));
        }
        Ok(Self {
            domain: config.domain,
            transport,
            interface: config.interface()?,
            run_dir: config.run_dir.clone(),
            pattern,
            bind,
            io_threads: set(IO_THREADS).within(1..=64)?,
            send_buffer: set(SEND_BUFFER).buffer(-1..=i32::MAX, "wmem_max")?,
            receive_buffer: set(RECEIVE_BUFFER).buffer(-1..=i32::MAX, "rmem_max")?,
            zero_copy_from,
            conflate,
            linger: set(LINGER).within(0..=9000)?,
            send_hwm: set(SEND_HWM).optional(limit)?,
            receive_hwm: set(RECEIVE_HWM).optional(limit)?,
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
        let wrong: [&[(&str, &str)]; 9] = [
            &[(PATTERN, "pair")],
            &[(BIND, "both")],
            &[(BIND, "writer"), (PATTERN, "push_pull")],
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
