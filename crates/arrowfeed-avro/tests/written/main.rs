//! The writer against a plain one, on random arrays, types, layouts and options.
//!
//! `ARROWFEED_CASES` is the number of cases of the other random tests; the main law here has ten times as many.
//!
//! - [`arrays`]: random arrays of every type and layout.
//! - [`plain`]: the plain writer, and what is read back.
//! - [`laws`]: the bytes are the plain writer's; what was written is read; threads change nothing.
//! - [`defaults`]: fields of a given schema without a column.
//! - [`messages`]: what is refused, with whole messages.
//! - [`peers`]: arrow-avro's writer gives the same bytes where it is right.

mod arrays;
mod defaults;
mod laws;
mod messages;
mod peers;
mod plain;
#[path = "../support/mod.rs"]
#[expect(dead_code, reason = "the other random tests use the rest")]
mod support;
