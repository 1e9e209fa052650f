//! Tests of requested schemas: types that can and cannot be converted, and the location of errors.

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, MapBuilder, StringBuilder};
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, FixedSizeBinaryArray,
    FixedSizeListArray, Float32Array, Float64Array, Int32Array, Int64Array, LargeBinaryArray, LargeListArray,
    LargeStringArray, ListArray, MapArray, NullArray, RecordBatch, StringArray, StructArray,
    TimestampMicrosecondArray, TimestampMillisecondArray, UInt8Array, new_null_array,
};
use arrow_schema::{DataType, Field, Fields, Schema, TimeUnit};
use arrowfeed_parquet::ParquetOptions;
use arrowfeed_source::{FeedErrorKind, OnError};

use crate::support::{file, open, promise, read, whole};

/// A batch of nullable columns.
fn batch(columns: impl IntoIterator<Item = (&'static str, ArrayRef)>) -> RecordBatch {
    let columns = columns.into_iter().map(|(name, column)| (name, column, true));
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

fn field(name: &str, data_type: DataType) -> Field {
    Field::new(name, data_type, true)
}

fn large_list(item: DataType) -> DataType {
    DataType::LargeList(Arc::new(field("item", item)))
}

fn ints(values: impl IntoIterator<Item = Option<i32>>) -> ArrayRef {
    Arc::new(Int32Array::from_iter(values))
}

/// Writes a column and reads it as another type.
fn converted(column: ArrayRef, to: DataType) -> Result<ArrayRef, String> {
    let schema = Schema::new(vec![field("x", to)]);
    let bytes = file(&batch([("x", column)]), 4);
    let found = open([bytes], promise(schema)).and_then(|files| whole(files, 3, 1));
    found.map(|batch| batch.column(0).clone()).map_err(|error| error.to_string())
}

#[test]
fn values_become_those_of_the_promised_type() {
    let lists = |rows: [Option<Vec<Option<i32>>>; 3]| -> ArrayRef {
        Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(rows))
    };
    let large = |rows: [Option<Vec<Option<i64>>>; 3]| -> ArrayRef {
        Arc::new(LargeListArray::from_iter_primitive::<Int64Type, _, _>(rows))
    };
    let pairs = FixedSizeListArray::from_iter_primitive::<Int32Type, _, _>(
        [Some(vec![Some(1), None]), None, Some(vec![Some(3), Some(4)])],
        2,
    );
    let decimal = |values: Vec<Option<i128>>, precision, scale| -> ArrayRef {
        Arc::new(Decimal128Array::from(values).with_precision_and_scale(precision, scale).unwrap())
    };
    let cases: Vec<(ArrayRef, ArrayRef)> = vec![
        (ints([Some(1), None, Some(-3)]), Arc::new(Int64Array::from(vec![Some(1), None, Some(-3)]))),
        (Arc::new(Int64Array::from(vec![0, 255])), Arc::new(UInt8Array::from(vec![0, 255]))),
        (ints([Some(i32::MIN), Some(7)]), Arc::new(Float64Array::from(vec![f64::from(i32::MIN), 7.0]))),
        (
            Arc::new(Int64Array::from(vec![1 << 53, -9])),
            Arc::new(Float64Array::from(vec![9007199254740992.0, -9.0])),
        ),
        (
            Arc::new(Float64Array::from(vec![Some(-0.0), Some(4e15), None])),
            Arc::new(Int64Array::from(vec![Some(0), Some(4_000_000_000_000_000), None])),
        ),
        (
            Arc::new(Float32Array::from(vec![0.1, f32::NAN])),
            Arc::new(Float64Array::from(vec![f64::from(0.1_f32), f64::NAN])),
        ),
        (Arc::new(BooleanArray::from(vec![true, false])), Arc::new(Int64Array::from(vec![1, 0]))),
        (
            Arc::new(StringArray::from(vec![Some("ä"), None])),
            Arc::new(LargeStringArray::from(vec![Some("ä"), None])),
        ),
        (
            Arc::new(StringArray::from(vec!["ä", ""])),
            Arc::new(LargeBinaryArray::from(vec!["ä".as_bytes(), b""])),
        ),
        (Arc::new(BinaryArray::from(vec!["ä".as_bytes()])), Arc::new(StringArray::from(vec!["ä"]))),
        (
            Arc::new(FixedSizeBinaryArray::try_from_iter([b"ab", b"cd"].into_iter()).unwrap()),
            Arc::new(LargeBinaryArray::from(vec![&b"ab"[..], b"cd"])),
        ),
        (
            Arc::new(TimestampMillisecondArray::from(vec![-5])),
            Arc::new(TimestampMicrosecondArray::from(vec![-5_000])),
        ),
        (
            Arc::new(TimestampMicrosecondArray::from(vec![-5_000])),
            Arc::new(TimestampMillisecondArray::from(vec![-5])),
        ),
        (Arc::new(TimestampMicrosecondArray::from(vec![-5_001])), Arc::new(Int64Array::from(vec![-5_001]))),
        (Arc::new(Date32Array::from(vec![-1])), Arc::new(Int64Array::from(vec![-1]))),
        (decimal(vec![Some(-123), None], 5, 2), decimal(vec![Some(-12_300), None], 12, 4)),
        (decimal(vec![Some(-12_300)], 12, 4), decimal(vec![Some(-123)], 5, 2)),
        (decimal(vec![Some(12_300)], 12, 2), Arc::new(Int64Array::from(vec![123]))),
        (
            lists([Some(vec![Some(1), None]), None, Some(vec![])]),
            large([Some(vec![Some(1), None]), None, Some(vec![])]),
        ),
        (Arc::new(pairs.clone()), large([Some(vec![Some(1), None]), None, Some(vec![Some(3), Some(4)])])),
        (lists([Some(vec![Some(1), None]), None, Some(vec![Some(3), Some(4)])]), Arc::new(pairs)),
        // Scalars.
        (ints([Some(1), None, Some(3)]), large([Some(vec![Some(1)]), None, Some(vec![Some(3)])])),
        (Arc::new(NullArray::new(3)), large([None, None, None])),
    ];
    for (column, expected) in cases {
        let name = format!("{} to {}", column.data_type(), expected.data_type());
        let found =
            converted(column, expected.data_type().clone()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let same = match expected.data_type() {
            DataType::Float64 => format!("{found:?}") == format!("{expected:?}"),
            _ => found.as_ref() == expected.as_ref(),
        };
        assert!(same, "{name}: {found:?}");
    }
}

#[test]
fn types_that_do_not_convert_are_errors_of_the_call() {
    let cases: [(ArrayRef, DataType, &str); 8] = [
        (
            ints([None]),
            DataType::Utf8,
            r#"expected a type that converts to "Utf8" without loss, found "Int32""#,
        ),
        (
            Arc::new(Float64Array::from(vec![0.5])),
            DataType::Float32,
            r#"expected a type that converts to "Float32" without loss, found "Float64", which is rounded only with double_as_float"#,
        ),
        (
            Arc::new(StringArray::from(vec!["1"])),
            DataType::Int64,
            r#"expected a type that converts to "Int64" without loss, found "Utf8""#,
        ),
        (
            Arc::new(TimestampMicrosecondArray::from(vec![1]).with_timezone("UTC")),
            DataType::Timestamp(TimeUnit::Microsecond, None),
            r#"expected a type that converts to "Timestamp(µs)" without loss, found "Timestamp(µs, \"UTC\")""#,
        ),
        (
            Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1)])])),
            DataType::Int32,
            r#"expected a type that converts to "Int32" without loss, found "List(Int32)""#,
        ),
        // The outer list could wrap each item or the whole list.
        (
            Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1)])])),
            large_list(large_list(DataType::Int32)),
            r#"expected a type that converts to "LargeList(Int32)" without loss, found "Int32""#,
        ),
        (
            Arc::new(StringArray::from(vec!["a"])),
            DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
            r#"expected a type that converts to "Dictionary(Int32, Utf8)" without loss, found "Utf8": a batch has no dictionaries"#,
        ),
        (
            Arc::new(StructArray::from(vec![(Arc::new(field("a", DataType::Int32)), ints([Some(1)]))])),
            DataType::Int32,
            r#"expected a type that converts to "Int32" without loss, found "Struct(\"a\": Int32)""#,
        ),
    ];
    for (column, to, expected) in cases {
        assert_eq!(converted(column, to), Err(format!("a: x: {expected}")));
    }
    let inner = Fields::from(vec![Field::new("a", DataType::Utf8, true)]);
    let column = StructArray::from(vec![(Arc::new(field("a", DataType::Int32)), ints([Some(1)]))]);
    let found = converted(Arc::new(column), DataType::Struct(inner));
    let expected = r#"a: x.a: expected a type that converts to "Utf8" without loss, found "Int32""#;
    assert_eq!(found, Err(expected.to_owned()));
}

