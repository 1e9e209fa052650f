//! Datasets, as Python sees them.
//!
//! | file | what |
//! |---|---|
//! | `base` | `arrowfeed.Dataset` |
//! | `constructors` | `arrowfeed.AvroDataset`, `arrowfeed.ParquetDataset` |
//! | `arguments` | what a dataset is made of |
//! | `options` | what an iteration chooses |
//! | `iterator` | `arrowfeed.BatchIterator` |

mod arguments;
mod base;
mod constructors;
mod iterator;
mod options;

pub(crate) use base::Dataset;
pub(crate) use constructors::{AvroDataset, ParquetDataset};
pub(crate) use iterator::BatchIterator;
