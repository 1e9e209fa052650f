use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use arrowfeed::avro::{AvroFormat, AvroOptions};
use arrowfeed::source::OnError;
use arrowfeed::source::io::{ByteSource, FileSource, FileVersion};
use arrowfeed::source::run::AddedColumns;
use arrowfeed::text::JsonLinesOptions;
use arrowfeed::{FeedErrorKind, Partitioning};
use arrowfeed_datafusion::{ArrowfeedTable, feed_error};
use arrowfeed_source::thousands;
use datafusion::error::Result;
use datafusion::prelude::SessionContext;
use futures_util::StreamExt;

use crate::support::{plan, query, rows, scan, session, write};

/// A session with the table `t` of two files of 1000 rows.
async fn two_files(directory: &std::path::Path) -> Result<SessionContext> {
    let paths = [directory.join("a.avro"), directory.join("b.avro")];
    for (number, path) in paths.iter().enumerate() {
        write(path, &rows(1000 * number as i64, 1000), 500);
    }
    let context = session();
    let sources = paths.into_iter().map(FileSource::from).collect();
    let table = ArrowfeedTable::open(sources, AvroOptions::default()).await?;
    context.register_table("t", Arc::new(table))?;
    Ok(context)
}

#[tokio::test]
async fn a_plan_shows_columns_filter_limit_and_partitions() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let context = two_files(directory.path()).await?;
    assert_eq!(
        scan(&context, "SELECT id FROM t WHERE text IS NOT NULL AND id < 1500 LIMIT 3").await,
        "DataSourceExec: format=arrowfeed avro, 3 partitions of 0 files and 4 byte ranges, projection=[id], \
         filter=text is not null and id < 1500, limit=3"
    );
    let whole = plan(&context, "SELECT text FROM t WHERE text || 'x' > 'text 2'").await;
    assert!(whole.contains("FilterExec: "), "{whole}");
    assert!(whole.contains("projection=[text]\n"), "{whole}");
    Ok(())
}

#[tokio::test]
async fn each_row_is_in_one_partition() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let context = two_files(directory.path()).await?;
    let sums = query(&context, "SELECT count(id), sum(id), count(text), min(id), max(id) FROM t").await?;
    assert_eq!(sums, ["2000 1999000 1714 0 1999"]);
    let table = context.table("t").await?;
    let partitions = table.execute_stream_partitioned().await?;
    assert_eq!(partitions.len(), 3);
    for mut partition in partitions {
        assert!(partition.next().await.unwrap()?.num_rows() > 0);
    }
    Ok(())
}

#[tokio::test]
async fn counts_come_from_block_headers() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let context = two_files(directory.path()).await?;
    assert_eq!(query(&context, "SELECT count(*) FROM t").await?, ["2000"]);
    assert!(!plan(&context, "SELECT count(*) FROM t").await.contains("DataSourceExec"));
    assert_eq!(query(&context, "SELECT count(*) FROM t WHERE id % 2 = 0 AND id < 1000").await?, ["500"]);
    context.sql("SET datafusion.execution.collect_statistics = false").await?;
    // The rows were counted before.
    assert!(!plan(&context, "SELECT count(*) FROM t").await.contains("DataSourceExec"));
    Ok(())
}

#[tokio::test]
async fn a_limit_ends_the_reading() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let context = two_files(directory.path()).await?;
    let frame = context.sql("SELECT id FROM t LIMIT 5").await?;
    let task = Arc::new(frame.task_ctx());
    let plan = frame.create_physical_plan().await?;
    let batches = datafusion::physical_plan::collect(plan.clone(), task).await?;
    assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 5);
    let metrics = metrics(&plan);
    let scanned = metrics.sum_by_name("bytes_scanned").map_or(0, |bytes| bytes.as_usize());
    assert!(scanned > 0 && scanned < 10_000, "{metrics}");
    Ok(())
}

/// The metrics of the scan of a plan.
fn metrics(
    plan: &Arc<dyn datafusion::physical_plan::ExecutionPlan>,
) -> datafusion::physical_plan::metrics::MetricsSet {
    match plan.children().first() {
        Some(child) => metrics(child),
        None => plan.metrics().unwrap(),
    }
}

/// Counts reads, and lets only some of them pass until it is opened.
#[derive(Debug)]
struct Gate {
    reads: AtomicUsize,
    passing: AtomicUsize,
}