#[test]
fn values_that_do_not_fit_are_errors_of_their_row() {
    let texts: ArrayRef = Arc::new(BinaryArray::from(vec![&b"a"[..], b"\xff"]));
    let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>([
        Some(vec![Some(1)]),
        None,
        Some(vec![Some(2), Some(i64::MAX)]),
    ]));
    let cases: [(ArrayRef, DataType, &str); 9] = [
        (
            Arc::new(Int64Array::from(vec![1, 1 << 31])),
            DataType::Int32,
            "record 1: x: expected a value that Int32 can hold, found 2147483648",
        ),
        (
            Arc::new(Int64Array::from(vec![1, (1 << 53) + 1])),
            DataType::Float64,
            "record 1: x: expected a value that Float64 can hold, found 9007199254740993",
        ),
        (
            Arc::new(Float64Array::from(vec![1.0, 1.5])),
            DataType::Int64,
            "record 1: x: expected a value that Int64 can hold, found 1.5",
        ),
        (
            Arc::new(Float64Array::from(vec![f64::NAN])),
            DataType::Int64,
            "record 0: x: expected a value that Int64 can hold, found NaN",
        ),
        (texts, DataType::Utf8, r#"record 1: x: expected a value that Utf8 can hold, found "ff""#),
        (
            lists.clone(),
            large_list(DataType::Int32),
            "record 2: x: expected a value that Int32 can hold, found 9223372036854775807",
        ),
        (
            lists,
            DataType::FixedSizeList(Arc::new(field("item", DataType::Int64)), 1),
            "record 2: x: expected a list of 1 items, found 2",
        ),
        (
            Arc::new(TimestampMicrosecondArray::from(vec![1_000, 1_001])),
            DataType::Timestamp(TimeUnit::Millisecond, None),
            r#"record 1: x: expected a value that Timestamp(ms) can hold, found "1970-01-01T00:00:00.001001""#,
        ),
        (
            Arc::new(Decimal128Array::from(vec![150]).with_precision_and_scale(5, 2).unwrap()),
            DataType::Decimal128(5, 1),
            "",
        ),
    ];
    for (column, to, expected) in cases {
        if expected.is_empty() {
            assert!(converted(column, to).is_ok());
            continue;
        }
        let found = converted(column, to).unwrap_err();
        assert_eq!(found, format!("a: block 0 at byte 4, {expected}"));
    }
}

