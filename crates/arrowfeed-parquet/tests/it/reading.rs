//! Tests of reading Parquet files through the engine: the rows are those that the `parquet` crate reads, in batches of
//! the requested size, and no bytes cause a panic.

use std::sync::Arc;

use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Int64Array, ListArray, RecordBatch, StringArray, StructArray,
    cast::AsArray,
};
use arrow_schema::{DataType, Field};
use arrowfeed_parquet::{ParquetFormat, ParquetOptions};
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::{BatchBoundaries, FileSet, Part, PartOptions, PartReader, Workers};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, Limits, OnError, Report};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::random_run;
use crate::support::hide_panics_of_dependencies;

const ROWS: i64 = 1000;

fn columns() -> RecordBatch {
    let id: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS));
    let words: Vec<String> = (0..ROWS).map(|i| format!("word {}", i % 11)).collect();
    let word: ArrayRef =
        Arc::new(words.iter().map(|word| Some(word.as_str())).collect::<DictionaryArray<Int32Type>>());
    let lists = (0..ROWS).map(|i| (i % 5 > 0).then(|| (0..i % 4).map(Some).collect::<Vec<_>>()));
    let list: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(lists));
    let text: ArrayRef =
        Arc::new(StringArray::from_iter((0..ROWS).map(|i| (i % 3 > 0).then(|| i.to_string()))));
    let both: ArrayRef = Arc::new(StructArray::from(vec![
        (Arc::new(Field::new("id", DataType::Int64, false)), id.clone()),
        (Arc::new(Field::new("text", DataType::Utf8, true)), text),
    ]));
    RecordBatch::try_from_iter([("id", id), ("word", word), ("list", list), ("both", both)]).unwrap()
}

fn file(compression: Compression) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_max_row_group_row_count(Some(130))
        .set_data_page_row_count_limit(20)
        .set_write_batch_size(10)
        .build();
    let batch = columns();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn open(bytes: Vec<u8>, options: ParquetOptions) -> Result<FileSet, FeedError> {
    ParquetFormat::files([FileSource::bytes(bytes).with_name("file")], options, None)
}

fn reader(files: FileSet, part: Part, batch_size: usize, on_error: OnError, workers: Workers) -> PartReader {
    let options = PartOptions {
        batch_size: Some(batch_size),
        boundaries: BatchBoundaries::Continue(0),
        on_error,
        workers,
        prefetch_bytes: 1 << 20,
        interrupt: None,
        claim: None,
    };
    PartReader::new(Arc::new(files), [part], options).unwrap()
}

fn all(reader: &mut PartReader) -> Result<Vec<RecordBatch>, FeedError> {
    reader.map(|found| found.map(|found| found.batch)).collect()
}

fn ids(batches: &[RecordBatch]) -> Vec<i64> {
    let ids = |batch: &RecordBatch| batch["id"].as_primitive::<Int64Type>().values().to_vec();
    batches.iter().flat_map(ids).collect()
}

#[test]
fn rows_are_those_that_were_written_in_batches_of_the_size_asked_for() {
    let zstd = Compression::ZSTD(ZstdLevel::default());
    for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::LZ4_RAW, zstd] {
        let files = open(file(compression), ParquetOptions::default()).unwrap();
        let expected = columns();
        for (batch_size, workers) in
            [(1, Workers::Caller), (7, Workers::Own(2)), (130, Workers::Own(3)), (5000, Workers::Caller)]
        {
            let mut reader = reader(files.clone(), Part::whole(0), batch_size, OnError::Raise, workers);
            let batches = all(&mut reader).unwrap();
            assert_eq!(ids(&batches), (0..ROWS).collect::<Vec<_>>());
            assert_eq!(reader.report().blocks, 8);
            let mut rows = 0;
            for batch in &batches {
                let n = batch.num_rows();
                for name in ["id", "list", "both"] {
                    assert_eq!(&batch[name], &expected[name].slice(rows, n));
                }
                let words = batch["word"].as_string::<i32>();
                assert!((0..n).all(|row| words.value(row) == format!("word {}", (rows + row) % 11)));
                rows += n;
                // A batch ends at the end of its row group, or at a multiple of the size.
                assert!(rows % batch_size == 0 || rows % 130 == 0 || rows == ROWS as usize, "{rows}");
            }
        }
    }
}

#[test]
fn columns_come_in_the_order_asked_for_and_without_other_fields() {
    let columns = Some(["both.text", "id"].map(str::to_owned).to_vec());
    let files = open(file(Compression::SNAPPY), ParquetOptions { columns, ..Default::default() }).unwrap();
    let schema = files.schema().clone();
    assert_eq!(schema.fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>(), ["both", "id"]);
    let batches = all(&mut reader(files, Part::whole(0), 300, OnError::Raise, Workers::Caller)).unwrap();
    assert_eq!(batches[0].schema(), schema);
    let expected = self::columns()["both"].as_struct().column_by_name("text").unwrap().slice(0, 130);
    assert_eq!(batches[0]["both"].as_struct().columns(), [expected]);
}

