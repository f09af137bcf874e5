//! The goals of an action's client, one row each: what is known of it, and whether it is under way.
//!
//! One thread sends goals; acceptances, results, answers to cancelling, feedback and statuses come by a
//! thread each. Each writes fields of its own; who ends a goal, its result or its time-out, is decided once.

use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};

use crate::protocol::GoalReport;

/// It was sent.
const SENT: u32 = 1;
/// It has its result, or will have none.
const OVER: u32 = 2;

/// What is known of a goal; times are 0 until known.
#[derive(Default)]
pub struct Goal {
    state: AtomicU32,
    intended_ns: AtomicI64,
    sent_ns: AtomicI64,
    accepted_ns: AtomicI64,
    first_feedback_ns: AtomicI64,
    feedback: AtomicU64,
    /// Which feedback messages came, at and below the highest received: one bit each, the highest first.
    window: AtomicU64,
    /// Above the index of the highest received.
    next: AtomicU64,
    /// Plus 1; 0: not known.
    feedback_sent: AtomicU64,
    feedback_total_ns: AtomicI64,
    feedback_most_ns: AtomicI64,
    statuses: AtomicU64,
    cancel_sent_ns: AtomicI64,
    cancel_answered_ns: AtomicI64,
    ended_ns: AtomicI64,
    result_ns: AtomicI64,
    cancelled: AtomicU32,
    refused: AtomicU32,
}

/// Sets a field. Hot.
#[inline]
fn set(field: &AtomicI64, value: i64) {
    field.store(value, Ordering::Relaxed);
}

fn known(field: &AtomicI64) -> Option<i64> {
    Some(field.load(Ordering::Relaxed)).filter(|value| *value != 0)
}

/// How a goal ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// When its result was in the client's hands.
    pub result_ns: i64,
    /// When the server had ended it.
    pub ended_ns: i64,
    /// Feedback messages that the server had sent.
    pub feedback_sent: u64,
    pub cancelled: bool,
}

impl Goal {
    /// It is about to be sent. Hot.
    #[inline]
    fn send(&self, intended_ns: i64, sent_ns: i64) {
        set(&self.intended_ns, intended_ns);
        set(&self.sent_ns, sent_ns);
        self.state.store(SENT, Ordering::Release);
    }

    /// It is accepted; false where that was known. Hot.
    #[inline]
    pub fn accept(&self, at_ns: i64) -> bool {
        let first = self.accepted_ns.load(Ordering::Relaxed) == 0;
        if first {
            set(&self.accepted_ns, at_ns);
        }
        first
    }

    /// A feedback message came, sent at that time; false for one that had come before, or that is too old to
    /// tell. Hot.
    #[inline]
    pub fn feed(&self, index: u64, sent_ns: i64, read_ns: i64) -> bool {
        let (next, mut window) =
            (self.next.load(Ordering::Relaxed), self.window.load(Ordering::Relaxed));
        if index >= next {
            let gap = index + 1 - next;
            window = if gap < 64 { window << gap } else { 0 } | 1;
            self.next.store(index + 1, Ordering::Relaxed);
        } else {
            let bit = next - 1 - index;
            if bit >= 64 || window & 1 << bit != 0 {
                return false;
            }
            window |= 1 << bit;
        }
        self.window.store(window, Ordering::Relaxed);
        if self.first_feedback_ns.load(Ordering::Relaxed) == 0 {
            set(&self.first_feedback_ns, read_ns);
        }
        let took = read_ns - sent_ns;
        self.feedback.fetch_add(1, Ordering::Relaxed);
        self.feedback_total_ns.fetch_add(took, Ordering::Relaxed);
        self.feedback_most_ns.fetch_max(took, Ordering::Relaxed);
        true
    }

    /// A status came. Hot.
    #[inline]
    pub fn count_status(&self) {
        self.statuses.fetch_add(1, Ordering::Relaxed);
    }

    /// It is about to be cancelled.
    pub fn cancel(&self, at_ns: i64) {
        set(&self.cancel_sent_ns, at_ns);
    }

    /// Cancelling is answered; false where that was known. Hot.
    #[inline]
    pub fn answer_cancel(&self, at_ns: i64) -> bool {
        let first = self.cancel_answered_ns.load(Ordering::Relaxed) == 0;
        if first {
            set(&self.cancel_answered_ns, at_ns);
        }
        first
    }

