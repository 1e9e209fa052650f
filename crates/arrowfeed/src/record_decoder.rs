//! Tensors from Avro records that are not in a file.

use std::fmt;

use arrow_array::RecordBatch;
use arrowfeed_avro::{AvroOptions, AvroSchema, RecordDecoder};
use arrowfeed_tensor::{TensorAdapter, Tensors};

use crate::dataset::TensorDefinitions;
use crate::error::DatasetError;

/// A [`RecordDecoder`] whose batches are converted to tensors.
///
/// ```
/// use arrowfeed::avro::{AvroOptions, AvroSchema};
/// use arrowfeed::TensorRecordDecoder;
///
/// # fn main() -> Result<(), arrowfeed::DatasetError> {
/// let schema = r#"{"type": "record", "name": "Row", "fields": [
///     {"name": "id", "type": "long"}, {"name": "name", "type": "string"}]}"#;
/// let mut decoder = TensorRecordDecoder::new(&AvroSchema::parse(schema)?, None, AvroOptions::default())?;
/// decoder.records.decode(&[2, 2, b'a'])?;
/// let tensors = decoder.flush_tensors()?.expect("a row");
/// assert_eq!(tensors.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["id", "name"]);
/// assert!(decoder.flush_tensors()?.is_none());
/// # Ok(())
/// # }
/// ```
pub struct TensorRecordDecoder {
    /// The decoder that receives the records.
    pub records: RecordDecoder,
    definitions: TensorDefinitions,
    adapter: TensorAdapter,
}

impl TensorRecordDecoder {
    /// Makes a decoder for records of the schema `writer`. If `tensors` is `None`,
    /// [`infer_representations`](crate::tensor::infer_representations) determines the tensors. If `options` has no
    /// [columns](AvroOptions::columns) but `tensors` is set, only the columns that the tensors need are decoded.
    ///
    /// # Errors
    /// As [`RecordDecoder::new`]; or columns and tensors do not fit each other.
    pub fn new(
        writer: &AvroSchema,
        tensors: Option<TensorDefinitions>,
        mut options: AvroOptions,
    ) -> Result<Self, DatasetError> {
        let batch_bytes = options.limits.batch_bytes;
        let (schema, recursion_error) = RecordDecoder::schema_of(writer, &options)?;
        let all_columns = tensors.is_none() || options.columns.is_some() || options.exclude.is_some();
        let definitions = TensorDefinitions::given_or_inferred(tensors, &schema, recursion_error.as_ref())?;
        if !all_columns {
            let columns = definitions.needed_columns(&schema, batch_bytes, recursion_error)?;
            options.columns = Some(columns).filter(|columns| !columns.is_empty());
        }
        let records = RecordDecoder::new(writer, options)?;
        let adapter = definitions.adapter_within(records.schema().clone(), batch_bytes)?;
        Ok(Self { records, definitions, adapter })
    }

    /// The definitions of the tensors.
    pub fn tensor_definitions(&self) -> &TensorDefinitions {
        &self.definitions
    }

    /// The adapter that converts the batches to tensors.
    pub fn tensor_adapter(&self) -> &TensorAdapter {
        &self.adapter
    }

    /// Converts the next batch to tensors, see [`RecordDecoder::flush`]. `None`: no row is left.
    ///
    /// # Errors
    /// As [`RecordDecoder::flush`]; or a row does not fit its tensors. The decoder then discards the rows of the batch.
    pub fn flush_tensors(&mut self) -> Result<Option<Tensors>, DatasetError> {
        let convert = |batch: RecordBatch| self.adapter.convert(&batch);
        Ok(self.records.flush()?.map(convert).transpose()?)
    }
}

impl fmt::Debug for TensorRecordDecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TensorRecordDecoder").field("records", &self.records).finish_non_exhaustive()
    }
}
