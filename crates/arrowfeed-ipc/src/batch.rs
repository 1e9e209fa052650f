//! A record batch to arrays.

use std::collections::HashMap;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::reader::RecordBatchDecoder;
use arrow_ipc::{MetadataVersion, RecordBatch as StoredBatch};
use arrow_schema::SchemaRef;
use arrowfeed_source::format::check_values;
use arrowfeed_source::io::OpenFile;
use arrowfeed_source::{FeedError, FeedErrorKind, Limits};

use crate::body::{copied, read_body};
use crate::layout::{buffers_of, corrupt};
use crate::message::{StoredMessage, guarded};
use crate::owned_lengths::with_owned_lengths;

/// The values of dictionaries, by their numbers.
pub(crate) type Dictionaries = HashMap<i64, ArrayRef>;

/// Reads the columns of a record batch, which is a message or a part of it.
///
/// # Errors
/// The batch is invalid; a limit is reached; an I/O error.
pub(crate) fn read_columns(
    file: &OpenFile,
    message: &StoredMessage,
    batch: StoredBatch<'_>,
    version: MetadataVersion,
    (schema, columns): (&SchemaRef, &[usize]),
    dictionaries: &Dictionaries,
    limits: &Limits,
) -> Result<Vec<ArrayRef>, FeedError> {
    let mut is_read = vec![false; schema.fields().len()];
    for column in columns {
        is_read[*column] = true;
    }
    let fields = schema.fields().iter().map(AsRef::as_ref).zip(is_read);
    let buffers = buffers_of(&batch, version, message.body_len, fields, limits)?;
    let body = read_body(file, message.body..message.end(), &buffers.found, limits)?;
    let read = |body, batch| {
        let decoder = RecordBatchDecoder::try_new(body, batch, schema.clone(), dictionaries, &version)?;
        // Values are validated: offsets, UTF-8, indices of dictionaries. Buffers whose type needs it are aligned.
        decoder.with_projection(Some(columns)).with_require_alignment(false).read_record_batch()
    };
    let expected = "a valid record batch";
    let found: RecordBatch = match copied(&body, &batch, &buffers, limits)? {
        None => guarded(FeedErrorKind::CorruptBlock, expected, || read(&body, batch))?,
        Some(copied) => {
            drop(body);
            let batch = flatbuffers::root::<StoredBatch<'_>>(&copied.batch);
            let batch = batch.map_err(|error| corrupt(format!("expected a record batch, found {error}")))?;
            guarded(FeedErrorKind::CorruptBlock, expected, || read(&copied.body, batch))?
        }
    };
    for (field, column) in found.schema_ref().fields().iter().zip(found.columns()) {
        check_values(column, field.name())?;
    }
    Ok(found.columns().iter().map(with_owned_lengths).collect())
}
