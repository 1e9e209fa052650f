//! Import of Arrow's C data interface: the structs of a foreign producer become a valid value or an [`Invalid`].
//!
//! | step | file |
//! |---|---|
//! | a schema struct is checked and becomes a field | `schema`, `types` |
//! | an array struct is checked against its type and becomes `ArrayData` over the same memory | `structure`, `buffers` |
//! | offsets, indices and views are checked, and everything that no row reaches is cut off | `contents`, `lists`, `checks` |
//! | a struct array becomes a record batch, with all columns or with some | `batch` |
//! | a stream gives its field and its arrays | `stream` |
//! | strings are UTF-8, where a caller asks for it | `text` |
//!
//! arrow-rs's own import (`from_ffi`, and pyo3-arrow through it) panics or reads outside of the buffers when a count, a
//! length or an offset is negative, and misplaces slices of structs inside of structs. Nothing here calls it.
//!
//! Lengths, pointers and texts are believed to be as large as the struct says: the interface has no sizes to compare
//! them with. An import does not look at text: [`check_text`] does.

mod batch;
mod buffers;
mod checks;
mod contents;
mod invalid;
mod lists;
mod schema;
mod stream;
mod structure;
mod text;
mod types;

pub use batch::{ForeignBatch, Refused};
pub use invalid::Invalid;
pub use schema::{MAX_DEPTH, MAX_SCHEMA_BYTES, columns, describe, import_field, projected};
pub use stream::ForeignStream;
pub use text::check_text;
