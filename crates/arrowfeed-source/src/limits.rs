//! Limits on the resources that a file may use.

use crate::{FeedError, thousands};

/// Upper bounds on the resources that a reader spends on one file. Exceeding one is an error of kind
/// [`Limit`](crate::FeedErrorKind::Limit) that names the field.
///
/// ```
/// use arrowfeed_source::Limits;
/// let limits = Limits { decoded_block_bytes: 16 << 20, ..Limits::default() };
/// assert_eq!(limits.schema_depth, 64);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct Limits {
    /// Bytes of the file header, including metadata. Default 16 MiB.
    pub header_bytes: usize,
    /// Bytes of the JSON text of the schema. Default 4 MiB.
    pub schema_bytes: usize,
    /// Nesting depth of types in a schema. Default 64, at most [`MAX_SCHEMA_DEPTH`](Limits::MAX_SCHEMA_DEPTH).
    pub schema_depth: usize,
    /// Number of Arrow fields that a schema may expand to. Default 100,000.
    pub expanded_fields: usize,
    /// Bytes of one block, on disk and after decompression. Default 256 MiB.
    pub decoded_block_bytes: usize,
    /// Nesting depth of skipped values of a recursive type, and of the values of a JSON line. Default 100,000.
    pub skipped_depth: usize,
    /// Elements that take no bytes (such as those of `array<null>`) in one record. Default 10 million.
    pub zero_byte_elements: u64,
    /// Rows that take no bytes in one block. Default 100 million.
    pub zero_byte_rows: u64,
    /// Bytes of one RecordBatch. A batch of a file ends early at this limit; a single row that exceeds it is an error.
    /// Default 512 MiB.
    pub batch_bytes: usize,
    /// Window size of a zstandard frame, in bytes. Default 128 MiB.
    pub zstd_window_bytes: usize,
    /// Memory limit of the xz decoder, in bytes. Default 128 MiB.
    pub xz_memory_bytes: usize,
}

impl Limits {
    /// The upper bound of `schema_depth`. Decoding recurses over the nesting of the schema.
    pub const MAX_SCHEMA_DEPTH: usize = 128;

    /// Checks the row count that a chunk declares. A row takes at least one byte of `decoded_block_bytes`, or counts
    /// against `zero_byte_rows`.
    ///
    /// # Errors
    /// The row count exceeds both limits.
    pub fn check_chunk_rows(&self, rows: u64) -> Result<(), FeedError> {
        let most = self.zero_byte_rows.max(self.decoded_block_bytes as u64);
        if rows <= most {
            return Ok(());
        }
        let name = if most == self.zero_byte_rows { "zero_byte_rows" } else { "decoded_block_bytes" };
        let (most, rows) = (thousands(most), thousands(rows));
        let message = format!("expected at most {most} rows in a chunk, found {rows}");
        Err(FeedError::limit_reached(name, message))
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            header_bytes: 16 << 20,
            schema_bytes: 4 << 20,
            schema_depth: 64,
            expanded_fields: 100_000,
            decoded_block_bytes: 256 << 20,
            skipped_depth: 100_000,
            zero_byte_elements: 10_000_000,
            zero_byte_rows: 100_000_000,
            batch_bytes: 512 << 20,
            zstd_window_bytes: 128 << 20,
            xz_memory_bytes: 128 << 20,
        }
    }
}
