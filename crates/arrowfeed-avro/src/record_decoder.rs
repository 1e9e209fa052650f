//! Decodes single records, without a file, into batches.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use arrowfeed_select::interleave_batches;
use arrowfeed_source::format::{LocatedBatch, column_difference};
use arrowfeed_source::run::{DEFAULT_BATCH_ROWS, check_batch_size};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, copy_error};

use crate::decode::batcher::{Batcher, OpenBlock};
use crate::locate::locate;
use crate::plan::{DecodePlan, selected_columns};
use crate::wire::cursor::Stop;
use crate::wire::padded::{Padded, SLACK};
use crate::{AvroOptions, AvroSchema, Framing};

/// Maximum number of writer's schemas of one decoder. Each has buffers for its columns.
const MAX_WRITERS: usize = 1024;

/// Lists and strings have 32-bit offsets, also where the rows of several writer's schemas are joined.
const MAX_BATCH_BYTES: usize = i32::MAX as usize;

/// Decodes records in Avro's binary encoding one after another, and returns them as RecordBatches.
///
/// Records may have several writer's schemas. All batches have the same Arrow schema: that of the reader schema
/// in the options, or else that of the first writer's schema. A plan is compiled once for each writer's schema.
///
/// A batch has at most 8,192 rows, or the number of [`set_batch_size`](Self::set_batch_size), and at most
/// [`max_batch_bytes`](AvroOptions::max_batch_bytes). Both apply to the rows of all writer's schemas together.
///
/// The calling thread decodes, and a record that cannot be decoded is an error of its own call; the decoder can continue
/// after it.
///
/// ```
/// use arrowfeed_avro::{AvroSchema, AvroOptions, RecordDecoder};
///
/// let schema = r#"{"type": "record", "name": "Row", "fields": [{"name": "id", "type": "long"}]}"#;
/// let mut decoder = RecordDecoder::new(&AvroSchema::parse(schema)?, AvroOptions::default())?;
/// decoder.decode(&[2])?;
/// decoder.decode(&[4])?;
/// assert_eq!(decoder.decode(&[2, 2]).unwrap_err().to_string(), "byte 1, record 2: expected the end of the record, found 1 more byte");
/// let batch = decoder.flush()?.expect("two rows");
/// assert_eq!(batch.num_rows(), 2);
/// assert!(decoder.flush()?.is_none());
/// # Ok::<(), arrowfeed_avro::FeedError>(())
/// ```
pub struct RecordDecoder {
    options: AvroOptions,
    schema: SchemaRef,
    writers: Vec<Writer>,
    /// The writer of each row since the last batch was closed.
    order: Vec<u32>,
    /// Maximum number of rows of a batch.
    batch_size: usize,
    /// Size of those rows, and the maximum size of a batch.
    bytes: usize,
    batch_bytes: usize,
    /// Full batches, the oldest first.
    closed: VecDeque<RecordBatch>,
    /// Number of records since the last flush, including those with an error.
    records: u64,
    /// The record and the padding after it.
    padded: Vec<u8>,
}

/// Identifier of a writer's schema in a [`RecordDecoder`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WriterId(u32);

struct Writer {
    schema: AvroSchema,
    plan: Arc<DecodePlan>,
    batcher: Batcher,
}

impl RecordDecoder {
    /// Creates a decoder for records of `writer`, the schema that [`decode`](Self::decode) uses.
    ///
    /// # Errors
    /// The schema cannot be resolved to the reader schema or converted to Arrow, or an option is invalid.
    pub fn new(writer: &AvroSchema, options: AvroOptions) -> Result<Self, FeedError> {
        let options = options.checked()?;
        if options.merge_schemas {
            let message = "expected a reader_schema for records without files, found merge_schemas";
            return Err(FeedError::new(FeedErrorKind::Options, message));
        }
        // Other writer's schemas need not have the excluded columns.
        let columns = selected_columns(writer, &options)?;
        let options = AvroOptions { columns, exclude: None, ..options };
        let first = Writer::new(writer, &options)?;
        Ok(Self {
            schema: first.plan.schema().clone(),
            writers: vec![first],
            order: Vec::new(),
            bytes: 0,
            batch_size: DEFAULT_BATCH_ROWS,
            batch_bytes: options.batch_bytes().min(MAX_BATCH_BYTES),
            closed: VecDeque::new(),
            records: 0,
            padded: Vec::new(),
            options,
        })
    }

