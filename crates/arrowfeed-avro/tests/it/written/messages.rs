//! Input that the writer rejects, with complete messages. None of it reaches a file.

use std::sync::Arc;

use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::{IntervalMonthDayNano, OffsetBuffer};
use arrow_schema::{DataType, Field, Schema, TimeUnit, UnionFields};
use arrowfeed_avro::{AvroSchema, AvroWriter, Codec, FeedErrorKind, Unsigned, WriteOptions};

/// The error of writing one column named `x`.
fn refused(column: ArrayRef, options: WriteOptions) -> (FeedErrorKind, String) {
    let field = Field::new("x", column.data_type().clone(), true);
    let batch = RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![column]).unwrap();
    let writer = AvroWriter::to_sink(std::io::sink(), batch.schema(), options);
    let error = writer.and_then(|mut writer| {
        writer.write(&batch)?;
        writer.finish()
    });
    let error = error.expect_err("refused");
    (error.kind(), error.to_string())
}

fn derived(column: ArrayRef) -> (FeedErrorKind, String) {
    refused(column, WriteOptions::default())
}

fn given(column: ArrayRef, ty: &str) -> (FeedErrorKind, String) {
    let json = format!(r#"{{"type": "record", "name": "R", "fields": [{{"name": "x", "type": {ty}}}]}}"#);
    let schema = Some(AvroSchema::parse(&json).unwrap());
    refused(column, WriteOptions { schema, ..WriteOptions::default() })
}

fn array<A: Array + 'static>(array: impl Into<A>) -> ArrayRef {
    Arc::new(array.into())
}

#[test]
fn types_without_a_form_in_avro_are_refused_before_anything_is_written() {
    let schema = |message: &str| (FeedErrorKind::Schema, format!("x{message}"));
    let negative = Decimal128Array::from(vec![1]).with_precision_and_scale(5, -2).unwrap();
    assert_eq!(
        derived(Arc::new(negative)),
        schema(
            ": expected a type that Avro can represent, found Decimal128(5, -2): cast it to a decimal with a scale of 0 or more"
        )
    );

    let message = ": expected a type that Avro can represent, found Duration(s): cast it to int64";
    assert_eq!(derived(Arc::new(DurationSecondArray::from(vec![1]))), schema(message));

    let union = |children: Vec<(Field, ArrayRef)>| -> ArrayRef {
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = children.into_iter().unzip();
        let fields = UnionFields::try_new(0..fields.len() as i8, fields).unwrap();
        let ids = vec![0_i8; arrays[0].len()];
        Arc::new(UnionArray::try_new(fields, ids.into(), None, arrays).unwrap())
    };
    let int = || (Field::new("a", DataType::Int32, false), array::<Int32Array>(vec![1]));
    let short = || (Field::new("b", DataType::Int16, false), array::<Int16Array>(vec![1]));
    assert_eq!(
        derived(union(vec![int(), short()])),
        schema(
            ".b: expected children of different Avro types, found int twice: an Avro union has each type once"
        )
    );
    let inner = union(vec![int()]);
    let nested = union(vec![(Field::new("u", inner.data_type().clone(), false), inner)]);
    assert_eq!(
        derived(nested),
        schema(
            ".u: expected a type that is not a union inside a union, found a union: Avro does not nest them"
        )
    );
}