    /// Its result came. Hot.
    #[inline]
    fn finish(&self, of: &Outcome) {
        set(&self.result_ns, of.result_ns);
        set(&self.ended_ns, of.ended_ns);
        self.feedback_sent.store(of.feedback_sent + 1, Ordering::Relaxed);
        self.cancelled.store(u32::from(of.cancelled), Ordering::Relaxed);
    }

    /// When it was accepted.
    pub fn accepted_ns(&self) -> Option<i64> {
        known(&self.accepted_ns)
    }

    /// Whether it was asked to be cancelled.
    pub fn is_cancelled(&self) -> bool {
        known(&self.cancel_sent_ns).is_some()
    }

    /// Whether it has its result.
    pub fn has_result(&self) -> bool {
        known(&self.result_ns).is_some()
    }

    fn report(&self, number: u64) -> GoalReport {
        let count = |field: &AtomicU64| field.load(Ordering::Relaxed);
        GoalReport {
            number,
            intended_ns: self.intended_ns.load(Ordering::Relaxed),
            sent_ns: self.sent_ns.load(Ordering::Relaxed),
            accepted_ns: known(&self.accepted_ns),
            first_feedback_ns: known(&self.first_feedback_ns),
            feedback: count(&self.feedback),
            feedback_sent: count(&self.feedback_sent).checked_sub(1),
            feedback_total_ns: self.feedback_total_ns.load(Ordering::Relaxed),
            feedback_most_ns: self.feedback_most_ns.load(Ordering::Relaxed),
            statuses: count(&self.statuses),
            cancel_sent_ns: known(&self.cancel_sent_ns),
            cancel_answered_ns: known(&self.cancel_answered_ns),
            ended_ns: known(&self.ended_ns),
            result_ns: known(&self.result_ns),
            cancelled: self.cancelled.load(Ordering::Relaxed) != 0,
            refused: self.refused.load(Ordering::Relaxed) != 0,
        }
    }
}

/// All goals of a client, with the warm-up's: there from the start.
pub struct GoalRows {
    rows: Box<[Goal]>,
    sent: AtomicU64,
    under_way: AtomicU64,
}

impl GoalRows {
    /// Room for `capacity` goals. Every page is touched, so that none is first touched while measuring.
    pub fn new(capacity: usize) -> Self {
        let rows: Box<[Goal]> = (0..capacity).map(|_| Goal::default()).collect();
        for row in &rows {
            row.state.store(0, Ordering::Relaxed);
        }
        Self { rows, sent: AtomicU64::new(0), under_way: AtomicU64::new(0) }
    }

    pub fn capacity(&self) -> usize {
        self.rows.len()
    }

