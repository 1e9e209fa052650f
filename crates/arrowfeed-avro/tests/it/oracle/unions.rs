//! Unions as structs and as JSON text: the dense unions of the same rows, converted by plain code.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema as ArrowSchema};
use arrowfeed_avro::{
    AvroOptions, AvroSchema, ColumnEncoding, FeedErrorKind, FileSource, Limits, RecordDecoder, StringType,
    Unions,
};
use proptest::prelude::*;

use super::faults::{assert_same_error, damaged};
use crate::support::batches::rows;
use crate::support::case::{Case, assert_reads, assert_rows, cases, config, read, read_all};
use crate::support::encode::Encoder;
use crate::support::evolve::evolve;
use crate::support::open::{columns, open_as};
use crate::support::shapes::Kinds;
use crate::support::unions::Form;
use crate::support::value::Value;
use crate::support::wrap::Wrap;

fn text(strings: StringType) -> DataType {
    match strings {
        StringType::Utf8 => DataType::Utf8,
        StringType::LargeUtf8 => DataType::LargeUtf8,
        StringType::Utf8View => DataType::Utf8View,
    }
}

fn forms(case: &Case) -> [(Unions, Form); 2] {
    [(Unions::Struct, Form::Struct), (Unions::Json, Form::Json(text(case.strings)))]
}

/// Checks that a reader gives the rows and the error of dense unions, which the options have.
fn check(case: &Case, options: &AvroOptions) {
    let schema = case.open_as(options.clone()).map(|reader| reader.schema());
    let (dense, error) = read(case.open_as(options.clone()));
    for (unions, form) in forms(case) {
        let opened = case.open_as(AvroOptions { unions, ..options.clone() });
        let (schema, opened) = match (&schema, opened) {
            (Ok(schema), Ok(opened)) => (schema, opened),
            (Err(expected), Err(found)) => {
                assert_same_error(&found, expected);
                continue;
            }
            (_, opened) => panic!("{error:?}, {opened:?}"),
        };
        assert_eq!(*opened.schema(), ArrowSchema::new(form.fields(schema.fields())));
        let (found, found_error) = read(Ok(opened));
        let expected: Vec<Vec<Value>> =
            rows(&dense).iter().map(|row| form.row(schema.fields(), row)).collect();
        assert_rows(&found, &expected);
        match (&found_error, &error) {
            (None, None) => {}
            (Some(found), Some(expected)) => assert_same_error(found, expected),
            (found, expected) => panic!("{found:?}, {expected:?}"),
        }
    }
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn unions_are_the_dense_ones_in_another_form(case in cases(Kinds::All)) {
        check(&case, &case.options());
    }

    #[test]
    fn an_evolved_schema_has_unions_in_the_same_form(case in cases(Kinds::All)) {
        let schema = AvroSchema::parse(&evolve(&case.schema, &mut case.seed.clone()).to_json()).unwrap();
        check(&case, &AvroOptions { reader_schema: Some(schema), ..case.options() });
    }
}

