//! Parquet files: `arrowfeed.ParquetDataset` and `arrowfeed.read_parquet`.

use arrowfeed::parquet::{ParquetFormat, ParquetOptions};
use arrowfeed::source::Limits;
use pyo3::prelude::*;

use super::FormatArguments;
use crate::argument_types::{Columns, Given};
use crate::arrow_schema::Schema;

file_format! {
    struct ParquetArguments {
        columns: Option<Columns>,
        schema: Option<Schema>,
        double_as_float: bool,
        limits: Limits,
    }
    extension: "parquet",
    open: ParquetFormat::files,
    dataset: ParquetDataset,
    reader: read_parquet,
}

impl FormatArguments for ParquetArguments {
    type Options = ParquetOptions;

    fn options(self, _: Python<'_>) -> PyResult<ParquetOptions> {
        let Self { columns, schema, double_as_float, limits } = self;
        let (columns, schema) = (columns.map(Columns::into), schema.map(|Schema(schema)| schema));
        Ok(ParquetOptions { columns, schema, double_as_float, limits })
    }
}
