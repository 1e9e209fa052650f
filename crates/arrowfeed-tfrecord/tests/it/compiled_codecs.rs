//! Records with and without compression. The tests pass with and without the feature `gzip`; `make features` runs them without.

use arrowfeed_source::io::FileSource;
use arrowfeed_source::{FeedError, FeedErrorKind, Limits};
use arrowfeed_tfrecord::{
    Compression, ExampleWriter, RecordFormat, RecordKind, RecordOptions, RecordWriter, Records,
};

const ALL: [(Compression, &str, &[u8]); 3] = [
    (Compression::None, "none", &[]),
    (
        Compression::Gzip,
        "gzip",
        b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00",
    ),
    (Compression::Zlib, "zlib", b"\x78\x9c\x03\x00\x00\x00\x00\x01"),
];

fn is_compiled(compression: Compression) -> bool {
    compression == Compression::None || cfg!(feature = "gzip")
}

fn message(name: &str) -> String {
    format!("expected a codec of this build, found {name}: enable the feature \"gzip\" of arrowfeed-tfrecord")
}

fn check<T>(found: Result<T, FeedError>, compression: Compression, expected: String) -> Option<T> {
    match found {
        Ok(found) => {
            assert!(is_compiled(compression), "{compression:?}");
            Some(found)
        }
        Err(error) => {
            assert_eq!((error.kind(), error.to_string()), (FeedErrorKind::Codec, expected));
            assert!(!is_compiled(compression), "{compression:?}");
            None
        }
    }
}

#[test]
fn files_of_a_compiled_codec_are_opened_and_others_are_errors() {
    for (compression, name, empty) in ALL {
        assert_eq!(Compression::of(empty), compression);
        let options = RecordOptions::new(RecordKind::Raw { column: "record".to_owned() });
        let files = RecordFormat::files([FileSource::bytes(empty.to_vec()).with_name("file")], options, None);
        check(files, compression, format!("file: {}", message(name)));
    }
}

#[test]
fn records_of_a_compiled_codec_are_written_and_read_and_others_are_errors() {
    for (compression, name, empty) in ALL {
        let mut records = Records::new(empty, compression, Limits::default());
        let found = records.next().map(|record| assert_eq!(record, None));
        check(found, compression, format!("record 0: {}", message(name)));

        let mut writer = RecordWriter::new(Vec::new(), compression);
        check(writer.write(b"one").map_err(FeedError::io), compression, message(name));
        let file = check(writer.finish().map_err(FeedError::io), compression, message(name));
        if let Some(file) = file {
            let mut records = Records::new(&file[..], compression, Limits::default());
            assert_eq!(records.next().unwrap(), Some(&b"one"[..]));
        }
    }
}

#[test]
fn a_writer_of_a_codec_that_is_not_compiled_in_leaves_no_file() {
    for (compression, name, _) in ALL {
        let path = std::env::temp_dir().join(format!("arrowfeed-{}-{name}.tfrecord", std::process::id()));
        let writer = ExampleWriter::create(&path, compression);
        check(writer.map(drop), compression, format!("{}: {}", path.display(), message(name)));
        assert!(!path.exists());
    }
}
