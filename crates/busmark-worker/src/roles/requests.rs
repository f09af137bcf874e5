//! The requests of a client that have no response yet, and what becomes of them.
//!
//! One thread sends, one takes responses; in a closed loop it is the same. Each request has an entry in a
//! ring by its ordinal number, counted from the first request of the warm-up on. The number that the
//! middleware gives a request is known when the call that sends it returns, which may be after its
//! response has come: whoever comes second compares.

use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};

/// No number yet.
const UNKNOWN: u64 = u64::MAX;

/// A request waits for its response.
const WAITING: u32 = 1;
/// It has one.
const ANSWERED: u32 = 2;
/// It had none in time.
const OVERDUE: u32 = 3;
/// It was not sent.
const REFUSED: u32 = 4;

#[derive(Default)]
struct Entry {
    ordinal: AtomicU64,
    number: AtomicU64,
    state: AtomicU32,
    sent_ns: AtomicI64,
}

/// What a response is to its client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The response that was waited for.
    Awaited,
    /// One that came after its time-out.
    Late,
    /// A further one to a request that has one.
    Again,
    /// To a request that the client never sent, or to another than it says.
    Misrouted,
}

/// Least number of entries: where a response is lost, entries of later requests are kept until it is
/// overdue.
const LEAST: usize = 1 << 16;

/// Requests under way.
pub struct Requests {
    entries: Box<[Entry]>,
    /// Requests so far.
    sent: AtomicU64,
    /// Requests that wait for a response.
    waiting: AtomicU64,
    /// All before this one have a response, or will have none.
    settled: AtomicU64,
    /// Responses whose number was not the one of the request that they named.
    misnamed: AtomicU64,
}

impl Requests {
    /// Makes room for this number of requests under way.
    pub fn new(most: usize) -> Self {
        Self::with_entries((most * 2).max(LEAST))
    }

    fn with_entries(least: usize) -> Self {
        let room = least.next_power_of_two();
        Self {
            entries: (0..room).map(|_| Entry::default()).collect(),
            sent: AtomicU64::new(0),
            waiting: AtomicU64::new(0),
            settled: AtomicU64::new(0),
            misnamed: AtomicU64::new(0),
        }
    }

    fn entry(&self, ordinal: u64) -> &Entry {
        &self.entries[ordinal as usize & (self.entries.len() - 1)]
    }

