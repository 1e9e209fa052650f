//! Avro as a format for the engine of [`arrowfeed_source::run`].
//!
//! | file | contents |
//! |---|---|
//! | `format` | implementation of the format traits: schemas, plans, files; readers of streams |
//! | `unit` | decoding of some blocks of one file into batches |
//! | `file` | an open file: header, blocks |
//! | `decoders` | reusable decoders |
//!
//! Each file depends only on those below it.

mod decoders;
pub(crate) mod file;
mod format;
mod unit;

pub use format::AvroFormat;
