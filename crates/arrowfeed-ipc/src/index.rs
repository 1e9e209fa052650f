//! The positions of all messages of a file.
//!
//! A file has them in its footer. A stream has no footer, so its messages are found one after another: their metadata is read,
//! and their bodies are skipped.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use arrow_ipc::{
    Block, MessageHeader, MetadataVersion, RecordBatch as StoredBatch, root_as_footer_with_opts,
};
use arrow_schema::{Schema, SchemaRef};
use arrowfeed_source::format::named_columns;
use arrowfeed_source::io::OpenFile;
use arrowfeed_source::{Check, FeedError, FeedErrorKind, Limits, text_or_hex, thousands};

use crate::body::stretches;
use crate::layout::buffers_of;
use crate::message::{MARKER, StoredMessage, framing, invalid, read, verifier};
use crate::schema::{schema, too_large};

/// The first and last bytes of a file. The first ones are followed by two bytes of padding.
const MAGIC: &[u8] = b"ARROW1";

/// The first bytes of a file of Feather V1, which is another format.
const FEATHER_V1: &[u8] = b"FEA1";

/// Bytes at the end of a file: the length of the footer, and the magic bytes.
const TAIL: usize = 10;

/// A record batch with more rows than this is checked when the file is opened, because shuffles and splits draw a number for
/// each row before they read it.
const MANY_ROWS: u64 = 1 << 20;

/// The position of a message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) offset: u64,
    /// The offset of the body.
    pub(crate) body: u64,
    pub(crate) end: u64,
}

/// The position of a record batch.
#[derive(Debug)]
pub(crate) struct BatchPlace {
    pub(crate) place: Place,
    pub(crate) rows: u64,
    /// Number of rows that the batch declares. It is more than `rows` if the batch cannot have as many.
    pub(crate) declared: u64,
    /// Number of dictionary messages that apply to it.
    pub(crate) dictionaries: usize,
    /// The ranges of the file that contain the metadata and the columns that are read; `None` if all columns are read.
    pub(crate) ranges: Option<Box<[Range<u64>]>>,
}

/// The position of a message with the values of a dictionary.
#[derive(Debug)]
pub(crate) struct DictionaryPlace {
    pub(crate) place: Place,
    pub(crate) id: i64,
    /// Whether the values are appended to those of the message before.
    pub(crate) is_delta: bool,
}

/// The schema of a file, and the positions of its messages.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) schema: SchemaRef,
    pub(crate) batches: Vec<BatchPlace>,
    pub(crate) dictionaries: Vec<DictionaryPlace>,
    /// Whether the file has a footer.
    pub(crate) has_footer: bool,
    /// Whether each column is read; `None` if all are.
    is_read: Option<Vec<bool>>,
}

impl Index {
    /// Reads the positions of all messages. `columns` are the field paths that are read; `None`: all columns.
    ///
    /// # Errors
    /// The bytes are not of the format; a limit is reached; an I/O error; the caller cancels.
    pub(crate) fn read(
        file: &OpenFile,
        columns: Option<&[String]>,
        limits: &Limits,
        check: &Check<'_>,
    ) -> Result<Self, FeedError> {
        let first = read(file, 0, usize::try_from(file.len()).unwrap_or(usize::MAX).min(8))?;
        match first.starts_with(MAGIC) {
            true => Self::of_file(file, columns, limits, check),
            false => Self::of_stream(file, &first, limits, check),
        }
    }

