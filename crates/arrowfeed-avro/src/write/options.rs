//! Options of the writer and their validation.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use arrowfeed_source::{FeedError, FeedErrorKind, Limits, check_threads, quoted, thousands};

use crate::container::header::MAX_ENTRIES;
use crate::{AvroSchema, Codec};

/// Prefix of the metadata keys that the specification reserves.
const RESERVED: &str = "avro.";

/// Entries of a header that the writer adds: schema and codec.
const OWN_ENTRIES: u64 = 2;

/// The codecs in the order in which they are the default.
const PREFERRED: [Codec; 5] = [Codec::Zstandard, Codec::Deflate, Codec::Snappy, Codec::Bzip2, Codec::Xz];

/// Options of [`write_avro`](crate::write_avro) and [`AvroWriter`](crate::AvroWriter).
#[derive(Debug, Clone)]
pub struct WriteOptions {
    /// Compression of the blocks. Default: the first of [`Zstandard`](Codec::Zstandard), [`Deflate`](Codec::Deflate),
    /// [`Snappy`](Codec::Snappy), [`Bzip2`](Codec::Bzip2), [`Xz`](Codec::Xz) and [`Null`](Codec::Null) that is compiled in.
    pub codec: Codec,
    /// Level of the compression, within the range of the codec. `None`: the default of the codec.
    pub level: Option<i32>,
    /// Bytes of encoded rows at which a block ends. Default 64 KiB; at most half of the default
    /// [`decoded_block_bytes`](crate::Limits::decoded_block_bytes) of readers.
    pub block_bytes: usize,
    /// The schema to write. `None`: derived from the Arrow schema, a record named `topLevelRecord`.
    pub schema: Option<AvroSchema>,
    /// Entries of the header besides schema and codec, see [`AvroHeader::metadata`](crate::AvroHeader::metadata). Keys that
    /// begin with `avro.` are rejected: the specification reserves them. Default: none.
    pub metadata: BTreeMap<String, Vec<u8>>,
    /// The Avro type for unsigned 64-bit integers in a derived schema. Default [`Unsigned::Decimal`].
    pub unsigned: Unsigned,
    /// Threads that encode and compress. `None`: every core that the process may use; 1: the caller's thread alone.
    pub threads: Option<NonZeroUsize>,
}

/// The Avro type of a column of unsigned 64-bit integers if no schema is specified.
///
/// [`write_avro`](crate::write_avro) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unsigned {
    /// `decimal(20, 0)`, which fits every value.
    #[default]
    Decimal,
    /// `long`; a value above 2^63 - 1 is an error.
    Long,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self {
            codec: PREFERRED.into_iter().find(|codec| codec.is_compiled()).unwrap_or(Codec::Null),
            level: None,
            block_bytes: 64 << 10,
            schema: None,
            metadata: BTreeMap::new(),
            unsigned: Unsigned::default(),
            threads: None,
        }
    }
}

impl WriteOptions {
    pub(super) fn check(&self) -> Result<(), FeedError> {
        self.codec.check_compiled()?;
        check_threads(self.threads)?;
        // A block ends with the row that fills it, and that row may be as large as all others of the block.
        let most = Limits::default().decoded_block_bytes / 2;
        if self.block_bytes == 0 || self.block_bytes > most {
            let (most, found) = (thousands(most as u64), thousands(self.block_bytes as u64));
            return Err(refused(format!("expected block_bytes from 1 to {most}, found {found}")));
        }
        if let (Some(level), Some(range)) = (self.level, self.codec.levels())
            && !range.contains(&level)
        {
            let (codec, start, end) = (self.codec.name(), range.start(), range.end());
            return Err(refused(format!("expected a level of {codec} from {start} to {end}, found {level}")));
        }
        if let (Some(level), None) = (self.level, self.codec.levels()) {
            let codec = self.codec.name();
            return Err(refused(format!(
                "expected no level, since the codec {codec} has none, found {level}"
            )));
        }
        if let Some(key) = self.metadata.keys().find(|key| key.starts_with(RESERVED)) {
            return Err(refused(format!(
                "metadata: expected keys that do not begin with {}, which the Avro specification reserves, found {}",
                quoted(RESERVED),
                quoted(key)
            )));
        }
        let (most, found) = (MAX_ENTRIES - OWN_ENTRIES, self.metadata.len() as u64);
        if found > most {
            let (most, found) = (thousands(most), thousands(found));
            return Err(refused(format!("metadata: expected at most {most} entries, found {found}")));
        }
        Ok(())
    }
}

fn refused(message: String) -> FeedError {
    FeedError::new(FeedErrorKind::Options, message)
}
