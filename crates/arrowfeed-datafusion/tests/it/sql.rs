use std::path::Path;

use arrowfeed_datafusion::sql_names;
use datafusion::error::{DataFusionError, Result};
use datafusion::prelude::SessionContext;

use crate::support::{query, rows, scan, session, write, write_parquet};

async fn create(context: &SessionContext, rest: impl AsRef<str>) -> Result<()> {
    let sql = format!("CREATE OR REPLACE EXTERNAL TABLE t {}", rest.as_ref());
    context.sql(&sql).await.map(drop)
}

fn directory_of(files: &[(&str, i64)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, first) in files {
        write(&directory.path().join(name), &rows(*first, 10), 500);
    }
    directory
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

#[tokio::test]
async fn directories_have_partition_columns() -> Result<()> {
    let directory = directory_of(&[("n=1/c=de/a.avro", 0), ("n=2/c=fr/a.avro", 10)]);
    let (context, location) = (session(), text(directory.path()));
    create(&context, format!("STORED AS ARROWFEED_AVRO LOCATION '{location}'")).await?;
    let rows = query(&context, "SELECT n, c, sum(id) FROM t GROUP BY n, c ORDER BY n").await?;
    assert_eq!(rows, ["1 de 45", "2 fr 145"]);

    create(&context, format!("STORED AS ARROWFEED_AVRO PARTITIONED BY (c) LOCATION '{location}'")).await?;
    assert_eq!(query(&context, "SELECT * FROM t WHERE id = 13").await?, ["13 text 13 fr"]);

    let typed = format!("STORED AS ARROWFEED_AVRO PARTITIONED BY (n TINYINT) LOCATION '{location}'");
    create(&context, &typed).await?;
    assert_eq!(query(&context, "SELECT arrow_typeof(n), n FROM t WHERE n = 2 LIMIT 1").await?, ["Int8 2"]);

    context.sql("SET datafusion.execution.listing_table_factory_infer_partitions = false").await?;
    create(&context, format!("STORED AS ARROWFEED_AVRO LOCATION '{location}'")).await?;
    assert_eq!(query(&context, "SELECT * FROM t WHERE id = 13").await?, ["13 text 13"]);

    let error =
        create(&context, format!("STORED AS ARROWFEED_AVRO PARTITIONED BY (dt) LOCATION '{location}'"));
    assert_eq!(
        error.await.unwrap_err().to_string(),
        "External error: expected directories dt=... for the partition column \"dt\", found none"
    );
    Ok(())
}

#[tokio::test]
async fn options_are_those_of_the_format() -> Result<()> {
    let directory = directory_of(&[("a.avro", 0)]);
    let (context, location) = (session(), text(&directory.path().join("a.avro")));
    let options =
        "OPTIONS (string_type 'utf8_view', file_column 'path', row_column 'row', on_error 'skip_file')";
    create(&context, format!("STORED AS ARROWFEED_AVRO LOCATION '{location}' {options}")).await?;
    let row = query(&context, "SELECT arrow_typeof(text), path, \"row\" FROM t WHERE id = 3").await?;
    assert_eq!(row, [format!("Utf8View {location} 3")]);

    for (options, message) in [
        (
            "nulls 'x'",
            "expected an option of ARROWFEED_AVRO (extension, file_column, merge_schemas, on_error, row_column, \
             double_as_float, encoding, fixed_lengths, max_batch_bytes, raw, reader_schema, string_type, unions, limits.* or \
             store.*), found \"nulls\"",
        ),
        ("on_error 'skip'", "on_error: expected one of raise, skip_block, skip_file, found \"skip\""),
        ("merge_schemas '1'", "merge_schemas: expected true or false, found \"1\""),
    ] {
        let error =
            create(&context, format!("STORED AS ARROWFEED_AVRO LOCATION '{location}' OPTIONS ({options})"));
        assert_eq!(error.await.unwrap_err().to_string(), format!("External error: {message}"));
    }
    let error = create(&context, format!("(id BIGINT) STORED AS ARROWFEED_AVRO LOCATION '{location}'"));
    assert_eq!(
        error.await.unwrap_err().to_string(),
        "External error: expected no column definitions for ARROWFEED_AVRO, whose files store their schema, found id"
    );
    let error = create(&context, "STORED AS ARROWFEED_AVRO LOCATION '/nowhere/a.avro'");
    let text = error.await.unwrap_err().to_string();
    assert_eq!(text, "External error: /nowhere/a.avro: No such file or directory (os error 2)");
    Ok(())
}

#[tokio::test]
async fn files_without_a_column_have_nulls() -> Result<()> {
    let directory = directory_of(&[("b.avro", 10)]);
    let old = rows(0, 10).project(&[0])?;
    write(&directory.path().join("a.avro"), &old, 500);
    let (context, location) = (session(), text(directory.path()));
    create(&context, format!("STORED AS ARROWFEED_AVRO LOCATION '{location}'")).await?;
    let rows = query(&context, "SELECT id, text FROM t WHERE id IN (9, 10) ORDER BY id").await?;
    assert_eq!(rows, ["9", "10 text 10"]);
    assert_eq!(query(&context, "SELECT count(*) FROM t WHERE text IS NULL").await?, ["11"]);
    assert_eq!(
        scan(&context, "SELECT id FROM t WHERE text LIKE 'text 1%'").await,
        "DataSourceExec: format=arrowfeed avro, 2 partitions of 2 files, projection=[id], filter=text starts with \
         \"text 1\""
    );
    Ok(())
}

#[tokio::test]
async fn all_formats_are_tables() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let (context, batch) = (session(), rows(0, 20));
    let path = |name: &str| directory.path().join(name);
    write(&path("t.avro"), &batch, 500);
    write_parquet(&path("t.parquet"), &batch);
    let mut ipc =
        arrow_ipc::writer::FileWriter::try_new(std::fs::File::create(path("t.arrow"))?, &batch.schema())?;
    ipc.write(&batch)?;
    ipc.finish()?;
    let lines: Vec<(i64, Option<String>)> =
        (0..20).map(|id| (id, (id % 7 != 0).then(|| format!("text {id}")))).collect();
    let csv: String =
        lines.iter().map(|(id, text)| format!("{id};{}\n", text.as_deref().unwrap_or(""))).collect();
    std::fs::write(path("t.csv"), format!("id;text\n{csv}"))?;
    let text = |text: &Option<String>| text.as_ref().map_or("null".to_owned(), |text| format!("{text:?}"));
    let json: String =
        lines.iter().map(|(id, t)| format!("{{\"id\":{id},\"text\":{}}}\n", text(t))).collect();
    std::fs::write(path("t.jsonl"), json)?;
    for (name, extension, options) in [
        ("ARROWFEED_AVRO", "avro", ""),
        ("ARROWFEED_PARQUET", "parquet", ""),
        ("ARROWFEED_ARROW", "arrow", ""),
        ("ARROWFEED_CSV", "csv", "OPTIONS (delimiter ';')"),
        ("ARROWFEED_JSONL", "jsonl", ""),
    ] {
        assert!(sql_names().contains(&name.to_owned()));
        let location = path(&format!("t.{extension}")).display().to_string();
        create(&context, format!("STORED AS {name} LOCATION '{location}' {options}")).await?;
        let sql = "SELECT count(*), count(id), count(text), sum(id) FROM t WHERE id >= 4 AND (text = 'text 5' OR id <> 9)";
        assert_eq!(query(&context, sql).await?, ["15 15 13 175"], "{name}");
        assert_eq!(query(&context, "SELECT count(*) FROM t").await?, ["20"], "{name}");
    }
    let defined = format!(
        "(text VARCHAR, id INT) STORED AS ARROWFEED_CSV LOCATION '{}' OPTIONS (delimiter ';')",
        path("t.csv").display()
    );
    create(&context, &defined).await?;
    assert_eq!(query(&context, "SELECT *, arrow_typeof(id) FROM t WHERE id = 8").await?, ["text 8 8 Int32"]);
    Ok(())
}

