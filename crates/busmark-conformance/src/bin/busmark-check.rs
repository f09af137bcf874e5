//! `busmark-check PATH`: the conformance suite against one adapter, each test in a process of its own.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use busmark_conformance::{
    CheckOptions, ClauseResult, Outcome, Peer, Program, Report, allocations, check, serve_peer,
    serve_test,
};

busmark_conformance::count_allocations!();

const USAGE: &str = "\
usage: busmark-check PATH [options]
  PATH                 the adapter's library, libbusmark_<name>.so
  --json               the report as JSON on standard output; progress on standard error
  --only TEXT          only tests of a clause (C22), or whose name, as it is printed, contains TEXT
                       (may be repeated)
  --body FILE          a value of the user's type as CDR, for a library compiled with one
  --set KEY=VALUE      an adapter option (may be repeated)
  --profile NAME       default or tuned
  --transport NAME     another transport than the adapter's first
  --seed N             what is chosen at random is chosen as in the run that printed N
  --patience-ms N      how long something that must happen may take
  --quiet-ms N         how long something that must not happen is waited for
  --hang-ms N          a test that has not come back by then hangs
  --load-ms N          a library that has not been loaded and probed by then hangs
exit status: 0 conforms; 1 does not: a clause is broken, a test died or hung, or nothing was shown;
2 could not be checked: not loaded, no middleware here, or a mistake in these arguments";

/// The first argument of the second process that some tests need.
const PEER: &str = "--peer";
/// The first argument of the process of one test; two words follow, then this program's own.
const TEST: &str = "--test";

struct Arguments {
    path: PathBuf,
    json: bool,
    options: CheckOptions,
    /// The same for a process in another folder, without what this one does itself.
    forwarded: Vec<String>,
}

fn arguments(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut path = None;
    let mut json = false;
    let peer = std::env::current_exe()
        .ok()
        .map(|program| Peer { program, arguments: vec![PEER.to_owned()] });
    let mut options =
        CheckOptions { allocation_counter: Some(allocations), peer, ..CheckOptions::default() };
    let mut forwarded = Vec::new();
    while let Some(word) = words.next() {
        if !word.starts_with('-') {
            if path.is_some() {
                return Err(format!("one PATH, not {word:?} too"));
            }
            path = Some(real(&word)?);
            continue;
        }
        if word == "--json" {
            json = true;
            continue;
        }
        let value = words.next().ok_or(format!("{word} needs a value"));
        let value = set(&mut options, &word, &value?)?;
        forwarded.extend([word, value]);
    }
    let path = path.ok_or("no PATH given")?;
    forwarded.extend(["--seed".to_owned(), options.seed.to_string()]);
    forwarded.push(path.to_str().ok_or("a PATH that is not UTF-8")?.to_owned());
    Ok(Arguments { path, json, options, forwarded })
}

/// Sets one option; its value as another process would need it.
fn set(options: &mut CheckOptions, word: &str, value: &str) -> Result<String, String> {
    match word {
        "--only" => options.only.push(value.to_owned()),
        "--body" => {
            let path = real(value)?;
            let bytes =
                busmark_adapter::read_file(&path).map_err(|error| format!("{value}: {error}"))?;
            options.body = Some(bytes.into());
            return Ok(path.to_string_lossy().into_owned());
        }
        "--profile" => value.clone_into(&mut options.profile),
        "--transport" => options.transport = Some(value.to_owned()),
        "--set" => {
            let (key, value) = value.split_once('=').ok_or("--set needs KEY=VALUE")?;
            options.settings.push((key.to_owned(), value.to_owned()));
        }
        "--seed" => options.seed = number(value)?,
        "--patience-ms" => options.patience = milliseconds(value)?,
        "--quiet-ms" => options.quiet = milliseconds(value)?,
        "--hang-ms" => options.hang = milliseconds(value)?,
        "--load-ms" => options.load = milliseconds(value)?,
        other => return Err(format!("no option {other}")),
    }
    Ok(value.to_owned())
}

