//! What is not read, and the errors.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray, StructArray};
use arrow_ipc::writer::StreamWriter;
use arrow_ipc::{
    DecimalBuilder, Endianness, FieldBuilder, FloatingPointBuilder, IntBuilder, MapBuilder, MessageBuilder,
    MessageHeader, MetadataVersion, Precision, SchemaBuilder, TimeUnit, TimestampBuilder, Type, UnionBuilder,
};
use arrow_schema::{DataType, Field, Fields, Schema, UnionFields, UnionMode};
use arrowfeed_ipc::{IpcFormat, IpcOptions};
use arrowfeed_source::io::FileSource;
use arrowfeed_source::{Check, FeedErrorKind, Limits};
use flatbuffers::{FlatBufferBuilder, UnionWIPOffset, WIPOffset};

use crate::support::{KINDS, Kind, columns, open, packed, write};

#[test]
fn what_is_not_of_the_format_is_an_error_that_says_so() {
    let error = |bytes: &[u8]| {
        let error = open(bytes.to_vec(), IpcOptions::default()).unwrap_err();
        (error.kind(), error.to_string())
    };
    let other = |found: &str| {
        (
            FeedErrorKind::Format,
            format!("file: expected an Arrow IPC file or stream, found {found} at its start"),
        )
    };
    assert_eq!(error(b""), other("\"\""));
    assert_eq!(error(b"no such file"), other("\"no such \""));
    assert_eq!(
        error(b"\x08\0\0\0\x01\x02\x03\x04\x05\x06\x07\x08"),
        other("the bytes 08 00 00 00 01 02 03 04")
    );
    assert_eq!(
        error(b"FEA1aaaa").1,
        "file: expected an Arrow IPC file (Feather V2) or stream, found a file of Feather V1"
    );
    let file = write(Kind::File, &[columns(0..3)], packed(None));
    assert_eq!(
        error(&file[..file.len() - 1]),
        (
            FeedErrorKind::Truncated,
            "file: expected an Arrow file, which ends with \"ARROW1\", found a file without its end"
                .to_owned()
        )
    );
    let stream = FileSource::reader("stream", std::io::empty());
    let refused = IpcFormat::files([stream], IpcOptions::default(), None).unwrap_err().to_string();
    assert_eq!(
        refused,
        "expected files or bytes, which can be read more than once, found the stream \"stream\""
    );
}

/// A stream of a schema message with this column, if any.
fn stream<'a>(
    mut into: FlatBufferBuilder<'a>,
    endianness: Endianness,
    column: Option<WIPOffset<arrow_ipc::Field<'a>>>,
) -> Vec<u8> {
    let fields = into.create_vector(&column.into_iter().collect::<Vec<_>>());
    let mut schema = SchemaBuilder::new(&mut into);
    schema.add_endianness(endianness);
    schema.add_fields(fields);
    let schema = schema.finish().as_union_value();
    let mut message = MessageBuilder::new(&mut into);
    message.add_version(MetadataVersion::V5);
    message.add_header_type(MessageHeader::Schema);
    message.add_header(schema);
    let message = message.finish();
    into.finish(message, None);
    let metadata = into.finished_data();
    [&[0xff; 4][..], &(metadata.len() as i32).to_le_bytes(), metadata].concat()
}

#[test]
fn values_in_big_endian_order_are_refused() {
    let error = open(stream(FlatBufferBuilder::new(), Endianness::Big, None), IpcOptions::default());
    let expected = "file: expected values in little-endian order, found big-endian order";
    assert_eq!(error.unwrap_err().to_string(), expected);
}

