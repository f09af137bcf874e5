//! The payload kind `type`: the user's IDL as Rust, by the crate's own compiler.

#[path = "../spread_addresses.rs"]
#[allow(dead_code, reason = "it is a build script, too")]
mod spread_addresses;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../spread_addresses.rs");
    spread_addresses::spread();
    #[cfg(feature = "user-type")]
    if let Err(reason) = user_type::compile() {
        println!("cargo::error={}", reason.replace('\n', " "));
    }
}

#[cfg(feature = "user-type")]
mod user_type {
    use std::path::{Path, PathBuf};

    /// Writes `user_type.rs`: what the file declares, and `UserType`.
    pub fn compile() -> Result<(), String> {
        let idl = PathBuf::from(variable("BUSMARK_USER_IDL")?);
        let name = variable("BUSMARK_USER_TYPE")?;
        watch(&idl, &mut Vec::new());
        let generated = generate(&idl)
            .map_err(|reason| format!("dust_dds_gen cannot compile the IDL: {}", told(&reason)))?;
        let code = format!("{}\npub use self::{name} as UserType;\n", visible(&generated));
        let out =
            PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default()).join("user_type.rs");
        std::fs::write(&out, code).map_err(|e| format!("{}: {e}", out.display()))
    }

    fn variable(name: &str) -> Result<String, String> {
        println!("cargo::rerun-if-env-changed={name}");
        std::env::var(name).map_err(|_| format!("{name} is not set: see `busmark type build`"))
    }

    /// Cargo calls again when the file changes, or one that it includes: from the first one's folder, as
    /// the compiler finds them.
    fn watch(idl: &Path, seen: &mut Vec<PathBuf>) {
        if seen.iter().any(|known| known == idl) {
            return;
        }
        println!("cargo::rerun-if-changed={}", idl.display());
        seen.push(idl.to_owned());
        let text = std::fs::read_to_string(idl).unwrap_or_default();
        for line in text.lines().filter_map(|line| line.trim().strip_prefix("#include")) {
            let name = line.trim().trim_matches(['"', '<', '>']);
            watch(&seen[0].with_file_name(name), seen);
        }
    }

    /// The place and what was expected there, of a text that shows the line between them.
    fn told(reason: &str) -> String {
        let lines = reason.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.filter(|line| !line.contains('|')).collect::<Vec<_>>().join(" ")
    }

    /// Modules that see each other: in IDL the name `a::B` may stand in any module, and in Rust only in
    /// one that has `a`, which the compiler leaves out.
    fn visible(generated: &str) -> String {
        let mut parts = generated.split("pub mod ");
        let first = parts.next().unwrap_or_default().to_owned();
        let seeing = |part: &str| part.replacen('{', "{#[allow(unused_imports)] use super::*;", 1);
        parts.fold(first, |code, part| code + "pub mod " + &seeing(part))
    }

    /// The compiler panics at what it does not know; where that is, it does not say.
    fn generate(idl: &Path) -> Result<String, String> {
        std::panic::catch_unwind(|| dust_dds_gen::compile_idl(idl)).unwrap_or_else(|_panic| {
            Err("it gives up at what it has not implemented, such as a map, or a typedef of an \
                 array (write the array where it is used)"
                .to_owned())
        })
    }
}
