//! The process that measures. It hosts any number of writers and readers of one adapter, is driven by
//! newline-delimited JSON, by default on standard input and output, and ends when that closes.
//!
//! `docs/hot-path.md` follows one sample through this crate, step by step.
#![forbid(unsafe_code)]

mod accounts;
pub mod carrier;
mod conclusion;
pub mod desk;
mod discovery;
mod matching;
pub mod output;
pub mod platform;
pub mod protocol;
pub mod ranges;
pub mod roles;
mod running;
mod segments;
pub mod session;
mod tables;
mod watch;
