//! Opens one file of a `ListingTable`: its columns, in the types of the table.

use std::fmt;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use arrow_select::filter::filter_record_batch;
use arrowfeed::formats::FormatOptions;
use arrowfeed::source::OnError;
use arrowfeed::source::run::FileSet;
use arrowfeed_predicate::{CompiledPredicate, Lists, Predicate, col};
use datafusion_common::{DataFusionError, Result};
use datafusion_datasource::PartitionedFile;
use datafusion_datasource::file_stream::{FileOpenFuture, FileOpener};
use datafusion_physical_expr_adapter::BatchAdapterFactory;
use futures_util::{FutureExt, StreamExt};
use object_store::ObjectStore;

use crate::error::external;
use crate::format::of_table;
use crate::partition::Piece;
use crate::scan::{read, selected, skips_file};
use crate::store::session_file;
use crate::stream::{Finish, ScanMetrics, stream_of, with_schema};

/// Opens the files of one partition of a scan.
#[derive(Clone)]
pub(crate) struct Opener {
    pub(crate) format: Arc<FormatOptions>,
    pub(crate) on_error: OnError,
    pub(crate) store: Arc<dyn ObjectStore>,
    /// The URL of the store.
    pub(crate) url: String,
    /// The columns that files of the table have.
    pub(crate) table: SchemaRef,
    /// Those of them that are read.
    pub(crate) projected: SchemaRef,
    pub(crate) predicate: Option<Predicate>,
    pub(crate) lists: Lists,
    pub(crate) limit: Option<usize>,
    pub(crate) batch_size: usize,
    pub(crate) metrics: ScanMetrics,
}

impl FileOpener for Opener {
    fn open(&self, file: PartitionedFile) -> Result<FileOpenFuture> {
        let opener = self.clone();
        Ok(async move {
            let PartitionedFile { object_meta, range, .. } = file;
            let len = object_meta.size;
            let range = range.map_or(0..len, |range| {
                let [start, end] = [range.start, range.end].map(|at| u64::try_from(at).unwrap_or(0));
                start..end.min(len)
            });
            let piece = Piece { file: 0, range, len };
            let source = session_file(&opener.store, &opener.url, object_meta).await.map_err(external)?;
            let (schema, limit) = (opener.projected.clone(), opener.limit);
            let metrics = opener.metrics.clone();
            let batches = stream_of(schema, limit, metrics, move |interrupt| {
                let format = of_table(opener.format.as_ref().clone(), &opener.table);
                let files = match format.files(vec![source], Some(&interrupt)) {
                    Ok(files) => files,
                    Err(error) if skips_file(opener.on_error, &error) => return Ok(None),
                    Err(error) => return Err(external(error)),
                };
                let (files, finish) = opener.of_table(&files)?;
                let reader = read(files, &[piece], opener.batch_size, opener.on_error, interrupt);
                Ok(reader.map_err(external)?.map(|reader| (reader, finish)))
            });
            Ok(batches.boxed())
        }
        .boxed())
    }
}

impl Opener {
    /// The columns of a file that the scan needs, and the conversion of their batches to the columns of the scan.
    fn of_table(&self, files: &FileSet) -> Result<(FileSet, Finish)> {
        let stored = files.schema();
        let in_file = |wanted: &Schema| {
            let names = wanted.fields().iter();
            Arc::new(Schema::new(
                names
                    .filter_map(|field| stored.field_with_name(field.name()).ok().cloned())
                    .collect::<Vec<_>>(),
            ))
        };
        let Some(predicate) = &self.predicate else {
            let files = selected(files, &in_file(&self.projected), None).map_err(external)?;
            let finish = adapting(files.schema(), &self.projected)?;
            return Ok((files, finish));
        };
        let tested = self.tested(predicate);
        let is_alike = |field: &arrow_schema::FieldRef| {
            stored.field_with_name(field.name()).is_ok_and(|found| found.data_type() == field.data_type())
        };
        if tested.fields().iter().all(is_alike) {
            let columns = in_file(&self.projected);
            let files = selected(files, &columns, Some(predicate)).map_err(external)?;
            let finish = adapting(files.schema(), &self.projected)?;
            return Ok((files, finish));
        }
        // The file has other columns than the predicate: it is evaluated on those of the table.
        let others =
            tested.fields().iter().filter(|field| self.projected.column_with_name(field.name()).is_none());
        let fields = self.projected.fields().iter().chain(others);
        let all = Arc::new(Schema::new(fields.cloned().collect::<Vec<_>>()));
        let compiled = predicate.compile(&all, self.lists).map_err(predicate_error)?;
        let files = selected(files, &in_file(&all), None).map_err(external)?;
        let adapt = adapting(files.schema(), &all)?;
        Ok((files, filtering(adapt, compiled, self.projected.clone())))
    }

    /// The columns of the table that a predicate compares.
    fn tested(&self, predicate: &Predicate) -> Schema {
        let mut columns: Vec<usize> = predicate
            .columns()
            .into_iter()
            .filter_map(|path| Some(col(path).find(&self.table)?.0[0]))
            .collect();
        columns.sort_unstable();
        columns.dedup();
        Schema::new(columns.into_iter().map(|column| self.table.fields()[column].clone()).collect::<Vec<_>>())
    }
}

impl fmt::Debug for Opener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opener")
            .field("url", &self.url)
            .field("projected", &self.projected)
            .finish_non_exhaustive()
    }
}

fn predicate_error(error: arrowfeed_predicate::PredicateError) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

/// Converts batches of a file: missing columns are null, others are cast.
fn adapting(stored: &SchemaRef, wanted: &SchemaRef) -> Result<Finish> {
    let wanted = wanted.clone();
    let is_alike = stored.fields().len() == wanted.fields().len()
        && stored.fields().iter().zip(wanted.fields()).all(|(stored, wanted)| {
            stored.name() == wanted.name() && stored.data_type() == wanted.data_type()
        });
    if is_alike {
        return Ok(Box::new(move |batch| with_schema(batch, &wanted)));
    }
    let adapter = BatchAdapterFactory::new(wanted.clone()).make_adapter(stored)?;
    Ok(Box::new(move |batch| with_schema(adapter.adapt_batch(&batch)?, &wanted)))
}

/// Filters batches after their conversion, and keeps the columns of the scan, which are the first ones.
fn filtering(mut adapt: Finish, predicate: CompiledPredicate, projected: SchemaRef) -> Finish {
    Box::new(move |batch: RecordBatch| {
        let batch = adapt(batch)?;
        let keeps = predicate.keeps(&batch).map_err(predicate_error)?;
        let columns: Vec<usize> = (0..projected.fields().len()).collect();
        with_schema(filter_record_batch(&batch, &keeps)?.project(&columns)?, &projected)
    })
}
