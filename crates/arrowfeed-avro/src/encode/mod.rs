//! Encodings other than `native`: wraps the decoded columns in lists.
//!
//! [`wrap`] defines the result for each type, as a schema and as arrays. Values are not copied if a list can be
//! put around them.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, StructArray, cast::AsArray};
use arrow_schema::{Schema, SchemaRef};
use arrowfeed_source::FeedError;

use crate::options::ColumnEncoding;
use arrowfeed_source::field_path;

mod wrap;

/// Converts the decoder's struct of native columns to a batch.
#[derive(Debug)]
pub(crate) struct Encoder {
    encoding: ColumnEncoding,
    schema: SchemaRef,
}

impl Encoder {
    /// Creates an encoder; returns an error if a column cannot have this encoding.
    pub(crate) fn new(encoding: ColumnEncoding, native: &Schema) -> Result<Self, FeedError> {
        let schema = match encoding {
            ColumnEncoding::Native => native.clone(),
            _ => {
                let fields: Result<Vec<_>, _> = native
                    .fields()
                    .iter()
                    .map(|field| wrap::field(encoding, field, &field_path::step(field.name(), true)))
                    .collect();
                Schema::new(fields?)
            }
        };
        Ok(Self { encoding, schema: Arc::new(schema) })
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Encodes `rows`, a struct of the native columns.
    pub(crate) fn encode(&self, rows: &ArrayRef) -> RecordBatch {
        let rows: &StructArray = rows.as_struct();
        let columns = match self.encoding {
            ColumnEncoding::Native => rows.columns().to_vec(),
            _ => {
                let columns = rows.columns().iter().zip(self.schema.fields());
                columns.map(|(column, field)| wrap::array(column, field.data_type())).collect()
            }
        };
        let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
            .expect("columns are made for the schema")
    }
}
