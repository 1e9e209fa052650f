//! A toy format of records: a length below 200, and as many bytes. A byte of 200 or more is not a record, and the next
//! record begins at the next `\n`, which ends every record. A record of `?` is not valid.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{BinaryArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrowfeed_source::format::records::{FramedFile, FramedFormat, Record, RecordReader, RowBuilder};
use arrowfeed_source::format::{FileFormat, FormatFile};
use arrowfeed_source::io::{ByteSource, FileEnds, FileSource, Opened};
use arrowfeed_source::run::{FileSet, Files};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, Limits};

#[derive(Debug, Clone)]
pub(crate) struct Toy {
    schema: SchemaRef,
    limits: Limits,
    chunk_bytes: u64,
}

#[derive(Debug)]
pub(crate) struct ToyReader {
    source: Arc<dyn ByteSource>,
    len: u64,
    record: Range<u64>,
    bytes: Vec<u8>,
}

#[derive(Debug)]
pub(crate) struct ToyRows {
    schema: SchemaRef,
    records: Vec<Vec<u8>>,
}

/// A set of files in which the records of `chunk_bytes` form a chunk.
pub(crate) fn set(files: &[Vec<u8>], chunk_bytes: u64) -> Arc<FileSet> {
    let field = Field::new("record", DataType::Binary, false);
    let schema = Arc::new(Schema::new(vec![field]));
    let format = Toy { schema, limits: Limits::default(), chunk_bytes };
    let sources = files.iter().enumerate();
    let sources = sources.map(|(i, bytes)| FileSource::bytes(bytes.clone()).with_name(format!("file {i}")));
    Arc::new(FileSet::new(Files::new(sources), Arc::new(format)))
}

/// The bytes of a record.
pub(crate) fn framed(content: &[u8]) -> Vec<u8> {
    [&[content.len() as u8], content, b"\n"].concat()
}

fn corrupt(message: &str) -> FeedError {
    FeedError::new(FeedErrorKind::CorruptBlock, message)
}

impl FileFormat for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn with_columns(&self, _: &[String]) -> Result<Arc<dyn FileFormat>, FeedError> {
        Ok(Arc::new(self.clone()))
    }

    fn open(&self, file: Opened, _: &Check<'_>) -> Result<Arc<dyn FormatFile>, FeedError> {
        let file = file.into_file()?;
        let fingerprint = FileEnds::read(&file)?.fingerprint();
        Ok(Arc::new(FramedFile::new(file, fingerprint, (), self.clone())))
    }
}

impl FramedFormat for Toy {
    type Compression = ();
    type Reader = ToyReader;
    type Rows = ToyRows;

    fn chunk_bytes(&self) -> u64 {
        self.chunk_bytes
    }

    fn reader(&self, file: &FramedFile<Self>) -> ToyReader {
        let (source, len) = (file.file().source().clone(), file.file().len());
        ToyReader { source, len, record: 0..0, bytes: Vec::new() }
    }

    fn rows(&self) -> ToyRows {
        ToyRows { schema: self.schema.clone(), records: Vec::new() }
    }
}

impl ToyReader {
    fn byte(&self, offset: u64) -> Result<Option<u8>, FeedError> {
        let mut byte = [0];
        let found = self.source.read_at(offset, &mut byte).map_err(FeedError::io)?;
        Ok((found > 0).then_some(byte[0]))
    }

    /// The end of the record at an offset; `None` if there is no record.
    fn end(&self, offset: u64) -> Result<Option<u64>, FeedError> {
        let Some(length) = self.byte(offset)?.filter(|length| *length < 200) else { return Ok(None) };
        let end = offset + u64::from(length) + 2;
        Ok((self.byte(end - 1)? == Some(b'\n')).then_some(end))
    }
}

impl RecordReader for ToyReader {
    const FINDS_AFTER_DAMAGE: bool = true;

    fn offset(&self) -> u64 {
        self.record.end
    }

    fn begin(&mut self, run: Range<u64>) {
        self.record = run.start..run.start;
    }

    fn advance(&mut self, _: &Check<'_>) -> Result<Option<Record>, FeedError> {
        let start = self.record.end;
        let end = self.end(start)?.ok_or_else(|| corrupt("expected a record"))?;
        self.record = start..end;
        Ok(Some(Record { bytes: (end - start) as usize, is_row: true }))
    }

    fn record(&mut self) -> Result<&[u8], FeedError> {
        self.bytes.resize((self.record.end - self.record.start - 2) as usize, 0);
        self.source.read_at(self.record.start + 1, &mut self.bytes).map_err(FeedError::io)?;
        Ok(&self.bytes)
    }

    /// A record has no `\n` in it, so that the byte after a `\n` starts a record.
    fn find(&mut self, from: u64, _: &Check<'_>) -> Result<Option<u64>, FeedError> {
        for offset in from..self.len {
            let is_start = offset == 0 || self.byte(offset - 1)? == Some(b'\n');
            if is_start && (offset == 0 || self.end(offset)?.is_some()) {
                return Ok(Some(offset));
            }
        }
        Ok(None)
    }
}

impl RowBuilder for ToyRows {
    fn push(&mut self, record: &[u8]) -> Result<(), FeedError> {
        if record == b"?" {
            return Err(corrupt("expected a valid record"));
        }
        self.records.push(record.to_vec());
        Ok(())
    }

    fn rows(&self) -> usize {
        self.records.len()
    }

    fn bytes(&self) -> usize {
        self.records.iter().map(Vec::len).sum()
    }

    fn finish(&mut self) -> Result<Option<RecordBatch>, FeedError> {
        let records = std::mem::take(&mut self.records);
        if records.is_empty() {
            return Ok(None);
        }
        let column = BinaryArray::from_iter_values(&records);
        Ok(Some(RecordBatch::try_new(self.schema.clone(), vec![Arc::new(column)]).expect("one column")))
    }
}
