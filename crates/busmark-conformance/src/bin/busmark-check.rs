//! `busmark-check PATH`: the conformance suite against one adapter, in a process of its own.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use busmark_adapter::Library;
use busmark_conformance::{
    CheckOptions, ClauseResult, Outcome, Peer, Report, allocations, check_with, serve_peer,
};

busmark_conformance::count_allocations!();

const USAGE: &str = "\
usage: busmark-check PATH [options]
  PATH                 the adapter's library, libbusmark_<name>.so
  --json               the report as JSON on standard output; progress on standard error
  --only TEXT          only tests whose name contains TEXT (may be repeated)
  --body FILE          a value of the user's type as CDR, for a library compiled with one
  --set KEY=VALUE      an adapter option (may be repeated)
  --profile NAME       default or tuned
  --transport NAME     another transport than the adapter's first
  --patience-ms N      how long something that must happen may take
  --quiet-ms N         how long something that must not happen is waited for
  --hang-ms N          a test that has not come back by then hangs
exit status: 0 conforms, 1 does not, 2 could not be checked";

/// The first argument of the second process that some tests need.
const PEER: &str = "--peer";

struct Arguments {
    path: PathBuf,
    json: bool,
    options: CheckOptions,
}

fn arguments(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut path = None;
    let mut json = false;
    let peer = std::env::current_exe()
        .ok()
        .map(|program| Peer { program, arguments: vec![PEER.to_owned()] });
    let mut options =
        CheckOptions { allocation_counter: Some(allocations), peer, ..CheckOptions::default() };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--json" => json = true,
            "--only" => options.only.push(value()?),
            "--body" => {
                let path = value()?;
                let bytes = std::fs::read(&path).map_err(|error| format!("{path}: {error}"))?;
                options.body = Some(bytes.into());
            }
            "--profile" => options.profile = value()?,
            "--transport" => options.transport = Some(value()?),
            "--set" => {
                let text = value()?;
                let (key, value) = text.split_once('=').ok_or("--set needs KEY=VALUE")?;
                options.settings.push((key.to_owned(), value.to_owned()));
            }
            "--patience-ms" => options.patience = milliseconds(&value()?)?,
            "--quiet-ms" => options.quiet = milliseconds(&value()?)?,
            "--hang-ms" => options.hang = milliseconds(&value()?)?,
            other if other.starts_with('-') => return Err(format!("no option {other}")),
            other => path = Some(PathBuf::from(other)),
        }
    }
    Ok(Arguments { path: path.ok_or("no PATH given")?, json, options })
}

fn milliseconds(text: &str) -> Result<Duration, String> {
    text.parse().map(Duration::from_millis).map_err(|_| format!("{text:?} is not a number"))
}

fn line(result: &ClauseResult) -> String {
    let mark = match result.outcome {
        Outcome::Passed => "pass",
        Outcome::Failed => "FAIL",
        Outcome::Skipped => "skip",
    };
    format!("{mark} {:>3} {}: {}", result.clause, result.title, result.detail)
}

fn run(arguments: &Arguments) -> Result<Report, String> {
    let library = Library::open(&arguments.path).map_err(|error| error.to_string())?;
    let json = arguments.json;
    let report = check_with(&library, &arguments.options, &mut |result| {
        if json { eprintln!("{}", line(result)) } else { println!("{}", line(result)) }
    });
    if json {
        println!("{}", serde_json::to_string_pretty(&report).map_err(|e| e.to_string())?);
    } else {
        let Report { adapter, passed, failed, skipped, .. } = &report;
        println!("{adapter}: {passed} passed, {failed} failed, {skipped} skipped");
    }
    Ok(report)
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, task] = words.as_slice()
        && flag == PEER
    {
        return match serve_peer(task) {
            Ok(()) => ExitCode::SUCCESS,
            Err(text) => {
                eprintln!("busmark-check, second process: {text}");
                ExitCode::from(2)
            }
        };
    }
    let outcome = match arguments(words.into_iter()) {
        Err(text) => Err(format!("{text}\n{USAGE}")),
        Ok(arguments) => run(&arguments),
    };
    match outcome {
        Ok(report) if report.conforms() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(text) => {
            eprintln!("busmark-check: {text}");
            ExitCode::from(2)
        }
    }
}
