use std::ffi::c_char;
use std::ptr;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::Int64Type;
use arrow_array::{Int64Array, RecordBatch};
use arrow_schema::Schema;
use arrowfeed::ReadOptions;
use arrowfeed::avro::{AvroFormat, AvroOptions, WriteOptions, write_avro};
use arrowfeed_c::*;
use serde_json::{Value, json};

use crate::support::*;

fn reference() -> Vec<RecordBatch> {
    let reader = AvroFormat::read([example()], AvroOptions::default(), ReadOptions::default()).unwrap();
    reader.map(Result::unwrap).collect()
}

#[test]
fn a_stream_has_the_schema_and_the_rows_of_the_file() {
    let dataset = open(&example_with(json!({}))).unwrap();
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the places are variables.
    called(|error| unsafe { arrowfeed_schema(dataset.0, &raw mut schema, error) }).unwrap();
    assert_eq!(Schema::try_from(&schema).unwrap(), *reference()[0].schema());
    assert_eq!(dataset.batches("{}"), reference());
    assert_eq!(dataset.rows(), 3);
}

#[test]
fn a_stream_outlives_its_dataset_and_ends_once() {
    let dataset = open(&example_with(json!({}))).unwrap();
    let mut stream = dataset.read("{\"batch_size\": 2}").unwrap();
    drop(dataset);
    let mut rows = Vec::new();
    for _ in 0..4 {
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: the stream is that of this library, and the place is a variable.
        assert_eq!(unsafe { stream.get_next.unwrap()(&raw mut stream, &raw mut array) }, 0);
        rows.push((!array.is_released()).then(|| array.len()));
    }
    assert_eq!(rows, [Some(2), Some(1), None, None]);
    // SAFETY: as above.
    assert!(unsafe { stream.get_last_error.unwrap()(&raw mut stream) }.is_null());
}

#[test]
fn columns_filters_and_rows_are_selected() {
    let ids = |options: Value| {
        let batches = open(&example_with(options)).unwrap().batches("{}");
        batches.iter().flat_map(|batch| batch["id"].as_primitive::<Int64Type>().values().to_vec()).collect()
    };
    let all: Vec<i64> = ids(json!({"columns": ["id"]}));
    assert_eq!(all.len(), 3);
    let some: Vec<i64> = ids(json!({"columns": ["id"], "filter": format!("id != {}", all[1])}));
    assert_eq!(some, [all[0], all[2]]);
    let some: Vec<i64> = ids(json!({"columns": ["id"], "skip": 1, "take": 1}));
    assert_eq!(some, [all[1]]);
}

#[test]
fn added_columns_follow_those_of_the_files() {
    let dataset =
        open(&example_with(json!({"file_column": "file", "row_column": "row", "columns": ["row", "id"]})));
    let batches = dataset.unwrap().batches("{}");
    let names: Vec<_> = batches[0].schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["row", "id", "file"]);
    assert_eq!(batches[0]["row"].as_primitive::<Int64Type>().values(), &[0, 1, 2]);
    // They come last if `columns` does not name them.
    let options = json!({"file_column": "file", "row_column": "row", "columns": ["id"]});
    let batches = open(&example_with(options)).unwrap().batches("{}");
    let names: Vec<_> = batches[0].schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["id", "file", "row"]);
}

#[test]
fn a_file_whose_directory_is_ruled_out_gives_no_format_and_no_schema() {
    let root = std::env::temp_dir().join(format!("arrowfeed-c-ruled-out-{}", std::process::id()));
    let files = [("dt=1", "a.dat", "no format"), ("dt=2", "a.jsonl", "{\"a\": 1}\n{\"a\": 2}\n")];
    let paths = files.map(|(directory, name, text)| {
        std::fs::create_dir_all(root.join(directory)).unwrap();
        let path = root.join(directory).join(name);
        std::fs::write(&path, text).unwrap();
        path
    });
    let options = json!({"paths": paths, "partitioning": "hive", "filter": "dt = 2 and a > 1"});
    let batches = open(&options.to_string()).unwrap().batches("{}");
    assert_eq!(batches[0]["a"].as_primitive::<Int64Type>().values(), &[2]);
    std::fs::remove_dir_all(root).unwrap();
}

