//! Reading of files from other writers, which must return the values that were written.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use apache_avro::types::Value as Apache;
use apache_avro::{Days, Decimal, Duration, Millis, Months};
use arrow_array::{Int64Array, RecordBatchIterator};
use arrowfeed_avro::{
    AvroHeader, AvroSchema, Codec, FeedErrorKind, FileSource, Limits, StringType, WriteOptions, write_avro,
};
use proptest::prelude::*;

use crate::support::batches;
use crate::support::case::{Case, assert_reads, cases, config, read_all};
use crate::support::file::{AvroFile, TempFile};
use crate::support::mapping::Mapping;
use crate::support::open::open;
use crate::support::rows::Rows;
use crate::support::schema::{Definition, Logical, Schema, Type};
use crate::support::shapes::Kinds;
use crate::support::value::{Seed, Value};

proptest! {
    #![proptest_config(config(25))]

    #[test]
    fn files_of_apache_avro_are_read_as_written(case in cases(Kinds::Common)) {
        let mut case = case;
        case.rows = case.rows.iter().map(in_order).collect();
        let schema = apache_avro::Schema::parse_str(&case.file.schema).unwrap();
        let parsed = AvroSchema::parse(&case.file.schema).unwrap();
        // The form of apache-avro has the attributes of decimals too.
        let canonical = AvroSchema::parse(&schema.canonical_form()).unwrap().canonical();
        prop_assert_eq!(parsed.canonical(), canonical);
        let mut writer =
            apache_avro::Writer::with_codec(&schema, Vec::new(), apache_codec(case.file.codec)).unwrap();
        for row in &case.rows {
            writer.append_value(apache(&case.schema, &case.schema.root, row)).unwrap();
            if case.seed.one_in(5) {
                writer.flush().unwrap();
            }
        }
        let bytes = writer.into_inner().unwrap();
        let batches = read_all(case.open_source(FileSource::bytes(bytes.clone())));
        let found = batches::rows(&batches);
        let found: Vec<Vec<Value>> = found.iter().map(|row| row.iter().map(in_order).collect()).collect();
        prop_assert_eq!(found, case.cells());
        let opened = case.open_source(FileSource::bytes(bytes)).unwrap();
        prop_assert_eq!(opened.schema().fields().to_vec().len(), case.mapping().columns().len());
    }

    #[test]
    fn write_avro_and_reading_give_the_batches_back(case in cases(Kinds::Common)) {
        let case = Case { strings: StringType::Utf8, ..case };
        let batches = read_all(case.open());
        let schema = case.open().unwrap().schema();
        let file = TempFile::new();
        let options = WriteOptions {
            codec: case.file.codec,
            block_bytes: 1 + case.seed.clone().below(2000),
            schema: Some(AvroSchema::parse(&case.schema.to_json()).unwrap()),
            metadata: entries(&mut case.seed.clone()),
            ..WriteOptions::default()
        };
        let reader = RecordBatchIterator::new(batches.into_iter().map(Ok), schema);
        let written = write_avro(reader, file.path(), &options).unwrap();
        let header = AvroHeader::read(file.path(), &Limits::default()).unwrap();
        prop_assert_eq!(header.codec(), case.file.codec);
        prop_assert_eq!(Some(header.schema()), options.schema.as_ref());
        let given = |(key, _): &(String, Vec<u8>)| !key.starts_with("avro.");
        let found: BTreeMap<_, _> = header.metadata().into_iter().filter(given).collect();
        prop_assert_eq!(found, options.metadata);
        prop_assert_eq!(written, case.rows.len() as u64);
        assert_reads(open(file.path()), case.mapping().columns(), &case.cells());

        let bytes = std::fs::read(file.path()).unwrap();
        let reader = apache_avro::Reader::new(&bytes[..]).unwrap();
        let found: Vec<Value> = reader.map(|row| from_apache(row.unwrap())).collect();
        let expected = |row| normal(&case.schema, &case.schema.root, &in_order(row));
        prop_assert_eq!(found, case.rows.iter().map(expected).collect::<Vec<Value>>());
    }
}

/// Random metadata: keys of any text, values of any bytes.
fn entries(seed: &mut Seed) -> BTreeMap<String, Vec<u8>> {
    let texts = ["", "a", "Avro.", "avro", "ключ", "a\0b", "a.avro.codec"];
    let mut entry = || {
        let (key, length) = (format!("{}{}", seed.pick(&texts), seed.below(3)), seed.below(300));
        (key, seed.bytes(length))
    };
    (0..6).map(|_| entry()).collect()
}

