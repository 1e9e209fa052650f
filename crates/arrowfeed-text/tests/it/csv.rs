//! Columns, types and errors of CSV files.

use crate::support::{csv, error_of, gzip, options, read, schema, shown, whole};
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::{Part, Workers};
use arrowfeed_source::{Check, FeedErrorKind, Limits, OnError};
use arrowfeed_text::{CsvFormat, CsvOptions};

fn types(file: &[u8], options: CsvOptions) -> Vec<String> {
    let files = csv(file, options).unwrap();
    let fields = files.schema().fields().iter();
    fields.map(|field| format!("{} {}", field.name(), field.data_type())).collect()
}

#[test]
fn types_are_inferred_over_all_records() {
    let file = b"int,float,text,long,nothing\n1,1,1,1,\n-2,0.5,x,9223372036854775808,\n,,,,\"\"\n";
    let expected = ["int Int64", "float Float64", "text Utf8", "long Utf8", "nothing Null"];
    assert_eq!(types(file, CsvOptions::default()), expected);
    assert_eq!(types(&gzip(file), CsvOptions::default()), expected);
    let sample = types(file, CsvOptions { sample: Some(1), ..Default::default() });
    assert_eq!(sample, ["int Int64", "float Int64", "text Int64", "long Int64", "nothing Null"]);
    let rows = shown(&whole(&csv(file, CsvOptions::default()).unwrap()));
    let expected = [
        "1 | 1.0 | 1 | 1 | null",
        "-2 | 0.5 | x | 9223372036854775808 | null",
        "null | null | null | null | null",
    ];
    assert_eq!(rows, expected);
}

#[test]
fn given_types_replace_inferred_ones() {
    let file = b"zip,n,t\n01234,1,x\n56789,2,y\n";
    let of = |columns| CsvOptions { types: Some(schema(columns)), ..Default::default() };
    let given = of(&[("n", DataType::Float32), ("zip", DataType::Utf8)]);
    assert_eq!(types(file, given.clone()), ["zip Utf8", "n Float32", "t Utf8"]);
    assert_eq!(shown(&whole(&csv(file, given).unwrap())), ["01234 | 1.0 | x", "56789 | 2.0 | y"]);
    let sampled = CsvOptions { sample: Some(1), ..of(&[("t", DataType::Int64)]) };
    let error = error_of(&csv(b"zip,t\n1,2\n3,x\n", sampled).unwrap());
    assert_eq!(error, "file: block 0 at byte 10, record 1: t: expected a value of Int64, found \"x\"");
    let message = |options| csv(file, options).unwrap_err().to_string();
    assert_eq!(
        message(of(&[("zap", DataType::Utf8)])),
        "types: expected the column \"zap\", found the columns \"zip\", \"n\", \"t\""
    );
    assert_eq!(
        message(CsvOptions {
            schema: Some(schema(&[("n", DataType::Utf8)])),
            ..of(&[("n", DataType::Utf8)])
        }),
        "expected either a schema or the types of some columns, found both"
    );
    let twice = of(&[("n", DataType::Utf8), ("n", DataType::Int8)]);
    assert_eq!(message(twice), "types: expected different columns, found \"n\" more than once");
}

/// Options of cells with several values.
fn multivalent(columns: &[&str], delimiter: u8) -> CsvOptions {
    let columns = columns.iter().map(|column| (*column).to_owned()).collect();
    CsvOptions {
        multivalent_columns: Some(columns),
        secondary_delimiter: Some(delimiter),
        ..Default::default()
    }
}

#[test]
fn lines_with_a_comment_are_skipped() {
    let options =
        CsvOptions { comment: Some(b'#'), skip_blank_lines: false, chunk_bytes: 4, ..Default::default() };
    let file = b"# it's \"here\na,b\n#,\"\n1,#2\n\n\"#\",4\r\n#\r5,6\n#";
    let files = csv(file, options).unwrap();
    assert_eq!(shown(&whole(&files)), ["1 | #2", "null | null", "# | 4", "5 | 6"]);
}

