//! C15, C16: everything can be made again and again, and everything goes away.

use std::path::Path;
use std::time::{Duration, Instant};

use busmark_adapter::{Disclosure, EndpointConfig, Library, Status};

use crate::kit::process::{Holdings, resident_bytes};
use crate::kit::{Context, Link, Verdict, ensure, fail, skip, until};

/// The contract's bound on destroy (C16).
const DESTROY: Duration = Duration::from_secs(10);
/// Growth per cycle that is taken for an allocator's habits and not for a leak.
const GROWTH_PER_CYCLE: u64 = 128 << 10;

/// For one series of cycles.
const SERIES: Duration = Duration::from_secs(12);

/// Creates two participants and endpoints, exchanges samples, destroys all.
fn cycle(context: &Context) -> Verdict<()> {
    let mut link = Link::pair(context, &context.endpoint())?;
    link.writer().write_many(3)?;
    let got = link.reader().gather(3, context.patience())?;
    ensure!(!got.is_empty(), "no sample of a cycle arrived");
    Ok(())
}

pub(crate) fn c15_repeated_cycles_leave_nothing_behind(context: &Context) -> Verdict {
    // What a library sets up once is not a leak: the first cycle is not counted. A pool of threads that
    // stays, as the adapter discloses, fills while it is used.
    for _ in 0..if context.caps.discloses(Disclosure::RuntimeStays) { 10 } else { 1 } {
        cycle(context)?;
    }
    std::thread::sleep(context.options.quiet);
    context.serve();
    let before = Holdings::now(&context.run_dir);
    let cycles = 5;
    for _ in 0..cycles {
        cycle(context)?;
    }
    // Threads of a pool end when they have had no work for a while: in Tokio's for 10 s.
    until("everything of five cycles is gone", context.patience() * 2, || {
        let more = Holdings::now(&context.run_dir).beyond(&before);
        if more.is_empty() { Ok(()) } else { Err(more) }
    })?;
    let threads = Holdings::now(&context.run_dir).threads.len();
    Ok(format!("{cycles} cycles; {threads} threads of the process as before"))
}

pub(crate) fn c15_memory_does_not_grow_with_cycles(context: &Context) -> Verdict {
    for _ in 0..5 {
        cycle(context)?;
    }
    let mut growths = Vec::new();
    for _ in 0..3 {
        let before = resident_bytes();
        let cycles = cycles_within(context, SERIES)?;
        let growth = resident_bytes().saturating_sub(before);
        growths.push(format!("{} KiB in {cycles} cycles", growth >> 10));
        if growth < GROWTH_PER_CYCLE * cycles {
            return Ok(format!("resident memory grew by {}", growths.join(", ")));
        }
    }
    fail(format!("resident memory grew by {}", growths.join(", ")))
}

/// Growth that may be an allocator's, which takes memory in blocks.
const BLOCK: u64 = 256 << 10;

/// Growth in each of three series must reach `each` bytes per step, and be more than an allocator's
/// block, to be taken for a leak. Where there was time for so few steps that such a leak would not
/// fill a block, nothing is proved.
pub(super) fn must_not_leak(
    context: &Context,
    what: &str,
    each: u64,
    disclosure: Disclosure,
    mut series: impl FnMut() -> Verdict<u64>,
) -> Verdict {
    let mut growths = Vec::new();
    for _ in 0..3 {
        let before = resident_bytes();
        let steps = match series() {
            Err(stop) if context.caps.discloses(disclosure) => {
                let seen = format!("{stop}, after {}", growths.join(", "));
                return context.against(disclosure, &seen, "");
            }
            other => other?,
        };
        let growth = resident_bytes().saturating_sub(before);
        growths.push(format!("{} KiB in {steps} {what}", growth >> 10));
        if growth < (each * steps).max(BLOCK) {
            let seen = format!("resident memory grew by {}", growths.join(", "));
            if each * steps >= BLOCK {
                return Ok(seen);
            }
            let seen = format!("{seen}: too few to tell");
            if context.caps.discloses(disclosure) {
                return context.against(disclosure, &seen, "");
            }
            return skip(seen);
        }
    }
    context.against(
        disclosure,
        &format!("resident memory grew by {}", growths.join(", ")),
        "free it",
    )
}

pub(crate) fn c15_memory_does_not_grow_with_endpoints(context: &Context) -> Verdict {
    let first = Link::pair(context, &context.endpoint())?;
    let series = |most: u64| {
        let begin = Instant::now();
        let mut pairs = 0;
        while pairs < most && (pairs < 5 || begin.elapsed() < SERIES / 2) {
            let mut link = first.beside(context, &context.endpoint())?;
            link.writer().write()?;
            link.reader().gather(1, context.options.quiet)?;
            pairs += 1;
        }
        Ok(pairs)
    };
    series(20)?;
    must_not_leak(context, "pairs of endpoints", 3 << 10, Disclosure::GrowsByEndpoint, || {
        series(90)
    })
}

pub(crate) fn c15_memory_does_not_grow_with_samples(context: &Context) -> Verdict {
    let mut link = Link::pair(context, &context.endpoint())?;
    let mut series = |most: u64| {
        let begin = Instant::now();
        let mut samples = 0;
        while samples < most && begin.elapsed() < SERIES / 2 {
            let at_once = 10;
            for _ in 0..at_once {
                link.writer().write()?;
            }
            link.reader().gather(at_once as usize, context.options.quiet / 10)?;
            samples += at_once;
        }
        Ok(samples)
    };
    series(2000)?;
    must_not_leak(context, "samples", 48, Disclosure::GrowsBySample, || series(20_000))
}