    fn of_file(
        file: &OpenFile,
        columns: Option<&[String]>,
        limits: &Limits,
        check: &Check<'_>,
    ) -> Result<Self, FeedError> {
        let tail_at = file.len().saturating_sub(TAIL as u64);
        let tail = read(file, tail_at, TAIL.min(usize::try_from(file.len()).unwrap_or(TAIL)))?;
        if tail.len() < TAIL || &tail[4..] != MAGIC {
            let message = "expected an Arrow file, which ends with \"ARROW1\", found a file without its end";
            return Err(FeedError::new(FeedErrorKind::Truncated, message));
        }
        let len = i32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]);
        let Some((len, at)) = u64::try_from(len).ok().and_then(|len| Some((len, tail_at.checked_sub(len)?)))
        else {
            let message = format!("expected a footer inside of the file, found one of {len} bytes");
            return Err(FeedError::new(FeedErrorKind::Format, message));
        };
        if len > limits.header_bytes as u64 {
            return Err(too_large("a footer", limits.header_bytes, len));
        }
        let bytes = read(file, at, usize::try_from(len).unwrap_or(usize::MAX))?;
        let footer = root_as_footer_with_opts(&verifier(limits), &bytes);
        let footer = footer.map_err(|error| invalid("a footer of an Arrow file", &error))?;
        let Some(stored) = footer.schema() else { return Err(without_schema()) };
        let mut index = Self { has_footer: true, ..Self::of_schema(schema(stored, limits)?) };
        index.is_read = columns.and_then(|columns| is_read(&index.schema, columns));
        let blocks = footer.dictionaries().into_iter().chain(footer.recordBatches()).flatten();
        let metadata = blocks.filter_map(|block| {
            let (start, len) =
                (u64::try_from(block.offset()).ok()?, u64::try_from(block.metaDataLength()).ok()?);
            Some(start..start.checked_add(len)?)
        });
        file.source().announce(&metadata.collect::<Vec<_>>());
        let mut ids = HashSet::new();
        for block in footer.dictionaries().into_iter().flatten() {
            check.now()?;
            index.add(file, Some(block), place_of(block)?, at, limits)?;
            if let Some(found) = index.dictionaries.last()
                && !found.is_delta
                && !ids.insert(found.id)
            {
                let message = format!(
                    "expected one dictionary of number {}, and additions to it, found a second one at byte {}",
                    found.id,
                    thousands(found.place.offset)
                );
                return Err(FeedError::new(FeedErrorKind::Format, message));
            }
        }
        for block in footer.recordBatches().into_iter().flatten() {
            check.now()?;
            index.add(file, Some(block), place_of(block)?, at, limits)?;
        }
        Ok(index)
    }

    fn of_stream(
        file: &OpenFile,
        first: &[u8],
        limits: &Limits,
        check: &Check<'_>,
    ) -> Result<Self, FeedError> {
        if first.starts_with(FEATHER_V1) {
            let message = "expected an Arrow IPC file (Feather V2) or stream, found a file of Feather V1";
            return Err(FeedError::new(FeedErrorKind::Format, message));
        }
        let has_marker = first.starts_with(&MARKER);
        // An old stream starts with a length. Any bytes are one, so it has to lead to a schema.
        let is_old = || framing(first).is_some_and(|(_, len)| len > 0 && (len as u64) < file.len());
        if !has_marker && !is_old() {
            return Err(other_format(first));
        }
        let message = match StoredMessage::read(file, 0, None, file.len(), limits) {
            Err(error) if !has_marker && error.kind() != FeedErrorKind::Io => {
                return Err(other_format(first));
            }
            found => found?,
        };
        let Some(message) = message else { return Err(without_schema()) };
        let mut index = match message.get(limits)?.header_as_schema() {
            Some(stored) => Self::of_schema(schema(stored, limits)?),
            None if has_marker => return Err(without_schema()),
            None => return Err(other_format(first)),
        };
        let mut at = message.end();
        while index.add(file, None, at, file.len(), limits)? {
            check.now()?;
            let batch = index.batches.last().map_or(0, |batch| batch.place.end);
            let dictionary = index.dictionaries.last().map_or(0, |dictionary| dictionary.place.end);
            at = batch.max(dictionary);
        }
        Ok(index)
    }

    fn of_schema(schema: Schema) -> Self {
        let schema = Arc::new(schema);
        Self { schema, batches: Vec::new(), dictionaries: Vec::new(), has_footer: false, is_read: None }
    }

    /// Adds the message at an offset. Returns false at the end of a stream.
    fn add(
        &mut self,
        file: &OpenFile,
        block: Option<&Block>,
        offset: u64,
        end: u64,
        limits: &Limits,
    ) -> Result<bool, FeedError> {
        let number = self.batches.len() as u64;
        let added = self.add_message(file, block, offset, end, limits);
        added.map_err(|error| error.in_block(number, offset))
    }

    fn add_message(
        &mut self,
        file: &OpenFile,
        block: Option<&Block>,
        offset: u64,
        end: u64,
        limits: &Limits,
    ) -> Result<bool, FeedError> {
        let body = match block {
            Some(block) => {
                match u64::try_from(block.metaDataLength()).ok().and_then(|len| offset.checked_add(len)) {
                    Some(body) if body <= end => Some(body),
                    _ => {
                        let message = format!(
                            "expected metadata inside of the file, found {} bytes",
                            block.metaDataLength()
                        );
                        return Err(FeedError::new(FeedErrorKind::Format, message));
                    }
                }
            }
            None => None,
        };
        let Some(message) = StoredMessage::read(file, offset, body, end, limits)? else {
            return match block {
                None => Ok(false),
                Some(_) => Err(FeedError::new(FeedErrorKind::Format, "expected a message, found none")),
            };
        };
        let place = Place { offset, body: message.body, end: message.end() };
        let found = message.get(limits)?;
        if let Some(batch) = found.header_as_record_batch() {
            let Ok(declared) = u64::try_from(batch.length()) else {
                let message = format!("expected 0 rows or more, found {}", batch.length());
                return Err(FeedError::new(FeedErrorKind::Format, message));
            };
            limits.check_chunk_rows(declared)?;
            if let Some(last) = self.batches.last()
                && offset < last.place.end
            {
                let message = format!(
                    "expected record batches in file order, found one that ends at byte {}",
                    thousands(last.place.end)
                );
                return Err(FeedError::new(FeedErrorKind::Format, message));
            }
            let ranges = self.ranges_read(&message, &batch, found.version(), offset, limits);
            let rows =
                match declared > MANY_ROWS && self.is_damaged(&message, &batch, found.version(), limits) {
                    true => declared.min(message.body_len.saturating_mul(8)),
                    false => declared,
                };
            let dictionaries = self.dictionaries.len();
            self.batches.push(BatchPlace { place, rows, declared, dictionaries, ranges });
        } else if let Some(dictionary) = found.header_as_dictionary_batch() {
            let (id, is_delta) = (dictionary.id(), dictionary.isDelta());
            self.dictionaries.push(DictionaryPlace { place, id, is_delta });
        } else {
            let header = found.header_type();
            let header = match header == MessageHeader::NONE {
                true => "none",
                false => header.variant_name().unwrap_or("another one"),
            };
            let message = format!("expected a message of a record batch or a dictionary, found {header}");
            return Err(FeedError::new(FeedErrorKind::Format, message));
        }
        Ok(true)
    }

    /// Whether the columns that are read cannot have the rows that the batch declares.
    fn is_damaged(
        &self,
        message: &StoredMessage,
        batch: &StoredBatch<'_>,
        version: MetadataVersion,
        limits: &Limits,
    ) -> bool {
        let is_read = |column: usize| self.is_read.as_ref().is_none_or(|is_read| is_read[column]);
        let fields = self.schema.fields().iter().enumerate();
        let fields = fields.map(|(column, field)| (&**field, is_read(column)));
        buffers_of(batch, version, message.body_len, fields, limits).is_err()
    }

    /// The ranges of a record batch that are read; `None` if all columns are, or if the batch is invalid.
    fn ranges_read(
        &self,
        message: &StoredMessage,
        batch: &StoredBatch<'_>,
        version: MetadataVersion,
        offset: u64,
        limits: &Limits,
    ) -> Option<Box<[Range<u64>]>> {
        let fields =
            self.schema.fields().iter().map(AsRef::as_ref).zip(self.is_read.iter().flatten().copied());
        self.is_read.as_ref()?;
        let buffers = buffers_of(batch, version, message.body_len, fields, limits).ok()?;
        let body = stretches(&buffers.found).into_iter();
        let body = body.map(|range| message.body + range.start..message.body + range.end);
        Some(std::iter::once(offset..message.body).chain(body).collect())
    }
}