#[test]
fn a_stream_resumes_from_its_state() {
    let options = "{\"batch_size\": 1, \"shuffle_buffer_size\": 10, \"seed\": 7, \"epochs\": 2}";
    let dataset = open(&example_with(json!({}))).unwrap();
    let whole = dataset.batches(options);
    assert_eq!(whole.len(), 6);
    let mut first = dataset.read(options).unwrap();
    for _ in 0..4 {
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: the stream is that of this library, and the place is a variable.
        assert_eq!(unsafe { first.get_next.unwrap()(&raw mut first, &raw mut array) }, 0);
    }
    let mut state = ptr::null_mut();
    // SAFETY: as above.
    called(|error| unsafe { arrowfeed_stream_state(&raw const first, &raw mut state, error) }).unwrap();
    let state = taken(state);
    let mut second = dataset.read(options).unwrap();
    // SAFETY: the text has this length.
    called(|error| unsafe {
        arrowfeed_stream_load_state(&raw mut second, state.as_ptr().cast(), state.len(), error)
    })
    .unwrap();
    assert_eq!(batches(second), whole[4..]);

    let mut other = dataset.read("{\"batch_size\": 1, \"seed\": 8, \"shuffle_buffer_size\": 10}").unwrap();
    // SAFETY: as above.
    let failure = called(|error| unsafe {
        arrowfeed_stream_load_state(&raw mut other, state.as_ptr().cast(), state.len(), error)
    });
    assert_eq!(failure.unwrap_err().kind, ErrorKind::State);
}

#[test]
fn splits_have_each_row_once() {
    let ids = Int64Array::from_iter_values(0..10_000);
    let batch = RecordBatch::try_from_iter([("id", Arc::new(ids) as _)]).unwrap();
    let file = TempFile::new("splits.avro", &[]);
    let schema = batch.schema();
    let batches_of = arrow_array::RecordBatchIterator::new([Ok(batch)], schema);
    write_avro(batches_of, &file.0, &WriteOptions { block_bytes: 4096, ..WriteOptions::default() }).unwrap();
    let dataset = file.open().unwrap();
    let mut splits = ptr::null_mut();
    // SAFETY: the places are variables.
    called(|error| unsafe { arrowfeed_plan_splits(dataset.0, 2000, ptr::null(), &raw mut splits, error) })
        .unwrap();
    let splits: Vec<Value> = serde_json::from_str(&taken(splits)).unwrap();
    assert!(splits.len() > 2, "{}", splits.len());
    let mut found = Vec::new();
    for split in &splits {
        let (split, mut stream) = (split.to_string(), FFI_ArrowArrayStream::empty());
        // SAFETY: the text has this length; the places are variables.
        called(|error| unsafe {
            let (text, len) = (split.as_ptr().cast(), split.len());
            arrowfeed_read_split(dataset.0, text, len, ptr::null(), 0, ptr::null(), &raw mut stream, error)
        })
        .unwrap();
        let mut state = ptr::null_mut();
        // SAFETY: as above.
        let failure =
            called(|error| unsafe { arrowfeed_stream_state(&raw const stream, &raw mut state, error) });
        assert_eq!(
            failure.unwrap_err().message,
            "stream: expected a stream of arrowfeed_read, found one of arrowfeed_read_split, which has no state"
        );
        found.extend(
            batches(stream)
                .iter()
                .flat_map(|batch| batch["id"].as_primitive::<Int64Type>().values().to_vec()),
        );
    }
    assert!(found.into_iter().eq(0..10_000));
}

