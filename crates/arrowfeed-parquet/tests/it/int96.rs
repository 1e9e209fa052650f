//! Tests of timestamps of the deprecated type INT96. Each is right, or an error: 128-bit arithmetic is the oracle.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use arrowfeed_parquet::ParquetOptions;
use arrowfeed_source::FeedError;
use parquet::data_type::{Int96, Int96Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::random_run;
use crate::support::{open, promise, whole};

const JULIAN_DAY_OF_1970: i64 = 2_440_588;
const DAY: i128 = 86_400 * 1_000_000_000;

/// Days since 1970, and nanoseconds of the day.
type Value = Option<(i64, u64)>;

/// A key of the metadata of files whose timestamps have nanoseconds.
const HIVE: Option<&str> = Some("writer.time.zone");

/// The last microsecond of the year 9999, and of 1 BC.
const LAST: Value = Some((2_932_896, 86_399_999_999_000));
const OLD: Value = Some((-719_163, 86_399_999_999_000));

fn int96((days, nanoseconds): (i64, u64)) -> Int96 {
    let mut value = Int96::new();
    let day = (days + JULIAN_DAY_OF_1970) as u32;
    value.set_data(nanoseconds as u32, (nanoseconds >> 32) as u32, day);
    value
}

/// A file with the column `t`, and a column of lists if `lists`. `key`: a key of the metadata of the file.
fn file(rows: &[Vec<Value>], lists: bool, key: Option<&str>) -> Vec<u8> {
    let column = match lists {
        true => "optional group t (LIST) { repeated group list { optional int96 element; } }",
        false => "optional int96 t;",
    };
    let schema = Arc::new(parse_message_type(&format!("message m {{ {column} }}")).unwrap());
    let pairs = key.map(|key| vec![KeyValue::new(key.to_owned(), "4.0.0".to_owned())]);
    let properties = Arc::new(WriterProperties::builder().set_key_value_metadata(pairs).build());
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, properties).unwrap();
    let values: Vec<Int96> = rows.iter().flatten().flatten().copied().map(int96).collect();
    let top = if lists { 3 } else { 1 };
    let definition = |value: &Value| if value.is_some() { top } else { top - 1 };
    let definitions: Vec<i16> = rows.iter().flatten().map(definition).collect();
    let repetitions: Vec<i16> =
        rows.iter().flat_map(|row| (0..row.len()).map(|item| i16::from(item > 0))).collect();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let typed = column.typed::<Int96Type>();
    typed.write_batch(&values, Some(&definitions), lists.then_some(&repetitions)).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    bytes
}

fn column(values: &[Value], key: Option<&str>) -> Vec<u8> {
    file(&values.iter().map(|value| vec![*value]).collect::<Vec<_>>(), false, key)
}

fn requested(data_type: DataType) -> ParquetOptions {
    promise(Schema::new(vec![Field::new("t", data_type, true)]))
}

fn read(bytes: Vec<u8>, options: ParquetOptions) -> Result<RecordBatch, String> {
    open([bytes], options).and_then(|files| whole(files, 3, 1)).map_err(|error: FeedError| error.to_string())
}

/// The type of the column `t`, and its ticks.
fn ticks(bytes: Vec<u8>, options: ParquetOptions) -> Result<(DataType, Vec<Option<i64>>), String> {
    let batch = read(bytes, options)?;
    let column = batch.column(0);
    let ticks = cast(column, &DataType::Int64).unwrap();
    Ok((column.data_type().clone(), ticks.as_primitive::<Int64Type>().iter().collect()))
}

fn in_unit(unit: TimeUnit) -> DataType {
    DataType::Timestamp(unit, None)
}

/// The ticks of a value, if there are whole ones in 64 bits.
fn expected((days, nanoseconds): (i64, u64), unit: TimeUnit) -> Option<i64> {
    let all = i128::from(days) * DAY + i128::from(nanoseconds);
    let size = match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    };
    (all % size == 0).then(|| i64::try_from(all / size).ok()).flatten()
}

#[test]
fn a_far_date_is_an_error_in_nanoseconds_and_right_in_microseconds() {
    let near = Some((18_787, 10_957_000_000_000));
    let error = ticks(column(&[near, None, LAST], HIVE), ParquetOptions::default()).unwrap_err();
    assert_eq!(
        error,
        "a: block 0 at byte 4, record 2: t: expected a value that Timestamp(ns) can hold, found \"9999-12-31T23:59:59.999999\": request a \
         schema with a timestamp of microseconds"
    );
    let error = ticks(column(&[near, LAST], None), requested(DataType::Int64)).unwrap_err();
    assert_eq!(
        error,
        "a: block 0 at byte 4, record 1: t: expected a value that Int64 can hold, found \"9999-12-31T23:59:59.999999\": request a schema \
         with a timestamp of microseconds"
    );
    let microseconds = in_unit(TimeUnit::Microsecond);
    let found = ticks(column(&[near, LAST], None), requested(microseconds.clone()));
    assert_eq!(found, Ok((microseconds, vec![Some(1_623_207_757_000_000), Some(253_402_300_799_999_999)])));
}

#[test]
fn files_have_microseconds_but_those_of_hive_and_impala() {
    let values = [LAST, None, OLD];
    let found = ticks(column(&values, None), ParquetOptions::default());
    let expected = vec![Some(253_402_300_799_999_999), None, Some(-62_135_596_800_000_001)];
    assert_eq!(found, Ok((in_unit(TimeUnit::Microsecond), expected)));
}

