//! The tests, grouped by what they are about. Each is listed in `registry.rs`.

pub(crate) mod capabilities;
pub(crate) mod changes;
pub(crate) mod config;
pub(crate) mod content;
pub(crate) mod entities;
pub(crate) mod errors;
pub(crate) mod events;
pub(crate) mod history;
pub(crate) mod host;
pub(crate) mod hotpath;
pub(crate) mod instances;
pub(crate) mod lending;
pub(crate) mod lifecycle;
pub(crate) mod listener;
pub(crate) mod locators;
pub(crate) mod matching;
pub(crate) mod network;
pub(crate) mod processes;
pub(crate) mod qos_late;
pub(crate) mod qos_plain;
pub(crate) mod qos_routing;
pub(crate) mod servers;
pub(crate) mod threads;
pub(crate) mod user_type;
pub(crate) mod versions;
pub(crate) mod waiting;
