//! Files of codecs that are compiled in, and errors for the others. The tests pass with any features; `make features` runs
//! them with some.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{Int64Array, RecordBatch, RecordBatchIterator};
use arrowfeed_avro::{
    AvroFormat, AvroHeader, AvroOptions, AvroWriter, Codec, FeedError, FeedErrorKind, FileSource, Limits,
    OnError, ReadOptions, WriteOptions, write_avro,
};

use crate::support::open::open;

const ALL: [Codec; 6] =
    [Codec::Null, Codec::Deflate, Codec::Snappy, Codec::Zstandard, Codec::Bzip2, Codec::Xz];

fn batch() -> RecordBatch {
    RecordBatch::try_from_iter([("id", Arc::new(Int64Array::from(vec![1, 2, 3])) as _)]).unwrap()
}

/// A path for a file of one test and codec.
fn path(test: &str, codec: Codec) -> PathBuf {
    std::env::temp_dir().join(format!("arrowfeed-{}-{test}-{}.avro", std::process::id(), codec.name()))
}

fn write(path: &PathBuf, options: &WriteOptions) -> Result<u64, FeedError> {
    write_avro(RecordBatchIterator::new([Ok(batch())], batch().schema()), path, options)
}

/// A file that has a header and no blocks.
fn header(codec: Codec) -> Vec<u8> {
    let schema = r#"{"type":"record","name":"r","fields":[{"name":"id","type":"long"}]}"#;
    // Lengths from 64 to 8,191 take two bytes.
    let length = |text: &str| match 2 * text.len() {
        length @ ..0x80 => vec![length as u8],
        length => vec![length as u8 & 0x7f | 0x80, (length >> 7) as u8],
    };
    let text = |text: &str| [length(text), text.as_bytes().to_vec()].concat();
    let entries = [text("avro.codec"), text(codec.name()), text("avro.schema"), text(schema)].concat();
    [b"Obj\x01\x04", entries.as_slice(), &[0], &[7; 16]].concat()
}

fn source(codec: Codec, name: &str) -> FileSource {
    FileSource::bytes(header(codec)).with_name(name)
}

fn message(codec: Codec) -> String {
    let name = codec.name();
    format!("expected a codec of this build, found {name}: enable the feature \"{name}\" of arrowfeed-avro")
}

#[test]
fn files_of_a_compiled_codec_are_written_and_read_and_others_are_errors() {
    for codec in ALL {
        let path = path("written", codec);
        let written = write(&path, &WriteOptions { codec, ..WriteOptions::default() });
        if codec.is_compiled() {
            assert_eq!(written.unwrap(), 3);
            let batches = open(&path).unwrap().collect::<Result<Vec<_>, _>>();
            assert_eq!(batches.unwrap(), [batch()]);
            std::fs::remove_file(path).unwrap();
        } else {
            let error = written.unwrap_err();
            assert_eq!(error.kind(), FeedErrorKind::Codec);
            assert_eq!(error.to_string(), format!("{}: {}", path.display(), message(codec)));
            assert!(!path.exists());
        }
    }
}

#[test]
fn a_reader_of_a_codec_that_is_not_compiled_in_is_an_error_before_the_first_block() {
    for codec in ALL {
        type Open<'a> = &'a dyn Fn() -> Result<(), FeedError>;
        let ways: [(&str, Open<'_>); 3] = [
            ("reader", &|| open(source(codec, "file")).map(drop)),
            ("stream", &|| open(FileSource::reader("file", std::io::Cursor::new(header(codec)))).map(drop)),
            ("files", &|| AvroFormat::files([source(codec, "file")], AvroOptions::default(), None).map(drop)),
        ];
        for (way, open) in ways {
            let found = open().map_err(|error| (error.kind(), error.to_string()));
            let expected = match codec.is_compiled() {
                true => Ok(()),
                false => Err((FeedErrorKind::Codec, format!("file: {}", message(codec)))),
            };
            assert_eq!(found, expected, "{way}");
        }
    }
}

#[test]
fn a_later_file_of_a_codec_that_is_not_compiled_in_is_an_error_or_skipped() {
    for codec in ALL.into_iter().filter(|codec| !codec.is_compiled()) {
        let files = || [source(Codec::Null, "first"), source(codec, "second")];
        let read = |on_error| {
            let reading = ReadOptions { on_error, ..ReadOptions::default() };
            AvroFormat::read(files(), AvroOptions::default(), reading).unwrap()
        };
        let mut reader = read(OnError::Raise);
        assert_eq!(reader.next().unwrap().unwrap_err().to_string(), format!("second: {}", message(codec)));

        let mut reader = read(OnError::SkipFile);
        assert!(reader.next().is_none());
        assert_eq!(reader.report().skipped.len(), 1);
    }
}

#[test]
fn the_header_of_a_file_is_read_without_its_codec() {
    for codec in ALL {
        let header = AvroHeader::read(source(codec, "file"), &Limits::default()).unwrap();
        assert_eq!((header.codec(), header.count_rows().unwrap()), (codec, 0));
    }
}

#[test]
fn rows_are_appended_only_with_a_compiled_codec() {
    for codec in ALL {
        let path = path("appended", codec);
        std::fs::write(&path, header(codec)).unwrap();
        let appended = AvroWriter::append(&path, batch().schema(), WriteOptions::default());
        let found = appended.and_then(|mut writer| {
            writer.write(&batch())?;
            Ok(writer.finish()?.rows)
        });
        let len = std::fs::metadata(&path).unwrap().len();
        let shown = path.display().to_string();
        std::fs::remove_file(path).unwrap();
        if codec.is_compiled() {
            assert_eq!(found.unwrap(), 3);
            assert!(len > header(codec).len() as u64);
        } else {
            let error = found.unwrap_err();
            assert_eq!(error.kind(), FeedErrorKind::Codec);
            assert_eq!(error.to_string(), format!("{shown}: {}", message(codec)));
            assert_eq!(len, header(codec).len() as u64);
        }
    }
}

#[test]
fn the_default_codec_is_the_first_one_that_is_compiled_in() {
    let expected = match () {
        () if cfg!(feature = "zstandard") => Codec::Zstandard,
        () if cfg!(feature = "deflate") => Codec::Deflate,
        () if cfg!(feature = "snappy") => Codec::Snappy,
        () if cfg!(feature = "bzip2") => Codec::Bzip2,
        () if cfg!(feature = "xz") => Codec::Xz,
        () => Codec::Null,
    };
    assert_eq!(WriteOptions::default().codec, expected);
    let path = path("default", expected);
    assert_eq!(write(&path, &WriteOptions::default()).unwrap(), 3);
    assert_eq!(AvroHeader::read(&path, &Limits::default()).unwrap().codec(), expected);
    std::fs::remove_file(path).unwrap();
}
