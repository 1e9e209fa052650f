//! A toy format: each row is a line of text behind `toy:`.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrowfeed_source::format::records::{FramedFile, FramedFormat, Record, RecordReader, RowBuilder};
use arrowfeed_source::format::{FileFormat, FormatFile, project};
use arrowfeed_source::io::{ByteSource, FileEnds, FileSource, Opened};
use arrowfeed_source::run::{FileSet, Files};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, Interrupt, Limits};

const PREFIX: &[u8] = b"toy:";

/// Options of the format.
#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct ToyOptions {
    /// Columns to read. `None`: all.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub columns: Option<Vec<String>>,
    /// Columns not to read.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub exclude: Option<Vec<String>>,
    /// Whether texts are in upper case. Default false.
    pub upper: bool,
    /// See [`Limits`].
    #[cfg_attr(feature = "serde", serde(skip))]
    pub limits: Limits,
}

/// Files of the format.
#[derive(Debug, Clone)]
pub struct ToyFormat {
    schema: SchemaRef,
    columns: Vec<usize>,
    upper: bool,
    limits: Limits,
}

/// The reader of the lines of a file.
#[derive(Debug)]
pub struct ToyReader {
    source: Arc<dyn ByteSource>,
    len: u64,
    record: Range<u64>,
    bytes: Vec<u8>,
}

/// The rows of a batch.
#[derive(Debug)]
pub struct ToyRows {
    format: ToyFormat,
    texts: Vec<String>,
}

fn all() -> Schema {
    Schema::new(vec![
        Field::new("text", DataType::Utf8, false),
        Field::new("length", DataType::Int64, false),
    ])
}

impl ToyFormat {
    /// Files that can be read repeatedly.
    ///
    /// # Errors
    /// No file can be opened, or a column does not exist.
    pub fn files(
        sources: Vec<FileSource>,
        options: ToyOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<FileSet, FeedError> {
        let ToyOptions { columns, exclude, upper, limits } = options;
        let format = Self { schema: Arc::new(all()), columns: vec![0, 1], upper, limits };
        let (files, check) = (Files::new(sources), Check::of(interrupt));
        files.first_stored(&check, |opened| format.open(opened, &check))?;
        FileSet::new(files, Arc::new(format)).selecting(columns.as_deref(), exclude.as_deref())
    }
}

impl FileFormat for ToyFormat {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn with_columns(&self, columns: &[String]) -> Result<Arc<dyn FileFormat>, FeedError> {
        let (schema, columns) = project(&all(), columns)?;
        Ok(Arc::new(Self { schema, columns, ..self.clone() }))
    }

    fn all_columns(&self) -> Result<SchemaRef, FeedError> {
        Ok(Arc::new(all()))
    }

    fn open(&self, file: Opened, check: &Check<'_>) -> Result<Arc<dyn FormatFile>, FeedError> {
        let file = file.into_file()?;
        let fingerprint = FileEnds::read(&file)?.fingerprint();
        let opened = FramedFile::new(file, fingerprint, (), self.clone());
        let mut reader = self.reader(&opened);
        match reader.advance(check) {
            Err(error) if error.kind() == FeedErrorKind::CorruptBlock => {
                let message = "expected a toy file, which begins with \"toy:\", found other bytes";
                Err(FeedError::new(FeedErrorKind::Format, message).in_file(opened.file().name()))
            }
            first => first.map(|_| Arc::new(opened) as _),
        }
    }
}

impl FramedFormat for ToyFormat {
    type Compression = ();
    type Reader = ToyReader;
    type Rows = ToyRows;

    fn chunk_bytes(&self) -> u64 {
        256 << 10
    }

    fn reader(&self, file: &FramedFile<Self>) -> ToyReader {
        let (source, len) = (file.file().source().clone(), file.file().len());
        ToyReader { source, len, record: 0..0, bytes: Vec::new() }
    }

    fn rows(&self) -> ToyRows {
        ToyRows { format: self.clone(), texts: Vec::new() }
    }
}

impl ToyReader {
    /// The offset behind the line that holds a byte.
    fn line_end(&self, from: u64) -> Result<u64, FeedError> {
        let (mut offset, mut bytes) = (from, [0; 256]);
        loop {
            let found = self.source.read_at(offset, &mut bytes).map_err(FeedError::io)?;
            match bytes[..found].iter().position(|byte| *byte == b'\n') {
                Some(at) => return Ok(offset + at as u64 + 1),
                None if found == 0 => return Ok(self.len),
                None => offset += found as u64,
            }
        }
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
        if start >= self.len {
            return Ok(None);
        }
        let end = self.line_end(start)?;
        let mut prefix = [0; PREFIX.len()];
        let found = self.source.read_at(start, &mut prefix).map_err(FeedError::io)?;
        if &prefix[..found] != PREFIX {
            return Err(FeedError::new(FeedErrorKind::CorruptBlock, "expected \"toy:\""));
        }
        self.record = start..end;
        Ok(Some(Record { bytes: (end - start) as usize, is_row: true }))
    }

    fn record(&mut self) -> Result<&[u8], FeedError> {
        let start = self.record.start + PREFIX.len() as u64;
        self.bytes.resize((self.record.end - start) as usize, 0);
        self.source.read_at(start, &mut self.bytes).map_err(FeedError::io)?;
        Ok(self.bytes.strip_suffix(b"\n").unwrap_or(&self.bytes))
    }

    fn find(&mut self, from: u64, _: &Check<'_>) -> Result<Option<u64>, FeedError> {
        let found = if from == 0 { 0 } else { self.line_end(from - 1)? };
        Ok((found < self.len).then_some(found))
    }
}

impl RowBuilder for ToyRows {
    fn push(&mut self, record: &[u8]) -> Result<(), FeedError> {
        let text = std::str::from_utf8(record)
            .map_err(|_| FeedError::new(FeedErrorKind::CorruptBlock, "expected UTF-8"))?;
        self.texts.push(if self.format.upper { text.to_uppercase() } else { text.to_owned() });
        Ok(())
    }

    fn rows(&self) -> usize {
        self.texts.len()
    }

    fn bytes(&self) -> usize {
        self.texts.iter().map(|text| text.len() + 16).sum()
    }

    fn finish(&mut self) -> Result<Option<RecordBatch>, FeedError> {
        let texts = std::mem::take(&mut self.texts);
        if texts.is_empty() {
            return Ok(None);
        }
        let lengths = Int64Array::from_iter_values(texts.iter().map(|text| text.len() as i64));
        let columns: [ArrayRef; 2] = [Arc::new(StringArray::from(texts)), Arc::new(lengths)];
        let columns = self.format.columns.iter().map(|column| columns[*column].clone()).collect();
        Ok(Some(RecordBatch::try_new(self.format.schema.clone(), columns).expect("the columns of the schema")))
    }
}
