//! Avro object container files to Arrow RecordBatches, fast and strict.

mod container;
mod decode;
mod encode;
mod error;
mod fork_lock;
mod header;
mod interrupt;
mod limits;
mod locate;
mod memory;
mod options;
mod plan;
mod reader;
mod regular_file;
mod schema;
mod source;
mod split;
mod threads;
mod wire;
mod write;

pub use container::codec::Codec;
pub use decode::origin::RowOrigin;
pub use error::{AvroError, AvroErrorKind, Place, printable};
#[doc(hidden)]
pub use fork_lock::ForkLock;
pub use header::AvroHeader;
pub use interrupt::Interrupt;
pub use limits::Limits;
pub use options::{Encoding, OnError, ReadOptions, StringType};
pub use plan::field_path::field_path;
pub use reader::report::{Report, Skipped};
pub use reader::{
    ArrowReader, AvroFiles, AvroReader, AvroReaderBuilder, BlockInfo, FileBatch, FileIdentity, Part,
    PartOptions, PartReader, Prepare, Prepared,
};
pub use schema::AvroSchema;
pub use source::AvroSource;
pub use split::{Split, plan_splits, plan_splits_with};
pub use threads::thread_count;
pub use write::{AvroWriter, Unsigned, WriteOptions, Written, encode_records, write_avro};
