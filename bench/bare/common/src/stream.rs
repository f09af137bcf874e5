//! One sends as fast as it can, the other counts.

use std::sync::mpsc::channel;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::{Header, Library, Options, Reader, Wait, Writer, now_ns, tell, until};

/// How often it is said that all has been sent; samples can be lost.
const REPEATS: usize = 20;
/// How long that waits, so that full buffers empty, and how long the first sample does.
const PAUSE: Duration = Duration::from_millis(100);
/// How long the library may refuse a sample, and how long the last ones may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Every so manieth sample is stamped: reading the clock for each would be a cost of its own.
const STAMPED: u64 = 16;

#[derive(Clone, Copy, Default)]
struct Count {
    received: u64,
    first_ns: u64,
    last_ns: u64,
    /// Samples that were sent, as far as is known.
    sent: u64,
}

impl Count {
    #[inline]
    fn enter(&mut self, header: &Header) {
        if self.received == 0 {
            self.first_ns = now_ns();
        }
        self.received += 1;
        self.sent = header.seq + 1;
        if self.received.is_multiple_of(STAMPED) {
            self.last_ns = now_ns();
        }
    }

    fn print(&self, options: &Options) {
        let seconds = self.last_ns.saturating_sub(self.first_ns) as f64 / 1e9;
        // What came after the last stamp has no time of its own.
        let stamped = self.received - self.received % STAMPED;
        let rate = if seconds > 0.0 { stamped as f64 / seconds } else { 0.0 };
        println!(
            "{{\"samples_per_s\":{rate:.0},\"mbit_per_s\":{:.1},\"received\":{},\"lost\":{}}}",
            rate * options.size as f64 * 8.0 / 1e6,
            self.received,
            self.sent.max(options.count as u64).saturating_sub(self.received)
        );
    }
}

/// Counts samples until the last one and prints the rate.
pub fn subscribe<L: Library>(options: &Options) -> Result<(), String> {
    let library = L::join(options)?;
    let (done, finished) = channel();
    let mut count = Count::default();
    let mut reader = library.reader("stream", move |header: &Header| {
        if header.is_last() {
            let _ = done.send(count);
        } else {
            count.enter(header);
        }
    })?;
    tell(&library.address());
    until("no match", || reader.matched())?;
    let count = match L::WAIT {
        Wait::Listener => finished.recv().map_err(|_| "the reader is gone".to_owned())?,
        Wait::Waitset => loop {
            reader.turn();
            if let Ok(count) = finished.try_recv() {
                break count;
            }
        },
    };
    count.print(options);
    Ok(())
}

/// Sends.
pub fn publish<L: Library>(options: &Options) -> Result<(), String> {
    let library = L::join(options)?;
    let mut writer = library.writer("stream", &vec![1; options.size])?;
    until("no match", || writer.matched())?;
    // The other side gets time to know of the match, too.
    sleep(PAUSE);
    let mut header = Header::default();
    while header.seq < options.count as u64 {
        if !writer.write(&header) {
            retry(&mut writer, &header)?;
        }
        header.seq += 1;
    }
    writer.finish(PATIENCE);
    sleep(PAUSE);
    for _ in 0..REPEATS {
        writer.write(&Header::last());
    }
    // The other side ends with the first of them.
    writer.finish(PAUSE);
    Ok(())
}

#[cold]
fn retry(writer: &mut impl Writer, header: &Header) -> Result<(), String> {
    let start = Instant::now();
    while !writer.write(header) {
        if start.elapsed() > PATIENCE {
            return Err(format!("sample {} was refused for 10 s", header.seq));
        }
    }
    Ok(())
}
