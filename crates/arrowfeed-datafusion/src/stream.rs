//! The batches of a scan as a stream, which cancels the reading when it is dropped.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrowfeed::source::Interrupt;
use arrowfeed::source::run::FileReader;
use arrowfeed::source::stats::Stage;
use arrowfeed_source::run::BatchStream;
use datafusion_common::Result;
use datafusion_execution::SendableRecordBatchStream;
use datafusion_physical_plan::metrics::{BaselineMetrics, Count, ExecutionPlanMetricsSet, MetricBuilder};
use datafusion_physical_plan::stream::RecordBatchStreamAdapter;
use futures_util::stream::{self, BoxStream};
use futures_util::{Stream, StreamExt, TryStreamExt};

use crate::blocking::StopOnDrop;
use crate::error::external;

/// Figures of one partition of a scan.
#[derive(Debug, Clone)]
pub(crate) struct ScanMetrics {
    pub(crate) baseline: BaselineMetrics,
    /// Bytes of the blocks that were decoded, or of the responses of a store.
    pub(crate) bytes_scanned: Count,
    /// Rows that the filter of the scan left out.
    pub(crate) rows_rejected: Count,
}

/// Converts the batches of a reader to those of the plan.
pub(crate) type Finish = Box<dyn FnMut(RecordBatch) -> Result<RecordBatch> + Send>;

/// What a thread opens: a reader, and the conversion of its batches. `None`: there is nothing to read.
pub(crate) type Opening = Result<Option<(FileReader, Finish)>>;

impl ScanMetrics {
    /// Figures of files of a partition whose rows another part of the plan counts.
    pub(crate) fn of_files(metrics: &ExecutionPlanMetricsSet, partition: usize) -> Self {
        let baseline = BaselineMetrics::new(&ExecutionPlanMetricsSet::new(), partition);
        Self { baseline, ..Self::new(metrics, partition) }
    }

    pub(crate) fn new(metrics: &ExecutionPlanMetricsSet, partition: usize) -> Self {
        Self {
            baseline: BaselineMetrics::new(metrics, partition),
            bytes_scanned: MetricBuilder::new(metrics).counter("bytes_scanned", partition),
            rows_rejected: MetricBuilder::new(metrics).counter("rows_rejected", partition),
        }
    }
}

/// Makes a stream of at most `limit` rows. When it is polled first, a thread for blocking work calls `open`. Then the threads that
/// all streams of arrowfeed share decode the batches.
pub(crate) fn stream_of(
    schema: SchemaRef,
    limit: Option<usize>,
    metrics: ScanMetrics,
    open: impl FnOnce(Interrupt) -> Opening + Send + 'static,
) -> SendableRecordBatchStream {
    let batches = stream::once(opened(limit, metrics, open)).try_flatten();
    Box::pin(RecordBatchStreamAdapter::new(schema, batches))
}

async fn opened(
    limit: Option<usize>,
    metrics: ScanMetrics,
    open: impl FnOnce(Interrupt) -> Opening + Send + 'static,
) -> Result<BoxStream<'static, Result<RecordBatch>>> {
    let stop = StopOnDrop::default();
    let Some((reader, finish)) = stop.run(open).await? else { return Ok(stream::empty().boxed()) };
    let batches = reader.into_stream().map_err(external)?;
    Ok(Batches { batches, finish, left: limit.unwrap_or(usize::MAX), metrics, _stop: stop }.boxed())
}

/// The batches of one partition, or of one file.
struct Batches {
    batches: BatchStream,
    finish: Finish,
    /// Rows up to the limit.
    left: usize,
    metrics: ScanMetrics,
    _stop: StopOnDrop,
}

impl Stream for Batches {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if this.left == 0 {
            return Poll::Ready(None);
        }
        let next = ready!(Pin::new(&mut this.batches).poll_next(context));
        Poll::Ready(next.map(|batch| {
            let batch = batch.map_err(external)?;
            let time = this.metrics.baseline.elapsed_compute().clone();
            let _finishing = time.timer();
            let batch = (this.finish)(batch)?;
            let batch = batch.slice(0, batch.num_rows().min(this.left));
            this.left -= batch.num_rows();
            this.metrics.baseline.record_output(batch.num_rows());
            Ok(batch)
        }))
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        let (report, stages) = (self.batches.report(), self.batches.stats().stages);
        let bytes = if report.requests.bytes > 0 { report.requests.bytes } else { report.bytes };
        self.metrics.bytes_scanned.add(usize::try_from(bytes).unwrap_or(usize::MAX));
        self.metrics.rows_rejected.add(usize::try_from(report.rejected).unwrap_or(usize::MAX));
        let work = stages.total().saturating_sub(stages.of(Stage::Request));
        self.metrics.baseline.elapsed_compute().add_duration(work);
    }
}

/// The same columns with the fields of the plan.
pub(crate) fn with_schema(batch: RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    let columns = batch.columns().to_vec();
    Ok(RecordBatch::try_new_with_options(schema.clone(), columns, &options)?)
}