#[test]
fn a_part_has_exactly_its_rows() {
    let files = open(file(Compression::SNAPPY), ParquetOptions::default()).unwrap();
    let chunks = files.chunks(0, OnError::Raise, &Check::never()).unwrap().0;
    assert_eq!(
        chunks.iter().map(|chunk| chunk.rows).collect::<Vec<_>>(),
        [130, 130, 130, 130, 130, 130, 130, 90]
    );
    assert!(chunks.windows(2).all(|pair| pair[0].end == pair[1].offset));
    for workers in [Workers::Caller, Workers::Own(2)] {
        for (first, dropped, kept) in [(0, 0, 1), (1, 129, 3), (3, 5, 400), (7, 89, 10), (7, 90, 10)] {
            let part = Part::after(0, first as u64, chunks[first].offset, dropped).with_kept(kept);
            let batches = all(&mut reader(files.clone(), part, 50, OnError::Raise, workers.clone())).unwrap();
            let start = 130 * first as i64 + dropped as i64;
            assert_eq!(ids(&batches), (start..ROWS.min(start + kept as i64)).collect::<Vec<_>>());
        }
        // Rows of several chunks, of which one is shared.
        let of = |nth: usize, dropped, kept| {
            Part::of_chunks(0, [chunks[nth]]).with_dropped(dropped).with_kept(kept)
        };
        let part = of(5, 0, 2).joined_with([of(1, 7, 100), Part::of_chunks(0, [chunks[3]]), of(1, 3, 4)]);
        let mut reader = reader(files.clone(), part, 1000, OnError::Raise, workers);
        let batches = all(&mut reader).unwrap();
        let expected = (133..137).chain(137..237).chain(390..520).chain(650..652);
        assert_eq!(ids(&batches), expected.collect::<Vec<_>>());
    }
}

#[test]
fn a_file_that_is_not_parquet_is_an_error_that_says_so() {
    let whole = file(Compression::SNAPPY);
    let error = |bytes: &[u8]| {
        let error = open(bytes.to_vec(), ParquetOptions::default()).unwrap_err();
        (error.kind(), error.to_string())
    };
    let not = |found: &str| {
        (
            FeedErrorKind::Format,
            format!("file: expected a Parquet file, which ends with \"PAR1\", found {found} at its end"),
        )
    };
    assert_eq!(error(b""), not("\"\""));
    assert_eq!(error(b"no such file"), not("\"uch file\""));
    assert_eq!(error(b"12\x01\xff\0abcde"), not("the bytes 01 ff 00 61 62 63 64 65"));
    assert_eq!(
        error(b"\xff\0\0\0PAR1"),
        (FeedErrorKind::Truncated, "file: expected a footer of 255 bytes, found a file of 8".to_owned())
    );
    let limits = Limits { header_bytes: 100, ..Limits::default() };
    let refused = open(whole, ParquetOptions { limits, ..Default::default() }).unwrap_err();
    assert_eq!(refused.limit(), Some("header_bytes"));
    let stream = FileSource::reader("stream", std::io::empty());
    let refused = ParquetFormat::files([stream], ParquetOptions::default(), None).unwrap_err().to_string();
    assert_eq!(
        refused,
        "expected files or bytes, which can be read more than once, found the stream \"stream\""
    );
}

#[test]
fn files_of_other_columns_are_refused_where_they_are_read() {
    let other = {
        let id: ArrayRef = Arc::new(StringArray::from(vec!["a"]));
        let batch = RecordBatch::try_from_iter([("id", id)]).unwrap();
        let mut bytes = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        bytes
    };
    let sources = [file(Compression::SNAPPY), other].map(FileSource::bytes);
    let sources = sources.into_iter().zip(["a", "b"]).map(|(source, name)| source.with_name(name));
    let columns = Some(vec!["id".to_owned()]);
    let files =
        ParquetFormat::files(sources, ParquetOptions { columns, ..Default::default() }, None).unwrap();
    let error = files.open(1, &arrowfeed_source::Check::never()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "b: expected the columns of a: column \"id\" to be Int64, found \"id\" as Utf8; set `schema`, or merge the schemas of the files, to read both"
    );
}

#[test]
fn columns_that_are_asked_for_may_be_at_other_places_of_later_files() {
    let reversed = columns().project(&[3, 2, 1, 0]).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, reversed.schema(), None).unwrap();
    writer.write(&reversed).unwrap();
    writer.close().unwrap();
    let sources = || [file(Compression::SNAPPY), bytes.clone()].map(FileSource::bytes);
    let columns = Some(vec!["id".to_owned(), "both.text".to_owned()]);
    let files =
        ParquetFormat::files(sources(), ParquetOptions { columns, ..Default::default() }, None).unwrap();
    let read = |part| all(&mut reader(files.clone(), part, 130, OnError::Raise, Workers::Caller)).unwrap();
    assert_eq!(ids(&read(Part::whole(0))), ids(&read(Part::whole(1))));
    let whole = ParquetFormat::files(sources(), ParquetOptions::default(), None).unwrap();
    let error = whole.open(1, &arrowfeed_source::Check::never()).unwrap_err().to_string();
    assert!(error.contains("column \"id\" to be Int64, found \"both\""), "{error}");
}

