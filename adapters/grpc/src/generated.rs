//! Clients and servers as tonic generates them, from the description in `build.rs`.
#![allow(clippy::pedantic, missing_docs, reason = "tonic's own code")]

include!(concat!(env!("OUT_DIR"), "/busmark.Samples.rs"));
include!(concat!(env!("OUT_DIR"), "/busmark.Requests.rs"));
