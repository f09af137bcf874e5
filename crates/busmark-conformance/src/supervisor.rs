//! Runs the tests one after the other, each in a process of its own.
//!
//! An adapter may crash, hang, end the process or use up its memory: that fails the test under way, by
//! name of the signal and of the call, and the next one begins afresh.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use crate::child::{ASK, Answer, Place};
use crate::options::{CheckOptions, Wanted};
use crate::raw::system;
use crate::registry::{TESTS, Test};
use crate::report::{ClauseResult, Outcome, Report};
use crate::watch::{Ended, Watched, end_of, end_strays, last_calls};

/// After so many tests that hang the rest is not run.
const MOST_HUNG: usize = 5;

/// How the suite starts itself for one test: the words `TEST FOLDER` are added, and must lead to
/// [`serve_test`](crate::serve_test) with the same library and options.
#[derive(Clone, Debug)]
pub struct Program {
    /// Usually the running program itself.
    pub program: PathBuf,
    /// In front of the two words.
    pub arguments: Vec<String>,
}

/// Why a library was not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotChecked {
    /// It cannot be loaded, or dies when it is.
    NotLoaded(String),
    /// No test is meant by `only`.
    NothingMatched(String),
    /// The suite itself cannot work here.
    NoPlace(String),
}

impl std::fmt::Display for NotChecked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Self::NotLoaded(text) | Self::NothingMatched(text) | Self::NoPlace(text)) = self;
        f.write_str(text)
    }
}

/// Checks the library at `path` against every clause of the contract; `observer` sees each result as
/// soon as it is there.
pub fn check(
    path: &Path,
    options: &CheckOptions,
    program: &Program,
    observer: &mut dyn FnMut(&ClauseResult),
) -> Result<Report, NotChecked> {
    let wanted = Wanted::new(&options.only);
    let tests: Vec<&Test> = TESTS.iter().filter(|t| wanted.takes(t)).collect();
    if tests.is_empty() {
        return Err(NotChecked::NothingMatched(wanted.nothing()));
    }
    system::end_with_parent();
    system::adopt_orphans();
    let runner = Runner { options, program };
    let (name, unusable) = runner.ask(path)?;
    let mut results = Vec::new();
    let mut hung: Vec<&str> = Vec::new();
    for test in tests {
        let (outcome, detail) = if let Some(reason) = &unusable {
            (Outcome::Skipped, format!("the middleware cannot be used on this host: {reason}"))
        } else if hung.len() == MOST_HUNG {
            (Outcome::Skipped, format!("not run, for {MOST_HUNG} tests hung; first {}", hung[0]))
        } else {
            let (found, was_hung) = runner.test(test);
            hung.extend(was_hung.then_some(test.name));
            found
        };
        let result = ClauseResult {
            clause: test.clause(),
            test: test.name.to_owned(),
            title: test.title(),
            outcome,
            detail,
        };
        observer(&result);
        results.push(result);
    }
    Ok(Report { unusable, ..Report::new(&name, results) })
}

struct Runner<'a> {
    options: &'a CheckOptions,
    program: &'a Program,
}

impl Runner<'_> {
    /// The library's name, and why its middleware cannot be used.
    fn ask(&self, path: &Path) -> Result<(String, Option<String>), NotChecked> {
        let not_loaded = |text: String| {
            Err(NotChecked::NotLoaded(format!("{}: cannot be checked: {text}", path.display())))
        };
        let place = self.place().map_err(NotChecked::NoPlace)?;
        let (answer, ended) = self.run(ASK, &place, self.options.load)?;
        end_strays();
        match (answer, ended) {
            (Some(Answer::Adapter { name, unusable }), Ended::Exit(_)) => Ok((name, unusable)),
            (Some(Answer::NotLoaded(text)), _) => Err(NotChecked::NotLoaded(text)),
            (_, ended) => not_loaded(format!(
                "{} while it was loaded and asked what it is: {}",
                Self::cause(&ended, self.options.load),
                Self::calls(&ended, &place)
            )),
        }
    }

    /// What a test found, and whether it hung.
    fn test(&self, test: &Test) -> ((Outcome, String), bool) {
        let place = match self.place() {
            Ok(place) => place,
            Err(text) => return ((Outcome::Failed, text), false),
        };
        let (answer, ended) = match self.run(test.name, &place, self.options.hang) {
            Ok(found) => found,
            Err(error) => return ((Outcome::Failed, error.to_string()), false),
        };
        let strays = end_strays();
        let hung = matches!(ended, Ended::Hung(_));
        let found = match (answer, &ended) {
            (Some(Answer::Result(outcome, detail)), Ended::Exit(status)) if status.success() => {
                (outcome, detail)
            }
            (Some(Answer::Result(Outcome::Failed, detail)), _) => (Outcome::Failed, detail),
            (Some(Answer::NotLoaded(text)), _) => (Outcome::Failed, text),
            (Some(_), ended) => {
                let how = Self::cause(ended, self.options.hang);
                let text = format!("{how} after the test, when the process ended (C5, C15)");
                (Outcome::Failed, text)
            }
            (None, ended) => {
                let how = Self::cause(ended, self.options.hang);
                (Outcome::Failed, format!("{how}: {}", Self::calls(ended, &place)))
            }
        };
        if found.0 == Outcome::Passed && !strays.is_empty() {
            let text = format!("C15: processes were left behind: {}", strays.join("; "));
            return ((Outcome::Failed, text), hung);
        }
        (found, hung)
    }

    fn place(&self) -> Result<Scratch, String> {
        let parent = self.options.run_dir.clone().unwrap_or_else(std::env::temp_dir);
        // Short within a folder of Busmark's own: middleware puts sockets there, whose paths are short.
        let own =
            parent.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"busmark-"));
        let prefix = if own { "c-" } else { "busmark-check-" };
        let made = tempfile::Builder::new().prefix(prefix).tempdir_in(&parent);
        let dir =
            made.map_err(|error| format!("no run directory in {}: {error}", parent.display()))?;
        Ok(Scratch { place: Place::new(dir.path()), dir })
    }

    fn run(
        &self,
        what: &str,
        scratch: &Scratch,
        limit: Duration,
    ) -> Result<(Option<Answer>, Ended), NotChecked> {
        let failed = |error: std::io::Error| {
            NotChecked::NoPlace(format!("{}: {error}", self.program.program.display()))
        };
        let mut command = Command::new(&self.program.program);
        command.args(&self.program.arguments).arg(what).arg(scratch.dir.path());
        let watched = Watched::start(&mut command, &scratch.place).map_err(failed)?;
        let ended = watched.wait(limit).map_err(failed)?;
        let answer = std::fs::read(scratch.place.answer()).ok();
        Ok((answer.and_then(|text| serde_json::from_slice(&text).ok()), ended))
    }

    fn cause(ended: &Ended, limit: Duration) -> String {
        match ended {
            Ended::Hung(_) => format!("hangs: not back after {} s", limit.as_secs_f64()),
            Ended::Greedy => "ended, for it uses more than 2 GiB of memory".to_owned(),
            Ended::Exit(status) => Self::death(*status),
        }
    }

    /// C5 forbids what a process did that ended without an answer.
    fn death(status: ExitStatus) -> String {
        format!("the adapter ended the process (C5): {}", end_of(status))
    }

    fn calls(ended: &Ended, scratch: &Scratch) -> String {
        match ended {
            Ended::Hung(doing) => doing.clone(),
            _ => last_calls(&scratch.place.calls()),
        }
    }
}

/// The folder of one test; removed with it.
struct Scratch {
    place: Place,
    dir: tempfile::TempDir,
}