#[test]
fn texts_that_mean_true_or_false_are_chosen() {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let options = CsvOptions {
        true_values: texts(&["yes", "1"]),
        false_values: texts(&["no", "0"]),
        ..multivalent(&["l"], b'|')
    };
    let file = b"b,i,m,t,l\nyes,1,1,yes,yes|no\nno,0,yes,maybe,\n,1,TRUE,no,false|1\n";
    let expected = ["b Boolean", "i Int64", "m Boolean", "t Utf8", "l List(Boolean)"];
    assert_eq!(types(file, options.clone()), expected);
    let expected = [
        "true | 1 | true | yes | [true, false]",
        "false | 0 | true | maybe | null",
        "null | 1 | true | no | [false, true]",
    ];
    assert_eq!(shown(&whole(&csv(file, options.clone()).unwrap())), expected);
    let given = CsvOptions { schema: Some(schema(&[("b", DataType::Boolean)])), ..options };
    let error = error_of(&csv(b"b,l\nyes,\nYES,\n", given).unwrap());
    assert_eq!(error, "file: block 0 at byte 9, record 1: b: expected a value of Boolean, found \"YES\"");
}

#[test]
fn numbers_may_have_a_decimal_comma() {
    let options = CsvOptions { delimiter: b';', decimal_comma: true, ..multivalent(&["l"], b'|') };
    let file = "f;i;t;l\n8,5;1;1.5;1,5|2\n-1e3;2;é,1;\n".as_bytes();
    assert_eq!(types(file, options.clone()), ["f Float64", "i Int64", "t Utf8", "l List(Float64)"]);
    let expected = ["8.5 | 1 | 1.5 | [1.5, 2.0]", "-1000.0 | 2 | é,1 | null"];
    assert_eq!(shown(&whole(&csv(file, options.clone()).unwrap())), expected);
    let price = schema(&[("f", DataType::Decimal128(5, 2)), ("t", DataType::Float32)]);
    let options = CsvOptions { schema: Some(price), ..options };
    let files = csv(b"f;t;l\n19,990;,5;\n", options.clone()).unwrap();
    assert_eq!(shown(&whole(&files)), ["19.99 | 0.5"]);
    let error = error_of(&csv(b"f;t;l\n1;1,000.5;\n", options).unwrap());
    assert_eq!(error, "file: block 0 at byte 6, record 0: t: expected a value of Float32, found \"1,000.5\"");
}

#[test]
fn columns_without_a_header_have_the_names_that_are_given() {
    let options = CsvOptions { header: false, delimiter: b'\t', ..Default::default() };
    assert_eq!(types(b"1\tx\n", options.clone()), ["column_1 Int64", "column_2 Utf8"]);
    let names = Some(vec!["b".to_owned(), "a".to_owned()]);
    assert_eq!(types(b"1\tx\n", CsvOptions { names, ..options }), ["b Int64", "a Utf8"]);
}

#[test]
fn columns_of_a_schema_are_found_by_their_names() {
    let schema = schema(&[("c", DataType::Float32), ("a", DataType::Date32)]);
    let options = CsvOptions { schema: Some(schema), ..Default::default() };
    let file = b"a,b,c\n2024-02-29,\"no, number\",1.5\n";
    assert_eq!(shown(&whole(&csv(file, options.clone()).unwrap())), ["1.5 | 2024-02-29"]);
    let only = CsvOptions { columns: Some(vec!["a".to_owned()]), ..options.clone() };
    assert_eq!(shown(&whole(&csv(file, only).unwrap())), ["2024-02-29"]);
    let error = csv(b"a,b\n", options).unwrap_err();
    assert_eq!(error.to_string(), "expected a column \"c\", found the columns \"a\", \"b\"");
}

#[test]
fn a_column_that_is_not_read_may_have_any_text() {
    let schema = schema(&[("a", DataType::Int64), ("b", DataType::Int64)]);
    let columns = Some(vec!["b".to_owned()]);
    let options = CsvOptions { schema: Some(schema), columns, ..Default::default() };
    assert_eq!(shown(&whole(&csv(b"a,b\nx,1\ny,2\n", options).unwrap())), ["1", "2"]);
}

