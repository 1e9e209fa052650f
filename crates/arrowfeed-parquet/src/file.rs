//! Open Parquet files: the footer, and the row groups as chunks.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use arrow_schema::{DataType, Schema, SchemaRef, TimeUnit};
use arrowfeed_source::format::{
    Chunk, ChunkDecoder, ChunkScan, Claim, ColumnBounds, DecodeOptions, FormatFile, KnownChunks,
    PassingShare, Unit, UnitDecoder,
};
use arrowfeed_source::io::{Expected, FileIdentity, Fingerprint, OpenFile, Opened, checked_read_at};
use arrowfeed_source::{FeedError, FeedErrorKind, Limits, text_or_hex, thousands};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};

use crate::bytes::guarded;
use crate::columns::without_dictionaries;
use crate::encryption::{encrypted_footer, encrypted_leaves};
use crate::file_columns::FileColumns;
use crate::filter::{FileFilter, SelectiveFile};
use crate::footer_fields::defined_fields;
use crate::group_columns::GroupColumns;
use crate::old_writers::corrected;
use crate::{claimed_rows, encryption, int96, schema_depth};

/// Number of bytes at the end of a file: the length of the footer, and the magic bytes.
const TAIL: u64 = 8;

/// Number of parts of the footer that have a checksum in the fingerprint.
const QUARTERS: usize = 4;

const MAGIC: &[u8] = b"PAR1";

/// A file whose footer has been read.
pub(crate) struct Footer {
    file: OpenFile,
    metadata: ArrowReaderMetadata,
    /// All columns, without dictionaries.
    schema: SchemaRef,
    /// The timestamps of the type INT96.
    int96: Option<Int96>,
    fingerprint: Fingerprint,
    /// Numbers of the leaf columns that are encrypted, ascending.
    encrypted: Vec<usize>,
}

/// Columns of a file that are read twice, see [`int96`].
struct Int96 {
    /// For each leaf, whether it has the type.
    leaves: Vec<bool>,
    /// The metadata for reading in seconds.
    seconds: ArrowReaderMetadata,
    /// All columns, with the type of what is read.
    read: SchemaRef,
}

impl Footer {
    /// Reads the footer.
    ///
    /// # Errors
    /// The file is not a Parquet file, or is a stream; a limit is reached; an I/O error.
    pub(crate) fn read(opened: Opened, limits: &Limits) -> Result<Self, FeedError> {
        let name = opened.name().clone();
        Self::read_file(opened.into_file()?, limits).map_err(|error| error.in_file(&name))
    }

    fn read_file(file: OpenFile, limits: &Limits) -> Result<Self, FeedError> {
        let bytes = read_footer(&file, limits)?;
        let is_encrypted = schema_depth::check_groups(&bytes, limits)?;
        let encrypted = if is_encrypted { encrypted_leaves(&bytes) } else { Vec::new() };
        let fingerprint = fingerprint(&bytes);
        file.check_fingerprint(&fingerprint)?;
        let (kind, expected) = (FeedErrorKind::Format, "a footer of Parquet");
        let options = ArrowReaderOptions::new();
        let pages_end = file.len().saturating_sub(TAIL + bytes.len() as u64);
        let decode = |bytes: &[u8]| {
            guarded(kind, expected, || {
                let metadata = corrected(ParquetMetaDataReader::decode_metadata(bytes)?, pages_end)?;
                ArrowReaderMetadata::try_new(Arc::new(metadata), options.clone())
            })
        };
        let metadata = match decode(&bytes) {
            Err(error) if error.kind() == kind => match defined_fields(&bytes) {
                Some(defined) => decode(&defined)?,
                None => return Err(error),
            },
            metadata => metadata?,
        };
        let fields = metadata.schema().fields().iter().map(without_dictionaries);
        let schema = Schema::new(fields.collect::<Vec<_>>());
        schema_depth::check_columns(&schema, limits)?;
        let of_types = |schema: &Schema| {
            let options = options.clone().with_schema(Arc::new(schema.clone()));
            let with_types = || ArrowReaderMetadata::try_new(metadata.metadata().clone(), options);
            guarded(FeedErrorKind::Schema, "columns that Arrow can hold", with_types)
        };
        let Some(leaves) = int96::leaves(metadata.metadata()) else {
            let metadata = of_types(&schema)?;
            let schema = Arc::new(schema);
            return Ok(Self { file, metadata, schema, int96: None, fingerprint, encrypted });
        };
        let in_unit = |unit| int96::with_types(&schema, &leaves, None, &|leaf, _| int96::in_unit(leaf, unit));
        let seconds = of_types(&in_unit(TimeUnit::Second))?;
        let read = Arc::new(int96::with_types(&schema, &leaves, None, &|_, _| int96::EXACT));
        let of_units = of_types(&in_unit(TimeUnit::Nanosecond))?;
        let unit = int96::unit(metadata.metadata().file_metadata());
        let schema = unit.map(in_unit).unwrap_or(schema);
        let int96 = Some(Int96 { leaves, seconds, read });
        Ok(Self { file, metadata: of_units, schema: Arc::new(schema), int96, fingerprint, encrypted })
    }

