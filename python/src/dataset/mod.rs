//! Datasets, as Python sees them.
//!
//! | file | what |
//! |---|---|
//! | `dataset` | `arrowfeed.Dataset` |
//! | `constructors` | `arrowfeed.AvroDataset`, `arrowfeed.ParquetDataset` |
//! | `arguments` | what a dataset is made of |
//! | `options` | what an iteration chooses |
//! | `iterator` | `arrowfeed.BatchIterator` |

mod arguments;
mod constructors;
mod dataset;
mod iterator;
mod options;

pub(crate) use constructors::{AvroDataset, ParquetDataset};
pub(crate) use dataset::Dataset;
pub(crate) use iterator::BatchIterator;
