//! Linker options of the adapter's library.

#[path = "../spread_addresses.rs"]
#[allow(dead_code, reason = "it is a build script, too")]
mod spread_addresses;
mod static_openssl;

fn main() {
    // Two manifests have this script: cyclonedds and ros-cyclonedds.
    println!("cargo::rerun-if-changed=../cyclonedds/build.rs");
    println!("cargo::rerun-if-changed=../cyclonedds/static_openssl.rs");
    println!("cargo::rerun-if-changed=../spread_addresses.rs");
    println!("cargo::rerun-if-env-changed=CMAKE_TOOLCHAIN_FILE");
    // Without it the C library would be shared and without TCP, and be kept so in the target folder.
    assert!(
        std::env::var_os("CMAKE_TOOLCHAIN_FILE").is_some(),
        "start cargo in the adapter's folder, whose .cargo/config.toml says how the C library is \
         built; after a build from elsewhere, `cargo clean --release -p cyclonedds-rust-sys` first"
    );
    link_user_type();
    static_openssl::prefer();
    spread_addresses::spread();
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
