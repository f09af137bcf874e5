//! The command line.

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Ping,
    Pong,
    Pub,
    Sub,
    Meet,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    Listener,
    Waitset,
    Poll,
}

pub struct Options {
    pub role: Role,
    pub wait: Wait,
    pub domain: u32,
    pub size: usize,
    pub count: usize,
    pub warmup: usize,
    /// Length of a stream; without it, `count` bounds the stream.
    pub seconds: Option<f64>,
    pub reliable: bool,
    /// Whether data has a receive thread of its own; without it as the library ships.
    pub receive_threads: Option<bool>,
    /// Whether writers gather samples into packets.
    pub batching: bool,
    pub cpu: Option<usize>,
    /// Topics of `meet`; a process has a writer and a reader of each.
    pub topics: usize,
    /// Processes that `meet`.
    pub processes: usize,
    /// Made by `busmark security init`, and the governance of it that is used; empty: not secured.
    pub security: String,
    pub security_profile: String,
}

/// Among which a side without `--domain` takes one.
const DOMAINS: u32 = 200;

const USAGE: &str = "bare-cyclonedds ping|pong|pub|sub|meet [--domain N] [--address N] \
[--wait listener|waitset|poll] [--size BYTES] [--count N] [--warmup N] [--seconds S] \
[--reliability reliable|best_effort] [--multiple-receive-threads true|false] \
[--write-batching true|false] [--cpu N] [--topics N] [--processes N] \
[--security DIR --security-profile NAME]";

impl Options {
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let role = match words.next().as_deref() {
            Some("ping") => Role::Ping,
            Some("pong") => Role::Pong,
            Some("pub") => Role::Pub,
            Some("sub") => Role::Sub,
            Some("meet") => Role::Meet,
            _ => return Err(USAGE.to_owned()),
        };
        let mut options = Self {
            role,
            wait: Wait::Listener,
            domain: std::process::id() % DOMAINS + 1,
            size: 64,
            count: 10_000,
            warmup: 1_000,
            seconds: None,
            reliable: true,
            receive_threads: None,
            batching: false,
            cpu: None,
            topics: 1,
            processes: 1,
            security: String::new(),
            security_profile: String::new(),
        };
        while let Some(key) = words.next() {
            let value = words.next().ok_or_else(|| format!("{key} has no value"))?;
            options.set(&key, &value)?;
        }
        if options.security.is_empty() != options.security_profile.is_empty() {
            return Err(USAGE.to_owned());
        }
        Ok(options)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match (key, value) {
            ("--wait", "listener") => self.wait = Wait::Listener,
            ("--wait", "waitset") => self.wait = Wait::Waitset,
            ("--wait", "poll") => self.wait = Wait::Poll,
            ("--reliability", "reliable") => self.reliable = true,
            ("--reliability", "best_effort") => self.reliable = false,
            ("--domain", _) => self.domain = number(key, value)?,
            // What the other side printed. That side itself may be told where to listen: it needs no
            // place.
            ("--address", _) => match self.role {
                Role::Ping | Role::Pub => self.domain = number(key, value)?,
                Role::Pong | Role::Sub | Role::Meet => {}
            },
            ("--size", _) => self.size = number(key, value)?,
            ("--count", _) => self.count = number(key, value)?,
            ("--warmup", _) => self.warmup = number(key, value)?,
            ("--seconds", _) => self.seconds = Some(number(key, value)?),
            ("--multiple-receive-threads", "true") => self.receive_threads = Some(true),
            ("--multiple-receive-threads", "false") => self.receive_threads = Some(false),
            ("--write-batching", "true") => self.batching = true,
            ("--write-batching", "false") => self.batching = false,
            ("--cpu", _) => self.cpu = Some(number(key, value)?),
            ("--topics", _) => self.topics = number(key, value)?,
            ("--processes", _) => self.processes = number(key, value)?,
            ("--security", _) => value.clone_into(&mut self.security),
            ("--security-profile", _) => value.clone_into(&mut self.security_profile),
            _ => return Err(format!("{key} {value}: not understood; {USAGE}")),
        }
        Ok(())
    }
}

fn number<T: std::str::FromStr>(key: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("{key} {value}: not a number"))
}