proptest! {
    #![proptest_config(config(50))]

    #[test]
    fn a_damaged_block_has_the_error_of_dense_unions(case in cases(Kinds::All)) {
        let (case, ..) = damaged(case);
        check(&case, &case.options());
    }

    #[test]
    fn small_batches_have_the_same_rows(case in cases(Kinds::All)) {
        let most = 1 + case.seed.clone().below(2000);
        for (unions, form) in forms(&case) {
            let native = case.mapping().columns();
            let options = AvroOptions { unions, max_batch_bytes: Some(most), ..case.options() };
            let batches = read_all(case.open_as(options));
            let expected: Vec<Vec<Value>> =
                case.cells().iter().map(|row| form.row(&native.clone().into(), row)).collect();
            assert_rows(&batches, &expected);
            // A batch of several rows was not over the limit before the last one was added.
            for batch in batches.iter().filter(|batch| batch.num_rows() > 1) {
                let size: usize = (0..batch.num_columns())
                    .filter(|i| matches!(native[*i].data_type(), DataType::Union(..)))
                    .map(|i| size_of(batch, i))
                    .sum();
                prop_assert!(size <= most, "{} of {}", size, most);
            }
        }
    }

    #[test]
    fn lists_are_put_around_structs_and_text(case in cases(Kinds::All)) {
        for encoding in [ColumnEncoding::Feature, ColumnEncoding::Tfx] {
            let wrap = Wrap { tfx: encoding == ColumnEncoding::Tfx };
            let mut mapping = case.mapping();
            mapping.tfx = wrap.tfx;
            for (unions, form) in forms(&case) {
                if wrap.tfx && unions == Unions::Json {
                    // The text is that of the native value.
                    continue;
                }
                let native = mapping.columns();
                let converted: Vec<Field> = form.fields(&native.clone().into());
                let fields = converted.iter().map(|field| wrap.field(field)).collect();
                let cells = case.rows.iter().map(|row| {
                    let cells = form.row(&native.clone().into(), &mapping.cells(row));
                    let cells = cells.iter().zip(&converted);
                    cells.map(|(cell, field)| wrap.value(field.data_type(), cell)).collect()
                });
                let reader = case.open_as(AvroOptions { encoding, unions, ..case.options() });
                assert_reads(reader, fields, &cells.collect::<Vec<Vec<Value>>>());
            }
        }
    }

    #[test]
    fn records_without_a_file_have_them_too(case in cases(Kinds::All)) {
        let schema = AvroSchema::parse(&case.file.schema).unwrap();
        let native = case.mapping().columns().into();
        for (unions, form) in forms(&case) {
            let options = AvroOptions { unions, string_type: case.strings, ..AvroOptions::default() };
            let mut decoder = RecordDecoder::new(&schema, options).unwrap();
            for row in &case.rows {
                let mut encoder = Encoder::new(&case.schema, 0);
                encoder.row(row);
                decoder.decode(&encoder.out).unwrap();
            }
            let batches: Vec<RecordBatch> = std::iter::from_fn(|| decoder.flush().unwrap()).collect();
            let expected: Vec<Vec<Value>> =
                case.cells().iter().map(|row| form.row(&native, row)).collect();
            assert_rows(&batches, &expected);
        }
    }
}

/// Bytes of the text of a column, or of the buffers of a struct's fields without text, items and nulls.
fn size_of(batch: &RecordBatch, column: usize) -> usize {
    let array = batch.column(column);
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().values().len(),
        DataType::LargeUtf8 => array.as_string::<i64>().values().len(),
        DataType::Utf8View => array.as_string_view().iter().flatten().map(str::len).sum(),
        DataType::Struct(fields) => {
            let width = |field: &Field| match field.data_type() {
                DataType::FixedSizeBinary(size) => *size as usize,
                other => other.primitive_width().unwrap_or(0),
            };
            array.len() * fields.iter().map(|field| width(field)).sum::<usize>()
        }
        other => panic!("{other}"),
    }
}

/// A file of one block with a column `u` of the type.
fn file(ty: &str, rows: &[&[u8]]) -> FileSource {
    let schema = format!(r#"{{"type": "record", "name": "R", "fields": [{{"name": "u", "type": {ty}}}]}}"#);
    let payload = rows.concat();
    let case = crate::support::file::AvroFile {
        schema,
        codec: arrowfeed_avro::Codec::Null,
        sync: [7; 16],
        blocks: vec![crate::support::file::Block { count: rows.len() as u64, payload }],
    };
    FileSource::bytes(case.bytes())
}

#[test]
fn fields_of_absent_branches_count_towards_the_size_of_a_batch() {
    let ty = r#"["null", {"type": "fixed", "name": "F", "size": 1000}, "int"]"#;
    let rows = [&[0_u8][..]; 100];
    let structs = AvroOptions { unions: Unions::Struct, ..AvroOptions::default() };
    let options = AvroOptions { max_batch_bytes: Some(10_000), ..structs.clone() };
    let batches = read_all(open_as(file(ty, &rows), options));
    assert!(batches.iter().all(|batch| (1..=10).contains(&batch.num_rows())));
    assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 100);
    let limits = Limits { batch_bytes: 900, ..Limits::default() };
    let (batches, error) = read(open_as(file(ty, &rows), AvroOptions { limits, ..structs }));
    let error = error.unwrap();
    assert!(batches.is_empty());
    assert_eq!(
        (error.kind(), error.message()),
        (FeedErrorKind::Limit, "a record is over the limit batch_bytes of 900")
    );
}