    /// Sets the maximum number of rows of a batch.
    ///
    /// # Errors
    /// It is 0.
    pub fn set_batch_size(&mut self, rows: usize) -> Result<(), FeedError> {
        check_batch_size(Some(rows))?;
        self.batch_size = rows;
        Ok(())
    }

    /// Returns the schema that the batches of [`new`](Self::new) would have. If recursive columns cannot be
    /// read, returns the schema of the other columns, and the error about the recursive ones.
    ///
    /// # Errors
    /// Same as [`new`](Self::new).
    pub fn schema_of(
        writer: &AvroSchema,
        options: &AvroOptions,
    ) -> Result<(SchemaRef, Option<FeedError>), FeedError> {
        let (plan, recursion_error) = DecodePlan::compile_nonrecursive(writer, options)?;
        Ok((plan.schema().clone(), recursion_error))
    }

    /// Returns the schema of every batch.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the number of decoded rows that are not flushed yet.
    pub fn rows(&self) -> usize {
        self.closed.iter().map(RecordBatch::num_rows).sum::<usize>() + self.order.len()
    }

    /// Adds another writer's schema. Adding the same schema again returns the same identifier.
    ///
    /// # Errors
    /// The schema cannot be resolved to the reader schema, its columns differ from those of the first schema,
    /// or there are more than 1,024 schemas.
    pub fn add_writer(&mut self, schema: &AvroSchema) -> Result<WriterId, FeedError> {
        let id = match self.writers.iter().position(|writer| writer.schema == *schema) {
            Some(known) => known,
            None => {
                let writer = Writer::new(schema, &self.options)?;
                if *writer.plan.schema() != self.schema {
                    let difference = column_difference(&self.schema, writer.plan.schema());
                    let message = format!(
                        "expected a writer's schema with the columns of the first writer's schema: {difference}; \
                         set `reader_schema` to read both"
                    );
                    return Err(FeedError::new(FeedErrorKind::Schema, message));
                }
                if self.writers.len() >= MAX_WRITERS {
                    let message = "expected at most 1,024 writer's schemas, found more";
                    return Err(FeedError::new(FeedErrorKind::Options, message));
                }
                self.writers.push(writer);
                self.writers.len() - 1
            }
        };
        Ok(WriterId(id as u32))
    }

    /// Decodes a record of the first writer's schema. `record` must contain exactly one record.
    ///
    /// # Errors
    /// `record` is not valid, or has more bytes than one record. The error has the number of the record since the
    /// last flush and the byte offset in it. No row is added for the record.
    pub fn decode(&mut self, record: &[u8]) -> Result<(), FeedError> {
        self.decode_of(WriterId(0), record)
    }

    /// Decodes the record of a message, which identifies its writer's schema. `writers` has the known schemas
    /// by fingerprint or number; a bare message has the first writer's schema.
    ///
    /// # Errors
    /// Same as [`decode`](Self::decode), or the message has another framing or an unknown schema.
    pub fn decode_message(
        &mut self,
        framing: Framing,
        writers: &HashMap<u64, WriterId>,
        message: &[u8],
    ) -> Result<(), FeedError> {
        let found = framing.split(message).and_then(|(key, record)| match key {
            None => Ok((WriterId(0), record)),
            Some(key) => Ok((*writers.get(&key).ok_or_else(|| framing.unknown(key))?, record)),
        });
        match found {
            Ok((writer, record)) => self.decode_of(writer, record).map_err(|error| {
                let offset = error.location().offset.unwrap_or(0);
                error.with_offset(offset + framing.len() as u64)
            }),
            Err(error) => {
                self.records += 1;
                Err(error.with_record(self.records - 1))
            }
        }
    }

