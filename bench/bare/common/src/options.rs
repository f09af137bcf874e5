//! The command line.

/// What this process does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Times round trips.
    Ping,
    /// Answers.
    Pong,
    /// Sends a stream.
    Pub,
    /// Counts it.
    Sub,
    /// Calls a service, and times its responses.
    Call,
    /// Is the service.
    Serve,
}

/// How it waits for samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    /// The library calls back.
    Listener,
    /// The main thread sleeps until there is something.
    Waitset,
}

/// What the user asked for.
#[derive(Clone, Debug)]
pub struct Options {
    /// What this process does.
    pub role: Role,
    /// How it waits.
    pub wait: Wait,
    /// Bytes of the body; the header's come on top.
    pub size: usize,
    /// Samples of the measurement.
    pub count: usize,
    /// Samples before it.
    pub warmup: usize,
    /// What the passive side printed; at that side a place that nobody else uses.
    pub address: String,
    /// Where the server listens: `HOST:PORT`.
    pub server: String,
}

const USAGE: &str = "pong|ping|sub|pub|serve|call [--wait listener|waitset] [--size BYTES] [--count N] \
[--warmup N] [--address ADDRESS] [--server HOST:PORT]";

impl Options {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let role = match words.next().as_deref() {
            Some("ping") => Role::Ping,
            Some("pong") => Role::Pong,
            Some("pub") => Role::Pub,
            Some("sub") => Role::Sub,
            Some("call") => Role::Call,
            Some("serve") => Role::Serve,
            _ => return Err(USAGE.to_owned()),
        };
        let mut options = Self {
            role,
            wait: Wait::Listener,
            size: 64,
            count: 10_000,
            warmup: 1_000,
            address: String::new(),
            server: String::new(),
        };
        while let Some(key) = words.next() {
            let value = words.next().ok_or_else(|| format!("{key} has no value"))?;
            let number = || value.parse().map_err(|_| format!("{key} {value}: not a number"));
            match (key.as_str(), value.as_str()) {
                ("--wait", "listener") => options.wait = Wait::Listener,
                ("--wait", "waitset") => options.wait = Wait::Waitset,
                ("--size", _) => options.size = number()?,
                ("--count", _) => options.count = number()?.max(1),
                ("--warmup", _) => options.warmup = number()?,
                ("--address", _) => options.address = value,
                ("--server", _) => options.server = value,
                _ => return Err(format!("{key} {value}: not understood; {USAGE}")),
            }
        }
        Ok(options)
    }

    /// Whether this side begins, and waits for the other one to call it by its address.
    #[must_use]
    pub fn is_passive(&self) -> bool {
        matches!(self.role, Role::Pong | Role::Sub | Role::Serve)
    }

    /// Whether it is throughput that is measured.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        matches!(self.role, Role::Pub | Role::Sub)
    }

    /// A domain for both sides, where the middleware has numbers for them: the passive side's choice.
    pub fn domain(&self) -> Result<u32, String> {
        /// Domains that have ports, except some that are seldom used.
        const DOMAINS: u32 = 200;
        if self.is_passive() {
            return Ok(std::process::id() % DOMAINS + 1);
        }
        self.address.parse().map_err(|_| format!("--address {}: not a domain", self.address))
    }
}