pub(crate) fn c15_nothing_is_left_after_the_last_destroy(context: &Context) -> Verdict {
    context.serve();
    let before = Holdings::now(&context.run_dir);
    cycle(context)?;
    let gone = until("everything since the first participant is gone", context.patience(), || {
        let more = Holdings::now(&context.run_dir).beyond(&before);
        if more.is_empty() { Ok(()) } else { Err(more) }
    });
    if let Err(stop) = gone {
        let left = Holdings::now(&context.run_dir);
        // Memory and files that others can see are no runtime of this process.
        let shared = left.shared_memory_beyond(&before);
        ensure!(shared.is_empty() && left.files == before.files, "{stop}");
        return context.against(Disclosure::RuntimeStays, &stop.to_string(), "end it");
    }
    Ok("threads, descriptors, shared memory and files as before the first participant".to_owned())
}

/// Does as many cycles as fit, at most 50, for a middleware may take a second for each.
fn cycles_within(context: &Context, time: Duration) -> Verdict<u64> {
    let begin = Instant::now();
    let mut cycles = 0;
    while cycles < 50 && (cycles < 5 || begin.elapsed() < time) {
        cycle(context)?;
        cycles += 1;
    }
    Ok(cycles)
}

pub(crate) fn c15_several_participants_live_side_by_side(context: &Context) -> Verdict {
    let mut links = Vec::new();
    for _ in 0..4 {
        links.push(Link::pair(context, &context.endpoint())?);
    }
    // Every other pair goes; the rest must not notice.
    let mut index = 0;
    links.retain(|_| {
        index += 1;
        index % 2 == 0
    });
    for link in &mut links {
        link.writer().write_many(5)?;
        link.reader().expect(0, 5, context.patience())?;
    }
    Ok("8 participants; 4 of them destroyed while the others work".to_owned())
}

/// Ends within the contract's bound.
pub(super) fn ends(what: &'static str, action: impl FnOnce() + Send + 'static) -> Verdict<()> {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        action();
        let _ = sender.send(());
    });
    if receiver.recv_timeout(DESTROY).is_ok() {
        return Ok(());
    }
    fail(format!("{what} has not returned after {} s", DESTROY.as_secs()))
}

/// An endpoint whose writes give up early.
fn impatient(context: &Context) -> EndpointConfig {
    let mut endpoint = context.late_endpoint().unwrap_or_else(|_| context.endpoint());
    endpoint.qos.max_blocking_ns = 50_000_000;
    endpoint
}

/// Writes until the writer blocks, at most `most` samples; the number of accepted ones.
fn fill(link: &mut Link, most: u64) -> Verdict<u64> {
    for n in 0..most {
        match link.writer().try_write() {
            Ok(_) => (),
            Err(Status::Timeout | Status::Resources) => return Ok(n),
            Err(status) => return fail(format!("write: {status}")),
        }
    }
    Ok(most)
}

fn shut(link: &Link) {
    for reader in &link.readers {
        reader.store.shut.store(true, std::sync::atomic::Ordering::SeqCst);
    }
}

pub(crate) fn c16_destroy_returns_with_samples_unacknowledged(context: &Context) -> Verdict {
    let mut link = Link::pair(context, &impatient(context))?;
    shut(&link);
    let written = fill(&mut link, 1000)?;
    let Link { writers, readers, writing, reading } = link;
    ends("destroying a writer whose samples nobody took", move || {
        drop(writers);
        drop(writing);
    })?;
    ends("destroying a reader with samples that nobody took", move || {
        drop(readers);
        drop(reading);
    })?;
    Ok(format!("{written} samples written and not taken"))
}

pub(crate) fn c16_destroy_returns_when_the_peer_is_gone(context: &Context) -> Verdict {
    let mut link = Link::pair(context, &impatient(context))?;
    shut(&link);
    let before = fill(&mut link, 100)?;
    let Link { mut writers, readers, writing, reading } = link;
    ends("destroying a reader that took nothing", move || {
        drop(readers);
        drop(reading);
    })?;
    for _ in 0..20 {
        // Whether such a write succeeds is not what is asked here; it must come back.
        let _ = writers[0].try_write();
    }
    ends("destroying a writer whose reader is gone", move || {
        drop(writers);
        drop(writing);
    })?;
    Ok(format!("{before} samples before the reader went, 20 after"))
}

pub(crate) fn c15_the_library_can_be_closed_and_opened_again(context: &Context) -> Verdict {
    // The caller holds the library open: a copy under another name is a library of its own.
    let dir = tempfile::tempdir()?;
    let name = context.library.path().file_name().unwrap_or_default();
    let copy = dir.path().join(name);
    std::fs::copy(context.library.path(), &copy)?;
    for _ in 0..2 {
        let library = match Library::open(&copy) {
            Ok(library) => library,
            Err(error) => return skip(format!("a copy of the library does not load: {error}")),
        };
        let again = Context::new(
            &context.process,
            "c15_reopened",
            &library,
            &context.options,
            &context.run_dir,
        );
        cycle(&again)?;
        drop(again);
        drop(library);
    }
    let state = if is_mapped(&copy) { "stays mapped, as its runtime wants" } else { "is unmapped" };
    Ok(format!("a copy was opened, used and closed twice; afterwards it {state}"))
}

fn is_mapped(path: &Path) -> bool {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    maps.contains(&*path.to_string_lossy())
}
