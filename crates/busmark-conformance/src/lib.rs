//! The conformance suite of the adapter contract (`abi/busmark_adapter.h`), as a library.
//!
//! [`check`] runs every test of [`tests`] against one adapter. Each clause C1, C2, … of the header has
//! at least one test whose name begins with its number; what an adapter does not declare is skipped
//! with the reason, what it declares is tried on real traffic. An adapter that declares what it does
//! not do fails.
//!
//! - Tests run one after the other, each in a process, a run directory and with topics of its own: the
//!   program starts itself again ([`Program`], [`serve_test`]). A test that crashes, hangs or ends its
//!   process fails by the signal and the call under way, and the rest is run. Both sides of the traffic
//!   live in that process, as two participants, except where a test is about two processes
//!   ([`CheckOptions::peer`], [`serve_peer`]).
//! - Waiting is bounded retry that remembers why each attempt failed; no test asserts how fast an
//!   adapter is.
//! - Memory of a test is bounded, and what it starts is ended with it.
//!
//! # Adding a test
//!
//! Write a function `c07_says_what_must_hold(&Context) -> Verdict` in one of the files under
//! `groups/` and add its line to the table in `registry.rs`.

mod child;
mod documents;
mod groups;
mod kit;
mod options;
mod peer;
mod raw;
mod registry;
mod report;
mod supervisor;
mod watch;

/// Behind [`count_allocations!`].
#[doc(hidden)]
pub mod allocation {
    pub use crate::raw::{HEAP, Heap, count_one};
}

pub use child::serve_test;
pub use options::CheckOptions;
pub use peer::{Peer, serve_peer};
pub use raw::allocations;
pub use registry::{TestInfo, tests};
pub use report::{ClauseResult, Outcome, Report};
pub use supervisor::{NotChecked, Program, check};
