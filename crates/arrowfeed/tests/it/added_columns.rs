//! Tests of columns that are not stored in files: every row has the values of its file and its number in the file, in
//! whatever order and by whatever way it is read.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Int64Type};
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use arrowfeed::avro::{AvroFormat, AvroOptions};
use arrowfeed::source::run::{AddedColumns, FileColumn, FileSet, RangeOptions, ReadOptions};
use arrowfeed::source::{FeedErrorKind, OnError};
use arrowfeed::{Dataset, DatasetOptions, FeedError, IterationOptions, Partitioning, RowOptions};
use proptest::prelude::*;

use crate::faults::with_a_wrong_chunk;
use crate::files::{Directory, Format, file_formats, file_set, formats, numbers, write_as};

const ADDED: [&str; 3] = ["part", "path", "row"];

/// The value of a file in the column `part`; null for every third file.
fn part(file: usize) -> Option<i64> {
    (!file.is_multiple_of(3)).then_some(file as i64 * 10)
}

/// Files with the columns `part`, `path` and `row`.
fn with_columns(paths: &[PathBuf]) -> FileSet {
    let values: ArrayRef = Arc::new((0..paths.len()).map(part).collect::<Int64Array>());
    let added = AddedColumns {
        of_files: vec![FileColumn {
            field: Arc::new(Field::new("part", DataType::Int64, true)),
            values,
            stored: None,
        }],
        file: Some("path".to_owned()),
        row: Some("row".to_owned()),
        order: None,
    };
    file_set(paths).with_added_columns(added).unwrap()
}

fn dataset(paths: &[PathBuf]) -> Dataset {
    Dataset::open(with_columns(paths), DatasetOptions::default()).unwrap()
}

/// What the added columns should have, by the number of a row among those of all files.
struct Expected {
    names: Vec<String>,
    /// Number of rows of each file.
    rows: Vec<usize>,
}

impl Expected {
    fn of(paths: &[PathBuf], rows: &[usize]) -> Self {
        Self { names: paths.iter().map(|path| path.display().to_string()).collect(), rows: rows.to_vec() }
    }

    /// The file of a row, and its number in the file.
    fn place(&self, mut number: i64) -> (usize, i64) {
        for (file, rows) in self.rows.iter().enumerate() {
            if number < *rows as i64 {
                return (file, number);
            }
            number -= *rows as i64;
        }
        panic!("expected a row of the files, found one {number} rows after them");
    }

    /// Checks the columns of the batches, and returns the numbers of their rows among those of all files.
    fn check<E: std::fmt::Debug>(
        &self,
        batches: impl IntoIterator<Item = Result<RecordBatch, E>>,
    ) -> Vec<i64> {
        let check = |batch: Result<RecordBatch, E>| self.check_batch(&batch.unwrap());
        batches.into_iter().flat_map(check).collect()
    }

    fn check_batch(&self, batch: &RecordBatch) -> Vec<i64> {
        let found = numbers(batch);
        let parts = batch.column(3).as_primitive::<Int64Type>();
        let (paths, rows) = (batch.column(4).as_string::<i32>(), batch.column(5).as_primitive::<Int64Type>());
        for (at, number) in found.iter().enumerate() {
            let (file, row) = self.place(*number);
            assert_eq!(parts.is_valid(at).then(|| parts.value(at)), part(file));
            assert_eq!((paths.value(at), rows.value(at)), (self.names[file].as_str(), row));
        }
        found
    }
}

