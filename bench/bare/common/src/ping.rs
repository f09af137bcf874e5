//! Round trips in a closed loop.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::{Header, Library, Options, Reader, Wait, Writer, now_ns, tell, until};

/// After which a sample counts as lost and is sent again. It happens to the first, where the other
/// side's writer does not know this side's reader yet.
const PATIENCE: Duration = Duration::from_millis(500);

/// How long the last sample may take, by which the other side ends.
const FAREWELL: Duration = Duration::from_millis(200);

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The pinging side; whichever thread a pong comes on has it.
struct Side<W> {
    writer: W,
    ping: Header,
    sent_ns: u64,
    times: Vec<u64>,
    done: Sender<()>,
}

impl<W: Writer> Side<W> {
    #[inline]
    fn send(&mut self) {
        self.sent_ns = now_ns();
        self.ping.times[1] = self.sent_ns.cast_signed();
        self.writer.write(&self.ping);
    }

    /// Records a round trip and begins the next.
    #[inline]
    fn arrived(&mut self, pong: &Header, now_ns: u64) {
        if pong.seq != self.ping.seq || self.is_done() {
            return;
        }
        self.times.push(now_ns - self.sent_ns);
        self.ping.seq += 1;
        if self.is_done() {
            let _ = self.done.send(());
        } else {
            self.send();
        }
    }

    fn is_done(&self) -> bool {
        self.times.len() == self.times.capacity()
    }
}

/// Times round trips and prints them.
pub fn ping<L: Library>(options: &Options) -> Result<(), String> {
    let library = L::join(options)?;
    let (done, finished) = channel();
    let (ping, sent_ns) = (Header::default(), 0);
    let times = Vec::with_capacity(options.warmup + options.count);
    let writer = library.writer("ping", &vec![1; options.size])?;
    let side = Arc::new(Mutex::new(Side { writer, ping, sent_ns, times, done }));
    let (hand_over, handed_over) = channel();
    let hands_over = L::WAIT == Wait::Listener && !L::WRITES_IN_LISTENER;
    let shared = Arc::clone(&side);
    let mut reader = library.reader("pong", move |pong: &Header| {
        if hands_over {
            let _ = hand_over.send((*pong, now_ns()));
        } else {
            lock(&shared).arrived(pong, now_ns());
        }
    })?;
    until("no match", || lock(&side).writer.matched() && reader.matched())?;

    lock(&side).send();
    let mut seen = (0, now_ns());
    while !lock(&side).is_done() {
        let came = match L::WAIT {
            Wait::Waitset => reader.turn(),
            Wait::Listener if hands_over => match handed_over.recv_timeout(PATIENCE) {
                Ok((pong, now_ns)) => {
                    lock(&side).arrived(&pong, now_ns);
                    true
                }
                Err(_) => false,
            },
            Wait::Listener => finished.recv_timeout(PATIENCE).is_ok(),
        };
        if !came {
            let mut side = lock(&side);
            if seen.0 != side.ping.seq {
                seen = (side.ping.seq, now_ns());
            } else if now_ns() - seen.1 > PATIENCE.as_nanos() as u64 {
                side.send();
                seen.1 = now_ns();
            }
        }
    }
    let mut side = lock(&side);
    print(&mut side.times[options.warmup..]);
    side.writer.write(&Header::last());
    side.writer.finish(FAREWELL);
    Ok(())
}

pub(crate) fn print(times: &mut [u64]) {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    let (median, p99, min, count) = (at(50), at(99), at(0), times.len());
    println!("{{\"median_ns\":{median},\"p99_ns\":{p99},\"min_ns\":{min},\"count\":{count}}}");
}

/// Sends back whatever comes until the last has come.
pub fn pong<L: Library>(options: &Options) -> Result<(), String> {
    let library = L::join(options)?;
    let writer = library.writer("pong", &vec![1; options.size])?;
    let writer = Arc::new(Mutex::new(writer));
    let (done, finished) = channel();
    let (hand_over, handed_over) = channel();
    let hands_over = L::WAIT == Wait::Listener && !L::WRITES_IN_LISTENER;
    let shared = Arc::clone(&writer);
    let mut reader = library.reader("ping", move |ping: &Header| {
        if hands_over {
            let _ = hand_over.send(*ping);
        } else if ping.is_last() {
            let _ = done.send(());
        } else {
            lock(&shared).write(ping);
        }
    })?;
    tell(&library.address());
    until("no match", || lock(&writer).matched() && reader.matched())?;

    match L::WAIT {
        Wait::Waitset => {
            while finished.try_recv().is_err() {
                reader.turn();
            }
        }
        Wait::Listener if hands_over => {
            for ping in handed_over.iter().take_while(|ping| !ping.is_last()) {
                lock(&writer).write(&ping);
            }
        }
        Wait::Listener => drop(finished.recv()),
    }
    Ok(())
}
