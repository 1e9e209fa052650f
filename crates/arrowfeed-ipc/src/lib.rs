//! The Arrow IPC format of arrowfeed, over the `arrow-ipc` crate: files (Feather V2), and streams as the library `datasets` of
//! Hugging Face stores them.
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
// | `schema` | a stored schema to an Arrow schema; checks of its types |
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

pub use format::{IpcFormat, IpcOptions};