#[test]
fn text_counts_towards_the_size_of_a_batch() {
    let name = "a_long_name_of_a_field".repeat(20);
    let record =
        format!(r#"{{"type": "record", "name": "I", "fields": [{{"name": "{name}", "type": "null"}}]}}"#);
    let ty = format!(r#"["int", {{"type": "array", "items": {record}}}]"#);
    // 100 items of no bytes, each of which has the name of its field.
    let row = &[2_u8, 200, 1, 0][..];
    let json = AvroOptions { unions: Unions::Json, ..AvroOptions::default() };
    let options = AvroOptions { max_batch_bytes: Some(100_000), ..json.clone() };
    let batches = read_all(open_as(file(&ty, &[row; 10]), options));
    for batch in &batches {
        let bytes = batch.column(0).as_string::<i32>().values().len();
        assert!(bytes > 40_000 && bytes < 100_000, "{bytes}");
    }
    let limited = |batch_bytes| {
        let limits = Limits { batch_bytes, ..Limits::default() };
        AvroOptions { limits, ..json.clone() }
    };
    let (_, error) = read(open_as(file(&ty, &[row]), limited(40_000)));
    assert_eq!(error.unwrap().message(), "a record is over the limit batch_bytes of 40,000");
    // Control characters become six bytes each.
    let long = [&[2_u8, 208, 15][..], &[1; 1000]].concat();
    let read = |bytes| read(open_as(file(r#"["int", "string"]"#, &[&long]), limited(bytes)));
    assert_eq!(read(6_000).1.unwrap().message(), "a record is over the limit batch_bytes of 6,000");
    assert_eq!(
        read(7_000).0[0].column(0).as_string::<i32>().value(0).len(),
        6_000 + r#"{"string":""}"#.len()
    );
}

/// A default of few bytes, whose items have long names or large fields.
#[test]
fn a_default_counts_with_its_decoded_size() {
    let name = "n".repeat(1000);
    let fixed = r#"{"type": "fixed", "name": "F", "size": 1000}"#;
    let item = format!(
        r#"{{"type": "record", "name": "I", "fields": [
            {{"name": "{name}", "type": "null", "default": null}}, {{"name": "u", "type": ["int", {fixed}], "default": 1}}]}}"#
    );
    let list = format!(r#"{{"type": "array", "items": {item}}}"#);
    let items = vec!["{}"; 1000].join(", ");
    let types =
        [(Unions::Struct, list.clone()), (Unions::Json, format!(r#"[{list}, "int"]"#)), (Unions::Json, list)];
    for (unions, ty) in types {
        let schema = format!(
            r#"{{"type": "record", "name": "R", "fields": [{{"name": "x", "type": {ty}, "default": [{items}]}}]}}"#
        );
        let schema = AvroSchema::parse(&schema).unwrap();
        let open = |batch_bytes| {
            let limits = Limits { batch_bytes, ..Limits::default() };
            let reader_schema = Some(schema.clone());
            let options = AvroOptions { unions, limits, reader_schema, ..AvroOptions::default() };
            open_as(file(r#""int""#, &[&[2]]), options)
        };
        let error = open(9_000).unwrap_err();
        assert_eq!(
            error.to_string().rsplit_once("x: ").unwrap().1,
            "the default of the reader's schema is over the limit batch_bytes of 9,000"
        );
        assert_eq!(read_all(open(100 << 20)).len(), 1);
    }
}

#[test]
fn branches_with_the_same_name_cannot_be_fields_of_one_struct() {
    let ty = r#"[{"type": "array", "items": "int"}, {"type": "enum", "name": "array", "symbols": ["A"]}]"#;
    let open = |unions| open_as(file(ty, &[&[2, 0]]), AvroOptions { unions, ..AvroOptions::default() });
    let error = open(Unions::Struct).unwrap_err();
    assert_eq!((error.kind(), error.location().field.as_deref()), (FeedErrorKind::Schema, Some("u")));
    assert_eq!(
        error.message(),
        "expected branches with different names in a union that becomes a struct, found two named \"array\"; \
         read it as a dense union or as JSON"
    );
    let batches = read_all(open(Unions::Json));
    assert_eq!(batches[0].column(0).as_string::<i32>().value(0), r#"{"array":"A"}"#);
}

#[test]
fn a_branch_that_is_left_out_may_be_recursive() {
    let ty = r#"["null", "int", {"type": "record", "name": "N", "fields": [
        {"name": "n", "type": ["null", "N", "string"]}, {"name": "k", "type": "int"}]}]"#;
    let rows: [&[u8]; 3] = [&[2, 6], &[4, 4, 2, b'x', 10], &[4, 2, 0, 8, 10]];
    let list = |before: &str, after: &str| {
        let before = format!(r#"{{"type": "array", "items": {before}{{"type": "record""#);
        let ty = ty.replace(r#"{"type": "record""#, &before);
        ty.replace(r#""int"}]}]"#, &format!(r#""int"}}]}}{after}}}]"#))
    };
    let types = [ty.to_owned(), list("", ""), list(r#"["null", "#, "]"), list(r#"["string", "#, "]")];
    for (i, ty) in types.into_iter().enumerate() {
        let rows = if i > 0 { &rows[..1] } else { &rows[..] };
        let options = AvroOptions { unions: Unions::Struct, ..columns(["u.int"]) };
        let batches = read_all(open_as(file(&ty, rows), options));
        let ints = batches[0].column(0).as_struct().column(0).as_primitive::<arrow_array::types::Int32Type>();
        let expected = [Some(3), None, None];
        assert_eq!(ints.iter().collect::<Vec<_>>(), expected[..rows.len()]);
    }
}

#[test]
fn years_before_0_have_four_digits_too() {
    let day = r#"{"type": "int", "logicalType": "date"}"#;
    let rows: [&[u8]; 2] = [&[2, 0xd1, 0xea, 0x57], &[2, 0xcf, 0xea, 0x57]];
    let options = AvroOptions { unions: Unions::Json, ..AvroOptions::default() };
    let batches = read_all(open_as(file(&format!(r#"["string", {day}]"#), &rows), options));
    let texts = batches[0].column(0).as_string::<i32>();
    assert_eq!(
        texts.iter().flatten().collect::<Vec<_>>(),
        [r#"{"int":"-0001-12-31"}"#, r#"{"int":"0000-01-01"}"#]
    );
}

#[test]
fn text_in_tfx_is_that_of_the_native_value() {
    let ty = r#"["null", "string", {"type": "int", "logicalType": "date"}, "boolean"]"#;
    let rows: [&[u8]; 4] = [&[0], &[2, 2, b'x'], &[4, 2], &[6, 1]];
    let options =
        AvroOptions { encoding: ColumnEncoding::Tfx, unions: Unions::Json, ..AvroOptions::default() };
    let batches = read_all(open_as(file(ty, &rows), options));
    let found = crate::support::batches::rows(&batches);
    let text = |text: &str| vec![Value::List(vec![Value::Bytes(text.into())])];
    let texts = [r#"{"string":"x"}"#, r#"{"int":"1970-01-02"}"#, r#"{"boolean":true}"#].map(text);
    assert_eq!(found, [&[vec![Value::Null]][..], &texts].concat());
}

/// The slots of a branch that no row has are null. The lists of the encodings drop the nulls of their values, so the keys
/// of such slots are valid, or the nulls stay.
#[test]
fn enums_of_absent_branches_are_null() {
    let symbols = r#"{"type": "enum", "name": "E", "symbols": ["A", "B"]}"#;
    let record =
        |ty: &str| format!(r#"{{"type": "record", "name": "T", "fields": [{{"name": "e", "type": {ty}}}]}}"#);
    let branches = [symbols.to_string(), record(symbols), record(&format!("[{symbols}]"))];
    for branch in branches {
        let both = format!(r#"["long", {branch}]"#);
        let schema = |ty: &str| {
            format!(r#"{{"type": "record", "name": "R", "fields": [{{"name": "u", "type": {ty}}}]}}"#)
        };
        let readers = AvroSchema::parse(&schema(&both)).unwrap();
        for encoding in [ColumnEncoding::Native, ColumnEncoding::Feature, ColumnEncoding::Tfx] {
            let options = AvroOptions { encoding, unions: Unions::Struct, ..AvroOptions::default() };
            let read = read_all(open_as(file(&both, &[&[0, 2], &[0, 4]]), options.clone()));
            let symbols = dictionary(read[0].column(0)).map(|symbols| symbols.len());
            assert_eq!(symbols, if encoding == ColumnEncoding::Tfx { None } else { Some(2) });
            // The writer's schema has no such branch.
            let options = AvroOptions { reader_schema: Some(readers.clone()), ..options };
            let without = read_all(open_as(file(r#"["long"]"#, &[&[0, 2], &[0, 4]]), options));
            let rows = crate::support::batches::rows;
            assert_eq!((rows(&read), read[0].num_rows()), (rows(&without), 2));
        }
    }
}

/// Returns the values of the first dictionary in an array.
fn dictionary(array: &ArrayRef) -> Option<ArrayRef> {
    let data = array.to_data();
    if let Some(array) = array.as_any_dictionary_opt() {
        return Some(array.values().clone());
    }
    data.child_data().iter().find_map(|child| dictionary(&arrow_array::make_array(child.clone())))
}
