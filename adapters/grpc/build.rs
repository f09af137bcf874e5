//! The services, as tonic generates them; and where the library is mapped.

use tonic_build::manual::{Builder, Method, Service};

#[path = "../spread_addresses.rs"]
#[allow(dead_code, reason = "it is a build script, too")]
mod spread_addresses;

const CODEC: &str = "tonic_prost::ProstCodec";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../spread_addresses.rs");
    spread_addresses::spread();
    let publish = Method::builder()
        .name("publish")
        .route_name("Publish")
        .input_type("crate::message::Sample")
        .output_type("crate::message::Nothing")
        .codec_path(CODEC)
        .client_streaming()
        .build();
    let samples = Service::builder().package("busmark").name("Samples").method(publish).build();
    let call = Method::builder()
        .name("call")
        .route_name("Call")
        .input_type("crate::message::Sample")
        .output_type("crate::message::Sample")
        .codec_path(CODEC)
        .build();
    let requests = Service::builder().package("busmark").name("Requests").method(call).build();
    Builder::new().compile(&[samples, requests]);
}
