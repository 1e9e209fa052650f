//! Comparison of the writer with a plain one, on random arrays, types, layouts and options.
//!
//! The main law runs ten times `ARROWFEED_CASES` cases, because each takes little time.
//!
//! - [`arrays`]: random arrays of every type and layout.
//! - [`plain`]: the plain writer, and the values that reading must return.
//! - [`laws`]: the bytes equal those of the plain writer, reading returns what was written, threads make no difference.
//! - [`defaults`]: fields of a specified schema without a column.
//! - [`foreign`]: dictionaries of other libraries.
//! - [`messages`]: rejected input, with complete messages.
//! - [`peers`]: arrow-avro's writer produces the same bytes, for the types that it writes correctly.

mod arrays;
mod defaults;
mod foreign;
mod laws;
mod messages;
mod peers;
mod plain;
