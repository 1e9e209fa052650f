//! Tables of files.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use arrowfeed::FeedError;
use arrowfeed::formats::FormatOptions;
use arrowfeed::source::io::FileSource;
use arrowfeed::source::run::FileSet;
use arrowfeed::source::{Check, OnError};
use arrowfeed_predicate::{Lists, Predicate};
use arrowfeed_source::ForkLock;
use async_trait::async_trait;
use datafusion_common::{DFSchema, Result, Statistics};
use datafusion_datasource::source::DataSourceExec;
use datafusion_expr::execution_props::ExecutionProps;
use datafusion_expr::expr_rewriter::unnormalize_col;
use datafusion_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion_physical_expr::create_physical_expr;
use datafusion_physical_plan::ExecutionPlan;
use datafusion_physical_plan::metrics::ExecutionPlanMetricsSet;
use datafusion_session::{Session, TableProvider};

use crate::blocking::blocking;
use crate::filter::{Translated, translate};
use crate::partition::Division;
use crate::scan::{Scan, selected};
use crate::statistics::{Counting, of_files};

/// A table of files of one schema. The list of the files is fixed. A query that reads a file again is an error if the file has
/// changed since its first reading; so is one that reads a part of a file whose length has changed since the table was made.
/// `count(*)`, `min(x)` and `max(x)` of later queries may come from what an earlier one found.
///
/// | part of a query | use |
/// |---|---|
/// | columns | only these are decoded |
/// | `WHERE` | a [`Predicate`], which selects rows before they are decoded whole and leaves out files by their partition columns. DataFusion filters what a predicate cannot express |
/// | `LIMIT` | ends the reading |
/// | `count(*)` | row counts of Parquet and Arrow IPC footers, and of block headers of local Avro files |
/// | `min(x)`, `max(x)`, `count(x)` | statistics of Parquet footers, but for floats, nested columns and texts that the writer cut; the values of partition columns and of the column of paths, if the rows are known |
/// | `target_partitions` | byte ranges of the files, of `repartition_file_min_size` or more |
///
/// # Example
/// ```
/// # #[cfg(not(feature = "avro"))] fn main() {}
/// # #[cfg(feature = "avro")]
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> datafusion::error::Result<()> {
/// # let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
/// use std::sync::Arc;
///
/// use arrowfeed::avro::AvroOptions;
/// use arrowfeed_datafusion::ArrowfeedTable;
/// use datafusion::prelude::SessionContext;
///
/// let context = SessionContext::new();
/// let table = ArrowfeedTable::open(vec![example.into()], AvroOptions::default()).await?;
/// context.register_table("example", Arc::new(table))?;
/// let batches = context.sql("SELECT id FROM example LIMIT 1").await?.collect().await?;
/// assert_eq!(batches[0].num_rows(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ArrowfeedTable {
    files: Arc<FileSet>,
    schema: SchemaRef,
    lens: Arc<[u64]>,
    on_error: OnError,
    definition: Option<String>,
    /// Once they were collected.
    statistics: ForkLock<Option<Arc<Statistics>>>,
}

impl ArrowfeedTable {
    /// Opens files of a format. Blocking work runs on threads of tokio.
    ///
    /// # Errors
    /// [`External`](datafusion_common::DataFusionError::External) with a [`FeedError`]: there is no file; a file cannot be opened;
    /// the schemas of the files do not fit; an option is invalid.
    pub async fn open(sources: Vec<FileSource>, format: impl Into<FormatOptions>) -> Result<Self> {
        let format = format.into();
        blocking(move |interrupt| {
            let files = format.files(sources, Some(interrupt))?;
            Self::made_of(files, &Check::of(Some(interrupt)))
        })
        .await
    }

    /// Makes a table of files that are open, with the columns, added columns and filters of the set. Reads the lengths of the
    /// files on the thread of the caller.
    ///
    /// # Errors
    /// The length of a file cannot be read; the set has columns that cannot be read; fields of structs are selected, which
    /// queries do.
    ///
    /// # Example
    /// ```
    /// # #[cfg(not(feature = "avro"))] fn main() {}
    /// # #[cfg(feature = "avro")]
    /// # fn main() -> Result<(), arrowfeed::FeedError> {
    /// # let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
    /// use arrowfeed::source::run::AddedColumns;
    /// use arrowfeed::avro::{AvroFormat, AvroOptions};
    /// use arrowfeed_datafusion::ArrowfeedTable;
    ///
    /// let files = AvroFormat::files([example], AvroOptions::default(), None)?;
    /// let added = AddedColumns { file: Some("path".to_owned()), ..AddedColumns::default() };
    /// let table = ArrowfeedTable::new(files.with_added_columns(added)?)?;
    /// # assert!(table.files().schema().field_with_name("path").is_ok());
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(files: FileSet) -> Result<Self, FeedError> {
        Self::made_of(files, &Check::never())
    }

    /// Like [`new`](Self::new). The caller may cancel.
    pub(crate) fn made_of(files: FileSet, check: &Check<'_>) -> Result<Self, FeedError> {
        files.format().check_complete()?;
        let lens = (0..files.len()).map(|file| files.file_len(file, check)).collect::<Result<_, _>>()?;
        let schema = files.schema().clone();
        if let Some(field) = schema.fields().first() {
            // Fails for sets of which fields of structs are selected.
            let columns: Vec<usize> = (0..schema.fields().len()).rev().collect();
            let reversed = schema.project(&columns).map_err(|error| schema_error(field.name(), &error))?;
            selected(&files, &Arc::new(reversed), None)?;
        }
        let (files, statistics) = (Arc::new(files), ForkLock::default());
        Ok(Self { files, schema, lens, on_error: OnError::Raise, definition: None, statistics })
    }

