//! TFRecord as a file format: options, schema, columns, and opening of a file.

use std::io::BufReader;
use std::ops::Range;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use arrowfeed_source::format::records::{FramedFile, FramedFormat};
use arrowfeed_source::format::{FileFormat, FormatFile, project};
use arrowfeed_source::io::{
    FileEnds, FileSource, OpenFile, Opened, SequentialReader, unsupported_compression,
};
use arrowfeed_source::run::{FileSet, Files};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, ForkLock, Interrupt, Limits, hex};

use super::frames::Frames;
use super::inferred;
use super::options::{RecordKind, RecordOptions};
use super::reader::FrameReader;
use super::rows::{RawRecords, RecordColumns, RecordRows, raw_schema};
use crate::example::{ExampleDecoder, Feature, UnknownFeatures};
use crate::frame::{self, HEADER};
use crate::sequence_example::{SequenceExampleDecoder, SequenceFeatures};
use crate::{Compression, FeatureEncoding, Records};

/// Bytes per read when records are decoded.
const READ_BYTES: usize = 512 << 10;

/// Bytes per read of a scan. Only the header of a long record is needed.
const SCAN_BYTES: usize = 64 << 10;

/// Compressed bytes per read.
const COMPRESSED_READ_BYTES: usize = 128 << 10;

/// The format of TFRecord files whose records are all of one kind.
///
/// ```
/// use arrowfeed_source::io::FileSource;
/// use arrowfeed_source::run::ReadOptions;
/// use arrowfeed_tfrecord::{Compression, RecordFormat, RecordKind, RecordOptions, RecordWriter};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut writer = RecordWriter::new(Vec::new(), Compression::None);
/// writer.write(b"first")?;
/// let file = FileSource::bytes(writer.finish()?);
/// let options = RecordOptions::new(RecordKind::Raw { column: "record".to_owned() });
/// let files = RecordFormat::files([file], options, None)?;
/// let mut rows = 0;
/// for batch in files.read_files(ReadOptions::default())? {
///     rows += batch?.num_rows();
/// }
/// assert_eq!(rows, 1);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct RecordFormat {
    plan: RecordDecoding,
    /// Schema of the decoded batches before they are encoded.
    decoded: SchemaRef,
    encoding: FeatureEncoding,
    /// Schema of the encoded batches.
    schema: SchemaRef,
    chunk_bytes: u64,
    limits: Limits,
    /// Pool of row buffers that no decoder uses. Each has the capacity of a batch.
    idle: Arc<ForkLock<Vec<RecordRows>>>,
}

/// The decoding of a record.
#[derive(Debug, Clone)]
enum RecordDecoding {
    Raw {
        /// The column of the records, whether it is read or not.
        whole: SchemaRef,
    },
    Example {
        /// All features of the files.
        whole: Arc<[Feature]>,
        /// The features that are read.
        columns: Arc<[Feature]>,
        unknown: UnknownFeatures,
    },
    SequenceExample {
        /// All features of the files.
        whole: Arc<SequenceFeatures>,
        /// The features that are read.
        columns: Arc<SequenceFeatures>,
        unknown: UnknownFeatures,
    },
}

