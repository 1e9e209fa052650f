//! Files with different columns, whose types are merged.

use arrow_schema::{DataType, Field, Schema};
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::{FileSet, Part, Workers};
use arrowfeed_source::{FeedError, FeedErrorKind, Limits, OnError};
use arrowfeed_text::{CsvFormat, CsvOptions, JsonLinesFormat, JsonLinesOptions};

use crate::support::{joined, options, read, schema, shown};

fn sources(files: &[&str]) -> Vec<FileSource> {
    let files = files.iter().enumerate();
    files.map(|(at, text)| FileSource::bytes(text.as_bytes().to_vec()).with_name(format!("{at}"))).collect()
}

fn csv(files: &[&str], options: CsvOptions) -> Result<FileSet, FeedError> {
    CsvFormat::files(sources(files), options, None)
}

fn json(files: &[&str], options: JsonLinesOptions) -> Result<FileSet, FeedError> {
    JsonLinesFormat::files(sources(files), options, None)
}

fn merging() -> CsvOptions {
    CsvOptions { merge_schemas: true, ..Default::default() }
}

fn merging_json() -> JsonLinesOptions {
    JsonLinesOptions { merge_schemas: true, ..Default::default() }
}

fn types(files: &FileSet) -> Vec<String> {
    let fields = files.schema().fields().iter();
    fields.map(|field| format!("{} {}", field.name(), field.data_type())).collect()
}

fn changes(files: &FileSet) -> Vec<String> {
    files.merge().unwrap().changes.iter().map(ToString::to_string).collect()
}

/// The rows of all files.
fn rows(files: &FileSet) -> Vec<String> {
    let parts = (0..files.len()).map(Part::whole).collect();
    let (batches, _, error) = read(files, parts, options(100, OnError::Raise, Workers::Caller));
    assert!(error.is_none(), "{error:?}");
    shown(&joined(files, &batches))
}

#[test]
fn columns_of_csv_files_are_united_in_the_order_of_the_files() {
    let files = ["a,b\n1,x\n2,\n", "b,c,a\ny,7,0.5\n", "c\nz\n", "", "b,a\n"];
    let error = csv(&files, merging()).unwrap_err().to_string();
    assert_eq!(error, "3: expected a line with the names of the columns, found the end of the file");
    let files = [files[0], files[1], files[2], files[4]];
    let found = csv(&files, merging()).unwrap();
    assert_eq!(types(&found), ["a Float64", "b Utf8", "c Utf8"]);
    let expected = [
        "1: a: changed from Int64 to Float64",
        "1: c: added with the type Int64",
        "2: c: changed from Int64 to Utf8",
    ];
    assert_eq!(changes(&found), expected);
    let expected = ["1.0 | x | null", "2.0 | null | null", "0.5 | y | 7", "null | null | z"];
    assert_eq!(rows(&found), expected);
    // The columns of a projection, none of which the first file has.
    let some = CsvOptions { columns: Some(vec!["c".to_owned()]), ..merging() };
    assert_eq!(rows(&csv(&files, some).unwrap()), ["null", "null", "7", "z"]);
    let some = found.with_columns(&["c".to_owned(), "a".to_owned()]).unwrap();
    assert_eq!(rows(&some), ["null | 1.0", "null | 2.0", "7 | 0.5", "z | null"]);
}

#[test]
fn a_schema_reads_files_that_lack_columns() {
    let files = ["b,a\nx,1\n", "a,d\n2,q\n"];
    let of = |columns: &[(&str, DataType)]| CsvOptions {
        schema: Some(schema(columns)),
        missing_columns: true,
        ..Default::default()
    };
    let given =
        of(&[("a", DataType::Int32), ("b", DataType::Utf8), ("c", DataType::new_list(DataType::Int8, true))]);
    assert_eq!(rows(&csv(&files, given.clone()).unwrap()), ["1 | x | null", "2 | null | null"]);
    let strict = CsvOptions { missing_columns: false, ..given.clone() };
    let error = csv(&files, strict).unwrap_err().to_string();
    assert_eq!(error, "expected a column \"c\", found the columns \"b\", \"a\"");
    let required = Schema::new(vec![Field::new("b", DataType::Utf8, false)]);
    let required = csv(&files, CsvOptions { schema: Some(required.into()), ..given }).unwrap();
    let (_, _, error) = read(&required, vec![Part::whole(1)], options(9, OnError::Raise, Workers::Caller));
    assert_eq!(error.unwrap().to_string(), "1: expected a column \"b\", found the columns \"a\", \"d\"");
    let wrong = of(&[("c", DataType::Interval(arrow_schema::IntervalUnit::YearMonth))]);
    let error = csv(&files, wrong).unwrap_err().to_string();
    assert!(error.starts_with("c: expected a type that a CSV cell can hold, found Interval"), "{error}");
}