proptest! {
    #![proptest_config(crate::random_config::config(60))]

    #[test]
    fn rows_pass_by_the_values_of_their_file_and_their_number(
        format in formats(),
        rows in proptest::collection::vec(0_usize..200, 1..6),
        chunk_bytes in prop_oneof![Just(40_usize), Just(300), Just(64_000)],
        (least_part, most_row) in (-5_i64..60, 0_i64..200),
        is_projected: bool,
        shards in 1_u64..3,
        shuffle_buffer_size in prop_oneof![Just(0_usize), 1_usize..200],
        threads in prop_oneof![Just(1_usize), Just(2), Just(8)],
    ) {
        let directory = Directory::new();
        let paths = write_as(format, &directory, &rows, chunk_bytes);
        let files = Expected::of(&paths, &rows);
        let passes = |number: &i64| {
            let (file, row) = files.place(*number);
            part(file).is_some_and(|part| part >= least_part) && row <= most_row && *number != 3
        };
        let expected: Vec<i64> = (0..rows.iter().sum::<usize>() as i64).filter(passes).collect();
        let predicate = format!("part >= {least_part} and row <= {most_row} and id != 3").parse().unwrap();
        let mut filtered = dataset(&paths).filter(&predicate).unwrap();
        if is_projected {
            filtered = filtered.project(&["id"]).unwrap();
        }
        let mut found = Vec::new();
        for index in 0..shards {
            let options = IterationOptions {
                batch_size: 17, shuffle_buffer_size, shard: (index, shards), seed: Some(1),
                threads: NonZeroUsize::new(threads), ..Default::default()
            };
            let batches = filtered.record_batches(options).unwrap();
            if is_projected {
                let ids = batches.map(|batch| {
                    let batch = batch.unwrap();
                    let ids = |array: &ArrayRef| array.as_primitive::<Int64Type>().values().to_vec();
                    match batch.column(0).as_list_opt::<i64>() {
                        Some(lists) => lists.iter().flat_map(|list| ids(&list.unwrap())).collect(),
                        None => ids(batch.column(0)),
                    }
                });
                found.extend(ids.flatten());
            } else {
                found.extend(files.check(batches));
            }
        }
        found.sort_unstable();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn every_row_has_the_values_of_its_file_and_its_number(
        format in formats(),
        rows in proptest::collection::vec(0_usize..200, 1..6),
        chunk_bytes in prop_oneof![Just(40_usize), Just(300), Just(64_000)],
        batch_size in 1_usize..90,
        shuffle_buffer_size in prop_oneof![Just(0_usize), 1_usize..200],
        shard in prop_oneof![Just((0_u64, 1_u64)), Just((1, 3))],
        threads in prop_oneof![Just(1_usize), Just(2), Just(8)],
        on_error in prop_oneof![Just(OnError::Raise), Just(OnError::SkipBlock), Just(OnError::SkipFile)],
        numbers in proptest::collection::vec(any::<u64>(), 0..30),
    ) {
        let directory = Directory::new();
        let paths = write_as(format, &directory, &rows, chunk_bytes);
        let (dataset, expected) = (dataset(&paths), Expected::of(&paths, &rows));
        let options = IterationOptions {
            batch_size, shuffle_buffer_size, shard, on_error, seed: Some(1),
            threads: NonZeroUsize::new(threads),
            ..Default::default()
        };
        let found = expected.check(dataset.record_batches(options.clone()).unwrap());
        let total = rows.iter().sum::<usize>() as u64;
        if shard == (0, 1) {
            let mut sorted = found.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..total as i64).collect::<Vec<_>>());
        }
        let mut passed = dataset.record_batches(options.clone()).unwrap();
        let first = passed.next().transpose().unwrap().map_or(0, |batch| batch.num_rows());
        let mut resumed = dataset.record_batches(options).unwrap();
        resumed.load_state(&passed.state().unwrap()).unwrap();
        prop_assert_eq!(expected.check(resumed), &found[first..]);
        if total > 0 {
            let reader = dataset.row_reader(1000).unwrap();
            let numbers: Vec<i64> = numbers.iter().map(|number| (number % total) as i64).collect();
            let batch = reader.rows(&numbers, &RowOptions::default()).unwrap();
            prop_assert_eq!(expected.check_batch(&batch), numbers);
        }
    }

    #[test]
    fn rows_of_a_reader_have_their_numbers(
        format in file_formats(),
        rows in proptest::collection::vec(0_usize..200, 1..4),
        chunk_bytes in prop_oneof![Just(40_usize), Just(64_000)],
        batch_size in 1_usize..50,
        threads in 1_usize..4,
    ) {
        let directory = Directory::new();
        let paths = write_as(format, &directory, &rows, chunk_bytes);
        let options =
            ReadOptions { batch_size: Some(batch_size), threads: NonZeroUsize::new(threads), ..Default::default() };
        let reader = with_columns(&paths).read_files(options).unwrap();
        prop_assert!(reader.schema().fields().iter().skip(3).map(|field| field.name()).eq(ADDED));
        let total = rows.iter().sum::<usize>() as i64;
        prop_assert_eq!(Expected::of(&paths, &rows).check(reader), (0..total).collect::<Vec<_>>());
    }

    #[test]
    fn rows_of_splits_have_their_numbers(
        format in file_formats(),
        rows in proptest::collection::vec(0_usize..200, 1..4),
        chunk_bytes in prop_oneof![Just(40_usize), Just(300)],
        target_bytes in 200_u64..3000,
        on_error in prop_oneof![Just(OnError::Raise), Just(OnError::SkipBlock)],
    ) {
        let directory = Directory::new();
        let paths = write_as(format, &directory, &rows, chunk_bytes);
        let (dataset, expected) = (dataset(&paths), Expected::of(&paths, &rows));
        let mut found = Vec::new();
        for split in dataset.plan_splits(target_bytes, None).unwrap() {
            let options = RangeOptions { batch_size: Some(17), on_error, ..Default::default() };
            found.extend(expected.check(dataset.read_split(&split, None, options).unwrap()));
        }
        prop_assert_eq!(found, (0..rows.iter().sum::<usize>() as i64).collect::<Vec<_>>());
    }
}

