//! One test in a process of its own: the side that loads the library.
//!
//! The process that checks an adapter starts itself again for every test, and once more to ask what the
//! library is. What a test finds is written to a file of the [`Place`]; where that file is missing, the
//! process died, and the supervisor says how.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use busmark_adapter::{Library, Status, misconduct};
use serde::{Deserialize, Serialize};

use crate::kit::{Context, Process, Stop, Verdict};
use crate::options::CheckOptions;
use crate::raw::{calls, system};
use crate::registry::{TESTS, Test};
use crate::report::Outcome;

/// What a process of the suite is for, and the folder that it shares with the supervisor: the words
/// `TEST FOLDER` or `- FOLDER`.
pub(crate) const ASK: &str = "-";

/// The files that supervisor and test share.
#[derive(Clone, Debug)]
pub(crate) struct Place(PathBuf);

impl Place {
    pub fn new(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    /// Where the adapter may make its files (C12).
    pub fn run_dir(&self) -> PathBuf {
        self.0.join("run")
    }

    /// Current folder, home and folder for temporary files: nothing may be made there (C12).
    pub fn elsewhere(&self) -> PathBuf {
        self.0.join("elsewhere")
    }

    pub fn stdout(&self) -> PathBuf {
        self.0.join("stdout")
    }

    pub fn calls(&self) -> PathBuf {
        self.0.join("calls")
    }

    pub fn answer(&self) -> PathBuf {
        self.0.join("answer")
    }
}

/// What a process of the suite answers.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Answer {
    /// The library cannot be loaded, for this reason.
    NotLoaded(String),
    /// The library's name, and why its middleware cannot be used.
    Adapter { name: String, unusable: Option<String> },
    /// A test's result.
    Result(Outcome, String),
}

/// Runs the test that the words name, or asks the library what it is; the process ends after that.
pub fn serve_test(words: [&str; 2], library: &Path, options: &CheckOptions) -> Result<(), String> {
    let [test, folder] = words;
    let place = Place::new(Path::new(folder));
    let failed = |error: std::io::Error| format!("{folder}: {error}");
    system::end_with_parent();
    calls::use_page(&place.calls()).map_err(failed)?;
    let process = Arc::new(Process::now(&place.stdout()).map_err(failed)?);
    let answer = match Library::open_through(library, calls::recorded) {
        Err(error) => Answer::NotLoaded(error.to_string()),
        Ok(library) if test == ASK => ask(&library),
        Ok(library) => {
            let test = TESTS.iter().find(|t| t.name == test).ok_or(format!("no test {test}"))?;
            let (outcome, detail) = match run(test, &process, &library, options, &place) {
                Ok(detail) => (Outcome::Passed, detail),
                Err(Stop::Failed(detail)) => (Outcome::Failed, detail),
                Err(Stop::Skipped(detail)) => (Outcome::Skipped, detail),
            };
            Answer::Result(outcome, detail)
        }
    };
    let text = serde_json::to_vec(&answer).map_err(|error| error.to_string())?;
    std::fs::write(place.answer(), text).map_err(failed)
}

fn ask(library: &Library) -> Answer {
    let unusable = library.probe().err().map(|error| match error.status {
        Status::Unavailable => error.message,
        other => format!("probe() failed as {other} instead of unavailable: {}", error.message),
    });
    Answer::Adapter { name: library.capabilities().name.clone(), unusable }
}

/// In a thread of its own, which may enter a network of its own.
fn run(
    test: &'static Test,
    process: &Arc<Process>,
    library: &Library,
    options: &CheckOptions,
    place: &Place,
) -> Verdict {
    // Where a worker would have asked too: some middleware is set up by it.
    library.probe()?;
    let context = Context::new(process, test.name, library, options, &place.run_dir());
    let body = move || {
        let verdict = catch_unwind(AssertUnwindSafe(|| (test.run)(&context)));
        drop(context);
        verdict.unwrap_or_else(|panic| Err(Stop::Failed(panic_text(&*panic))))
    };
    let thread = std::thread::Builder::new().name("conformance".to_owned()).spawn(body)?;
    let verdict = thread.join().unwrap_or_else(|panic| Err(Stop::Failed(panic_text(&*panic))));
    if let Some(text) = misconduct() {
        return Err(Stop::Failed(text));
    }
    let detail = verdict?;
    tidy(&place.run_dir(), "left in the run directory")?;
    tidy(&place.elsewhere(), "made outside of the run directory, in the home or current folder")?;
    let printed = process.printed()?;
    if !printed.is_empty() {
        let text = String::from_utf8_lossy(&printed);
        let text: String = text.chars().take(200).collect();
        let bytes = printed.len();
        return Err(Stop::Failed(format!("C5: {bytes} bytes on standard output: {text:?}")));
    }
    Ok(detail)
}

/// C12 for every test: nothing is left here.
fn tidy(folder: &Path, what: &str) -> Verdict<()> {
    let left: Vec<_> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    if left.is_empty() {
        return Ok(());
    }
    Err(Stop::Failed(format!("C12: {what}: {}", left.join(", "))))
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    format!("the test panicked: {text}")
}
