//! Standard output is the control channel and nobody else's: it is moved away before any middleware is
//! loaded, and what a library prints goes to standard error.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use rustix::stdio::{dup2_stdout, stderr, stdout};
use serde::Serialize;

use crate::protocol::FrameHead;

/// The control channel to the controller.
pub struct Output(BufWriter<File>);

impl Output {
    /// Takes standard output over. Call once, first.
    pub fn claim() -> io::Result<Self> {
        let own = rustix::io::fcntl_dupfd_cloexec(stdout(), 3)?;
        dup2_stdout(stderr())?;
        Ok(Self(BufWriter::with_capacity(1 << 16, File::from(own))))
    }

    /// Sends one line.
    pub fn line(&mut self, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.0, value)?;
        self.0.write_all(b"\n")?;
        self.0.flush()
    }

    /// Sends one frame: its head, its bytes, a newline.
    pub fn frame(&mut self, role: &str, writer: u32, bytes: &[u8]) -> io::Result<()> {
        let head =
            FrameHead { frame: "samples", role: role.to_owned(), writer, bytes: bytes.len() };
        serde_json::to_writer(&mut self.0, &head)?;
        self.0.write_all(b"\n")?;
        self.0.write_all(bytes)?;
        self.0.write_all(b"\n")?;
        self.0.flush()
    }
}