#[test]
fn columns_that_do_not_fit_a_given_schema_are_refused_before_anything_is_written() {
    let schema = |message: &str| (FeedErrorKind::Schema, format!("x: {message}"));
    let ints = || array::<Int32Array>(vec![1]);
    let cases: Vec<(ArrayRef, &str, &str)> = vec![
        (ints(), r#""string""#, "expected a column that fits the Avro type string, found Int32"),
        (ints(), r#"["null", "string"]"#, "expected a column that fits the Avro type string, found Int32"),
        (ints(), r#"["string", "bytes"]"#, "expected a column that fits the Avro type union, found Int32"),
        (
            ints(),
            r#"{"type": "array", "items": "int"}"#,
            "expected a column that fits the Avro type array, found Int32",
        ),
        (
            array::<Float64Array>(vec![1.0]),
            r#""float""#,
            "expected a column that fits the Avro type float, found Float64",
        ),
        (
            Arc::new(TimestampMillisecondArray::from(vec![1])),
            r#"{"type": "long", "logicalType": "timestamp-millis"}"#,
            "expected a column that fits the Avro type timestamp-millis, found Timestamp(ms)",
        ),
        (
            Arc::new(Decimal128Array::from(vec![1]).with_precision_and_scale(5, 2).unwrap()),
            r#"{"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 3}"#,
            "expected a decimal of scale 3, found Decimal128(5, 2): cast the column to decimal(9, 3)",
        ),
    ];
    for (column, ty, message) in cases {
        assert_eq!(given(column, ty), schema(message), "{ty}");
    }
    let record = |fields: &str| {
        let json = format!(r#"{{"type": "record", "name": "R", "fields": [{fields}]}}"#);
        let schema = Some(AvroSchema::parse(&json).unwrap());
        refused(ints(), WriteOptions { schema, ..WriteOptions::default() })
    };
    let message = "expected a column or a default for the field \"y\" of the Avro schema, found neither";
    assert_eq!(record(r#"{"name": "y", "type": "int"}"#), (FeedErrorKind::Schema, message.to_owned()));
    let message = "expected a field of the record \"R\" for each column, found none for the column \"x\": leave the column \
                   out, or add it to the schema";
    assert_eq!(record(""), (FeedErrorKind::Schema, message.to_owned()));
}

#[test]
fn values_that_no_reader_would_take_are_refused_with_their_row() {
    let value = |message: &str| (FeedErrorKind::Conversion, format!("record 1: x: {message}"));
    let derived_cases: Vec<(ArrayRef, &str)> = vec![
        (
            Arc::new(Time32MillisecondArray::from(vec![0, 86_400_000])),
            "expected a time of day from 0 to 86,399,999 milliseconds, found 86400000",
        ),
        (
            Arc::new(Time64MicrosecondArray::from(vec![0, -1])),
            "expected a time of day from 0 to 86,399,999,999 microseconds, found -1",
        ),
        (
            Arc::new(Time64NanosecondArray::from(vec![1000, 1001])),
            "expected a time of whole microseconds, the precision of the Avro type, found 1001 nanoseconds",
        ),
        (
            Arc::new(Date64Array::from(vec![86_400_000, 5])),
            "expected milliseconds of whole days within 32 bits, found 5",
        ),
        (
            Arc::new(TimestampSecondArray::from(vec![0, i64::MAX])),
            "expected a timestamp of whole milliseconds within 64 bits, found 9223372036854775807 seconds",
        ),
        (
            Arc::new(IntervalMonthDayNanoArray::from(vec![
                IntervalMonthDayNano::new(0, 0, 0),
                IntervalMonthDayNano::new(0, -1, 5),
            ])),
            "expected an interval of 0 or more months, days and whole milliseconds, each within 32 bits, found 0 months, -1 \
             days and 5 nanoseconds",
        ),
        (
            Arc::new(Decimal128Array::from(vec![99, 100]).with_precision_and_scale(2, 0).unwrap()),
            "expected a decimal of at most 2 digits, found 100",
        ),
    ];
    for (column, message) in derived_cases {
        assert_eq!(derived(column), value(message));
    }
    let given_cases: Vec<(ArrayRef, &str, &str)> = vec![
        (array::<Int64Array>(vec![1, 1 << 31]), r#""int""#, "expected an int of 32 bits, found 2147483648"),
        (
            array::<Int64Array>(vec![Some(1), None]),
            r#""long""#,
            "expected a value, found null: the Avro type of this column has no null",
        ),
        (
            array::<Int64Array>(vec![Some(1), None]),
            r#"["long", "string"]"#,
            "expected a value, found null: the Avro type of this column has no null",
        ),
        (
            Arc::new(BinaryArray::from(vec![&b"a"[..], &b"\xff"[..]])),
            r#""string""#,
            "expected a string in UTF-8, found \"\u{fffd}\"",
        ),
        (
            Arc::new(StringArray::from(vec!["A", "C"])),
            r#"{"type": "enum", "name": "E", "symbols": ["A", "B"]}"#,
            "expected a symbol of the enum in the file's schema, found \"C\"",
        ),
        (
            Arc::new(DictionaryArray::<Int8Type>::from_iter(["A", "C"])),
            r#"{"type": "enum", "name": "E", "symbols": ["A", "B"]}"#,
            "expected a symbol of the enum in the file's schema, found \"C\"",
        ),
        (
            Arc::new(StringArray::from(vec!["00000000-0000-0000-0000-000000000000", "no"])),
            r#"{"type": "string", "logicalType": "uuid"}"#,
            "expected a UUID of 36 characters, found \"no\"",
        ),
        (
            Arc::new(BinaryArray::from(vec![&b"ab"[..], &b"a"[..]])),
            r#"{"type": "fixed", "name": "F", "size": 2}"#,
            "expected 2 bytes, found 1",
        ),
        (
            Arc::new(Time64NanosecondArray::from(vec![1000, 1])),
            r#"{"type": "long", "logicalType": "time-micros"}"#,
            "expected a time of whole microseconds, the precision of the Avro type, found 1 nanoseconds",
        ),
    ];
    for (column, ty, message) in given_cases {
        assert_eq!(given(column, ty), value(message), "{ty}");
    }
    let options = WriteOptions { unsigned: Unsigned::Long, ..WriteOptions::default() };
    let message = "expected a long of at most 9,223,372,036,854,775,807, found 9,223,372,036,854,775,808";
    assert_eq!(refused(array::<UInt64Array>(vec![1, 1 << 63]), options), value(message));
}

#[test]
fn values_beyond_the_limits_of_readers_are_refused() {
    let items: ArrayRef = Arc::new(NullArray::new(10_000_001));
    let item = Arc::new(Field::new("item", DataType::Null, true));
    let lists = ListArray::new(item, OffsetBuffer::from_lengths([1, 10_000_000]), items, None);
    let message =
        "record 1: expected at most 10,000,000 items without bytes in a list, found 10,000,001 items";
    let most = ListArray::new(
        Arc::new(Field::new("item", DataType::Null, true)),
        OffsetBuffer::from_lengths([0, 10_000_001]),
        Arc::new(NullArray::new(10_000_001)),
        None,
    );
    assert_eq!(derived(Arc::new(most)), (FeedErrorKind::Limit, message.to_owned()));
    let mut writer = AvroWriter::to_sink(
        std::io::sink(),
        Arc::new(Schema::new(vec![Field::new("x", lists.data_type().clone(), true)])),
        WriteOptions::default(),
    )
    .unwrap();
    let batch = RecordBatch::try_from_iter_with_nullable([("x", Arc::new(lists) as ArrayRef, true)]).unwrap();
    writer.write(&batch).unwrap();
    assert_eq!(writer.finish().unwrap().rows, 2);

    let half: String = "x".repeat(130 << 20);
    let column: ArrayRef = Arc::new(LargeStringArray::from(vec![half.clone(), half.clone() + &half]));
    drop(half);
    let options = WriteOptions { codec: Codec::Null, ..WriteOptions::default() };
    let message = "record 1: expected a row of at most 264,241,152 bytes, found a larger one, which readers would refuse";
    assert_eq!(refused(column, options), (FeedErrorKind::Limit, message.to_owned()));
}

#[test]
fn wrong_options_are_refused() {
    let option = |options: WriteOptions| {
        let (kind, message) = refused(array::<Int32Array>(vec![1]), options);
        assert_eq!(kind, FeedErrorKind::Options);
        message
    };
    let default = WriteOptions::default;
    assert_eq!(
        option(WriteOptions { block_bytes: 0, ..default() }),
        "expected block_bytes from 1 to 134,217,728, found 0"
    );
    assert_eq!(
        option(WriteOptions { codec: Codec::Deflate, level: Some(13), ..default() }),
        "expected a level of deflate from 1 to 12, found 13"
    );
    assert_eq!(
        option(WriteOptions { codec: Codec::Snappy, level: Some(1), ..default() }),
        "expected no level, since the codec snappy has none, found 1"
    );
}

#[test]
fn a_writer_takes_nothing_after_an_error() {
    let schema = Arc::new(Schema::new(vec![Field::new("x", DataType::Time32(TimeUnit::Second), true)]));
    let batch = |value| {
        let column: ArrayRef = Arc::new(Time32SecondArray::from(vec![value]));
        RecordBatch::try_new(schema.clone(), vec![column]).unwrap()
    };
    let options = WriteOptions { block_bytes: 1, ..WriteOptions::default() };
    let mut writer = AvroWriter::to_sink(std::io::sink(), schema.clone(), options).unwrap();
    let mut errors = Vec::new();
    for _ in 0..2000 {
        if let Err(error) = writer.write(&batch(-1)) {
            errors.push(error.to_string());
        }
    }
    let first = "record 0: x: expected a time of day from 0 to 86,399 seconds, found -1";
    assert_eq!(errors[0], first);
    assert!(errors[1..].iter().all(|error| error == "this writer cannot continue after an earlier error"));
    assert_eq!(
        writer.finish().unwrap_err().to_string(),
        "this writer cannot continue after an earlier error"
    );

    let other = RecordBatch::try_from_iter([("y", array::<Int32Array>(vec![1]))]).unwrap();
    let mut writer = AvroWriter::to_sink(std::io::sink(), schema.clone(), WriteOptions::default()).unwrap();
    let error = writer.write(&other).unwrap_err().to_string();
    assert_eq!(error, "expected a batch with the column \"x\" of Time32(s), found \"y\" of Int32");
}
