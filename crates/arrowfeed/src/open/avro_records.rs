//! Avro records without a file as tensors.

use std::fmt;

use arrow_array::RecordBatch;
use arrowfeed_avro::{AvroSchema, ReadOptions, RecordDecoder};
use arrowfeed_tensor::{Adapter, Tensors};

use crate::dataset::TensorDefinitions;
use crate::error::DatasetError;

/// A [`RecordDecoder`] with the tensors that are made of its batches.
///
/// ```
/// use arrowfeed::{AvroSchema, ReadOptions, TensorRecordDecoder};
///
/// # fn main() -> Result<(), arrowfeed::DatasetError> {
/// let schema = r#"{"type": "record", "name": "Row", "fields": [
///     {"name": "id", "type": "long"}, {"name": "name", "type": "string"}]}"#;
/// let mut decoder = TensorRecordDecoder::new(&AvroSchema::parse(schema)?, None, ReadOptions::default())?;
/// decoder.records.decode(&[2, 2, b'a'])?;
/// let tensors = decoder.flush_tensors()?.expect("a row");
/// assert_eq!(tensors.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["id", "name"]);
/// assert!(decoder.flush_tensors()?.is_none());
/// # Ok(())
/// # }
/// ```
pub struct TensorRecordDecoder {
    /// Takes the records.
    pub records: RecordDecoder,
    definitions: TensorDefinitions,
    adapter: Adapter,
}

impl TensorRecordDecoder {
    /// A decoder of records of `writer`. `tensors`: what the tensors are made of; `None`: what
    /// [`infer_representations`](crate::tensor::infer_representations) finds. Where tensors are given, and no
    /// [columns](ReadOptions::columns), no more columns are decoded than the tensors need.
    ///
    /// # Errors
    /// As [`RecordDecoder::new`]; or columns and tensors do not fit each other.
    pub fn new(
        writer: &AvroSchema,
        tensors: Option<TensorDefinitions>,
        mut options: ReadOptions,
    ) -> Result<Self, DatasetError> {
        let batch_bytes = options.limits.batch_bytes;
        let (schema, endless) = RecordDecoder::schema_of(writer, &options)?;
        let all_columns = tensors.is_none() || options.columns.is_some();
        let definitions = TensorDefinitions::given_or_inferred(tensors, &schema, endless.as_ref())?;
        if !all_columns {
            let columns = definitions.needed_columns(&schema, batch_bytes, endless)?;
            options.columns = Some(columns).filter(|columns| !columns.is_empty());
        }
        let records = RecordDecoder::new(writer, options)?;
        let adapter = definitions.adapter_within(records.schema().clone(), batch_bytes)?;
        Ok(Self { records, definitions, adapter })
    }

    /// What the tensors are made of.
    pub fn tensor_definitions(&self) -> &TensorDefinitions {
        &self.definitions
    }

    /// What makes tensors of the batches.
    pub fn tensor_adapter(&self) -> &Adapter {
        &self.adapter
    }

    /// The tensors of the next batch, see [`RecordDecoder::flush`]. `None`: there are no more rows.
    ///
    /// # Errors
    /// As [`RecordDecoder::flush`]; or a row does not fit its tensors. The rows of the batch are lost then.
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
