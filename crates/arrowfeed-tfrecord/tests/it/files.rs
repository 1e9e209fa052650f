//! TFRecord files read through the engine: whichever part of a file is read, the rows are those of a plain reader.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrowfeed_source::format::{Chunk, ChunkScan};
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::{BatchBoundaries, FileSet, Part, PartOptions, PartReader, RangeOptions, Workers};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, OnError, Report};
use arrowfeed_tfrecord::example::{ExampleEncoder, Feature, FeatureKind};
use arrowfeed_tfrecord::{Compression, RecordFormat, RecordKind, RecordOptions, RecordWriter};
use proptest::prelude::*;

fn raw(chunk_bytes: u64) -> RecordOptions {
    RecordOptions { chunk_bytes, ..RecordOptions::new(RecordKind::Raw { column: "record".to_owned() }) }
}

fn examples(features: Option<&[(&str, FeatureKind)]>, sample: Option<u64>) -> RecordOptions {
    let features = features.map(|features| {
        let feature = |(name, kind): &(&str, FeatureKind)| Feature { name: (*name).to_owned(), kind: *kind };
        features.iter().map(feature).collect()
    });
    RecordOptions::new(RecordKind::Example { features, sample })
}

fn open(file: &[u8], options: RecordOptions) -> Result<FileSet, FeedError> {
    RecordFormat::files([FileSource::bytes(file.to_vec()).with_name("file")], options, None)
}

fn options(batch_size: usize, on_error: OnError, workers: Workers) -> PartOptions {
    PartOptions {
        batch_size: Some(batch_size),
        boundaries: BatchBoundaries::Continue(0),
        on_error,
        workers,
        prefetch_bytes: 1 << 20,
        interrupt: None,
        claim: None,
    }
}

/// The batches of a file, the report, and the error that ends them.
fn batches(files: &FileSet, options: PartOptions) -> (Vec<RecordBatch>, Report, Option<FeedError>) {
    let mut reader = PartReader::new(Arc::new(files.clone()), [Part::whole(0)], options).unwrap();
    let mut batches = Vec::new();
    let error = reader.find_map(|found| found.map(|found| batches.push(found.batch)).err());
    (batches, reader.report().clone(), error)
}

fn records(batches: &[RecordBatch]) -> Vec<Vec<u8>> {
    let values = batches.iter().flat_map(|batch| batch.column(0).as_binary::<i64>().iter().flatten());
    values.map(<[u8]>::to_vec).collect()
}

fn written(records: &[Vec<u8>], compression: Compression) -> Vec<u8> {
    let mut writer = RecordWriter::new(Vec::new(), compression);
    records.iter().for_each(|record| writer.write(record).unwrap());
    writer.finish().unwrap()
}

fn masked_crc(bytes: &[u8]) -> [u8; 4] {
    crc32c::crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8).to_le_bytes()
}

/// The end of the frame at an offset, and whether the checksum of its record matches; `None` if no frame starts there.
fn frame(file: &[u8], at: usize) -> Option<(usize, bool)> {
    let header = file.get(at..at + 12)?;
    let length = u64::from_le_bytes(header[..8].try_into().unwrap());
    let end = u64::try_from(at).unwrap().checked_add(length)?.checked_add(16)?;
    if masked_crc(&header[..8]) != header[8..] || end > file.len() as u64 {
        return None;
    }
    let record = &file[at + 12..end as usize - 4];
    Some((end as usize, masked_crc(record) == file[end as usize - 4..end as usize]))
}

/// The expected content of a file, computed as the documentation defines it.
#[derive(Debug, Default, PartialEq)]
struct Plain {
    records: Vec<Vec<u8>>,
    /// Offset, end and number of records of each chunk.
    chunks: Vec<(u64, u64, u64)>,
    /// Offsets of skipped records and bytes.
    left_out: Vec<u64>,
}

fn plain(file: &[u8], chunk_bytes: u64) -> Plain {
    let mut found = Plain::default();
    let (mut at, mut is_new) = (0, true);
    while at < file.len() {
        let Some((end, is_whole)) = frame(file, at) else {
            found.left_out.push(at as u64);
            at = (at + 1..file.len()).find(|at| frame(file, *at).is_some()).unwrap_or(file.len());
            is_new = true;
            continue;
        };
        match found.chunks.last_mut() {
            Some(last) if !is_new && last.0 / chunk_bytes == at as u64 / chunk_bytes => {
                (last.1, last.2) = (end as u64, last.2 + 1);
            }
            _ => found.chunks.push((at as u64, end as u64, 1)),
        }
        is_new = false;
        match is_whole {
            true => found.records.push(file[at + 12..end - 4].to_vec()),
            false => found.left_out.push(at as u64),
        }
        at = end;
    }
    found
}