#[test]
fn too_many_texts_of_nulls_are_refused() {
    let open = |nulls: Vec<String>| csv(b"a\nx\n", CsvOptions { nulls, ..Default::default() });
    open((0..1000).map(|i| format!("id-{i}-unknown")).collect()).unwrap();
    let error = open((0..20_000).map(|i| format!("id-{i}-unknown")).collect()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "nulls: expected fewer or shorter texts, found 20,000 texts of 308,890 bytes"
    );
}

#[test]
fn texts_of_nulls_are_chosen() {
    let options = CsvOptions { nulls: vec!["NA".to_owned(), "-".to_owned()], ..Default::default() };
    let file = b"a,b\nNA,-\n1,NAN\n-,\n";
    assert_eq!(types(file, options.clone()), ["a Int64", "b Utf8"]);
    assert_eq!(shown(&whole(&csv(file, options).unwrap())), ["null | null", "1 | NAN", "null | "]);
}

#[test]
fn an_escape_takes_the_meaning_from_a_quote() {
    let options = CsvOptions { escape: Some(b'\\'), quote: b'\'', ..Default::default() };
    let files = csv(b"a,b\n'it\\'s\n',1\n", options).unwrap();
    assert_eq!(shown(&whole(&files)), ["it's\n | 1"]);
}

#[test]
fn a_wrong_record_is_named_and_may_be_left_out() {
    let options_of = |on_error| options(2, on_error, Workers::Caller);
    let schema = schema(&[("a", DataType::Int64), ("b c", DataType::Utf8)]);
    let given = CsvOptions { schema: Some(schema), ..Default::default() };
    let cases: [(&[u8], &str); 6] = [
        (b"x,y", "a: expected a value of Int64, found \"x\""),
        (b"1,y,z", "expected 2 cells, found 3"),
        (b"1", "expected 2 cells, found 1"),
        (b"1,\xff\xfe", "expected text in UTF-8, found the bytes ff"),
        (b"1\xc3,\xa9", "expected text in UTF-8, found the bytes c3"),
        (b"9223372036854775808,y", "a: expected a value of Int64, found \"9223372036854775808\""),
    ];
    for (record, expected) in cases {
        let file = [b"a,b c\n1,x\n2,\"y\ny\"\n", record, b"\n4,z\n"].concat();
        let files = csv(&file, given.clone()).unwrap();
        let (batches, _, error) = read(&files, vec![Part::whole(0)], options_of(OnError::Raise));
        let error = error.unwrap();
        assert_eq!(error.to_string(), format!("file: block 0 at byte 18, record 2: {expected}"));
        assert_eq!(error.kind(), FeedErrorKind::CorruptBlock);
        assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 2);
        let (batches, report, error) = read(&files, vec![Part::whole(0)], options_of(OnError::SkipBlock));
        assert!(error.is_none());
        assert_eq!(shown(&crate::support::joined(&files, &batches)), ["1 | x", "2 | y\ny", "4 | z"]);
        assert_eq!(report.skipped.len(), 1);
        let skipped = &report.skipped[0];
        assert_eq!((skipped.block, skipped.offset, skipped.rows), (Some(0), Some(18), Some(1)));
    }
}

#[test]
fn a_character_that_two_cells_share_is_an_error() {
    let schema = schema(&[("a", DataType::Utf8)]);
    let given = CsvOptions { schema: Some(schema), ..Default::default() };
    let files = csv(b"a\nx\n\xc3\n\xa9\ny\n", given).unwrap();
    let (batches, report, error) =
        read(&files, vec![Part::whole(0)], options(64, OnError::SkipBlock, Workers::Caller));
    assert!(error.is_none());
    assert_eq!(shown(&crate::support::joined(&files, &batches)), ["x", "y"]);
    let errors: Vec<_> = report.skipped.iter().map(|skipped| skipped.error.as_str()).collect();
    let expected = [(4, 1, "c3"), (6, 2, "a9")].map(|(offset, record, byte)| {
        format!(
            "file: block 0 at byte {offset}, record {record}: expected text in UTF-8, found the bytes {byte}"
        )
    });
    assert_eq!(errors, expected);
}