#[test]
fn rows_before_a_value_that_does_not_fit_come_first() {
    let ids = Int64Array::from_iter_values((0..100).map(|row| if row == 57 { 1 << 40 } else { row }));
    let schema = Schema::new(vec![field("id", DataType::Int32)]);
    for (batch_size, threads) in [(1, 1), (7, 1), (7, 2), (20, 3), (1000, 1)] {
        for on_error in [OnError::Raise, OnError::SkipBlock] {
            let bytes = file(&batch([("id", Arc::new(ids.clone()) as ArrayRef)]), 20);
            let files = open([bytes], promise(schema.clone())).unwrap();
            let (batches, error) = read(files, batch_size, threads, on_error);
            let error = error.unwrap();
            assert_eq!(error.kind(), FeedErrorKind::Conversion);
            let location = error.location();
            assert_eq!((location.block, location.record), (Some(2), Some(17)), "{error}");
            let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
            // A row group is checked as a whole before its rows are yielded, unless errors are raised.
            assert_eq!(rows, if on_error == OnError::Raise { 57 } else { 40 }, "{batch_size} {threads}");
        }
    }
}

#[test]
fn columns_and_fields_are_found_by_name_in_each_file() {
    let user = |fields: Vec<(&str, ArrayRef)>| -> ArrayRef {
        let fields = fields.into_iter();
        let fields = fields.map(|(name, column)| (Arc::new(field(name, column.data_type().clone())), column));
        Arc::new(StructArray::from(fields.collect::<Vec<_>>()))
    };
    let one = || ints([Some(1), None]);
    let text = || -> ArrayRef { Arc::new(StringArray::from(vec!["a", "b"])) };
    let files = || {
        [
            file(
                &batch([
                    ("id", one()),
                    ("user", user(vec![("age", one()), ("name", text())])),
                    ("more", text()),
                ]),
                2,
            ),
            file(
                &batch([
                    ("user", user(vec![("zip", text()), ("age", Arc::new(Int64Array::from(vec![7, 8])))])),
                    ("id", one()),
                ]),
                2,
            ),
            file(
                &batch([
                    ("user", user(vec![("zip", text())])),
                    ("id", Arc::new(Int64Array::from(vec![5, 6]))),
                ]),
                2,
            ),
        ]
    };
    let age = || Field::new("user", DataType::Struct(vec![field("age", DataType::Int64)].into()), true);
    let schema = Schema::new_with_metadata(
        vec![age(), field("id", DataType::Int64), field("lost", large_list(DataType::Utf8))],
        [("key".to_owned(), "value".to_owned())].into(),
    );
    let found = open(files(), promise(schema.clone())).unwrap();
    assert_eq!(found.schema().as_ref(), &schema);
    let found = whole(found, 1, 1).unwrap();
    assert_eq!(found.schema().as_ref(), &schema);
    assert_eq!(found["id"].as_ref(), &Int64Array::from(vec![Some(1), None, Some(1), None, Some(5), Some(6)]));
    let ages: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, Some(7), Some(8), None, None]));
    assert_eq!(found["user"].as_ref(), user(vec![("age", ages)]).as_ref());
    assert_eq!(found["lost"].as_ref(), new_null_array(&large_list(DataType::Utf8), 6).as_ref());

    // Paths refer to the requested schema.
    let columns = Some(["lost", "user.age"].map(str::to_owned).to_vec());
    let options = ParquetOptions { columns, ..promise(schema.clone()) };
    let projected = open(files(), options).unwrap();
    assert_eq!(projected.schema().as_ref().clone(), schema.project(&[2, 0]).unwrap());
    assert_eq!(&whole(projected.clone(), 4, 2).unwrap()["user"], &found["user"]);
    let narrow = projected.with_columns(&["id".to_owned()]).unwrap();
    assert_eq!(&whole(narrow, 4, 1).unwrap()["id"], &found["id"]);
    let refused = projected.with_columns(&["more".to_owned()]).unwrap_err();
    let expected = r#"a: expected a column of the file, found "more"; the file has "user", "id", "lost""#;
    assert_eq!(refused.to_string(), expected);

    // Batches without columns still have rows.
    let none = projected.with_columns(&[]).unwrap();
    assert_eq!(whole(none, 4, 1).unwrap().num_rows(), 6);
}

