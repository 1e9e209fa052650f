//! Avro schemas: JSON text to a [`graph::Graph`], canonical form and fingerprint.
pub(crate) mod default;
pub(crate) mod graph;
use std::sync::Arc;
/// A parsed Avro schema.
#[derive(Debug, Clone)]
pub struct AvroSchema { graph: Arc<graph::Graph> }
impl AvroSchema { pub(crate) fn graph(&self) -> &Arc<graph::Graph> { &self.graph } }