    /// The name of the file in messages.
    pub(crate) fn name(&self) -> &Arc<str> {
        self.file.name()
    }

    /// The metadata of all row groups.
    pub(crate) fn metadata(&self) -> &ParquetMetaData {
        self.metadata.metadata()
    }

    /// All columns, without dictionaries.
    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The schema, with the units of `wanted` where the file has none.
    pub(crate) fn schema_like(&self, wanted: &Schema) -> SchemaRef {
        let Some(int96) = &self.int96 else { return self.schema.clone() };
        let choose = |leaf: &DataType, wanted: Option<&DataType>| match wanted {
            Some(DataType::Timestamp(unit, _)) => int96::in_unit(leaf, *unit),
            _ => leaf.clone(),
        };
        Arc::new(int96::with_types(&self.schema, &int96.leaves, Some(wanted), &choose))
    }

    /// All columns, with the types of what is read.
    pub(crate) fn read_schema(&self) -> &SchemaRef {
        self.int96.as_ref().map_or(&self.schema, |int96| &int96.read)
    }
}

/// The bytes of the footer, without its length and the magic bytes.
fn read_footer(file: &OpenFile, limits: &Limits) -> Result<Vec<u8>, FeedError> {
    let mut tail = [0; TAIL as usize];
    let start = file.len().saturating_sub(TAIL);
    let found = checked_read_at(&**file.source(), start, &mut tail).map_err(FeedError::io)?;
    if found == tail.len() && &tail[4..] == encryption::MAGIC {
        return Err(encrypted_footer());
    }
    if found < tail.len() || &tail[4..] != MAGIC {
        let found = text_or_hex(&tail[..found]);
        let message = format!("expected a Parquet file, which ends with \"PAR1\", found {found} at its end");
        return Err(FeedError::new(FeedErrorKind::Format, message));
    }
    let len = u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]);
    if len as usize > limits.header_bytes {
        let (most, found) = (thousands(limits.header_bytes as u64), thousands(len.into()));
        let message = format!("expected a footer of at most {most} bytes, found {found}");
        return Err(FeedError::limit_reached("header_bytes", message));
    }
    let Some(start) = start.checked_sub(len.into()) else {
        let (len, found) = (thousands(len.into()), thousands(file.len()));
        let message = format!("expected a footer of {len} bytes, found a file of {found}");
        return Err(FeedError::new(FeedErrorKind::Truncated, message));
    };
    let mut footer = vec![0; len as usize];
    let found = checked_read_at(&**file.source(), start, &mut footer).map_err(FeedError::io)?;
    footer.truncate(found);
    Ok(footer)
}

