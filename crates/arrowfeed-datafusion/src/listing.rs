//! Formats for DataFusion's `ListingTable`, which lists files itself.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use arrow_schema::{Schema, SchemaRef};
use arrowfeed::formats::FormatOptions;
use arrowfeed::source::OnError;
use arrowfeed::source::io::FileSource as ArrowfeedFile;
use arrowfeed_predicate::{Lists, Predicate};
use async_trait::async_trait;
use datafusion_common::config::ConfigOptions;
use datafusion_common::stats::Precision;
use datafusion_common::tree_node::TreeNodeRecursion;
use datafusion_common::{GetExt, Result, Statistics};
use datafusion_datasource::TableSchema;
use datafusion_datasource::file::FileSource;
use datafusion_datasource::file_compression_type::FileCompressionType;
use datafusion_datasource::file_format::{FileFormat, FileFormatFactory};
use datafusion_datasource::file_scan_config::FileScanConfig;
use datafusion_datasource::file_stream::FileOpener;
use datafusion_datasource::projection::{ProjectionOpener, SplitProjection};
use datafusion_datasource::source::DataSourceExec;
use datafusion_physical_expr::projection::ProjectionExprs;
use datafusion_physical_expr::{PhysicalExpr, conjunction};
use datafusion_physical_plan::filter_pushdown::{FilterPushdownPropagation, PushedDown};
use datafusion_physical_plan::metrics::ExecutionPlanMetricsSet;
use datafusion_physical_plan::{DisplayFormatType, ExecutionPlan};
use datafusion_session::Session;
use object_store::{ObjectMeta, ObjectStore};

use crate::blocking::blocking;
use crate::error::external;
use crate::filter::{Translated, translate};
use crate::format::{self, has_footers, lists_hold_one_value, of_table, sql_name};
use crate::opener::Opener;
use crate::options::TableOptions;
use crate::statistics::{for_table, of_files};
use crate::store::session_file;
use crate::stream::ScanMetrics;

/// Makes formats for `ListingTable`. Their names are those of `STORED AS`, in lower case.
#[derive(Debug, Clone)]
pub struct ArrowfeedFormatFactory {
    format: FormatOptions,
}

impl ArrowfeedFormatFactory {
    /// Makes formats from options of SQL, which replace those of `format`.
    pub fn new(format: impl Into<FormatOptions>) -> Self {
        Self { format: format.into() }
    }
}

/// The factories of all formats, for `SessionContext::register_file_format`.
pub fn file_format_factories() -> Vec<Arc<dyn FileFormatFactory>> {
    let factory = |format| Arc::new(ArrowfeedFormatFactory::new(format)) as Arc<dyn FileFormatFactory>;
    format::all().into_iter().map(factory).collect()
}

impl GetExt for ArrowfeedFormatFactory {
    fn get_ext(&self) -> String {
        sql_name(self.format.format()).to_lowercase()
    }
}

impl FileFormatFactory for ArrowfeedFormatFactory {
    fn create(
        &self,
        _state: &dyn Session,
        format_options: &HashMap<String, String>,
    ) -> Result<Arc<dyn FileFormat>> {
        let options = TableOptions::parse(&self.format, format_options).map_err(external)?;
        Ok(Arc::new(ArrowfeedFormat::new(options.format).with_on_error(options.on_error)))
    }

    fn default(&self) -> Arc<dyn FileFormat> {
        Arc::new(ArrowfeedFormat::new(self.format.clone()))
    }
}

/// A format of arrowfeed for a `ListingTable`, which lists the files itself, with the cache of the session.
///
/// Columns that a file lacks are null, and columns of other types are cast, as for the formats of DataFusion. Cells of CSV and values
/// of JSON are parsed as the types of the table. Use [`ArrowfeedTable`](crate::ArrowfeedTable) for a fixed list of files: it also has
/// columns of the path and of the row number, counts rows for `count(*)` of local Avro files, and reads ahead in several objects.
///
/// # Example
/// ```
/// # #[cfg(not(feature = "avro"))] fn main() {}
/// # #[cfg(feature = "avro")]
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> datafusion::error::Result<()> {
/// # let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
/// # let path = example.canonicalize()?.display().to_string();
/// use std::sync::Arc;
///
/// use arrowfeed::avro::AvroOptions;
/// use arrowfeed_datafusion::ArrowfeedFormat;
/// use datafusion::datasource::listing::ListingOptions;
/// use datafusion::prelude::SessionContext;
///
/// let context = SessionContext::new();
/// let format = ArrowfeedFormat::new(AvroOptions::default());
/// let options = ListingOptions::new(Arc::new(format)).with_file_extension(".avro");
/// context.register_listing_table("example", path, options, None, None).await?;
/// let batches = context.sql("SELECT id FROM example LIMIT 1").await?.collect().await?;
/// assert_eq!(batches[0].num_rows(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ArrowfeedFormat {
    format: Arc<FormatOptions>,
    on_error: OnError,
}

