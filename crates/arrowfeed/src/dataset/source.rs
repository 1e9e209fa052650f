//! What the tensors of a dataset are made of, before the files are known.

use arrow_schema::SchemaRef;
use arrowfeed_tensor::feature::{Feature, FeatureAdapter};
use arrowfeed_tensor::{Adapter, Representation, RepresentationError, TensorAdapter, infer_representations};

/// Tensors by name, in order: of columns, or of key expressions.
#[derive(Debug, Clone, PartialEq)]
pub enum TensorDefinitions {
    /// See [`Representation`].
    Representations(Vec<(String, Representation)>),
    /// See [`Feature`].
    Features(Vec<(String, Feature)>),
}

impl TensorDefinitions {
    /// What follows from a schema, see [`infer_representations`].
    pub fn inferred(schema: &SchemaRef) -> Self {
        Self::Representations(infer_representations(schema))
    }

    /// The adapter of batches of a schema.
    ///
    /// # Errors
    /// A tensor cannot be made of such batches.
    pub fn adapter(&self, schema: SchemaRef) -> Result<Adapter, RepresentationError> {
        Ok(match self {
            Self::Representations(all) => {
                let all = all.iter().map(|(name, representation)| (name.as_str(), representation));
                Adapter::Representations(TensorAdapter::try_new(schema, all)?)
            }
            Self::Features(all) => {
                let all = all.iter().map(|(name, feature)| (name.as_str(), feature));
                Adapter::Features(FeatureAdapter::try_new(schema, all)?)
            }
        })
    }

    /// The field paths that are read of a schema, each once, in the order of first mention.
    pub(super) fn columns(&self, adapter: &Adapter) -> Vec<String> {
        let paths = match (self, adapter) {
            (Self::Representations(all), _) => {
                all.iter().flat_map(|(_, representation)| representation.source_columns()).collect()
            }
            (Self::Features(_), Adapter::Features(adapter)) => adapter.columns(),
            (Self::Features(_), Adapter::Representations(_)) => Vec::new(),
        };
        let mut columns: Vec<String> = Vec::new();
        for path in paths {
            let path = path.to_string();
            if !columns.contains(&path) {
                columns.push(path);
            }
        }
        columns
    }

    /// The definitions of these names, in this order, of those that are there.
    pub(super) fn project(&self, names: &[&str]) -> Self {
        match self {
            Self::Representations(all) => Self::Representations(chosen(all, names)),
            Self::Features(all) => Self::Features(chosen(all, names)),
        }
    }

    /// The names, in order.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Self::Representations(all) => all.iter().map(|(name, _)| name.as_str()).collect(),
            Self::Features(all) => all.iter().map(|(name, _)| name.as_str()).collect(),
        }
    }
}

fn chosen<T: Clone>(all: &[(String, T)], names: &[&str]) -> Vec<(String, T)> {
    names.iter().filter_map(|wanted| all.iter().find(|(name, _)| name == wanted).cloned()).collect()
}