fn scanned(scan: &mut dyn ChunkScan) -> Vec<Chunk> {
    let check = Check::never();
    let mut chunks = Vec::new();
    loop {
        match scan.next(&check) {
            Ok(Some(chunk)) => chunks.push(chunk),
            Ok(None) => return chunks,
            Err(error) => {
                let location = error.location();
                match scan.find(location.offset.unwrap() + 1, &check).unwrap() {
                    Some(offset) => scan.seek(offset, location.block.unwrap()),
                    None => return chunks,
                }
            }
        }
    }
}

/// A directory that is removed with its files on drop.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name =
            format!("arrowfeed-tfrecord-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Records, some of which are TFRecord files themselves if `nested` is true.
fn contents(nested: bool) -> impl Strategy<Value = Vec<Vec<u8>>> {
    let bytes = prop::collection::vec(any::<u8>(), 0..120);
    let file = prop::collection::vec(bytes.clone(), 1..4).prop_map(|it| written(&it, Compression::None));
    let record =
        if nested { prop_oneof![4 => bytes.boxed(), 1 => file.boxed()].boxed() } else { bytes.boxed() };
    prop::collection::vec(record, 0..40)
}

/// Records of 8 bytes that look like the length of a record, among others.
fn lengths() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let length = prop_oneof![2 => Just(8_u64), 2 => 0..600_u64, 1 => any::<u64>()];
    let record = prop_oneof![
        8 => length.prop_map(|length| length.to_le_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..40),
    ];
    prop::collection::vec(record, 0..40)
}

fn damage() -> impl Strategy<Value = Vec<(prop::sample::Index, u8)>> {
    prop::collection::vec((any::<prop::sample::Index>(), 1..=255_u8), 0..4)
}

