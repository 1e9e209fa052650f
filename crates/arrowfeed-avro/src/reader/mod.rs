//! The builder of readers, and Avro as a format for the engine of [`arrowfeed_source::run`].
//!
//! | file | contents |
//! |---|---|
//! | `builder` | reader options and the `open` functions |
//! | `format` | implementation of the format traits: schemas, plans, files |
//! | `unit` | decoding of some blocks of one file into batches |
//! | `file` | an open file: header, blocks |
//! | `decoders` | reusable decoders |
//!
//! Each file depends only on those below it.

mod builder;
mod decoders;
pub(crate) mod file;
mod format;
mod unit;

pub use builder::AvroReaderBuilder;
pub use format::AvroFormat;
