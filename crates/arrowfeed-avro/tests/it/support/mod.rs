//! A second implementation of Avro for tests. It uses nothing of the crate except its options and names.
//!
//! ```text
//! shapes ──JSON──> schema ──> rows ──encode──> file ──> the crate ──> RecordBatch ──arrow──> values
//!                     └────────────── values of the rows, mapped to Arrow ──────────────> the same?
//! ```
//! - [`shapes`]: random schemas as JSON, with everything that the specification allows.
//! - [`schema`]: conversion of JSON to types: names, namespaces, valid logical types.
//! - [`rows`]: random values of a schema, from a seed.
//! - [`encode`]: encoding of values as Avro bytes, with random choices like those of writers.
//! - [`decode`]: decoding of Avro bytes to values, or rejection: the oracle for validity.
//! - [`resolve`], [`evolve`]: schema resolution value by value; random reader schemas that it allows.
//! - [`file`]: container files with every codec.
//! - [`mapping`]: the Arrow type and value of each Avro type; [`wrap`]: those of the other encodings.
//! - [`unions`]: dense unions as structs and as JSON.
//! - [`batches`]: RecordBatches as plain values.
//! - [`open`]: readers of one source, also for tests that do not use the second implementation.

pub(crate) mod batches;
pub(crate) mod case;
pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod evolve;
pub(crate) mod file;
pub(crate) mod mapping;
pub(crate) mod open;
pub(crate) mod resolve;
pub(crate) mod rows;
pub(crate) mod schema;
pub(crate) mod shapes;
pub(crate) mod unions;
pub(crate) mod value;
pub(crate) mod wrap;