#[test]
fn a_column_that_is_missing_and_may_not_be_null_is_an_error_of_its_file() {
    let files = || {
        let second: ArrayRef = Arc::new(Int64Array::from(vec![2]));
        [file(&batch([("id", ints([Some(1)])), ("n", second.clone())]), 1), file(&batch([("id", second)]), 1)]
    };
    let schema = Schema::new(vec![field("id", DataType::Int64), Field::new("n", DataType::Int64, false)]);
    let files_of = open(files(), promise(schema)).unwrap();
    let (batches, error) = read(files_of, 10, 1, OnError::Raise);
    assert_eq!(batches.len(), 1);
    let error = error.unwrap();
    assert_eq!(error.kind(), FeedErrorKind::Schema);
    assert_eq!(error.to_string(), "b: n: expected a field of type Int64, which may not be null, found none");
    // A fault of the first file is found when the files are opened.
    let schema = Schema::new(vec![Field::new("m", DataType::Int64, false)]);
    let error = open(files(), promise(schema)).unwrap_err();
    assert_eq!(error.to_string(), "a: m: expected a field of type Int64, which may not be null, found none");
}

#[test]
fn a_null_in_a_non_nullable_column_is_an_error_of_its_row() {
    let not_null = |name: &str, data_type| Field::new(name, data_type, false);
    let list = DataType::LargeList(Arc::new(not_null("element", DataType::Int64)));
    let found = ListArray::from_iter_primitive::<Int32Type, _, _>([
        None,
        Some(vec![Some(1)]),
        Some(vec![Some(1), None]),
    ]);
    let cases: [(ArrayRef, Field, &str); 3] = [
        (ints([Some(1), None]), not_null("x", DataType::Int64), "record 1: x"),
        (ints([Some(1), None]), not_null("x", DataType::Int32), "record 1: x"),
        (Arc::new(found), field("x", list), "record 2: x"),
    ];
    for (column, to, place) in cases {
        let files = open([file(&batch([("x", column)]), 5)], promise(Schema::new(vec![to]))).unwrap();
        let error = whole(files, 10, 1).unwrap_err();
        let expected = "expected a value, since the field may not be null, found null";
        assert_eq!(error.to_string(), format!("a: block 0 at byte 4, {place}: {expected}"));
    }
}

