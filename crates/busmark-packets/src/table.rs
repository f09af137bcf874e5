//! The table as a file of Arrow IPC, batch by batch, so that memory does not grow with it.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;

use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, Schema};

use crate::rows::{Builders, Row, schema};

/// Rows of a batch.
const BATCH: usize = 64 << 10;

/// Where rows go.
pub trait Sink {
    /// Takes a row.
    fn row(&mut self, row: &Row);
}

impl Sink for Vec<Row> {
    fn row(&mut self, row: &Row) {
        self.push(*row);
    }
}

/// Rows in a file.
pub struct Table {
    schema: Arc<Schema>,
    writer: FileWriter<BufWriter<File>>,
    waiting: Builders,
    /// Rows taken.
    pub rows: u64,
    error: Option<ArrowError>,
}

impl Table {
    /// Makes the file.
    pub fn create(path: &Path) -> Result<Self, ArrowError> {
        let schema = Arc::new(schema());
        let writer = FileWriter::try_new_buffered(File::create(path)?, &schema)?;
        Ok(Self { schema, writer, waiting: Builders::default(), rows: 0, error: None })
    }

    fn flush(&mut self) -> Result<(), ArrowError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let batch = self.waiting.finish(&self.schema)?;
        self.writer.write(&batch)
    }

    /// Whether a row could not be written.
    pub const fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// Writes what waits, and the end of the file.
    pub fn close(mut self) -> Result<u64, ArrowError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        self.flush()?;
        self.writer.finish()?;
        Ok(self.rows)
    }
}

impl Sink for Table {
    fn row(&mut self, row: &Row) {
        if self.error.is_some() {
            return;
        }
        self.waiting.push(row);
        self.rows += 1;
        if self.waiting.len() >= BATCH {
            self.error = self.flush().err();
        }
    }
}
