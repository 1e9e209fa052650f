//! The file format for arrow-avro's writer.
//!
//! Its own derives the schema of the header from the Arrow schema once more, whatever schema the records are
//! encoded with: names, and the forms of a type that Arrow does not tell apart, would be lost, and the records
//! could not be read.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::io::Write;

use arrow_avro::compression::CompressionCodec;
use arrow_avro::errors::AvroError;
use arrow_avro::schema::{AvroSchema, SCHEMA_METADATA_KEY};
use arrow_avro::writer::format::AvroFormat;
use arrow_schema::{ArrowError, Schema};

use crate::Codec;

/// Entries of a header that are not the caller's: schema and codec.
pub(super) const OWN_ENTRIES: u64 = 2;

/// Where the schema that arrow-avro is given has the caller's entries of the header: the one thing of ours that it hands
/// on to a format, which it makes itself.
const ENTRIES_KEY: &str = "arrowfeed.header_entries";

/// The schema with entries for the header. Its Avro schema is settled first: they are no part of it.
pub(super) fn with_metadata(
    schema: Schema,
    entries: &BTreeMap<String, Vec<u8>>,
) -> Result<Schema, ArrowError> {
    if entries.is_empty() {
        // A schema of the caller may have such a key.
        let metadata = schema.metadata.into_iter().filter(|(key, _)| key != ENTRIES_KEY).collect();
        return Ok(Schema::new_with_metadata(schema.fields, metadata));
    }
    let json = AvroSchema::try_from(&schema)?.json_string;
    let mut bytes = Vec::new();
    length(&mut bytes, entries.len());
    for (key, value) in entries {
        for part in [key.as_bytes(), value] {
            length(&mut bytes, part.len());
            bytes.extend(part);
        }
    }
    let mut metadata = schema.metadata;
    metadata.insert(SCHEMA_METADATA_KEY.to_owned(), json);
    metadata.insert(ENTRIES_KEY.to_owned(), bytes.into_iter().map(char::from).collect());
    Ok(Schema::new_with_metadata(schema.fields, metadata))
}

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
        if let Some(entries) = schema.metadata().get(ENTRIES_KEY) {
            header.extend(entries.chars().map(|byte| byte as u8));
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