#[test]
fn formats_are_found_in_the_file_or_in_its_name() {
    let lines = TempFile::new("rows.jsonl", b"{\"a\": 1}\n{\"a\": 2}\n");
    let cells = TempFile::new("rows.csv", b"a\n1\n2\n");
    let mut arrow = Vec::new();
    let batch = RecordBatch::try_from_iter([("a", Arc::new(Int64Array::from(vec![1, 2])) as _)]).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(&mut arrow, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    let arrow = TempFile::new("rows.any", &arrow);
    for file in [&lines, &cells, &arrow] {
        let batches = file.open().unwrap().batches("{}");
        assert_eq!(batches[0]["a"].as_primitive::<Int64Type>().values(), &[1, 2], "{}", file.0.display());
    }
    // A file has the same format as in `open_dataset` of Python.
    let tabs = TempFile::new("rows.tsv", b"a\tb\n1\t2\n");
    assert_eq!(tabs.open().unwrap().batches("{}")[0].num_columns(), 2);
    let unnamed = TempFile::new("rows", b"\n{\"a\": 1}\n");
    assert_eq!(unnamed.open().unwrap().rows(), 1);
    let unknown = TempFile::new("rows.dat", b"a,b\n");
    let name = unknown.0.display();
    let expected = format!(
        "{name}: expected the content of an Avro, Parquet, Arrow IPC, TFRecord or JSON lines file, or the name of a CSV \
         file, which ends with .csv or .tsv, found \"a,b\" at its start: give the format: avro, parquet, arrow, tfrecord, \
         jsonl, csv"
    );
    assert_eq!(unknown.open().err().unwrap().shown(), (ErrorKind::Format, expected));
    let given = open(
        &json!({"paths": [unknown.0], "format": "csv", "format_options": {"header": false}}).to_string(),
    );
    assert_eq!(given.unwrap().rows(), 1);
}

/// A file whose only block is damaged.
fn damaged(name: &str) -> TempFile {
    let mut bytes = std::fs::read(example()).unwrap();
    let middle = bytes.len() - 40;
    bytes[middle..].fill(0xff);
    TempFile::new(name, &bytes)
}

fn assert_skipped(report: *mut c_char, file: &TempFile) {
    let report: Value = serde_json::from_str(&taken(report)).unwrap();
    assert_eq!(report["rows"], 0);
    assert_eq!(report["skipped"].as_array().unwrap().len(), 1, "{report}");
    assert_eq!(report["skipped"][0]["path"], file.0.to_str().unwrap());
}

#[test]
fn a_report_counts_and_lists_skipped_parts() {
    let file = damaged("damaged-report.avro");
    let dataset = open(&json!({"paths": file.0, "columns": ["id"]}).to_string()).unwrap();
    let skipping = "{\"on_error\": \"skip_block\"}";
    let reported = || {
        let mut report = ptr::null_mut();
        // SAFETY: the places are variables.
        called(|error| unsafe { arrowfeed_report(dataset.0, &raw mut report, error) }).unwrap();
        report
    };
    let (mut tensors, mut batch) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: the text has this length; the places are variables; the stream is freed once.
    unsafe {
        let (text, len) = (skipping.as_ptr().cast(), skipping.len());
        called(|error| arrowfeed_tensors(dataset.0, text, len, ptr::null(), &raw mut tensors, error))
            .unwrap();
        called(|error| arrowfeed_tensor_stream_next(tensors, &raw mut batch, error)).unwrap();
        arrowfeed_tensor_stream_free(tensors);
    }
    assert!(batch.is_null());
    assert_skipped(reported(), &file);
    // The part is listed once.
    dataset.batches(skipping);
    assert_skipped(reported(), &file);
}

#[test]
fn a_stream_of_a_split_has_a_report() {
    let file = damaged("damaged-split.avro");
    let dataset = file.open().unwrap();
    let split = json!({"path": file.0, "start": 0, "end": u64::MAX}).to_string();
    let (options, mut stream) = ("{\"on_error\": \"skip_block\"}", FFI_ArrowArrayStream::empty());
    let (mut array, mut report) = (FFI_ArrowArray::empty(), ptr::null_mut());
    // SAFETY: the texts have these lengths; the places are variables.
    unsafe {
        called(|error| {
            let (split, split_len) = (split.as_ptr().cast(), split.len());
            let (options, len) = (options.as_ptr().cast(), options.len());
            arrowfeed_read_split(
                dataset.0,
                split,
                split_len,
                options,
                len,
                ptr::null(),
                &raw mut stream,
                error,
            )
        })
        .unwrap();
        assert_eq!(stream.get_next.unwrap()(&raw mut stream, &raw mut array), 0);
        called(|error| arrowfeed_stream_report(&raw const stream, &raw mut report, error)).unwrap();
    }
    assert!(array.is_released());
    assert_skipped(report, &file);
}
