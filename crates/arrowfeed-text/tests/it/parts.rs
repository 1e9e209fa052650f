//! Text files read through the engine: every reader of any part of a file finds the rows that `arrow-csv` and `arrow-json`
//! find in the whole file.

use crate::support::{csv, gzip, joined, json, options, read, scanned, schema, whole};
use arrow_array::RecordBatch;
use arrow_schema::DataType;
use arrowfeed_source::run::{FileSet, Part, Workers};
use arrowfeed_source::{Check, OnError};
use arrowfeed_text::{CsvOptions, JsonLinesOptions};
use proptest::prelude::*;

/// Checks that every way of reading the file gives the expected rows.
fn check(files: &FileSet, expected: &RecordBatch, batch_size: usize, cut: u64) {
    let file = files.open(0, &Check::never()).unwrap();
    let chunks = scanned(&mut *file.chunks().unwrap());
    assert_eq!(chunks.iter().map(|chunk| chunk.rows).sum::<u64>(), expected.num_rows() as u64);
    assert!(chunks.windows(2).all(|pair| pair[0].end == pair[1].offset));
    assert_eq!(chunks.last().map_or(file.body().end, |last| last.end), file.body().end);
    // With any number of threads.
    for workers in [Workers::Caller, Workers::Own(3)] {
        let (batches, report, error) =
            read(files, vec![Part::whole(0)], options(batch_size, OnError::Raise, workers));
        assert!(error.is_none(), "{error:?}");
        assert_eq!(&joined(files, &batches), expected);
        assert_eq!((report.rows, report.blocks), (expected.num_rows() as u64, chunks.len() as u64));
        let full = batches.len().saturating_sub(1);
        assert!(batches[..full].iter().all(|batch| batch.num_rows() == batch_size));
    }
    // Chunk by chunk.
    let parts = chunks.iter().map(|chunk| Part::of_chunks(0, [*chunk])).collect();
    let (batches, ..) = read(files, parts, options(batch_size, OnError::Raise, Workers::Caller));
    assert_eq!(&joined(files, &batches), expected);
    // The halves of all chunks in one part, of which each chunk is counted once.
    if !file.is_one_chunk() {
        let mut halves = chunks.iter().flat_map(|chunk| {
            let half = chunk.rows / 2;
            let part = Part::of_chunks(0, [*chunk]);
            [part.clone().with_dropped(half), part.with_kept(half)]
        });
        let part = halves.next().map(|first| first.joined_with(halves));
        let (batches, report, _) =
            read(files, part.into_iter().collect(), options(batch_size, OnError::Raise, Workers::Caller));
        assert_eq!(&joined(files, &batches), expected);
        assert_eq!((report.rows, report.blocks), (expected.num_rows() as u64, chunks.len() as u64));
    }
    // Split at any offset: a part starts at the first chunk after the cut.
    if chunks.is_empty() && file.is_one_chunk() {
        return;
    }
    let mut scan = file.chunks().unwrap();
    for from in [cut, 0, cut / 2, file.body().end] {
        let found = scan.find(from, &Check::never()).unwrap();
        let next = chunks.iter().find(|chunk| chunk.offset >= from).map(|chunk| chunk.offset);
        assert_eq!(found, next, "from {from} of {chunks:?}");
    }
}

fn csv_options(chunk_bytes: u64, skip_blank_lines: bool) -> CsvOptions {
    let schema = schema(&[("a", DataType::Utf8), ("b", DataType::Int64)]);
    CsvOptions { header: false, skip_blank_lines, schema: Some(schema), chunk_bytes, ..Default::default() }
}

/// The whole file read by `arrow-csv` alone, which skips empty lines.
fn plain_csv(text: &[u8], schema: arrow_schema::SchemaRef) -> RecordBatch {
    let reader = arrow_csv::ReaderBuilder::new(schema.clone()).with_batch_size(7).build(text).unwrap();
    let batches: Vec<RecordBatch> = reader.collect::<Result<_, _>>().unwrap();
    arrowfeed_select::concat_batches(&schema, &batches.iter().collect::<Vec<_>>()).unwrap()
}

fn csv_text() -> impl Strategy<Value = Vec<u8>> {
    let cell = prop_oneof!["[a-c ]{0,6}", "\"([a-c,\n\r]|\"\"){0,8}\"", "[ab]{1,2}\"[ab\"]{0,2}"];
    let number =
        prop_oneof![Just(String::new()), any::<i64>().prop_map(|n| n.to_string()), Just("\"5\"".into())];
    let end = prop_oneof![Just("\n"), Just("\r\n"), Just("\r"), Just("\n\n"), Just("\r\n\r\n")];
    let rows = proptest::collection::vec((cell, number, end), 0..60);
    (rows, any::<bool>(), any::<bool>()).prop_map(|(rows, is_marked, ends)| {
        let mut text = if is_marked { "\u{feff}".to_owned() } else { String::new() };
        rows.iter().for_each(|(cell, number, end)| text.extend([cell, ",", number, end]));
        if ends { text.into_bytes() } else { text.trim_end_matches(['\n', '\r']).to_owned().into_bytes() }
    })
}