fn one_row() -> impl arrow_array::RecordBatchReader {
    let column: arrow_array::ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let batch = arrow_array::RecordBatch::try_from_iter([("x", column)]).unwrap();
    let schema = batch.schema();
    RecordBatchIterator::new([Ok(batch)], schema)
}

#[test]
fn metadata_of_the_specification_is_refused_before_anything_is_written() {
    let refused = |metadata: BTreeMap<String, Vec<u8>>| {
        let file = TempFile::with(b"before");
        let options = WriteOptions { metadata, ..WriteOptions::default() };
        let error = write_avro(one_row(), file.path(), &options).unwrap_err();
        assert_eq!(std::fs::read(file.path()).unwrap(), b"before");
        assert_eq!(error.kind(), FeedErrorKind::Options);
        error.message().to_owned()
    };
    let expected = "metadata: expected keys that do not begin with \"avro.\", which the Avro specification reserves, \
                    found \"avro.codec\"";
    let entry = |key: &str| (key.to_owned(), Vec::new());
    assert_eq!(refused([entry("a"), entry("avro.codec")].into()), expected);
    let expected = "metadata: expected at most 9,998 entries, found 9,999";
    assert_eq!(refused((0..9_999).map(|i| entry(&i.to_string())).collect()), expected);
}

#[test]
fn a_file_with_as_much_metadata_as_is_allowed_is_read_with_the_schema_that_follows_from_arrow() {
    let metadata: BTreeMap<_, _> = (0..9_998).map(|i| (i.to_string(), vec![i as u8; 300])).collect();
    let file = TempFile::new();
    let write = |metadata| {
        let options = WriteOptions { metadata, ..WriteOptions::default() };
        write_avro(one_row(), file.path(), &options).unwrap();
        AvroHeader::read(file.path(), &Limits::default()).unwrap()
    };
    let plain = write(BTreeMap::new());
    let header = write(metadata.clone());
    assert_eq!(header.schema().json(), plain.schema().json());
    assert_eq!(header.metadata().into_iter().skip(2).collect::<BTreeMap<_, _>>(), metadata);
    assert_eq!(header.count_rows().unwrap(), 1);
}

/// Uses the key that transports the entries of the header internally.
#[test]
fn metadata_of_arrow_is_no_metadata_of_the_file() {
    let column: arrow_array::ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let batch = arrow_array::RecordBatch::try_from_iter([("x", column)]).unwrap();
    let metadata = [("arrowfeed.header_entries".to_owned(), "\u{2}\u{2}a\u{2}b".to_owned())];
    let schema = Arc::new(batch.schema().as_ref().clone().with_metadata(metadata.into()));
    let batch = batch.with_schema(schema.clone()).unwrap();
    for given in [BTreeMap::new(), BTreeMap::from([("own".to_owned(), b"x".to_vec())])] {
        let file = TempFile::new();
        let options = WriteOptions { metadata: given.clone(), ..WriteOptions::default() };
        write_avro(RecordBatchIterator::new([Ok(batch.clone())], schema.clone()), file.path(), &options)
            .unwrap();
        let header = AvroHeader::read(file.path(), &Limits::default()).unwrap();
        assert_eq!(header.metadata().into_iter().skip(2).collect::<BTreeMap<_, _>>(), given);
    }
}

#[test]
fn write_avro_writes_uuids_as_the_strings_of_its_schema() {
    let json = r#"{"type": "record", "name": "R", "fields": [
        {"name": "id", "type": {"type": "string", "logicalType": "uuid"}},
        {"name": "any", "type": ["null", "long", {"type": "string", "logicalType": "uuid"}]},
        {"name": "all", "type": {"type": "map", "values": [{"type": "string", "logicalType": "uuid"}, "null"]}}]}"#;
    let schema = Schema::parse(json);
    let rows = Rows::new(&schema, 7).rows(30);
    let bytes = AvroFile::of_rows(json, &schema, &rows, Codec::Null, 7).bytes();
    let reader = open(FileSource::bytes(bytes)).unwrap();
    let file = TempFile::new();
    let options = WriteOptions { schema: Some(AvroSchema::parse(json).unwrap()), ..WriteOptions::default() };
    write_avro(reader.into_arrow(), file.path(), &options).unwrap();
    let mapping = Mapping::new(&schema, StringType::Utf8);
    let cells: Vec<Vec<Value>> = rows.iter().map(|row| mapping.cells(row)).collect();
    assert_reads(open(file.path()), mapping.columns(), &cells);
}