#[tokio::test]
async fn examples_of_tfrecord_are_lists() -> Result<()> {
    use arrowfeed::arrow::array::{LargeListArray, RecordBatch, types::Int64Type};
    use arrowfeed::tfrecord::ExampleWriter;

    let directory = tempfile::tempdir()?;
    let path = directory.path().join("a.tfrecord");
    let lists = [Some(vec![Some(1), Some(2)]), Some(vec![Some(3)]), None];
    let lists = LargeListArray::from_iter_primitive::<Int64Type, _, _>(lists);
    let batch = RecordBatch::try_from_iter([("x", std::sync::Arc::new(lists) as _)]).unwrap();
    let mut writer = ExampleWriter::create(&path, Default::default()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    let context = session();
    create(&context, format!("STORED AS ARROWFEED_TFRECORD LOCATION '{}'", path.display())).await?;
    assert_eq!(query(&context, "SELECT x FROM t WHERE x IS NOT NULL").await?, ["[1, 2]", "[3]"]);
    assert_eq!(query(&context, "SELECT count(*) FROM t WHERE x IS NULL").await?, ["1"]);
    Ok(())
}

#[tokio::test]
async fn raw_records_are_counted() -> Result<()> {
    use arrowfeed::text::CsvOptions;
    use arrowfeed::tfrecord::{Compression, RecordWriter};
    use arrowfeed_datafusion::ArrowfeedTable;

    let directory = tempfile::tempdir()?;
    let path = directory.path().join("a.tfrecord");
    let mut writer = RecordWriter::new(Vec::new(), Compression::None);
    for record in [b"first", b"other"] {
        writer.write(record).unwrap();
    }
    std::fs::write(&path, writer.finish().unwrap())?;
    let context = session();
    let location = path.display();
    create(&context, format!("STORED AS ARROWFEED_TFRECORD LOCATION '{location}' OPTIONS (format 'raw')"))
        .await?;
    let path = directory.path().join("a.csv");
    std::fs::write(&path, "a\n1\n2\n")?;
    let raw = CsvOptions { raw: true, ..CsvOptions::default() };
    let table = ArrowfeedTable::open(vec![path.into()], raw).await?;
    context.register_table("lines", std::sync::Arc::new(table))?;
    for table in ["t", "lines"] {
        assert_eq!(query(&context, &format!("SELECT count(*) FROM {table}")).await?, ["2"], "{table}");
        assert_eq!(query(&context, &format!("SELECT 1 FROM {table}")).await?, ["1", "1"], "{table}");
    }
    assert_eq!(query(&context, "SELECT count(record) FROM t").await?, ["2"]);
    Ok(())
}

#[tokio::test]
async fn csv_files_may_have_no_headers() -> Result<()> {
    let directory = tempfile::tempdir()?;
    for (name, rows) in [("a.csv", "1,x\n"), ("b.csv", "2,y\n")] {
        std::fs::write(directory.path().join(name), rows)?;
    }
    let (context, location) = (session(), text(directory.path()));
    let stored = format!("STORED AS ARROWFEED_CSV LOCATION '{location}'");
    create(&context, format!("(id INT, name VARCHAR) {stored} OPTIONS (header 'false')")).await?;
    assert_eq!(query(&context, "SELECT *, arrow_typeof(id) FROM t WHERE id = 2").await?, ["2 y Int32"]);
    create(&context, format!("{stored} OPTIONS (has_header 'false')")).await?;
    assert_eq!(query(&context, "SELECT column_2 FROM t WHERE column_1 = 1").await?, ["x"]);
    for (options, message) in [
        (
            "header 'false', merge_schemas 'true'",
            "expected files with headers that name their columns, because files may have different columns",
        ),
        (
            "head 'false'",
            "expected an option of ARROWFEED_CSV (extension, file_column, merge_schemas, on_error, row_column, chunk_bytes, \
             comment, decimal_comma, delimiter, escape, false_values, header, missing_columns, multivalent_columns, names, \
             nulls, quote, raw, sample, schema, secondary_delimiter, skip_blank_lines, skip_lines, true_values, types, limits.* or \
             store.*), found \"head\"",
        ),
    ] {
        let error = create(&context, format!("{stored} OPTIONS ({options})")).await.unwrap_err();
        assert_eq!(error.to_string(), format!("External error: {message}"));
    }
    Ok(())
}

#[tokio::test]
async fn locations_have_the_partition_columns_below() -> Result<()> {
    let directory = directory_of(&[("e=x/my table/c=de/a.avro", 0)]);
    let (context, root) = (session(), text(directory.path()));
    let columns = async |partitioned: &str, location: String| {
        create(&context, format!("STORED AS ARROWFEED_AVRO {partitioned} LOCATION '{location}'")).await?;
        let table = context.table("t").await?;
        let names = table.schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
        Ok::<_, DataFusionError>(names[2..].join(" "))
    };
    for location in [
        format!("{root}/e=x/my table"),
        format!("{root}/e=x/my table/*/*.avro"),
        format!("file://{root}/e=x/my%20table/"),
        format!("FILE://localhost{root}/e=x/my%20table"),
        format!("file://{root}/e=x/my%20table/c=*/a.avro"),
    ] {
        assert_eq!(columns("", location.clone()).await?, "c", "{location}");
    }
    assert_eq!(columns("", format!("{root}/*/my table/*/*.avro")).await?, "e c");
    assert_eq!(columns("", format!("{root}/e=x/my table/c=de/a.avro")).await?, "");
    // Those above are columns of a statement that names them.
    assert_eq!(columns("PARTITIONED BY (e)", format!("{root}/e=x/my table")).await?, "e");
    Ok(())
}
