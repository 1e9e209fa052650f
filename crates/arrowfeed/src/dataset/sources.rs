//! Where the rows of a dataset come from: files, or several datasets of files that are mixed at random.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Fields, Schema, SchemaRef};
use arrowfeed_predicate::Predicate;
use arrowfeed_source::{FeedError, FeedErrorKind, Interrupt, Limits, printable};

use super::files::indexed::{Indexed, SelectedFiles};
use super::files::selection::RowRestriction;
use super::options::{ALL_ROWS, IterationOptions};
use super::tensor_definitions::TensorDefinitions;
use crate::error::DatasetError;

/// The files of a dataset, or those of each dataset of a mixture.
#[derive(Debug, Clone)]
pub(crate) struct Sources {
    /// One, or those that are mixed.
    pub(crate) datasets: Vec<SelectedFiles>,
    /// `None`: the rows are those of the only dataset.
    pub(crate) mixture: Option<Mixture>,
    /// The schema of the batches.
    pub(crate) schema: SchemaRef,
}

/// What a mixture has besides its datasets.
#[derive(Debug, Clone)]
pub(crate) struct Mixture {
    /// The weight of each dataset.
    pub(crate) weights: Vec<f64>,
    /// The predicate of the filters of the mixture, which its datasets have too.
    filters: Option<Predicate>,
    /// The rows that `take` and `skip` have selected. A mixture can be iterated over only if they are all rows.
    rows: Range<u64>,
}

impl Sources {
    /// All rows of files.
    pub(crate) fn of_files(files: Indexed) -> Self {
        Self::of_rows(SelectedFiles { files: Arc::new(files), rows: ALL_ROWS })
    }

    fn of_rows(rows: SelectedFiles) -> Self {
        let schema = rows.schema().clone();
        Self { datasets: vec![rows], mixture: None, schema }
    }