#[test]
fn a_column_of_nulls_is_written_as_such() {
    let nulls: arrow_array::ArrayRef = std::sync::Arc::new(arrow_array::NullArray::new(3));
    let batch = arrow_array::RecordBatch::try_from_iter_with_nullable([("x", nulls, true)]).unwrap();
    let file = TempFile::new();
    let reader = RecordBatchIterator::new([Ok(batch.clone())], batch.schema());
    write_avro(reader, file.path(), &WriteOptions::default()).unwrap();
    assert_eq!(read_all(open(file.path())), [batch]);
}

fn apache_codec(codec: Codec) -> apache_avro::Codec {
    match codec {
        Codec::Null => apache_avro::Codec::Null,
        Codec::Deflate => apache_avro::Codec::Deflate(Default::default()),
        Codec::Snappy => apache_avro::Codec::Snappy,
        Codec::Zstandard => apache_avro::Codec::Zstandard(Default::default()),
        Codec::Bzip2 => apache_avro::Codec::Bzip2(Default::default()),
        Codec::Xz => apache_avro::Codec::Xz(Default::default()),
    }
}

/// Sorts maps by key and keeps each key once, because other implementations do not keep more.
fn in_order(value: &Value) -> Value {
    match value {
        Value::List(items) => Value::List(items.iter().map(in_order).collect()),
        Value::Record(values) => Value::Record(values.iter().map(in_order).collect()),
        Value::Branch(i, value) => Value::Branch(*i, Box::new(in_order(value))),
        Value::Map(entries) => {
            let entry = |(key, value): &(Value, Value)| match key {
                Value::Text(key) => (key.clone(), in_order(value)),
                key => panic!("{key:?} is no key"),
            };
            let entries: BTreeMap<String, Value> = entries.iter().map(entry).collect();
            Value::Map(entries.into_iter().map(|(key, value)| (Value::Text(key), value)).collect())
        }
        other => other.clone(),
    }
}

/// Converts a value to the apache-avro crate's type.
fn apache(schema: &Schema, ty: &Type, value: &Value) -> Apache {
    match (ty, value) {
        (Type::Primitive(name, logical), value) => apache_primitive(name, logical.as_ref(), value),
        (Type::Array(ty), Value::List(items)) => {
            Apache::Array(items.iter().map(|item| apache(schema, ty, item)).collect())
        }
        (Type::Map(ty), Value::Map(entries)) => {
            let entry = |(key, value): &(Value, Value)| match key {
                Value::Text(key) => (key.clone(), apache(schema, ty, value)),
                key => panic!("{key:?} is no key"),
            };
            Apache::Map(entries.iter().map(entry).collect::<HashMap<_, _>>())
        }
        (Type::Union(branches), Value::Branch(i, value)) => {
            Apache::Union(*i as u32, Box::new(apache(schema, &branches[*i], value)))
        }
        (Type::Named(name), value) => match (schema.definition(name), value) {
            (Definition::Record(fields), Value::Record(values)) => {
                let fields = fields.iter().zip(values);
                Apache::Record(
                    fields.map(|(f, value)| (f.name.clone(), apache(schema, &f.ty, value))).collect(),
                )
            }
            (Definition::Enum { symbols, .. }, Value::Symbol(i)) => {
                Apache::Enum(*i as u32, symbols[*i].clone())
            }
            (Definition::Fixed(size, logical), Value::Bytes(bytes)) => match logical {
                Some(Logical::Decimal { .. }) => Apache::Decimal(Decimal::from(bytes)),
                Some(Logical::Simple("duration")) => {
                    let part = |i: usize| u32::from_le_bytes(bytes[i..i + 4].try_into().expect("four bytes"));
                    let (months, days, millis) = (part(0), part(4), part(8));
                    Apache::Duration(Duration::new(Months::new(months), Days::new(days), Millis::new(millis)))
                }
                _ => Apache::Fixed(*size, bytes.clone()),
            },
            (_, value) => panic!("{value:?} is no {name}"),
        },
        (ty, value) => panic!("{value:?} is no {ty:?}"),
    }
}

fn apache_primitive(name: &str, logical: Option<&Logical>, value: &Value) -> Apache {
    match (name, logical, value) {
        (_, _, Value::Null) => Apache::Null,
        (_, _, Value::Bool(value)) => Apache::Boolean(*value),
        ("int", _, Value::Int(value)) => Apache::Int(*value as i32),
        (_, Some(Logical::Simple("timestamp-nanos")), Value::Int(value)) => Apache::TimestampNanos(*value),
        (_, Some(Logical::Simple("local-timestamp-nanos")), Value::Int(value)) => {
            Apache::LocalTimestampNanos(*value)
        }
        (_, _, Value::Int(value)) => Apache::Long(*value),
        (_, _, Value::Float(bits)) => Apache::Float(f32::from_bits(*bits)),
        (_, _, Value::Double(bits)) => Apache::Double(f64::from_bits(*bits)),
        (_, Some(Logical::Decimal { .. }), Value::Bytes(bytes)) => Apache::Decimal(Decimal::from(bytes)),
        (_, _, Value::Bytes(bytes)) => Apache::Bytes(bytes.clone()),
        (_, _, Value::Text(text)) => Apache::String(text.clone()),
        (name, _, value) => panic!("{value:?} is no {name}"),
    }
}

