//! Definitions of the tensors of a dataset, independent of its files.

use std::collections::{HashMap, HashSet};

use arrow_schema::{DataType, Fields, SchemaRef};
use arrowfeed_source::FeedError;
use arrowfeed_source::field_path::field_path;
use arrowfeed_tensor::feature::Feature;
use arrowfeed_tensor::{
    AdapterOptions, ColumnPath, IndexedSchema, Representation, RepresentationError, TensorAdapter,
    infer_representations,
};

use crate::error::DatasetError;

/// Tensors by name, in order, defined by representations of columns or by key expressions.
///
/// [`Dataset`](crate::Dataset) has an example.
#[derive(Debug, Clone, PartialEq)]
pub enum TensorDefinitions {
    /// Representations of columns.
    Representations(Vec<(String, Representation)>),
    /// Features, which select values by key expressions.
    Features(Vec<(String, Feature)>),
}

impl TensorDefinitions {
    /// Infers the definitions from a schema, see [`infer_representations`].
    pub fn inferred(schema: &SchemaRef) -> Self {
        Self::Representations(infer_representations(schema))
    }

    /// The definitions of the caller, or those inferred from the schema. `recursion_error` is set if the schema lacks recursive
    /// columns. It is the error if the caller has defined no tensors.
    pub(crate) fn given_or_inferred(
        given: Option<Self>,
        schema: &SchemaRef,
        recursion_error: Option<&FeedError>,
    ) -> Result<Self, FeedError> {
        match (given, recursion_error) {
            (Some(given), _) => Ok(given),
            (None, None) => Ok(Self::inferred(schema)),
            (None, Some(recursion_error)) => Err(recursion_error.clone_without_source()),
        }
    }

    /// Makes the adapter that converts batches of this schema.
    ///
    /// # Errors
    /// A tensor cannot be made from batches of this schema.
    pub fn adapter(&self, schema: SchemaRef) -> Result<TensorAdapter, RepresentationError> {
        self.adapter_within(schema, AdapterOptions::BATCH_BYTES)
    }

    /// Like [`adapter`](Self::adapter), with another [`AdapterOptions::batch_bytes`].
    ///
    /// # Errors
    /// As [`adapter`](Self::adapter).
    pub fn adapter_within(
        &self,
        schema: SchemaRef,
        batch_bytes: usize,
    ) -> Result<TensorAdapter, RepresentationError> {
        match self {
            Self::Representations(all) => {
                let options = AdapterOptions { batch_bytes, ..AdapterOptions::default() };
                let all = all.iter().map(|(name, representation)| (name.as_str(), representation));
                TensorAdapter::with_options(schema, all, options)
            }
            Self::Features(all) => {
                let all = all.iter().map(|(name, feature)| (name.as_str(), feature));
                TensorAdapter::from_features_within(schema, all, batch_bytes)
            }
        }
    }

    /// The field paths that must be read for the tensors, given the schema of all readable columns. `recursion_error` is set if
    /// recursive columns are missing from it, and is the error unless the tensors need only columns of the schema.
    /// Empty if the tensors need no particular column; all columns are read then.
    pub(crate) fn needed_columns(
        &self,
        schema: &SchemaRef,
        batch_bytes: usize,
        recursion_error: Option<FeedError>,
    ) -> Result<Vec<String>, DatasetError> {
        let adapter = self.adapter_within(schema.clone(), batch_bytes);
        let Some(recursion_error) = recursion_error else { return Ok(file_paths(&adapter?, schema)) };
        let columns = adapter.map(|adapter| file_paths(&adapter, schema)).unwrap_or_default();
        if columns.is_empty() { Err(recursion_error.into()) } else { Ok(columns) }
    }

    /// The definitions with these names, in this order, for batches of a schema.
    ///
    /// # Errors
    /// A name is unknown, or a tensor cannot be made from batches of this schema.
    pub fn project(&self, schema: SchemaRef, names: &[&str]) -> Result<Self, DatasetError> {
        self.adapter(schema)?.project(names)?;
        Ok(self.chosen(names))
    }

    /// The definitions with these names, in this order. Unknown names are ignored.
    pub(crate) fn chosen(&self, names: &[&str]) -> Self {
        match self {
            Self::Representations(all) => Self::Representations(chosen(all, names)),
            Self::Features(all) => Self::Features(chosen(all, names)),
        }
    }

    /// The names of the tensors, in order.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Self::Representations(all) => all.iter().map(|(name, _)| name.as_str()).collect(),
            Self::Features(all) => all.iter().map(|(name, _)| name.as_str()).collect(),
        }
    }
}

/// The field paths that must be read for an adapter, each once, in the order of first mention.
pub(crate) fn file_paths(adapter: &TensorAdapter, schema: &SchemaRef) -> Vec<String> {
    let schema = IndexedSchema::new(schema.clone());
    let mut seen = HashSet::new();
    let columns = adapter.column_paths().into_iter().map(|path| file_path(&schema, &path));
    columns.filter(|column| seen.insert(column.clone())).collect()
}

/// The path to read from the files for a column path. It ends at a map, because fields inside of maps cannot be
/// projected.
fn file_path(schema: &IndexedSchema, path: &ColumnPath) -> String {
    let resolved = path.resolved(schema).unwrap_or_else(|_| path.clone());
    let mut fields = Some(schema.fields());
    let mut kept = Vec::new();
    for name in resolved.steps() {
        let Some(inside) = fields else { break };
        let Some((_, field)) = schema.find(inside, name) else { return field_path(resolved.steps()) };
        kept.push(name);
        fields = fields_inside(field.data_type());
    }
    field_path(kept)
}

/// The fields of a struct, or of the structs in a list.
fn fields_inside(data_type: &DataType) -> Option<&Fields> {
    match data_type {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            fields_inside(item.data_type())
        }
        // In encodings without maps, a map is a list of these structs.
        DataType::Struct(fields) if fields.iter().map(|field| field.name()).eq(["key", "value"]) => None,
        DataType::Struct(fields) => Some(fields),
        _ => None,
    }
}

fn chosen<T: Clone>(all: &[(String, T)], names: &[&str]) -> Vec<(String, T)> {
    let all: HashMap<&str, &(String, T)> = all.iter().rev().map(|one| (one.0.as_str(), one)).collect();
    names.iter().filter_map(|wanted| all.get(wanted).map(|one| (*one).clone())).collect()
}
