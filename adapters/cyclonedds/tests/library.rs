//! What is said of the C library, held against the library.

use std::process::Command;

use busmark_adapter::Payload;
use busmark_cyclonedds::{CAPABILITIES, types::descriptor};

#[test]
fn the_version_is_that_of_the_source_it_is_built_from() {
    let file = cyclonedds_src::source_dir().join("CMakeLists.txt");
    let text = std::fs::read_to_string(file).expect("the library's source");
    let line = text.lines().find(|line| line.starts_with("project(CycloneDDS")).expect("a version");
    let version = line.split_whitespace().nth(2).expect("a number");
    assert_eq!(CAPABILITIES.middleware_version, format!("Eclipse Cyclone DDS {version}"));
}

/// One field of a generated descriptor, such as `.m_nops = 13,`.
fn field(text: &str, sample: &str, name: &str) -> String {
    let start = text.find(&format!("busmark_{sample}_desc =")).expect("a descriptor");
    let field = &text[start..][text[start..].find(name).expect("a field")..];
    field[field.find('=').expect("a value") + 1..field.find(",\n").expect("an end")]
        .trim()
        .to_owned()
}

/// The generated instructions as numbers, through the C compiler.
fn generated(folder: &std::path::Path, text: &str, sample: &str) -> Option<Vec<u32>> {
    let start = text.find(&format!("busmark_{sample}_ops [] =")).expect("instructions");
    let words = &text[start..][..text[start..].find("};").expect("an end") + 2];
    let words = words.split_once('=').expect("a value").1;
    let include = cyclonedds_src::source_dir().join("src/core/ddsc/include/dds/ddsc/dds_opcodes.h");
    let opcodes = std::fs::read_to_string(include).expect("the library's header");
    // The header without what it includes: the build folder of the library is not known here.
    let opcodes: String =
        opcodes.lines().filter(|l| !l.starts_with("#include")).flat_map(|l| [l, "\n"]).collect();
    let header = std::fs::read_to_string(folder.join("busmark.h")).expect("generated");
    // A sequence type stands once for each type that has it, behind a guard.
    let mut seen = std::collections::BTreeSet::new();
    let types: String = header
        .split("typedef struct ")
        .skip(1)
        .filter(|t| seen.insert(t.split_whitespace().next()))
        .filter_map(|t| t.find(";\n\n").map(|end| format!("typedef struct {}\n", &t[..=end])))
        .collect();
    let program = format!(
        "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n\
         {opcodes}\n{types}\nstatic const uint32_t ops[] = {words}\n\
         int main(void) {{ for (size_t i = 0; i < sizeof ops / 4; i++) printf(\"%u \", ops[i]); }}"
    );
    let source = folder.join(format!("{sample}.c"));
    let binary = folder.join(sample);
    std::fs::write(&source, program).expect("written");
    let built = Command::new("cc").arg("-w").arg(&source).arg("-o").arg(&binary).status().ok()?;
    assert!(built.success(), "{} does not compile", source.display());
    let output = Command::new(&binary).output().expect("runs");
    let output = String::from_utf8(output.stdout).expect("numbers");
    Some(output.split_whitespace().map(|word| word.parse().expect("a number")).collect())
}

#[test]
fn the_instructions_are_those_that_idlc_makes() {
    let folder = std::env::temp_dir().join(format!("busmark-idlc-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let own = std::env::var("CARGO_MANIFEST_DIR").expect("cargo runs this");
    let idl = format!("{own}/../../idl/busmark.idl");
    let idlc = Command::new("idlc").arg("-o").arg(&folder).arg(idl).status();
    if !idlc.is_ok_and(|status| status.success()) {
        eprintln!("skipped: idlc (Debian: cyclonedds-tools) is not installed or fails");
        return;
    }
    let text = std::fs::read_to_string(folder.join("busmark.c")).expect("generated");
    let kinds = Payload::ALL.into_iter().map(|kind| (format!("{kind:?}Sample"), kind, false));
    let keyed = ("KeyedSample".to_owned(), Payload::Octet, true);
    for (sample, kind, keyed) in kinds.chain([keyed]) {
        let ours = descriptor(kind, keyed).expect("a type of every library");
        assert_eq!(field(&text, &sample, ".m_nops"), ours.m_nops.to_string(), "{sample}");
        // SAFETY: the name is a constant of the adapter.
        let name = unsafe { std::ffi::CStr::from_ptr(ours.m_typename) }.to_str().expect("ASCII");
        assert_eq!(field(&text, &sample, ".m_typename"), format!("\"{name}\""));
        let Some(theirs) = generated(&folder, &text, &sample) else {
            eprintln!("skipped: no C compiler");
            break;
        };
        // SAFETY: the array has at least as many words; a shorter one would fail the comparison of
        // the number of instructions above.
        let ours = unsafe { std::slice::from_raw_parts(ours.m_ops, theirs.len()) };
        // Where in memory a member lies is the adapter's own affair in these two.
        let places: &[usize] = match sample.as_str() {
            "AnySample" => &[4, 27, 32, 36, 40],
            "KeyedSample" => &[1, 3, 6],
            _ => &[],
        };
        for (at, (our, their)) in ours.iter().zip(&theirs).enumerate() {
            assert!(our == their || places.contains(&at), "{sample}, word {at}: {our} {their}");
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
}
