//! Rust and SQL read the toy format.

use arrowfeed::arrow::array::cast::AsArray;
use arrowfeed::arrow::array::types::Int64Type;
use arrowfeed::formats::{Format, FormatOptions};
use arrowfeed_toy::ToyOptions;
use datafusion::prelude::SessionContext;

fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("a.toy"), "toy:one\ntoy:three\n").unwrap();
    std::fs::write(directory.path().join("b.toy"), "toy:\n").unwrap();
    directory
}

#[test]
fn rust_reads_the_format() {
    let directory = directory();
    let options = ToyOptions { upper: true, ..Default::default() };
    let clicks = arrowfeed::open(directory.path()).options(options);
    let batch = clicks.clone().filter("length > 3").unwrap().read().unwrap().next().unwrap().unwrap();
    assert_eq!(batch.column(0).as_string::<i32>().value(0), "THREE");

    let found = arrowfeed::open(directory.path().join("a.toy")).columns(["length"]).dataset().unwrap();
    let batches = found.record_batches(Default::default()).unwrap().map(Result::unwrap).collect::<Vec<_>>();
    assert_eq!(batches[0].column(0).as_primitive::<Int64Type>().values(), &[3, 5]);

    let error = FormatOptions::from_texts(Format::Toy, [("upper", "maybe")]).unwrap_err();
    assert_eq!(error.to_string(), "upper: expected true or false, found \"maybe\"");
}

#[tokio::test]
async fn sql_reads_the_format() {
    let (directory, context) = (directory(), SessionContext::new());
    arrowfeed_datafusion::register(&context).unwrap();
    let location = directory.path().display();
    let create = format!(
        "CREATE EXTERNAL TABLE t STORED AS ARROWFEED_TOY LOCATION '{location}' OPTIONS (upper 'true')"
    );
    context.sql(&create).await.unwrap();
    let query = context.sql("SELECT text FROM t WHERE length = 5").await.unwrap();
    let rows = query.collect().await.unwrap();
    assert_eq!(rows[0].column(0).as_string::<i32>().value(0), "THREE");
}