impl ArrowfeedFormat {
    /// Reads files with the options of `format`.
    pub fn new(format: impl Into<FormatOptions>) -> Self {
        Self { format: Arc::new(format.into()), on_error: OnError::Raise }
    }

    /// Sets the reaction to data that cannot be decoded. Default [`OnError::Raise`].
    pub fn with_on_error(self, on_error: OnError) -> Self {
        Self { on_error, ..self }
    }
}

#[async_trait]
impl FileFormat for ArrowfeedFormat {
    fn get_ext(&self) -> String {
        self.format.format().name().to_owned()
    }

    fn get_ext_with_compression(&self, _compression: &FileCompressionType) -> Result<String> {
        // The formats find out how a file is compressed.
        Ok(self.get_ext())
    }

    fn compression_type(&self) -> Option<FileCompressionType> {
        // With a type, DataFusion lists a directory by the extension, and not by the name of the format.
        Some(FileCompressionType::UNCOMPRESSED)
    }

    async fn infer_schema(
        &self,
        _state: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        objects: &[ObjectMeta],
    ) -> Result<SchemaRef> {
        let files = opened(store, objects).await?;
        let format = self.format.as_ref().clone();
        blocking(move |interrupt| Ok(format.files(files, Some(interrupt))?.schema().clone())).await
    }

    async fn infer_stats(
        &self,
        _state: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        table_schema: SchemaRef,
        object: &ObjectMeta,
    ) -> Result<Statistics> {
        if self.on_error != OnError::Raise || !has_footers(&self.format) {
            return Ok(Statistics::new_unknown(&table_schema));
        }
        let files = opened(store, std::slice::from_ref(object)).await?;
        let format = of_table(self.format.as_ref().clone(), &table_schema);
        let table = table_schema.clone();
        let found = blocking(move |interrupt| {
            // A query reports a file that cannot be opened.
            let Ok(files) = format.files(files, Some(interrupt)).map(Arc::new) else { return Ok(None) };
            let statistics = of_files(&files, interrupt).ok();
            Ok(statistics.map(|statistics| for_table(&statistics, files.schema(), &table)))
        });
        Ok(match found.await? {
            // DataFusion adds bounds of the partition columns, which a file without rows does not have. It does not use them if the
            // number of rows is inexact.
            Some(statistics) if statistics.num_rows == Precision::Exact(0) => statistics.to_inexact(),
            Some(statistics) => statistics,
            None => Statistics::new_unknown(&table_schema),
        })
    }

    async fn create_physical_plan(
        &self,
        _state: &dyn Session,
        conf: FileScanConfig,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(DataSourceExec::from_data_source(conf))
    }

    fn file_source(&self, table_schema: TableSchema) -> Arc<dyn FileSource> {
        Arc::new(ListedFiles {
            projection: SplitProjection::unprojected(&table_schema),
            format: self.format.clone(),
            on_error: self.on_error,
            table_schema,
            pushed: None,
            batch_size: None,
            metrics: ExecutionPlanMetricsSet::new(),
        })
    }
}

/// The objects as files. Local files are read without the store.
async fn opened(store: &Arc<dyn ObjectStore>, objects: &[ObjectMeta]) -> Result<Vec<ArrowfeedFile>> {
    let mut files = Vec::with_capacity(objects.len());
    for object in objects {
        files.push(session_file(store, "", object.clone()).await.map_err(external)?);
    }
    Ok(files)
}

/// The files of a scan of a `ListingTable`.
#[derive(Clone)]
struct ListedFiles {
    format: Arc<FormatOptions>,
    on_error: OnError,
    table_schema: TableSchema,
    projection: SplitProjection,
    pushed: Option<Pushed>,
    batch_size: Option<usize>,
    metrics: ExecutionPlanMetricsSet,
}

