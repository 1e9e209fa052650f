//! Batches to an Avro file, through arrow-avro's writer.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_avro::compression::CompressionCodec;
use arrow_avro::schema::SCHEMA_METADATA_KEY;
use arrow_avro::writer::format::AvroBinaryFormat;
use arrow_avro::writer::{Encoder, Writer, WriterBuilder};
use arrow_schema::{ArrowError, Schema};

use crate::container::header::MAX_ENTRIES;
use crate::error::{AvroError, AvroErrorKind, quoted, thousands};
use crate::{AvroSchema, Codec};
use format::ContainerFormat;

mod format;
mod labels;
mod records;

pub use records::encode_records;

/// Rows whose encoded size says how many rows a block takes.
const SAMPLE: usize = 256;

/// How the keys of the specification's own metadata begin.
const RESERVED: &str = "avro.";

/// Options of [`write_avro`].
#[derive(Debug, Clone)]
pub struct WriteOptions {
    /// Default [`Codec::Zstandard`].
    pub codec: Codec,
    /// Bytes of a block before compression, about. Default 64 KiB.
    pub block_bytes: usize,
    /// The schema to write. `None`: derived from the Arrow schema, a record named `topLevelRecord`.
    pub schema: Option<AvroSchema>,
    /// Entries of the header beside schema and codec, see [`AvroHeader::metadata`](crate::AvroHeader::metadata). Keys that
    /// begin with `avro.` are refused: the specification reserves them. Default: none.
    pub metadata: BTreeMap<String, Vec<u8>>,
}

impl Default for WriteOptions {
    fn default() -> Self {
        let (schema, metadata) = (None, BTreeMap::new());
        Self { codec: Codec::Zstandard, block_bytes: 64 << 10, schema, metadata }
    }
}

/// Writes all batches to a new file and gives the number of rows. The file appears under its name when it is
/// whole; one that was there is replaced.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
/// use arrow_array::{Int64Array, RecordBatch, RecordBatchIterator};
/// use arrowfeed_avro::{WriteOptions, write_avro};
/// # let path = std::env::temp_dir().join(format!("arrowfeed-doc-{}.avro", std::process::id()));
/// let column = Arc::new(Int64Array::from(vec![1, 2, 3]));
/// let batch = RecordBatch::try_from_iter([("id", column as _)])?;
/// let schema = batch.schema();
/// let rows = write_avro(RecordBatchIterator::new([Ok(batch)], schema), &path, &WriteOptions::default())?;
/// assert_eq!(rows, 3);
/// # std::fs::remove_file(path)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// A column has a type that Avro has not, or does not fit the given schema; the file cannot be written; a batch
/// cannot be had.
pub fn write_avro(
    batches: impl RecordBatchReader,
    path: impl AsRef<Path>,
    options: &WriteOptions,
) -> Result<u64, AvroError> {
    let path = path.as_ref();
    let partial = partial_path(path);
    let written = write_to(batches, &partial, options)
        .and_then(|rows| std::fs::rename(&partial, path).map(|()| rows).map_err(AvroError::io));
    if written.is_err() {
        // What remains of it, if it was ever made.
        let _ = std::fs::remove_file(&partial);
    }
    written.map_err(|error| error.in_file(&path.display().to_string()))
}

/// A name beside the file that no other process uses.
fn partial_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.partial", std::process::id()));
    path.with_file_name(name)
}

fn write_to(batches: impl RecordBatchReader, path: &Path, options: &WriteOptions) -> Result<u64, AvroError> {
    check(options)?;
    let schema = Arc::new(schema_to_write(&batches.schema(), options.schema.as_ref()));
    let mut blocks = Blocks::new(schema.as_ref().clone(), path, options)?;
    let mut rows = 0;
    for batch in batches {
        let batch = batch.and_then(|batch| labels::relabel(&batch, &schema)).map_err(arrow_error)?;
        blocks.write(&batch)?;
        rows += batch.num_rows() as u64;
    }
    blocks.finish()?;
    Ok(rows)
}