/// Whether each column is read; `None` if all are, or if a column does not exist.
fn is_read(schema: &Schema, columns: &[String]) -> Option<Vec<bool>> {
    let mut is_read = vec![false; schema.fields().len()];
    for column in named_columns(schema, columns).ok()? {
        is_read[column] = true;
    }
    is_read.contains(&false).then_some(is_read)
}

fn place_of(block: &Block) -> Result<u64, FeedError> {
    u64::try_from(block.offset()).map_err(|_| {
        let message = format!("expected a message at byte 0 or later, found byte {}", block.offset());
        FeedError::new(FeedErrorKind::Format, message)
    })
}

#[cold]
fn without_schema() -> FeedError {
    FeedError::new(FeedErrorKind::Format, "expected a schema, found none")
}

#[cold]
fn other_format(first: &[u8]) -> FeedError {
    let found = text_or_hex(first);
    let message = format!("expected an Arrow IPC file or stream, found {found} at its start");
    FeedError::new(FeedErrorKind::Format, message)
}

impl Place {
    /// Reads the message again; `None` if it is not there any more.
    ///
    /// # Errors
    /// The message is invalid; an I/O error.
    pub(crate) fn read(&self, file: &OpenFile, limits: &Limits) -> Result<Option<StoredMessage>, FeedError> {
        let found = StoredMessage::read(file, self.offset, Some(self.body), self.end, limits)?;
        Ok(found.filter(|found| found.end() == self.end))
    }
}