    /// `datasets` has the files and the tensors of each dataset, or the error of a dataset that is itself mixed.
    pub(crate) fn mixed<'a>(
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
        Ok(Self {
            datasets: found,
            mixture: Some(Mixture { weights, filters: None, rows: ALL_ROWS }),
            schema,
        })
    }

    /// The same sources with a change of each dataset.
    fn changed<E: From<FeedError>>(
        &self,
        change: impl Fn(&SelectedFiles) -> Result<SelectedFiles, E>,
    ) -> Result<Self, E> {
        let datasets = self.datasets.iter().map(change).collect::<Result<Vec<_>, E>>()?;
        let schema = match &self.mixture {
            None => datasets[0].schema().clone(),
            Some(_) => merged_of(&datasets)?,
        };
        Ok(Self { datasets, mixture: self.mixture.clone(), schema })
    }

    pub(crate) fn is_mixed(&self) -> bool {
        self.mixture.is_some()
    }

    /// The weights of the datasets of a mixture.
    pub(crate) fn weights(&self) -> Option<&[f64]> {
        self.mixture.as_ref().map(|mixture| mixture.weights.as_slice())
    }

    /// The files of the only dataset.
    ///
    /// # Errors
    /// The sources are mixed. `method` is the method of the caller.
    pub(crate) fn files(&self, method: &str) -> Result<&SelectedFiles, FeedError> {
        self.only_files().ok_or_else(|| {
            refused(format!(
                "{method}: expected a dataset of files, found a mixed dataset: use the datasets that are mixed"
            ))
        })
    }

    /// The files, unless several datasets are mixed.
    pub(crate) fn only_files(&self) -> Option<&SelectedFiles> {
        self.datasets.first().filter(|_| !self.is_mixed())
    }

    /// The same rows of other files.
    pub(crate) fn with_files(&self, files: Indexed) -> Self {
        Self::of_rows(SelectedFiles { files: Arc::new(files), rows: self.rows().clone() })
    }

    /// The limits of the first dataset.
    pub(crate) fn limits(&self) -> &Limits {
        self.datasets[0].limits()
    }

    /// The selected rows, in file order.
    pub(crate) fn rows(&self) -> &Range<u64> {
        match &self.mixture {
            None => &self.datasets[0].rows,
            Some(mixture) => &mixture.rows,
        }
    }

    /// Selects some of the selected rows.
    pub(crate) fn select_rows(&mut self, rows: Range<u64>) {
        match &mut self.mixture {
            None => self.datasets[0].rows = rows,
            Some(mixture) => mixture.rows = rows,
        }
    }

    /// Checks that the rows can be read. The rows of a mixture have no numbers.
    pub(crate) fn check_rows(&self) -> Result<(), FeedError> {
        match &self.mixture {
            None => Ok(()),
            Some(mixture) => check_mixed_rows(&mixture.rows),
        }
    }

    /// Checks that an iteration with these options can read the rows.
    pub(crate) fn check_rows_of(&self, options: &IterationOptions) -> Result<(), FeedError> {
        self.check_rows()?;
        if self.is_mixed() { check_mixed_rows(&options.rows) } else { Ok(()) }
    }

    /// Keeps the rows for which a predicate is true.
    pub(crate) fn filtered(&self, predicate: &Predicate) -> Result<Self, DatasetError> {
        self.check_rows()?;
        let mut sources = self.changed(|dataset| {
            let files = Arc::new(dataset.filtered(predicate)?);
            Ok::<_, DatasetError>(SelectedFiles { files, rows: ALL_ROWS })
        })?;
        if let Some(mixture) = &mut sources.mixture {
            let filters = mixture.filters.iter().chain([predicate]).cloned();
            mixture.filters = filters.reduce(|all, next| all & next);
        }
        Ok(sources)
    }

    pub(crate) fn predicate(&self) -> Option<&Predicate> {
        match &self.mixture {
            None => self.datasets[0].files.files.predicate(),
            Some(mixture) => mixture.filters.as_ref(),
        }
    }

    /// The calls that restricted the rows, without those of the datasets of a mixture.
    pub(crate) fn restrictions(&self) -> Vec<RowRestriction> {
        let Some(mixture) = &self.mixture else { return self.datasets[0].restrictions() };
        let filters = mixture.filters.iter().cloned().map(RowRestriction::Filter);
        let rows = (mixture.rows != ALL_ROWS).then(|| RowRestriction::Rows(mixture.rows.clone()));
        filters.chain(rows).collect()
    }

    /// Total number of rows.
    pub(crate) fn num_rows(&self, interrupt: Option<Interrupt>) -> Result<u64, FeedError> {
        self.check_rows()?;
        self.rows_of(&IterationOptions { interrupt, ..Default::default() })
    }

    /// Number of batches of an iteration, of which no process shares the batches. `None`: infinite.
    pub(crate) fn num_batches(&self, options: &IterationOptions) -> Result<Option<u64>, FeedError> {
        self.check_rows_of(options)?;
        Ok(options.num_batches_of(self.rows_of(options)?, options.across_epochs || self.is_mixed()))
    }

    /// Whether [`num_batches`](Self::num_batches) is known without a scan for it alone.
    pub(crate) fn is_known(&self, options: &IterationOptions) -> bool {
        self.datasets.iter().all(|dataset| dataset.is_known(options))
    }

    /// Number of rows of an epoch.
    fn rows_of(&self, options: &IterationOptions) -> Result<u64, FeedError> {
        self.datasets
            .iter()
            .try_fold(0_u64, |sum, dataset| Ok(sum.saturating_add(dataset.num_rows(options)?)))
    }

    /// Checksum of the names and lengths of the files, of the schema, of the selected rows and of the weights.
    pub(crate) fn fingerprint(&self, interrupt: Option<&Interrupt>) -> Result<String, FeedError> {
        let Some(mixture) = &self.mixture else { return self.datasets[0].fingerprint(interrupt) };
        let mut content = String::new();
        for (dataset, weight) in self.datasets.iter().zip(&mixture.weights) {
            content.push_str(&format!("{}*{weight:?} ", dataset.fingerprint(interrupt)?));
        }
        let schema = format!("{:?}", self.schema);
        Ok(format!("{:08x}{:08x}", crc32fast::hash(content.as_bytes()), crc32fast::hash(schema.as_bytes())))
    }

    /// Reads only the columns that some of the tensors need.
    pub(crate) fn project(
        &self,
        definitions: &TensorDefinitions,
        names: &[&str],
    ) -> Result<Self, DatasetError> {
        self.changed(|dataset| dataset.project(definitions, names))
    }

    /// The same rows with the names of their files and their numbers as the last two columns, which are called `names`. Reads only
    /// the columns `kept`.
    pub(crate) fn traced(&self, names: [&str; 2], kept: &[String]) -> Result<Self, FeedError> {
        self.changed(|dataset| {
            let files = Arc::new(dataset.files.traced(names, kept)?);
            Ok(SelectedFiles { files, rows: dataset.rows.clone() })
        })
    }

    /// Describes the files, the columns and the rows that are read. Of a mixture, one paragraph for each dataset, with its weight.
    pub(crate) fn explain(&self) -> String {
        let Some(mixture) = &self.mixture else { return self.datasets[0].explain() };
        let lines = self.datasets.iter().zip(&mixture.weights).map(|(dataset, weight)| {
            let sources = dataset.explain().replace('\n', "\n  ");
            format!("weight {weight}: {sources}")
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// The schema of the batches of all datasets, whose columns are known to fit.
fn merged_of(datasets: &[SelectedFiles]) -> Result<SchemaRef, FeedError> {
    let mut schema = datasets[0].schema().as_ref().clone();
    for dataset in datasets {
        schema = merged(&schema, dataset.schema()).map_err(FeedError::defect)?;
    }
    Ok(Arc::new(schema))
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
pub(crate) fn with_schema(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, FeedError> {
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
fn check_mixed_rows(rows: &Range<u64>) -> Result<(), FeedError> {
    if *rows == ALL_ROWS {
        return Ok(());
    }
    let message = "expected all rows of a mixed dataset, found one after take or skip: take and skip rows of the \
                   datasets before they are mixed";
    Err(FeedError::new(FeedErrorKind::Options, message))
}