#[test]
fn rows_of_skipped_blocks_count() {
    for format in Format::ALL {
        let directory = Directory::new();
        let paths = with_a_wrong_chunk(format, &directory);
        let dataset = dataset(&paths);
        let read = |threads, shuffle_buffer_size| {
            let options = IterationOptions {
                batch_size: 17,
                shuffle_buffer_size,
                seed: Some(2),
                on_error: OnError::SkipBlock,
                threads: NonZeroUsize::new(threads),
                ..Default::default()
            };
            let mut batches = dataset.record_batches(options).unwrap();
            let mut rows = Vec::new();
            for batch in batches.by_ref() {
                let batch = batch.unwrap();
                let row = batch.column(5).as_primitive::<Int64Type>().values();
                rows.extend(numbers(&batch).into_iter().zip(row.iter().copied()));
            }
            rows.sort_unstable();
            (rows, batches.report())
        };
        let (rows, report) = read(1, 0);
        assert!(rows.len() > 150 && rows.len() < 300, "{format:?}");
        // The rows of a block with wrong framing are unknown.
        let declared = report.skipped.iter().all(|skipped| skipped.rows.is_some());
        for (number, row) in rows.iter().copied() {
            let file = number / 100;
            assert!(row == number % 100 || (!declared && file == 1 && row <= number % 100), "{format:?}");
        }
        for (threads, shuffle_buffer_size) in [(2, 0), (8, 0), (1, 50), (2, 50)] {
            assert_eq!(read(threads, shuffle_buffer_size).0, rows, "{format:?}");
        }
    }
}