    /// Decodes a record of the schema `writer`.
    ///
    /// # Errors
    /// Same as [`decode`](Self::decode), or the identifier belongs to another decoder.
    pub fn decode_of(&mut self, writer: WriterId, record: &[u8]) -> Result<(), FeedError> {
        let number = self.records;
        self.records += 1;
        let Some(of) = self.writers.get_mut(writer.0 as usize) else {
            let message =
                "expected an identifier from `add_writer` of this decoder, found one of a different decoder";
            return Err(FeedError::new(FeedErrorKind::Options, message));
        };
        self.padded.clear();
        self.padded.extend_from_slice(record);
        self.padded.resize(record.len() + SLACK, 0);
        let payload = Padded::new(&self.padded, record.len()).expect("slack was added");
        let bytes = of.batcher.bytes();
        let decoded = of.decode(payload).map_err(|stop| {
            let (limits, check) = (&self.options.limits, Check::never());
            locate(&of.plan, limits, record, 1, stop, &check, "the record").with_record(number)
        });
        // Full batches, with or without the record.
        let full: Vec<LocatedBatch> = std::iter::from_fn(|| of.batcher.pop()).collect();
        let grown = match full[..] {
            [] => of.batcher.bytes().saturating_sub(bytes),
            // `close` ends the batches of all writers.
            _ => of.batcher.bytes(),
        };
        let mut left = usize::from(decoded.is_ok());
        for batch in full {
            let rows = self.order.iter().filter(|of| **of == writer.0).count();
            let has_record = batch.batch.num_rows() > rows;
            left = left.saturating_sub(usize::from(has_record));
            self.order.extend(has_record.then_some(writer.0));
            self.close(Some((writer.0, batch)))?;
        }
        self.order.extend((left > 0).then_some(writer.0));
        self.bytes += grown;
        if self.order.len() >= self.batch_size || self.bytes >= self.batch_bytes {
            self.close(None)?;
        }
        decoded
    }

    /// Returns the rows since the last flush as a batch, or the first of them, because a batch has at most
    /// `batch_size` rows and `max_batch_bytes` bytes. Returns `None` if there are no more rows.
    ///
    /// # Errors
    /// The rows of several writer's schemas are too large for one batch.
    pub fn flush(&mut self) -> Result<Option<RecordBatch>, FeedError> {
        self.records = 0;
        if self.closed.is_empty() && !self.order.is_empty() {
            self.close(None)?;
        }
        Ok(self.closed.pop_front())
    }

    /// Creates a batch of the rows in `order`. `full` is a batch that its writer has closed already.
    fn close(&mut self, mut full: Option<(u32, LocatedBatch)>) -> Result<(), FeedError> {
        let order = std::mem::take(&mut self.order);
        self.bytes = 0;
        let mut batches = Vec::with_capacity(self.writers.len());
        for (id, writer) in self.writers.iter_mut().enumerate() {
            batches.push(match full.take_if(|(of, _)| *of as usize == id) {
                Some((_, full)) => Some(full.batch),
                None => writer.finish()?,
            });
        }
        let used: Vec<&RecordBatch> = batches.iter().flatten().collect();
        let batch = match used[..] {
            [] => return Ok(()),
            [only] => only.clone(),
            _ => interleaved(&batches, &order).map_err(|error| {
                let message = format!("rows of several writer's schemas do not fit one batch: {error}");
                copy_error(error, || FeedError::new(FeedErrorKind::Conversion, message))
            })?,
        };
        self.closed.push_back(batch);
        Ok(())
    }
}

/// Joins the rows of several writers in their original order.
fn interleaved(batches: &[Option<RecordBatch>], order: &[u32]) -> Result<RecordBatch, ArrowError> {
    let mut place = vec![0; batches.len()];
    let mut used = Vec::new();
    for (batch, place) in batches.iter().zip(&mut place) {
        *place = used.len();
        used.extend(batch.as_ref());
    }
    let mut next = vec![0_usize; batches.len()];
    let slots: Vec<(usize, usize)> = order
        .iter()
        .map(|&writer| {
            let (writer, row) = (writer as usize, next[writer as usize]);
            next[writer] += 1;
            (place[writer], row)
        })
        .collect();
    interleave_batches(&used, &slots)
}

impl Writer {
    fn new(schema: &AvroSchema, options: &AvroOptions) -> Result<Self, FeedError> {
        let plan = Arc::new(DecodePlan::compile(schema, options)?);
        // Batches end by the number of rows of all writers together.
        let batcher = Batcher::new(plan.clone(), None, options);
        Ok(Self { schema: schema.clone(), plan, batcher })
    }

