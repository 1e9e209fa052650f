//! Code shared by all formats: file access, errors, limits, reports, cancellation, and the decoding engine. It depends
//! on Arrow, but on no format and no tensor library.
//!
//! This crate is for crates that implement a format. Other users depend on `arrowfeed`, whose module `source` has the types
//! that they need.
//!
//! The items that `arrowfeed` re-exports follow its version. All others serve the formats of the same release: a later one may change
//! them. So a crate for a format of your own names one exact version of this crate. Hidden items are helpers, which may go.
//!
//! ```text
//! io::FileSource ──> format::FileFormat ──> run::PartReader ──> run::MapStage
//! bytes of files     chunks, decoders       units, order        conversion
//! ```

// docs.rs shows the feature of each item.
#![cfg_attr(docsrs, feature(doc_cfg))]

// | topic | files |
// |---|---|
// | the traits of a format, and their parts that formats share | `format` |
// | the engine: threads, order, read-ahead | `run` |
// | errors | `error`, `message` (names and numbers in messages), `memory_exhausted` (a failed allocation) |
// | return of free memory to the system | `free_memory` |
// | text of column paths, and fields by their identifiers in a table | `field_path`, `field_ids` |
// | options of formats: their words, and parsers for JSON, SQL and configuration files | `options` |
// | options and results of a caller | `limits`, `report` (data that was read and skipped), `schema_merge` (the changes that files made to a merged schema), `stats` (times and the bottleneck), `interrupt` (cancellation) |
// | file access | `io`, `checksum` (CRC-32C) |
// | threads | `threads` (threads that end with their reader or writer), `fork_lock` (a lock for which a forked child never waits) |
// | detection of processor features | `processor` |

mod checksum;
mod error;
pub mod field_ids;
pub mod field_path;
mod fork_lock;
pub mod format;
mod free_memory;
mod interrupt;
pub mod io;
mod limits;
mod memory_exhausted;
mod message;
pub mod options;
mod processor;
#[cfg(test)]
#[path = "../../../tests/random/run.rs"]
mod random_run;
mod report;
pub mod run;
mod schema_merge;
pub mod stats;
mod threads;

pub use error::{FeedError, FeedErrorKind, Location};
pub use interrupt::{Check, Interrupt, interrupt_or};
pub use limits::Limits;
pub use report::{OnError, Report, Requests, Skipped};
pub use schema_merge::{SchemaChange, SchemaChangeKind, SchemaMerge};

// Helpers of the crates of this repository.
#[doc(hidden)]
pub use checksum::crc32c;
#[doc(hidden)]
pub use error::panic_text;
#[doc(hidden)]
pub use fork_lock::ForkLock;
#[doc(hidden)]
pub use free_memory::{count_decoded, return_free_memory};
#[doc(hidden)]
pub use interrupt::{POLL_INTERVAL, stopped};
#[doc(hidden)]
pub use memory_exhausted::{MemoryExhausted, caught, copied, copy_error, not_joined, out_of_memory};
#[doc(hidden)]
pub use message::{counted, hex, printable, quoted, text_or_hex, thousands};
#[doc(hidden)]
pub use processor::has_fast_bit_extraction;
#[doc(hidden)]
pub use schema_merge::ArrowSchemaMerger;
#[doc(hidden)]
pub use threads::{MAX_THREADS, Threads, check_threads, thread_count};
