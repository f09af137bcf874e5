//! Linker options of the adapter's library.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=CMAKE_TOOLCHAIN_FILE");
    // Without it the C library would be shared and without TCP, and be kept so in the target folder.
    assert!(
        std::env::var_os("CMAKE_TOOLCHAIN_FILE").is_some(),
        "start cargo in adapters/cyclonedds, whose .cargo/config.toml says how the C library is \
         built; after a build from elsewhere, `cargo clean --release -p cyclonedds-rust-sys` first"
    );
    link_user_type();
    prefer_static_openssl();
    // The C library registers a destructor of thread-specific data, which runs when a thread that has
    // called it ends. That may be after the adapter was closed, so its code must stay where it is.
    println!("cargo::rustc-link-arg-cdylib=-Wl,-z,nodelete");
}

/// The generated code of a user's type: a static library in the folder that `busmark type build` names.
fn link_user_type() {
    println!("cargo::rustc-check-cfg=cfg(user_type)");
    println!("cargo::rerun-if-env-changed=BUSMARK_USER_TYPE");
    println!("cargo::rerun-if-env-changed=BUSMARK_USER_LIBRARY");
    let Some(folder) = std::env::var_os("BUSMARK_USER_LIBRARY") else { return };
    println!("cargo::rustc-cfg=user_type");
    println!("cargo::rerun-if-changed={}", folder.display());
    println!("cargo::rustc-link-search=native={}", folder.display());
    println!("cargo::rustc-link-lib=static=busmark_user_sample");
}

/// OpenSSL inside the adapter, where its static libraries are installed: a folder with nothing else is
/// searched before the system's. Otherwise the adapter needs `libssl.so` at run time.
fn prefer_static_openssl() {
    let folder = std::path::PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    let mut found = Vec::new();
    for name in ["libssl.a", "libcrypto.a"] {
        let answer = Command::new("cc").arg(format!("-print-file-name={name}")).output();
        let answer = answer.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        // The bare name means that there is none.
        found.extend(answer.ok().filter(|path| path != name).map(|path| (path, folder.join(name))));
    }
    if found.len() == 2 {
        for (path, link) in found {
            let _ = std::fs::remove_file(&link);
            std::os::unix::fs::symlink(path, link).expect("a link in OUT_DIR");
        }
        println!("cargo::rustc-link-search=native={}", folder.display());
    }
}
