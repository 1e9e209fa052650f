//! The scan of a table: a data source of DataFusion's plan.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use arrowfeed::source::run::{FileReader, FileSet};
use arrowfeed::source::{Check, Interrupt, OnError};
use arrowfeed::{FeedError, FeedErrorKind};
use arrowfeed_predicate::Predicate;
use arrowfeed_source::field_path::joined;
use arrowfeed_source::format::FormatFile;
use arrowfeed_source::io::{Expected, FileIdentity};
use arrowfeed_source::run::{BatchBoundaries, Part, PartOptions, PartReader, Workers, align};
use datafusion_common::tree_node::TreeNodeRecursion;
use datafusion_common::{Result, Statistics};
use datafusion_datasource::source::DataSource;
use datafusion_execution::{SendableRecordBatchStream, TaskContext};
use datafusion_physical_expr::projection::ProjectionExprs;
use datafusion_physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion_physical_plan::DisplayFormatType;
use datafusion_physical_plan::execution_plan::SchedulingType;
use datafusion_physical_plan::metrics::ExecutionPlanMetricsSet;
use datafusion_physical_plan::projection::{all_alias_free_columns, new_projections_for_columns};

use crate::error::external;
use crate::partition::{Piece, Shown};
use crate::stream::{Finish, ScanMetrics, stream_of, with_schema};

/// A scan of files: columns, a filter, a limit and partitions.
#[derive(Debug, Clone)]
pub(crate) struct Scan {
    /// The files with the columns of the table.
    pub(crate) files: Arc<FileSet>,
    /// The columns of the table that are read.
    pub(crate) projection: Vec<usize>,
    /// The schema of the batches.
    pub(crate) schema: SchemaRef,
    pub(crate) predicate: Option<Predicate>,
    /// Maximum number of rows of each partition.
    pub(crate) fetch: Option<usize>,
    pub(crate) partitions: Arc<[Vec<Piece>]>,
    pub(crate) on_error: OnError,
    pub(crate) format: &'static str,
    /// Of the rows that pass, with the columns of the table.
    pub(crate) statistics: Arc<Statistics>,
    pub(crate) metrics: ExecutionPlanMetricsSet,
}

/// The files with some columns of a table and a filter.
///
/// # Errors
/// A column does not exist, or the filter does not fit.
pub(crate) fn selected(
    files: &FileSet,
    schema: &SchemaRef,
    predicate: Option<&Predicate>,
) -> Result<FileSet, FeedError> {
    let paths: Vec<String> = schema.fields().iter().map(|field| joined("", field.name())).collect();
    let has_all = files.schema().fields() == schema.fields();
    let columns = if has_all { files.clone() } else { files.with_columns(&paths)? };
    if columns.schema().fields() != schema.fields() {
        let message = format!(
            "expected columns that are selected as a whole, found {} for {}: select fields in the query",
            columns.schema().fields().iter().map(|field| field.to_string()).collect::<Vec<_>>().join(", "),
            paths.join(", ")
        );
        return Err(FeedError::new(FeedErrorKind::Schema, message));
    }
    match predicate {
        Some(predicate) => columns.filtered(predicate.clone()),
        None => Ok(columns),
    }
}

/// Whether an error leaves out its file.
pub(crate) fn skips_file(on_error: OnError, error: &FeedError) -> bool {
    on_error == OnError::SkipFile && error.is_file_error()
}

/// A reader of pieces of files, which decodes on one thread at a time. `None`: there is nothing to read.
///
/// # Errors
/// A file that is cut cannot be opened, or has another length than when it was listed, and `on_error` does not leave it out; the
/// caller cancels.
pub(crate) fn read(
    files: FileSet,
    pieces: &[Piece],
    batch_size: usize,
    on_error: OnError,
    interrupt: Interrupt,
) -> Result<Option<FileReader>, FeedError> {
    let (schema, files) = (files.schema().clone(), Arc::new(files).for_reading());
    let check = Check::of(Some(&interrupt));
    let mut parts = Vec::with_capacity(pieces.len());
    let mut open = Vec::new();
    for piece in pieces.iter().filter(|piece| !files.is_pruned(piece.file)) {
        if piece.is_whole() {
            parts.push(Part::whole(piece.file));
            continue;
        }
        match opened(&files, piece, &check) {
            Ok((_, range)) if range.is_empty() => {}
            Ok((file, range)) => {
                parts.push(Part::range(piece.file, range));
                open.push((piece.file, file));
            }
            Err(error) if skips_file(on_error, &error) => {}
            Err(error) => return Err(error),
        }
    }
    if parts.is_empty() {
        return Ok(None);
    }
    let options = PartOptions {
        batch_size: Some(batch_size),
        boundaries: BatchBoundaries::PerPart,
        on_error,
        workers: Workers::Caller,
        prefetch_bytes: 0,
        interrupt: Some(interrupt),
        claim: None,
    };
    let reader = PartReader::new(files, parts, options)?;
    let reader = open.into_iter().fold(reader, |reader, (number, file)| reader.with_open(number, file));
    Ok(Some(FileReader::new(schema, reader)))
}