proptest! {
    #![proptest_config(crate::random_config::config(500))]

    #[test]
    fn a_file_is_read_as_a_plain_reader_reads_it(
        contents in contents(false),
        damage in damage(),
        cut in prop_oneof![4 => Just(None), 1 => any::<prop::sample::Index>().prop_map(Some)],
        chunk_bytes in prop_oneof![1..400_u64, Just(1 << 18)],
        batch_size in 1..30_usize,
        target_bytes in 1..600_u64,
    ) {
        let mut file = written(&contents, Compression::None);
        if let Some(cut) = cut.filter(|_| !file.is_empty()) {
            file.truncate(cut.index(file.len()));
        }
        // The first 12 bytes stay intact, because they identify the file.
        if let Some(rest) = file.get_mut(12..).filter(|rest| !rest.is_empty()) {
            damage.iter().for_each(|(place, xor)| rest[place.index(rest.len())] ^= xor);
        }
        let expected = plain(&file, chunk_bytes);
        let files = open(&file, raw(chunk_bytes)).unwrap();
        for workers in [Workers::Caller, Workers::Own(2)] {
            let (found, report, error) = batches(&files, options(batch_size, OnError::SkipBlock, workers.clone()));
            prop_assert!(error.is_none());
            prop_assert_eq!(records(&found), expected.records.clone());
            let places: Vec<u64> = report.skipped.iter().map(|skipped| skipped.offset.unwrap()).collect();
            prop_assert_eq!(&places, &expected.left_out);
            prop_assert_eq!(report.blocks, expected.chunks.len() as u64);
            // The first fault is an error after the records before it.
            let (found, _, error) = batches(&files, options(batch_size, OnError::Raise, workers));
            prop_assert!(expected.records.starts_with(&records(&found)));
            let found = error.map(|error| error.location().offset.unwrap());
            prop_assert_eq!(found, expected.left_out.first().copied());
        }
        let check = Check::never();
        let mut scan = files.open(0, &check).unwrap().chunks().unwrap();
        let chunks = scanned(&mut *scan);
        let found: Vec<_> = chunks.iter().map(|chunk| (chunk.offset, chunk.end, chunk.rows)).collect();
        prop_assert_eq!(&found, &expected.chunks);
        prop_assert!(chunks.is_sorted_by(|a, b| a.number < b.number));
        for from in 0..=file.len() as u64 + 1 {
            let next = expected.chunks.iter().map(|chunk| chunk.0).find(|offset| *offset >= from);
            let next = if from == 0 && !file.is_empty() { Some(0) } else { next };
            prop_assert_eq!(scan.find(from, &check).unwrap(), next);
        }
        let directory = Directory::new();
        let path = directory.0.join("file.tfrecord");
        fs::write(&path, &file).unwrap();
        let files = RecordFormat::files([FileSource::from(&path)], raw(chunk_bytes), None).unwrap();
        let mut found = Vec::new();
        for split in files.splits(target_bytes, None).unwrap() {
            let options = RangeOptions { on_error: OnError::SkipBlock, batch_size: Some(batch_size), ..RangeOptions::default() };
            let batches: Result<Vec<_>, _> = files.read_split(&split, None, options).unwrap().collect();
            found.extend(records(&batches.unwrap()));
        }
        prop_assert_eq!(found, expected.records);
    }

    #[test]
    fn records_that_look_like_the_start_of_a_record_are_none(
        contents in lengths(),
        chunk_bytes in prop_oneof![1..400_u64, Just(1 << 18)],
    ) {
        let file = written(&contents, Compression::None);
        let expected = plain(&file, chunk_bytes);
        prop_assert_eq!(&expected.records, &contents);
        let files = open(&file, raw(chunk_bytes)).unwrap();
        let check = Check::never();
        let mut scan = files.open(0, &check).unwrap().chunks().unwrap();
        for from in 0..=file.len() as u64 + 1 {
            let next = expected.chunks.iter().map(|chunk| chunk.0).find(|offset| *offset >= from);
            prop_assert_eq!(scan.find(from, &check).unwrap(), next, "{}", from);
        }
    }

    #[test]
    fn a_compressed_file_has_the_records_of_a_plain_one(
        contents in contents(true),
        is_zlib: bool,
        batch_size in 1..30_usize,
    ) {
        let compression = if is_zlib { Compression::Zlib } else { Compression::Gzip };
        let files = open(&written(&contents, compression), raw(300)).unwrap();
        for workers in [Workers::Caller, Workers::Own(2)] {
            let (found, _, error) = batches(&files, options(batch_size, OnError::Raise, workers));
            prop_assert!(error.is_none());
            prop_assert_eq!(records(&found), contents.clone());
        }
        let chunks = files.chunks(0, OnError::Raise, &Check::never()).unwrap().0;
        prop_assert_eq!(chunks.iter().map(|chunk| chunk.rows).collect::<Vec<_>>(), Vec::from_iter((!contents.is_empty()).then_some(contents.len() as u64)));
    }

    #[test]
    fn damage_of_a_compressed_file_leaves_the_records_before_it(
        contents in contents(false),
        place in any::<prop::sample::Index>(),
        xor in 1..=255_u8,
        cut: bool,
    ) {
        for compression in [Compression::Gzip, Compression::Zlib] {
            let mut file = written(&contents, compression);
            let place = 2 + place.index(file.len() - 2);
            if cut { file.truncate(place) } else { file[place] ^= xor }
            let files = open(&file, raw(300)).unwrap();
            let (raised, _, error) = batches(&files, options(7, OnError::Raise, Workers::Caller));
            let (left, report, none) = batches(&files, options(7, OnError::SkipBlock, Workers::Caller));
            prop_assert!(none.is_none());
            prop_assert_eq!(error.is_some(), !report.skipped.is_empty());
            let (raised, left) = (records(&raised), records(&left));
            prop_assert!(left.starts_with(&raised) || !contents.starts_with(&raised));
            // The index has the same number of rows as the reader.
            let (chunks, faults) = files.chunks(0, OnError::SkipBlock, &Check::never()).unwrap();
            let rows = chunks.iter().map(|chunk| chunk.rows).sum::<u64>();
            let of_records = report.skipped.iter().filter(|skipped| skipped.rows == Some(1)).count();
            prop_assert_eq!(rows, (left.len() + of_records) as u64);
            prop_assert_eq!(faults.len(), report.skipped.len() - of_records);
        }
    }
}

