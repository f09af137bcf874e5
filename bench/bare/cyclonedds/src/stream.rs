//! Throughput, keep all.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::dds::{Domain, Reader, Sample, tell, until};
use crate::options::{Options, Wait};

/// Flag of a sample that only says that all has been sent.
const LAST: u32 = 4;
/// How often it is said; best-effort samples can be lost.
const REPEATS: usize = 20;
/// How long the last sample waits, so that a full buffer empties.
const PAUSE: Duration = Duration::from_millis(100);

fn clock_ns() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// Written by the thread that takes.
#[derive(Default)]
struct Count {
    reader: AtomicPtr<Reader>,
    received: AtomicU64,
    /// Sequence number of the first sample, and that after the last.
    base: AtomicU64,
    next: AtomicU64,
    /// When the first and the last sample were taken.
    first_ns: AtomicU64,
    last_ns: AtomicU64,
    ended: AtomicBool,
}

impl Count {
    fn step(&self, reader: &mut Reader) {
        let before = self.received.load(Ordering::Relaxed);
        let mut received = before;
        let mut next = self.next.load(Ordering::Relaxed);
        reader.take(|sample| {
            if sample.header.flags & LAST != 0 {
                self.ended.store(true, Ordering::Release);
                return;
            }
            if received == 0 {
                self.base.store(sample.header.seq, Ordering::Relaxed);
                self.first_ns.store(clock_ns(), Ordering::Relaxed);
            }
            received += 1;
            next = sample.header.seq + 1;
        });
        if received != before {
            self.next.store(next, Ordering::Relaxed);
            self.last_ns.store(clock_ns(), Ordering::Relaxed);
            self.received.store(received, Ordering::Release);
        }
    }

    fn print(&self, options: &Options) {
        let received = self.received.load(Ordering::Acquire);
        let [base, next, first, last] = [&self.base, &self.next, &self.first_ns, &self.last_ns]
            .map(|value| value.load(Ordering::Relaxed));
        let sent =
            if options.seconds.is_some() { next - base } else { next.max(options.count as u64) };
        let seconds = last.saturating_sub(first) as f64 / 1e9;
        let rate = if seconds > 0.0 { received as f64 / seconds } else { 0.0 };
        println!(
            "{{\"samples_per_s\":{rate:.0},\"mbit_per_s\":{:.1},\"received\":{received},\"lost\":{}}}",
            rate * options.size as f64 * 8.0 / 1e6,
            sent.saturating_sub(received)
        );
    }
}

unsafe extern "C" fn on_data(_: i32, argument: *mut c_void) {
    // SAFETY: the argument is a leaked `Count`; calls for one reader never overlap.
    unsafe {
        let count = &*argument.cast::<Count>();
        if let Some(reader) = count.reader.load(Ordering::Acquire).as_mut() {
            count.step(reader);
        }
    }
}

pub fn subscribe(options: &Options) -> Result<(), String> {
    let domain = Domain::join(options, true)?;
    let count: &Count = Box::leak(Box::default());
    let argument = std::ptr::from_ref(count).cast_mut().cast();
    let reader = domain.reader("stream", options.wait, (Some(on_data), argument))?;
    let reader = Box::into_raw(Box::new(reader));
    count.reader.store(reader, Ordering::Release);
    tell(options);
    // SAFETY: leaked; in listener mode the library's thread takes, else this one.
    unsafe {
        until("no match", || (*reader).matched())?;
        let mut start = None;
        loop {
            let idle = !(*reader).wait();
            if options.wait != Wait::Listener {
                count.step(&mut *reader);
            }
            if start.is_none() && count.received.load(Ordering::Acquire) > 0 {
                start = Some(Instant::now());
            }
            let over = options.seconds.zip(start).is_some_and(|(seconds, start)| {
                start.elapsed() >= Duration::from_secs_f64(seconds)
            });
            let gone = idle && !(*reader).matched();
            if over || gone || count.ended.load(Ordering::Acquire) {
                break;
            }
        }
    }
    count.print(options);
    count.reader.store(null_mut(), Ordering::Release);
    drop(domain);
    Ok(())
}

pub fn publish(options: &Options) -> Result<(), String> {
    let domain = Domain::join(options, true)?;
    let writer = domain.writer("stream")?;
    until("no match", || writer.matched())?;
    let mut sample = Sample::new(options.size);
    let end = options.seconds.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds));
    let count = if end.is_some() { u64::MAX } else { options.count as u64 };
    while sample.header.seq < count {
        if writer.write(&sample) {
            sample.header.seq += 1;
        }
        if sample.header.seq.is_multiple_of(1024)
            && (!writer.matched() || end.is_some_and(|end| Instant::now() > end))
        {
            break;
        }
    }
    writer.flush();
    std::thread::sleep(PAUSE);
    sample.header.flags = LAST;
    for _ in 0..REPEATS {
        writer.write(&sample);
    }
    writer.flush();
    writer.acknowledged();
    drop(domain);
    Ok(())
}