#[test]
fn added_columns_are_selected_like_others() {
    for format in Format::ALL {
        let directory = Directory::new();
        let paths = write_as(format, &directory, &[20, 30], 100);
        let files = with_columns(&paths);
        let names = |files: &FileSet| -> Vec<String> {
            files.schema().fields().iter().map(|field| field.name().clone()).collect()
        };
        for (columns, expected) in [
            (&["row", "id", "row", "part"][..], &["row", "id", "part"][..]),
            (&["path"], &["path"]),
            (&["part", "text", "['row']", "id"], &["part", "text", "row", "id"]),
            (&["id"], &["id"]),
        ] {
            let columns: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
            let selected = files.with_columns(&columns).unwrap();
            assert_eq!(names(&selected), expected, "{format:?}");
            let dataset = Dataset::open(selected, DatasetOptions::default()).unwrap();
            let batches = dataset.record_batches(IterationOptions::default()).unwrap();
            let batches: Vec<RecordBatch> = batches.map(Result::unwrap).collect();
            assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 50, "{format:?}");
            for batch in batches {
                assert_eq!(&batch.schema(), dataset.arrow_schema());
                if let Some(rows) = batch.column_by_name("row") {
                    let whole: Vec<i64> = (0..20).chain(0..30).collect();
                    assert_eq!(rows.as_primitive::<Int64Type>().values()[..], whole);
                }
            }
            let all = ["part", "path", "row"].map(str::to_owned);
            assert_eq!(names(&files.with_columns(&all).unwrap()), ADDED);
        }
        let tensors = Dataset::open(files, DatasetOptions::default()).unwrap().project(&["row", "path"]);
        assert_eq!(names_of(&tensors.unwrap()), ["row", "path"], "{format:?}");
    }
}

fn names_of(dataset: &Dataset) -> Vec<String> {
    dataset.arrow_schema().fields().iter().map(|field| field.name().clone()).collect()
}

fn avro(directory: &Directory, rows: &[usize]) -> FileSet {
    let paths = write_as(Format::Avro, directory, rows, 100);
    AvroFormat::files(paths, AvroOptions::default(), None).unwrap()
}

#[test]
fn names_of_other_columns_are_refused() {
    let directory = Directory::local();
    let files = avro(&directory, &[3]);
    let refused = |added: AddedColumns| {
        let error = files.clone().with_added_columns(added).unwrap_err();
        (error.kind(), error.to_string())
    };
    let message = |argument, name| {
        let text = format!("{argument}: expected a name that no other column has, found \"{name}\"");
        (FeedErrorKind::Options, text)
    };
    let name = |name: &str| Some(name.to_owned());
    assert_eq!(
        refused(AddedColumns { file: name("text"), ..Default::default() }),
        message("file_column", "text")
    );
    assert_eq!(refused(AddedColumns { row: name("id"), ..Default::default() }), message("row_column", "id"));
    let both = AddedColumns { file: name("x"), row: name("x"), ..Default::default() };
    assert_eq!(refused(both), message("row_column", "x"));
}

