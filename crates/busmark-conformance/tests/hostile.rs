//! A library that dies, hangs, eats memory or tells what cannot be is refused or failed in words, and
//! never passes.

mod common;

use std::process::{Command, Output, Stdio};

use busmark_conformance::{Outcome, Report};
use common::{CLibrary, checker, compile, names, run};

/// One test is enough where every test would end the same way.
const ONE: [&str; 2] = ["--only", "c05_nothing_is_printed"];

fn hostile(habit: &str) -> CLibrary {
    compile("crates/busmark-conformance/tests/c/hostile.c", &[habit])
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The program's words about a library that cannot be loaded.
fn refused(habit: &str, arguments: &[&str]) -> String {
    let output = run(&hostile(habit).path, arguments);
    assert_eq!(output.status.code(), Some(2), "{habit}: {}", said(&output));
    assert!(output.stdout.is_empty(), "{habit}: nothing that could be taken for a report");
    said(&output)
}

/// The detail of the one test that was asked for, which failed.
fn failed(habit: &str, arguments: &[&str]) -> String {
    let output = run(&hostile(habit).path, &[&ONE[..], arguments].concat());
    assert_eq!(output.status.code(), Some(1), "{habit}: {}", said(&output));
    let report: Report = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!((report.passed, report.failed), (0, 1), "{habit}");
    report.results[0].detail.clone()
}

#[test]
fn the_end_of_the_process_fails_a_test_by_name_of_the_call() {
    for habit in ["HOSTILE_EXITS", "HOSTILE_EXITS_AT_ONCE"] {
        let detail = failed(habit, &[]);
        assert!(detail.contains("ended with exit code 0"), "{detail}");
        assert!(detail.contains("participant_create() had not returned"), "{detail}");
        assert!(detail.contains("C5"), "{detail}");
    }
}

#[test]
fn a_crash_fails_a_test_by_signal_and_call() {
    let detail = failed("HOSTILE_CRASHES_IN_WRITE", &[]);
    assert!(detail.contains("killed by SIGSEGV"), "{detail}");
    assert!(detail.contains("write() had not returned"), "{detail}");
    let text = refused("HOSTILE_NULL_ENTRY", &[]);
    assert!(text.contains("participant_create of its table is NULL"), "{text}");
    let text = refused("HOSTILE_CRASHES_WHEN_CLOSED", &[]);
    assert!(text.contains("killed by SIGABRT") && text.contains("last was probe()"), "{text}");
}

#[test]
fn a_hang_fails_its_test_and_the_rest_is_run() {
    let library = hostile("HOSTILE_HANGS_IN_DESTROY");
    let output = run(&library.path, &["--only", "c05", "--only", "c10", "--hang-ms", "3000"]);
    let report: Report = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(names(&report, Outcome::Skipped), [""; 0], "the rest is run");
    let hung =
        report.results.iter().find(|r| r.test.starts_with("c05_nothing")).expect("asked for");
    assert!(hung.detail.contains("reader_destroy() (its thread sleeps"), "{}", hung.detail);
    assert!(hung.detail.starts_with("hangs: not back after 3 s"), "{}", hung.detail);
}

#[test]
fn memory_is_bounded() {
    let detail = failed("HOSTILE_EATS", &[]);
    let told = detail.contains("more than 2 GiB of memory") || detail.contains("out of memory");
    assert!(told, "{detail}");
}

#[test]
fn processes_that_are_left_behind_are_told_and_ended() {
    let detail = failed("HOSTILE_FORKS", &[]);
    assert!(detail.contains("C15: processes were left behind"), "{detail}");
}

#[test]
fn loading_and_probing_are_bounded() {
    let limit = ["--load-ms", "1500"];
    let probe = refused("HOSTILE_PROBE_LOOPS", &limit);
    assert!(probe.contains("not back after 1.5 s") && probe.contains("probe()"), "{probe}");
    let entry = refused("HOSTILE_ENTRY_LOOPS", &limit);
    assert!(entry.contains("while it was loaded"), "{entry}");
    let exit = refused("HOSTILE_ENTRY_EXITS", &limit);
    assert!(exit.contains("exit code 0 while it was loaded"), "{exit}");
}

#[test]
fn what_is_declared_without_bounds_is_refused_in_words() {
    for (habit, words) in [
        ("HOSTILE_TITLE", "title is longer than 4096 bytes"),
        ("HOSTILE_OPTIONS", "more than 256 options"),
        ("HOSTILE_ESCAPE", "title has the control character U+001B"),
        ("HOSTILE_TEXT", "title is not UTF-8"),
        ("HOSTILE_NO_CAPABILITIES", "capabilities of its table is NULL"),
    ] {
        let text = refused(habit, &[]);
        assert!(text.contains(words) && !text.contains('\u{1b}'), "{habit}: {text}");
    }
}

#[test]
fn what_is_given_without_bounds_is_failed_in_words() {
    let only = ["--only", "c07_every_byte"];
    for (habit, words) in [
        ("HOSTILE_BODY", "gave a body of 1152921504606846976 bytes on an endpoint for"),
        ("HOSTILE_TAKEN", "said 4000000000 samples and called the sink"),
    ] {
        let output = run(&hostile(habit).path, &only);
        let report: Report = serde_json::from_slice(&output.stdout).expect("a report");
        let detail = &report.results[0].detail;
        assert!(detail.contains(words), "{habit}: {detail}");
        assert!(!said(&output).contains("panicked"), "{habit}: {}", said(&output));
    }
}

#[test]
fn a_probe_without_a_reason_does_not_pass() {
    let output = run(&hostile("HOSTILE_PROBE_STATUS").path, &[]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("probe() failed as failed instead of unavailable"));
}

#[test]
fn what_a_library_prints_is_no_part_of_the_report() {
    let output = run(&hostile("HOSTILE_ENTRY_PRINTS").path, &ONE);
    let report: Report = serde_json::from_slice(&output.stdout).expect("the report alone");
    assert_eq!(names(&report, Outcome::Failed), ["c05_nothing_is_printed_on_standard_output"]);
}

#[test]
fn texts_that_mean_no_test_are_a_mistake() {
    let output = run(&hostile("HONEST").path, &["--only", "c99_no_such"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("no test is meant by --only \"c99_no_such\""));
}

#[test]
fn a_run_that_shows_nothing_does_not_pass() {
    let output = run(&hostile("HONEST").path, &["--only", "c29_two_servers"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("nothing was shown"), "{}", said(&output));
}

#[test]
fn a_library_is_found_by_its_name_in_the_current_folder() {
    let library = hostile("HONEST");
    let folder = library.path.parent().expect("a folder");
    for name in ["./libbusmark_memory.so", "libbusmark_memory.so"] {
        let output = Command::new(checker())
            .args([name, "--only", "C10"])
            .current_dir(folder)
            .output()
            .expect("runs");
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    }
}

#[test]
fn a_reader_that_goes_ends_the_check_quietly() {
    let library = hostile("HONEST");
    let mut child = Command::new(checker())
        .arg(&library.path)
        .args(["--only", "C4"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("ends");
    assert_eq!(output.status.code(), Some(141));
    assert!(output.stderr.is_empty(), "{}", said(&output));
}