/// The filter of a scan.
#[derive(Clone)]
struct Pushed {
    predicate: Predicate,
    /// What DataFusion knows of the rows: the filters that it does not evaluate again.
    known: Arc<dyn PhysicalExpr>,
}

impl ListedFiles {
    fn lists(&self) -> Lists {
        if lists_hold_one_value(&self.format) { Lists::HoldOneValue } else { Lists::AreValues }
    }

    /// The columns of the files that a query reads.
    fn projected(&self) -> Result<SchemaRef> {
        Ok(Arc::new(self.table_schema.file_schema().project(&self.projection.file_indices)?))
    }
}

impl FileSource for ListedFiles {
    fn create_file_opener(
        &self,
        object_store: Arc<dyn ObjectStore>,
        base_config: &FileScanConfig,
        partition: usize,
    ) -> Result<Arc<dyn FileOpener>> {
        let opener = Opener {
            format: self.format.clone(),
            on_error: self.on_error,
            store: object_store,
            url: base_config.object_store_url.as_str().to_owned(),
            table: self.table_schema.file_schema().clone(),
            projected: self.projected()?,
            predicate: self.pushed.as_ref().map(|pushed| pushed.predicate.clone()),
            lists: self.lists(),
            limit: base_config.limit,
            batch_size: self.batch_size.unwrap_or(arrowfeed_source::run::DEFAULT_BATCH_ROWS),
            metrics: ScanMetrics::of_files(&self.metrics, partition),
        };
        let file_schema: &Schema = self.table_schema.file_schema();
        ProjectionOpener::try_new(self.projection.clone(), Arc::new(opener), file_schema)
    }

    fn table_schema(&self) -> &TableSchema {
        &self.table_schema
    }

    fn with_batch_size(&self, batch_size: usize) -> Arc<dyn FileSource> {
        Arc::new(Self { batch_size: Some(batch_size), ..self.clone() })
    }

    fn filter(&self) -> Option<Arc<dyn PhysicalExpr>> {
        self.pushed.as_ref().map(|pushed| pushed.known.clone())
    }

    fn projection(&self) -> Option<&ProjectionExprs> {
        Some(&self.projection.source)
    }

    fn try_pushdown_projection(&self, projection: &ProjectionExprs) -> Result<Option<Arc<dyn FileSource>>> {
        let merged = self.projection.source.try_merge(projection)?;
        let projection = SplitProjection::new(self.table_schema.file_schema(), &merged);
        Ok(Some(Arc::new(Self { projection, ..self.clone() })))
    }

    fn metrics(&self) -> &ExecutionPlanMetricsSet {
        &self.metrics
    }

    fn file_type(&self) -> &str {
        self.format.format().name()
    }

    fn fmt_extra(&self, kind: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(Pushed { predicate, .. }) = &self.pushed else { return Ok(()) };
        match kind {
            DisplayFormatType::TreeRender => writeln!(f, "filter={predicate}"),
            _ => write!(f, ", filter={predicate}"),
        }
    }

    fn try_pushdown_filters(
        &self,
        filters: Vec<Arc<dyn PhysicalExpr>>,
        _config: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn FileSource>>> {
        let translated: Vec<_> = filters
            .iter()
            .map(|filter| translate(filter, self.table_schema.file_schema(), self.lists()))
            .collect();
        let is_exact = |translated: &Option<Translated>| translated.as_ref().is_some_and(|it| it.is_exact);
        let handled = FilterPushdownPropagation::with_parent_pushdown_result(
            translated
                .iter()
                .map(|translated| if is_exact(translated) { PushedDown::Yes } else { PushedDown::No })
                .collect::<Vec<_>>(),
        );
        let exact = filters.into_iter().zip(&translated).filter(|(_, translated)| is_exact(translated));
        let exact: Vec<_> = exact.map(|(filter, _)| filter).collect();
        let before = self.pushed.as_ref().map(|pushed| pushed.predicate.clone());
        let parts = translated.into_iter().flatten().map(|translated| translated.predicate);
        let Some(predicate) = before.into_iter().chain(parts).reduce(|all, part| all & part) else {
            return Ok(handled);
        };
        // Without exact filters, this is the constant true. The statistics are inexact then too.
        let known = conjunction(self.filter().into_iter().chain(exact));
        let pushed = Some(Pushed { predicate, known });
        Ok(handled.with_updated_node(Arc::new(Self { pushed, ..self.clone() })))
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        datafusion_physical_plan::apply_expression_roots(self.projection.source.iter(), visit)
    }
}
