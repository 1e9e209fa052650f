//! JSON Lines files as a dataset format.
//!
//! | file | content |
//! |---|---|
//! | `format` | options, and the types of the columns of a set of files |
//! | `infer` | inference of the column types of files without a schema |
//! | `found` | the type of the values of a key, merged over records |
//! | `tape` | a strict parser of JSON texts |
//! | `columns` | conversion of JSON values to arrays |
//! | `parser` | conversion of records to batches |
//! | `explain` | errors that name the invalid value of a record |

mod columns;
mod explain;
mod format;
mod found;
mod infer;
mod parser;
mod tape;

pub use format::{JsonLinesFormat, JsonLinesOptions};
pub(crate) use parser::JsonParser;
