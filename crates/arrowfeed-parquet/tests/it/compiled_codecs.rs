//! Columns of codecs that are compiled in, and errors for the others. The tests pass with any features; `make features` runs
//! them without any.

use std::sync::Arc;

use arrow_array::{Int64Array, RecordBatch};
use arrowfeed_parquet::{ParquetFormat, ParquetOptions};
use arrowfeed_source::io::FileSource;
use arrowfeed_source::run::{FileSet, ReadOptions};
use arrowfeed_source::{FeedError, FeedErrorKind};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

/// A file with the columns `plain`, which is not compressed, and `packed`, whose codec is snappy. The `parquet` crate of
/// tests always has snappy.
fn file() -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::UNCOMPRESSED)
        .set_column_compression("packed".into(), Compression::SNAPPY)
        .build();
    let column = || Arc::new(Int64Array::from(vec![1, 2, 3]));
    let batch = RecordBatch::try_from_iter([("plain", column() as _), ("packed", column() as _)]).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn open() -> FileSet {
    let source = FileSource::bytes(file()).with_name("file");
    ParquetFormat::files([source], ParquetOptions::default(), None).unwrap()
}

fn rows(files: FileSet) -> Result<usize, FeedError> {
    let options = ReadOptions { batch_size: Some(100), threads: 1.try_into().ok(), ..Default::default() };
    files.read_files(options)?.map(|batch| Ok(batch?.num_rows())).sum()
}

#[test]
fn columns_of_a_codec_that_is_not_compiled_in_are_errors() {
    let found = rows(open());
    assert_eq!(found.is_ok(), cfg!(feature = "snappy"), "{found:?}");
    match found {
        Ok(rows) => assert_eq!(rows, 3),
        Err(error) => {
            assert_eq!(error.kind(), FeedErrorKind::Codec);
            assert_eq!(
                error.to_string(),
                "file: packed: expected a codec of this build, found snappy: enable the feature \"snappy\" of arrowfeed-parquet"
            );
        }
    }
}
