//! Scans of Iceberg tables. `tests/engines/test_iceberg.py` compares them with pyiceberg.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema};
use arrowfeed::iceberg::IcebergScan;
use arrowfeed::source::io::FileSource;
use arrowfeed::source::run::{FileSet, ReadOptions};
use arrowfeed::{Dataset, DatasetOptions, FeedError, IterationOptions, Limits};
use arrowfeed_select::concat_batches;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use crate::files::Directory;

const ROWS: i64 = 100;

fn with_id(name: &str, data_type: DataType, id: i32) -> FieldRef {
    let metadata = [("PARQUET:field_id".to_owned(), id.to_string())].into();
    Arc::new(Field::new(name, data_type, true).with_metadata(metadata))
}

/// A file in row groups of 30 rows: `number` (1), `u.x` (4, 5), and `dropped` (9).
fn write(path: &Path) {
    let inner = Fields::from(vec![with_id("x", DataType::Int32, 5)]);
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS));
    let halves: ArrayRef = Arc::new(Int32Array::from_iter_values((0..100).map(|row| row / 2)));
    let inside: ArrayRef = Arc::new(StructArray::new(inner.clone(), vec![halves.clone()], None));
    let columns = [
        (with_id("u", DataType::Struct(inner), 4), inside),
        (with_id("dropped", DataType::Int32, 9), halves),
        (with_id("number", DataType::Int64, 1), numbers),
    ];
    let (fields, arrays): (Vec<FieldRef>, Vec<ArrayRef>) = columns.into_iter().unzip();
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(30)).build();
    let mut writer =
        ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// The table has renamed and moved the columns, added `new`, and made `u.y` longs.
const SCAN: &str = r#"{"snapshot-id": 7, "name-mapping": null, "columns": null,
    "schema": {"type": "struct", "schema-id": 2, "fields": [
        {"id": 1, "name": "id", "required": true, "type": "long"},
        {"id": 3, "name": "country", "required": true, "type": "string"},
        {"id": 8, "name": "new", "required": false, "type": "string"},
        {"id": 4, "name": "v", "required": false, "type": {"type": "struct", "fields": [
            {"id": 6, "name": "z", "required": false, "type": "double"},
            {"id": 5, "name": "y", "required": false, "type": "long"}]}}]},
    "files": [{"format": "parquet", "partition": {"3": "de"}}, {"format": "parquet", "partition": {"3": "fr"}}]}"#;

fn scan(paths: &[PathBuf], deleted: Vec<Vec<u64>>) -> Result<FileSet, FeedError> {
    let sources = paths.iter().map(FileSource::from).collect();
    IcebergScan::from_json(SCAN)?.files(sources, deleted, &Limits::default(), None)
}

fn paths(folder: &Path) -> Vec<PathBuf> {
    let paths = ["a.parquet", "b.parquet"].map(|name| folder.join(name));
    paths.iter().for_each(|path| write(path));
    paths.into()
}

fn read(files: FileSet) -> RecordBatch {
    let reader = files.read_files(ReadOptions::default()).unwrap();
    let batches: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
    concat_batches(&batches[0].schema(), &batches.iter().collect::<Vec<_>>()).unwrap()
}

fn ids(batch: &RecordBatch) -> Vec<i64> {
    batch.column_by_name("id").unwrap().as_primitive::<Int64Type>().values().to_vec()
}

#[test]
fn fields_are_matched_by_their_identifiers() {
    let folder = Directory::local();
    let files = scan(&paths(&folder.0), vec![Vec::new(), Vec::new()]).unwrap();
    let batch = read(files);
    let names: Vec<&str> = batch.schema_ref().fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(names, ["id", "country", "new", "v"]);
    assert_eq!(ids(&batch), (0..ROWS).chain(0..ROWS).collect::<Vec<_>>());
    let countries: StringArray = (0..200).map(|row| Some(if row < 100 { "de" } else { "fr" })).collect();
    assert_eq!(batch.column(1).as_string::<i32>(), &countries);
    assert_eq!(batch.column(2).null_count(), 200);
    let inside = batch.column(3).as_struct();
    assert_eq!(inside.column(0).null_count(), 200);
    assert_eq!(inside.column(1).as_primitive::<Int64Type>().value(99), 49);
}

