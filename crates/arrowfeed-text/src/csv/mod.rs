//! CSV files as a format of datasets.
//!
//! | file | what |
//! |---|---|
//! | `dialect` | the characters that a file is written with |
//! | `format` | options; names and types of the columns of a set of files |
//! | `infer` | the types of the columns of files without a schema |
//! | `lists` | cells that become lists |
//! | `parser` | records to batches, by `arrow-csv` |
//! | `explain` | the cell at which a record is wrong |

mod dialect;
mod explain;
mod format;
mod infer;
mod lists;
mod parser;

pub use dialect::CsvDialect;
pub use format::{CsvFormat, CsvOptions};
pub use lists::Multivalent;
pub(crate) use parser::CsvParser;