impl RecordFormat {
    /// Opens the first file that can be opened. Infers the features from records of the files if the options have none.
    /// `interrupt` is called before each file is opened, and while records are read.
    ///
    /// # Errors
    /// A source is a stream; there is no file; no file can be opened; a column does not exist; two features have the same
    /// name; the caller cancels. If features are inferred: a record cannot be read, a feature has values of two kinds, or no
    /// record has a feature.
    pub fn files(
        sources: impl IntoIterator<Item: Into<FileSource>>,
        options: RecordOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<FileSet, FeedError> {
        let RecordOptions { kind, columns, exclude, encoding, chunk_bytes, limits } = options;
        if chunk_bytes == 0 {
            let message = "expected a chunk_bytes of 1 or more, found 0";
            return Err(FeedError::new(FeedErrorKind::Options, message));
        }
        let files = Files::new(sources);
        let column = if let RecordKind::Raw { column } = &kind { column } else { "record" };
        let decoded = raw_schema(column);
        let raw = Self {
            plan: RecordDecoding::Raw { whole: decoded.clone() },
            schema: decoded.clone(),
            decoded: decoded.clone(),
            encoding: FeatureEncoding::default(),
            chunk_bytes,
            limits,
            idle: Arc::default(),
        };
        files.first_stored(&Check::of(interrupt), |opened| raw.open_file(opened))?;
        // Inference reads the records as they are, whatever encoding the columns get.
        let records = || FileSet::new(files.clone(), Arc::new(raw.clone()));
        let encoded = Self { encoding, ..raw.clone() };
        let format = match kind {
            RecordKind::Raw { .. } => encoded.with(raw.plan.clone(), decoded),
            RecordKind::Example { features, sample } => {
                let features = match features {
                    Some(features) => features,
                    None => inferred::features(records(), sample, interrupt)?,
                };
                encoded.of_examples(features.into())?
            }
            RecordKind::SequenceExample { features, sample } => {
                let features = match features {
                    Some(features) => features,
                    None => inferred::sequence_features(records(), sample, interrupt)?,
                };
                encoded.of_sequence_examples(features.into())?
            }
        };
        FileSet::new(files, Arc::new(format)).selecting(columns.as_deref(), exclude.as_deref())
    }

    /// Returns the format with records that are `tf.Example` messages.
    fn of_examples(self, whole: Arc<[Feature]>) -> Result<Self, FeedError> {
        let decoded = ExampleDecoder::new(&whole, UnknownFeatures::Check)?.schema().clone();
        let plan = RecordDecoding::Example { columns: whole.clone(), whole, unknown: UnknownFeatures::Check };
        Ok(self.with(plan, decoded))
    }

    /// Returns the format with records that are `tf.SequenceExample` messages.
    fn of_sequence_examples(self, whole: Arc<SequenceFeatures>) -> Result<Self, FeedError> {
        let decoded = SequenceExampleDecoder::new(&whole, UnknownFeatures::Check)?.schema().clone();
        let plan = RecordDecoding::SequenceExample {
            columns: whole.clone(),
            whole,
            unknown: UnknownFeatures::Check,
        };
        Ok(self.with(plan, decoded))
    }

    /// Returns the format with other columns.
    fn with(self, plan: RecordDecoding, decoded: SchemaRef) -> Self {
        Self { plan, schema: self.encoding.schema(&decoded), decoded, idle: Arc::default(), ..self }
    }

    /// Opens a file: reads both of its ends and detects its compression.
    ///
    /// # Errors
    /// The file is a stream, or does not start with a record; its compression is not compiled in; it has changed; the system
    /// reports an error.
    fn open_file(&self, opened: Opened) -> Result<FramedFile<Self>, FeedError> {
        let name = opened.name().clone();
        self.open_stored(opened.into_file()?).map_err(|error| error.in_file(&name))
    }

    fn open_stored(&self, file: OpenFile) -> Result<FramedFile<Self>, FeedError> {
        // The end of the file contains the checksum of the last record, so the fingerprint depends on that record.
        let ends = FileEnds::read(&file)?;
        let (fingerprint, start) = (ends.fingerprint(), ends.start);
        file.check_fingerprint(&fingerprint)?;
        let compression = Compression::of(&start);
        compression.check_compiled()?;
        if compression == Compression::None
            && start.first_chunk::<HEADER>().is_some_and(|it| !frame::is_header(it))
        {
            let found = match unsupported_compression(&start) {
                Some(compression) => format!("a file compressed with {compression}"),
                None => format!("the bytes {}", hex(&start[..HEADER])),
            };
            let message = format!(
                "expected a TFRecord file, uncompressed or compressed with gzip or zlib, found {found}"
            );
            return Err(FeedError::new(FeedErrorKind::Format, message));
        }
        Ok(FramedFile::new(file, fingerprint, compression, self.clone()))
    }

    /// A reader that reads at least `read_bytes` at a time in an uncompressed file.
    fn frame_reader(&self, file: &FramedFile<Self>, read_bytes: usize) -> FrameReader {
        let source = file.file().source().clone();
        if file.compression() == Compression::None {
            let frames = Frames::new(source, file.file().len(), read_bytes);
            return FrameReader::plain(frames, self.limits.clone());
        }
        let bytes = BufReader::with_capacity(COMPRESSED_READ_BYTES, SequentialReader::new(source, 0));
        FrameReader::Compressed(Box::new(Records::new(bytes, file.compression(), self.limits.clone())))
    }

    fn new_columns(&self) -> RecordColumns {
        match &self.plan {
            RecordDecoding::Raw { .. } => RecordColumns::Raw(RawRecords::new(self.decoded.clone())),
            RecordDecoding::Example { columns, unknown, .. } => {
                // The names were checked when the format was made.
                let decoder = ExampleDecoder::new(columns, *unknown).expect("features with different names");
                RecordColumns::Example(decoder)
            }
            RecordDecoding::SequenceExample { columns, unknown, .. } => {
                // As above.
                let decoder =
                    SequenceExampleDecoder::new(columns, *unknown).expect("features with different names");
                RecordColumns::SequenceExample(Box::new(decoder), self.decoded.clone())
            }
        }
    }
}

impl FileFormat for RecordFormat {
    fn name(&self) -> &'static str {
        match &self.plan {
            RecordDecoding::Raw { .. } => "tfrecord-raw",
            RecordDecoding::Example { .. } => "tfrecord",
            RecordDecoding::SequenceExample { .. } => "tfrecord-sequence",
        }
    }

    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn lists_hold_one_value(&self) -> bool {
        !matches!(self.plan, RecordDecoding::Raw { .. })
    }