#[test]
fn deleted_rows_are_left_out_of_every_order() {
    let folder = Directory::local();
    let paths = paths(&folder.0);
    // Positions in any order, twice, and after the last row.
    let deleted: Vec<u64> = vec![99, 0, 30, 29, 0, 100, u64::MAX];
    let kept: Vec<i64> = (0..ROWS).filter(|id| ![0, 29, 30, 99].contains(id)).collect();
    let files = scan(&paths, vec![deleted, Vec::new()]).unwrap();
    let expected: Vec<i64> = kept.iter().copied().chain(0..ROWS).collect();
    assert_eq!(ids(&read(files.clone())), expected);
    let dataset = Dataset::open(files, DatasetOptions::default()).unwrap();
    assert_eq!(dataset.num_rows().unwrap(), 196);
    assert_eq!(dataset.predicate(), None);
    assert!(dataset.explain().contains("snapshot 7 with schema 2"), "{}", dataset.explain());
    let filtered = dataset.filter(&"id < 31 and country = \"de\"".parse().unwrap()).unwrap();
    assert_eq!(filtered.num_rows().unwrap(), 28);
    for shuffle_buffer_size in [0, 50] {
        let seed = (shuffle_buffer_size > 0).then_some(3);
        let options = IterationOptions { batch_size: 17, shuffle_buffer_size, seed, ..Default::default() };
        let mut found: Vec<i64> =
            dataset.record_batches(options.clone()).unwrap().flat_map(|batch| ids(&batch.unwrap())).collect();
        found.sort_unstable();
        let mut sorted = expected.clone();
        sorted.sort_unstable();
        assert_eq!(found, sorted);
        let mut found: Vec<i64> =
            filtered.record_batches(options).unwrap().flat_map(|batch| ids(&batch.unwrap())).collect();
        found.sort_unstable();
        assert_eq!(found, (1..29).collect::<Vec<_>>());
    }
    let splits = dataset.plan_splits(100, None).unwrap();
    let of_split = |split| dataset.read_split(split, None, arrowfeed::source::run::RangeOptions::default());
    let of_splits =
        splits.iter().flat_map(|split| of_split(split).unwrap().map(|batch| ids(&batch.unwrap())));
    assert_eq!(of_splits.flatten().collect::<Vec<i64>>(), expected);
}

#[test]
fn states_of_other_snapshots_are_refused() {
    let folder = Directory::local();
    let paths = paths(&folder.0);
    let options = IterationOptions { batch_size: 10, ..Default::default() };
    let open = |text: &str| {
        let sources = paths.iter().map(FileSource::from).collect();
        let scan = IcebergScan::from_json(text).unwrap();
        let files = scan.files(sources, vec![Vec::new(); 2], &Limits::default(), None).unwrap();
        Dataset::open(files, DatasetOptions::default()).unwrap().record_batches(options.clone()).unwrap()
    };
    let state = open(SCAN).state().unwrap();
    assert!(open(SCAN).load_state(&state).is_ok());
    let error =
        open(&SCAN.replace("\"snapshot-id\": 7", "\"snapshot-id\": 8")).load_state(&state).unwrap_err();
    assert_eq!(
        error.to_string(),
        "state: expected snapshot 8 with schema 2, as requested, found snapshot 7 with schema 2"
    );
}

#[test]
fn what_is_not_a_scan_is_refused() {
    let folder = Directory::local();
    let paths = paths(&folder.0);
    let refusal = |from: &str, to: &str| {
        let text = SCAN.replace(from, to);
        let sources = paths.iter().map(FileSource::from).collect();
        let scan = IcebergScan::from_json(&text);
        let files = scan.and_then(|scan| scan.files(sources, vec![Vec::new(); 2], &Limits::default(), None));
        files.unwrap_err().to_string()
    };
    assert!(refusal(SCAN, "7").starts_with("expected the files of a scan in JSON: invalid type"));
    assert_eq!(
        refusal(", {\"format\": \"parquet\", \"partition\": {\"3\": \"fr\"}}", ""),
        "expected 1 file of the scan, found 2"
    );
    assert_eq!(refusal("\"fr\"", "3"), "country: expected a partition value of the type Utf8, found 3");
    let path = paths[0].display();
    let message = "expected a type that converts to \"Utf8\" without loss, found \"Int64\"";
    assert_eq!(
        refusal("\"id\", \"required\": true, \"type\": \"long\"", "\"id\", \"type\": \"string\""),
        format!("{path}: id: {message}")
    );
    assert_eq!(
        refusal("\"id\": 1, \"name\": \"id\"", "\"id\": 77, \"name\": \"id\""),
        format!("{path}: id: expected a field of type Int64, which may not be null, found none")
    );
}
