//! The adapter's options: `matrix.option.mqtt.KEY` in a scenario.

use busmark_adapter::{OptionSpec, ParticipantConfig, Result, Setting};

/// All, with their defaults. An empty default leaves the choice to the profile.
pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        key: "server",
        value: "",
        doc: "The broker: HOST:PORT, or unix:PATH with the transport unix; empty: the run starts \
              mosquitto. What is said of the broker below is then that broker's own business.",
    },
    OptionSpec {
        key: "nodelay",
        value: "",
        doc: "TCP_NODELAY in the broker (set_tcp_nodelay) and in the clients \
              (MOSQ_OPT_TCP_NODELAY): true or false; both ship with false.",
    },
    OptionSpec {
        key: "exactly_once",
        value: "false",
        doc: "true: reliable samples travel with QoS 2 (exactly once) and not with QoS 1 (at least \
              once).",
    },
    OptionSpec {
        key: "publish",
        value: "direct",
        doc: "direct: the writing thread sends; thread: a thread of the library sends \
              (mosquitto_loop_start), as it always does with exactly_once.",
    },
    OptionSpec {
        key: "retain",
        value: "false",
        doc: "true: the broker keeps the latest sample of a topic for readers that come later, \
              until its writer goes.",
    },
    OptionSpec {
        key: "max_inflight",
        value: "20",
        doc: "Reliable samples that may be unacknowledged between a client and the broker before \
              the next one waits (max_inflight_messages), 1 to 65535; both ship with 20.",
    },
    OptionSpec {
        key: "max_queued_messages",
        value: "0",
        doc: "Samples that the broker holds for a reader that lags before it drops further ones, \
              reliable or not; 0: no limit. It ships with 1000, which is no reliability.",
    },
];

/// The options that shape clients and broker, read.
#[derive(Clone, Debug)]
// Each is an option of its own.
#[allow(clippy::struct_excessive_bools)]
pub struct Settings {
    /// `TCP_NODELAY` on both sides.
    pub nodelay: bool,
    /// Reliable is QoS 2.
    pub exactly_once: bool,
    /// Writers send from a thread of the library.
    pub publish_by_thread: bool,
    /// The broker keeps the latest sample.
    pub retain: bool,
    /// Unacknowledged samples.
    pub max_inflight: u16,
    /// Samples held for a slow reader.
    pub max_queued_messages: u32,
}

impl Settings {
    /// Reads and checks them.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        let set = |key| config.setting(OPTIONS, key);
        let flag =
            |key, absent| set(key).optional(Setting::flag).map(|flag| flag.unwrap_or(absent));
        Ok(Self {
            nodelay: flag("nodelay", config.tuned())?,
            exactly_once: flag("exactly_once", false)?,
            publish_by_thread: set("publish").choice(&[("direct", false), ("thread", true)])?,
            retain: flag("retain", false)?,
            max_inflight: set("max_inflight").within(1..=u16::MAX)?,
            max_queued_messages: set("max_queued_messages").number()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use busmark_adapter::Status;

    use super::*;

    fn with(profile: &str, settings: &[(&str, &str)]) -> Result<Settings> {
        let settings = settings.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
        Settings::new(&ParticipantConfig {
            profile: profile.into(),
            settings,
            ..ParticipantConfig::default()
        })
    }

    #[test]
    fn the_profile_decides_on_nodelay_unless_it_is_set() {
        assert!(!with("default", &[]).expect("settings").nodelay);
        assert!(with("tuned", &[]).expect("settings").nodelay);
        assert!(!with("tuned", &[("nodelay", "false")]).expect("settings").nodelay);
    }

    #[test]
    fn values_that_mean_nothing_are_refused() {
        for (key, value) in [
            ("nodelay", "perhaps"),
            ("publish", "later"),
            ("max_inflight", "0"),
            ("max_inflight", "65536"),
            ("max_queued_messages", "-1"),
        ] {
            let error = with("default", &[(key, value)]).expect_err(key);
            assert_eq!(error.status, Status::Invalid, "{error}");
        }
    }
}
