//! Recorded rows as an Arrow IPC stream.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use busmark_measure::Row;

type Column = (&'static str, fn(&Row) -> &AtomicI64);

/// The names come from the `samples` table. A stamp that was never taken is null, and answers that
/// nobody counts; `writer`, `seq` and `flags` are always there.
const STAMPS: [Column; 11] = [
    ("intended_ns", |row| &row.intended_ns),
    ("sent_ns", |row| &row.sent_ns),
    ("written_ns", |row| &row.written_ns),
    ("echo_delivered_ns", |row| &row.echo_delivered_ns),
    ("echo_read_ns", |row| &row.echo_read_ns),
    ("echo_sent_ns", |row| &row.echo_sent_ns),
    ("delivered_ns", |row| &row.delivered_ns),
    ("read_ns", |row| &row.read_ns),
    ("source_ns", |row| &row.source_ns),
    ("reception_ns", |row| &row.reception_ns),
    ("answers", |row| &row.answers),
];
const NUMBERS: [Column; 3] =
    [("writer", |row| &row.writer), ("seq", |row| &row.seq), ("flags", |row| &row.flags)];

/// The rows as an Arrow IPC stream of one record batch.
pub fn to_arrow(rows: &[Row]) -> Result<Vec<u8>, ArrowError> {
    let mut fields = Vec::new();
    let mut columns: Vec<ArrayRef> = Vec::new();
    for (name, field) in NUMBERS {
        fields.push(Field::new(name, DataType::Int64, false));
        let values = rows.iter().map(|row| Row::get(field(row)).unwrap_or(0));
        columns.push(Arc::new(Int64Array::from_iter_values(values)));
    }
    for (name, field) in STAMPS {
        fields.push(Field::new(name, DataType::Int64, true));
        let values = rows.iter().map(|row| Row::get(field(row)));
        columns.push(Arc::new(values.collect::<Int64Array>()));
    }
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(Arc::clone(&schema), columns)?;
    stream(&batch)
}

/// An Arrow IPC stream of one record batch.
pub fn stream(batch: &RecordBatch) -> Result<Vec<u8>, ArrowError> {
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema())?;
    writer.write(batch)?;
    writer.into_inner()
}
