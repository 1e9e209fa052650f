//! Splits of files that have changed since the splits were planned.

use arrowfeed_avro::{
    AvroFormat, AvroOptions, Codec, FeedErrorKind, FileSet, FileSource, OnError, RangeOptions, Split,
};

use crate::support_hostile::container::Container;
use crate::support_hostile::outcome::Outcome;
use crate::support_hostile::ways::TemporaryFile;
use crate::support_hostile::wire::longs;

const BLOCKS: usize = 8;

/// Size of a block in bytes.
const BLOCK: u64 = 28;

fn blocks(sync: [u8; 16]) -> Vec<u8> {
    let file = Container::with_sync("\"long\"", Codec::Null, sync);
    (0..BLOCKS).fold(file, |file, _| file.block(10, &longs(0..10))).bytes
}

fn files(file: &TemporaryFile) -> FileSet {
    AvroFormat::files([&file.path], AvroOptions::default(), None).unwrap()
}

fn plan(files: &FileSet) -> Vec<Split> {
    files.splits(BLOCK, None).unwrap()
}

/// Reads a split and returns the number of rows, or the kind and the message of the error.
fn read(files: &FileSet, split: &Split) -> Result<usize, (FeedErrorKind, String)> {
    let failed = |error: arrowfeed_avro::FeedError| (error.kind(), error.to_string());
    let reader = files.read_split(split, None, RangeOptions::default()).map_err(failed)?;
    reader.map(|batch| Ok(batch.map_err(failed)?.num_rows())).sum()
}

#[test]
fn every_split_of_a_file_that_changed_is_refused() {
    let bytes = blocks([1; 16]);
    let file = TemporaryFile::new(&bytes);
    let files = files(&file);
    let splits = plan(&files);
    assert_eq!(splits.len(), BLOCKS);
    assert_eq!(splits.iter().map(|split| read(&files, split).unwrap()).sum::<usize>(), 10 * BLOCKS);
    let path = file.path.display();
    let others = [
        ("shorter", bytes[..splits[BLOCKS - 2].start as usize].to_vec()),
        ("inside the header", bytes[..20].to_vec()),
        ("empty", Vec::new()),
        ("longer", [&bytes[..], &bytes[splits[0].start as usize..]].concat()),
        ("no Avro file", vec![0; 5]),
    ];
    for (what, other) in others {
        std::fs::write(&file.path, &other).unwrap();
        let (was, is) = (bytes.len(), other.len());
        let message = format!(
            "{path}: expected the file to be unchanged since its splits were planned ({was} bytes), found {is} bytes"
        );
        for split in &splits {
            assert_eq!(read(&files, split), Err((FeedErrorKind::Changed, message.clone())), "{what}");
        }
    }
    std::fs::write(&file.path, blocks([2; 16])).unwrap();
    let (was, is) = (vec!["01"; 16].join(" "), vec!["02"; 16].join(" "));
    let message = format!(
        "{path}: expected the file to be unchanged since its splits were planned (sync marker {was}), found {is}"
    );
    for split in &splits {
        assert_eq!(read(&files, split), Err((FeedErrorKind::Changed, message.clone())));
    }
    // A copy counts as the same file.
    std::fs::write(&file.path, &bytes).unwrap();
    assert_eq!(splits.iter().map(|split| read(&files, split).unwrap()).sum::<usize>(), 10 * BLOCKS);
}

#[test]
fn a_range_that_starts_behind_the_end_is_refused() {
    let bytes = blocks([1; 16]);
    let file = TemporaryFile::new(&bytes);
    let (files, len) = (files(&file), bytes.len() as u64);
    for end in [len, len + 1, len + 500] {
        assert_eq!(read(&files, &Split::new(&file.path, len, end)), Ok(0), "nothing starts there");
    }
    assert_eq!(read(&files, &Split::new(&file.path, 0, len + 500)), Ok(10 * BLOCKS));
    let message = format!(
        "{}: expected a file of {} bytes or more, found its end at byte {len}",
        file.path.display(),
        len + 1
    );
    for end in [len + 1, len + 9] {
        let split = Split::new(&file.path, len + 1, end);
        assert_eq!(read(&files, &split), Err((FeedErrorKind::Changed, message.clone())));
    }
}

#[test]
fn a_split_that_ends_before_its_start_is_refused() {
    let file = TemporaryFile::new(&blocks([1; 16]));
    let files = files(&file);
    let split = Split::new(&file.path, 1500, 1499);
    let message = "end: expected an offset at or after the start 1,500, found 1,499";
    let refused = (FeedErrorKind::Options, message.to_owned());
    assert_eq!(read(&files, &split), Err(refused.clone()));
    assert_eq!(split.check().map_err(|error| (error.kind(), error.to_string())), Err(refused));
    Split::new(&file.path, 1500, 1500).check().unwrap();
}

#[test]
fn other_sources_are_checked_with_any_on_error() {
    let (bytes, other) = (blocks([1; 16]), blocks([2; 16]));
    let file = TemporaryFile::new(&bytes);
    let split = &plan(&files(&file))[BLOCKS - 1];
    for on_error in [OnError::Raise, OnError::SkipBlock, OnError::SkipFile] {
        for found in [&other[..], &bytes[..100]] {
            let sources = [
                FileSource::bytes(found.to_vec()),
                FileSource::seekable("file", std::io::Cursor::new(found.to_vec())),
            ];
            for source in sources {
                let source = source.with_name("file").with_identity(split.identity);
                let files = AvroFormat::files([source], AvroOptions::default(), None);
                let options = RangeOptions { on_error, ..RangeOptions::default() };
                let range = split.start..split.end;
                let outcome = Outcome::of(files.and_then(|files| files.read_range(range, options)));
                assert!(outcome.verdict().starts_with("Changed: "), "{}", outcome.verdict());
            }
        }
    }
}

#[test]
fn splits_compare_by_their_ranges() {
    let file = TemporaryFile::new(&blocks([1; 16]));
    let files = files(&file);
    let splits = plan(&files);
    let by_hand: Vec<Split> =
        splits.iter().map(|split| Split::new(&split.path, split.start, split.end)).collect();
    assert_eq!(splits, by_hand);
    assert!(splits.is_sorted() && by_hand.is_sorted());
    assert!(splits.iter().all(|split| split.identity.is_some()));
}
