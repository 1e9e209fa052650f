//! Parquet files: `arrowfeed.ParquetDataset` and `arrowfeed.read_parquet`.

use arrow_schema::SchemaRef;
use arrowfeed::formats::FormatOptions;
use arrowfeed::parquet::ParquetOptions;
use pyo3::prelude::*;

use super::FormatArguments;
use crate::schema_merge::SchemaArgument;

#[derive(Default)]
struct ParquetArguments {
    options: ParquetOptions,
    schema: Option<SchemaArgument<SchemaRef>>,
}

impl FormatArguments for ParquetArguments {
    fn options(self, _: Python<'_>) -> PyResult<FormatOptions> {
        let (schema, merge_schemas) = SchemaArgument::parts(self.schema);
        Ok(ParquetOptions { schema, merge_schemas, ..self.options }.into())
    }
}

file_format! {
    ParquetArguments: {
        columns in options,
        exclude in options,
        schema,
        double_as_float in options,
        limits in options,
    }
    format: Parquet,
    dataset: ParquetDataset,
    reader: read_parquet,
}