    /// Sets the reaction to data that cannot be decoded. Skipped blocks and files are not reported. Default [`OnError::Raise`].
    pub fn with_on_error(self, on_error: OnError) -> Self {
        Self { on_error, ..self }
    }

    /// Sets the SQL that created the table.
    pub fn with_definition(self, definition: Option<String>) -> Self {
        Self { definition, ..self }
    }

    /// The files.
    pub fn files(&self) -> &FileSet {
        &self.files
    }

    fn lists(&self) -> Lists {
        if self.files.format().lists_hold_one_value() { Lists::HoldOneValue } else { Lists::AreValues }
    }

    /// Translates a filter. `None`: DataFusion must evaluate it.
    fn translated(&self, filter: &Expr, schema: &DFSchema) -> Option<Translated> {
        let (props, context) = (ExecutionProps::new(), PhysicalPlanningContext::default());
        // The schema of the table does not know the name that the query gives it.
        let filter = unnormalize_col(filter.clone());
        let filter = create_physical_expr(&filter, schema, &props, &context).ok()?;
        translate(&filter, &self.schema, self.lists())
    }

    fn predicate(&self, filters: &[Expr]) -> Result<Option<Predicate>> {
        let schema = DFSchema::try_from(self.schema.clone())?;
        let parts = filters.iter().filter_map(|filter| self.translated(filter, &schema));
        Ok(parts.map(|translated| translated.predicate).reduce(|all, part| all & part))
    }

    /// The numbers and the lengths of the files that may have rows of a scan.
    async fn read_files(
        &self,
        schema: &SchemaRef,
        predicate: Option<&Predicate>,
    ) -> Result<Vec<(usize, u64)>> {
        let (files, schema, predicate) = (self.files.clone(), schema.clone(), predicate.cloned());
        let files = blocking(move |_| selected(&files, &schema, predicate.as_ref())).await?;
        let lens = self.lens.iter().copied().enumerate();
        Ok(lens.filter(|(file, _)| !files.is_pruned(*file)).collect())
    }

    /// The statistics of the files, if the session collects them and that is cheap for this query.
    async fn statistics(&self, state: &dyn Session, is_count: bool) -> Result<Arc<Statistics>> {
        let known = self.statistics.with(|statistics| statistics.clone()).flatten();
        let counting = Counting::of(&self.files);
        let is_cheap = counting == Counting::Opening || (counting == Counting::Scanning && is_count);
        let unknown = || Arc::new(Statistics::new_unknown(&self.schema));
        if known.is_some() || !is_cheap || !state.config().collect_statistics() {
            return Ok(known.unwrap_or_else(unknown));
        }
        if self.on_error != OnError::Raise {
            return Ok(unknown());
        }
        let files = self.files.clone();
        // The query reports the damage of files, if it reads what is damaged.
        let found = blocking(move |interrupt| Ok(of_files(&files, interrupt).ok())).await?.map(Arc::new);
        self.statistics.with(|known| known.clone_from(&found));
        Ok(found.unwrap_or_else(unknown))
    }
}

fn schema_error(column: &str, error: &arrow_schema::ArrowError) -> FeedError {
    FeedError::new(arrowfeed::FeedErrorKind::Schema, error.to_string()).in_field(column)
}

#[async_trait]
impl TableProvider for ArrowfeedTable {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn get_table_definition(&self) -> Option<&str> {
        self.definition.as_deref()
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        let schema = DFSchema::try_from(self.schema.clone())?;
        let support = |filter: &&Expr| match self.translated(filter, &schema) {
            Some(Translated { is_exact: true, .. }) => TableProviderFilterPushDown::Exact,
            Some(_) => TableProviderFilterPushDown::Inexact,
            None => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(support).collect())
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let projection = projection.cloned().unwrap_or_else(|| (0..self.schema.fields().len()).collect());
        let schema = Arc::new(self.schema.project(&projection)?);
        let predicate = self.predicate(filters)?;
        // Counting the rows of a query with a limit may take longer than the query.
        let is_count = projection.is_empty() && predicate.is_none() && limit.is_none();
        let mut statistics = self.statistics(state, is_count).await?;
        if predicate.is_some() || self.files.is_filtered() {
            statistics = Arc::new(statistics.as_ref().clone().to_inexact());
        }
        let read = self.read_files(&schema, predicate.as_ref()).await?;
        let optimizer = &state.config_options().optimizer;
        let division = Division {
            partitions: state.config().target_partitions(),
            least_bytes: optimizer.repartition_file_min_size as u64,
            cuts_files: optimizer.repartition_file_scans,
        };
        Ok(DataSourceExec::from_data_source(Scan {
            files: self.files.clone(),
            projection,
            schema,
            predicate,
            fetch: limit,
            partitions: division.divide(&read).into(),
            on_error: self.on_error,
            format: self.files.format().name(),
            statistics,
            metrics: ExecutionPlanMetricsSet::new(),
        }))
    }
}