#[test]
fn files_without_a_unit_have_that_of_the_first_file() {
    let near = Some((1, 1_000));
    for (keys, expected) in [
        ([None, HIVE], (TimeUnit::Microsecond, 86_400_000_001)),
        ([HIVE, None], (TimeUnit::Nanosecond, 86_400_000_001_000)),
    ] {
        let files = keys.map(|key| column(&[near], key));
        let batch = open(files, ParquetOptions::default()).and_then(|files| whole(files, 3, 1)).unwrap();
        let ticks = cast(batch.column(0), &DataType::Int64).unwrap();
        assert_eq!(batch.column(0).data_type(), &in_unit(expected.0));
        assert_eq!(ticks.as_primitive::<Int64Type>().values(), &[expected.1; 2]);
    }
}

#[test]
fn digits_that_do_not_fit_are_an_error() {
    let fine = || column(&[Some((0, 1_001))], None);
    for options in [ParquetOptions::default(), requested(in_unit(TimeUnit::Microsecond))] {
        let expected = "a: block 0 at byte 4, record 0: t: expected a value that Timestamp(µs) can hold, found \
                        \"1970-01-01T00:00:00.000001001\": request a schema with a timestamp of nanoseconds";
        assert_eq!(ticks(fine(), options).unwrap_err(), expected);
    }
    let nanoseconds = in_unit(TimeUnit::Nanosecond);
    assert_eq!(ticks(fine(), requested(nanoseconds.clone())), Ok((nanoseconds, vec![Some(1_001)])));
}

#[test]
fn a_year_that_only_seconds_hold_is_an_error_with_its_seconds() {
    // Spark writes such a value for the year 290,000, because its microseconds wrap.
    let wrapped = || column(&[Some((-108_303_977, 0))], None);
    let expected = "a: block 0 at byte 4, record 0: t: expected a value that Timestamp(µs) can hold, found \"-9357463612800\": \
                    request a schema with a timestamp of seconds";
    assert_eq!(ticks(wrapped(), ParquetOptions::default()).unwrap_err(), expected);
    let seconds = in_unit(TimeUnit::Second);
    assert_eq!(ticks(wrapped(), requested(seconds.clone())), Ok((seconds, vec![Some(-9_357_463_612_800)])));
}

#[test]
fn a_zone_that_is_requested_does_not_change_the_ticks() {
    let zoned = DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into()));
    assert_eq!(
        ticks(column(&[Some((1, 0))], None), requested(zoned.clone())),
        Ok((zoned, vec![Some(86_400_000)]))
    );
}

#[test]
fn an_interval_is_not_the_type_of_such_a_column() {
    let interval = DataType::Interval(arrow_schema::IntervalUnit::MonthDayNano);
    let error = ticks(column(&[Some((1, 0))], None), requested(interval)).unwrap_err();
    let expected = "a: t: expected a type that converts to \"Interval(MonthDayNano)\" without loss, found \"Timestamp(ns)\"";
    assert_eq!(error, expected);
}

#[test]
fn a_list_is_not_converted_to_text() {
    let error = read(file(&[vec![LAST]], true, None), requested(DataType::Utf8)).unwrap_err();
    let start = "a: t: expected a type that converts to \"Utf8\" without loss, found \"List(";
    assert!(error.starts_with(start) && error.contains("Timestamp(ns)"), "{error}");
    assert!(!error.contains("Interval"), "{error}");
}

#[test]
fn nested_values_are_right_or_an_error_too() {
    let rows = [vec![Some((0, 5_000)), None], vec![LAST], vec![None, OLD, LAST]];
    let item = |unit| DataType::new_list(in_unit(unit), true);
    let bytes = file(&rows, true, HIVE);
    let error = read(bytes.clone(), ParquetOptions::default()).unwrap_err();
    assert!(
        error.starts_with("a: block 0 at byte 4, record 1: t: expected a value that Timestamp(ns) can hold"),
        "{error}"
    );
    let batch = read(bytes, requested(item(TimeUnit::Microsecond))).unwrap();
    let lists = batch.column(0).as_list::<i32>();
    let found: Vec<Vec<Option<i64>>> = lists
        .iter()
        .map(|list| cast(&list.unwrap(), &DataType::Int64).unwrap())
        .map(|list| list.as_primitive::<Int64Type>().iter().collect())
        .collect();
    let unit = |value: &Value| value.and_then(|value| expected(value, TimeUnit::Microsecond));
    assert_eq!(found, rows.map(|row| row.iter().map(unit).collect::<Vec<_>>()));
}

#[test]
fn random_values_are_those_of_the_oracle() {
    for seed in random_run::seeds(100) {
        let number = |n| random_run::mixed(seed, n);
        let day = match number(0) % 4 {
            0 => number(1) as u32 as i64 - JULIAN_DAY_OF_1970,
            1 => (number(1) % 200_000) as i64 - 100_000,
            // Where nanoseconds begin to wrap.
            2 => 106_751 + (number(1) % 3) as i64,
            _ => -106_752 - (number(1) % 3) as i64,
        };
        // The crate reads the day as a signed number.
        let day = i64::from((day + JULIAN_DAY_OF_1970) as u32 as i32) - JULIAN_DAY_OF_1970;
        let zeros = 10_u64.pow((number(2) % 10) as u32);
        let value = (day, number(3) % 86_400_000_000_000 / zeros * zeros);
        for unit in [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond] {
            let found = ticks(column(&[Some(value), None], None), requested(in_unit(unit)));
            let found = found.ok().map(|(_, ticks)| ticks);
            assert_eq!(
                found,
                expected(value, unit).map(|ticks| vec![Some(ticks), None]),
                "{value:?} {unit:?}"
            );
        }
    }
}