/// The reader of the `parquet` crate omits the nulls of the inner struct, and a concatenation rejects such a struct.
#[test]
fn a_null_struct_has_no_values_in_structs_that_may_not_be_null() {
    let structs = |column: ArrayRef| -> ArrayRef {
        let inner = Fields::from(vec![Field::new("a", column.data_type().clone(), false)]);
        let outer = Fields::from(vec![Field::new("b", DataType::Struct(inner.clone()), false)]);
        let inner = StructArray::new(inner, vec![column], None);
        Arc::new(StructArray::new(outer, vec![Arc::new(inner)], Some(vec![true, false, true].into())))
    };
    let written = structs(ints([Some(1), Some(2), Some(3)]));
    let wider = structs(Arc::new(Int64Array::from(vec![1, 2, 3])));
    for expected in [written.clone(), wider] {
        let found = converted(written.clone(), expected.data_type().clone()).unwrap();
        found.to_data().validate_full().unwrap();
        assert_eq!(&found, &expected);
    }
    let stored = open([file(&batch([("x", written.clone())]), 1)], ParquetOptions::default()).unwrap();
    assert_eq!(whole(stored, 3, 1).unwrap().column(0), &written);
}

#[test]
fn doubles_round_if_the_option_is_set() {
    let doubles: ArrayRef = Arc::new(Float64Array::from(vec![Some(0.1), None, Some(1e300)]));
    let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>([
        Some(vec![Some(0.1)]),
        None,
        Some(vec![]),
    ]));
    let float = large_list(DataType::Float32);
    let schema = Schema::new(vec![field("x", float.clone()), field("y", float)]);
    let options = ParquetOptions { double_as_float: true, ..promise(schema) };
    let found =
        whole(open([file(&batch([("x", doubles), ("y", lists)]), 5)], options).unwrap(), 10, 1).unwrap();
    let expected = [
        [Some(vec![Some(0.1_f32)]), None, Some(vec![Some(f32::INFINITY)])],
        [Some(vec![Some(0.1_f32)]), None, Some(vec![])],
    ];
    for (column, expected) in found.columns().iter().zip(expected) {
        let expected = LargeListArray::from_iter_primitive::<Float32Type, _, _>(expected);
        assert_eq!(column.as_ref(), &expected as &dyn Array);
    }
}

#[test]
fn maps_convert_by_place() {
    let mut builder = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    for row in 0..9 {
        for entry in 0..row % 3 {
            builder.keys().append_value(format!("{entry}"));
            builder.values().append_option((entry > 0).then_some(row));
        }
        builder.append(row != 4).unwrap();
    }
    let map = builder.finish();
    let entry = vec![Field::new("k", DataType::LargeUtf8, false), field("v", large_list(DataType::Int64))];
    let entries = Arc::new(Field::new("e", DataType::Struct(entry.into()), false));
    let refused = converted(Arc::new(map.clone()), DataType::Map(entries, false));
    let expected =
        r#"a: x.v: expected a type that converts to "LargeList(Int64)" without loss, found "Int32""#;
    assert_eq!(refused, Err(expected.to_owned()));

    let entry = vec![Field::new("k", DataType::LargeUtf8, false), field("v", DataType::Int64)];
    let entries = Arc::new(Field::new("e", DataType::Struct(entry.into()), false));
    let found = converted(Arc::new(map.clone()), DataType::Map(entries, false)).unwrap();
    let found = found.as_any().downcast_ref::<MapArray>().unwrap();
    for row in 0..map.len() {
        assert_eq!(found.is_null(row), map.is_null(row));
        let values = |map: &MapArray| {
            let values = arrow_cast::cast(map.value(row).column(1), &DataType::Int64).unwrap();
            let keys = arrow_cast::cast(map.value(row).column(0), &DataType::LargeUtf8).unwrap();
            (keys, values)
        };
        if map.is_valid(row) {
            assert_eq!(values(found), values(&map), "{row}");
        }
    }
}
