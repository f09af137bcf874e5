//! Linker options of the adapter's library.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The library's threads are never ended: they belong to the process. They may run when the adapter
    // has been closed, so its code must stay where it is.
    println!("cargo::rustc-link-arg-cdylib=-Wl,-z,nodelete");
}