/// A checksum of the footer, which contains the lengths, offsets and statistics of all column chunks.
fn fingerprint(footer: &[u8]) -> Fingerprint {
    let mut bytes = [0; 16];
    let quarter = footer.len().div_ceil(QUARTERS).max(1);
    for (sum, quarter) in bytes.chunks_mut(4).zip(footer.chunks(quarter)) {
        sum.copy_from_slice(&crc32fast::hash(quarter).to_le_bytes());
    }
    Fingerprint { bytes, name: "footer checksum" }
}

/// A file being read.
pub(crate) struct ParquetFile {
    footer: Arc<Footer>,
    /// Non-empty row groups, each from its first page to the next row group or the footer.
    pub(crate) groups: KnownChunks,
    /// Number of bytes of the pages of each row group.
    pub(crate) group_bytes: Vec<u64>,
    /// The columns that are read, and their readers.
    pub(crate) read: GroupColumns,
    pub(crate) columns: FileColumns,
    /// The filter of the rows, if only those that pass are read.
    pub(crate) filter: Option<Box<FileFilter>>,
    pub(crate) limits: Limits,
}

impl ParquetFile {
    /// # Errors
    /// The row groups are not in file order, or have fewer rows than they declare; a column is encrypted.
    pub(crate) fn new(
        footer: Arc<Footer>,
        columns: FileColumns,
        filter: Option<Box<FileFilter>>,
        limits: Limits,
    ) -> Result<Self, FeedError> {
        let schema = footer.metadata().file_metadata().schema_descr();
        let readable = encryption::check(&footer.encrypted, &columns.leaves, schema);
        let groups = readable.and_then(|()| row_groups(&footer, &columns.leaves, &limits));
        let (groups, group_bytes) = groups.map_err(|error| error.in_file(footer.name()))?;
        let int96 = footer.int96.as_ref().map(|int96| (&*int96.leaves, &int96.seconds));
        let read = GroupColumns::new(footer.read_schema(), &columns.leaves, &footer.metadata, int96);
        Ok(Self { columns, footer, groups, group_bytes, read, filter, limits })
    }

    pub(crate) fn file(&self) -> &OpenFile {
        &self.footer.file
    }

    pub(crate) fn metadata(&self) -> &ArrowReaderMetadata {
        &self.footer.metadata
    }

    /// The byte ranges of the columns of a row group that are read, in the order of the file.
    pub(crate) fn ranges(&self, chunk: &Chunk) -> Vec<Range<u64>> {
        let groups = self.footer.metadata.metadata().row_groups();
        let group = usize::try_from(chunk.number).ok().and_then(|at| groups.get(at));
        let columns = self.columns.leaves.iter().filter_map(|leaf| group?.columns().get(*leaf));
        let mut ranges: Vec<_> = columns
            .map(|column| {
                let (start, len) = column.byte_range();
                start..start.saturating_add(len)
            })
            .collect();
        ranges.sort_unstable_by_key(|range| range.start);
        ranges
    }

    /// Checks that the file still has the same footer. If a file is opened while it is written, its time of change may stay
    /// the same.
    ///
    /// # Errors
    /// It has another one ([`Changed`](FeedErrorKind::Changed)); an I/O error.
    pub(crate) fn check_footer(&self) -> Result<(), FeedError> {
        let file = &self.footer.file;
        let when = "it was opened";
        match read_footer(file, &self.limits) {
            Ok(found) => {
                let identity = FileIdentity { len: file.len(), fingerprint: self.footer.fingerprint.bytes };
                Expected { identity, when }.check_fingerprint(&fingerprint(&found))
            }
            Err(error) if error.kind() == FeedErrorKind::Io => Err(error),
            Err(error) => {
                let message = format!("expected the file to be unchanged since {when}: {}", error.message());
                Err(FeedError::new(FeedErrorKind::Changed, message))
            }
        }
    }
}