fn json_text() -> impl Strategy<Value = Vec<u8>> {
    let row = (any::<Option<i64>>(), "[a-z\\\\\"\n]{0,5}", proptest::collection::vec(any::<i32>(), 0..4));
    let line = row.prop_map(|(id, text, list)| {
        let id = id.map_or(String::new(), |id| format!("\"id\": {id}, "));
        format!("{{{id}\"text\": {}, \"list\": {list:?}}}", serde_json::Value::from(text))
    });
    let end = prop_oneof![Just("\n"), Just("\r\n"), Just("\n\n"), Just("  \n \t\n")];
    let rows = proptest::collection::vec((line, end), 0..60);
    (rows, any::<bool>()).prop_map(|(rows, is_marked)| {
        let mut text = if is_marked { "\u{feff}".to_owned() } else { String::new() };
        rows.iter().for_each(|(line, end)| text.extend([line.as_str(), end]));
        text.trim_end_matches('\n').to_owned().into_bytes()
    })
}

proptest! {
    #![proptest_config(crate::random_config::config(50))]

    #[test]
    fn csv_has_the_same_rows_however_it_is_cut(
        text in csv_text(), chunk_bytes in 1_u64..200, batch_size in 1_usize..20, cut in 0_u64..600
    ) {
        let options = csv_options(chunk_bytes, true);
        let expected = plain_csv(&text, options.schema.clone().unwrap());
        check(&csv(&text, options.clone()).unwrap(), &expected, batch_size, cut);
        check(&csv(&gzip(&text), options).unwrap(), &expected, batch_size, 1);
    }

    #[test]
    fn json_lines_have_the_same_rows_however_they_are_cut(
        text in json_text(), chunk_bytes in 1_u64..200, batch_size in 1_usize..20, cut in 0_u64..3000
    ) {
        let list = DataType::new_list(DataType::Int32, true);
        let schema = schema(&[("id", DataType::Int64), ("text", DataType::Utf8), ("list", list)]);
        let bytes = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
        let reader = arrow_json::ReaderBuilder::new(schema.clone()).build(bytes).unwrap();
        let batches: Vec<RecordBatch> = reader.collect::<Result<_, _>>().unwrap();
        let expected =
            arrowfeed_select::concat_batches(&schema, &batches.iter().collect::<Vec<_>>()).unwrap();
        let options = JsonLinesOptions { schema: Some(schema), chunk_bytes, ..Default::default() };
        check(&json(&text, options.clone()).unwrap(), &expected, batch_size, cut);
        check(&json(&gzip(&text), options).unwrap(), &expected, batch_size, 1);
    }
}

/// The search for a record skips what a read returns up to a quote. Here a file has many reads, and few cells have quotes.
#[test]
fn a_record_after_an_offset_is_found_in_any_read() {
    let mut text = String::new();
    for row in 0_u32..40_000 {
        let end = ["\n", "\r\n", "\r", "\n\n"][(row.wrapping_mul(2_654_435_761) >> 30) as usize];
        let cell = if row.wrapping_mul(40_503) % 997 == 0 { "\"a\n\"\"\r\n,b\"" } else { "some text" };
        text.extend([cell, ",", &row.to_string(), end]);
    }
    let files = csv(text.as_bytes(), csv_options(700, true)).unwrap();
    let file = files.open(0, &Check::never()).unwrap();
    let chunks = scanned(&mut *file.chunks().unwrap());
    assert!(text.len() > 600_000 && chunks.len() > 700);
    let mut scan = file.chunks().unwrap();
    for (number, seed) in crate::random_run::seeds(200).enumerate() {
        let from = seed % text.len() as u64;
        let next = chunks.iter().map(|chunk| chunk.offset).find(|offset| *offset >= from);
        assert_eq!(scan.find(from, &Check::never()).unwrap(), next, "from {from}");
        if number.is_multiple_of(3) {
            scan = file.chunks().unwrap();
        }
    }
}

#[test]
fn a_mark_inside_of_a_file_is_part_of_its_cell() {
    let text = "a\u{feff},1\n\u{feff}b,2\n\u{feff}\u{feff}c,3\n".as_bytes();
    for chunk_bytes in [1, 1000] {
        let rows = crate::support::shown(&whole(&csv(text, csv_options(chunk_bytes, true)).unwrap()));
        assert_eq!(rows, ["a\u{feff} | 1", "\u{feff}b | 2", "\u{feff}\u{feff}c | 3"]);
    }
}

#[test]
fn an_empty_line_is_a_row_if_it_is_asked_for() {
    let text = b"\na,1\r\n\r\n";
    let rows = |skip_blank_lines| {
        csv(text, csv_options(2, skip_blank_lines)).map(|files| crate::support::shown(&whole(&files)))
    };
    assert_eq!(rows(true).unwrap(), ["a | 1"]);
    assert_eq!(rows(false).unwrap(), ["null | null", "a | 1", "null | null"]);
    let one = CsvOptions { schema: Some(schema(&[("a", DataType::Utf8)])), ..csv_options(2, false) };
    let rows = crate::support::shown(&whole(&csv(b"x\n\ny", one).unwrap()));
    assert_eq!(rows, ["x", "null", "y"]);
}
