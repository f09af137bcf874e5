//! The adapter's options: `matrix.option.nats.KEY` in a scenario.

use busmark_adapter::{OptionSpec, ParticipantConfig, Result, Setting};

/// All, with their defaults. An empty default leaves the choice to the profile.
pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        key: "server",
        value: "",
        doc: "The server, HOST:PORT; empty: the run starts nats-server. With the security profile tls \
              HOST:PORT/NAME, where its certificate has another name than HOST.",
    },
    OptionSpec {
        key: "send_asap",
        value: "",
        doc: "natsOptions_SetSendAsap: true sends each sample from within the write, false leaves \
              sending to a thread of the client that gathers; it ships with false.",
    },
    OptionSpec {
        key: "max_payload",
        value: "16778240",
        doc: "Bytes of the largest message that the started server admits (max_payload), header \
              included; it ships with 1048576. A limit only: smaller messages do not notice it.",
    },
];

/// The options that shape connection and server, read.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Each sample is sent at once.
    pub send_asap: bool,
    /// Bytes of the largest message.
    pub max_payload: u32,
}

impl Settings {
    /// Reads and checks them.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        let set = |key| config.setting(OPTIONS, key);
        let send_asap = set("send_asap").optional(Setting::flag)?;
        Ok(Self {
            send_asap: send_asap.unwrap_or(config.tuned()),
            max_payload: set("max_payload").number()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use busmark_adapter::Status;

    use super::*;

    fn with(profile: &str, key: &str, value: &str) -> Result<Settings> {
        Settings::new(&ParticipantConfig {
            profile: profile.into(),
            settings: vec![(key.into(), value.into())],
            ..ParticipantConfig::default()
        })
    }

    #[test]
    fn the_profile_decides_on_sending_at_once_unless_it_is_set() {
        assert!(!with("default", "send_asap", "").expect("settings").send_asap);
        assert!(with("tuned", "send_asap", "").expect("settings").send_asap);
        assert!(!with("tuned", "send_asap", "false").expect("settings").send_asap);
    }

    #[test]
    fn values_that_mean_nothing_are_refused() {
        for (key, value) in [("send_asap", "perhaps"), ("max_payload", "much")] {
            let error = with("default", key, value).expect_err(key);
            assert_eq!(error.status, Status::Invalid, "{error}");
        }
    }
}
