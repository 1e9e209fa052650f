//! Datasets for Python. The classes of the formats are in `formats`.
//!
//! | file | content |
//! |---|---|
//! | `base` | `arrowfeed.Dataset` |
//! | `keywords` | the keywords of constructors, and the objects that they make |
//! | `options` | options of an iteration |
//! | `by_length` | `arrowfeed.ByLength`, the option of batches by length |
//! | `iterator` | `arrowfeed.BatchIterator` |
//! | `mapped` | functions over the batches of a dataset |
//! | `rows` | rows by number |
//! | `traced` | the rows of batches, and the batches of rows |

mod base;
mod by_length;
mod iterator;
mod keywords;
mod mapped;
mod options;
mod rows;
mod traced;

pub(crate) use base::{Dataset, DatasetClass};
pub(crate) use by_length::ByLength;
pub(crate) use iterator::BatchIterator;
pub(crate) use keywords::Keywords;
pub(crate) use mapped::one_batch;
pub(crate) use options::iteration_options;
pub(crate) use rows::RowReader;
