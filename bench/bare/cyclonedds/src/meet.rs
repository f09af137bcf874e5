//! How long many endpoints take to find each other: this process's part of them.
//!
//! Each of `--topics` has a writer and a reader in each of `--processes`. It begins when a line comes on standard input, makes all endpoints, and
//! waits until each has matched as many as there are on its topic. The moments are of
//! `CLOCK_MONOTONIC`, which all processes of the machine share.

use std::io::BufRead;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use cyclonedds_rust_sys as sys;

use crate::dds::{Domain, until};
use crate::options::Options;

/// Events of one endpoint: how many it has matched, and when that number changed last.
#[derive(Default)]
struct Matches {
    count: AtomicU32,
    at_ns: AtomicI64,
}

impl Matches {
    fn note(&self, count: u32) {
        self.at_ns.store(clock_ns(), Ordering::Relaxed);
        self.count.store(count, Ordering::Release);
    }
}

unsafe extern "C" fn on_writer(
    _: sys::dds_entity_t,
    status: sys::dds_publication_matched_status_t,
    argument: *mut std::ffi::c_void,
) {
    // SAFETY: the argument lives as long as the process.
    unsafe { &*argument.cast::<Matches>() }.note(status.current_count);
}

unsafe extern "C" fn on_reader(
    _: sys::dds_entity_t,
    status: sys::dds_subscription_matched_status_t,
    argument: *mut std::ffi::c_void,
) {
    // SAFETY: the argument lives as long as the process.
    unsafe { &*argument.cast::<Matches>() }.note(status.current_count);
}

/// By the clock that all processes share.
fn clock_ns() -> i64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is of the type that the function fills in.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}

pub fn meet(options: &Options) -> Result<(), String> {
    println!("{{\"ready\":true}}");
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).map_err(|error| error.to_string())?;
    let begin_ns = clock_ns();
    let domain = Domain::join(options, true)?;
    let mut all = Vec::with_capacity(2 * options.topics);
    for topic in 0..options.topics {
        let name = format!("busmark_meet_{topic}");
        for writes in [true, false] {
            let matches = Arc::new(Matches::default());
            let argument = Arc::into_raw(Arc::clone(&matches)).cast();
            domain.counted(&name, writes, argument, (Some(on_writer), Some(on_reader)))?;
            all.push(matches);
        }
    }
    let ready_ns = clock_ns();
    until("not all endpoints have matched", || {
        all.iter().all(|one| one.count.load(Ordering::Acquire) as usize >= options.processes)
    })?;
    let last_ns = all.iter().map(|one| one.at_ns.load(Ordering::Relaxed)).max().unwrap_or(0);
    println!("{{\"begin_ns\":{begin_ns},\"ready_ns\":{ready_ns},\"matched_ns\":{last_ns}}}");
    // Whoever is not done yet needs this process.
    line.clear();
    std::io::stdin().lock().read_line(&mut line).map_err(|error| error.to_string())?;
    Ok(())
}
