//! The same OpenSSL as within the adapter: secured round trips over the shared one take a fifth longer.

#[path = "../../../adapters/cyclonedds/static_openssl.rs"]
mod static_openssl;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    static_openssl::prefer();
}
