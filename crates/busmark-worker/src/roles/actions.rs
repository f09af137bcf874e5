//! An action as ROS 2 defines it (design.ros2.org/articles/actions), composed of its parts: the services
//! `send_goal`, `get_result` and `cancel_goal`, and the topics feedback and status.
//!
//! Each service is the middleware's own, or goes by two topics where it has none. ROS names the parts
//! `NAME/_action/send_goal` and so on; of these names what every middleware allows remains. A goal is known
//! by its client and number, which stand in Busmark's header as everything else that ROS's messages hold:
//! the body of a goal, a result and feedback is what a user would fill.

use busmark_adapter::{Error, Header, ReaderHandle, ServiceHandle, Side, WriterHandle};

use super::Context;
use super::service_end::ServiceEnd;
use crate::protocol::{Goals, StreamSpec};

/// Bytes of all messages but goals, results and feedback: an identity, a time, a status.
pub const SMALL: usize = 32;

/// In a response: the server refuses. No flag of the contract has this bit.
pub const REFUSED: u32 = 1 << 8;
/// In a result: the goal was cancelled.
pub const CANCELLED: u32 = 1 << 9;

/// States that a server publishes, by their numbers in ROS (`action_msgs/msg/GoalStatus`).
pub mod status {
    pub const ACCEPTED: i64 = 1;
    pub const EXECUTING: i64 = 2;
    pub const SUCCEEDED: i64 = 4;
    pub const CANCELLED: i64 = 5;
}

/// Names of the parts of an action.
pub struct Names {
    pub services: [String; 3],
    pub feedback: String,
    pub status: String,
}

impl Names {
    pub fn new(action: &str) -> Self {
        let of = |part: &str| format!("{action}_action_{part}");
        Self {
            services: ["send_goal", "get_result", "cancel_goal"].map(of),
            feedback: of("feedback"),
            status: of("status"),
        }
    }
}

/// The three services of an action, of one side.
pub struct Services {
    pub goal: ServiceEnd,
    pub result: ServiceEnd,
    pub cancel: ServiceEnd,
}

impl Services {
    pub fn new(
        context: &Context,
        names: &Names,
        stream: &StreamSpec,
        side: Side,
        id: u32,
    ) -> Result<Self, Error> {
        let make = |name: &String| {
            let mut config = stream.endpoint(name);
            config.max_body_bytes = config.max_body_bytes.max(SMALL as u64);
            ServiceEnd::new(context, &config, side, id)
        };
        let [goal, result, cancel] = &names.services;
        Ok(Self { goal: make(goal)?, result: make(result)?, cancel: make(cancel)? })
    }

    fn all(&self) -> [&ServiceEnd; 3] {
        [&self.goal, &self.result, &self.cancel]
    }

    pub fn by_topics(&self) -> bool {
        self.goal.native().is_none()
    }

    pub fn writers(&self) -> Vec<(&str, &WriterHandle)> {
        self.all().into_iter().filter_map(ServiceEnd::writer).collect()
    }

    pub fn readers(&self) -> Vec<(&str, &ReaderHandle)> {
        self.all().into_iter().filter_map(ServiceEnd::reader).collect()
    }

    pub fn native(&self) -> Vec<(&str, &ServiceHandle)> {
        self.all().into_iter().filter_map(ServiceEnd::named).collect()
    }
}

impl Goals {
    /// Feedback messages that are due when a goal has been under way for this long. The first is due at once.
    pub fn feedback_due(&self, elapsed_ns: i64) -> u64 {
        if self.feedback_ns == 0 || self.time_ns == 0 || elapsed_ns < 0 {
            return 0;
        }
        // None at its end: the result comes then.
        (elapsed_ns.min(self.time_ns - 1) / self.feedback_ns) as u64 + 1
    }

    /// Whether the client cancels its goal of this number: the last of each `cancel_every`.
    pub fn is_cancelled(&self, number: u64) -> bool {
        self.cancel_every != 0 && number % self.cancel_every == self.cancel_every - 1
    }
}

/// Whether an answer is to this client of this run, with what else it must not be counted as.
pub fn is_own(header: &Header, cookie: u64, id: u32) -> bool {
    header.cookie == cookie && header.answers() == id
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goals(time_ns: i64, feedback_ns: i64, cancel_every: u64) -> Goals {
        Goals { time_ns, feedback_ns, cancel_every }
    }

    #[test]
    fn parts_have_names_that_every_middleware_allows() {
        let names = Names::new("fly");
        assert_eq!(names.services[0], "fly_action_send_goal");
        assert_eq!(names.feedback, "fly_action_feedback");
    }

    #[test]
    fn feedback_is_due_at_once_then_each_period_and_not_at_the_end() {
        let of = goals(100, 20, 0);
        let due: Vec<_> = [0, 19, 20, 99, 100, 500].map(|at| of.feedback_due(at)).into();
        assert_eq!(due, [1, 1, 2, 5, 5, 5]);
        assert_eq!(goals(100, 0, 0).feedback_due(50), 0, "none is asked for");
        assert_eq!(goals(0, 20, 0).feedback_due(50), 0, "such a goal is over at once");
        assert_eq!(goals(50, 100, 0).feedback_due(49), 1);
    }

    #[test]
    fn one_in_so_many_goals_is_cancelled() {
        let cancelled: Vec<_> =
            (0..9).filter(|number| goals(1, 1, 3).is_cancelled(*number)).collect();
        assert_eq!(cancelled, [2, 5, 8]);
        assert!(!goals(1, 1, 0).is_cancelled(0));
        assert!(goals(1, 1, 1).is_cancelled(0));
    }
}
