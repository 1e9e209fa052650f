//! Datasets, as Python sees them.
//!
//! | file | what |
//! |---|---|
//! | `avro` | `arrowfeed.AvroDataset` |
//! | `arguments` | what a dataset is made of |
//! | `options` | what an iteration chooses |
//! | `iterator` | `arrowfeed.BatchIterator` |

mod arguments;
mod avro;
mod iterator;
mod options;

pub(crate) use avro::AvroDataset;
pub(crate) use iterator::BatchIterator;