#[test]
fn a_record_that_is_longer_than_all_buffers_is_read() {
    let contents: Vec<Vec<u8>> = [3 << 20, 5, 700_000, 0, 1]
        .into_iter()
        .map(|len| (0..len).map(|n| (n % 251) as u8).collect())
        .collect();
    let directory = Directory::new();
    let path = directory.0.join("long");
    fs::write(&path, written(&contents, Compression::None)).unwrap();
    let files = RecordFormat::files([FileSource::from(&path)], raw(1 << 18), None).unwrap();
    assert_eq!(records(&batches(&files, options(2, OnError::Raise, Workers::Caller)).0), contents);
    assert_eq!(files.chunks(0, OnError::Raise, &Check::never()).unwrap().0.len(), 3);
}

#[test]
fn messages_say_file_block_record_and_field() {
    let feature = |name: &str| -> arrow_array::ArrayRef {
        match name {
            "f" => Arc::new(arrow_array::Float32Array::from(vec![0.5])),
            _ => Arc::new(arrow_array::Int64Array::from(vec![7])),
        }
    };
    let message = |name: &str, as_of: &str| {
        let batch = RecordBatch::try_from_iter([(name, feature(as_of))]).unwrap();
        ExampleEncoder::new(&batch).unwrap().encode(0).to_vec()
    };
    let contents = [message("i", "i"), message("i", "i"), message("i", "f"), message("i", "i")];
    let file = written(&contents, Compression::None);
    let files = open(&file, examples(Some(&[("i", FeatureKind::Int64)]), None)).unwrap();
    let (found, _, error) = batches(&files, options(10, OnError::Raise, Workers::Caller));
    assert_eq!(found.iter().map(RecordBatch::num_rows).sum::<usize>(), 2);
    assert_eq!(
        error.unwrap().to_string(),
        "file: block 0 at byte 60, record 2: i: expected values of int64_list, found float_list"
    );
    let (found, report, _) = batches(&files, options(10, OnError::SkipBlock, Workers::Own(2)));
    let ids = found.iter().flat_map(|batch| {
        batch.column(0).as_list::<i64>().values().as_primitive::<Int64Type>().values().to_vec()
    });
    assert_eq!(ids.collect::<Vec<_>>(), [7, 7, 7]);
    assert_eq!(
        (report.skipped[0].block, report.skipped[0].offset, report.skipped[0].rows),
        (Some(0), Some(60), Some(1))
    );

    let error = open(&file, examples(None, None)).unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string()),
        (
            FeedErrorKind::CorruptBlock,
            "file: block 0 at byte 0, record 2: i: expected values of int64_list, as in records before, found float_list"
                .to_owned()
        )
    );
    let gzip = written(&contents, Compression::Gzip);
    let files = open(&gzip, examples(Some(&[("i", FeatureKind::Int64)]), None)).unwrap();
    let error = batches(&files, options(10, OnError::Raise, Workers::Caller)).2.unwrap();
    assert_eq!(
        error.to_string(),
        "file: block 0, record 2: i: expected values of int64_list, found float_list"
    );
}

#[test]
fn features_are_inferred_from_all_records_or_from_a_sample() {
    let message = |columns: [(&str, arrow_array::ArrayRef); 1]| {
        ExampleEncoder::new(&RecordBatch::try_from_iter(columns).unwrap()).unwrap().encode(0).to_vec()
    };
    let numbers = || Arc::new(arrow_array::Int64Array::from(vec![7]));
    let contents = [
        message([("b", Arc::new(arrow_array::StringArray::from(vec!["text"])))]),
        message([("a", numbers())]),
        message([("c", numbers())]),
    ];
    let file = written(&contents, Compression::None);
    let names = |sample| {
        let files = open(&file, examples(None, sample)).unwrap();
        files.schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(None), ["a", "b", "c"]);
    assert_eq!(names(Some(2)), ["a", "b"]);
    assert_eq!(names(Some(9)), ["a", "b", "c"]);
    let error = open(&written(&[vec![]], Compression::None), examples(None, None)).unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string()),
        (
            FeedErrorKind::Schema,
            "expected records with features to make columns from, found none: give a schema".to_owned()
        )
    );
}

