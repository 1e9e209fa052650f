//! Several datasets whose rows are mixed at random.

use std::sync::Arc;

use arrow_schema::{Field, Fields, Schema, SchemaRef};
use arrowfeed_source::{FeedError, FeedErrorKind, Interrupt, printable};

use super::dataset::Dataset;
use super::options::IterationOptions;
use crate::error::DatasetError;

/// The datasets, with a weight for each of them.
#[derive(Debug)]
pub(super) struct Mixed {
    pub(super) datasets: Vec<Dataset>,
    pub(super) weights: Vec<f64>,
    pub(super) schema: SchemaRef,
}

impl Mixed {
    pub(super) fn new(datasets: impl IntoIterator<Item = (Dataset, f64)>) -> Result<Self, DatasetError> {
        let (datasets, weights): (Vec<Dataset>, Vec<f64>) = datasets.into_iter().unzip();
        let Some(first) = datasets.first() else {
            return Err(refused("datasets: expected one or more, found none".to_owned()).into());
        };
        if let Some(wrong) = weights.iter().find(|weight| !(weight.is_finite() && **weight > 0.0)) {
            return Err(refused(format!("weights: expected numbers above 0, found {wrong}")).into());
        }
        let mut schema = first.arrow_schema().as_ref().clone();
        for (number, dataset) in datasets.iter().enumerate() {
            dataset.files("datasets")?;
            schema = merged(&schema, dataset.arrow_schema())
                .map_err(|message| refused(format!("datasets[{number}]: {message}")))?;
            if dataset.tensor_definitions() != first.tensor_definitions() {
                let message = format!(
                    "datasets[{number}]: expected the tensors of datasets[0], found different tensors: define the same \
                     `representations` or `features` for all"
                );
                return Err(refused(message).into());
            }
        }
        Ok(Self { datasets, weights, schema: Arc::new(schema) })
    }

    /// Total number of rows.
    pub(super) fn num_rows(&self, interrupt: Option<&Interrupt>) -> Result<u64, FeedError> {
        self.sum(|dataset| dataset.num_rows_with(interrupt.cloned()))
    }

    /// Number of batches of an iteration. `None`: infinite.
    pub(super) fn num_batches(&self, options: &IterationOptions) -> Result<Option<u64>, FeedError> {
        let rows = self.sum(|dataset| dataset.num_own_rows(options))?;
        Ok(options.num_batches_of(rows, true))
    }

    /// Whether [`num_batches`](Self::num_batches) is known without a scan for it alone.
    pub(super) fn is_known(&self, options: &IterationOptions) -> bool {
        self.datasets.iter().all(|dataset| dataset.is_known(options))
    }

    fn sum(&self, number: impl Fn(&Dataset) -> Result<u64, FeedError>) -> Result<u64, FeedError> {
        self.datasets.iter().try_fold(0_u64, |sum, dataset| Ok(sum.saturating_add(number(dataset)?)))
    }

    /// The fingerprints of the datasets and their weights.
    pub(super) fn fingerprint(&self, interrupt: Option<&Interrupt>) -> Result<String, FeedError> {
        let mut content = String::new();
        for (dataset, weight) in self.datasets.iter().zip(&self.weights) {
            content.push_str(&format!("{}*{weight:?} ", dataset.fingerprint_with(interrupt)?));
        }
        let schema = format!("{:?}", self.schema);
        Ok(format!("{:08x}{:08x}", crc32fast::hash(content.as_bytes()), crc32fast::hash(schema.as_bytes())))
    }

    pub(super) fn project(&self, names: &[&str]) -> Result<Self, DatasetError> {
        let datasets = self.datasets.iter().map(|dataset| dataset.project(names));
        let datasets = datasets.collect::<Result<Vec<_>, _>>()?;
        Self::new(datasets.into_iter().zip(self.weights.iter().copied()))
    }

    /// One line for each dataset: its weight, its files and its columns.
    pub(super) fn explain(&self) -> String {
        let lines = self.datasets.iter().zip(&self.weights).map(|(dataset, weight)| {
            let sources = dataset.explain_sources().replace('\n', "\n  ");
            format!("weight {weight}: {sources}")
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// The schema of the batches of both. Metadata that only one of them has is dropped.
fn merged(one: &Schema, other: &Schema) -> Result<Schema, String> {
    let columns = |schema: &Schema| {
        let names = schema.fields().iter().map(|field| printable(field.name()));
        names.collect::<Vec<_>>().join(", ")
    };
    if !one.fields().iter().map(|field| field.name()).eq(other.fields().iter().map(|field| field.name())) {
        let (expected, found) = (columns(one), columns(other));
        return Err(format!("expected the columns of datasets[0], which are {expected}, found {found}"));
    }
    let fields = one.fields().iter().zip(other.fields()).map(|(one, other)| {
        if one.data_type() != other.data_type() {
            let (name, expected, found) = (printable(one.name()), one.data_type(), other.data_type());
            return Err(format!("column {name}: expected {expected}, as in datasets[0], found {found}"));
        }
        let mut metadata = one.metadata().clone();
        metadata.retain(|key, value| other.metadata().get(key) == Some(value));
        let nullable = one.is_nullable() || other.is_nullable();
        Ok(Field::new(one.name(), one.data_type().clone(), nullable).with_metadata(metadata))
    });
    let fields = fields.collect::<Result<Fields, String>>()?;
    let mut metadata = one.metadata().clone();
    metadata.retain(|key, value| other.metadata().get(key) == Some(value));
    Ok(Schema::new_with_metadata(fields, metadata))
}

fn refused(message: String) -> FeedError {
    FeedError::new(FeedErrorKind::Options, message)
}
