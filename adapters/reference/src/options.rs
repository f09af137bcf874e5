//! The adapter's options.

use busmark_adapter::{OptionSpec, ParticipantConfig, Result, Status};

use crate::faults::{Distribution, Faults, ServiceFaults};

pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        key: "seed",
        value: "1",
        doc: "Seed of all injected faults; the same seed does the same to the same samples.",
    },
    OptionSpec {
        key: "drop",
        value: "0",
        doc: "Fraction of samples that are lost, from 0 to 1, even when reliable.",
    },
    OptionSpec {
        key: "fail",
        value: "0",
        doc: "Fraction of writes and of requests that fail, from 0 to 1: nothing is sent, and the error \
              says so.",
    },
    OptionSpec {
        key: "duplicate",
        value: "0",
        doc: "Fraction of samples that are sent twice, from 0 to 1.",
    },
    OptionSpec {
        key: "reorder",
        value: "0",
        doc: "Fraction of samples that are held back and sent after the next one, from 0 to 1.",
    },
    OptionSpec {
        key: "corrupt",
        value: "0",
        doc: "Fraction of samples of whose body one bit is flipped, from 0 to 1.",
    },
    OptionSpec {
        key: "delay",
        value: "1",
        doc: "Fraction of samples and of responses that are delayed, from 0 to 1; without effect while \
              delay_us is 0.",
    },
    OptionSpec { key: "delay_us", value: "0", doc: "Mean delay in microseconds; 0: no delay." },
    OptionSpec {
        key: "delay_distribution",
        value: "constant",
        doc: "Distribution of delays: constant, uniform, exponential or normal; all but constant \
              let samples overtake each other.",
    },
    OptionSpec {
        key: "delay_spread_us",
        value: "0",
        doc: "Half width of uniform delays, standard deviation of normal ones, in microseconds.",
    },
    OptionSpec {
        key: "request_drop",
        value: "0",
        doc: "Fraction of requests that are lost, from 0 to 1, even when reliable.",
    },
    OptionSpec {
        key: "response_drop",
        value: "0",
        doc: "Fraction of responses that are lost, from 0 to 1, even when reliable.",
    },
    OptionSpec {
        key: "response_duplicate",
        value: "0",
        doc: "Fraction of responses that are sent twice, from 0 to 1.",
    },
    OptionSpec {
        key: "response_misroute",
        value: "0",
        doc: "Fraction of responses that another client gets instead, from 0 to 1; without effect while \
              the server has one client.",
    },
    OptionSpec {
        key: "max_samples",
        value: "4096",
        doc: "Samples, requests or responses that are stored when the QoS sets no limit, from 1.",
    },
];

/// The options as read.
#[derive(Clone, Debug)]
pub struct Options {
    pub faults: Faults,
    pub max_samples: usize,
}

impl Options {
    pub fn of(config: &ParticipantConfig) -> Result<Self> {
        let faults = Faults {
            seed: config.setting(OPTIONS, "seed").number()?,
            drop: fraction(config, "drop")?,
            fail: fraction(config, "fail")?,
            duplicate: fraction(config, "duplicate")?,
            reorder: fraction(config, "reorder")?,
            corrupt: fraction(config, "corrupt")?,
            delay: fraction(config, "delay")?,
            distribution: distribution(config)?,
            services: ServiceFaults {
                request_drop: fraction(config, "request_drop")?,
                response_drop: fraction(config, "response_drop")?,
                response_duplicate: fraction(config, "response_duplicate")?,
                response_misroute: fraction(config, "response_misroute")?,
            },
        };
        let max_samples = config.setting(OPTIONS, "max_samples").within(1..=usize::MAX)?;
        Ok(Self { faults, max_samples })
    }
}

fn fraction(config: &ParticipantConfig, key: &str) -> Result<f64> {
    config.setting(OPTIONS, key).within(0.0..=1.0)
}

fn distribution(config: &ParticipantConfig) -> Result<Distribution> {
    let mean_us: f64 = config.setting(OPTIONS, "delay_us").number()?;
    let spread_us: f64 = config.setting(OPTIONS, "delay_spread_us").number()?;
    let bad = |text: String| Err(Status::Invalid.error(text));
    if !(mean_us >= 0.0 && mean_us.is_finite() && spread_us >= 0.0 && spread_us.is_finite()) {
        return bad("options delay_us and delay_spread_us: must not be negative".to_owned());
    }
    let (mean, spread) = (mean_us * 1e3, spread_us * 1e3);
    Ok(match config.option(OPTIONS, "delay_distribution") {
        _ if mean == 0.0 => Distribution::None,
        "constant" => Distribution::Constant(mean),
        "uniform" if spread <= mean => Distribution::Uniform(mean, spread),
        "uniform" => return bad("option delay_spread_us: must not exceed delay_us".to_owned()),
        "exponential" => Distribution::Exponential(mean),
        "normal" => Distribution::Normal(mean, spread),
        other => {
            return bad(format!(
                "option delay_distribution: {other:?} is none of constant, uniform, exponential, \
                 normal"
            ));
        }
    })
}
