//! The options of formats in JSON and in texts, by the cases that all languages have.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use arrowfeed::formats::{Detected, Evidence, Format, FormatOptions, detect};
use arrowfeed::source::io::FileSource;
use arrowfeed::source::options::Words;
use arrowfeed::tfrecord::{Compression as RecordCompression, RecordKind, RecordOptions, RecordWriter};
use arrowfeed::{FeedError, FeedErrorKind, Limits, ReadOptions};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Map, Value};

use crate::option_cases::{Case, cases};

type Parse = fn(Format, &Map<String, Value>) -> Result<FormatOptions, FeedError>;

const PARSERS: [Parse; 2] = [of_json, of_texts];

fn of_json(format: Format, options: &Map<String, Value>) -> Result<FormatOptions, FeedError> {
    FormatOptions::from_json(format, &Value::Object(options.clone()).to_string())
}

fn of_texts(format: Format, options: &Map<String, Value>) -> Result<FormatOptions, FeedError> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let texts: BTreeMap<&str, String> =
        options.iter().map(|(name, value)| (name.as_str(), text(value))).collect();
    FormatOptions::from_texts(format, texts.iter().map(|(name, text)| (*name, text.as_str())))
}

fn format_of(case: &Case) -> Format {
    Format::of_word(&case.format).unwrap()
}

fn file(case: &Case) -> FileSource {
    FileSource::bytes(case.bytes.clone())
}

#[test]
fn each_option_of_each_format_has_a_case() {
    let described: BTreeSet<_> = cases("rust").into_iter().map(|case| (case.format, case.name)).collect();
    let all = Format::ALL.iter().flat_map(|format| {
        let names = FormatOptions::new(*format).unwrap().names();
        names.iter().map(|name| (format.name().to_owned(), (*name).to_owned()))
    });
    assert_eq!(described, all.collect());
}

#[test]
fn options_in_json_and_in_texts_give_the_same_batches() {
    for case in cases("rust") {
        for parse in PARSERS {
            let mut options = parse(format_of(&case), &case.options(&case.value)).unwrap();
            options.selection_mut().0.clone_from(&case.select);
            let files = options.files(vec![file(&case)], None).unwrap();
            let batches = files.read_files(ReadOptions::default()).unwrap();
            case.check(&batches.collect::<Result<Vec<_>, _>>().unwrap());
        }
    }
}

#[test]
fn a_wrong_value_is_an_error_that_names_the_option() {
    for case in cases("rust") {
        let Some(wrong) = &case.wrong else { continue };
        for parse in PARSERS {
            let options = parse(format_of(&case), &case.options(wrong));
            let error = options.and_then(|options| options.files(vec![file(&case)], None)).unwrap_err();
            case.check_message(&error.to_string());
        }
    }
}

#[test]
fn an_unknown_option_is_an_error_that_lists_the_known_ones() {
    for format in Format::ALL {
        let unknown = Map::from_iter([("colums".to_owned(), Value::Null)]);
        let names = FormatOptions::new(*format).unwrap().names().iter().map(|name| format!("`{name}`"));
        let names = match names.collect::<Vec<_>>().as_slice() {
            [] => "there are no fields".to_owned(),
            names => format!("expected one of {}", names.join(", ")),
        };
        for parse in PARSERS {
            let error = parse(*format, &unknown).unwrap_err();
            assert_eq!(error.to_string(), format!("unknown field `colums`, {names}"));
        }
    }
}

#[test]
fn messages_name_the_place_in_a_value() {
    let message = |format, json| FormatOptions::from_json(format, json).unwrap_err().to_string();
    assert_eq!(message(Format::Csv, "[]"), "invalid type: sequence, expected a JSON object");
    assert_eq!(message(Format::Csv, "{} x"), "trailing characters at line 1 column 4");
    assert_eq!(
        message(Format::Csv, "{\"header\": \"no\"}"),
        "header: invalid type: string \"no\", expected a boolean"
    );
    assert_eq!(
        message(Format::Csv, "{\"nulls\": [\"a\", 1]}"),
        "nulls[1]: invalid type: integer `1`, expected a string"
    );
    assert_eq!(
        message(Format::Csv, "{\"types\": {\"a\": \"text\"}}"),
        "types: \"a\": expected an Arrow type such as Int64, Timestamp(ms) or List(Utf8), found \"text\""
    );
    assert_eq!(
        message(Format::Avro, "{\"encoding\": \"nativ\"}"),
        "encoding: expected one of native, feature, tfx, found \"nativ\""
    );
    assert_eq!(
        message(Format::Avro, "{\"fixed_lengths\": {\"a\": 1, \"a\": 2}}"),
        "fixed_lengths: duplicate name \"a\""
    );
}

