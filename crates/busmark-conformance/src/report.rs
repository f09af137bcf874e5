//! What a check found.

use serde::{Deserialize, Serialize};

/// How one test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The clause holds as far as the test can see.
    Passed,
    /// The clause is broken.
    Failed,
    /// The clause could not be tested; the detail says why.
    Skipped,
}

/// The result of one test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClauseResult {
    /// The clause of the header, such as "C7".
    pub clause: String,
    /// The test, such as `c07_every_payload_kind_arrives_bit_for_bit`.
    pub test: String,
    /// The test as a sentence.
    pub title: String,
    /// How it ended.
    pub outcome: Outcome,
    /// What was seen: evidence, the reason of a failure with every attempt, the reason of a skip.
    pub detail: String,
}

/// The results of one adapter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The adapter's name, as it declares it.
    pub adapter: String,
    /// Why the middleware cannot be used here; then nothing was tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unusable: Option<String>,
    /// Number of passed tests.
    pub passed: usize,
    /// Number of failed tests.
    pub failed: usize,
    /// Number of skipped tests.
    pub skipped: usize,
    /// One entry per test, in the order of the clauses.
    pub results: Vec<ClauseResult>,
}

impl Report {
    /// The report of these results.
    pub fn new(adapter: &str, results: Vec<ClauseResult>) -> Self {
        let count = |outcome| results.iter().filter(|r| r.outcome == outcome).count();
        Self {
            adapter: adapter.to_owned(),
            unusable: None,
            passed: count(Outcome::Passed),
            failed: count(Outcome::Failed),
            skipped: count(Outcome::Skipped),
            results,
        }
    }

    /// Whether something was shown and nothing failed.
    pub fn conforms(&self) -> bool {
        self.failed == 0 && self.passed > 0
    }
}
