//! Round trips, reliable or not, keep last 1.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::dds::{Domain, Reader, Sample, Writer, tell, until};
use crate::options::{Options, Role, Wait};

/// What a thread that receives does: the library's in listener mode, else the main one.
struct Side {
    // NULL until everything is in place.
    reader: AtomicPtr<Reader>,
    writer: Writer,
    sample: Sample,
    clock: Instant,
    // For ping: round trips in order, with room for all; for pong: empty.
    times: Vec<i64>,
    done: AtomicUsize,
}

impl Side {
    fn new(writer: Writer, size: usize, count: usize) -> Self {
        Self {
            reader: AtomicPtr::new(null_mut()),
            writer,
            sample: Sample::new(size),
            clock: Instant::now(),
            times: Vec::with_capacity(count),
            done: AtomicUsize::new(0),
        }
    }

    #[inline]
    fn send(&mut self) {
        self.sample.header.times[1] = self.clock.elapsed().as_nanos() as i64;
        self.writer.write(&self.sample);
        self.sample.header.seq += 1;
    }

    /// Records the round trip of each sample and sends the next.
    fn ping(&mut self, reader: &mut Reader) {
        reader.take(|sample| {
            let now = self.clock.elapsed().as_nanos() as i64;
            if self.times.len() < self.times.capacity() {
                self.times.push(now - sample.header.times[1]);
                self.done.store(self.times.len(), Ordering::Release);
                self.send();
            }
        });
    }

    /// Sends each sample back.
    fn pong(&mut self, reader: &mut Reader) {
        reader.take(|sample| {
            self.sample.header = sample.header;
            self.writer.write(&self.sample);
        });
    }
}

type Step = fn(&mut Side, &mut Reader);

struct Callback {
    side: *mut Side,
    step: Step,
}

unsafe extern "C" fn on_data(_: i32, argument: *mut c_void) {
    // SAFETY: the argument is a leaked `Callback`; calls for one reader never overlap, and in listener
    // mode no other thread uses the side while samples are under way.
    unsafe {
        let callback = &mut *argument.cast::<Callback>();
        let reader = (*callback.side).reader.load(Ordering::Acquire);
        if let Some(reader) = reader.as_mut() {
            (callback.step)(&mut *callback.side, reader);
        }
    }
}

/// Both ends; they live as long as the process.
fn set_up(
    options: &Options,
    domain: &Domain,
    (send, receive): (&str, &str),
    (count, step): (usize, Step),
) -> Result<(*mut Side, *mut Reader), String> {
    let writer = domain.writer(send)?;
    let side = Box::into_raw(Box::new(Side::new(writer, options.size, count)));
    let callback = Box::into_raw(Box::new(Callback { side, step }));
    let reader = domain.reader(receive, options.wait, (Some(on_data), callback.cast()))?;
    let reader = Box::into_raw(Box::new(reader));
    // SAFETY: both have just been leaked.
    unsafe {
        (*side).reader.store(reader, Ordering::Release);
        if options.role == Role::Pong {
            tell(options);
        }
        until("no match", || writer.matched() && (*reader).matched())?;
    }
    Ok((side, reader))
}

pub fn ping(options: &Options) -> Result<(), String> {
    let domain = Domain::join(options, false)?;
    let total = options.warmup + options.count;
    let (side, reader) = set_up(options, &domain, ("ping", "pong"), (total, Side::ping))?;
    // SAFETY: leaked; this thread uses the side while nothing is under way, or, without a listener,
    // alone.
    unsafe {
        let mut seen = 0;
        let mut sent = Instant::now();
        (*side).send();
        loop {
            (*reader).wait();
            if options.wait != Wait::Listener {
                (*side).ping(&mut *reader);
            }
            let done = (*side).done.load(Ordering::Acquire);
            if done >= total {
                break;
            }
            if done != seen {
                (seen, sent) = (done, Instant::now());
            } else if sent.elapsed() > Duration::from_secs(1) {
                // A best-effort sample was lost.
                (*side).send();
                sent = Instant::now();
            }
        }
        print(&mut (&mut (*side).times)[options.warmup..]);
    }
    drop(domain);
    Ok(())
}

fn print(times: &mut [i64]) {
    times.sort_unstable();
    let at = |q: f64| times[((times.len() - 1) as f64 * q) as usize];
    println!(
        "{{\"median_ns\":{},\"p99_ns\":{},\"min_ns\":{},\"count\":{}}}",
        at(0.5),
        at(0.99),
        times[0],
        times.len()
    );
}

pub fn pong(options: &Options) -> Result<(), String> {
    let domain = Domain::join(options, false)?;
    let (side, reader) = set_up(options, &domain, ("pong", "ping"), (0, Side::pong))?;
    // SAFETY: leaked; without a listener this thread uses them alone.
    unsafe {
        loop {
            let idle = !(*reader).wait();
            if options.wait != Wait::Listener {
                (*side).pong(&mut *reader);
            }
            if idle && !(*side).writer.matched() {
                break;
            }
        }
    }
    drop(domain);
    Ok(())
}
