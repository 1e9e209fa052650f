//! Files, sessions and the rows of queries.

use std::path::Path;
use std::sync::Arc;

use arrowfeed::arrow::array::{ArrayRef, Int64Array, RecordBatch, RecordBatchIterator, StringArray};
use arrowfeed::avro::{Codec, WriteOptions, write_avro};
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::error::Result;
use datafusion::prelude::{SessionConfig, SessionContext};

/// A session with the formats, and with partitions of a kilobyte.
pub(crate) fn session() -> SessionContext {
    let mut config = SessionConfig::new().with_target_partitions(3);
    config.options_mut().optimizer.repartition_file_min_size = 1024;
    let context = SessionContext::new_with_config(config);
    arrowfeed_datafusion::register(&context).unwrap();
    context
}

/// Rows with the columns `id`, from `first` on, and `text`.
pub(crate) fn rows(first: i64, count: i64) -> RecordBatch {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(first..first + count));
    let texts = (first..first + count).map(|id| (id % 7 != 0).then(|| format!("text {id}")));
    let texts: ArrayRef = Arc::new(texts.collect::<StringArray>());
    RecordBatch::try_from_iter_with_nullable([("id", ids, false), ("text", texts, true)]).unwrap()
}

/// Writes an Avro file with blocks of about `block_bytes`.
pub(crate) fn write(path: &Path, batch: &RecordBatch, block_bytes: usize) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let options = WriteOptions { codec: Codec::Null, block_bytes, ..WriteOptions::default() };
    let batches = RecordBatchIterator::new([Ok(batch.clone())], batch.schema());
    write_avro(batches, path, &options).unwrap();
}

/// Writes a Parquet file.
pub(crate) fn write_parquet(path: &Path, batch: &RecordBatch) {
    let file = std::fs::File::create(path).unwrap();
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

/// The result of a query as lines of cells.
pub(crate) async fn query(context: &SessionContext, sql: &str) -> Result<Vec<String>> {
    let batches = context.sql(sql).await?.collect().await?;
    let table = pretty_format_batches(&batches)?.to_string();
    let lines = table.lines().filter(|line| line.starts_with('|')).skip(1);
    let cells = |line: &str| {
        line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>().join(" ").trim_end().to_owned()
    };
    Ok(lines.map(cells).collect())
}

/// The text of the plan that runs a query.
pub(crate) async fn plan(context: &SessionContext, sql: &str) -> String {
    let plan = context.sql(sql).await.unwrap().create_physical_plan().await.unwrap();
    datafusion::physical_plan::displayable(plan.as_ref()).indent(false).to_string()
}

/// The line of a plan that reads files.
pub(crate) async fn scan(context: &SessionContext, sql: &str) -> String {
    let plan = plan(context, sql).await;
    let scans: Vec<&str> = plan.lines().filter(|line| line.contains("DataSourceExec")).collect();
    assert_eq!(scans.len(), 1, "{plan}");
    scans[0].trim().to_owned()
}
