//! Libraries that are no adapters are refused with the reason.

mod common;

use common::{compile, run};

/// What the program says about a library that it cannot check.
fn refusal(source: &str) -> String {
    let library = compile(&format!("crates/busmark-conformance/tests/c/{source}"), &[]);
    let output = run(&library.path, &[]);
    assert_eq!(output.status.code(), Some(2), "could not be checked");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_library_without_the_symbol_is_not_an_adapter() {
    assert!(refusal("not_an_adapter.c").contains("does not export busmark_adapter()"));
}

#[test]
fn a_function_without_a_table_is_not_an_adapter() {
    let text = refusal("null_table.c");
    assert!(text.contains("busmark_adapter() gave NULL instead of a table"), "{text}");
}

#[test]
fn another_version_of_the_contract_is_refused_with_the_remedy() {
    let text = refusal("wrong_version.c");
    assert!(text.contains("speaks version 99") && text.contains("rebuild the adapter"), "{text}");
}

#[test]
fn a_table_that_ends_too_early_is_refused() {
    assert!(refusal("short_table.c").contains("table of 24 bytes"));
}

#[test]
fn a_file_that_is_no_library_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = run(&folder.path().join("libbusmark_x.so"), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("No such file"));
    let text = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(text.path(), "no library").expect("written");
    let output = run(text.path(), &[]);
    assert_eq!(output.status.code(), Some(2));
    // In the dynamic linker's own words.
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("cannot be loaded") && said.contains("file too short"), "{said}");
}

#[test]
fn a_crash_at_load_is_told() {
    let text = refusal("crash_at_load.c");
    assert!(text.contains("killed by SIGABRT while it was loaded"), "{text}");
}
