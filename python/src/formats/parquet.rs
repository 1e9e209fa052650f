//! Parquet files: `arrowfeed.ParquetDataset` and `arrowfeed.read_parquet`.

use arrowfeed::parquet::{ParquetFormat, ParquetOptions};
use pyo3::prelude::*;

equal_options!(ParquetOptions);

file_format! {
    ParquetOptions: { columns, exclude, schema, double_as_float, limits }
    extension: "parquet",
    open: ParquetFormat::files,
    dataset: ParquetDataset,
    reader: read_parquet,
}
