//! Datasets for Python.
//!
//! | file | content |
//! |---|---|
//! | `base` | `arrowfeed.Dataset` |
//! | `constructors` | the class of each format, such as `arrowfeed.AvroDataset` |
//! | `chunk_source` | adapter of `arrowfeed.ChunkSource` for the engine |
//! | `arguments` | arguments of the constructors |
//! | `options` | options of an iteration |
//! | `iterator` | `arrowfeed.BatchIterator` |

mod arguments;
mod base;
mod chunk_source;
mod constructors;
mod iterator;
mod options;

pub(crate) use base::Dataset;
pub(crate) use constructors::{
    ArrowDataset, AvroDataset, ChunkDataset, CsvDataset, ExampleDataset, JsonLinesDataset, MixedDataset,
    ParquetDataset, RawRecordDataset, SequenceExampleDataset,
};
pub(crate) use iterator::BatchIterator;
pub(crate) use options::iteration_options;
