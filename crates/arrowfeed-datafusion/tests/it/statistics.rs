use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrowfeed::arrow::array::{ArrayRef, Float64Array, RecordBatch};
use arrowfeed::parquet::ParquetOptions;
use arrowfeed::source::io::FileSource;
use arrowfeed_datafusion::{ArrowfeedFormat, ArrowfeedTable};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::stats::Precision;
use datafusion::datasource::listing::ListingOptions;
use datafusion::error::Result;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};

use crate::support::{plan, query, rows, session, write_parquet};

#[tokio::test]
async fn parquet_footers_have_the_counts() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("a.parquet");
    write_parquet(&path, &rows(0, 100));
    let table = ArrowfeedTable::open(vec![path.into()], ParquetOptions::default()).await?;
    let context = session();
    context.register_table("t", Arc::new(table))?;
    assert!(!plan(&context, "SELECT count(*) FROM t").await.contains("DataSourceExec"));
    assert_eq!(query(&context, "SELECT count(*), (SELECT sum(id) FROM t) FROM t").await?, ["100 4950"]);
    Ok(())
}

/// Two Parquet files with whole numbers, text and floats, one of which is NaN.
fn two_parquet_files(directory: &Path) -> Vec<PathBuf> {
    [("a.parquet", 0), ("b.parquet", 50)]
        .map(|(name, first)| {
            let path = directory.join(name);
            let rows = rows(first, 50);
            let floats = (0..50).map(|n| if n == 7 { f64::NAN } else { f64::from(n) - 20.0 });
            let floats: ArrayRef = Arc::new(Float64Array::from_iter_values(floats));
            let columns = [("id", rows.column(0).clone()), ("text", rows.column(1).clone()), ("x", floats)];
            write_parquet(&path, &RecordBatch::try_from_iter(columns).unwrap());
            path
        })
        .into()
}

#[tokio::test]
async fn parquet_footers_have_the_bounds_of_columns() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let files = two_parquet_files(directory.path());
    let options = ParquetOptions::default();
    let [context, reading] = [session(), session()];
    reading.sql("SET datafusion.execution.collect_statistics = false").await?;
    for context in [&context, &reading] {
        let table =
            ArrowfeedTable::open(files.iter().map(FileSource::from).collect(), options.clone()).await?;
        context.register_table("t", Arc::new(table))?;
        let path = directory.path().display();
        let create = format!("CREATE EXTERNAL TABLE listed STORED AS ARROWFEED_PARQUET LOCATION '{path}/'");
        context.sql(&create).await?;
    }
    for (columns, is_known) in [
        ("min(id), max(id), count(id)", true),
        ("min(text), max(text), count(text)", true),
        ("count(x)", true),
        // DataFusion orders NaN after all numbers.
        ("max(x)", false),
        ("min(x)", false),
    ] {
        for table in ["t", "listed"] {
            let sql = format!("SELECT {columns} FROM {table}");
            assert_eq!(query(&context, &sql).await?, query(&reading, &sql).await?, "{sql}");
            assert_eq!(!plan(&context, &sql).await.contains("DataSourceExec"), is_known, "{sql}");
            assert!(plan(&reading, &sql).await.contains("DataSourceExec"), "{sql}");
        }
    }
    assert_eq!(query(&context, "SELECT min(id), max(id), count(text) FROM t").await?, ["0 99 85"]);
    assert_eq!(query(&context, "SELECT max(id) FROM t WHERE id < 50").await?, ["49"]);
    assert_eq!(query(&context, "SELECT max(x) FROM t").await?, ["NaN"]);
    Ok(())
}

#[tokio::test]
async fn a_listing_table_has_the_bounds_of_its_files() -> Result<()> {
    let directory = tempfile::tempdir()?;
    two_parquet_files(directory.path());
    let context = session();
    let format = ArrowfeedFormat::new(ParquetOptions::default());
    let options = ListingOptions::new(Arc::new(format)).with_file_extension(".parquet");
    context.register_listing_table("t", directory.path().display().to_string(), options, None, None).await?;
    let sql = "SELECT min(id), max(id), count(text) FROM t";
    assert_eq!(query(&context, sql).await?, ["0 99 85"]);
    assert!(!plan(&context, sql).await.contains("DataSourceExec"));
    assert_eq!(query(&context, "SELECT max(x) FROM t").await?, ["NaN"]);
    for (filter, rows) in [
        ("", Precision::Exact(100)),
        ("WHERE id < 50", Precision::Inexact(100)),
        // DataFusion evaluates this filter too.
        ("WHERE x > 1.5", Precision::Inexact(100)),
    ] {
        let plan = context.sql(&format!("SELECT id FROM t {filter}")).await?.create_physical_plan().await?;
        let statistics = StatisticsContext::default().compute(leaf(&plan), &StatisticsArgs::new())?;
        assert_eq!(statistics.num_rows, rows, "{filter}");
    }
    Ok(())
}

/// The scan of a plan.
fn leaf(plan: &Arc<dyn ExecutionPlan>) -> &dyn ExecutionPlan {
    plan.children().first().map_or(plan.as_ref(), |child| leaf(child))
}

#[tokio::test]
async fn a_file_without_rows_has_no_bounds() -> Result<()> {
    let directory = tempfile::tempdir()?;
    for (place, count) in [("dt=2026-01-01", 10), ("dt=2026-01-03", 0)] {
        std::fs::create_dir(directory.path().join(place))?;
        write_parquet(&directory.path().join(place).join("a.parquet"), &rows(0, count));
    }
    let (context, location) = (session(), directory.path().display());
    let create = format!(
        "CREATE EXTERNAL TABLE t STORED AS ARROWFEED_PARQUET LOCATION '{location}' OPTIONS (file_column 'path')"
    );
    context.sql(&create).await?;
    let sql = "SELECT max(dt), max(path), max(id), count(*) FROM t";
    let expected = format!("2026-01-01 {location}/dt=2026-01-01/a.parquet 9 10");
    assert_eq!(query(&context, sql).await?, [expected]);
    assert!(!plan(&context, sql).await.contains("DataSourceExec"));

    let format = ArrowfeedFormat::new(ParquetOptions::default());
    let options = ListingOptions::new(Arc::new(format))
        .with_file_extension(".parquet")
        .with_table_partition_cols(vec![("dt".to_owned(), DataType::Utf8)]);
    context.register_listing_table("listed", location.to_string(), options, None, None).await?;
    assert_eq!(query(&context, "SELECT max(dt), max(id), count(*) FROM listed").await?, ["2026-01-01 9 10"]);
    Ok(())
}
