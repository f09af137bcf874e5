//! Where answers, frames and events go. Standard output is the control channel and nobody else's: it is
//! moved away before any middleware is loaded, and what a library prints goes to standard error.

use std::io::{self, BufWriter, Write};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;

use crate::platform::take_stdout;
use crate::protocol::{FrameHead, Reply, ReplyHead};

/// What a worker sends is longer than a line at times: locators of very many endpoints.
const LONGEST_LINE: usize = 1 << 20;

type Sink = BufWriter<Box<dyn Write + Send>>;

/// The way back to whoever gives commands. Each message goes out as a whole.
#[derive(Clone)]
pub struct Output(Arc<Mutex<Sink>>);

impl Output {
    /// Takes standard output over. Call once, first.
    pub fn claim() -> io::Result<Self> {
        Ok(Self::new(take_stdout()?))
    }

    /// Any other way.
    pub fn new(sink: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(BufWriter::with_capacity(1 << 16, Box::new(sink)))))
    }

    fn send(&self, write: impl FnOnce(&mut Sink) -> io::Result<()>) -> io::Result<()> {
        let mut sink = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        write(&mut sink)?;
        sink.flush()
    }

    /// Sends one line.
    pub fn line(&self, value: &impl Serialize) -> io::Result<()> {
        self.send(|sink| head(sink, value))
    }

    /// Sends a reply: as a line, or behind a head that says how long it is where it is longer than the
    /// controller takes for a line.
    pub fn reply(&self, reply: &Reply) -> io::Result<()> {
        let text = serde_json::to_vec(reply)?;
        self.send(|sink| {
            if text.len() > LONGEST_LINE {
                head(sink, &ReplyHead { frame: "reply", bytes: text.len() })?;
            }
            sink.write_all(&text)?;
            sink.write_all(b"\n")
        })
    }

    /// Sends one frame: its head, its bytes, a newline.
    pub fn frame(&self, frame: &FrameHead, bytes: &[u8]) -> io::Result<()> {
        self.send(|sink| {
            head(sink, frame)?;
            sink.write_all(bytes)?;
            sink.write_all(b"\n")
        })
    }
}

fn head(sink: &mut Sink, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *sink, value)?;
    sink.write_all(b"\n")
}
