//! Bytes of a file with the offset reached.

use std::io::{BufRead, ErrorKind, Read};

use super::Fault;

/// Reads and counts.
pub(super) struct Source {
    from: Box<dyn BufRead>,
    pub(super) offset: u64,
}

impl Source {
    pub(super) fn new(from: Box<dyn BufRead>) -> Self {
        Self { from, offset: 0 }
    }

    /// As many bytes as there are, up to the length of the buffer.
    pub(super) fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, Fault> {
        let mut got = 0;
        while got < buffer.len() {
            match self.from.read(&mut buffer[got..]) {
                Ok(0) => break,
                Ok(n) => got += n,
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                Err(error) => {
                    self.offset += got as u64;
                    return Err(self.read_fault(&error));
                }
            }
        }
        self.offset += got as u64;
        Ok(got)
    }

    /// All of the buffer; `what` names the part of the file that is cut off else.
    pub(super) fn exact(&mut self, buffer: &mut [u8], what: &str) -> Result<(), Fault> {
        let begin = self.offset;
        let got = self.fill(buffer)?;
        if got < buffer.len() {
            let what =
                format!("the file ends within {what}: {got} of {} bytes are there", buffer.len());
            return Err(Fault::new(begin, "truncated", what));
        }
        Ok(())
    }

    fn read_fault(&self, error: &std::io::Error) -> Fault {
        match error.kind() {
            ErrorKind::UnexpectedEof => {
                Fault::new(self.offset, "truncated", "the compressed file ends early")
            }
            ErrorKind::InvalidInput | ErrorKind::InvalidData => Fault::new(
                self.offset,
                "corrupt",
                format!("the compressed file is damaged: {error}"),
            ),
            _ => Fault::new(self.offset, "unreadable", error.to_string()),
        }
    }
}

/// The first bytes, without consuming them; fewer where the file is shorter.
pub(super) fn peek<R: Read>(
    from: &mut std::io::BufReader<R>,
    count: usize,
) -> std::io::Result<Vec<u8>> {
    let start = from.fill_buf()?;
    Ok(start[..start.len().min(count)].to_vec())
}
