//! Linker options of the adapter's library.

#[path = "../spread_addresses.rs"]
#[allow(dead_code, reason = "it is a build script, too")]
mod spread_addresses;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../spread_addresses.rs");
    spread_addresses::spread();
    // Zenoh's threads belong to the process and may run when the adapter has been closed, so its code must
    // stay where it is.
    println!("cargo::rustc-link-arg-cdylib=-Wl,-z,nodelete");
}
