//! Files of JSON lines as a format of datasets.
//!
//! | file | what |
//! |---|---|
//! | `format` | options, and the types of the columns of a set of files |
//! | `infer` | the types of the columns of files without a schema |
//! | `parser` | records to batches, by `arrow-json` |
//! | `integers` | columns of integers, none of which loses its fraction |
//! | `explain` | the value at which a record is wrong |

mod explain;
mod format;
mod infer;
mod integers;
mod parser;

pub use format::{JsonLinesFormat, JsonLinesOptions};
pub(crate) use parser::JsonParser;
