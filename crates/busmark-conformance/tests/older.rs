//! Adapters and hosts of one version go together without a rebuild, whichever is older (C1, C2).
//!
//! `tests/c/v1` holds the header of version 1 as it was first, with the example of that time. It
//! never changes.

mod common;

use std::path::Path;
use std::process::Command;

use busmark_conformance::Outcome;
use common::{adapter, check, compile, compile_with, failures, names, root};

const V1: &str = "crates/busmark-conformance/tests/c/v1";

#[test]
fn an_adapter_of_the_first_header_conforms_today() {
    let library = compile_with(V1, &format!("{V1}/memory_adapter.c"), &[]);
    let report = check(&library.path, &[]);
    assert!(report.failed == 0, "{}", failures(&report));
    assert!(report.passed >= 45, "only {} tests passed", report.passed);
    let skipped = names(&report, Outcome::Skipped);
    assert!(skipped.contains(&"c31_a_host_of_any_size_is_accepted"), "it knows no host");
}

#[test]
fn entries_past_the_end_of_a_table_are_not_read() {
    let library = compile_with(V1, &format!("{V1}/first_table.c"), &[]);
    let only = ["c01", "c02", "c07", "c24", "c29", "c32", "c33"].map(|name| ["--only", name]);
    let report = check(&library.path, &only.concat());
    assert!(report.failed == 0, "{}", failures(&report));
    assert!(report.passed >= 8, "only {} tests passed", report.passed);
}

/// What a host of the first header says on an adapter of today.
fn hosted(library: &Path, transport: &str) -> String {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let program = dir.path().join("host");
    let status = Command::new("cc")
        .args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(root().join(V1))
        .arg(root().join(V1).join("host.c"))
        .args([Path::new("-o"), &program, Path::new("-ldl")])
        .status()
        .expect("cc runs");
    assert!(status.success(), "the host compiles");
    let output = Command::new(&program)
        .args([library, Path::new(transport), dir.path()])
        .output()
        .expect("the host runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{}: {said}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn adapters_of_today_serve_a_host_of_the_first_header() {
    assert_eq!(hosted(&adapter("reference"), "memory"), "5 samples\n");
}

#[test]
fn an_adapter_in_c_of_today_serves_a_host_of_the_first_header() {
    let example = compile("abi/examples/memory_adapter.c", &[]);
    assert_eq!(hosted(&example.path, "memory"), "5 samples\n");
}

#[test]
fn a_table_without_what_every_adapter_has_is_refused_by_name() {
    let library = compile("crates/busmark-conformance/tests/c/null_write.c", &[]);
    let output = common::run(&library.path, &[]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("write of its table is NULL"), "{said}");
}
