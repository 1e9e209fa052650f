//! Avro schemas: JSON text to a [`graph::Graph`], canonical form and fingerprint.

pub(crate) mod graph;

/// A parsed Avro schema.
#[derive(Debug, Clone)]
pub struct AvroSchema {}
