//! The adapter's options: `matrix.option.zerodds-xrce.KEY` in a scenario.

use busmark_adapter::{Header, OptionSpec, ParticipantConfig, Result, Setting};

/// Messages of a reliable stream that are not acknowledged, at most: the crate's, and not to be changed.
pub const WINDOW: usize = 16;
/// Bytes of a message without its body: header of the message, header of the submessage.
const MESSAGE_HEAD: usize = 4;
const SUBMESSAGE_HEAD: usize = 4;
/// Request and object at the head of a `WRITE_DATA`.
const REQUEST: usize = 4;
/// What a sample has besides the body: header, discriminator, length.
const AROUND_BODY: usize = Header::BYTES + 8;
/// The crate's default.
const MTU: &str = "508";
/// As many octets of a body as the messages in flight hold with the default MTU.
pub const LARGEST_BODY: u64 = 7680;

/// All, with their defaults.
pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        key: "server",
        value: "",
        doc: "The agent, HOST:PORT; empty: the run starts zerodds-xrce-agent.",
    },
    OptionSpec {
        key: "agents",
        value: "1",
        doc: "Agents that the run starts. 1: all clients are at one; 2: those that ping or publish are at one, \
              the others at another, and DDS joins the two.",
    },
    OptionSpec {
        key: "mtu",
        value: MTU,
        doc: "XrceClient::set_requested_mtu, bytes: larger messages of a reliable stream are sent in fragments.",
    },
    OptionSpec {
        key: "number_best_effort",
        value: "false",
        doc: "true: messages of the best-effort stream are numbered on their way to the socket. The client \
              numbers all with 0, and the agent discards all but the first. A workaround: what it measures \
              is not the client as it is shipped.",
    },
    OptionSpec {
        key: "nodelay",
        value: "true",
        doc: "TCP_NODELAY of the client's connection, as the crate's own transport sets it; the agent sets none.",
    },
    OptionSpec {
        key: "client_key",
        value: "",
        doc: "Key of the client, 8 hexadecimal digits; empty: one of its own for each.",
    },
    OptionSpec {
        key: "settle_ms",
        value: "1000",
        doc: "Milliseconds that endpoints are given to be matched by the agent: a client is not told of it.",
    },
];

/// The options, read.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Bytes of the largest message.
    pub mtu: u16,
    /// Whether best-effort messages are numbered.
    pub number_best_effort: bool,
    /// `TCP_NODELAY`.
    pub nodelay: bool,
    /// The client's key, where it is given.
    pub client_key: Option<[u8; 4]>,
    /// How long endpoints are given to be matched.
    pub settle_ms: u64,
}

impl Settings {
    /// Reads and checks them.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        let set = |key| config.setting(OPTIONS, key);
        set("agents").within(1..=2)?;
        Ok(Self {
            mtu: set("mtu").within(64..=65_000)?,
            number_best_effort: set("number_best_effort").flag()?,
            nodelay: set("nodelay").flag()?,
            client_key: set("client_key").optional(key)?,
            settle_ms: set("settle_ms").within(0..=60_000)?,
        })
    }

    /// Messages that a sample of this many bytes takes on a reliable stream.
    pub fn messages(&self, sample: usize) -> usize {
        let whole = SUBMESSAGE_HEAD + REQUEST + sample;
        let mtu = usize::from(self.mtu);
        if MESSAGE_HEAD + whole <= mtu {
            return 1;
        }
        whole.div_ceil(mtu - MESSAGE_HEAD - SUBMESSAGE_HEAD)
    }

    /// Whether samples with such bodies can be sent.
    pub fn carries(&self, body: u64) -> bool {
        usize::try_from(body).is_ok_and(|body| self.messages(AROUND_BODY + body) <= WINDOW)
    }
}

fn key(setting: Setting<'_>) -> Result<[u8; 4]> {
    let digits = setting.text.len() == 8;
    match u32::from_str_radix(setting.text, 16) {
        Ok(key) if digits && key != 0 => Ok(key.to_be_bytes()),
        _ => Err(setting.invalid("8 hexadecimal digits, not all 0")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(key: &str, value: &str) -> Result<Settings> {
        let settings = vec![(key.to_owned(), value.to_owned())];
        Settings::new(&ParticipantConfig { settings, ..ParticipantConfig::default() })
    }

    #[test]
    fn a_large_sample_takes_as_many_messages_as_the_mtu_says() {
        let settings = with("mtu", "508").expect("valid");
        assert_eq!([settings.messages(496), settings.messages(497)], [1, 2]);
        assert!(settings.carries(LARGEST_BODY));
        assert!(!settings.carries(2 * LARGEST_BODY));
        assert!(with("mtu", "65000").expect("valid").carries(2 * LARGEST_BODY));
    }

    #[test]
    fn wrong_values_are_named() {
        for (key, value) in [
            ("agents", "3"),
            ("mtu", "10"),
            ("number_best_effort", "perhaps"),
            ("client_key", "0"),
            ("client_key", "00000000"),
            ("client_key", "x1234567"),
            ("settle_ms", "soon"),
        ] {
            let text = with(key, value).expect_err("refused").message;
            assert!(text.contains(key) && text.contains(value), "{text}");
        }
    }
}