/// The row groups as chunks, and the number of bytes of each row group.
fn row_groups(
    footer: &Footer,
    leaves: &[usize],
    limits: &Limits,
) -> Result<(KnownChunks, Vec<u64>), FeedError> {
    let all = footer.metadata.metadata().row_groups();
    let mut chunks: Vec<Chunk> = Vec::with_capacity(all.len());
    let mut bytes = Vec::with_capacity(all.len());
    let pages_end = footer.file.len().saturating_sub(TAIL);
    for (number, group) in all.iter().enumerate() {
        let ranges = || {
            let ranges = group.columns().iter().map(|column| column.byte_range());
            Ok::<_, parquet::errors::ParquetError>(ranges.collect::<Vec<_>>())
        };
        let ranges = guarded(FeedErrorKind::Format, "places of columns in the footer", ranges)?;
        let offset = ranges.iter().map(|(start, _)| *start).min().unwrap_or(number as u64);
        let group_bytes = ranges.iter().fold(0_u64, |sum, (_, len)| sum.saturating_add(*len));
        bytes.push(group_bytes);
        let Ok(rows) = u64::try_from(group.num_rows()) else {
            let found = group.num_rows();
            let message = format!("expected 0 rows or more in row group {number}, found {found}");
            return Err(FeedError::new(FeedErrorKind::Format, message));
        };
        // An empty row group may have no position of its own.
        if rows == 0 {
            continue;
        }
        if offset >= pages_end {
            let message =
                format!("expected row group {number} before byte {pages_end}, found it at byte {offset}");
            return Err(FeedError::new(FeedErrorKind::Format, message));
        }
        if let Some(last) = chunks.last_mut() {
            if offset <= last.offset {
                let message = format!(
                    "expected row groups in file order, found row group {number} at byte {offset} after one at byte {}",
                    last.offset
                );
                return Err(FeedError::new(FeedErrorKind::Format, message));
            }
            last.end = offset;
        }
        limits.check_chunk_rows(rows)?;
        claimed_rows::check(&footer.file, (number, group), (rows, group_bytes), leaves)?;
        chunks.push(Chunk { number: number as u64, offset, end: pages_end, rows });
    }
    Ok((KnownChunks::new(chunks), bytes))
}

impl FormatFile for ParquetFile {
    fn fingerprint(&self) -> Option<Fingerprint> {
        Some(self.footer.fingerprint)
    }

    fn body(&self) -> Range<u64> {
        self.groups.body()
    }

    fn chunks(&self) -> Option<Box<dyn ChunkScan>> {
        Some(self.groups.scan())
    }

    /// The byte ranges of the columns that are read, or of those that a filter reads first.
    fn unit_ranges(&self, unit: &Unit) -> Vec<Range<u64>> {
        let first = self.filter.as_ref().map_or(self, |filter| filter.file());
        let chunks = unit.runs.iter().flat_map(|run| self.groups.starting_in(&run.range));
        let may_pass = |chunk: &&Chunk| self.filter.as_ref().is_none_or(|filter| filter.may_pass(chunk));
        chunks.filter(may_pass).flat_map(|chunk| first.ranges(chunk)).collect()
    }

    fn column_bounds(&self) -> Vec<Option<ColumnBounds>> {
        self.bounds_of_columns()
    }

    fn decoder(
        self: Arc<Self>,
        unit: Unit,
        options: &DecodeOptions,
        claim: Option<Claim>,
    ) -> Result<Box<dyn UnitDecoder>, FeedError> {
        Ok(Box::new(ChunkDecoder::new(self, unit, options, claim)))
    }

    fn selective_decoder(
        self: Arc<Self>,
        unit: &Unit,
        options: &DecodeOptions,
        claim: &mut Option<Claim>,
        _share: &Arc<PassingShare>,
    ) -> Result<Option<Box<dyn UnitDecoder>>, FeedError> {
        let Some(file) = SelectiveFile::new(self) else { return Ok(None) };
        Ok(Some(Box::new(ChunkDecoder::new(Arc::new(file), unit.clone(), options, claim.take()))))
    }
}

impl fmt::Debug for ParquetFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ParquetFile").field(self.footer.name()).finish()
    }
}