impl Gate {
    fn new(passing: usize) -> Arc<Self> {
        Arc::new(Self { reads: AtomicUsize::new(0), passing: AtomicUsize::new(passing) })
    }

    fn open(&self) {
        self.passing.store(usize::MAX, Ordering::SeqCst);
    }

    /// Waits at most ten seconds, so that a test which never opens the gate fails and does not hang.
    fn pass(&self) {
        let number = self.reads.fetch_add(1, Ordering::SeqCst);
        let begin = Instant::now();
        while number >= self.passing.load(Ordering::SeqCst) && begin.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// The number of reads after the last one.
    async fn last_read(&self) -> usize {
        let mut before = usize::MAX;
        while before != self.reads.load(Ordering::SeqCst) {
            before = self.reads.load(Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        before
    }
}

/// A source whose reads pass a gate.
#[derive(Debug)]
struct Gated {
    bytes: Vec<u8>,
    gate: Arc<Gate>,
}

impl ByteSource for Gated {
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        self.gate.pass();
        let rest = self.bytes.get(usize::try_from(offset).unwrap()..).unwrap_or(&[]);
        let len = rest.len().min(into.len());
        into[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }

    fn version(&self) -> io::Result<FileVersion> {
        Ok(FileVersion::new(self.bytes.len() as u64))
    }
}

#[tokio::test]
async fn a_stream_that_is_dropped_stops_the_reading() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("a.avro");
    write(&path, &rows(0, 400_000), 100_000);
    // The stream is dropped before its threads have read the file.
    let gate = Gate::new(8);
    let source = Gated { bytes: std::fs::read(&path)?, gate: gate.clone() };
    let source = FileSource::from_source("gated", source);
    let table = ArrowfeedTable::open(vec![source], AvroOptions::default()).await?;
    let context = session();
    context.sql("SET datafusion.execution.batch_size = 100").await?;
    context.register_table("t", Arc::new(table))?;
    let mut stream = context.sql("SELECT id FROM t").await?.execute_stream().await?;
    stream.next().await.unwrap()?;
    drop(stream);
    gate.open();
    let until_then = gate.last_read().await;
    gate.reads.store(0, Ordering::SeqCst);
    assert_eq!(query(&context, "SELECT count(id) FROM t WHERE id >= 0").await?, ["400000"]);
    let whole = gate.reads.load(Ordering::SeqCst);
    assert!(until_then * 2 < whole, "{until_then} of {whole} reads");
    Ok(())
}

#[tokio::test]
async fn a_statement_that_is_dropped_stops_the_reading() {
    let gate = Gate::new(10);
    let source = |number: usize| {
        let bytes = format!("{{\"id\": {number}}}\n").into();
        FileSource::from_source("gated", Gated { bytes, gate: gate.clone() })
    };
    let format = JsonLinesOptions::default();
    let opening = ArrowfeedTable::open((0..200).map(source).collect(), format);
    let started = async {
        while gate.reads.load(Ordering::SeqCst) == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::select! {
        table = opening => panic!("expected an opening that takes longer, found {table:?}"),
        () = started => {}
    }
    gate.open();
    let reads = gate.last_read().await;
    assert!((1..100).contains(&reads), "{reads} reads of 200 files");
}

#[tokio::test]
async fn rows_are_not_counted_for_a_query_with_a_limit() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let context = two_files(directory.path()).await?;
    assert_eq!(query(&context, "SELECT 1 FROM t LIMIT 1").await?, ["1"]);
    context.sql("SET datafusion.execution.collect_statistics = false").await?;
    assert!(plan(&context, "SELECT count(*) FROM t").await.contains("DataSourceExec"));
    Ok(())
}

#[tokio::test]
async fn partition_columns_leave_out_files() -> Result<()> {
    let directory = tempfile::tempdir()?;
    for (number, place) in
        ["dt=2026-01-01/c=de", "dt=2026-01-01/c=fr", "dt=2026-01-02/c=de"].iter().enumerate()
    {
        write(&directory.path().join(place).join("0.avro"), &rows(10 * number as i64, 10), 500);
    }
    let paths = arrowfeed::sources::resolve_below([directory.path()], "avro", None).unwrap();
    let files = AvroFormat::files(paths, AvroOptions::default(), None).unwrap();
    let of_files = Partitioning::Hive.columns(&files).unwrap();
    let added = AddedColumns { of_files, row: Some("row".to_owned()), ..AddedColumns::default() };
    let context = session();
    let table = ArrowfeedTable::new(files.with_added_columns(added).unwrap()).unwrap();
    context.register_table("t", Arc::new(table))?;
    let counts =
        query(&context, "SELECT dt, c, count(*), max(\"row\") FROM t GROUP BY dt, c ORDER BY dt, c").await?;
    assert_eq!(counts, ["2026-01-01 de 10 9", "2026-01-01 fr 10 9", "2026-01-02 de 10 9"]);
    let scan =
        scan(&context, "SELECT id FROM t WHERE dt = '2026-01-01' AND c IN ('fr', 'it') AND id > 13").await;
    assert_eq!(
        scan,
        "DataSourceExec: format=arrowfeed avro, 1 partitions of 1 files, projection=[id], filter=dt == \
         \"2026-01-01\" and (c == \"fr\" or c == \"it\") and id > 13"
    );
    let ids = query(&context, "SELECT id FROM t WHERE dt = '2026-01-02' AND \"row\" = 3").await?;
    assert_eq!(ids, ["23"]);
    assert_eq!(query(&context, "SELECT count(*) FROM t WHERE c = 'it'").await?, ["0"]);
    Ok(())
}

#[tokio::test]
async fn an_error_has_ours_inside() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("a.avro");
    write(&path, &rows(0, 1000), 500);
    let mut bytes = std::fs::read(&path)?;
    let middle = bytes.len() / 2;
    bytes[middle..middle + 40].fill(0xff);
    std::fs::write(&path, bytes)?;
    let open = || ArrowfeedTable::open(vec![path.clone().into()], AvroOptions::default());
    let context = session();
    context.register_table("t", Arc::new(open().await?))?;
    let error = query(&context, "SELECT sum(id), count(text) FROM t").await.unwrap_err();
    let found = feed_error(&error).expect("an error of arrowfeed");
    assert_eq!(found.kind(), FeedErrorKind::CorruptBlock);
    assert_eq!(found.location().path.as_deref(), path.to_str());
    assert_eq!(error.to_string(), format!("External error: {found}"));
    context.register_table("skipping", Arc::new(open().await?.with_on_error(OnError::SkipBlock)))?;
    let count: usize = query(&context, "SELECT count(id) FROM skipping").await?[0].parse().unwrap();
    assert!((800..1000).contains(&count), "{count}");
    Ok(())
}

#[tokio::test]
async fn a_file_that_changes_is_an_error() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let context = two_files(directory.path()).await?;
    query(&context, "SELECT sum(id) FROM t").await?;
    write(&directory.path().join("b.avro"), &rows(5, 10), 500);
    let error = query(&context, "SELECT sum(id) FROM t").await.unwrap_err();
    assert_eq!(feed_error(&error).map(arrowfeed::FeedError::kind), Some(FeedErrorKind::Changed), "{error}");
    Ok(())
}