    /// Decodes one record.
    fn decode(&mut self, payload: Padded<'_>) -> Result<(), Stop> {
        let check = Check::never();
        let record = OpenBlock::new((0, 0), 1, 0, 1);
        self.batcher.begin(record, payload, &check)?;
        while self.batcher.in_block() {
            self.batcher.step(payload, &check)?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Option<RecordBatch>, FeedError> {
        let internal =
            |_| FeedError::new(FeedErrorKind::Internal, "rows that passed the checks cannot form a batch");
        self.batcher.finish().map_err(internal)?;
        Ok(self.batcher.pop().map(|located| located.batch))
    }
}

impl fmt::Debug for RecordDecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordDecoder")
            .field("schema", &self.schema)
            .field("writers", &self.writers.len())
            .field("rows", &self.rows())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use arrowfeed_source::caught;

    use super::*;
    use crate::memory::exhaustion;

    const SCHEMA: &str = r#"{"type": "record", "name": "R", "fields": [
        {"name": "id", "type": {"type": "fixed", "name": "F", "size": 40}},
        {"name": "text", "type": "string"},
        {"name": "items", "type": {"type": "array", "items": "string"}},
        {"name": "inner", "type": ["null", {"type": "record", "name": "I", "fields": [
            {"name": "text", "type": "string"}, {"name": "id", "type": "F"}]}]},
        {"name": "union", "type": ["null", "string", "F"]}]}"#;

    fn text(byte: u8, len: usize) -> Vec<u8> {
        // A length of at most 8,191, as a varint of two bytes.
        let length = (len as u16) << 1;
        [vec![length as u8 | 0x80, (length >> 7) as u8], vec![byte; len]].concat()
    }

    /// Encodes the record of a row, which needs more memory than the rows before it.
    fn record(row: u8) -> Vec<u8> {
        let (byte, len) = (b'a' + row, 30 * usize::from(row) * usize::from(row));
        let id = vec![byte; 40];
        let items = [vec![4], text(byte, len / 2), text(byte, 3), vec![0]].concat();
        let inner =
            if row.is_multiple_of(3) { vec![0] } else { [vec![2], text(byte, len), id.clone()].concat() };
        let union = match row % 3 {
            0 => vec![0],
            1 => [vec![2], text(byte, len)].concat(),
            _ => [vec![4], id.clone()].concat(),
        };
        [id, text(byte, len), items, inner, union].concat()
    }

    fn decoder() -> RecordDecoder {
        RecordDecoder::new(&AvroSchema::parse(SCHEMA).unwrap(), AvroOptions::default()).unwrap()
    }

    /// Decodes the rows, and returns those that did not fail.
    fn decode(decoder: &mut RecordDecoder, rows: impl IntoIterator<Item = u8>) -> Vec<u8> {
        rows.into_iter().filter(|row| caught(|| decoder.decode(&record(*row))).is_ok()).collect()
    }

    /// Every allocation of a column fails once: the record that needed it is missing, and no other row changes.
    #[test]
    fn a_decoder_continues_after_memory_was_exhausted() {
        for before in 0.. {
            let mut tried = decoder();
            exhaustion::fail_after(before);
            let mut rows = decode(&mut tried, 0..12);
            let flushed = caught(|| tried.flush());
            let none_failed = exhaustion::disarm();
            let batches = match flushed {
                Ok(batch) => vec![batch.unwrap()],
                // The rows are lost, and the error says so.
                Err(_) => {
                    rows.clear();
                    Vec::new()
                }
            };
            assert_eq!(rows.len() == 12, none_failed, "allocation {before}");
            let later = decode(&mut tried, 3..9);
            assert_eq!(later.len(), 6);
            let damaged = [record(1)[..41].to_vec(), vec![2, 0xff, 0, 0, 0]].concat();
            assert!(tried.decode(&damaged).is_err(), "text is checked");
            let later_batch = tried.flush().unwrap().unwrap();

            let mut plain = decoder();
            for (batch, rows) in
                batches.iter().chain([&later_batch]).zip([&rows, &later].into_iter().skip(1 - batches.len()))
            {
                assert_eq!(&decode(&mut plain, rows.iter().copied()), rows);
                assert_eq!(plain.flush().unwrap().as_ref(), Some(batch), "allocation {before}");
            }
            if none_failed {
                assert!(before > 20, "the test has allocations that fail");
                return;
            }
        }
    }
}
