//! Batches of codecs that are compiled in, and errors for the others. The tests pass with any features; `make features` runs
//! them without any.

use std::sync::Arc;

use arrow_array::{Int64Array, RecordBatch};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrowfeed_ipc::{IpcFormat, IpcOptions};
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::ReadOptions;
use arrowfeed_source::{FeedError, FeedErrorKind, OnError};

/// The `arrow-ipc` crate of tests always has both codecs.
fn file(codec: CompressionType) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(Some(codec)).unwrap();
    let column = Arc::new(Int64Array::from(vec![7; 100]));
    let batch = RecordBatch::try_from_iter([("packed", column as _)]).unwrap();
    let mut bytes = Vec::new();
    let mut writer = FileWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

fn rows(codec: CompressionType) -> Result<usize, FeedError> {
    let source = FileSource::bytes(file(codec)).with_name("file");
    let files = IpcFormat::files([source], IpcOptions::default(), None).unwrap();
    let options = ReadOptions {
        batch_size: Some(100),
        threads: 1.try_into().ok(),
        on_error: OnError::Raise,
        ..ReadOptions::default()
    };
    files.read_files(options)?.map(|batch| Ok(batch?.num_rows())).sum()
}

#[test]
fn batches_of_a_codec_that_is_not_compiled_in_are_errors() {
    for (codec, name, is_compiled) in [
        (CompressionType::LZ4_FRAME, "lz4", cfg!(feature = "lz4")),
        (CompressionType::ZSTD, "zstandard", cfg!(feature = "zstandard")),
    ] {
        let found = rows(codec);
        assert_eq!(found.is_ok(), is_compiled, "{found:?}");
        match found {
            Ok(rows) => assert_eq!(rows, 100),
            Err(error) => {
                assert_eq!(error.kind(), FeedErrorKind::Codec);
                let expected = format!(
                    "expected a codec of this build, found {name}: enable the feature \"{name}\" of arrowfeed-ipc"
                );
                assert!(error.to_string().ends_with(&expected), "{error}");
            }
        }
    }
}
