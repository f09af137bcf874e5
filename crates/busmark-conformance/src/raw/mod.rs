//! The only part of the suite with `unsafe` code: what the safe side of `busmark-adapter` cannot say.

mod allocations;
pub(crate) mod calls;
mod files;
mod listener;
pub(crate) mod system;
mod table;
mod wire;

pub use allocations::{HEAP, Heap, allocations, count_one};
pub(crate) use files::FileWatch;
pub(crate) use listener::WatchedReader;
pub(crate) use table::{RawError, RawParticipant, RawReader, RawTable, RawWriter, Shape, Taken};
pub(crate) use wire::Wire;
