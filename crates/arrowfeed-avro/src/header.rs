//! Reads the header of a file, and counts its rows without decoding its records.

use arrow_schema::SchemaRef;
use arrowfeed_source::{Check, FeedError, FeedErrorKind, Interrupt, Limits};

use crate::container::codec::Codec;
use crate::plan::DecodePlan;
use crate::reader::file::Container;
use crate::{AvroOptions, AvroSchema, FileSource};
use arrowfeed_source::format::ChunkScan;

/// The header of a file: schema, codec, metadata.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
/// use arrowfeed_avro::{AvroHeader, Limits, AvroOptions};
/// let header = AvroHeader::read(&path, &Limits::default())?;
/// assert_eq!(header.codec().name(), "zstandard");
/// assert_eq!(header.count_rows()?, 3);
/// assert_eq!(header.arrow_schema(&AvroOptions::default())?.fields().len(), 2);
/// # Ok(())
/// # }
/// ```
pub struct AvroHeader {
    file: Container,
    schema: AvroSchema,
    options: AvroOptions,
}

impl std::fmt::Debug for AvroHeader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AvroHeader")
            .field("file", &self.file.name)
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}

impl AvroHeader {
    /// Reads the header and parses the schema.
    ///
    /// # Errors
    /// The file cannot be opened or is no Avro file, or its schema is not valid.
    pub fn read(source: impl Into<FileSource>, limits: &Limits) -> Result<Self, FeedError> {
        Self::read_with(source, limits, None)
    }

    /// Like [`read`](Self::read), but can be cancelled through `interrupt`.
    ///
    /// # Errors
    /// Same as [`read`](Self::read), or `interrupt` cancelled the call.
    pub fn read_with(
        source: impl Into<FileSource>,
        limits: &Limits,
        interrupt: Option<&Interrupt>,
    ) -> Result<Self, FeedError> {
        let options = AvroOptions { limits: limits.clone(), ..AvroOptions::default() };
        let file = Container::open(source.into(), &options.limits, &Check::of(interrupt))?;
        let schema = file.schema(None, &options.limits)?;
        Ok(Self { file, schema, options })
    }

    /// Returns the writer's schema.
    pub fn schema(&self) -> &AvroSchema {
        &self.schema
    }

    /// Returns the compression codec of the blocks.
    pub fn codec(&self) -> Codec {
        self.file.header.codec
    }

    /// Returns the metadata of the file: `avro.schema`, `avro.codec`, and then the user's entries in file order.
    pub fn metadata(&self) -> Vec<(String, Vec<u8>)> {
        let header = &self.file.header;
        let schema = ("avro.schema".to_owned(), header.schema_json.clone().into_bytes());
        let codec = ("avro.codec".to_owned(), header.codec.name().as_bytes().to_vec());
        [schema, codec].into_iter().chain(header.metadata.iter().cloned()).collect()
    }

    /// Returns the schema of the batches that a reader with these options returns.
    ///
    /// # Errors
    /// No plan can be compiled for the options.
    pub fn arrow_schema(&self, options: &AvroOptions) -> Result<SchemaRef, FeedError> {
        let plan =
            DecodePlan::compile(&self.schema, options).map_err(|error| error.in_file(&self.file.name))?;
        Ok(plan.schema().clone())
    }

    /// Returns the number of records that the blocks declare. Reads only the block headers.
    ///
    /// # Errors
    /// A block header or a sync marker is invalid, the file is truncated, or the source is a stream.
    pub fn count_rows(&self) -> Result<u64, FeedError> {
        self.count_rows_with(None)
    }

    /// Like [`count_rows`](Self::count_rows), but can be cancelled through `interrupt`.
    ///
    /// # Errors
    /// Same as [`count_rows`](Self::count_rows), or `interrupt` cancelled the call.
    pub fn count_rows_with(&self, interrupt: Option<&Interrupt>) -> Result<u64, FeedError> {
        let (name, check) = (&self.file.name, Check::of(interrupt));
        let Some(mut scanner) = self.file.scanner(&self.options.limits) else {
            let message = "expected a file or bytes to count the rows of, found a stream";
            return Err(FeedError::new(FeedErrorKind::Options, message).in_file(name));
        };
        let mut rows = 0_u64;
        while let Some(block) = scanner.next(&check).map_err(|error| error.in_file(name))? {
            rows = rows.saturating_add(block.rows);
        }
        self.file.check_unchanged()?;
        Ok(rows)
    }
}
