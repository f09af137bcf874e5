//! Runs the tests one after the other, each watched.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};

use busmark_adapter::Library;

use crate::kit::{Context, Process, Stop, Verdict};
use crate::options::CheckOptions;
use crate::registry::{TESTS, Test};
use crate::report::{ClauseResult, Outcome, Report};

/// Checks the adapter against every clause of the contract.
pub fn check(library: &Library, options: &CheckOptions) -> Report {
    check_with(library, options, &mut |_| ())
}

/// As [`check`]; `observer` sees each result as soon as it is there.
pub fn check_with(
    library: &Library,
    options: &CheckOptions,
    observer: &mut dyn FnMut(&ClauseResult),
) -> Report {
    let wanted =
        |t: &&Test| options.only.is_empty() || options.only.iter().any(|o| t.name.contains(o));
    let (process, mut stopped) = prepare(library);
    let mut results = Vec::new();
    for test in TESTS.iter().filter(wanted) {
        let verdict = match (&stopped, &process) {
            (Some(reason), _) => Err(Stop::Skipped(reason.clone())),
            (None, None) => Err(Stop::Failed("no temporary file can be made".to_owned())),
            (None, Some(process)) => match watched(test, process, library, options) {
                Ended::Verdict(verdict) => verdict,
                Ended::Hung(text) => {
                    stopped = Some(format!("not run, for {} hangs", test.name));
                    Err(Stop::Failed(text))
                }
            },
        };
        let result = result(test, verdict);
        observer(&result);
        results.push(result);
    }
    Report::new(&library.capabilities().name, results)
}

/// The process as it is now, and why nothing can be run, if so.
fn prepare(library: &Library) -> (Option<Arc<Process>>, Option<String>) {
    let process = Process::now().ok().map(Arc::new);
    let captured = process.as_ref().map(|p| p.capture());
    let probed = library.probe();
    drop(captured);
    let unusable = |error| format!("the middleware cannot be used on this host: {error}");
    (process, probed.err().map(unusable))
}

fn result(test: &Test, verdict: Verdict) -> ClauseResult {
    let (outcome, detail) = match verdict {
        Ok(detail) => (Outcome::Passed, detail),
        Err(Stop::Failed(detail)) => (Outcome::Failed, detail),
        Err(Stop::Skipped(detail)) => (Outcome::Skipped, detail),
    };
    ClauseResult {
        clause: test.clause(),
        test: test.name.to_owned(),
        title: test.title(),
        outcome,
        detail,
    }
}

enum Ended {
    Verdict(Verdict),
    Hung(String),
}

/// Runs one test in a thread and a run directory of its own, standard output put aside.
fn watched(
    test: &'static Test,
    process: &Arc<Process>,
    library: &Library,
    options: &CheckOptions,
) -> Ended {
    let parent = options.run_dir.clone().unwrap_or_else(std::env::temp_dir);
    let dir = match tempfile::Builder::new().prefix("busmark-check-").tempdir_in(&parent) {
        Ok(dir) => dir,
        Err(error) => {
            let why = format!("no run directory in {}: {error}", parent.display());
            return Ended::Verdict(Err(Stop::Failed(why)));
        }
    };
    let _captured = process.capture();
    let context = Context::new(process, test.name, library, options, dir.path());
    let (sender, receiver) = channel();
    let thread = std::thread::Builder::new().name("conformance".to_owned()).spawn(move || {
        let verdict = catch_unwind(AssertUnwindSafe(|| (test.run)(&context)))
            .unwrap_or_else(|panic| Err(Stop::Failed(panic_text(&*panic))));
        drop(context);
        let _ = sender.send(verdict);
    });
    let Ok(thread) = thread else {
        return Ended::Verdict(Err(Stop::Failed("no thread for the test".to_owned())));
    };
    match receiver.recv_timeout(options.hang) {
        Err(RecvTimeoutError::Timeout) => {
            let limit = options.hang.as_secs();
            Ended::Hung(format!("hangs: not back after {limit} s; the run ends here"))
        }
        outcome => {
            let _ = thread.join();
            let verdict = outcome.unwrap_or_else(|_| {
                Err(Stop::Failed("the test ended without a verdict".to_owned()))
            });
            Ended::Verdict(verdict.and_then(|detail| tidy(dir.path(), detail)))
        }
    }
}

/// C12 for every test: nothing is left in the run directory.
fn tidy(run_dir: &Path, detail: String) -> Verdict {
    let left: Vec<_> = std::fs::read_dir(run_dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    if left.is_empty() {
        return Ok(detail);
    }
    Err(Stop::Failed(format!("C12: left in the run directory: {}", left.join(", "))))
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    format!("the test panicked: {text}")
}
