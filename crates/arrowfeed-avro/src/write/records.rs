//! Rows as single Avro records, without a file.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrowfeed_source::{FeedError, Limits};

use super::encode::{BlockBuffer, bind};
use super::{WriteOptions, writer};
use crate::AvroSchema;

/// Encodes each row of a batch in Avro's binary encoding, without the header and the blocks of a file. A `schema` of
/// `None` derives the Avro schema from the Arrow schema.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
/// use arrow_array::{Int64Array, RecordBatch};
/// let column = Arc::new(Int64Array::from(vec![1, -1]));
/// let batch = RecordBatch::try_from_iter([("id", column as _)])?;
/// let records = arrowfeed_avro::encode_records(&batch, None)?;
/// assert_eq!(records, [[2], [1]]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// A column has a type without a form in Avro or does not fit the schema; a value cannot be written as its Avro type.
pub fn encode_records(batch: &RecordBatch, schema: Option<&AvroSchema>) -> Result<Vec<Vec<u8>>, FeedError> {
    let options = WriteOptions { schema: schema.cloned(), ..WriteOptions::default() };
    let (_, plan) = writer::settle(batch.schema_ref(), Some(batch.columns()), &options)?;
    let rows: ArrayRef = Arc::new(StructArray::from(batch.clone()));
    let body = bind(&plan, &rows)?;
    let mut buffer = BlockBuffer::new(Limits::default().decoded_block_bytes);
    let record = |row: usize| {
        buffer.clear();
        body.put(row, &mut buffer).map_err(|error| error.in_record(row as u64))?;
        if buffer.is_over() {
            return Err(super::blocks::too_large().in_record(row as u64));
        }
        Ok(buffer.rows().to_vec())
    };
    (0..rows.len()).map(record).collect()
}
