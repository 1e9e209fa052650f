//! Avro object container files to Arrow RecordBatches, fast and strict.

mod container;
mod error;
mod limits;
mod options;
mod schema;

pub use error::{AvroError, AvroErrorKind, Place};
pub use limits::Limits;
pub use options::{Encoding, OnError, ReadOptions, StringType};
pub use schema::AvroSchema;
