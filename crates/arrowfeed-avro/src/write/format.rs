//! The file format for arrow-avro's writer.
//!
//! Its own derives the schema of the header from the Arrow schema once more, whatever schema the records are
//! encoded with: names, and the forms of a type that Arrow does not tell apart, would be lost, and the records
//! could not be read.

use std::hash::{BuildHasher, RandomState};
use std::io::Write;

use arrow_avro::compression::CompressionCodec;
use arrow_avro::errors::AvroError;
use arrow_avro::schema::SCHEMA_METADATA_KEY;
use arrow_avro::writer::format::AvroFormat;
use arrow_schema::Schema;

use crate::Codec;

/// An object container file whose header has the schema that its records are encoded with.
#[derive(Debug)]
pub(super) struct ContainerFormat {
    sync_marker: [u8; 16],
}

impl Default for ContainerFormat {
    fn default() -> Self {
        // Each state is seeded at random: all that a marker needs is to be rare.
        let half = || u128::from(RandomState::new().hash_one(SCHEMA_METADATA_KEY));
        Self { sync_marker: (half() << 64 | half()).to_be_bytes() }
    }
}

impl AvroFormat for ContainerFormat {
    const NEEDS_PREFIX: bool = false;

    /// `schema` has the Avro schema in its metadata: the builder puts it there.
    fn start_stream<W: Write>(
        &mut self,
        writer: &mut W,
        schema: &Schema,
        compression: Option<CompressionCodec>,
    ) -> Result<(), AvroError> {
        let json = schema
            .metadata()
            .get(SCHEMA_METADATA_KEY)
            .ok_or_else(|| AvroError::General("expected the schema of the records, found none".to_owned()))?;
        let mut header = b"Obj\x01".to_vec();
        let entries = [("avro.schema", json.as_str()), ("avro.codec", codec(compression).name())];
        length(&mut header, entries.len());
        for text in entries.into_iter().flat_map(|(key, value)| [key, value]) {
            length(&mut header, text.len());
            header.extend(text.as_bytes());
        }
        length(&mut header, 0);
        header.extend(self.sync_marker);
        writer.write_all(&header).map_err(|error| AvroError::IoError(error.to_string(), error))
    }

    fn sync_marker(&self) -> Option<&[u8; 16]> {
        Some(&self.sync_marker)
    }
}

fn codec(compression: Option<CompressionCodec>) -> Codec {
    match compression {
        None => Codec::Null,
        Some(CompressionCodec::Deflate) => Codec::Deflate,
        Some(CompressionCodec::Snappy) => Codec::Snappy,
        Some(CompressionCodec::ZStandard) => Codec::Zstandard,
        Some(CompressionCodec::Bzip2) => Codec::Bzip2,
        Some(CompressionCodec::Xz) => Codec::Xz,
    }
}

/// Zigzag of what is not negative, then seven bits a byte, the lowest first.
fn length(out: &mut Vec<u8>, length: usize) {
    let mut rest = length as u64 * 2;
    while rest > 0x7f {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}
