//! Avro schemas: JSON text to types, canonical form, fingerprint, and defaults as bytes.
//!
//! ```text
//! text --json--> Value --normalise--> Outline --convert (apache-avro)--> Graph
//! ```
//!
//! - [`json`] bounds the size and the nesting of the text before anything recurses over it.
//! - [`normalise`] walks the JSON once, with [`definition`] for records, enums and fixed, [`name`] for the rules
//!   of names and [`logical`] for those of logical types. Every refusal and every warning is made here.
//! - [`outline`] is what leaves that walk: each named type on its own, in a form that the apache-avro crate
//!   takes whatever its names, defaults and attributes were; those travel beside it.
//! - [`convert`] has apache-avro parse the outline, and puts both halves together as a [`graph::Graph`].
//! - [`canonical`] and [`fingerprint`] follow the specification from the graph.
//! - [`arrow`] gives the Arrow schema without a file.
//! - [`default`] turns the JSON default of a reader's field into the bytes that a writer would have written.

mod arrow;
mod avro_schema;
mod canonical;
mod convert;
pub(crate) mod default;
mod definition;
mod fingerprint;
pub(crate) mod graph;
mod json;
mod logical;
pub(crate) mod name;
mod normalise;
mod outline;

pub use avro_schema::AvroSchema;
