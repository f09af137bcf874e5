//! Which orders a member has had: so that one that comes again is not carried out again, and is answered
//! as before. Memory is bounded, whoever calls.

use std::collections::VecDeque;

use crate::message::{Answer, Asked};

/// Callers that are remembered; of more, the one that was heard longest ago is forgotten.
const CALLERS: usize = 256;
/// Answers that are kept to be given again.
const ANSWERS: usize = 256;
/// Orders that may wait for their answers.
const PENDING: usize = 256;

/// The state of an order.
#[derive(Debug)]
pub enum Standing {
    /// It has not come before.
    New,
    /// It is being carried out.
    Pending,
    /// It was answered with this answer.
    Answered(Answer),
    /// It is not above the last of its caller, and its answer is forgotten.
    Stale(u64),
    /// Too many orders are being carried out.
    Busy,
}

/// The orders of all callers.
#[derive(Default)]
pub struct Orders {
    /// The last number of each caller; who was heard last is at the end.
    last: VecDeque<(u64, u64)>,
    answers: VecDeque<Answer>,
    pending: Vec<(u64, u64, Option<Box<Asked>>)>,
}

impl Orders {
    /// The state of this order; a new one is pending from now on, and `asked` is kept for its answer.
    pub fn take(&mut self, caller: u64, id: u64, asked: Option<Box<Asked>>) -> Standing {
        if self.pending.iter().any(|(one, number, _)| (*one, *number) == (caller, id)) {
            return Standing::Pending;
        }
        if let Some(answer) = self.answers.iter().find(|a| (a.caller, a.id) == (caller, id)) {
            return Standing::Answered(answer.clone());
        }
        let known = self.last.iter().position(|(one, _)| *one == caller);
        if let Some(last) = known.map(|at| self.last[at].1)
            && id <= last
        {
            return Standing::Stale(last);
        }
        if self.pending.len() >= PENDING {
            return Standing::Busy;
        }
        if let Some(at) = known {
            self.last.remove(at);
        } else if self.last.len() >= CALLERS {
            self.last.pop_front();
        }
        self.last.push_back((caller, id));
        self.pending.push((caller, id, asked));
        Standing::New
    }

    /// The question of an order that waits for its answer.
    pub fn asked(&mut self, caller: u64, id: u64) -> Option<Box<Asked>> {
        let mut pending = self.pending.iter_mut();
        pending.find(|(one, number, _)| (*one, *number) == (caller, id))?.2.take()
    }

    /// An order has been answered.
    pub fn answered(&mut self, answer: &Answer) {
        self.pending.retain(|(one, number, _)| (*one, *number) != (answer.caller, answer.id));
        if self.answers.len() >= ANSWERS {
            self.answers.pop_front();
        }
        self.answers.push_back(answer.clone());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn answer(caller: u64, id: u64) -> Answer {
        Answer { caller, id, ok: true, result: None, error: None, order: None }
    }

    #[test]
    fn an_order_is_carried_out_once_and_answered_as_often_as_it_comes() {
        let mut orders = Orders::default();
        assert!(matches!(orders.take(7, 1, None), Standing::New));
        assert!(matches!(orders.take(7, 1, None), Standing::Pending));
        orders.answered(&answer(7, 1));
        assert!(matches!(
            orders.take(7, 1, None),
            Standing::Answered(Answer { caller: 7, id: 1, .. })
        ));
        assert!(
            matches!(orders.take(8, 1, None), Standing::New),
            "another caller counts for itself"
        );
    }

    #[test]
    fn what_is_older_than_the_last_of_its_caller_is_stale() {
        let mut orders = Orders::default();
        assert!(matches!(orders.take(7, 5, None), Standing::New));
        assert!(matches!(orders.take(7, 4, None), Standing::Stale(5)));
        assert!(matches!(orders.take(7, 6, None), Standing::New));
    }

    proptest! {
        #[test]
        fn memory_is_bounded_and_no_order_is_new_twice_in_a_row(
            calls in proptest::collection::vec((0_u64..2000, 1_u64..5, any::<bool>()), 0..3000)
        ) {
            let mut orders = Orders::default();
            for (caller, id, answers) in calls {
                if matches!(orders.take(caller, id, None), Standing::New) {
                    prop_assert!(!matches!(orders.take(caller, id, None), Standing::New));
                    if answers {
                        orders.answered(&answer(caller, id));
                    }
                }
                prop_assert!(orders.last.len() <= CALLERS);
                prop_assert!(orders.answers.len() <= ANSWERS);
                prop_assert!(orders.pending.len() <= PENDING);
            }
        }
    }
}
