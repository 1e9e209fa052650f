//! TFRecord as a format of files: options, schema and columns.

use std::ops::Range;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use arrowfeed_source::format::{FileFormat, FormatFile, named_columns};
use arrowfeed_source::io::{FileEnds, FileSource, Opened};
use arrowfeed_source::run::{FileSet, Files};
use arrowfeed_source::{Check, FeedError, FeedErrorKind, ForkLock, Interrupt, Limits};

use super::inferred;
use super::record_file::RecordFile;
use super::rows::{Records, Rows, raw_schema};
use crate::Encoding;
use crate::example::{ExampleDecoder, Feature, Unlisted};
use crate::sequence_example::{SequenceExampleDecoder, SequenceFeatures};

/// What the records of files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordKind {
    /// Bytes: a column of `large_binary` that has this name.
    Raw {
        /// The name of the column.
        column: String,
    },
    /// Messages of `tf.Example`.
    Example {
        /// The features that become columns, in their order. `None`: those of all records, in the order of their names.
        features: Option<Vec<Feature>>,
        /// Where `features` is `None`: records of the files that are looked at for the features, from the first one on. `None`:
        /// all. A feature that none of them has is left out.
        sample: Option<u64>,
    },
    /// Messages of `tf.SequenceExample`.
    SequenceExample {
        /// As of `Example`; those that are found have the struct [`SEQUENCE_COLUMN`](crate::sequence_example::SEQUENCE_COLUMN).
        features: Option<SequenceFeatures>,
        /// As of `Example`.
        sample: Option<u64>,
    },
}

/// How files of TFRecord are read.
#[derive(Debug, Clone)]
pub struct RecordOptions {
    /// What the records are.
    pub kind: RecordKind,
    /// Names of features to read, in the order of the columns. What is not read is stepped over, unparsed. `None`: all.
    pub columns: Option<Vec<String>>,
    /// The Arrow types of features. Records that are [`Raw`](RecordKind::Raw) have none.
    pub encoding: Encoding,
    /// Bytes of a file whose records are a chunk, at least 1. A shuffle takes chunks as a whole, so that small ones mix better; an
    /// index has 32 bytes for each. Default 256 KiB.
    pub chunk_bytes: u64,
    /// `decoded_block_bytes` bounds a record, `batch_bytes` a batch.
    pub limits: Limits,
}

impl RecordOptions {
    /// Options of all columns of such records.
    pub fn new(kind: RecordKind) -> Self {
        let (encoding, limits) = (Encoding::default(), Limits::default());
        Self { kind, columns: None, encoding, chunk_bytes: 256 << 10, limits }
    }
}

/// Files of TFRecord whose records are of one kind.
#[derive(Debug, Clone)]
pub struct RecordFormat {
    plan: Plan,
    /// Of the batches that are decoded, in the order of their columns.
    decoded: SchemaRef,
    encoding: Encoding,
    /// Of the batches in their encoding.
    schema: SchemaRef,
    chunk_bytes: u64,
    limits: Limits,
    /// Rows that no decoder fills: their memory has the size of a batch.
    idle: Arc<ForkLock<Vec<Rows>>>,
}

/// What becomes of a record.
#[derive(Debug, Clone)]
enum Plan {
    Raw,
    Example {
        /// Those of the files.
        whole: Arc<[Feature]>,
        /// Those that are read.
        columns: Arc<[Feature]>,
        unlisted: Unlisted,
    },
    SequenceExample {
        /// Those of the files.
        whole: Arc<SequenceFeatures>,
        /// Those that are read.
        columns: Arc<SequenceFeatures>,
        unlisted: Unlisted,
    },
}

impl RecordFormat {
    /// Opens the first file that can be opened. Where features are not given, reads records of the files for them.
    /// `interrupt` is asked before each file is opened, and while records are read.
    ///
    /// # Errors
    /// A source is a stream; there is no file; no file can be opened; a column is not there; two features have one name.
    /// Where features are not given: a record cannot be read, a feature has values of two kinds, or none has any; the caller
    /// wants to stop.
    pub fn files(
        sources: impl IntoIterator<Item = FileSource>,
        options: RecordOptions,
        interrupt: Option<&Interrupt>,
    ) -> Result<FileSet, FeedError> {
        let RecordOptions { kind, columns, encoding, chunk_bytes, limits } = options;
        if chunk_bytes == 0 {
            let message = "expected a chunk_bytes of 1 or more, found 0";
            return Err(FeedError::new(FeedErrorKind::Options, message));
        }
        let files = Files::new(sources);
        let column = if let RecordKind::Raw { column } = &kind { column } else { "record" };
        let decoded = raw_schema(column);
        let raw = Self {
            plan: Plan::Raw,
            schema: decoded.clone(),
            decoded,
            encoding,
            chunk_bytes,
            limits,
            idle: Arc::default(),
        };
        files.first_stored(&Check::of(interrupt), |opened| RecordFile::open(opened, raw.clone()))?;
        let records = || FileSet::new(files.clone(), Arc::new(raw.clone()));
        let format = match kind {
            RecordKind::Raw { .. } => raw,
            RecordKind::Example { features, sample } => {
                let features = match features {
                    Some(features) => features,
                    None => inferred::features(records(), sample, interrupt)?,
                };
                raw.of_examples(features.into())?
            }
            RecordKind::SequenceExample { features, sample } => {
                let features = match features {
                    Some(features) => features,
                    None => inferred::sequence_features(records(), sample, interrupt)?,
                };
                raw.of_sequence_examples(features.into())?
            }
        };
        let set = FileSet::new(files, Arc::new(format));
        match columns {
            Some(columns) => set.with_columns(&columns),
            None => Ok(set),
        }
    }