#[tokio::test]
async fn a_file_that_grows_before_it_is_cut_is_an_error() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let context = two_files(directory.path()).await?;
    let path = directory.path().join("b.avro");
    let len = || std::fs::metadata(&path).map(|metadata| thousands(metadata.len()));
    let listed = len()?;
    write(&path, &rows(1000, 2000), 500);
    let error = query(&context, "SELECT sum(id) FROM t").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "External error: {}: expected the file to be unchanged since it was listed ({listed} bytes), found {} bytes",
            path.display(),
            len()?
        )
    );
    Ok(())
}

#[tokio::test]
async fn a_file_that_is_cut_is_skipped() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let context = two_files(directory.path()).await?;
    let path = directory.path().join("b.avro");
    let mut bytes = std::fs::read(&path)?;
    bytes[..4].fill(0);
    std::fs::write(&path, bytes)?;
    let sources = [directory.path().join("a.avro"), path].map(FileSource::from).into();
    let table = ArrowfeedTable::open(sources, AvroOptions::default()).await?;
    context.register_table("skipping", Arc::new(table.with_on_error(OnError::SkipFile)))?;
    let sql = "SELECT id FROM skipping";
    assert!(scan(&context, sql).await.contains("3 partitions of 0 files and 4 byte ranges"));
    assert_eq!(query(&context, &format!("SELECT count(id), max(id) FROM ({sql})")).await?, ["1000 999"]);
    Ok(())
}