    fn opening_ranges(&self, len: Option<u64>) -> Vec<Range<u64>> {
        FileEnds::opening_ranges(len)
    }

    fn all_columns(&self) -> Result<SchemaRef, FeedError> {
        let all = match &self.plan {
            RecordDecoding::Raw { whole } => self.clone().with(self.plan.clone(), whole.clone()),
            RecordDecoding::Example { whole, .. } => self.clone().of_examples(whole.clone())?,
            RecordDecoding::SequenceExample { whole, .. } => {
                self.clone().of_sequence_examples(whole.clone())?
            }
        };
        Ok(all.schema)
    }

    fn with_columns(&self, columns: &[String]) -> Result<Arc<dyn FileFormat>, FeedError> {
        let (plan, decoded) = match &self.plan {
            RecordDecoding::Raw { whole } => {
                let (decoded, _) = project(whole, columns)?;
                (self.plan.clone(), decoded)
            }
            RecordDecoding::Example { whole, .. } => {
                let all = ExampleDecoder::new(whole, UnknownFeatures::Check)?;
                let (decoded, numbers) = project(all.schema(), columns)?;
                let columns = numbers.iter().map(|number| whole[*number].clone()).collect();
                (
                    RecordDecoding::Example { whole: whole.clone(), columns, unknown: UnknownFeatures::Skip },
                    decoded,
                )
            }
            RecordDecoding::SequenceExample { whole, .. } => {
                let (columns, decoded) = whole.select(columns)?;
                let (whole, columns) = (whole.clone(), Arc::new(columns));
                (RecordDecoding::SequenceExample { whole, columns, unknown: UnknownFeatures::Skip }, decoded)
            }
        };
        Ok(Arc::new(self.clone().with(plan, decoded)))
    }

    fn open(&self, file: Opened, _check: &Check<'_>) -> Result<Arc<dyn FormatFile>, FeedError> {
        Ok(Arc::new(self.open_file(file)?))
    }
}

impl FramedFormat for RecordFormat {
    type Compression = Compression;
    type Reader = FrameReader;
    type Rows = RecordRows;

    fn chunk_bytes(&self) -> u64 {
        self.chunk_bytes
    }

    fn batch_bytes(&self) -> usize {
        self.encoding.batch_bytes(self.limits.batch_bytes)
    }

    fn reader(&self, file: &FramedFile<Self>) -> FrameReader {
        self.frame_reader(file, READ_BYTES)
    }

    fn scanner(&self, file: &FramedFile<Self>) -> FrameReader {
        self.frame_reader(file, SCAN_BYTES)
    }

    fn rows(&self) -> RecordRows {
        let idle = self.idle.try_with(Vec::pop).flatten();
        idle.unwrap_or_else(|| RecordRows::new(self.new_columns(), self.encoding))
    }

    fn give_back(&self, rows: RecordRows) {
        self.idle.try_with(|idle| idle.push(rows));
    }
}