#[test]
fn the_start_of_a_file_says_the_format_if_the_first_record_is_long() {
    let found = |bytes: Vec<u8>| detect(FileSource::bytes(bytes), &Limits::default(), None);
    let long = "x".repeat(300 << 10);
    for (text, format) in [
        (format!("{{\"a\": \"{long}\"}}\n"), Some(Format::JsonLines)),
        (format!("\n\n{{\"a\": \"{long}\"}}\n{{}}\n"), Some(Format::JsonLines)),
        (format!("{{\"a\": 1}}\n{{\"a\": \"{long}\"}}\n"), Some(Format::JsonLines)),
        (format!("{long}\n{{}}\n"), None),
        (format!("a\n{{\"a\": \"{long}\"}}\n"), None),
    ] {
        let plain = found(text.clone().into_bytes());
        assert_eq!(plain.as_ref().ok().map(Detected::format), format);
        let mut gzip = GzEncoder::new(Vec::new(), Compression::none());
        gzip.write_all(text.as_bytes()).unwrap();
        let packed = found(gzip.finish().unwrap());
        assert_eq!(packed.as_ref().ok().map(Detected::format), format);
    }
    let mut writer = RecordWriter::new(Vec::new(), RecordCompression::None);
    writer.write(&[0xff; 300 << 10]).unwrap();
    let record = writer.finish().unwrap();
    let FormatOptions::TfRecord(options) = found(record.clone()).unwrap().into_options() else { panic!() };
    assert!(matches!(options.kind, RecordKind::Raw { .. }));
    let limits = Limits { decoded_block_bytes: 1000, ..Limits::default() };
    let error = detect(FileSource::bytes(record), &limits, None).unwrap_err();
    assert_eq!((error.kind(), error.limit()), (FeedErrorKind::Limit, Some("decoded_block_bytes")));
}

#[test]
fn an_empty_file_without_a_format_is_not_opened() {
    let directory = std::env::temp_dir().join(format!("arrowfeed-empty-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let paths = ["a", "b"].map(|name| directory.join(name));
    std::fs::write(&paths[0], b"").unwrap();
    std::fs::write(&paths[1], b"{\"x\": 1}\n").unwrap();
    let error = arrowfeed::open(&paths[0]).find().unwrap_err().to_string();
    let found = arrowfeed::open_all(&paths).find().unwrap().format();
    std::fs::remove_dir_all(&directory).unwrap();
    let expected = "a: expected a file of a known format, found an empty file: give the format: avro, parquet, arrow, tfrecord, \
                    jsonl, csv";
    assert!(error.ends_with(expected), "{error}");
    assert_eq!(found, Format::JsonLines);
}

#[test]
fn a_file_without_content_has_the_format_of_its_name() {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::none());
    gzip.write_all(b"").unwrap();
    for bytes in [Vec::new(), gzip.finish().unwrap()] {
        let found = |name: &str| {
            let file = FileSource::bytes(bytes.clone()).with_name(name);
            let found = detect(file, &Limits::default(), None).unwrap();
            (found.format(), found.evidence())
        };
        assert_eq!(found("a.avro"), (Format::Avro, Evidence::NameOfEmpty));
        assert_eq!(found("a.csv.gz"), (Format::Csv, Evidence::NameOfEmpty));
        assert_eq!(found("a"), (Format::TfRecord, Evidence::Nothing));
    }
    let stream = FileSource::reader("a.avro", std::io::empty());
    let error = detect(stream, &Limits::default(), None).unwrap_err().to_string();
    assert_eq!(error, "a.avro: expected a seekable file or bytes, found a stream");
}

#[test]
fn the_content_and_the_name_say_the_format() {
    for case in cases("rust").iter().filter(|case| case.format != "csv") {
        let found = detect(file(case), &Limits::default(), None).unwrap();
        assert_eq!(found.format(), format_of(case), "{case:?}");
    }
    let named = |name: &str, bytes: &[u8]| {
        let directory = std::env::temp_dir().join(format!("arrowfeed-detect-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let path = directory.join(name);
        std::fs::write(&path, bytes).unwrap();
        let found = detect(path.as_path().into(), &Limits::default(), None);
        std::fs::remove_file(&path).unwrap();
        found
    };
    for (name, bytes, format) in [
        ("a.csv", "x\n1\n", Format::Csv),
        ("a.TSV", "x\ty\n", Format::Csv),
        ("a.jsonl", "", Format::JsonLines),
        ("a.tfrecords", "", Format::TfRecord),
        ("a.feather", "", Format::Arrow),
        ("a.dat", "{\"a\": 1}\n", Format::JsonLines),
        ("a.avro", "{}\n", Format::JsonLines),
    ] {
        assert_eq!(named(name, bytes.as_bytes()).unwrap().format(), format, "{name}");
    }
    for (format, sample) in [("sequence_example", Some(3)), ("sequence_example", None), ("raw", None)] {
        let bytes =
            cases("rust").into_iter().find(|case| case.others.get("format") == Some(&Value::from(format)));
        let file = || FileSource::bytes(bytes.as_ref().unwrap().bytes.clone());
        let given = RecordOptions::new(RecordKind::Example { features: None, sample });
        let found = detect(file(), &Limits::default(), None).unwrap();
        let complete = found.complete(given.into(), |name| name == "sample" && sample.is_some());
        complete.files(vec![file()], None).unwrap();
    }
    let FormatOptions::Csv(tabs) = named("b.tsv", b"x\ty\n").unwrap().into_options() else { panic!() };
    assert_eq!(tabs.delimiter, b'\t');
    let error = named("c.dat", b"x,y\n").unwrap_err().to_string();
    let expected = "c.dat: expected the content of an Avro, Parquet, Arrow IPC, TFRecord or JSON lines file, or the name of a CSV \
                    file, which ends with .csv or .tsv, found \"x,y\" at its start";
    assert!(error.ends_with(expected), "{error}");
}
