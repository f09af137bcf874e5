//! The adapters in C that the guide names compile without a warning, conform, and are as short as it says.

mod common;

use std::process::Command;

use busmark_conformance::{Outcome, Report};
use common::{CLibrary, check, compile_strictly, failures, root};

const MEMORY: &str = "abi/examples/memory_adapter.c";
const NNG: &str = "abi/examples/nng_adapter.c";

/// Lines of the longest example, comments and empty lines included: what a vendor has to write.
const MOST_LINES: usize = 235;

#[test]
fn the_example_without_a_network_conforms() {
    let library = compile_strictly(MEMORY, "libbusmark_memory.so", &[]);
    let report = check(&library.path, &[]);
    assert!(report.failed == 0, "{}", failures(&report));
    assert!(report.passed >= 55, "only {} tests passed", report.passed);
}

/// The adapter for nng; `None`, with the reason printed, where nng is not installed.
fn nng() -> Option<CLibrary> {
    let header = Command::new("cc")
        .args(["-E", "-include", "nng/nng.h", "-x", "c", "/dev/null"])
        .output()
        .expect("cc runs");
    if !header.status.success() {
        eprintln!("skipped: nng is not installed (apt-get install libnng-dev)");
        return None;
    }
    Some(compile_strictly(NNG, "libbusmark_nng.so", &["-lnng"]))
}

/// Whether nothing but hanging was wrong: nng 1.5 may never return from `nng_close`, which the example
/// avoids as far as it can; on a busy machine a connection may seem quiet that is not.
fn only_hung(report: &Report) -> bool {
    let mut failed = report.results.iter().filter(|result| result.outcome == Outcome::Failed);
    report.failed > 0 && failed.all(|result| result.detail.starts_with("hangs: "))
}

/// One transport after the other, for a check looks at the sockets of the whole network (C12).
#[test]
fn the_example_for_nng_conforms_over_every_transport() {
    let Some(library) = nng() else { return };
    for transport in ["tcp", "ipc", "inproc"] {
        let mut report = check(&library.path, &["--transport", transport]);
        if only_hung(&report) {
            eprintln!("{transport}, checked again: {}", failures(&report));
            report = check(&library.path, &["--transport", transport]);
        }
        assert!(report.failed == 0, "{transport}: {}", failures(&report));
        assert!(report.passed >= 70, "{transport}: only {} tests passed", report.passed);
    }
}

#[test]
fn an_adapter_in_c_takes_few_lines() {
    for example in [MEMORY, NNG] {
        let text = std::fs::read_to_string(root().join(example)).expect("the example is there");
        let lines = text.lines().count();
        assert!(lines <= MOST_LINES, "{example} has {lines} lines of {MOST_LINES}");
        let longest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(longest <= 100, "{example} has a line of {longest} characters");
    }
}
