//! Random cases, reading of their batches, and the number of cases.

use std::fmt;
use std::num::NonZeroUsize;

use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema as ArrowSchema};
use arrowfeed_avro::{
    AvroFormat, AvroOptions, Codec, FeedError, FileReader, FileSet, FileSource, RangeOptions, ReadOptions,
    StringType,
};
use proptest::prelude::*;
use proptest::test_runner::Config;

use crate::random_config;

use super::batches;
use super::file::{AvroFile, CODECS};
use super::mapping::Mapping;
use super::rows::Rows;
use super::schema::Schema;
use super::shapes::{Kinds, schema_json};
use super::value::{Seed, Value};

/// A file, its content, and the options to read it with.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) schema: Schema,
    pub(crate) rows: Vec<Value>,
    pub(crate) file: AvroFile,
    pub(crate) batch_size: usize,
    pub(crate) strings: StringType,
    /// For random choices of a test itself.
    pub(crate) seed: Seed,
}

/// Enough to see and to reproduce a case: the rest follows from the seed.
impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "schema: {}", self.file.schema)?;
        let counts: Vec<u64> = self.file.blocks.iter().map(|block| block.count).collect();
        let Self { batch_size, strings, seed, .. } = self;
        writeln!(f, "{:?}, blocks of {counts:?} rows, batches of {batch_size}", self.file.codec)?;
        writeln!(f, "{strings:?}, {seed:?}")?;
        write!(f, "first row: {:?}", self.rows.first())
    }
}

/// `percent` of `ARROWFEED_CASES`.
pub(crate) fn config(percent: u32) -> Config {
    Config { max_shrink_iters: 3000, ..random_config::config(percent) }
}

pub(crate) fn cases(kinds: Kinds) -> impl Strategy<Value = Case> {
    cases_with(kinds, proptest::sample::select(&CODECS[..]), 60)
}

pub(crate) fn cases_with(
    kinds: Kinds,
    codec: impl Strategy<Value = Codec>,
    most_rows: usize,
) -> impl Strategy<Value = Case> {
    let strings = [StringType::Utf8, StringType::LargeUtf8, StringType::Utf8View];
    let options = (codec, 1..40_usize, proptest::sample::select(strings.to_vec()));
    (schema_json(kinds), any::<u64>(), 0..=most_rows, options).prop_map(
        |(json, seed, rows, (codec, batch_size, strings))| {
            let schema = Schema::parse(&json);
            let rows = Rows::new(&schema, seed).rows(rows);
            let file = AvroFile::of_rows(&json, &schema, &rows, codec, seed);
            Case { schema, rows, file, batch_size, strings, seed: Seed(!seed) }
        },
    )
}

impl Case {
    /// The options of the format.
    pub(crate) fn options(&self) -> AvroOptions {
        AvroOptions { string_type: self.strings, ..AvroOptions::default() }
    }

    /// Options to read on one thread.
    pub(crate) fn reading(&self) -> ReadOptions {
        let (batch_size, threads) = (Some(self.batch_size), Some(NonZeroUsize::MIN));
        ReadOptions { batch_size, threads, ..ReadOptions::default() }
    }

    /// Reads the file with the options of the case.
    pub(crate) fn open(&self) -> Result<FileReader, FeedError> {
        self.open_source(self.source())
    }

    /// Reads the file with other options of the format.
    pub(crate) fn open_as(&self, options: AvroOptions) -> Result<FileReader, FeedError> {
        AvroFormat::read([self.source()], options, self.reading())
    }

    /// Reads the file with other options of reading.
    pub(crate) fn open_with(&self, reading: ReadOptions) -> Result<FileReader, FeedError> {
        AvroFormat::read([self.source()], self.options(), reading)
    }

    /// Reads another source with the options of the case.
    pub(crate) fn open_source(&self, source: impl Into<FileSource>) -> Result<FileReader, FeedError> {
        AvroFormat::read([source], self.options(), self.reading())
    }

    /// Files that are read with the options of the case.
    pub(crate) fn files(&self, source: FileSource) -> FileSet {
        AvroFormat::files([source], self.options(), None).unwrap()
    }

    /// Options to read ranges with those of the case.
    pub(crate) fn range_options(&self) -> RangeOptions {
        RangeOptions { batch_size: Some(self.batch_size), ..RangeOptions::default() }
    }

    pub(crate) fn source(&self) -> FileSource {
        FileSource::bytes(self.file.bytes())
    }

    pub(crate) fn mapping(&self) -> Mapping<'_> {
        Mapping::new(&self.schema, self.strings)
    }

    /// The rows as the oracle computes them.
    pub(crate) fn cells(&self) -> Vec<Vec<Value>> {
        let mapping = self.mapping();
        self.rows.iter().map(|row| mapping.cells(row)).collect()
    }

    /// Whether a column has a recursive type.
    pub(crate) fn is_recursive(&self) -> bool {
        self.schema.named.keys().any(|name| name.starts_with("t.Tree"))
    }
}

/// All batches, and the error after them.
pub(crate) fn read(reader: Result<FileReader, FeedError>) -> (Vec<RecordBatch>, Option<FeedError>) {
    let mut reader = match reader {
        Ok(reader) => reader,
        Err(error) => return (Vec::new(), Some(error)),
    };
    let mut batches = Vec::new();
    for batch in reader.by_ref() {
        match batch {
            Ok(batch) => batches.push(batch),
            Err(error) => {
                assert!(reader.next().is_none(), "an error is the last");
                return (batches, Some(error));
            }
        }
    }
    (batches, None)
}

/// All batches of a reader that must not fail.
pub(crate) fn read_all(reader: Result<FileReader, FeedError>) -> Vec<RecordBatch> {
    match read(reader) {
        (batches, None) => batches,
        (_, Some(error)) => panic!("{error}"),
    }
}

/// Checks the schema and the rows of a reader.
pub(crate) fn assert_reads(reader: Result<FileReader, FeedError>, fields: Vec<Field>, cells: &[Vec<Value>]) {
    let reader = reader.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(*reader.schema(), ArrowSchema::new(fields));
    assert_rows(&read_all(Ok(reader)), cells);
}

pub(crate) fn assert_rows(found: &[RecordBatch], cells: &[Vec<Value>]) {
    let found = batches::rows(found);
    for (row, (found, expected)) in found.iter().zip(cells).enumerate() {
        assert_eq!(found, expected, "row {row}");
    }
    assert_eq!(found.len(), cells.len());
}
