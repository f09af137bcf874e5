//! Adapters to check, and checks in processes of their own.
#![allow(dead_code)] // Each test file uses its part.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use busmark_conformance::{Outcome, Report};
use tempfile::TempDir;

/// The top of the repository, by what cargo says when it runs the test: a target directory may have
/// been filled from a checkout elsewhere.
pub fn root() -> PathBuf {
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo runs this");
    Path::new(&folder).join("../..")
}

/// The checking program beside this test. Its path at build time may be another checkout's, whose
/// target folder is shared.
pub fn checker() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    test.ancestors().nth(2).expect("tests lie in TARGET/PROFILE/deps").join("busmark-check")
}

/// The library of the adapter in `adapters/NAME`: found in `BUSMARK_ADAPTER_PATH` (folders, separated
/// by colons), else built into the target directory of this test.
pub fn adapter(name: &str) -> PathBuf {
    let file = format!("libbusmark_{name}.so");
    let given = std::env::var_os("BUSMARK_ADAPTER_PATH").unwrap_or_default();
    if let Some(found) =
        std::env::split_paths(&given).map(|dir| dir.join(&file)).find(|path| path.exists())
    {
        return found;
    }
    let target =
        checker().ancestors().nth(2).expect("the program lies in TARGET/PROFILE").to_owned();
    let manifest = root().join("adapters").join(name).join("Cargo.toml");
    let output = Command::new(env!("CARGO"))
        .args(["build", "--release", "--quiet", "--manifest-path"])
        .arg(manifest)
        .env("CARGO_TARGET_DIR", &target)
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    target.join("release").join(file)
}

/// A library of C, in a directory that goes away with it.
pub struct CLibrary {
    _dir: TempDir,
    pub path: PathBuf,
}

/// Compiles a source of the repository as a library, warnings being errors.
pub fn compile(source: &str, defines: &[&str]) -> CLibrary {
    compile_with("abi", source, defines)
}

/// As [`compile`], with another folder for the contract's header.
pub fn compile_with(headers: &str, source: &str, defines: &[&str]) -> CLibrary {
    let defines: Vec<_> = defines.iter().map(|d| format!("-D{d}")).collect();
    let defines: Vec<_> = defines.iter().map(String::as_str).collect();
    build(headers, source, "libbusmark_memory.so", &defines)
}

/// Compiles a source of the repository as it is offered to users: strictly, with these further arguments.
pub fn compile_strictly(source: &str, file: &str, more: &[&str]) -> CLibrary {
    build("abi", source, file, &[&["-pedantic"], more].concat())
}

fn build(headers: &str, source: &str, file: &str, more: &[&str]) -> CLibrary {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join(file);
    let output = Command::new("cc")
        .args(["-std=c11", "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(root().join(headers))
        .arg(root().join(source))
        .arg("-o")
        .arg(&path)
        .args(more)
        .arg("-lpthread")
        .output()
        .expect("cc runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    CLibrary { _dir: dir, path }
}

/// Runs the checking program.
pub fn run(library: &Path, arguments: &[&str]) -> Output {
    Command::new(checker())
        .arg(library)
        .arg("--json")
        .args(arguments)
        .output()
        .expect("busmark-check runs")
}

/// The report on a library.
pub fn check(library: &Path, arguments: &[&str]) -> Report {
    let output = run(library, arguments);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!(
            "no report ({error}), {}: {}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        )
    })
}

/// Names of the tests that ended so.
pub fn names(report: &Report, outcome: Outcome) -> Vec<&str> {
    report.results.iter().filter(|r| r.outcome == outcome).map(|r| r.test.as_str()).collect()
}

/// The failures with their details, for a message.
pub fn failures(report: &Report) -> String {
    let failed = report.results.iter().filter(|r| r.outcome == Outcome::Failed);
    failed.map(|r| format!("{}: {}", r.test, r.detail)).collect::<Vec<_>>().join("\n")
}
