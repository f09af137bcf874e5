//! What the tests are written with.

mod context;
pub(crate) mod echo;
mod inbox;
mod link;
mod outbox;
pub(crate) mod process;
mod retry;
mod servers;
pub(crate) mod service;
mod verdict;

pub(crate) use context::{BODY, Context, Process, word};
pub(crate) use inbox::{Got, Inbox, Store, describe};
pub(crate) use link::{Binds, Link, Plan, Side, connect};
pub(crate) use outbox::{COOKIE, Outbox, body};
pub(crate) use retry::until;
pub(crate) use verdict::{Stop, Verdict, ensure, fail, skip, told};
