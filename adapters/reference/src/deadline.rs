//! Counts missed deadlines without a thread: whoever asks or sends does the sum.

/// Periods without a sample, counted from the first sample on.
#[derive(Debug, Default)]
pub struct Deadline {
    period_ns: Option<i64>,
    /// Time up to which missed periods have been counted.
    counted_ns: Option<i64>,
    missed: u64,
}

impl Deadline {
    pub fn new(period_ns: Option<i64>) -> Self {
        Self { period_ns, ..Self::default() }
    }

    /// A sample at this time.
    pub fn sample(&mut self, now_ns: i64) {
        self.missed(now_ns);
        self.counted_ns = Some(now_ns);
    }

    /// Another period from now on.
    pub fn set_period(&mut self, period_ns: i64, now_ns: i64) {
        self.missed(now_ns);
        self.period_ns = Some(period_ns);
        self.counted_ns = self.counted_ns.map(|_| now_ns);
    }

    /// Missed so far; `None` without a deadline.
    pub fn missed(&mut self, now_ns: i64) -> Option<u64> {
        let period = self.period_ns?.max(1);
        if let Some(counted) = self.counted_ns {
            let periods = (now_ns - counted).max(0) / period;
            self.missed += periods as u64;
            self.counted_ns = Some(counted + periods * period);
        }
        Some(self.missed)
    }
}

#[cfg(test)]
mod tests {
    use super::Deadline;

    #[test]
    fn each_whole_period_without_a_sample_is_one_miss() {
        let mut deadline = Deadline::new(Some(10));
        assert_eq!(deadline.missed(1000), Some(0), "nothing is late before the first sample");
        deadline.sample(1000);
        deadline.sample(1009);
        assert_eq!(deadline.missed(1018), Some(0));
        assert_eq!(deadline.missed(1039), Some(3));
        deadline.sample(1040);
        assert_eq!(deadline.missed(1049), Some(3));
    }

    #[test]
    fn without_a_deadline_there_is_no_counter() {
        let mut deadline = Deadline::new(None);
        deadline.sample(1);
        assert_eq!(deadline.missed(1_000_000), None);
        deadline.set_period(10, 1_000_000);
        assert_eq!(deadline.missed(1_000_025), Some(2));
    }
}
