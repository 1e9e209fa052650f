//! Container files, assembled byte by byte.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use arrowfeed_avro::Codec;

use super::encode::Encoder;
use super::schema::Schema;
use super::value::{Seed, Value};

pub(crate) const CODECS: [Codec; 6] =
    [Codec::Null, Codec::Deflate, Codec::Snappy, Codec::Zstandard, Codec::Bzip2, Codec::Xz];

/// A file before it is written.
#[derive(Debug, Clone)]
pub(crate) struct AvroFile {
    pub(crate) schema: String,
    pub(crate) codec: Codec,
    pub(crate) blocks: Vec<Block>,
    pub(crate) sync: [u8; 16],
}

/// A block before it is compressed.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) count: u64,
    pub(crate) payload: Vec<u8>,
}

impl AvroFile {
    /// Splits the rows into blocks of random sizes, some of them empty.
    pub(crate) fn of_rows(json: &str, schema: &Schema, rows: &[Value], codec: Codec, seed: u64) -> Self {
        let mut seed = Seed(seed);
        let sync = seed.bytes(16).try_into().expect("sixteen bytes");
        let mut blocks = Vec::new();
        let mut rest = rows;
        loop {
            let most = rest.len().min(if seed.one_in(2) { 4 } else { 30 });
            let (block, after) = rest.split_at(if seed.one_in(8) { 0 } else { seed.below(most + 1) });
            rest = after;
            let mut encoder = Encoder::new(schema, seed.next());
            block.iter().for_each(|row| encoder.row(row));
            blocks.push(Block { count: block.len() as u64, payload: encoder.out });
            if rest.is_empty() {
                return Self { schema: json.to_owned(), codec, blocks, sync };
            }
        }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.bytes_and_blocks().0
    }

    /// The file, and the offsets of its blocks.
    pub(crate) fn bytes_and_blocks(&self) -> (Vec<u8>, Vec<u64>) {
        let mut out = b"Obj\x01".to_vec();
        let entries =
            [("avro.schema", self.schema.as_str()), ("user.key", "any"), ("avro.codec", self.codec.name())];
        varint(&mut out, entries.len());
        for (key, value) in entries {
            for text in [key, value] {
                varint(&mut out, text.len());
                out.extend(text.as_bytes());
            }
        }
        out.push(0);
        out.extend(self.sync);
        let mut starts = Vec::new();
        for block in &self.blocks {
            starts.push(out.len() as u64);
            let data = compress(self.codec, &block.payload);
            varint(&mut out, block.count as usize);
            varint(&mut out, data.len());
            out.extend(data);
            out.extend(self.sync);
        }
        (out, starts)
    }
}

/// Appends a number of 0 or more.
fn varint(out: &mut Vec<u8>, number: usize) {
    let mut rest = number << 1;
    while rest > 0x7f {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

fn compress(codec: Codec, data: &[u8]) -> Vec<u8> {
    use std::io::Read;
    let mut out = Vec::new();
    match codec {
        Codec::Null => out.extend(data),
        Codec::Deflate => {
            let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::fastest());
            out.resize(compressor.deflate_compress_bound(data.len()), 0);
            let size = compressor.deflate_compress(data, &mut out).expect("it fits its bound");
            out.truncate(size);
        }
        Codec::Snappy => {
            out = snap::raw::Encoder::new().compress_vec(data).expect("data is short");
            out.extend(crc32fast::hash(data).to_be_bytes());
        }
        Codec::Zstandard => out = zstd::bulk::compress(data, 1).expect("memory is there"),
        Codec::Bzip2 => {
            let mut encoder = bzip2::read::BzEncoder::new(data, bzip2::Compression::fast());
            encoder.read_to_end(&mut out).expect("memory can be read");
        }
        Codec::Xz => {
            let mut encoder = liblzma::read::XzEncoder::new(data, 0);
            encoder.read_to_end(&mut out).expect("memory can be read");
        }
    }
    out
}

/// A path whose file is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct TempFile(PathBuf);

impl TempFile {
    /// An unused path.
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("arrowfeed-oracle-{}-{number}.avro", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    pub(crate) fn with(bytes: &[u8]) -> Self {
        let file = Self::new();
        std::fs::write(file.path(), bytes).expect("the temporary directory can be written");
        file
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        // Some tests never write it.
        let _ = std::fs::remove_file(&self.0);
    }
}
