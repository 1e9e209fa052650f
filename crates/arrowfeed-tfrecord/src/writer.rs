//! Batches to a file of TFRecord, which has its name when it is whole.

use std::fmt;
use std::io::{BufWriter, Write};
use std::path::Path;

use arrow_array::RecordBatch;
use arrowfeed_source::io::Target;
use arrowfeed_source::{Check, FeedError, Interrupt};

use crate::example::ExampleEncoder;
use crate::sequence_example::SequenceExampleEncoder;
use crate::{Compression, RecordWriter};

/// Bytes that are written at a time.
const BUFFER: usize = 256 << 10;

/// Writes rows as messages of `tf.Example`, see [`ExampleEncoder`], to a new file. The file appears under its name when it is
/// finished; dropped before that, it is removed.
///
/// ```
/// use std::sync::Arc;
///
/// use arrow_array::{Int64Array, RecordBatch};
/// use arrowfeed_tfrecord::{Compression, ExampleWriter};
/// # let path = std::env::temp_dir().join(format!("arrowfeed-doc-{}.tfrecord", std::process::id()));
///
/// let numbers = Arc::new(Int64Array::from(vec![1, 2, 3]));
/// let batch = RecordBatch::try_from_iter([("n", numbers as _)]).unwrap();
/// let mut writer = ExampleWriter::create(&path, Compression::None)?;
/// writer.write(&batch)?;
/// assert_eq!(writer.finish()?, 3);
/// # std::fs::remove_file(path).unwrap();
/// # Ok::<(), arrowfeed_source::FeedError>(())
/// ```
pub struct ExampleWriter {
    records: RecordWriter<BufWriter<Target>>,
    /// Of messages of `tf.SequenceExample`: the column of their sequences.
    sequence_column: Option<String>,
    name: String,
    rows: u64,
    interrupt: Option<Interrupt>,
}

impl fmt::Debug for ExampleWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExampleWriter")
            .field("name", &self.name)
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}

impl ExampleWriter {
    /// A writer of a new file, which replaces one of this name.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn create(path: impl AsRef<Path>, compression: Compression) -> Result<Self, FeedError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let target = Target::create(path).map_err(|error| FeedError::io(error).in_file(&name))?;
        let records = RecordWriter::new(BufWriter::with_capacity(BUFFER, target), compression);
        Ok(Self { records, sequence_column: None, name, rows: 0, interrupt: None })
    }

    /// Writes messages of `tf.SequenceExample` instead, see [`SequenceExampleEncoder`]. `sequence_column`: the struct whose fields
    /// become feature lists.
    pub fn with_sequences(mut self, sequence_column: impl Into<String>) -> Self {
        self.sequence_column = Some(sequence_column.into());
        self
    }

    /// Asked for about each mebibyte that is written. True stops the writing with an error of kind
    /// [`Interrupted`](arrowfeed_source::FeedErrorKind::Interrupted). Default: never.
    pub fn with_interrupt(mut self, interrupt: Interrupt) -> Self {
        self.interrupt = Some(interrupt);
        self
    }

    /// Writes the rows of a batch.
    ///
    /// # Errors
    /// A column has a type that no feature has, or a value that none can have; the file cannot be written; the caller wants to
    /// stop.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), FeedError> {
        let check = Check::of(self.interrupt.as_ref());
        let mut encoder = match &self.sequence_column {
            None => Encoder::Example(ExampleEncoder::new(batch)?),
            Some(column) => Encoder::SequenceExample(SequenceExampleEncoder::new(batch, column)?),
        };
        for row in 0..batch.num_rows() {
            let message = match &mut encoder {
                Encoder::Example(encoder) => encoder.encode(row),
                Encoder::SequenceExample(encoder) => encoder.encode(row),
            };
            self.records.write(message).map_err(|error| FeedError::io(error).in_file(&self.name))?;
            check.after(message.len())?;
            self.rows += 1;
        }
        Ok(())
    }

    /// Gives the file its name, and says how many rows it has.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(self) -> Result<u64, FeedError> {
        let Self { records, name, rows, .. } = self;
        let finished = records.finish().and_then(|mut buffer| {
            buffer.flush()?;
            buffer.into_inner().map_err(std::io::IntoInnerError::into_error)?.commit()
        });
        finished.map_err(|error| FeedError::io(error).in_file(&name))?;
        Ok(rows)
    }
}

/// Of the rows of a batch.
enum Encoder {
    Example(ExampleEncoder),
    SequenceExample(SequenceExampleEncoder),
}
