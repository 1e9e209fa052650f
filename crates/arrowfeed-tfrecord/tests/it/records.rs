//! TFRecord files written by TensorFlow, files written by this crate, and damaged files.

use std::fs;
use std::path::Path;

use arrowfeed_source::{FeedError, FeedErrorKind, Limits};
use arrowfeed_tfrecord::{Compression, RecordWriter, Records};
use proptest::prelude::*;

const ALL: [Compression; 3] = [Compression::None, Compression::Gzip, Compression::Zlib];

/// The records before an error or the end, and the error.
fn read(file: &[u8], compression: Compression) -> (Vec<Vec<u8>>, Option<FeedError>) {
    let mut records = Records::new(file, compression, Limits::default());
    let mut found = Vec::new();
    let error = loop {
        match records.next() {
            Ok(Some(record)) => found.push(record.to_vec()),
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    (found, error)
}

#[test]
fn behind_a_wrong_checksum_the_records_go_on_and_behind_other_errors_they_end() {
    let file = written(&[b"first".to_vec(), b"second".to_vec(), b"third".to_vec()], Compression::None);
    for (place, rest) in [(33, &[b"third"][..]), (21, &[])] {
        let mut file = file.clone();
        file[place] ^= 1;
        let mut records = Records::new(&file[..], Compression::None, Limits::default());
        assert_eq!(records.next().unwrap(), Some(&b"first"[..]));
        records.next().unwrap_err();
        for record in rest {
            assert_eq!(records.next().unwrap(), Some(&record[..]));
        }
        assert_eq!(records.next().unwrap(), None);
    }
}

fn written(records: &[Vec<u8>], compression: Compression) -> Vec<u8> {
    let mut writer = RecordWriter::new(Vec::new(), compression);
    records.iter().for_each(|record| writer.write(record).unwrap());
    writer.finish().unwrap()
}

#[test]
fn records_that_tensorflow_wrote_are_read() {
    let long: Vec<u8> = (0..768).map(|n| n as u8).collect();
    let records = vec![b"one".to_vec(), Vec::new(), long, "é".into()];
    for (name, compression) in ["plain", "gzip", "zlib"].into_iter().zip(ALL) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/tfrecord");
        let file = fs::read(path.join(format!("{name}.tfrecord"))).unwrap();
        assert_eq!(Compression::of(&file), compression);
        let (found, error) = read(&file, compression);
        assert_eq!((found, error.map(|error| error.to_string())), (records.clone(), None));
        if compression == Compression::None {
            assert_eq!(written(&records, compression), file);
        }
    }
}

#[test]
fn a_file_without_a_byte_has_no_records() {
    assert_eq!(read(b"", Compression::None).0.len(), 0);
    assert_eq!(Compression::of(b""), Compression::None);
    assert!(ALL.into_iter().all(|compression| read(&written(&[], compression), compression).0.is_empty()));
}

#[test]
fn a_length_that_begins_as_a_compressed_file_is_a_length() {
    for length in [0x8b1f, 0x9c78] {
        let file = written(&[vec![0; length]], Compression::None);
        assert_eq!(
            (Compression::of(&file), Compression::of(&file[..2]) == Compression::None),
            (Compression::None, false)
        );
    }
}

#[test]
fn damage_is_an_error_with_its_place() {
    let file = written(&[b"first".to_vec(), b"second".to_vec()], Compression::None);
    let text = |file: &[u8]| {
        let (records, error) = read(file, Compression::None);
        error.map(|error| format!("{} {:?}: {error}", records.len(), error.kind())).unwrap_or_default()
    };
    let with = |place: usize| {
        let mut file = file.clone();
        file[place] ^= 1;
        text(&file)
    };
    assert_eq!(
        with(21),
        "1 CorruptBlock: byte 21, record 1: expected a record length that matches its checksum, found one that does not"
    );
    assert_eq!(
        with(33),
        "1 CorruptBlock: byte 21, record 1: expected a record with the checksum cad3e0d3, found one with a0e61673"
    );
    assert_eq!(
        text(&file[..25]),
        "1 Truncated: byte 21, record 1: expected the 12 bytes before a record, found the end of the file after 4"
    );
    assert_eq!(
        text(&file[..40]),
        "1 Truncated: byte 21, record 1: expected the 10 bytes of a record and its checksum, found the end of the file after 7"
    );
}

#[test]
fn a_record_above_the_limit_is_an_error() {
    let file = written(&[vec![7; 1001]], Compression::None);
    let limits = Limits { decoded_block_bytes: 1000, ..Limits::default() };
    let error = Records::new(&file[..], Compression::None, limits).next().unwrap_err();
    assert_eq!((error.kind(), error.limit()), (FeedErrorKind::Limit, Some("decoded_block_bytes")));
    assert_eq!(error.to_string(), "byte 0, record 0: expected a record of at most 1,000 bytes, found 1,001");
}

#[test]
fn a_length_that_the_file_has_not_takes_no_memory() {
    let mut frame = (200_u64 << 20).to_le_bytes().to_vec();
    let crc = crc32c::crc32c(&frame).rotate_right(15).wrapping_add(0xa282_ead8);
    frame.extend(crc.to_le_bytes());
    assert_eq!(
        read(&frame, Compression::None).1.unwrap().to_string(),
        "byte 0, record 0: expected the 209,715,204 bytes of a record and its checksum, found the end of the file after 0"
    );
}

proptest! {
    #![proptest_config(crate::random_config::config(100))]

    #[test]
    fn what_is_written_is_read(records in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..20)) {
        for compression in ALL {
            let (found, error) = read(&written(&records, compression), compression);
            prop_assert!(error.is_none());
            prop_assert_eq!(&found, &records);
        }
    }

    #[test]
    fn no_damage_is_silent(
        records in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..100), 1..9),
        place in any::<prop::sample::Index>(),
        bits in 1..=255_u8,
        cut in any::<bool>(),
    ) {
        for compression in ALL {
            let mut file = written(&records, compression);
            let place = place.index(file.len());
            if cut {
                file.truncate(place);
            } else {
                file[place] ^= bits;
            }
            let (found, error) = read(&file, compression);
            prop_assert!(records.starts_with(&found));
            // Some bits of a compressed file have no meaning. A file that is cut between two records is valid, and so is an
            // empty file.
            let is_whole = cut && (file.is_empty() || written(&found, compression) == file);
            prop_assert!(error.is_some() || found == records || is_whole);
        }
    }
}