#[test]
fn a_value_in_a_column_without_values_in_the_sample_is_an_error() {
    let options = CsvOptions { sample: Some(1), ..Default::default() };
    let error = error_of(&csv(b"a,b\n1,\n2,x\n", options).unwrap());
    assert_eq!(
        error,
        "file: block 0 at byte 7, record 1: b: expected an empty cell, found \"x\": the type was inferred from the first 1 \
         record, so give a schema or a larger sample"
    );
}

#[test]
fn a_batch_of_many_columns_counts_the_memory_of_its_columns() {
    let columns = 20_000;
    let names: Vec<String> = (0..columns).map(|column| format!("c{column}")).collect();
    let record = |row: usize| format!("{row}{},{row}\n", ",".repeat(columns - 2));
    let records: String = (0..30).map(record).collect();
    let file = format!("{}\n{records}", names.join(","));
    // Each column counts 500 bytes, and each row 17 bytes a column and a few more.
    let limits = Limits { batch_bytes: 12 << 20, ..Default::default() };
    let files = csv(file.as_bytes(), CsvOptions { limits, ..Default::default() }).unwrap();
    let (batches, _, error) =
        read(&files, vec![Part::whole(0)], options(100, OnError::Raise, Workers::Caller));
    assert!(error.is_none());
    let rows: Vec<usize> = batches.iter().map(|batch| batch.num_rows()).collect();
    assert_eq!(rows, [8, 8, 8, 6]);
    assert!(batches.iter().all(|batch| batch.get_array_memory_size() < 12 << 20));
    let batch = crate::support::joined(&files, &batches);
    let (first, last) = (batch.project(&[0]).unwrap(), batch.project(&[columns - 1]).unwrap());
    let expected: Vec<String> = (0..30).map(|row| row.to_string()).collect();
    assert_eq!(shown(&first), expected);
    assert_eq!(shown(&last), expected);
    assert_eq!(batch.column(1).logical_null_count(), 30);
}

#[test]
fn a_record_longer_than_the_limit_is_an_error_and_may_be_left_out() {
    let limits = Limits { decoded_block_bytes: 20, ..Default::default() };
    let schema = Some(schema(&[("a", DataType::Utf8)]));
    let file = [b"a\nx\n\"", &b"long\n".repeat(100)[..], b"\"\ny\n"].concat();
    let files = csv(&file, CsvOptions { limits, schema, ..Default::default() }).unwrap();
    let expected = "file: block 0 at byte 4, record 1: expected a record of at most 20 bytes, found 503";
    assert_eq!(error_of(&files), expected);
    let (batches, report, _) =
        read(&files, vec![Part::whole(0)], options(9, OnError::SkipBlock, Workers::Caller));
    assert_eq!(shown(&crate::support::joined(&files, &batches)), ["x", "y"]);
    assert_eq!(report.skipped[0].error, expected);
}

#[test]
fn quotes_that_are_not_closed_are_an_error() {
    let schema = Some(schema(&[("a", DataType::Utf8)]));
    let files = csv(b"a\nx\n\"y\nz\n", CsvOptions { schema, ..Default::default() }).unwrap();
    let expected = "file: block 0 at byte 4, record 1: expected a quote at the end of a quoted cell, found the end of the file";
    assert_eq!(error_of(&files), expected);
}

#[test]
fn a_truncated_gzip_file_yields_the_rows_before_the_end() {
    let text: String = (0..1000).map(|n| format!("{n}\n")).collect();
    let mut file = gzip(format!("a\n{text}").as_bytes());
    file.truncate(file.len() / 2);
    let schema = Some(schema(&[("a", DataType::Int64)]));
    let files = csv(&file, CsvOptions { schema, ..Default::default() }).unwrap();
    let (batches, _, error) =
        read(&files, vec![Part::whole(0)], options(100, OnError::Raise, Workers::Caller));
    let rows = shown(&crate::support::joined(&files, &batches));
    assert!(rows.len() > 100);
    assert_eq!(rows, (0..rows.len()).map(|n| n.to_string()).collect::<Vec<_>>());
    let expected = "file: block 1: expected more compressed bytes, found the end of the file";
    assert_eq!(error.unwrap().to_string(), expected);
}