    /// How many were sent so far; the ordinal number of the next.
    #[inline]
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Acquire)
    }

    /// Whether every request has a response, or will have none.
    #[inline]
    pub fn all_settled(&self) -> bool {
        self.settled.load(Ordering::Acquire) == self.sent()
    }

    /// Requests that wait for a response. Hot.
    #[inline]
    pub fn waiting(&self) -> u64 {
        self.waiting.load(Ordering::Acquire)
    }

    /// Whether there is room for one more. Hot.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.sent() - self.settled.load(Ordering::Acquire) < self.entries.len() as u64
    }

    /// The next request is about to be sent. Hot.
    #[inline]
    pub fn begin(&self, sent_ns: i64) -> u64 {
        let ordinal = self.sent.load(Ordering::Relaxed);
        let entry = self.entry(ordinal);
        entry.ordinal.store(ordinal, Ordering::Relaxed);
        entry.number.store(UNKNOWN, Ordering::Relaxed);
        entry.sent_ns.store(sent_ns, Ordering::Relaxed);
        entry.state.store(WAITING, Ordering::Release);
        self.waiting.fetch_add(1, Ordering::AcqRel);
        self.sent.store(ordinal + 1, Ordering::Release);
        ordinal
    }

    /// The middleware has sent it, under this number. Hot.
    #[inline]
    pub fn name(&self, ordinal: u64, number: u64) {
        let known = self.entry(ordinal).number.compare_exchange(
            UNKNOWN,
            number,
            Ordering::AcqRel,
            Ordering::Acquire,
        );
        if known.is_err_and(|by_response| by_response != number) {
            self.misnamed.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The middleware has not sent it.
    #[cold]
    pub fn refuse(&self, ordinal: u64) {
        self.entry(ordinal).state.store(REFUSED, Ordering::Release);
        self.waiting.fetch_sub(1, Ordering::AcqRel);
    }

    /// A response to this request has come, by this number. Hot.
    #[inline]
    pub fn answer(&self, ordinal: u64, number: u64) -> Answer {
        let entry = self.entry(ordinal);
        if ordinal >= self.sent() {
            return Answer::Misrouted;
        }
        if entry.ordinal.load(Ordering::Relaxed) != ordinal {
            return Answer::Late; // so late that its entry is another's
        }
        let known =
            entry.number.compare_exchange(UNKNOWN, number, Ordering::AcqRel, Ordering::Acquire);
        if known.is_err_and(|by_request| by_request != number) {
            return Answer::Misrouted;
        }
        match entry.state.load(Ordering::Acquire) {
            WAITING => {
                entry.state.store(ANSWERED, Ordering::Release);
                self.waiting.fetch_sub(1, Ordering::AcqRel);
                Answer::Awaited
            }
            ANSWERED => Answer::Again,
            OVERDUE => Answer::Late,
            _ => Answer::Misrouted,
        }
    }

    /// Moves on over requests that are settled; those sent before `limit_ns` without a response are
    /// overdue, and `overdue` is called with the number of each. Hot.
    #[inline]
    pub fn settle(&self, limit_ns: i64, mut overdue: impl FnMut(u64)) {
        let (mut at, sent) = (self.settled.load(Ordering::Relaxed), self.sent());
        let before = at;
        while at < sent {
            let entry = self.entry(at);
            if entry.state.load(Ordering::Acquire) == WAITING {
                if entry.sent_ns.load(Ordering::Relaxed) >= limit_ns {
                    break;
                }
                entry.state.store(OVERDUE, Ordering::Release);
                self.waiting.fetch_sub(1, Ordering::AcqRel);
                let number = entry.number.load(Ordering::Acquire);
                if number != UNKNOWN {
                    overdue(number);
                }
            }
            at += 1;
        }
        if at != before {
            self.settled.store(at, Ordering::Release);
        }
    }

    /// Responses found to be misrouted when the number of their request became known.
    pub fn misnamed(&self) -> u64 {
        self.misnamed.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(requests: &Requests, at_ns: i64, number: u64) -> u64 {
        let ordinal = requests.begin(at_ns);
        requests.name(ordinal, number);
        ordinal
    }

    #[test]
    fn a_response_is_awaited_once() {
        let requests = Requests::with_entries(2);
        let (first, second) = (sent(&requests, 1, 70), sent(&requests, 2, 71));
        assert_eq!(requests.answer(second, 71), Answer::Awaited);
        assert_eq!(requests.answer(second, 71), Answer::Again);
        assert_eq!(requests.waiting(), 1);
        assert!(!requests.has_room(), "the first is still under way");
        assert_eq!(requests.answer(first, 70), Answer::Awaited);
        requests.settle(0, |_| ());
        assert!(requests.all_settled() && requests.has_room());
    }

    #[test]
    fn a_response_with_the_number_of_another_request_is_misrouted() {
        let requests = Requests::new(2);
        let first = sent(&requests, 1, 70);
        sent(&requests, 2, 71);
        assert_eq!(requests.answer(first, 71), Answer::Misrouted);
        assert_eq!(requests.answer(5, 70), Answer::Misrouted, "never sent");
    }

    #[test]
    fn a_number_that_is_known_after_the_response_is_compared_all_the_same() {
        let requests = Requests::new(1);
        let first = requests.begin(1);
        assert_eq!(requests.answer(first, 9), Answer::Awaited);
        requests.name(first, 9);
        assert_eq!(requests.misnamed(), 0);
        requests.settle(0, |_| ());
        let second = requests.begin(1);
        assert_eq!(requests.answer(second, 9), Answer::Awaited);
        requests.name(second, 10);
        assert_eq!(requests.misnamed(), 1);
    }

    #[test]
    fn what_is_overdue_is_given_up_once_and_its_response_is_late() {
        let requests = Requests::new(4);
        let first = sent(&requests, 10, 70);
        sent(&requests, 20, 71);
        let mut given_up = Vec::new();
        requests.settle(15, |number| given_up.push(number));
        requests.settle(15, |number| given_up.push(number));
        assert_eq!(given_up, [70]);
        assert_eq!(requests.answer(first, 70), Answer::Late);
        assert!(!requests.all_settled());
    }

    #[test]
    fn a_response_after_its_entry_is_anothers_is_late() {
        let requests = Requests::with_entries(2);
        let first = sent(&requests, 1, 70);
        for number in 71..75 {
            requests.settle(i64::MAX, |_| ());
            sent(&requests, 2, number);
        }
        assert_eq!(requests.answer(first, 70), Answer::Late);
    }

    #[test]
    fn what_was_refused_waits_for_nothing() {
        let requests = Requests::new(1);
        let first = requests.begin(1);
        requests.refuse(first);
        requests.settle(0, |_| panic!("it has no number"));
        assert!(requests.all_settled() && requests.waiting() == 0);
    }
}