/// Reads damaged bytes in every way. Returns the rows of the readable row groups, or an error.
fn read_damaged(bytes: Vec<u8>) -> Result<(Vec<i64>, Report), FeedError> {
    let files = open(bytes, ParquetOptions::default())?;
    files.chunks(0, OnError::SkipBlock, &Check::never())?;
    for workers in [Workers::Caller, Workers::Own(2)] {
        let _ = all(&mut reader(files.clone(), Part::whole(0), 64, OnError::Raise, workers));
    }
    let mut skipping = reader(files, Part::whole(0), 64, OnError::SkipBlock, Workers::Caller);
    let batches = all(&mut skipping)?;
    let ids = batches
        .iter()
        .filter(|batch| batch.column_by_name("id").is_some_and(|id| *id.data_type() == DataType::Int64));
    Ok((self::ids(&ids.cloned().collect::<Vec<_>>()), skipping.report().clone()))
}

#[test]
fn damaged_files_are_values_or_errors() {
    let cases = random_run::cases(100);
    hide_panics_of_dependencies();
    let whole = file(Compression::SNAPPY);
    let mut state = random_run::seed() | 1;
    let mut random = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n as u64) as usize
    };
    let (mut values, mut errors) = (0, 0);
    for case in 0..cases {
        let mut bytes = whole.clone();
        match case % 3 {
            0 => bytes.truncate(random(whole.len())),
            1 => (0..=random(4)).for_each(|_| bytes[random(whole.len())] = random(256) as u8),
            // Damages pages, but not the footer.
            _ => bytes[4 + random(whole.len() / 2)] ^= 1 << random(8),
        }
        match read_damaged(bytes) {
            Ok((ids, report)) => {
                values += 1;
                assert!(ids.len() as i64 <= ROWS || !report.skipped.is_empty());
            }
            Err(error) => {
                errors += 1;
                assert_eq!(error.location().path.as_deref(), Some("file"), "{error}");
                assert_ne!(error.kind(), FeedErrorKind::Internal, "{error}");
            }
        }
    }
    assert!(values > cases / 10 && errors > cases / 10, "{values} {errors}");
}

#[test]
fn a_damaged_row_group_is_left_out_and_named() {
    let whole = file(Compression::SNAPPY);
    let files = open(whole.clone(), ParquetOptions::default()).unwrap();
    let chunk = files.chunks(0, OnError::Raise, &Check::never()).unwrap().0[2];
    let mut bytes = whole;
    bytes[chunk.offset as usize..chunk.offset as usize + 12].fill(0xff);
    let files = open(bytes, ParquetOptions::default()).unwrap();
    let error =
        all(&mut reader(files.clone(), Part::whole(0), 64, OnError::Raise, Workers::Caller)).unwrap_err();
    assert_eq!((error.location().block, error.location().offset), (Some(2), Some(chunk.offset)));
    for workers in [Workers::Caller, Workers::Own(2)] {
        let mut reader = reader(files.clone(), Part::whole(0), 64, OnError::SkipBlock, workers);
        let found = ids(&all(&mut reader).unwrap());
        assert_eq!(found, (0..260).chain(390..ROWS).collect::<Vec<_>>());
        let [skipped] = &reader.report().skipped[..] else { panic!("{:?}", reader.report()) };
        assert_eq!((skipped.block, skipped.rows), (Some(2), Some(130)));
    }
}

/// Batches with more rows than are read at a time end at multiples of their size, for any number of threads.
#[test]
fn batches_of_many_rows_end_where_they_should() {
    let rows = 100_000;
    let id: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows));
    let batch = RecordBatch::try_from_iter([("id", id)]).unwrap();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(40_000)).build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    for batch_size in [18_000, 30_000] {
        let read = |workers| {
            let files = open(bytes.clone(), ParquetOptions::default()).unwrap();
            let reader = reader(files, Part::whole(0), batch_size, OnError::Raise, workers);
            let mut end = 0;
            let ends = reader.map(|found| {
                end += found.unwrap().batch.num_rows();
                end
            });
            ends.collect::<Vec<_>>()
        };
        let ends = read(Workers::Caller);
        assert_eq!(ends.last(), Some(&(rows as usize)));
        assert!(
            (batch_size..rows as usize).step_by(batch_size).all(|border| ends.contains(&border)),
            "{ends:?}"
        );
        assert_eq!(read(Workers::Own(2)), ends);
    }
}
