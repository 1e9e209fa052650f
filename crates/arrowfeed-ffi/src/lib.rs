//! Import through Arrow's C data interface: the structs of a foreign producer become a valid value or an [`Invalid`].
//!
//! The import of arrow-rs (`from_ffi`, and pyo3-arrow through it) panics or reads outside of the buffers if a count, a
//! length or an offset is negative, and misplaces slices of structs inside structs. This crate does not call it.
//!
//! The sizes of memory that a struct states are trusted, because the interface has no sizes to compare them with. An
//! import does not check text; [`check_text`] does.

// docs.rs shows the feature of each item.
#![cfg_attr(docsrs, feature(doc_cfg))]

// | step | file |
// |---|---|
// | depth, counts and texts of a schema struct are checked, and it becomes a field | `schema`, `types` (refuses types without arrays) |
// | counts, lengths and pointers of an array struct are checked against its type, and it becomes `ArrayData` over the same memory | `structure`, `buffers` |
// | offsets, indices and views are checked, and data that no row reaches is cut off | `contents`, `lists`, `checks` |
// | a struct array becomes a record batch, with all or some columns | `batch` |
// | a stream yields its field and its arrays | `stream` |
// | strings are checked to be UTF-8, if a caller requests it, as writers of files do | `text` |
// | names with NUL, which C cannot have, are refused at the export | `nul` |
// | the error type | `invalid` |

mod batch;
mod buffers;
mod checks;
mod contents;
mod invalid;
mod lists;
mod nul;
mod schema;
mod stream;
mod structure;
mod text;
mod types;

pub use batch::{ForeignBatch, Refused};
pub use invalid::Invalid;
pub use nul::{Nul, first_nul, first_nul_in};
pub use schema::{MAX_DEPTH, MAX_SCHEMA_BYTES, columns, describe, import_field, projected};
pub use stream::ForeignStream;
pub use text::check_text;