#[test]
fn all_files_have_the_columns_of_the_first() {
    let file = |name: &str, bytes: &[u8]| FileSource::bytes(bytes.to_vec()).with_name(name);
    let sources = [file("one", b"a,b\n1,2\n"), file("two", b"a,c\n1,2\n")];
    let error = CsvFormat::files(sources, CsvOptions::default(), None).unwrap_err();
    let expected =
        "two: expected the columns of the first file: column \"b\" to be Utf8, found \"c\" as Utf8";
    assert_eq!(error.to_string(), expected);
    assert_eq!(error.kind(), FeedErrorKind::Schema);
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let message = |file: &[u8], options| csv(file, options).unwrap_err().to_string();
    let with = |delimiter, quote| CsvOptions { delimiter, quote, ..Default::default() };
    assert_eq!(
        message(b"a\n", with(b';', b';')),
        "expected different characters as quote and delimiter, found \";\" for both"
    );
    assert_eq!(
        message(b"a\n", with(b'\n', b'"')),
        "expected an ASCII character other than a line end as delimiter, found \"\\n\""
    );
    assert_eq!(
        message(b"a\n", CsvOptions { comment: Some(b','), ..Default::default() }),
        "expected different characters as comment and delimiter, found \",\" for both"
    );
    assert_eq!(
        message(b"a\n", CsvOptions { decimal_comma: true, ..Default::default() }),
        "expected another delimiter than the decimal comma, found \",\" for both"
    );
    let both = || vec!["x".to_owned()];
    let booleans = CsvOptions { true_values: both(), false_values: both(), ..Default::default() };
    assert_eq!(message(b"a\n", booleans), "expected a text for true or for false, found \"x\" for both");
    assert_eq!(
        message(b"a,a\n", CsvOptions::default()),
        "expected columns with different names, found \"a\" more than once"
    );
    assert_eq!(
        message(b"", CsvOptions::default()),
        "file: expected a line with the names of the columns, found the end of the file"
    );
    let lists = DataType::new_list(DataType::new_list(DataType::Int64, true), true);
    let list = schema(&[("a", lists)]);
    let error = message(b"a\n", CsvOptions { schema: Some(list), ..Default::default() });
    assert!(
        error.starts_with("a: expected lists of values that a CSV cell can hold, found List("),
        "{error}"
    );
    assert_eq!(
        message(b"a,b\n", multivalent(&["c"], b'|')),
        "expected the multivalent column \"c\", found the columns \"a\", \"b\""
    );
    assert_eq!(
        message(b"a\n", multivalent(&["a"], b'"')),
        "expected different characters as quote and delimiter, found \"\\\"\" for both"
    );
    let numbers = schema(&[("a", DataType::Int64)]);
    assert_eq!(
        message(b"a\n", CsvOptions { schema: Some(numbers), ..multivalent(&["a"], b'|') }),
        "a: expected a list type, because the column is multivalent, found Int64"
    );
    let alone = CsvOptions { secondary_delimiter: None, ..multivalent(&["a", "b"], b'|') };
    assert_eq!(
        message(b"a,b\n", alone),
        "multivalent_columns: expected secondary_delimiter as well, found only \"a\", \"b\""
    );
    let alone = CsvOptions { multivalent_columns: None, ..multivalent(&[], b'|') };
    assert_eq!(
        message(b"a,b\n", alone),
        "secondary_delimiter: expected multivalent_columns as well, found only \"|\""
    );
}

#[test]
fn names_take_the_place_of_a_header() {
    let names = Some(vec!["x".to_owned(), "y".to_owned()]);
    let files = csv(b"a,b\n1,2\n", CsvOptions { names, ..Default::default() }).unwrap();
    let found: Vec<_> = files.schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(found, ["x", "y"]);
}

