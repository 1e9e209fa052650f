//! Avro schemas: parsing of the JSON text, canonical form, fingerprint, and encoding of defaults.
//!
//! ```text
//! text --json--> Value --normalise--> Graph
//! ```
//!
//! - [`json`] limits the size and the nesting of the text before any recursion over it.
//! - [`normalise`] walks the JSON once, with [`definition`] for records, enums and fixed, [`name`] for the rules
//!   of names and [`logical`] for those of logical types. It reports every violation of the rules and every warning, and
//!   makes a [`graph::Graph`].
//! - [`canonical`] and [`fingerprint`] are derived from the graph as the specification describes.
//! - [`avro_schema`] has the public type; `apache` converts schemas of the crate apache-avro to it.
//! - [`arrow`] derives the Arrow schema without a file.
//! - [`field_ids`] names the fields of a file by their identifiers in a table.
//! - [`default`] encodes the JSON default of a reader's field as the bytes that a writer would have written.

#[cfg(feature = "apache-avro")]
mod apache;
mod arrow;
mod avro_schema;
mod canonical;
pub(crate) mod default;
mod definition;
mod field_ids;
mod fingerprint;
pub(crate) mod graph;
mod json;
mod logical;
pub(crate) mod name;
mod normalise;

pub use avro_schema::AvroSchema;
