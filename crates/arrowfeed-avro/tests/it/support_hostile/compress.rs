//! Compression of a payload with each codec.

use std::io::Write;

use arrowfeed_avro::Codec;

/// Every codec.
pub(crate) const CODECS: [Codec; 6] =
    [Codec::Null, Codec::Deflate, Codec::Snappy, Codec::Zstandard, Codec::Bzip2, Codec::Xz];

/// The payload as the data of a block.
pub(crate) fn compress(codec: Codec, payload: &[u8]) -> Vec<u8> {
    match codec {
        Codec::Null => payload.to_vec(),
        Codec::Deflate => deflate(payload),
        Codec::Snappy => snappy(payload),
        Codec::Zstandard => zstd::bulk::compress(payload, 1).unwrap(),
        Codec::Bzip2 => {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            encoder.write_all(payload).unwrap();
            encoder.finish().unwrap()
        }
        Codec::Xz => {
            let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 0);
            encoder.write_all(payload).unwrap();
            encoder.finish().unwrap()
        }
    }
}

/// A raw deflate stream.
pub(crate) fn deflate(payload: &[u8]) -> Vec<u8> {
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
    let mut data = vec![0; compressor.deflate_compress_bound(payload.len())];
    let len = compressor.deflate_compress(payload, &mut data).unwrap();
    data.truncate(len);
    data
}

/// A snappy stream and its checksum.
pub(crate) fn snappy(payload: &[u8]) -> Vec<u8> {
    let mut data = snap::raw::Encoder::new().compress_vec(payload).unwrap();
    data.extend(crc32fast::hash(payload).to_be_bytes());
    data
}
