//! Linker options of the adapter's library.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The C library registers a destructor of thread-specific data, which runs when a thread that has
    // called it ends. That may be after the adapter was closed, so its code must stay where it is.
    println!("cargo::rustc-link-arg-cdylib=-Wl,-z,nodelete");
}