/// Converts a value that the apache-avro crate has read. Its maps are in the order of their keys, its decimals are as short
/// as possible, and a uuid is its bytes.
fn from_apache(value: Apache) -> Value {
    match value {
        Apache::Null => Value::Null,
        Apache::Boolean(value) => Value::Bool(value),
        Apache::Int(value) | Apache::Date(value) | Apache::TimeMillis(value) => Value::Int(value.into()),
        Apache::Long(value)
        | Apache::TimeMicros(value)
        | Apache::TimestampMillis(value)
        | Apache::TimestampMicros(value)
        | Apache::TimestampNanos(value)
        | Apache::LocalTimestampMillis(value)
        | Apache::LocalTimestampMicros(value)
        | Apache::LocalTimestampNanos(value) => Value::Int(value),
        Apache::Float(value) => Value::Float(value.to_bits()),
        Apache::Double(value) => Value::Double(value.to_bits()),
        Apache::Bytes(bytes) | Apache::Fixed(_, bytes) => Value::Bytes(bytes),
        Apache::Decimal(decimal) => Value::Bytes(shortest(&Vec::try_from(&decimal).unwrap())),
        Apache::Duration(duration) => Value::Bytes(<[u8; 12]>::from(duration).to_vec()),
        Apache::String(text) => Value::Text(text),
        Apache::Uuid(uuid) => Value::Bytes(uuid.as_bytes().to_vec()),
        Apache::Enum(index, _) => Value::Symbol(index as usize),
        Apache::Union(index, value) => Value::Branch(index as usize, Box::new(from_apache(*value))),
        Apache::Array(items) => Value::List(items.into_iter().map(from_apache).collect()),
        Apache::Map(entries) => {
            let entries: BTreeMap<String, Apache> = entries.into_iter().collect();
            let entry = |(key, value)| (Value::Text(key), from_apache(value));
            Value::Map(entries.into_iter().map(entry).collect())
        }
        Apache::Record(fields) => {
            Value::Record(fields.into_iter().map(|(_, value)| from_apache(value)).collect())
        }
        other => panic!("{other:?} is not read from a file of these tests"),
    }
}

/// A value in the form that [`from_apache`] returns.
fn normal(schema: &Schema, ty: &Type, value: &Value) -> Value {
    match (ty, value) {
        (Type::Primitive(_, Some(Logical::Decimal { .. })), Value::Bytes(bytes)) => {
            Value::Bytes(shortest(bytes))
        }
        (Type::Primitive(_, Some(Logical::Simple("uuid"))), Value::Text(text)) => {
            let digits = text.replace('-', "");
            let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
            Value::Bytes((0..digits.len()).step_by(2).map(byte).collect())
        }
        (Type::Array(ty), Value::List(items)) => {
            Value::List(items.iter().map(|item| normal(schema, ty, item)).collect())
        }
        (Type::Map(ty), Value::Map(entries)) => {
            Value::Map(entries.iter().map(|(key, value)| (key.clone(), normal(schema, ty, value))).collect())
        }
        (Type::Union(branches), Value::Branch(index, value)) => {
            Value::Branch(*index, Box::new(normal(schema, &branches[*index], value)))
        }
        (Type::Named(name), value) => match (schema.definition(name), value) {
            (Definition::Record(fields), Value::Record(values)) => {
                let values = fields.iter().zip(values);
                Value::Record(values.map(|(field, value)| normal(schema, &field.ty, value)).collect())
            }
            (Definition::Fixed(_, Some(Logical::Decimal { .. })), Value::Bytes(bytes)) => {
                Value::Bytes(shortest(bytes))
            }
            (_, value) => value.clone(),
        },
        (_, value) => value.clone(),
    }
}

/// The shortest two's complement bytes of a number.
fn shortest(bytes: &[u8]) -> Vec<u8> {
    let is_sign = |pair: &[u8]| matches!(pair[0], 0 | 0xff) && (pair[0] ^ pair[1]) & 0x80 == 0;
    let signs = bytes.windows(2).take_while(|pair| is_sign(pair)).count();
    bytes[signs..].to_vec()
}
