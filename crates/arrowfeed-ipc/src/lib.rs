//! Reads Arrow IPC files (Feather V2) into RecordBatches, over the `arrow-ipc` crate, and streams as the library `datasets` of Hugging
//! Face stores them.
//!
//! | to | use |
//! |---|---|
//! | read files, also with some of their columns and rows | [`IpcFormat::files`], then [`read_files`](arrowfeed_source::run::FileSet::read_files) |
//! | make a dataset, splits or added columns | the [`FileSet`](arrowfeed_source::run::FileSet) of [`IpcFormat::files`] |
//! | limit the memory that a file may use | [`IpcOptions::limits`] |
//! | write Arrow IPC | the `arrow-ipc` crate |
//!
//! The bytes of a file are checked before they become arrays, so files of unknown origin can be read:
//!
//! ```
//! use std::sync::Arc;
//!
//! use arrow_array::{Int64Array, RecordBatch, StringArray};
//! use arrow_ipc::writer::FileWriter;
//! use arrowfeed_ipc::{IpcFormat, IpcOptions};
//! use arrowfeed_source::io::FileSource;
//! use arrowfeed_source::run::ReadOptions;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let ids = Arc::new(Int64Array::from(vec![1, 2, 3]));
//! let texts = Arc::new(StringArray::from(vec!["a", "b", "c"]));
//! let batch = RecordBatch::try_from_iter([("id", ids as _), ("text", texts as _)])?;
//! let mut writer = FileWriter::try_new(Vec::new(), &batch.schema())?;
//! writer.write(&batch)?;
//! let file = FileSource::bytes(writer.into_inner()?);
//!
//! let options = IpcOptions { columns: Some(vec!["text".to_owned()]), ..Default::default() };
//! let files = IpcFormat::files([file], options, None)?;
//! let options = ReadOptions { filter: Some("id > 1".parse()?), ..Default::default() };
//! let batches = files.read_files(options)?.collect::<Result<Vec<_>, _>>()?;
//! assert_eq!(batches, [batch.slice(1, 2).project(&[1])?]);
//! # Ok(())
//! # }
//! ```
//!
//! Each codec has a Cargo feature: `lz4` and `zstandard`. Both are enabled by default. Reading a batch of a codec whose feature
//! is disabled is an error of kind [`Codec`](arrowfeed_source::FeedErrorKind::Codec).

// docs.rs shows the feature of each item.
#![cfg_attr(docsrs, feature(doc_cfg))]

// messages ──index──> record batches (chunks) ──rows──> batches
//
// | file | contents |
// |---|---|
// | `format` | options, schema and projection of a set of files |
// | `schema` `stored_types` | a stored schema to an Arrow schema; checks of its types before and after |
// | `message` | the framing of messages, and access to the bytes of a file |
// | `index` | the positions of all messages: from the footer of a file, or by a scan of a stream |
// | `file` | an open file: its record batches as chunks, and their rows |
// | `dictionaries` | the dictionaries that are in effect for a record batch |
// | `batch` | a record batch to arrays |
// | `layout` | checks of the nodes and buffers of a record batch, before the `arrow-ipc` crate reads them |
// | `body` | the buffers of a record batch: read, decompressed, aligned |
// | `codec` | decompression |
// | `owned_lengths` | arrays whose buffers count their own bytes |

mod batch;
mod body;
mod codec;
mod dictionaries;
mod file;
mod format;
mod index;
mod layout;
mod message;
mod owned_lengths;
mod schema;
mod stored_types;

pub use format::{IpcFormat, IpcOptions};
