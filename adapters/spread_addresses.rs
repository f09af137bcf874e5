//! Build script of adapters whose libraries are large: where they are mapped.
//!
//! Linux maps a file of 2 MiB or more at a multiple of 2 MiB. Two processes then have the same code at
//! addresses that differ in their upper bits alone. On one CPU calls become slower, as where both share
//! entries of its branch predictor, and a secured round trip by 9, 35 or 84 %, according to the addresses
//! that a process happens to get. Where segments ask for 8 KiB glibc places them itself, 8 KiB apart.

fn main() {
    println!("cargo::rerun-if-changed=../spread_addresses.rs");
    spread();
}

/// Has the library of this package placed anywhere. Elsewhere pages may be larger than 8 KiB.
pub fn spread() {
    let of = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if of("ARCH") == "x86_64" && of("ENV") == "gnu" {
        println!("cargo::rustc-link-arg-cdylib=-Wl,-z,max-page-size=0x2000");
    }
}