#[test]
fn cells_with_several_values_are_lists() {
    let options = multivalent(&["n", "t"], b'|');
    let file = b"n,t,one,none\n1|2,\"a|\"\"b|c\"\"\",x|y,\n,,,\n-3,||,z,\n";
    let expected = ["n List(Int64)", "t List(Utf8)", "one Utf8", "none Null"];
    assert_eq!(types(file, options.clone()), expected);
    let rows = shown(&whole(&csv(file, options.clone()).unwrap()));
    let expected =
        ["[1, 2] | [a, b|c] | x|y | null", "null | null | null | null", "[-3] | [, , ] | z | null"];
    assert_eq!(rows, expected);

    // With a schema, the lists of other columns have one value.
    let large = |item| DataType::new_large_list(item, true);
    let columns = schema(&[("one", large(DataType::LargeBinary)), ("n", large(DataType::Float32))]);
    let by_schema = CsvOptions { schema: Some(columns), ..options.clone() };
    let rows = shown(&whole(&csv(file, by_schema.clone()).unwrap()));
    assert_eq!(rows, ["[787c79] | [1.0, 2.0]", "null | null", "[7a] | [-3.0]"]);
    let error = error_of(&csv(b"n,t,one\n1|x,,\n", by_schema).unwrap());
    assert_eq!(
        error.to_string(),
        "file: block 0 at byte 8, record 0: n: expected a value of LargeList(Float32), found \"1|x\""
    );
}

#[test]
fn records_are_bytes_where_that_is_asked_for() {
    let options = CsvOptions { raw: true, ..Default::default() };
    let file = b"a,b\r\n1,\"x\ny\"\r\n\n3\n4,z";
    let rows = |options| {
        let batch = whole(&csv(file, options).unwrap());
        let records = batch.column(0).as_binary::<i64>().iter().flatten();
        records.map(|record| String::from_utf8(record.to_vec()).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(types(file, options.clone()), ["record LargeBinary"]);
    assert_eq!(rows(options.clone()), ["1,\"x\ny\"", "3", "4,z"]);
    let counted = csv(file, options.clone()).unwrap().with_columns(&[]).unwrap();
    let batch = whole(&counted);
    assert_eq!((batch.num_rows(), batch.num_columns()), (3, 0));
    assert_eq!(whole(&counted.with_columns(&["record".to_owned()]).unwrap()).num_columns(), 1);
    let options = CsvOptions { header: false, skip_blank_lines: false, ..options };
    assert_eq!(rows(options), ["a,b", "1,\"x\ny\"", "", "3", "4,z"]);
}

#[test]
fn lines_before_the_header_are_passed_over() {
    let file = b"\xef\xbb\xbfa \"note\r\n\n1,2,3\nn,t\n1,\"x\ny\"\n2,z\n";
    let options = |skip_lines, header| CsvOptions { skip_lines, header, ..Default::default() };
    let rows = ["1 | x\ny", "2 | z"];
    for file in [file.to_vec(), gzip(file)] {
        let files = csv(&file, options(3, true)).unwrap();
        assert_eq!(shown(&whole(&files)), rows);
        // Chunks start after the skipped lines too.
        for chunk_bytes in [1, 7] {
            let files = csv(&file, CsvOptions { chunk_bytes, ..options(3, true) }).unwrap();
            assert_eq!(shown(&whole(&files)), rows);
            let chunks = files.chunks(0, OnError::Raise, &Check::never()).unwrap().0;
            assert_eq!(chunks.iter().map(|chunk| chunk.rows).sum::<u64>(), 2);
        }
        assert_eq!(types(&file, options(3, true)), ["n Int64", "t Utf8"]);
        assert_eq!(shown(&whole(&csv(&file, options(4, false)).unwrap())), rows);
    }
    // A file with fewer lines has no records.
    let named = CsvOptions { names: Some(vec!["n".to_owned()]), ..options(5, false) };
    assert_eq!(shown(&whole(&csv(b"1\n2", named).unwrap())), [""; 0]);
    assert_eq!(
        csv(b"1\n2", options(5, true)).unwrap_err().to_string(),
        "file: expected a line with the names of the columns, found the end of the file"
    );
    let limits = Limits { header_bytes: 3, ..Default::default() };
    assert_eq!(
        csv(b"12345\nn\n1\n", CsvOptions { limits, ..options(1, true) }).unwrap_err().to_string(),
        "file: expected a record of at most 3 bytes, found 6"
    );
}