    /// How many were sent so far; the number of the next.
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Acquire)
    }

    /// Goals that have no result yet. Hot.
    #[inline]
    pub fn under_way(&self) -> u64 {
        self.under_way.load(Ordering::Acquire)
    }

    /// A goal that was sent; `None` for one that never was. Hot.
    #[inline]
    pub fn get(&self, number: u64) -> Option<&Goal> {
        (number < self.sent()).then(|| &self.rows[number as usize])
    }

    /// The next goal is about to be sent; `None` where there is no room. Hot.
    #[inline]
    pub fn begin(&self, intended_ns: i64, sent_ns: i64) -> Option<u64> {
        let number = self.sent();
        self.rows.get(number as usize)?.send(intended_ns, sent_ns);
        self.under_way.fetch_add(1, Ordering::AcqRel);
        self.sent.store(number + 1, Ordering::Release);
        Some(number)
    }

    /// Ends a goal that is under way; false where it has ended before. Hot.
    #[inline]
    fn end(&self, goal: &Goal) -> bool {
        let ended = goal.state.compare_exchange(SENT, OVER, Ordering::AcqRel, Ordering::Acquire);
        if ended.is_ok() {
            self.under_way.fetch_sub(1, Ordering::AcqRel);
        }
        ended.is_ok()
    }

    /// A result came; false where the goal has ended before: by another result, or by its time-out. Hot.
    #[inline]
    pub fn finish(&self, goal: &Goal, of: &Outcome) -> bool {
        let first = self.end(goal);
        if first {
            goal.finish(of);
        }
        first
    }

    /// It is refused, by the server or the middleware.
    #[cold]
    pub fn refuse(&self, goal: &Goal) -> bool {
        goal.refused.store(1, Ordering::Relaxed);
        self.end(goal)
    }

    /// Gives up goals that have no result in time: not accepted within `timeout_ns`, or without a result that
    /// long after they should have ended. Then moves `from`, below which none is under way, and gives each
    /// that is to `each`. Hot.
    #[inline]
    pub fn look(
        &self,
        from: &mut u64,
        now: i64,
        (time_ns, timeout_ns): (i64, i64),
        mut each: impl FnMut(u64, &Goal),
    ) {
        let mut all = true;
        for number in *from..self.sent() {
            let goal = &self.rows[number as usize];
            if goal.state.load(Ordering::Acquire) == SENT {
                let limit = match goal.accepted_ns() {
                    Some(accepted) => accepted + time_ns + timeout_ns,
                    None => goal.sent_ns.load(Ordering::Relaxed) + timeout_ns,
                };
                if now < limit || !self.end(goal) {
                    all = false;
                    each(number, goal);
                    continue;
                }
            }
            if all {
                *from = number + 1;
            }
        }
    }

    /// The goals from this one on, whose numbers then begin with 0.
    pub fn reports(&self, first: u64) -> Vec<GoalReport> {
        let rows = self.rows[..self.sent() as usize].iter().skip(first as usize);
        rows.enumerate().map(|(number, goal)| goal.report(number as u64)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESULT: Outcome =
        Outcome { result_ns: 90, ended_ns: 80, feedback_sent: 3, cancelled: false };

    fn one() -> GoalRows {
        let rows = GoalRows::new(2);
        assert_eq!(rows.begin(10, 11), Some(0));
        rows
    }

    #[test]
    fn a_goal_is_under_way_until_its_result_which_counts_once() {
        let rows = one();
        let goal = rows.get(0).expect("it was sent");
        assert!(goal.accept(20) && !goal.accept(21), "it is accepted once");
        assert_eq!(rows.under_way(), 1);
        assert!(rows.finish(goal, &RESULT) && !rows.finish(goal, &RESULT));
        assert_eq!(rows.under_way(), 0);
        let report = rows.reports(0)[0];
        assert_eq!((report.accepted_ns, report.result_ns), (Some(20), Some(90)));
        assert_eq!(report.feedback_sent, Some(3));
        assert!(rows.get(1).is_none(), "that one was never sent");
    }

    #[test]
    fn feedback_is_counted_once_in_whatever_order_it_comes() {
        let rows = one();
        let goal = rows.get(0).expect("it was sent");
        let new = [2, 0, 2, 5, 0, 1, 5].map(|index| goal.feed(index, 100, 100 + index as i64));
        assert_eq!(new, [true, true, false, true, false, true, false]);
        let report = rows.reports(0)[0];
        assert_eq!((report.feedback, report.first_feedback_ns), (4, Some(102)));
        assert_eq!((report.feedback_total_ns, report.feedback_most_ns), (8, 5));
        assert!(goal.feed(500, 0, 1) && !goal.feed(3, 0, 1), "it is too old");
    }

    #[test]
    fn a_goal_without_a_result_in_time_is_given_up() {
        let rows = one();
        rows.begin(10, 12);
        rows.get(1).expect("it was sent").accept(30);
        let look = |from: &mut u64, now| {
            let mut seen = Vec::new();
            rows.look(from, now, (100, 50), |number, _| seen.push(number));
            seen
        };
        let mut from = 0;
        assert_eq!(look(&mut from, 60), [0, 1]);
        assert_eq!((look(&mut from, 61), from), (vec![1], 1), "it was not accepted in time");
        assert_eq!(look(&mut from, 179), [1]);
        assert!(look(&mut from, 180).is_empty());
        assert_eq!((from, rows.under_way()), (2, 0));
        let late = rows.get(1).expect("it was sent");
        assert!(!rows.finish(late, &RESULT), "its result is late");
        assert_eq!(rows.reports(0)[1].result_ns, None);
    }

    #[test]
    fn a_goal_that_is_refused_ends_and_there_is_room_for_so_many() {
        let rows = one();
        assert!(rows.refuse(rows.get(0).expect("it was sent")));
        assert_eq!(rows.under_way(), 0);
        assert_eq!((rows.begin(1, 1), rows.begin(1, 1)), (Some(1), None));
        assert!(rows.reports(0)[0].refused);
        assert_eq!(rows.reports(1).len(), 1, "goals of the warm-up are left out");
    }
}
