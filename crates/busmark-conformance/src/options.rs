//! What the caller of the suite can choose.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::peer::Peer;
use crate::registry::{TESTS, Test};

/// How a check is run. The default suits an adapter that works on the loopback interface.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// Interface by name, on which all traffic must stay.
    pub interface_name: String,
    /// The same interface by address.
    pub interface_address: String,
    /// Transport of all tests but the one that tries every transport; `None`: the adapter's default.
    pub transport: Option<String>,
    /// "default" or "tuned".
    pub profile: String,
    /// Adapter options that differ from their default, for every participant.
    pub settings: Vec<(String, String)>,
    /// The domain; the next one is used too.
    pub domain: u32,
    /// Where run directories are made (and removed); `None`: the system's temporary directory.
    pub run_dir: Option<PathBuf>,
    /// A value of the user's type as CDR, for libraries that were compiled with one (C30).
    pub body: Option<Arc<[u8]>>,
    /// Only tests that one of these texts means (see [`Wanted`]); empty: all.
    pub only: Vec<String>,
    /// How long something that must happen may take before the test gives up on it.
    pub patience: Duration,
    /// How long something that must not happen is waited for.
    pub quiet: Duration,
    /// A test that has not come back by then hangs.
    pub hang: Duration,
    /// A library that has not been loaded and probed by then hangs.
    pub load: Duration,
    /// For what is chosen at random.
    pub seed: u64,
    /// How to start a second process; `None`: what needs one is skipped or done in this process.
    pub peer: Option<Peer>,
    /// Number of allocations of the calling thread so far, if the process counts them
    /// (see [`count_allocations!`](crate::count_allocations)); without it that part of C18 is skipped.
    pub allocation_counter: Option<fn() -> u64>,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self {
            interface_name: "lo".to_owned(),
            interface_address: "127.0.0.1".to_owned(),
            transport: None,
            profile: "default".to_owned(),
            settings: Vec::new(),
            domain: 77,
            run_dir: None,
            body: None,
            only: Vec::new(),
            patience: Duration::from_secs(10),
            quiet: Duration::from_millis(300),
            hang: Duration::from_secs(60),
            load: Duration::from_secs(30),
            seed: std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .map_or(0, |time| time.as_micros() as u64),
            peer: None,
            allocation_counter: None,
        }
    }
}

/// Which tests are meant: a text is a clause ("C22"), or a part of a test's name or of its printed line
/// (`c22_no_call`, "C22 no call comes", "no call comes"), in capitals or not.
#[derive(Clone, Debug)]
pub(crate) struct Wanted(Vec<String>);

impl Wanted {
    pub fn new(texts: &[String]) -> Self {
        Self(texts.iter().map(|text| text.trim().to_lowercase()).collect())
    }

    pub fn takes(&self, test: &Test) -> bool {
        self.0.is_empty() || self.0.iter().any(|text| means(text, test))
    }

    /// What to say where no test is meant.
    pub fn nothing(&self) -> String {
        let asked: Vec<_> = self.0.iter().map(|text| format!("{text:?}")).collect();
        let last = TESTS.iter().map(Test::clause).max_by_key(|c| c[1..].parse::<u32>().ok());
        format!(
            "no test is meant by --only {}: give a clause (C1 to {}) or a part of a test's name as it is \
             printed",
            asked.join(", "),
            last.unwrap_or_default()
        )
    }
}

fn means(text: &str, test: &Test) -> bool {
    let clause = test.clause().to_lowercase();
    if let Some(number) = text.strip_prefix('c').and_then(|rest| rest.parse::<u32>().ok()) {
        return clause == format!("c{number}");
    }
    let printed = format!("{clause} {}", test.title().to_lowercase());
    test.name.to_lowercase().contains(text) || printed.contains(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(text: &str) -> Vec<&'static str> {
        let wanted = Wanted::new(&[text.to_owned()]);
        TESTS.iter().filter(|t| wanted.takes(t)).map(|t| t.name).collect()
    }

    #[test]
    fn printed_names_and_function_names_mean_the_same_test() {
        let name = "c22_no_call_comes_after_reader_destroy";
        assert_eq!(meant(name), [name]);
        assert_eq!(meant("C22 no call comes after reader destroy"), [name]);
        assert_eq!(meant("No call comes"), [name]);
    }

    #[test]
    fn a_clause_means_its_tests_and_those_of_no_other() {
        assert!(meant("C2").iter().all(|name| name.starts_with("c02")));
        assert_eq!(meant("C2"), meant("c02"));
        assert!(!meant("C2").is_empty());
    }

    #[test]
    fn what_means_nothing_says_what_could_be_meant() {
        assert!(meant("no such test").is_empty());
        let said = Wanted::new(&["q".to_owned()]).nothing();
        assert!(said.contains("--only \"q\"") && said.contains("C1 to C"), "{said}");
    }
}
