//! Ways by which commands come. Whoever carries them out does not know which it was.

use std::io::BufRead;

/// Gives commands, each a line.
pub trait Carrier: Send + 'static {
    /// The next; `None` when there will be none.
    fn next(&mut self) -> Option<String>;
}

/// Commands from whatever is read line by line, such as standard input.
pub struct Lines<R>(pub R);

impl<R: BufRead + Send + 'static> Carrier for Lines<R> {
    fn next(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.0.read_line(&mut line) {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(line),
        }
    }
}