/// The file itself, by its whole path: "./libx.so" without its folder would be looked for elsewhere.
fn real(path: &str) -> Result<PathBuf, String> {
    Path::new(path).canonicalize().map_err(|error| format!("{path}: cannot be read: {error}"))
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text:?} is not a number"))
}

fn milliseconds(text: &str) -> Result<Duration, String> {
    number(text).map(Duration::from_millis)
}

fn line(result: &ClauseResult) -> String {
    let mark = match result.outcome {
        Outcome::Passed => "pass",
        Outcome::Failed => "FAIL",
        Outcome::Skipped => "skip",
    };
    // What an adapter says is shown, not obeyed.
    let detail: String = result.detail.chars().flat_map(visible).collect();
    format!("{mark} {:>3} {}: {detail}", result.clause, result.title)
}

fn visible(c: char) -> Vec<char> {
    if c.is_control() { c.escape_default().collect() } else { vec![c] }
}

/// Where lines go; whoever reads them may stop to.
struct Lines(bool);

impl Lines {
    fn say(&self, text: &str) {
        let told = if self.0 {
            writeln!(io::stderr(), "{text}")
        } else {
            writeln!(io::stdout(), "{text}").and_then(|()| io::stdout().flush())
        };
        if told.is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            // As a program ends by SIGPIPE: `busmark-check … | head -1` has what it asked for.
            std::process::exit(141);
        }
    }
}

fn run(arguments: &Arguments) -> Result<Report, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let program = Program { program, arguments: test_words(&arguments.forwarded) };
    let lines = Lines(arguments.json);
    let report = check(&arguments.path, &arguments.options, &program, &mut |result| {
        lines.say(&line(result));
    })
    .map_err(|error| error.to_string())?;
    if arguments.json {
        Lines(false).say(&serde_json::to_string_pretty(&report).map_err(|e| e.to_string())?);
    } else {
        let Report { adapter, passed, failed, skipped, .. } = &report;
        lines.say(&format!("{adapter}: {passed} passed, {failed} failed, {skipped} skipped"));
    }
    Ok(report)
}

/// What leads to the process of a test: the words of [`TEST`] come last.
fn test_words(forwarded: &[String]) -> Vec<String> {
    [&[TEST.to_owned()], forwarded].concat()
}

/// The process of one test.
fn test(words: &[String]) -> Result<(), String> {
    let [own @ .., test, folder] = words else {
        return Err(format!("{TEST} needs a test and a folder"));
    };
    let arguments = arguments(own.iter().cloned())?;
    serve_test([test, folder], &arguments.path, &arguments.options)
}

/// How a process of the suite ended that people do not start.
fn served(what: &str, outcome: Result<(), String>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("busmark-check, {what}: {text}");
            ExitCode::from(2)
        }
    }
}

fn main() -> ExitCode {
    let words: Result<Vec<String>, _> =
        std::env::args_os().skip(1).map(std::ffi::OsString::into_string).collect();
    let words = words.unwrap_or_default();
    match words.as_slice() {
        [flag, task] if flag == PEER => return served("second process", serve_peer(task)),
        [flag, rest @ ..] if flag == TEST => return served("test", test(rest)),
        _ => {}
    }
    let outcome = match arguments(words.into_iter()) {
        Err(text) => Err(format!("{text}\n{USAGE}")),
        Ok(arguments) => run(&arguments),
    };
    match outcome {
        Ok(report) if report.conforms() => ExitCode::SUCCESS,
        Ok(Report { unusable: Some(reason), .. }) => {
            eprintln!("busmark-check: nothing was tested: {reason}");
            ExitCode::from(2)
        }
        Ok(report) => {
            if report.failed == 0 {
                eprintln!("busmark-check: nothing was shown: every test was skipped");
            }
            ExitCode::from(1)
        }
        Err(text) => {
            eprintln!("busmark-check: {text}");
            ExitCode::from(2)
        }
    }
}
