//! Rows as Avro records without a file around them.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_avro::writer::WriterBuilder;
use arrow_avro::writer::format::AvroBinaryFormat;

use super::{arrow_error, schema_to_write, uuid};
use crate::AvroSchema;
use crate::error::AvroError;

/// Each row of a batch in Avro's binary encoding, without the header and the blocks of a file.
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
/// A column has a type that Avro has not, or does not fit the schema; `None` derives one from the Arrow schema.
pub fn encode_records(batch: &RecordBatch, schema: Option<&AvroSchema>) -> Result<Vec<Vec<u8>>, AvroError> {
    let schema = Arc::new(schema_to_write(batch.schema_ref(), schema));
    let batch = uuid::relabel(batch, &schema).map_err(arrow_error)?;
    let encoder = WriterBuilder::new(schema.as_ref().clone()).build_encoder::<AvroBinaryFormat>();
    let mut encoder = encoder.map_err(|error| arrow_error(error.into()))?;
    encoder.encode(&batch).map_err(|error| arrow_error(error.into()))?;
    Ok(encoder.flush().iter().map(|record| record.to_vec()).collect())
}
