//! QoS as endpoints use it, with the defaults filled in.

use std::time::Duration;

use busmark_adapter::{EndpointConfig, Result, Status};

use crate::options::Options;

/// Block this long when the QoS does not say (the default of the DDS specification).
const BLOCKING: Duration = Duration::from_millis(100);

/// How many samples are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum History {
    /// At most the last so many.
    Last(usize),
    /// All; a writer waits when so many are stored.
    All(usize),
}

impl History {
    pub fn limit(self) -> usize {
        match self {
            Self::Last(n) | Self::All(n) => n,
        }
    }
}

/// Quality of service of one endpoint.
#[derive(Clone, Debug)]
pub struct Quality {
    pub reliable: bool,
    pub history: History,
    pub durable: bool,
    pub lifespan_ns: Option<i64>,
    pub deadline_ns: Option<i64>,
    pub separation_ns: Option<i64>,
    pub partition: String,
    pub blocking: Duration,
}

impl Quality {
    pub fn of(config: &EndpointConfig, options: &Options) -> Result<Self> {
        let qos = &config.qos;
        let bad = |text: &str| Status::Invalid.error(text);
        let limit = match qos.max_samples {
            Some(n) if n < 1 => return Err(bad("resource limits: max_samples must be at least 1")),
            Some(n) => n as usize,
            None => options.max_samples,
        };
        let history = match qos.keep_all {
            Some(false) if qos.depth < 1 => return Err(bad("keep last: depth must be at least 1")),
            Some(false) => History::Last((qos.depth as usize).min(limit)),
            Some(true) | None => History::All(limit),
        };
        let times = [qos.lifespan_ns, qos.deadline_ns, qos.time_based_filter_ns];
        if times.into_iter().flatten().any(|ns| ns <= 0) {
            return Err(bad("lifespan, deadline and time-based filter must be above zero"));
        }
        let blocking = u64::try_from(qos.max_blocking_ns)
            .map_err(|_| bad("max_blocking must not be negative"))?;
        Ok(Self {
            reliable: qos.reliable.unwrap_or(true),
            history,
            durable: qos.transient_local.unwrap_or(false),
            lifespan_ns: qos.lifespan_ns,
            deadline_ns: qos.deadline_ns,
            separation_ns: qos.time_based_filter_ns,
            partition: qos.partition.clone().unwrap_or_default(),
            blocking: if blocking == 0 { BLOCKING } else { Duration::from_nanos(blocking) },
        })
    }
}