#[test]
fn parameters_that_no_type_has_are_refused() {
    type Of = fn(&mut FlatBufferBuilder<'_>) -> WIPOffset<UnionWIPOffset>;
    let int: Of = |into| IntBuilder::new(into).finish().as_union_value();
    let float: Of = |into| {
        let mut float = FloatingPointBuilder::new(into);
        float.add_precision(Precision(9));
        float.finish().as_union_value()
    };
    let timestamp: Of = |into| {
        let mut timestamp = TimestampBuilder::new(into);
        timestamp.add_unit(TimeUnit(-1));
        timestamp.finish().as_union_value()
    };
    let decimal: Of = |into| {
        let mut decimal = DecimalBuilder::new(into);
        decimal.add_precision(300);
        decimal.finish().as_union_value()
    };
    let union: Of = |into| {
        let ids = into.create_vector(&[256_i32]);
        let mut union = UnionBuilder::new(into);
        union.add_typeIds(ids);
        union.finish().as_union_value()
    };
    let map: Of = |into| MapBuilder::new(into).finish().as_union_value();
    let other = |name| format!("the type {name} with other parameters");
    for (kind, of, expected, found) in [
        (Type::Int, int, "an integer of 8, 16, 32 or 64 bits", other("Int")),
        (Type::FloatingPoint, float, "a float of 16, 32 or 64 bits", other("FloatingPoint")),
        (
            Type::Timestamp,
            timestamp,
            "a timestamp in seconds, milliseconds, microseconds or nanoseconds",
            other("Timestamp"),
        ),
        (Type::Decimal, decimal, "a decimal of 32, 64, 128 or 256 bits", other("Decimal")),
        (Type::Union, union, "a union with a number from 0 to 127 for each of its types", other("Union")),
        (Type::Map, map, "a map with the type of its entries", other("Map")),
        (Type::RunEndEncoded, map, "runs with the types of their ends and values", other("RunEndEncoded")),
        (Type(99), map, "a type of Arrow", "the type with the number 99".to_owned()),
    ] {
        let mut into = FlatBufferBuilder::new();
        let (name, of) = (into.create_string("x"), of(&mut into));
        let mut field = FieldBuilder::new(&mut into);
        field.add_name(name);
        field.add_type_type(kind);
        field.add_type_(of);
        let field = field.finish();
        let error = open(stream(into, Endianness::Little, Some(field)), IpcOptions::default()).unwrap_err();
        let expected = format!("file: x: expected {expected}, found {found}");
        assert_eq!((error.kind(), error.to_string()), (FeedErrorKind::Format, expected));
    }
}

#[test]
fn a_union_without_types_is_refused() {
    let union = DataType::Union(UnionFields::empty(), UnionMode::Sparse);
    let union = Field::new("s", DataType::Struct(vec![Field::new("u", union, true)].into()), true);
    let mut stream = Vec::new();
    StreamWriter::try_new(&mut stream, &Schema::new(vec![union])).unwrap().finish().unwrap();
    let error = open(stream, IpcOptions::default()).unwrap_err();
    let expected = "file: s.u: expected a union of one type or more, found Union(Sparse)";
    assert_eq!((error.kind(), error.to_string()), (FeedErrorKind::Format, expected.to_owned()));
}

#[test]
fn files_of_other_columns_are_refused_where_they_are_read() {
    let other: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    let other = RecordBatch::try_from_iter([("id", other)]).unwrap();
    for kind in KINDS {
        let files = [columns(0..3), other.clone()].map(|batch| write(kind, &[batch], packed(None)));
        let sources =
            files.into_iter().zip(["a", "b"]).map(|(bytes, name)| FileSource::bytes(bytes).with_name(name));
        let columns = Some(vec!["id".to_owned()]);
        let files = IpcFormat::files(sources, IpcOptions { columns, ..Default::default() }, None).unwrap();
        let error = files.open(1, &Check::never()).unwrap_err();
        assert_eq!(error.kind(), FeedErrorKind::Schema);
        assert_eq!(
            error.to_string(),
            "b: expected the columns of a: column \"id\" to be Int64, found \"id\" as Utf8"
        );
    }
}

#[test]
fn limits_are_checked_before_memory_is_taken() {
    let nested = (0..70).fold(Arc::new(StringArray::from(vec!["a"])) as ArrayRef, |inner, _| {
        let fields = Fields::from(vec![Field::new("s", inner.data_type().clone(), true)]);
        Arc::new(StructArray::new(fields, vec![inner], None))
    });
    let nested = RecordBatch::try_from_iter([("s", nested)]).unwrap();
    let many = columns(0..1);
    let wide = Limits { expanded_fields: 3, ..Limits::default() };
    let short = Limits { header_bytes: 100, ..Limits::default() };
    for kind in KINDS {
        for (batch, limits, name) in [
            (&nested, Limits::default(), "schema_depth"),
            (&many, wide.clone(), "expanded_fields"),
            (&many, short.clone(), "header_bytes"),
        ] {
            let bytes = write(kind, std::slice::from_ref(batch), packed(None));
            let error = open(bytes, IpcOptions { limits, ..Default::default() }).unwrap_err();
            assert_eq!(error.limit(), Some(name), "{error}");
        }
    }
}

#[test]
fn types_that_arrow_cannot_hold_are_refused() {
    let id: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
    let fields = vec![Field::new("id", DataType::Utf8, true), Field::new("id", DataType::Utf8, true)];
    let schema = Arc::new(arrow_schema::Schema::new(fields));
    let batch = RecordBatch::try_new(schema, vec![id.clone(), id]).unwrap();
    let error = open(write(Kind::File, &[batch], packed(None)), IpcOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "file: expected columns of different names, found two named \"id\"");
}
