//! Writing of batches to Avro object container files.
//!
//! ```text
//! Arrow schema ──derive──> Avro schema ──plan──> Node
//! batch ──encode::bind──> Body ──blocks──> blocks ──runner──> in order ──writer──> target or sink
//! ```
//!
//! | file | content |
//! |---|---|
//! | `options` | the options of callers |
//! | `derive`, `names` | the Avro schema and the Avro names of an Arrow schema |
//! | `plan` | the column for each field of the Avro schema |
//! | `encode` | encoding of rows into the buffer of a block |
//! | `blocks`, `compress`, `container` | blocks, their compression, the header and the sync marker |
//! | `runner` | encoding in the caller's thread or in several, with the results in order |
//! | `append`, `locked` | a file that grows, and its lock |
//! | `writer`, `records` | the entry points |

mod append;
mod blocks;
mod compress;
mod container;
mod derive;
mod encode;
mod locked;
mod names;
mod options;
mod plan;
mod records;
mod runner;
mod writer;

use std::path::Path;

use arrow_array::RecordBatchReader;
use arrow_schema::ArrowError;

use arrowfeed_source::{FeedError, FeedErrorKind};
pub use options::{Unsigned, WriteOptions};
pub use records::encode_records;
pub use writer::{AvroWriter, Written};

/// Writes all batches to a new file and returns the number of rows. The file appears under its name once it is
/// complete, and replaces an existing file.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
/// use arrow_array::{Int64Array, RecordBatch, RecordBatchIterator};
/// use arrowfeed_avro::{WriteOptions, write_avro};
/// # let path = std::env::temp_dir().join(format!("arrowfeed-doc-{}.avro", std::process::id()));
/// let column = Arc::new(Int64Array::from(vec![1, 2, 3]));
/// let batch = RecordBatch::try_from_iter([("id", column as _)])?;
/// let schema = batch.schema();
/// let rows = write_avro(RecordBatchIterator::new([Ok(batch)], schema), &path, &WriteOptions::default())?;
/// assert_eq!(rows, 3);
/// # std::fs::remove_file(path)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// A column has a type without a form in Avro or does not fit the schema of the options; a value cannot be written as its
/// Avro type; the codec is not compiled in; the file cannot be written; the batches end with an error.
pub fn write_avro(
    batches: impl RecordBatchReader,
    path: impl AsRef<Path>,
    options: &WriteOptions,
) -> Result<u64, FeedError> {
    let mut writer = AvroWriter::create(path, batches.schema(), options.clone())?;
    for batch in batches {
        writer.write(&batch.map_err(source_error)?)?;
    }
    Ok(writer.finish()?.rows)
}

/// Converts an error of the source of the batches.
fn source_error(error: ArrowError) -> FeedError {
    match error {
        ArrowError::IoError(_, error) => FeedError::io(error),
        ArrowError::ExternalError(error) => match error.downcast::<FeedError>() {
            Ok(error) => *error,
            Err(error) => FeedError::new(FeedErrorKind::Schema, error.to_string()).with_source(error),
        },
        error => FeedError::new(FeedErrorKind::Schema, error.to_string()).with_source(error),
    }
}