#[test]
fn headers_of_other_files_are_checked() {
    let read_second = |second: &str, limits: Limits| {
        let found = CsvOptions {
            schema: Some(schema(&[("a", DataType::Utf8)])),
            missing_columns: true,
            limits,
            ..Default::default()
        };
        let files = csv(&["a\nx\n", second], found).unwrap();
        let (_, _, error) = read(&files, vec![Part::whole(1)], options(9, OnError::Raise, Workers::Caller));
        error.unwrap().to_string()
    };
    let error = read_second("b,b\n1,2\n", Limits::default());
    assert_eq!(error, "1: expected columns with different names, found \"b\" more than once");
    let error = read_second("b,c\n1,2\n", Limits { expanded_fields: 1, ..Limits::default() });
    assert_eq!(error, "1: expected a file of at most 1 columns, found 2");
    let error = read_second("b,a\n1\n", Limits::default());
    assert_eq!(error, "1: block 0 at byte 4, record 0: expected 2 cells, found 1");
}

#[test]
fn options_that_contradict_a_merge_are_errors() {
    let files = ["a\n1\n"];
    let message = |options| csv(&files, options).unwrap_err().to_string();
    let given = CsvOptions { schema: Some(schema(&[("a", DataType::Utf8)])), ..merging() };
    assert_eq!(message(given), "expected either a schema or merge_schemas, found both");
    let expected =
        "expected files with headers that name their columns, because files may have different columns";
    assert_eq!(message(CsvOptions { names: Some(vec!["a".to_owned()]), ..merging() }), expected);
    assert_eq!(message(CsvOptions { header: false, ..merging() }), expected);
    let given = JsonLinesOptions { schema: Some(schema(&[("a", DataType::Utf8)])), ..merging_json() };
    let error = json(&["{\"a\": 1}"], given).unwrap_err().to_string();
    assert_eq!(error, "expected either a schema or merge_schemas, found both");
}

#[test]
fn types_and_samples_are_of_each_file() {
    let files = ["a,z\n1,01\nx,2\n", "z,y\n03,5\n"];
    let given = CsvOptions { types: Some(schema(&[("z", DataType::Utf8)])), sample: Some(1), ..merging() };
    let found = csv(&files, given.clone()).unwrap();
    assert_eq!(types(&found), ["a Int64", "z Utf8", "y Int64"]);
    let (_, _, error) = read(&found, vec![Part::whole(0)], options(9, OnError::Raise, Workers::Caller));
    let expected = "0: block 0 at byte 9, record 1: a: expected a value of Int64, found \"x\": the type was inferred from the first 1 record, so give a schema or a larger sample";
    assert_eq!(error.unwrap().to_string(), expected);
    let unknown = CsvOptions { types: Some(schema(&[("w", DataType::Utf8)])), ..given };
    let error = csv(&files, unknown).unwrap_err().to_string();
    assert_eq!(error, "types: expected the column \"w\", found the columns \"a\", \"z\", \"y\"");
}

#[test]
fn multivalent_columns_may_be_missing() {
    let options = CsvOptions {
        multivalent_columns: Some(vec!["m".to_owned()]),
        secondary_delimiter: Some(b'|'),
        ..merging()
    };
    let files = ["a\n1\n", "m,a\n1|2,3\n"];
    let found = csv(&files, options.clone()).unwrap();
    assert_eq!(types(&found), ["a Int64", "m List(Int64)"]);
    assert_eq!(rows(&found), ["1 | null", "3 | [1, 2]"]);
    let error = csv(&files[..1], options).unwrap_err().to_string();
    assert_eq!(error, "expected the multivalent column \"m\", found the columns \"a\"");
}

