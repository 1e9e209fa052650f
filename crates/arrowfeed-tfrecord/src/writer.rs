//! Writer of batches to a TFRecord file, which appears under its name when it is complete.

use std::fmt;
use std::io::{BufWriter, Write};
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::{Array, LargeBinaryArray, RecordBatch};
use arrow_cast::cast;
use arrow_schema::DataType;
use arrowfeed_select::compact;
use arrowfeed_source::io::{NewFile, Target};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, Interrupt, counted, out_of_memory};

use crate::example::ExampleEncoder;
use crate::sequence_example::SequenceExampleEncoder;
use crate::{Compression, RecordWriter};

/// Bytes per write.
const BUFFER: usize = 256 << 10;

/// Writes rows to a new file as `tf.Example` messages, see [`ExampleEncoder`], or as other records. The file appears under
/// its name when the writer is finished. If the writer is dropped before that, the file is removed.
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
    records: RecordWriter<BufWriter<Box<dyn NewFile>>>,
    content: RecordContent,
    name: String,
    rows: u64,
    interrupt: Option<Interrupt>,
}

/// The content of the records.
enum RecordContent {
    Example,
    SequenceExample {
        /// The column of the sequences.
        column: String,
    },
    Raw,
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
    /// Creates a writer of a new file, which replaces an existing file of this name.
    ///
    /// # Errors
    /// The compression is not compiled in; the file cannot be created.
    pub fn create(path: impl AsRef<Path>, compression: Compression) -> Result<Self, FeedError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let target = compression.check_compiled().and_then(|()| Target::create(path).map_err(FeedError::io));
        let target = target.map_err(|error| error.in_file(&name))?;
        Ok(Self::to_file(name, Box::new(target), compression))
    }

    /// Creates a writer of a new file or object. `name` is its name in messages.
    pub fn to_file(name: impl Into<String>, file: Box<dyn NewFile>, compression: Compression) -> Self {
        let records = RecordWriter::new(BufWriter::with_capacity(BUFFER, file), compression);
        Self { records, content: RecordContent::Example, name: name.into(), rows: 0, interrupt: None }
    }

    /// Writes `tf.SequenceExample` messages instead, see [`SequenceExampleEncoder`]. The fields of the struct column
    /// `sequence_column` become feature lists.
    pub fn with_sequences(mut self, sequence_column: impl Into<String>) -> Self {
        self.content = RecordContent::SequenceExample { column: sequence_column.into() };
        self
    }

    /// Writes the values of the only column, bytes or text, as records.
    pub fn with_raw_records(mut self) -> Self {
        self.content = RecordContent::Raw;
        self
    }

    /// Sets a function that is called about once per MiB written. If it returns true, the writing ends with an error of kind
    /// [`Interrupted`](arrowfeed_source::FeedErrorKind::Interrupted). Default: none.
    pub fn with_interrupt(mut self, interrupt: Interrupt) -> Self {
        self.interrupt = Some(interrupt);
        self
    }

    /// Writes the rows of a batch.
    ///
    /// # Errors
    /// A column has a type or a value that cannot become a feature; for raw records, the batch does not have exactly one
    /// column, or the column has a type other than bytes or text, or a null; the file cannot be written; the caller cancels.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), FeedError> {
        let check = Check::of(self.interrupt.as_ref());
        let mut encoder = match &self.content {
            RecordContent::Example => Encoder::Example(ExampleEncoder::new(batch)?),
            RecordContent::SequenceExample { column } => {
                Encoder::SequenceExample(SequenceExampleEncoder::new(batch, column)?)
            }
            RecordContent::Raw => Encoder::Raw(raw_records(batch)?),
        };
        for row in 0..batch.num_rows() {
            let message = match &mut encoder {
                Encoder::Example(encoder) => encoder.encode(row),
                Encoder::SequenceExample(encoder) => encoder.encode(row),
                Encoder::Raw(records) => records.value(row),
            };
            self.records.write(message).map_err(|error| FeedError::io(error).in_file(&self.name))?;
            check.after(message.len())?;
            self.rows += 1;
        }
        Ok(())
    }

    /// Gives the file its name, and returns its number of rows.
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

/// An encoder of the rows of a batch.
enum Encoder {
    Example(ExampleEncoder),
    SequenceExample(SequenceExampleEncoder),
    Raw(LargeBinaryArray),
}

/// The values of the only column.
///
/// # Errors
/// The batch does not have exactly one column; the column has a type other than bytes or text, or a null.
fn raw_records(batch: &RecordBatch) -> Result<LargeBinaryArray, FeedError> {
    let refused = |message: String| FeedError::new(FeedErrorKind::Conversion, message);
    let [column] = batch.columns() else {
        let found = counted(batch.num_columns() as u64, "column");
        return Err(refused(format!("expected one column of records, found {found}")));
    };
    let of_column = |message: String| refused(message).in_field(batch.schema_ref().field(0).name());
    let values = match column.data_type() {
        DataType::Dictionary(_, values) => values,
        other => other,
    };
    if !(values.is_binary() || values.is_string()) {
        return Err(of_column(format!("expected bytes or text, found {}", column.data_type())));
    }
    let nulls = column.logical_null_count();
    if nulls > 0 {
        return Err(of_column(format!(
            "expected a record in each row, found {}",
            counted(nulls as u64, "null")
        )));
    }
    // A cast reads all values of a dictionary, and those that no row uses may be invalid.
    let records = compact(column).and_then(|column| cast(&column, &DataType::LargeBinary));
    let records =
        records.map_err(|error| out_of_memory(&error).unwrap_or_else(|| of_column(error.to_string())))?;
    Ok(records.as_binary().clone())
}
