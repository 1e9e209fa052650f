use std::path::Path;
use std::sync::Arc;

use arrowfeed::arrow::array::{ArrayRef, Int32Array, RecordBatch};
use arrowfeed::avro::AvroOptions;
use arrowfeed_datafusion::ArrowfeedFormat;
use datafusion::arrow::datatypes::DataType;
use datafusion::datasource::listing::ListingOptions;
use datafusion::error::Result;
use datafusion::prelude::SessionContext;

use crate::support::{plan, query, rows, scan, session, write};

/// A session with the listing table `t` of a directory, whose files DataFusion lists.
async fn listed(directory: &Path, partition: Option<&str>) -> Result<SessionContext> {
    let context = session();
    let format = ArrowfeedFormat::new(AvroOptions { merge_schemas: true, ..Default::default() });
    let partitions = partition.map(|name| (name.to_owned(), DataType::Utf8)).into_iter().collect();
    let options = ListingOptions::new(Arc::new(format))
        .with_file_extension(".avro")
        .with_table_partition_cols(partitions);
    context.register_listing_table("t", format!("{}/", directory.display()), options, None, None).await?;
    Ok(context)
}

#[tokio::test]
async fn a_listing_table_has_partition_columns() -> Result<()> {
    let directory = tempfile::tempdir()?;
    write(&directory.path().join("c=de/a.avro"), &rows(0, 1000), 500);
    let context = listed(directory.path(), Some("c")).await?;
    assert_eq!(query(&context, "SELECT c, count(*), sum(id) FROM t GROUP BY c").await?, ["de 1000 499500"]);
    write(&directory.path().join("c=fr/a.avro"), &rows(1000, 1000), 500);
    // DataFusion caches the listing of a session.
    let context = listed(directory.path(), Some("c")).await?;
    let sums =
        query(&context, "SELECT c, count(id), sum(id) FROM t WHERE id >= 500 GROUP BY c ORDER BY c").await?;
    assert_eq!(sums, ["de 500 374750", "fr 1000 1499500"]);
    assert_eq!(query(&context, "SELECT count(text) FROM t WHERE c = 'fr'").await?, ["857"]);
    let limited = query(&context, "SELECT id, c FROM t WHERE id > 1500 LIMIT 2").await?;
    assert_eq!(limited, ["1501 fr", "1502 fr"]);
    Ok(())
}

#[tokio::test]
async fn filters_and_columns_are_pushed_into_the_files() -> Result<()> {
    let directory = tempfile::tempdir()?;
    write(&directory.path().join("a.avro"), &rows(0, 1000), 500);
    let context = listed(directory.path(), None).await?;
    let sql = "SELECT id FROM t WHERE id < 700 AND text IS NULL";
    let found = scan(&context, sql).await;
    assert!(found.ends_with("projection=[id], file_type=avro, filter=id < 700 and text is null"), "{found}");
    assert!(!plan(&context, sql).await.contains("FilterExec"));
    assert_eq!(query(&context, &format!("SELECT count(*) FROM ({sql})")).await?, ["100"]);
    let left = plan(&context, "SELECT id FROM t WHERE id < 700 AND text || 'x' > 'text 2'").await;
    assert!(left.contains("FilterExec: text@1 || x > text 2"), "{left}");
    assert!(left.contains("filter=id < 700"), "{left}");
    assert_eq!(query(&context, "SELECT id + 1 AS next FROM t WHERE text = 'text 41'").await?, ["42"]);
    Ok(())
}

#[tokio::test]
async fn files_of_other_schemas_are_converted() -> Result<()> {
    let directory = tempfile::tempdir()?;
    write(&directory.path().join("a.avro"), &rows(0, 10), 500);
    let ids: ArrayRef = Arc::new(Int32Array::from_iter_values(10..20));
    let narrow = RecordBatch::try_from_iter_with_nullable([("id", ids, false)])?;
    write(&directory.path().join("b.avro"), &narrow, 500);
    let context = listed(directory.path(), None).await?;
    assert_eq!(query(&context, "SELECT count(*), count(text), sum(id) FROM t").await?, ["20 8 190"]);
    // The filters compare columns that one file has in another type, or does not have.
    assert_eq!(query(&context, "SELECT count(*), sum(id) FROM t WHERE id BETWEEN 8 AND 11").await?, ["4 38"]);
    assert_eq!(query(&context, "SELECT id FROM t WHERE text IS NULL AND id > 5 AND id < 12").await?.len(), 3);
    assert_eq!(query(&context, "SELECT id FROM t WHERE text = 'text 3'").await?, ["3"]);
    Ok(())
}

#[tokio::test]
async fn text_is_parsed_as_the_types_of_the_table() -> Result<()> {
    let directory = tempfile::tempdir()?;
    for (name, text) in [
        ("a.csv", "zip,price\n01234,1.50\n"),
        ("b.csv", "price,zip\nfree,none\n"),
        ("a.jsonl", "{\"zip\": 1234, \"price\": 1.50}\n"),
        ("b.jsonl", "{\"zip\": \"none\", \"price\": \"free\"}\n"),
    ] {
        std::fs::write(directory.path().join(name), text)?;
    }
    for (name, extension, row) in
        [("ARROWFEED_CSV", "csv", "01234 1.50"), ("ARROWFEED_JSONL", "jsonl", "1234 1.50")]
    {
        let (context, location) = (session(), directory.path().display());
        let create = format!("CREATE EXTERNAL TABLE fixed STORED AS {name} LOCATION '{location}'");
        context.sql(&create).await?;
        let format = context.state().get_file_format_factory(name).expect("the format").default();
        let options = ListingOptions::new(format).with_file_extension(format!(".{extension}"));
        context.register_listing_table("listed", format!("{location}/"), options, None, None).await?;
        for table in ["fixed", "listed"] {
            let sql = format!("SELECT zip, price FROM {table} WHERE price = '1.50'");
            assert_eq!(query(&context, &sql).await?, [row], "{name} {table}");
            let sql = format!("SELECT count(*) FROM {table} WHERE zip = 'none'");
            assert_eq!(query(&context, &sql).await?, ["1"], "{name} {table}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_format_is_registered_by_its_name() -> Result<()> {
    let context = session();
    let state = context.state();
    let factory = state.get_file_format_factory("ARROWFEED_AVRO").expect("the format");
    let format = factory.create(&state, &Default::default())?;
    assert_eq!(format.get_ext(), "avro");
    let options = [("format.on_error".to_owned(), "never".to_owned())].into();
    let error = factory.create(&state, &options).unwrap_err();
    let message = "External error: on_error: expected one of raise, skip_block, skip_file, found \"never\"";
    assert_eq!(error.to_string(), message);
    Ok(())
}
