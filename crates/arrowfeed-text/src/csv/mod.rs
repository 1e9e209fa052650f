//! CSV files as a dataset format.
//!
//! | file | content |
//! |---|---|
//! | `dialect` | the syntax of a file: delimiter, quote, header and so on |
//! | `format` | options; names and types of the columns of a set of files |
//! | `infer` | inference of the column types of files without a schema |
//! | `lists` | cells that become lists |
//! | `texts` | values of texts that depend on options: booleans, and numbers with a decimal comma |
//! | `parser` | conversion of records to batches with `arrow-csv` |
//! | `explain` | errors that name the invalid cell of a record |

mod dialect;
mod explain;
mod format;
mod infer;
mod lists;
mod parser;
mod texts;

pub(crate) use dialect::CsvDialect;
pub use format::{CsvFormat, CsvOptions};
pub(crate) use parser::CsvParser;
