//! The process that measures. It hosts any number of writers and readers of one adapter, is driven by
//! newline-delimited JSON on standard input, answers on standard output, and ends when that closes.
//!
//! `docs/hot-path.md` follows one sample through this crate, step by step.
#![forbid(unsafe_code)]

pub mod counters;
pub mod interfaces;
pub mod limits;
pub mod output;
pub mod protocol;
pub mod roles;
pub mod session;
mod tables;
