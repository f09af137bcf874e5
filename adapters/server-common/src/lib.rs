//! What the adapters of middleware with a server share: servers that they start (clause C29 of the
//! contract), and [`Sample`]s that are messages.
//!
//! [`Program::start`] finds the program, gives it a folder of its own inside the run directory and an
//! [`Address`] nobody else has, and comes back when it listens there. The [`Running`] server that it
//! gives back
//!
//! - ends when it is dropped, and its folder with it;
//! - ends with the process that started it, however that ends (`PR_SET_PDEATHSIG`). The kernel sends
//!   that signal when the parent *thread* ends, so the server is the child of a thread that lives as
//!   long as it does. The kernel forgets the signal when the child changes its user: a server that
//!   drops privileges by itself must be told not to.

mod address;
mod child;
mod functions;
mod listening;
mod log;
mod program;
mod sample;
#[cfg(feature = "testing")]
pub mod testing;

pub use address::Address;
pub use child::Running;
pub use listening::Port;
pub use program::{Place, Program};
pub use sample::{One, Sample, Shape};
