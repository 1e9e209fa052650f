//! JSON Lines files as a dataset format.
//!
//! | file | content |
//! |---|---|
//! | `format` | options, and the types of the columns of a set of files |
//! | `infer` | inference of the column types of files without a schema |
//! | `found` | the type of the values of a key, merged over records |
//! | `parser` | conversion of records to batches with `arrow-json` |
//! | `integers` | reading of integer columns without truncation of fractions |
//! | `explain` | errors that name the invalid value of a record |

mod explain;
mod format;
mod found;
mod infer;
mod integers;
mod parser;

pub use format::{JsonLinesFormat, JsonLinesOptions};
pub(crate) use parser::JsonParser;