#[test]
fn the_value_of_a_path_replaces_a_column_of_the_files() {
    let directory = Directory::local();
    let files = avro(&directory, &[3, 2]);
    let values: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
    let field = Arc::new(Field::new("text", DataType::Utf8, true));
    let added =
        AddedColumns { of_files: vec![FileColumn { field, values, stored: None }], ..Default::default() };
    let files = files.with_added_columns(added).unwrap();
    let dataset = Dataset::open(files.clone(), DatasetOptions::default()).unwrap();
    assert_eq!(names_of(&dataset), ["id", "list", "text"]);
    let batches = dataset.record_batches(IterationOptions::default()).unwrap();
    let texts: Vec<String> = batches
        .flat_map(|batch| {
            let batch = batch.unwrap();
            batch.column(2).as_string::<i32>().iter().map(|text| text.unwrap().to_owned()).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(texts, ["a", "a", "a", "b", "b"]);
    assert_eq!(files.with_columns(&["text".to_owned()]).unwrap().schema().fields().len(), 1);
}

#[test]
fn a_value_that_makes_a_batch_too_large_is_an_error() {
    let directory = Directory::local();
    let paths = write_as(Format::Avro, &directory, &[100], 100);
    let mut options = AvroOptions { columns: Some(vec!["id".to_owned()]), ..Default::default() };
    options.limits.batch_bytes = 2000;
    let files = AvroFormat::files(&paths, options, None).unwrap();
    let added = AddedColumns { file: Some("path".to_owned()), ..Default::default() };
    let files = files.with_added_columns(added).unwrap();
    let error = files.read_files(ReadOptions::default()).unwrap().next().unwrap().unwrap_err();
    assert_eq!((error.kind(), error.limit()), (FeedErrorKind::Limit, Some("batch_bytes")), "{error}");
}

/// Copies of a file in these directories.
fn partitioned(directory: &Directory, parts: &[&str]) -> FileSet {
    let file = &write_as(Format::Avro, directory, &[2], 100)[0];
    let copies = parts.iter().map(|part| {
        let path = directory.0.join(part);
        std::fs::create_dir_all(&path).unwrap();
        std::fs::copy(file, path.join("part.avro")).unwrap();
        path.join("part.avro")
    });
    AvroFormat::files(copies, AvroOptions::default(), None).unwrap()
}

#[test]
fn directories_are_columns() {
    let directory = Directory::local();
    let parts = ["n=1/c=d%20e", "n=-20", "c=__HIVE_DEFAULT_PARTITION__/n=03", "n=__HIVE_DEFAULT_PARTITION__"];
    let files = partitioned(&directory, &parts);
    let [FileColumn { field: n, values: numbers, .. }, FileColumn { field: c, values: texts, .. }] =
        &Partitioning::Hive.columns(&files).unwrap()[..]
    else {
        panic!("expected two columns")
    };
    assert_eq!((n.name().as_str(), c.name().as_str()), ("n", "c"));
    assert_eq!(
        numbers.as_primitive::<Int64Type>(),
        &Int64Array::from(vec![Some(1), Some(-20), Some(3), None])
    );
    assert_eq!(texts.as_string::<i32>(), &StringArray::from(vec![Some("d e"), None, None, None]));
}

#[test]
fn a_schema_gives_the_types_of_directories() {
    let directory = Directory::local();
    let files = partitioned(&directory, &["dt=2026-01-02/n=1", "n=x"]);
    let columns = |fields: Vec<Field>| -> Result<Vec<ArrayRef>, FeedError> {
        let columns = Partitioning::Schema(Arc::new(Schema::new(fields))).columns(&files)?;
        Ok(columns.into_iter().map(|column| column.values).collect())
    };
    let field = |name, data_type| Field::new(name, data_type, true);
    let found = columns(vec![field("missing", DataType::Int32), field("dt", DataType::Date32)]).unwrap();
    assert_eq!((found[0].len(), found[0].null_count()), (2, 2));
    let dates = found[1].as_primitive::<Date32Type>();
    assert_eq!(
        (dates.value_as_date(0).unwrap().to_string(), dates.is_null(1)),
        ("2026-01-02".to_owned(), true)
    );
    let error = columns(vec![field("n", DataType::Int64)]).unwrap_err();
    let path = directory.0.join("n=x/part.avro");
    let expected =
        format!("{}: n: expected a value of the type Int64 in the path, found \"x\"", path.display());
    assert_eq!((error.kind(), error.to_string()), (FeedErrorKind::Schema, expected));
    let error = columns(vec![Field::new_list("n", field("item", DataType::Int64), true)]).unwrap_err();
    let expected = "n: expected a type to which texts can be converted, found List(Int64)";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_file_whose_values_do_not_pass_is_not_opened() {
    let directory = Directory::local();
    let paths = write_as(Format::Avro, &directory, &[10, 10, 10, 10], 100);
    let files = Expected::of(&paths, &[10; 4]);
    let filtered = dataset(&paths).filter(&"part > 10".parse().unwrap()).unwrap();
    // The files 0 and 3 have no part, and file 1 has 10.
    for file in [1, 3] {
        std::fs::remove_file(&paths[file]).unwrap();
    }
    let found = files.check(filtered.record_batches(IterationOptions::default()).unwrap());
    assert_eq!(found, (20..30).collect::<Vec<_>>());
}