fn check(options: &WriteOptions) -> Result<(), AvroError> {
    let refuse = |message: String| Err(AvroError::new(AvroErrorKind::Options, message));
    if options.block_bytes == 0 {
        return refuse("expected block_bytes of 1 or more, found 0".to_owned());
    }
    if let Some(key) = options.metadata.keys().find(|key| key.starts_with(RESERVED)) {
        return refuse(format!(
            "metadata: expected keys that do not begin with {}, which the Avro specification reserves, found {}",
            quoted(RESERVED),
            quoted(key)
        ));
    }
    let (most, found) = (MAX_ENTRIES - format::OWN_ENTRIES, options.metadata.len() as u64);
    if found > most {
        let (most, found) = (thousands(most), thousands(found));
        return refuse(format!("metadata: expected at most {most} entries, found {found}"));
    }
    Ok(())
}

fn schema_to_write(arrow: &Schema, avro: Option<&AvroSchema>) -> Schema {
    let mut metadata = arrow.metadata().clone();
    if let Some(avro) = avro {
        metadata.insert(SCHEMA_METADATA_KEY.to_owned(), avro.json().to_owned());
    }
    labels::mark(&Schema::new_with_metadata(arrow.fields().clone(), metadata), avro)
}

/// An Avro file that is being written.
struct Blocks {
    writer: Writer<BufWriter<File>, ContainerFormat>,
    /// Encodes a few rows of each batch, to know how large they are.
    sampler: Encoder,
    block_bytes: usize,
}

impl Blocks {
    fn new(schema: Schema, path: &Path, options: &WriteOptions) -> Result<Self, AvroError> {
        let sampler = WriterBuilder::new(schema.clone()).build_encoder::<AvroBinaryFormat>();
        let sampler = sampler.map_err(|error| arrow_error(error.into()))?;
        let file = BufWriter::new(File::create(path).map_err(AvroError::io)?);
        let described = format::with_metadata(schema, &options.metadata);
        let builder = WriterBuilder::new(described.map_err(arrow_error)?);
        let writer = builder.with_compression(compression(options.codec)).build(file);
        let writer = writer.map_err(|error| arrow_error(error.into()))?;
        Ok(Self { writer, sampler, block_bytes: options.block_bytes })
    }

    /// One block for each call of arrow-avro's `write`: so the batch is cut first.
    fn write(&mut self, batch: &RecordBatch) -> Result<(), AvroError> {
        let rows = self.rows_a_block(batch)?;
        for start in (0..batch.num_rows()).step_by(rows) {
            let block = batch.slice(start, rows.min(batch.num_rows() - start));
            self.writer.write(&block).map_err(|error| arrow_error(error.into()))?;
        }
        Ok(())
    }

    fn rows_a_block(&mut self, batch: &RecordBatch) -> Result<usize, AvroError> {
        let sample = batch.slice(0, batch.num_rows().min(SAMPLE));
        self.sampler.encode(&sample).map_err(|error| arrow_error(error.into()))?;
        let bytes = self.sampler.flush().bytes().len().max(1);
        Ok((self.block_bytes.saturating_mul(sample.num_rows()) / bytes).max(1))
    }

    fn finish(mut self) -> Result<(), AvroError> {
        self.writer.finish().map_err(|error| arrow_error(error.into()))?;
        self.writer.into_inner().flush().map_err(AvroError::io)
    }
}

fn compression(codec: Codec) -> Option<CompressionCodec> {
    match codec {
        Codec::Null => None,
        Codec::Deflate => Some(CompressionCodec::Deflate),
        Codec::Snappy => Some(CompressionCodec::Snappy),
        Codec::Zstandard => Some(CompressionCodec::ZStandard),
        Codec::Bzip2 => Some(CompressionCodec::Bzip2),
        Codec::Xz => Some(CompressionCodec::Xz),
    }
}

/// An error of the writer or of the batches' source.
fn arrow_error(error: ArrowError) -> AvroError {
    match error {
        ArrowError::IoError(_, error) => AvroError::io(error),
        ArrowError::ExternalError(error) => match error.downcast::<AvroError>() {
            Ok(error) => *error,
            Err(error) => AvroError::new(AvroErrorKind::Schema, error.to_string()).with_source(error),
        },
        error => AvroError::new(AvroErrorKind::Schema, error.to_string()).with_source(error),
    }
}
