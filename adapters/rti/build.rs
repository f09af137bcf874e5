//! Linker options of the adapter's library.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The C library stays open for as long as the process lives (it keeps thread-specific data whose
    // destructors run when a thread ends) and logs through a function of the adapter.
    println!("cargo::rustc-link-arg-cdylib=-Wl,-z,nodelete");
}
