//! How far a client is: with its server, its warm-up, and what it is to send.

use super::control::{Control, STOPPED};
use crate::protocol::{RequestReport, RunReport};

/// A server that is there has answered the first request within this time, or the round fails, ns.
pub const AVAILABLE_NS: i64 = 10_000_000_000;
/// The first time-out of requests that ask whether a server is there, ns; each further one is twice as long.
pub const ASKED_NS: i64 = 5_000_000;
/// How long a thread waits before it looks at its time-outs, at most, ns.
pub const LOOK_NS: i64 = 20_000_000;

/// What a closed loop is to do.
#[derive(PartialEq)]
pub enum Order {
    Send,
    /// It comes back until the pause ends.
    Pause,
    Stop,
}

/// Times and counts of a client. Only its sending thread touches them.
pub struct Progress {
    pub started_ns: i64,
    pub begin_ns: i64,
    pub last_ns: i64,
    pub end_ns: i64,
    pub ended: &'static str,
    pub blocked: u64,
    /// Requests of the measured time that the middleware did not take within the time-out.
    pub refused: u64,
    /// What of the control cell was looked at last.
    pub seen: u32,
    pub available_ns: Option<i64>,
    /// Requests before the first response.
    pub ignored: u64,
}

impl Progress {
    pub fn new() -> Self {
        Self {
            started_ns: 0,
            begin_ns: 0,
            last_ns: 0,
            end_ns: 0,
            ended: "duration",
            blocked: 0,
            refused: 0,
            seen: 0,
            available_ns: None,
            ignored: 0,
        }
    }

    /// The measurement begins.
    pub fn begin(&mut self, control: &Control, now: i64) {
        (self.begin_ns, self.last_ns, self.end_ns) = (now, now, now);
        control.begins(now);
    }

    /// Takes what is asked of a closed loop. Hot.
    #[inline]
    pub fn obey(&mut self, control: &Control) -> Order {
        if control.is_new(self.seen) { self.obey_new(control) } else { Order::Send }
    }

    #[cold]
    fn obey_new(&mut self, control: &Control) -> Order {
        let wanted = control.take(&mut self.seen);
        if wanted.stopped {
            self.ended = STOPPED;
            Order::Stop
        } else if wanted.paused {
            self.seen = self.seen.wrapping_sub(1);
            Order::Pause
        } else {
            Order::Send
        }
    }

    /// The report of a run of this role in which `sent` requests or goals were sent.
    pub fn run_report(&self, role: &str, writer: u32, sent: u64) -> RunReport {
        RunReport {
            role: role.into(),
            writer,
            sent,
            begin_ns: self.begin_ns,
            last_ns: self.last_ns,
            end_ns: self.end_ns,
            warmup_ns: self.begin_ns - self.started_ns,
            ended: self.ended.into(),
            blocked: self.blocked,
        }
    }

    /// What became of requests, as far as the sending thread knows.
    pub fn request_report(&self, by_topics: bool) -> RequestReport {
        RequestReport {
            by_topics,
            refused: self.refused,
            available_ns: self.available_ns,
            ignored: self.ignored,
            ..RequestReport::default()
        }
    }
}
