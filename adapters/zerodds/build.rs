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

    use zerodds_build::{Config, DefaultExt, Error};

    /// Writes `user_type.rs`: what the file declares, and `UserType`.
    pub fn compile() -> Result<(), String> {
        let idl = PathBuf::from(variable("BUSMARK_USER_IDL")?);
        let name = variable("BUSMARK_USER_TYPE")?;
        let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
        // Final where the file says nothing: so every vendor has it.
        Config::new()
            .dds_type_impls(true)
            .typeobject(false)
            .default_extensibility(DefaultExt::Final)
            .include_dir(idl.parent().unwrap_or(Path::new(".")))
            .compile(&[&idl])
            .map_err(|error| format!("zerodds-build cannot compile the IDL: {}", told(error)))?;
        let generated = out.join(idl.file_stem().unwrap_or_default()).with_extension("rs");
        let code = read(&generated)?;
        let code = format!("{code}\npub use self::{name} as UserType;\n");
        std::fs::write(out.join("user_type.rs"), code).map_err(|e| e.to_string())
    }

    /// Diagnostics have their place in the file.
    fn told(error: Error) -> String {
        match error {
            Error::Compose { diagnostics, .. } => diagnostics.join("; "),
            other => other.to_string(),
        }
    }

    fn variable(name: &str) -> Result<String, String> {
        println!("cargo::rerun-if-env-changed={name}");
        std::env::var(name).map_err(|_| format!("{name} is not set: see `busmark type build`"))
    }

    fn read(path: &Path) -> Result<String, String> {
        std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
    }
}