#[test]
fn a_feature_that_has_no_list_in_any_record_is_a_column_of_nulls() {
    let entry = |name: &str, feature: &[u8]| {
        let (name, feature) = (name.as_bytes(), feature.to_vec());
        let entry = [&[10, name.len() as u8], name, &[18, feature.len() as u8], &feature].concat();
        [&[10, entry.len() as u8][..], &entry].concat()
    };
    let message = |entries: &[Vec<u8>]| {
        let entries = entries.concat();
        [&[10, entries.len() as u8][..], &entries].concat()
    };
    let numbers: &[u8] = b"\x1a\x03\x0a\x01\x07";
    let contents = [
        message(&[entry("a", b""), entry("n", numbers)]),
        message(&[entry("a", b"")]),
        message(&[entry("n", b"")]),
        message(&[entry("a", numbers)]),
    ];
    let types = |files: &FileSet| {
        let fields = files.schema().fields().iter();
        fields.map(|field| format!("{} {}", field.name(), field.data_type())).collect::<Vec<_>>()
    };
    let files = open(&written(&contents[..3], Compression::None), examples(None, None)).unwrap();
    assert_eq!(types(&files), ["a Null", "n LargeList(Int64)"]);
    let (found, _, error) = batches(&files, options(10, OnError::Raise, Workers::Caller));
    assert!(error.is_none());
    assert_eq!((found[0].num_rows(), found[0].column(1).null_count()), (3, 2));
    assert_eq!(found[0].column(0).logical_null_count(), 3);

    // A list in a record after the sample is an error, not a null.
    let files = open(&written(&contents, Compression::None), examples(None, Some(3))).unwrap();
    let (_, _, error) = batches(&files, options(10, OnError::Raise, Workers::Caller));
    assert_eq!(
        error.unwrap().to_string(),
        "file: block 0 at byte 87, record 3: a: expected a feature without a list, found int64_list: give its kind in the \
         schema, or a larger sample"
    );
    let files = open(&written(&contents, Compression::None), examples(None, None)).unwrap();
    assert_eq!(types(&files), ["a LargeList(Int64)", "n LargeList(Int64)"]);
}

#[test]
fn columns_come_in_the_order_asked_for() {
    let file = written(&[], Compression::None);
    let all = [("a", FeatureKind::Int64), ("b.c", FeatureKind::Float), ("d", FeatureKind::Bytes)];
    let names = |columns: &[&str]| {
        let columns = Some(columns.iter().map(|name| (*name).to_owned()).collect());
        let files = open(&file, RecordOptions { columns, ..examples(Some(&all), None) });
        files
            .map(|files| files.schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>())
    };
    assert_eq!(names(&["d", "b.c"]).unwrap(), ["d", "b.c"]);
    assert_eq!(
        names(&["e"]).unwrap_err().to_string(),
        r#"e: expected a column of this name, one of "a", "b.c", "d", found none"#
    );
    assert_eq!(
        names(&["b.c.d"]).unwrap_err().to_string(),
        r#"b.c.d: expected a path to a field of the column "b.c", found none"#
    );
}

#[test]
fn raw_records_without_their_column_are_counted() {
    let expected: Vec<Vec<u8>> = vec![b"first".to_vec(), b"".to_vec(), b"third".to_vec()];
    let counted =
        open(&written(&expected, Compression::None), raw(1 << 20)).unwrap().with_columns(&[]).unwrap();
    let read = |files: &FileSet| batches(files, options(2, OnError::Raise, Workers::Caller));
    let (found, _, error) = read(&counted);
    assert!(error.is_none(), "{error:?}");
    let sizes: Vec<_> = found.iter().map(|batch| (batch.num_rows(), batch.num_columns())).collect();
    assert_eq!(sizes, [(2, 0), (1, 0)]);
    let (found, ..) = read(&counted.with_columns(&["record".to_owned()]).unwrap());
    assert_eq!(records(&found), expected);
}

#[test]
fn a_file_of_another_format_is_an_error_that_says_so() {
    let error = |bytes: &[u8]| {
        let error = open(bytes, raw(300)).unwrap_err();
        (error.kind(), error.to_string())
    };
    assert_eq!(
        error(b"Obj\x01 is another format"),
        (
            FeedErrorKind::Format,
            "file: expected a TFRecord file, uncompressed or compressed with gzip or zlib, found the bytes 4f 62 6a 01 20 69 73 20 61 6e 6f 74"
                .to_owned()
        )
    );
    let files = open(b"short", raw(300)).unwrap();
    let (_, _, error) = batches(&files, options(10, OnError::Raise, Workers::Caller));
    assert_eq!(
        error.unwrap().to_string(),
        "file: block 0 at byte 0: expected the 12 bytes before a record, found the end of the file after 5"
    );
    let stream = FileSource::reader("stream", std::io::empty());
    assert_eq!(
        RecordFormat::files([stream], raw(300), None).unwrap_err().to_string(),
        "expected files or bytes, which can be read more than once, found the stream \"stream\""
    );
}
