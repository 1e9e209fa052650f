//! Avro object container files to Arrow RecordBatches, fast and strict.

mod container;
mod decode;
mod encode;
mod error;
mod header;
mod limits;
mod locate;
mod memory;
mod options;
mod plan;
mod reader;
mod schema;
mod source;
mod split;
mod wire;
mod write;

pub use container::codec::Codec;
pub use decode::origin::RowOrigin;
pub use error::{AvroError, AvroErrorKind, Place};
pub use header::AvroHeader;
pub use limits::Limits;
pub use options::{Encoding, OnError, ReadOptions, StringType};
pub use reader::report::{Report, Skipped};
pub use reader::{
    ArrowReader, AvroFiles, AvroReader, AvroReaderBuilder, BlockInfo, FileBatch, FileIdentity, Interrupt,
    Part, PartOptions, PartReader, Prepare, Prepared, thread_count,
};
pub use schema::AvroSchema;
pub use source::AvroSource;
pub use split::{Split, plan_splits};
pub use write::{WriteOptions, encode_records, write_avro};
