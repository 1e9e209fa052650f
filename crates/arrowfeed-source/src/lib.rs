//! What every format shares: bytes of files, errors, limits, reports, cancellation, and the engine that decodes. Knows
//! Arrow; knows no format and no tensor.
//!
//! ```text
//! io::FileSource ──> format::FileFormat ──> run::PartReader ──> run::MapStage
//! bytes of files     chunks, decoders       units, order        conversion
//! ```
//! | topic | files |
//! |---|---|
//! | the traits of a format | `format` |
//! | the engine: threads, order, what is read next | `run` |
//! | errors | `error`, `message` (texts in messages), `memory_exhausted` |
//! | paths of columns | `field_path` |
//! | what a caller may ask for | `limits`, `report` (what is left out), `interrupt` |
//! | bytes of files | `io`, `checksum` |
//! | threads | `threads`, `fork_lock` |
//! | what the processor does well | `processor` |

mod checksum;
mod error;
pub mod field_path;
mod fork_lock;
pub mod format;
mod interrupt;
pub mod io;
mod limits;
mod memory_exhausted;
mod message;
mod processor;
mod report;
pub mod run;
mod threads;

pub use checksum::crc32c;
pub use error::{FeedError, FeedErrorKind, Location, panic_text};
pub use fork_lock::ForkLock;
pub use interrupt::{Check, Interrupt, stopped};
pub use limits::Limits;
pub use memory_exhausted::{MemoryExhausted, caught};
pub use message::{counted, hex, printable, quoted, thousands};
pub use processor::has_fast_bit_extraction;
pub use report::{OnError, Report, Requests, Skipped};
pub use threads::{Threads, thread_count};
