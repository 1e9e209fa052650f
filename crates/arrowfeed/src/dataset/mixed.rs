//! Several datasets whose rows are mixed at random.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Fields, Schema, SchemaRef};
use arrowfeed_source::{FeedError, FeedErrorKind, Interrupt, printable};

use super::options::{ALL_ROWS, IterationOptions};
use super::selected_files::SelectedFiles;
use super::tensor_definitions::TensorDefinitions;
use crate::error::DatasetError;

/// The datasets, with a weight for each of them.
#[derive(Debug)]
pub(super) struct Mixed {
    pub(super) datasets: Vec<SelectedFiles>,
    pub(super) weights: Vec<f64>,
    pub(super) schema: SchemaRef,
}

impl Mixed {
    /// `datasets` has the files and the tensors of each dataset, or the error of a dataset that is itself mixed.
    pub(super) fn new<'a>(
        datasets: impl IntoIterator<Item = Result<(SelectedFiles, &'a TensorDefinitions), FeedError>>,
        weights: Vec<f64>,
    ) -> Result<Self, DatasetError> {
        if weights.is_empty() {
            return Err(refused("datasets: expected one or more, found none".to_owned()).into());
        }
        if let Some(wrong) = weights.iter().find(|weight| !(weight.is_finite() && **weight > 0.0)) {
            return Err(refused(format!("weights: expected numbers above 0, found {wrong}")).into());
        }
        let (mut found, mut first): (Vec<SelectedFiles>, Option<(Schema, &TensorDefinitions)>) =
            (Vec::new(), None);
        for (number, dataset) in datasets.into_iter().enumerate() {
            let (dataset, definitions) = dataset?;
            let (schema, expected) =
                first.get_or_insert_with(|| (dataset.schema().as_ref().clone(), definitions));
            *schema = merged(schema, dataset.schema())
                .map_err(|message| refused(format!("datasets[{number}]: {message}")))?;
            if *expected != definitions {
                let message = format!(
                    "datasets[{number}]: expected the tensors of datasets[0], found different tensors: define the same \
                     `representations` or `features` for all"
                );
                return Err(refused(message).into());
            }
            found.push(dataset);
        }
        let schema = Arc::new(first.map_or_else(Schema::empty, |(schema, _)| schema));
        Ok(Self { datasets: found, weights, schema })
    }

    /// Total number of rows.
    pub(super) fn num_rows(&self, interrupt: Option<&Interrupt>) -> Result<u64, FeedError> {
        let options = IterationOptions { interrupt: interrupt.cloned(), ..Default::default() };
        self.sum(|dataset| dataset.num_rows(&options))
    }

    /// Number of batches of an iteration. `None`: infinite.
    pub(super) fn num_batches(&self, options: &IterationOptions) -> Result<Option<u64>, FeedError> {
        let rows = self.sum(|dataset| dataset.num_rows(options))?;
        Ok(options.num_batches_of(rows, true))
    }

    /// Whether [`num_batches`](Self::num_batches) is known without a scan for it alone.
    pub(super) fn is_known(&self, options: &IterationOptions) -> bool {
        self.datasets.iter().all(|dataset| dataset.is_known(options))
    }

    fn sum(&self, number: impl Fn(&SelectedFiles) -> Result<u64, FeedError>) -> Result<u64, FeedError> {
        self.datasets.iter().try_fold(0_u64, |sum, dataset| Ok(sum.saturating_add(number(dataset)?)))
    }

    /// The fingerprints of the datasets and their weights.
    pub(super) fn fingerprint(&self, interrupt: Option<&Interrupt>) -> Result<String, FeedError> {
        let mut content = String::new();
        for (dataset, weight) in self.datasets.iter().zip(&self.weights) {
            content.push_str(&format!("{}*{weight:?} ", dataset.fingerprint(interrupt)?));
        }
        let schema = format!("{:?}", self.schema);
        Ok(format!("{:08x}{:08x}", crc32fast::hash(content.as_bytes()), crc32fast::hash(schema.as_bytes())))
    }

    /// Reads only the columns that some of the tensors need.
    pub(super) fn project(
        &self,
        definitions: &TensorDefinitions,
        names: &[&str],
    ) -> Result<Self, DatasetError> {
        let datasets = self.datasets.iter().map(|dataset| dataset.project(definitions, names));
        let datasets = datasets.collect::<Result<Vec<_>, _>>()?;
        Self::new(datasets.into_iter().map(|dataset| Ok((dataset, definitions))), self.weights.clone())
    }

    /// One line for each dataset: its weight, its files and its columns.
    pub(super) fn explain(&self) -> String {
        let lines = self.datasets.iter().zip(&self.weights).map(|(dataset, weight)| {
            let sources = dataset.explain().replace('\n', "\n  ");
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

/// The rows of a dataset of a mixture, with the schema of all of its datasets.
pub(super) fn with_schema(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, FeedError> {
    let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(schema.clone(), batch.columns().to_vec(), &rows).map_err(|error| {
        let message =
            format!("expected a batch with the schema of the dataset, found a different schema: {error}");
        FeedError::new(FeedErrorKind::Internal, message)
    })
}

fn refused(message: String) -> FeedError {
    FeedError::new(FeedErrorKind::Options, message)
}

/// Checks that no rows of a mixed dataset are selected. Its rows have no numbers.
pub(super) fn check_mixed_rows(rows: &Range<u64>) -> Result<(), FeedError> {
    if *rows == ALL_ROWS {
        return Ok(());
    }
    let message = "expected all rows of a mixed dataset, found one after take or skip: take and skip rows of the \
                   datasets before they are mixed";
    Err(FeedError::new(FeedErrorKind::Options, message))
}
