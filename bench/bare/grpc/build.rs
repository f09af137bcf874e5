//! The service, as tonic generates it.

use tonic_build::manual::{Builder, Method, Service};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let call = Method::builder()
        .name("call")
        .route_name("Call")
        .input_type("crate::Sample")
        .output_type("crate::Sample")
        .codec_path("tonic_prost::ProstCodec")
        .build();
    let requests = Service::builder().package("bare").name("Requests").method(call).build();
    Builder::new().compile(&[requests]);
}
