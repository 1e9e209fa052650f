//! Avro object container files to Arrow RecordBatches, fast and strict.

mod container;
mod decode;
mod encode;
mod error;
mod limits;
mod locate;
mod memory;
mod options;
mod plan;
mod schema;
mod wire;

pub use error::{AvroError, AvroErrorKind, Place};
pub use limits::Limits;
pub use options::{Encoding, OnError, ReadOptions, StringType};
pub use schema::AvroSchema;
