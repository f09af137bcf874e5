//! Sends samples back: a responder's pongs, a receiver's probes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use busmark_adapter::{Error, Header, WriterHandle};
use busmark_measure::now_ns;
use rtrb::{Consumer, Producer, RingBuffer};

use super::Context;
use super::bodies::{Bodies, Samples};
use super::stamps::Stamps;
use crate::protocol::StreamSpec;

/// Answers that wait for the thread, where one is needed.
const QUEUE: usize = 4096;

/// A writer of answers: from within the listener where the middleware allows it, else by a thread.
pub struct Echo {
    writer: WriterHandle,
    id: u32,
    way: Way,
    failures: Arc<AtomicU64>,
}

enum Way {
    Inline(Samples),
    /// Inline, and T2 of each answer is recorded.
    Stamped(Samples, Stamps),
    Thread {
        queue: Producer<Header>,
        thread: Option<JoinHandle<()>>,
        stop: Arc<AtomicBool>,
    },
}

impl Echo {
    /// A writer on `topic`; with `stamps`, they get the time at which each write has returned.
    pub fn new(
        context: &Context,
        stream: &StreamSpec,
        topic: &str,
        id: u32,
        stamps: Option<Stamps>,
    ) -> Result<Self, Error> {
        let writer = context.participant.writer(&stream.endpoint(topic))?;
        let samples = Bodies::new(stream, context.cookie)?.samples(&writer)?;
        let failures = Arc::new(AtomicU64::new(0));
        let way = if stream.hands_over(context) {
            let (queue, incoming) = RingBuffer::new(QUEUE);
            let stop = Arc::new(AtomicBool::new(false));
            let job = Job {
                writer: writer.clone(),
                samples,
                stamps,
                incoming,
                stop: Arc::clone(&stop),
                failures: Arc::clone(&failures),
            };
            let thread = Some(std::thread::spawn(move || job.run()));
            Way::Thread { queue, thread, stop }
        } else {
            match stamps {
                Some(stamps) => Way::Stamped(samples, stamps),
                None => Way::Inline(samples),
            }
        };
        Ok(Self { writer, id, way, failures })
    }

    /// The writer of answers.
    pub fn writer(&self) -> &WriterHandle {
        &self.writer
    }

    /// inline or thread.
    pub fn mode(&self) -> &'static str {
        match self.way {
            Way::Inline(_) | Way::Stamped(..) => "inline",
            Way::Thread { .. } => "thread",
        }
    }

    /// Answers that could not be sent.
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// Answers one sample. Sent inline, the answer's T1 is the T4 of what it answers: one clock reading
    /// serves both, for nothing happens in between. Hot.
    #[expect(clippy::inline_always, reason = "a call of its own would cost every answer")]
    #[inline(always)]
    pub fn answer(&mut self, ping: &Header, delivered_ns: i64, read_ns: i64) {
        let pong = Header {
            cookie: ping.cookie,
            seq: ping.seq,
            intended_ns: ping.intended_ns,
            sent_ns: read_ns,
            echo_sent_ns: ping.sent_ns,
            echo_delivered_ns: delivered_ns,
            echo_read_ns: read_ns,
            writer_id: self.id,
            flags: ping.answer_flags(),
        };
        let failed = match &mut self.way {
            Way::Inline(samples) => self.writer.write(samples.of(pong.seq), &pong).is_err(),
            Way::Stamped(samples, stamps) => {
                let failed = self.writer.write(samples.of(pong.seq), &pong).is_err();
                if !failed {
                    stamps.written(&pong);
                }
                failed
            }
            Way::Thread { queue, thread, .. } => {
                let failed = queue.push(pong).is_err();
                if let Some(thread) = thread {
                    thread.thread().unpark();
                }
                failed
            }
        };
        if failed {
            self.failures.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Ends the thread, if there is one.
    pub fn close(&mut self) {
        if let Way::Thread { thread, stop, .. } = &mut self.way
            && let Some(thread) = thread.take()
        {
            stop.store(true, Ordering::Relaxed);
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        self.close();
    }
}

struct Job {
    writer: WriterHandle,
    samples: Samples,
    stamps: Option<Stamps>,
    incoming: Consumer<Header>,
    stop: Arc<AtomicBool>,
    failures: Arc<AtomicU64>,
}

impl Job {
    fn run(mut self) {
        while !self.stop.load(Ordering::Relaxed) {
            match self.incoming.pop() {
                Ok(mut pong) => {
                    pong.sent_ns = now_ns();
                    if self.writer.write(self.samples.of(pong.seq), &pong).is_err() {
                        self.failures.fetch_add(1, Ordering::Relaxed);
                    } else if let Some(stamps) = &mut self.stamps {
                        stamps.written(&pong);
                    }
                }
                Err(_) => std::thread::park(),
            }
        }
    }
}
