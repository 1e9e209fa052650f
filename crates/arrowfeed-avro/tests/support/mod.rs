//! What tests know of Avro on their own: nothing in here uses the crate, except for its options and names.
//!
//! ```text
//! shapes ──JSON──> schema ──> rows ──encode──> file ──> the crate ──> RecordBatch ──arrow──> values
//!                     └────────────── values of the rows, mapped to Arrow ──────────────> the same?
//! ```
//! - [`shapes`]: random schemas as JSON, with all that the specification allows.
//! - [`schema`]: JSON to types: names, namespaces, which logical types are valid.
//! - [`rows`]: random values of a schema, from a seed.
//! - [`encode`]: values to Avro bytes, with the choices that writers have.
//! - [`decode`]: Avro bytes to values, or why not: the oracle of what is valid.
//! - [`resolve`], [`evolve`]: schema resolution value by value; random reader schemas that it allows.
//! - [`file`]: container files with every codec.
//! - [`mapping`]: the Arrow type and value of each Avro type; [`wrap`]: those of the other encodings.
//! - [`batches`]: RecordBatches as plain values.

pub(crate) mod batches;
pub(crate) mod case;
pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod evolve;
pub(crate) mod file;
pub(crate) mod mapping;
pub(crate) mod resolve;
pub(crate) mod rows;
pub(crate) mod schema;
pub(crate) mod shapes;
pub(crate) mod value;
pub(crate) mod wrap;