    /// The same files with records that are messages of `tf.Example`.
    fn of_examples(self, whole: Arc<[Feature]>) -> Result<Self, FeedError> {
        let decoded = ExampleDecoder::new(&whole, Unlisted::Check)?.schema().clone();
        let plan = Plan::Example { columns: whole.clone(), whole, unlisted: Unlisted::Check };
        Ok(self.with(plan, decoded))
    }

    /// The same files with records that are messages of `tf.SequenceExample`.
    fn of_sequence_examples(self, whole: Arc<SequenceFeatures>) -> Result<Self, FeedError> {
        let decoded = SequenceExampleDecoder::new(&whole, Unlisted::Check)?.schema().clone();
        let plan = Plan::SequenceExample { columns: whole.clone(), whole, unlisted: Unlisted::Check };
        Ok(self.with(plan, decoded))
    }

    /// The same with other columns of messages.
    fn with(self, plan: Plan, decoded: SchemaRef) -> Self {
        Self { plan, schema: self.encoding.schema(&decoded), decoded, idle: Arc::default(), ..self }
    }

    pub(super) fn encoding(&self) -> Encoding {
        self.encoding
    }

    pub(super) fn chunk_bytes(&self) -> u64 {
        self.chunk_bytes
    }

    /// Rows of a batch that are to be filled.
    pub(super) fn rows(&self) -> Rows {
        self.idle.try_with(Vec::pop).flatten().unwrap_or_else(|| self.new_rows())
    }

    /// Rows that a decoder has filled, and handed out to the last one.
    pub(super) fn give_back(&self, rows: Rows) {
        self.idle.try_with(|idle| idle.push(rows));
    }

    fn new_rows(&self) -> Rows {
        match &self.plan {
            Plan::Raw => Rows::Raw(Records::new(self.decoded.clone())),
            Plan::Example { columns, unlisted, .. } => {
                // The names were checked when the format was made.
                let decoder = ExampleDecoder::new(columns, *unlisted).expect("features with different names");
                Rows::Example(decoder)
            }
            Plan::SequenceExample { columns, unlisted, .. } => {
                // As above.
                let decoder =
                    SequenceExampleDecoder::new(columns, *unlisted).expect("features with different names");
                Rows::SequenceExample(Box::new(decoder), self.decoded.clone())
            }
        }
    }
}

impl FileFormat for RecordFormat {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn opening_ranges(&self, len: Option<u64>) -> Vec<Range<u64>> {
        FileEnds::opening_ranges(len)
    }

    fn with_columns(&self, columns: &[String]) -> Result<Arc<dyn FileFormat>, FeedError> {
        let (plan, decoded) = match &self.plan {
            Plan::Raw => {
                let numbers = named_columns(&self.schema, columns)?;
                if numbers.is_empty() {
                    let message = "expected the column of the records, found no column";
                    return Err(FeedError::new(FeedErrorKind::Options, message));
                }
                return Ok(Arc::new(self.clone()));
            }
            Plan::Example { whole, .. } => {
                let all = ExampleDecoder::new(whole, Unlisted::Check)?;
                let numbers = named_columns(all.schema(), columns)?;
                let decoded = Arc::new(all.schema().project(&numbers).map_err(|error| {
                    FeedError::new(FeedErrorKind::Internal, "expected columns of the schema")
                        .with_source(error)
                })?);
                let columns = numbers.iter().map(|number| whole[*number].clone()).collect();
                (Plan::Example { whole: whole.clone(), columns, unlisted: Unlisted::Skip }, decoded)
            }
            Plan::SequenceExample { whole, .. } => {
                let (columns, decoded) = whole.select(columns)?;
                let (whole, columns) = (whole.clone(), Arc::new(columns));
                (Plan::SequenceExample { whole, columns, unlisted: Unlisted::Skip }, decoded)
            }
        };
        Ok(Arc::new(self.clone().with(plan, decoded)))
    }

    fn open(&self, file: Opened, _check: &Check<'_>) -> Result<Arc<dyn FormatFile>, FeedError> {
        Ok(Arc::new(RecordFile::open(file, self.clone())?))
    }
}