#[test]
fn keys_of_json_lines_are_united_in_the_order_of_the_files() {
    let files = [
        "{\"z\": 1, \"s\": {\"x\": null}}\n",
        "",
        "{\"a\": [1], \"z\": 0.5, \"s\": {\"x\": true, \"y\": \"t\"}}\n",
    ];
    let found = json(&files, merging_json()).unwrap();
    let expected = ["s Struct(\"x\": Boolean, \"y\": Utf8)", "z Float64", "a List(Int64)"];
    assert_eq!(types(&found), expected);
    let expected = [
        "2: s.x: changed from Null to Boolean",
        "2: s.y: added with the type Utf8",
        "2: z: changed from Int64 to Float64",
        "2: a: added with the type List(Int64)",
    ];
    assert_eq!(changes(&found), expected);
    assert_eq!(rows(&found), ["{x: null, y: null} | 1.0 | null", "{x: true, y: t} | 0.5 | [1]"]);
    let texts = json(&["{\"a\": 1}\n", "{\"a\": \"x\"}\n", "{\"a\": true}\n"], merging_json()).unwrap();
    assert_eq!(changes(&texts), ["1: a: changed from Int64 to Utf8"]);
    assert_eq!(rows(&texts), ["1", "x", "true"]);
    let error = json(&["{\"a\": {}}", "{\"a\": 1}\n"], merging_json()).unwrap_err().to_string();
    assert_eq!(error, "1: a: expected Struct() as in 0, found Int64, which cannot be merged");
    let error = json(&["", "\n"], merging_json()).unwrap_err().to_string();
    assert_eq!(error, "expected records with keys to make columns from, found none: give a schema");
}

#[test]
fn an_integer_that_floats_would_round_is_an_error_beside_floats() {
    let (big, text) = ((1_u64 << 53) + 1, "9007199254740993");
    let message = |path: &str, record: &str| {
        format!(
            "{path}: expected an integer that Float64 can hold, because the column also has floats, found {text} in {record}: give a schema"
        )
    };
    let refused = |error: FeedError, expected: String| {
        assert_eq!((error.kind(), error.to_string()), (FeedErrorKind::Conversion, expected));
    };
    let cells = [format!("a,x\n1,{big}\n"), "a,x\n1,0.5\n".to_owned()];
    let cells = cells.each_ref().map(String::as_str);
    let inferring = CsvOptions::default;
    let record = "record 0 of block 0 of 0";
    refused(csv(&cells, merging()).unwrap_err(), message("x", record));
    refused(csv(&cells, inferring()).unwrap_err(), message("x", record));
    refused(csv(&[cells[1], cells[0]], merging()).unwrap_err(), message("x", "record 0 of block 0 of 1"));
    let lists = CsvOptions {
        multivalent_columns: Some(vec!["x".to_owned()]),
        secondary_delimiter: Some(b'|'),
        ..Default::default()
    };
    let found = csv(&["a,x\n1,0.5|9007199254740993\n"], lists);
    refused(found.unwrap_err(), message("x", record));
    let objects = ["{\"s\": [{\"x.y\": 9007199254740993}]}\n", "{\"s\": [{\"x.y\": 0.5}]}\n"];
    refused(json(&objects, merging_json()).unwrap_err(), message("s['x.y']", "record 0 of block 0 of 0"));
    refused(
        json(&objects, JsonLinesOptions::default()).unwrap_err(),
        message("s['x.y']", "record 0 of block 0 of 0"),
    );

    // Alone, among texts and below the limit, they keep their values. A type that is given rounds them.
    assert_eq!(rows(&csv(&cells[..1], inferring()).unwrap()), ["1 | 9007199254740993"]);
    let texts = csv(&[cells[0], cells[1], "a,x\n1,t\n"], merging()).unwrap();
    assert_eq!(rows(&texts), ["1 | 9007199254740993", "1 | 0.5", "1 | t"]);
    let even = csv(&["x\n9007199254740994\n0.5\n"], inferring()).unwrap();
    assert_eq!(rows(&even), ["9007199254740994.0", "0.5"]);
    let given = CsvOptions { types: Some(schema(&[("x", DataType::Float64)])), ..merging() };
    assert_eq!(rows(&csv(&cells, given).unwrap()), ["1 | 9007199254740992.0", "1 | 0.5"]);
}
