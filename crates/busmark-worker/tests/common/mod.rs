//! What tests of the worker share.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::{Value, json};

/// The folder of this crate, by what cargo says when it runs the test: a target directory may have been
/// filled from a checkout elsewhere.
pub fn folder() -> PathBuf {
    std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo runs this").into()
}

/// The null adapter, built when it is first asked for.
pub fn null_library() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let root = folder().join("../..");
        let built = Command::new(env!("CARGO"))
            .args(["build", "--release", "--locked", "--quiet"])
            .current_dir(root.join("adapters/null"))
            .env_remove("CARGO_TARGET_DIR")
            .status()
            .expect("cargo runs");
        assert!(built.success(), "the null adapter does not build");
        root.join("target/release/libbusmark_null.so")
    })
}

/// How a test attaches to it.
pub fn config() -> Value {
    json!({
        "domain": 0, "interface_name": "lo", "interface_address": "127.0.0.1",
        "transport": "memory", "profile": "default",
        "run_dir": std::env::temp_dir().to_string_lossy(), "settings": [],
    })
}
