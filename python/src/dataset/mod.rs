//! Datasets, as Python sees them.
//!
//! | file | what |
//! |---|---|
//! | `base` | `arrowfeed.Dataset` |
//! | `constructors` | the class of each format, such as `arrowfeed.AvroDataset` |
//! | `chunk_source` | `arrowfeed.ChunkSource` as the engine sees one |
//! | `arguments` | what a dataset is made of |
//! | `options` | what an iteration chooses |
//! | `iterator` | `arrowfeed.BatchIterator` |

mod arguments;
mod base;
mod chunk_source;
mod constructors;
mod iterator;
mod options;

pub(crate) use base::Dataset;
pub(crate) use constructors::{
    AvroDataset, ChunkDataset, CsvDataset, ExampleDataset, JsonLinesDataset, ParquetDataset,
    RawRecordDataset, SequenceExampleDataset,
};
pub(crate) use iterator::BatchIterator;
pub(crate) use options::iteration_options;
