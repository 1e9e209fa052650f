//! The codecs that are compiled in.

use arrowfeed_source::FeedError;
use parquet::basic::Compression;
use parquet::file::metadata::ParquetMetaData;

/// Checks the codecs of the leaf columns `leaves`, so that an unreadable file is an error before its first row is read.
///
/// # Errors
/// A codec is not compiled in.
pub(crate) fn check_codecs(metadata: &ParquetMetaData, leaves: &[usize]) -> Result<(), FeedError> {
    for group in metadata.row_groups() {
        for column in leaves.iter().filter_map(|leaf| group.columns().get(*leaf)) {
            check(column.compression()).map_err(|error| error.in_field(column.column_path().string()))?;
        }
    }
    Ok(())
}

fn check(codec: Compression) -> Result<(), FeedError> {
    let (is_compiled, name) = match codec {
        Compression::BROTLI(_) => (cfg!(feature = "brotli"), "brotli"),
        Compression::GZIP(_) => (cfg!(feature = "gzip"), "gzip"),
        Compression::LZ4 | Compression::LZ4_RAW => (cfg!(feature = "lz4"), "lz4"),
        Compression::SNAPPY => (cfg!(feature = "snappy"), "snappy"),
        Compression::ZSTD(_) => (cfg!(feature = "zstandard"), "zstandard"),
        // The `parquet` crate has no LZO, and says so when it reads a page.
        Compression::UNCOMPRESSED | Compression::LZO => return Ok(()),
    };
    if is_compiled { Ok(()) } else { Err(FeedError::codec_not_compiled(name, name, env!("CARGO_PKG_NAME"))) }
}
