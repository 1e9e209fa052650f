//! Saved indexes: they yield the same batches without a scan, are rejected for other files, and never cause a panic.

use std::io;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrowfeed::avro::{AvroFormat, AvroOptions, FileSource, OnError};
use arrowfeed::source::io::{ByteSource, FileIdentity, FileVersion, LocalFile};
use arrowfeed::source::{Check, Interrupt};
use arrowfeed::{
    Dataset, DatasetError, DatasetOptions, FeedError, FeedErrorKind, IterationOptions, Limits, RowOptions,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::files::{Directory, Format, all, dataset, formats, numbers, write_as};

/// Writes Avro files and their saved index. Returns their paths.
fn indexed(directory: &Directory, rows: &[usize], block_bytes: usize) -> (Vec<PathBuf>, PathBuf) {
    indexed_as(Format::Avro, directory, rows, block_bytes)
}

fn indexed_as(
    format: Format,
    directory: &Directory,
    rows: &[usize],
    chunk_bytes: usize,
) -> (Vec<PathBuf>, PathBuf) {
    let paths = write_as(format, directory, rows, chunk_bytes);
    let index = directory.0.join("all.index.json");
    dataset(&paths).save_index(&index, None).unwrap();
    (paths, index)
}

fn with_index(paths: &[PathBuf], index: &Path) -> Result<Dataset, FeedError> {
    let options = DatasetOptions { index: Some(index.to_owned()), ..Default::default() };
    match Dataset::open(AvroFormat::files(paths, AvroOptions::default(), None)?, options) {
        Ok(dataset) => Ok(dataset),
        Err(DatasetError::Feed(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

/// The error when a file is opened with this text as its index: kind and message, with the paths replaced by `INDEX`
/// and `FILE`.
fn refused(text: &str, (paths, index): &(Vec<PathBuf>, PathBuf)) -> (FeedErrorKind, String) {
    std::fs::write(index, text).unwrap();
    let error = with_index(paths, index).unwrap_err();
    let message = error.to_string().replace(&index.display().to_string(), "INDEX");
    (error.kind(), message.replace(&paths[0].display().to_string(), "FILE"))
}

fn read(index: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(index).unwrap()).unwrap()
}

/// Sets the checksum of an index as documented.
fn with_checksum(mut index: Value) -> String {
    let mut checksum = crc32fast::Hasher::new();
    for file in index["files"].as_array().unwrap() {
        for text in ["name", "identity"] {
            checksum.update(file[text].as_str().unwrap().as_bytes());
            checksum.update(&[0]);
        }
        for list in ["numbers", "offsets", "ends", "rows"] {
            for number in file[list].as_array().unwrap() {
                checksum.update(&number.as_u64().unwrap().to_le_bytes());
            }
        }
    }
    index["checksum"] = json!(checksum.finalize());
    index.to_string()
}

proptest! {
    #![proptest_config(crate::random_config::config(10))]

    #[test]
    fn batches_and_states_are_those_without_an_index(
        format in formats(),
        rows in proptest::collection::vec(0_usize..80, 1..5),
        block_bytes in prop_oneof![Just(40_usize), Just(300), Just(64_000)],
        batch_size in 1_usize..50,
        shuffle_buffer_size in prop_oneof![Just(0_usize), Just(30), Just(1000)],
        shard in prop_oneof![Just((0_u64, 1_u64)), Just((0, 3)), Just((2, 3))],
        on_error in prop_oneof![Just(OnError::Raise), Just(OnError::SkipBlock), Just(OnError::SkipFile)],
        threads in 1_usize..3,
    ) {
        let directory = Directory::new();
        let (paths, index) = indexed_as(format, &directory, &rows, block_bytes);
        let (scanned, indexed) = (dataset(&paths), dataset(&paths).with_index(&index, None).unwrap());
        prop_assert_eq!(indexed.num_rows().unwrap(), rows.iter().sum::<usize>() as u64);
        prop_assert_eq!(indexed.fingerprint().unwrap(), scanned.fingerprint().unwrap());
        let (epochs, threads) = (NonZeroU64::new(2), NonZeroUsize::new(threads));
        let options = IterationOptions {
            batch_size, shuffle_buffer_size, shard, epochs, threads, on_error, seed: Some(5), ..Default::default()
        };
        let whole = all(&scanned, &options);
        prop_assert_eq!(&all(&indexed, &options), &whole);
        for (from, to) in [(&scanned, &indexed), (&indexed, &scanned)] {
            let mut batches = from.record_batches(options.clone()).unwrap();
            let given = batches.by_ref().take(whole.len() / 2).count();
            let mut resumed = to.record_batches(options.clone()).unwrap();
            resumed.load_state(&batches.state().unwrap()).unwrap();
            let rest: Vec<Vec<i64>> = resumed.map(|batch| numbers(&batch.unwrap())).collect();
            prop_assert_eq!(&rest, &whole[given..]);
        }
        let bytes = std::fs::read(&index).unwrap();
        indexed.save_index(&index, None).unwrap();
        prop_assert_eq!(std::fs::read(&index).unwrap(), bytes);
    }

    #[test]
    fn damage_is_an_error(cut in 0.0_f64..1.0, at in 0.0_f64..1.0, xor in 1_u8..) {
        let directory = Directory::new();
        let (paths, index) = indexed(&directory, &[90, 0, 50], 100);
        let bytes = std::fs::read(&index).unwrap();
        let place = |share: f64| (bytes.len() as f64 * share) as usize;
        let mut flipped = bytes.clone();
        flipped[place(at)] ^= xor;
        for damaged in [&bytes[..place(cut)], &flipped] {
            std::fs::write(&index, damaged).unwrap();
            let Ok(dataset) = with_index(&paths, &index) else { continue };
            // An index that still loads has the same contents; only white space may differ.
            dataset.save_index(&index, None).unwrap();
            prop_assert_eq!(&std::fs::read(&index).unwrap(), &bytes);
        }
    }

    #[test]
    fn wrong_numbers_with_the_right_checksum_are_errors_or_rows(
        format in formats(),
        list in prop_oneof![Just("numbers"), Just("offsets"), Just("ends"), Just("rows")],
        nth in 0_usize..10,
        by in prop_oneof![-3_i64..4, -100_i64..100, Just(1000), Just(100_000)],
        on_error in prop_oneof![Just(OnError::Raise), Just(OnError::SkipBlock), Just(OnError::SkipFile)],
        threads in 1_usize..3,
    ) {
        let directory = Directory::new();
        let (paths, index) = indexed_as(format, &directory, &[90, 50], 100);
        let mut value = read(&index);
        let items = value["files"][0][list].as_array_mut().unwrap();
        let nth = nth % items.len();
        items[nth] = json!(items[nth].as_u64().unwrap().saturating_add_signed(by));
        std::fs::write(&index, with_checksum(value)).unwrap();
        let Ok(dataset) = dataset(&paths).with_index(&index, None) else { return Ok(()) };
        for (shuffle_buffer_size, shard) in [(0, (1, 3)), (30, (0, 1)), (30, (1, 3)), (1000, (0, 1))] {
            let threads = NonZeroUsize::new(threads);
            let options = IterationOptions {
                batch_size: 7, shuffle_buffer_size, shard, threads, on_error, seed: Some(5), ..Default::default()
            };
            let mut rows: Vec<i64> = Vec::new();
            let batches = dataset.record_batches(options).unwrap();
            for batch in batches {
                match batch {
                    // A text record that is read from its middle may parse as a record with other numbers.
                    Ok(_) if format.is_text() => {}
                    Ok(batch) => rows.extend(numbers(&batch)),
                    Err(DatasetError::Feed(error)) => {
                        prop_assert_ne!(error.kind(), FeedErrorKind::Internal, "{}", error);
                    }
                    Err(other) => panic!("{other}"),
                }
            }
            let count = rows.len();
            rows.sort_unstable();
            rows.dedup();
            prop_assert_eq!(rows.len(), count, "rows that come twice");
        }
        let reader = dataset.row_reader(2000).unwrap();
        let count = reader.num_rows(None).unwrap_or(0).min(300) as i64;
        for asked in (0..count).collect::<Vec<_>>().chunks(7) {
            match reader.rows(asked, &RowOptions::default()) {
                Ok(batch) if format.is_text() => prop_assert_eq!(batch.num_rows(), asked.len()),
                Ok(batch) => prop_assert_eq!(numbers(&batch).len(), asked.len()),
                Err(DatasetError::Feed(error)) => prop_assert_ne!(error.kind(), FeedErrorKind::Internal, "{}", error),
                Err(other) => panic!("{other}"),
            }
        }
    }
}

/// A file that counts its reads.
#[derive(Debug)]
struct Counted(LocalFile, Arc<AtomicUsize>);

impl ByteSource for Counted {
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.read_at(offset, into)
    }

    fn version(&self) -> io::Result<FileVersion> {
        self.0.version()
    }
}

#[test]
fn with_an_index_no_block_head_is_read() {
    let directory = Directory::new();
    let (paths, index) = indexed(&directory, &[300, 200], 200);
    let blocks: usize =
        (0..2).map(|file| read(&index)["files"][file]["rows"].as_array().unwrap().len()).sum();
    assert!(blocks > 20);
    let reads = Arc::new(AtomicUsize::new(0));
    let open = || {
        let source = |path: &PathBuf| {
            let file = LocalFile::open(path, &Check::never()).unwrap();
            FileSource::from_source(path.display().to_string(), Counted(file, reads.clone()))
        };
        let files = AvroFormat::files(paths.iter().map(source), AvroOptions::default(), None).unwrap();
        Dataset::open(files, DatasetOptions::default()).unwrap()
    };
    let reads_of = |work: &dyn Fn()| {
        let before = reads.load(Ordering::Relaxed);
        work();
        reads.load(Ordering::Relaxed) - before
    };
    for (shuffle_buffer_size, shard) in [(50, (0, 1)), (50, (1, 3)), (0, (1, 3))] {
        let options = IterationOptions {
            shuffle_buffer_size,
            shard,
            seed: Some(1),
            threads: NonZeroUsize::new(1),
            ..Default::default()
        };
        let scanned = open();
        let scan = reads_of(&|| _ = scanned.num_rows().unwrap());
        assert!(scan >= blocks, "{scan}");
        let decode = reads_of(&|| _ = all(&scanned, &options));
        let indexed = open();
        let indexed = std::cell::RefCell::new(indexed);
        let load = || indexed.replace_with(|dataset| dataset.clone().with_index(&index, None).unwrap());
        assert_eq!(reads_of(&|| _ = load()), 0);
        let indexed = indexed.into_inner();
        assert_eq!(reads_of(&|| assert_eq!(indexed.num_rows().unwrap(), 500)), 0);
        assert_eq!(reads_of(&|| _ = all(&indexed, &options)), decode);
        let projected = indexed.project(&["id"]).unwrap();
        assert_eq!(reads_of(&|| assert_eq!(projected.num_rows().unwrap(), 500)), 0);
    }
}

#[test]
fn an_index_has_the_documented_form() {
    let directory = Directory::new();
    let (paths, index) = indexed(&directory, &[90, 0], 200);
    let value = read(&index);
    let (names, len) = (paths.iter().map(|path| path.display().to_string()), |path: &PathBuf| {
        std::fs::metadata(path).unwrap().len()
    });
    for (nth, name) in names.enumerate() {
        let file = &value["files"][nth];
        assert_eq!(file["name"], name);
        let identity: FileIdentity = file["identity"].as_str().unwrap().parse().unwrap();
        assert_eq!(identity.len, len(&paths[nth]));
    }
    let list = |name: &str| -> Vec<u64> { serde_json::from_value(value["files"][0][name].clone()).unwrap() };
    assert_eq!(list("rows").iter().sum::<u64>(), 90);
    assert_eq!(list("numbers"), (0..list("rows").len() as u64).collect::<Vec<_>>());
    assert_eq!(list("offsets")[1..], list("ends")[..list("ends").len() - 1]);
    assert_eq!(list("ends").last(), Some(&len(&paths[0])));
    assert_eq!(value["files"][1]["rows"], json!([]));
    assert_eq!(value["version"], 1);
    // The documented checksum and white space.
    assert_eq!(serde_json::from_str::<Value>(&with_checksum(value.clone())).unwrap(), value);
    let text = std::fs::read_to_string(&index).unwrap();
    assert_eq!(text.matches(char::is_whitespace).collect::<Vec<_>>(), ["\n"]);
}

#[test]
fn an_index_of_other_files_is_a_located_error() {
    let directory = Directory::new();
    let (paths, index) = indexed(&directory, &[50, 60], 200);
    let found = |paths: &[PathBuf]| {
        let error = with_index(paths, &index).unwrap_err();
        assert_eq!(error.kind(), FeedErrorKind::Changed);
        let message = error.to_string().replace(&index.display().to_string(), "INDEX");
        let message = message.replace(&paths[0].display().to_string(), "FIRST");
        message.replace(&paths[paths.len() - 1].display().to_string(), "LAST")
    };
    assert_eq!(found(&paths[..1]), "INDEX: expected an index of 1 file, found one of 2");
    let turned = [paths[1].clone(), paths[0].clone()];
    assert_eq!(found(&turned), "FIRST: expected this file as file 0 of the index \"INDEX\", found \"LAST\"");
    let mut bytes = std::fs::read(&paths[1]).unwrap();
    let (was, is) = (bytes.len(), bytes.len() + 1);
    bytes.push(0);
    std::fs::write(&paths[1], bytes).unwrap();
    let expected = format!(
        "LAST: expected the file to be unchanged since its index was saved ({was} bytes), found {is} bytes"
    );
    assert_eq!(found(&paths), expected);
    std::fs::remove_file(&paths[1]).unwrap();
    let error = with_index(&paths, &index).unwrap_err();
    assert_eq!((error.kind(), error.location().path.as_deref()), (FeedErrorKind::Io, paths[1].to_str()));
}

#[test]
fn a_file_written_again_with_the_same_length_is_a_located_error_when_it_is_read() {
    let directory = Directory::new();
    let (paths, index) = indexed(&directory, &[50, 60], 200);
    let bytes = std::fs::read(&paths[1]).unwrap();
    let old = bytes[bytes.len() - 16..].to_vec();
    // Simulates a writer that chooses another sync marker.
    let mut again = bytes.clone();
    for at in 0..=again.len() - 16 {
        if again[at..at + 16] == old[..] {
            again[at..at + 16].copy_from_slice(&[7; 16]);
        }
    }
    assert_ne!(again, bytes);
    std::fs::write(&paths[1], again).unwrap();
    let dataset = with_index(&paths, &index).unwrap();
    assert_eq!(dataset.num_rows().unwrap(), 110);
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
    let expected = format!(
        "{}: expected the file to be unchanged since its index was saved (sync marker {}), found {}",
        paths[1].display(),
        hex(&old),
        hex(&[7; 16])
    );
    for (shuffle_buffer_size, shard) in [(0, (0, 1)), (0, (1, 2)), (100, (0, 1))] {
        for threads in [1, 2] {
            let threads = NonZeroUsize::new(threads);
            let options =
                IterationOptions { shuffle_buffer_size, shard, threads, seed: Some(1), ..Default::default() };
            let batches = dataset.record_batches(options).unwrap();
            let Some(DatasetError::Feed(error)) = batches.filter_map(Result::err).next() else { panic!() };
            assert_eq!((error.kind(), error.to_string()), (FeedErrorKind::Changed, expected.clone()));
        }
    }
    let error = dataset.save_index(&index, None).unwrap_err();
    assert_eq!((error.kind(), error.to_string()), (FeedErrorKind::Changed, expected));
}

#[test]
fn a_file_with_a_fault_has_no_index_and_keeps_the_one_it_had() {
    let directory = Directory::new();
    let (paths, index) = indexed(&directory, &[50, 60], 200);
    let saved = std::fs::read(&index).unwrap();
    let value = read(&index);
    let end = &value["files"][1]["ends"][0];
    let rows: u64 = (0..2).map(|block| value["files"][1]["rows"][block].as_u64().unwrap()).sum();
    let mut bytes = std::fs::read(&paths[1]).unwrap();
    bytes[end.as_u64().unwrap() as usize - 1] ^= 1;
    std::fs::write(&paths[1], &bytes).unwrap();
    let error = dataset(&paths).save_index(&index, None).unwrap_err();
    assert_eq!((error.kind(), error.location().block), (FeedErrorKind::CorruptBlock, Some(0)));
    assert_eq!(error.location().path.as_deref(), paths[1].to_str());
    assert_eq!(std::fs::read(&index).unwrap(), saved);
    assert_eq!(std::fs::read_dir(&directory.0).unwrap().count(), 3);
    // The index has the block, so it is skipped when it is read. The next one is skipped too: the search for a marker
    // starts at its end.
    let dataset = with_index(&paths, &index).unwrap();
    let options =
        IterationOptions { shuffle_buffer_size: 1000, on_error: OnError::SkipBlock, ..Default::default() };
    let mut batches = dataset.record_batches(options).unwrap();
    let given: usize = batches.by_ref().map(|batch| batch.unwrap().num_rows()).sum();
    assert_eq!((given as u64, batches.report().skipped.len()), (110 - rows, 1));
}

#[test]
fn hostile_indexes_are_errors_that_say_where() {
    let directory = Directory::new();
    let files = indexed(&directory, &[50], 100);
    let good = read(&files.1);
    let list = |name: &str| -> Vec<u64> { serde_json::from_value(good["files"][0][name].clone()).unwrap() };
    let (offsets, ends) = (list("offsets"), list("ends"));
    let (n, len) = (offsets.len(), *ends.last().unwrap());
    let format = |text: &str, expected: &str| {
        assert_eq!(refused(text, &files), (FeedErrorKind::Format, format!("INDEX: {expected}")));
    };
    let other = "expected an index that save_index wrote, found other data: ";
    format("", &format!("{other}EOF while parsing a value at line 1 column 0"));
    format(
        "[]",
        &format!("{other}invalid length 0, expected struct Version with 1 element at line 1 column 2"),
    );
    format("{}", &format!("{other}missing field `version` at line 1 column 2"));
    format(
        r#"{"version": -1}"#,
        &format!("{other}invalid value: integer `-1`, expected u32 at line 1 column 14"),
    );
    format(r#"{"version":1}"#, &format!("{other}missing field `files` at line 1 column 13"));
    format(
        r#"{"version":1,"files":[],"checksum":0,"more":0}"#,
        &format!(
            "{other}unknown field `more`, expected one of `version`, `files`, `filters`, `checksum` at line 1 column 43"
        ),
    );
    format(
        r#"{"version":2,"chunks":[]}"#,
        "expected an index of version 1, found version 2: save it again with this version of arrowfeed",
    );
    let none = r#"{"version":1,"files":[],"checksum":0}"#;
    let expected = "INDEX: expected an index of 1 file, found one of 0".to_owned();
    assert_eq!(refused(none, &files), (FeedErrorKind::Changed, expected));

    let with = |change: &dyn Fn(&mut Value)| {
        let mut value = good.clone();
        change(&mut value["files"][0]);
        value.to_string()
    };
    let set = |name: &str, nth: usize, number: u64| with(&|file| file[name][nth] = json!(number));
    format(
        &with(&|file| file["identity"] = json!("12-00")),
        "files[0].identity: expected the length and the sync marker of a file, such as \
         1024-000102030405060708090a0b0c0d0e0f, found \"12-00\"",
    );
    for name in ["numbers", "ends", "rows"] {
        let longer = with(&|file| file[name].as_array_mut().unwrap().push(json!(1)));
        let expected = format!("expected {n} numbers, as many as offsets, found {}", n + 1);
        format(&longer, &format!("files[0].{name}: {expected}"));
    }
    let least = ends[0];
    for found in [offsets[0], ends[0] - 1] {
        let expected = format!("expected {least} or more, the end of the previous chunk, found {found}");
        format(&set("offsets", 1, found), &format!("files[0].offsets[1]: {expected}"));
    }
    for (nth, found) in [(0, offsets[0]), (n - 1, len + 1), (n - 1, u64::MAX)] {
        let offset = offsets[nth];
        let expected = format!(
            "expected more than {offset}, the offset, and at most {len}, the length of the file, found {found}"
        );
        format(&set("ends", nth, found), &format!("files[0].ends[{nth}]: {expected}"));
    }
    for (nth, found) in [(1, 0), (1, len), (n - 1, u64::MAX)] {
        let expected = format!("expected {nth} or more and less than {len}, found {found}");
        format(&set("numbers", nth, found), &format!("files[0].numbers[{nth}]: {expected}"));
    }
    format(&set("rows", 0, 0), "files[0].rows[0]: expected 1 or more, found 0");
    let expected = "INDEX: files[0].rows[0]: expected at most 268,435,456 rows in a chunk, found 268,435,457";
    let found = refused(&set("rows", 0, (256 << 20) + 1), &files);
    assert_eq!(found, (FeedErrorKind::Limit, expected.to_owned()));

    let checksum = good["checksum"].as_u64().unwrap();
    let mut value = good.clone();
    value["checksum"] = json!(checksum ^ 1);
    let expected = format!(
        "checksum: expected {checksum}, the checksum of the files in this index, found {}",
        checksum ^ 1
    );
    format(&value.to_string(), &expected);
}

#[test]
fn rows_that_are_no_64_bit_number_are_an_error() {
    let directory = Directory::new();
    let (paths, index) = indexed(&directory, &[50], 100);
    let mut value = read(&index);
    for nth in 0..2 {
        value["files"][0]["rows"][nth] = json!(u64::MAX / 2 + 1);
    }
    std::fs::write(&index, with_checksum(value)).unwrap();
    let limits = Limits { zero_byte_rows: u64::MAX, ..Default::default() };
    let options = AvroOptions { limits, ..Default::default() };
    let files = AvroFormat::files(&paths, options, None).unwrap();
    let options = DatasetOptions { index: Some(index.clone()), ..Default::default() };
    let error = Dataset::open(files, options).unwrap_err();
    let expected = "expected fewer than 2^64 rows in all blocks of all files, found more";
    assert_eq!(error.to_string(), format!("{}: {expected}", index.display()));
}

#[test]
fn an_index_of_too_many_bytes_is_not_read() {
    let directory = Directory::new();
    let (paths, index) = indexed(&directory, &[5], 100);
    std::fs::File::create(&index).unwrap().set_len((1 << 30) + 1).unwrap();
    let error = with_index(&paths, &index).unwrap_err();
    let expected = "expected an index of at most 1,073,741,824 bytes, found 1,073,741,825";
    assert_eq!(
        (error.kind(), error.to_string()),
        (FeedErrorKind::Limit, format!("{}: {expected}", index.display()))
    );
}

#[test]
fn an_index_with_too_few_rows_is_an_error_of_the_shuffle() {
    let directory = Directory::new();
    let (paths, index) = indexed(&directory, &[50], 100);
    let good = read(&index);
    let (rows, offset) = (good["files"][0]["rows"][0].as_u64().unwrap(), &good["files"][0]["offsets"][0]);
    let message = |rows: u64| {
        let mut value = good.clone();
        value["files"][0]["rows"][0] = json!(rows);
        std::fs::write(&index, with_checksum(value)).unwrap();
        let options = IterationOptions { shuffle_buffer_size: 1000, seed: Some(1), ..Default::default() };
        let mut batches = with_index(&paths, &index).unwrap().record_batches(options).unwrap();
        batches.next().unwrap().unwrap_err().to_string()
    };
    let file = paths[0].display();
    let few = rows - 1;
    assert_eq!(
        message(few),
        format!("{file}: block 0 at byte {offset}: expected {few} rows, as in the index, found more")
    );
    assert_eq!(message(rows + 1), "expected 51 rows in a window of the shuffle, as in the index, found 50");
}

#[test]
fn an_index_that_joins_two_blocks_is_an_error_of_the_shuffle() {
    let directory = Directory::new();
    let (paths, index) = indexed(&directory, &[50], 100);
    let mut value = read(&index);
    let file = &mut value["files"][0];
    let (offset, end) = (file["offsets"][1].clone(), file["ends"][1].clone());
    for list in ["numbers", "offsets", "ends", "rows"] {
        file[list].as_array_mut().unwrap().remove(1);
    }
    file["ends"][0] = end;
    std::fs::write(&index, with_checksum(value)).unwrap();
    let dataset = with_index(&paths, &index).unwrap();
    let expected = format!(
        "{}: block 1 at byte {offset}: expected a block of the index, found one that is not in it",
        paths[0].display()
    );
    for on_error in [OnError::Raise, OnError::SkipBlock, OnError::SkipFile] {
        let options =
            IterationOptions { shuffle_buffer_size: 1000, seed: Some(1), on_error, ..Default::default() };
        let mut batches = dataset.record_batches(options).unwrap();
        assert_eq!(batches.next().unwrap().unwrap_err().to_string(), expected);
    }
}

#[test]
fn a_cancelled_caller_gets_no_index() {
    let directory = Directory::new();
    let (paths, index) = indexed(&directory, &[50], 100);
    let stop: Interrupt = Arc::new(|| true);
    let dataset = dataset(&paths);
    let kind = |result: Result<(), FeedError>| result.unwrap_err().kind();
    let other = directory.0.join("other.json");
    assert_eq!(kind(dataset.save_index(&other, Some(stop.clone()))), FeedErrorKind::Interrupted);
    dataset.num_rows().unwrap();
    assert_eq!(kind(dataset.save_index(&other, Some(stop.clone()))), FeedErrorKind::Interrupted);
    assert!(!other.exists());
    assert_eq!(kind(dataset.with_index(&index, Some(&stop)).map(drop)), FeedErrorKind::Interrupted);
}

/// Numbers around the sizes of the types that numbers are converted to.
const BOUNDARIES: [u64; 15] = [
    (1 << 31) - 1,
    1 << 31,
    (1 << 31) + 1,
    (1 << 32) - 1,
    1 << 32,
    (1 << 32) + 1,
    (1 << 53) - 1,
    1 << 53,
    (1 << 53) + 1,
    (1 << 63) - 1,
    1 << 63,
    (1 << 63) + 1,
    u64::MAX - 1,
    u64::MAX,
    0,
];

/// Reads at most this many batches of an iteration: declared rows may have no end in sight.
const MOST_BATCHES: usize = 60;

/// Reads a dataset in each way that uses the numbers of its index. Returns the rows in file order, or the first error. A
/// shuffle takes memory, and a split time, in proportion to the declared rows of a chunk, which the limits bound.
fn read_with_index(dataset: &Dataset, shuffles: bool) -> Result<Vec<i64>, DatasetError> {
    let read = |dataset: &Dataset, options: IterationOptions| {
        let mut batches = dataset.record_batches(options.clone())?;
        let mut rows: Vec<i64> = Vec::new();
        for batch in batches.by_ref().take(MOST_BATCHES) {
            rows.extend(numbers(&batch?));
        }
        if let Ok(state) = batches.state() {
            let mut resumed = dataset.record_batches(options)?;
            resumed.load_state(&state)?;
            resumed.next().transpose()?;
        }
        Ok::<_, DatasetError>(rows)
    };
    let _ = dataset.num_rows();
    let _ = dataset.fingerprint();
    let options = |shuffle_buffer_size, shard| IterationOptions {
        batch_size: 7,
        shuffle_buffer_size,
        shard,
        seed: Some(5),
        threads: NonZeroUsize::new(1),
        ..Default::default()
    };
    let rows = read(dataset, options(0, (0, 1)))?;
    let sizes = if shuffles { &[0, 30, 1000][..] } else { &[0] };
    for (size, shard) in sizes.iter().flat_map(|size| [(0, 1), (1, 3)].map(|shard| (*size, shard))) {
        let options = options(size, shard);
        let _ = dataset.num_batches(&options);
        read(dataset, options)?;
    }
    for part in [dataset.take(20), dataset.skip(20), dataset.skip(u64::MAX)] {
        let _ = part.num_rows();
        read(&part, options(sizes[sizes.len() - 1], (0, 1)))?;
    }
    if shuffles {
        let (some, rest) = dataset.split(0.5, 7)?;
        for part in [some, rest] {
            let _ = part.num_rows();
            read(&part, options(30, (0, 2)))?;
        }
    }
    Ok(rows)
}

/// Sets each of some numbers of the index of files of a format to each value, and reads the files that `open` opens.
fn set_each_number(format: Format, shuffles: bool, open: impl Fn(&[PathBuf]) -> Dataset) {
    let directory = Directory::new();
    let (paths, index) = indexed_as(format, &directory, &[40, 20], 300);
    let good = read(&index);
    for (file, list) in
        (0..2).flat_map(|file| ["numbers", "offsets", "ends", "rows"].map(|list| (file, list)))
    {
        let last = good["files"][file][list].as_array().unwrap().len() - 1;
        for (nth, value) in [0, last].into_iter().flat_map(|nth| BOUNDARIES.map(|value| (nth, value))) {
            let mut changed = good.clone();
            changed["files"][file][list][nth] = json!(value);
            std::fs::write(&index, with_checksum(changed)).unwrap();
            let what = format!("{format:?}: files[{file}].{list}[{nth}] = {value}");
            let found = open(&paths).with_index(&index, None).map_err(DatasetError::from);
            match found.and_then(|dataset| read_with_index(&dataset, shuffles)) {
                Ok(rows) => assert_eq!(rows, (0..60).collect::<Vec<_>>(), "{what}"),
                Err(DatasetError::Feed(error)) => {
                    assert_ne!(error.kind(), FeedErrorKind::Internal, "{what}: {error}");
                }
                Err(other) => panic!("{what}: {other}"),
            }
        }
    }
}

#[test]
fn a_number_of_an_index_of_any_value_is_an_error_or_the_same_rows() {
    for format in Format::FILES {
        set_each_number(format, true, dataset);
    }
}

#[test]
fn rows_of_an_index_of_any_number_do_not_wrap() {
    set_each_number(Format::Avro, false, |paths| {
        let limits = Limits { zero_byte_rows: u64::MAX, ..Default::default() };
        let options = AvroOptions { limits, ..Default::default() };
        Dataset::open(AvroFormat::files(paths, options, None).unwrap(), DatasetOptions::default()).unwrap()
    });
}