/// The open file of a piece, and the chunks that start in the piece.
fn opened(
    files: &FileSet,
    piece: &Piece,
    check: &Check<'_>,
) -> Result<(Arc<dyn FormatFile>, Range<u64>), FeedError> {
    let file = files.open(piece.file, check)?;
    let in_file = |error: FeedError| error.in_file(files.name(piece.file));
    let found = files.identity(piece.file)?;
    let listed = Expected { identity: FileIdentity { len: piece.len, ..found }, when: "it was listed" };
    // The pieces of a longer file would leave out its end.
    listed.check_len(found.len).map_err(in_file)?;
    let mut scan = file.chunks().ok_or_else(|| in_file(stream_found()))?;
    let range = align(&mut *scan, piece.range.clone(), file.body().end, check).map_err(in_file)?;
    Ok((file, range))
}

fn stream_found() -> FeedError {
    FeedError::new(FeedErrorKind::Options, "expected a seekable file or bytes, found a stream")
}

impl DataSource for Scan {
    fn open(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let batch_size = context.session_config().batch_size();
        let batch_size = self.fetch.map_or(batch_size, |fetch| fetch.clamp(1, batch_size));
        let metrics = ScanMetrics::new(&self.metrics, partition);
        let scan = self.clone();
        Ok(stream_of(self.schema.clone(), self.fetch, metrics, move |interrupt| {
            let files = selected(&scan.files, &scan.schema, scan.predicate.as_ref()).map_err(external)?;
            let pieces = &scan.partitions[partition];
            let reader = read(files, pieces, batch_size, scan.on_error, interrupt).map_err(external)?;
            let schema = scan.schema;
            let finish: Finish = Box::new(move |batch| with_schema(batch, &schema));
            Ok(reader.map(|reader| (reader, finish)))
        }))
    }

    fn fmt_as(&self, kind: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.schema.fields().iter().map(|field| field.name().as_str()).collect();
        if kind == DisplayFormatType::TreeRender {
            writeln!(f, "format=arrowfeed {}", self.format)?;
            writeln!(f, "files={}", self.files.len())?;
            return match &self.predicate {
                Some(predicate) => writeln!(f, "filter={predicate}"),
                None => Ok(()),
            };
        }
        write!(f, "format=arrowfeed {}, {}", self.format, Shown(&self.partitions))?;
        write!(f, ", projection=[{}]", names.join(", "))?;
        if let Some(predicate) = &self.predicate {
            write!(f, ", filter={predicate}")?;
        }
        match self.fetch {
            Some(fetch) => write!(f, ", limit={fetch}"),
            None => Ok(()),
        }
    }

    fn output_partitioning(&self) -> Partitioning {
        Partitioning::UnknownPartitioning(self.partitions.len())
    }

    fn eq_properties(&self) -> EquivalenceProperties {
        EquivalenceProperties::new(self.schema.clone())
    }

    fn scheduling_type(&self) -> SchedulingType {
        SchedulingType::NonCooperative
    }

    fn partition_statistics(&self, partition: Option<usize>) -> Result<Arc<Statistics>> {
        Ok(match partition {
            None => {
                let all = self.statistics.as_ref().clone().project(Some(&self.projection));
                Arc::new(all.with_fetch(self.fetch, 0, self.partitions.len())?)
            }
            Some(_) => Arc::new(Statistics::new_unknown(&self.schema)),
        })
    }

    fn with_fetch(&self, limit: Option<usize>) -> Option<Arc<dyn DataSource>> {
        Some(Arc::new(Self { fetch: limit, ..self.clone() }))
    }

    fn fetch(&self) -> Option<usize> {
        self.fetch
    }

    fn metrics(&self) -> ExecutionPlanMetricsSet {
        self.metrics.clone()
    }

    fn try_swapping_with_projection(
        &self,
        projection: &ProjectionExprs,
    ) -> Result<Option<Arc<dyn DataSource>>> {
        let columns: Vec<_> = projection.iter().cloned().collect();
        if !all_alias_free_columns(&columns) {
            return Ok(None);
        }
        let within = new_projections_for_columns(&columns, &(0..self.projection.len()).collect::<Vec<_>>());
        let schema = Arc::new(self.schema.project(&within)?);
        let projection = within.into_iter().map(|column| self.projection[column]).collect();
        Ok(Some(Arc::new(Self { projection, schema, ..self.clone() })))
    }

    fn apply_expressions(
        &self,
        _visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        // The filter is a predicate, not an expression of DataFusion.
        Ok(TreeNodeRecursion::Continue)
    }
}
