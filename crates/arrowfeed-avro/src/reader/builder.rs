//! Builder of an Avro reader.

use std::num::NonZeroUsize;

use arrowfeed_predicate::Predicate;
use arrowfeed_source::run::{FileReader, ReadOptions};
use arrowfeed_source::{FeedError, Interrupt, Limits, OnError};

use super::format::AvroFormat;
use crate::options::{AvroOptions, ColumnEncoding, StringType, Unions};
use crate::{AvroSchema, AvroSource};

/// A single file smaller than this many bytes is decoded in the caller's thread, whatever `threads` allows: starting
/// threads would cost more.
const WORTH_THREADS: u64 = 1 << 20;

/// Builder of a reader of Avro files. Every option has the default of [`AvroOptions`] or of [`ReadOptions`].
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/example.avro");
/// use arrowfeed_avro::AvroReaderBuilder;
/// let mut rows = 0;
/// for batch in AvroReaderBuilder::new().with_batch_size(1024).open(&path)? {
///     rows += batch?.num_rows();
/// }
/// assert_eq!(rows, 3);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct AvroReaderBuilder {
    options: AvroOptions,
    reading: ReadOptions,
}

impl AvroReaderBuilder {
    /// Creates a builder with the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets all options of the format at once.
    pub fn with_options(mut self, options: AvroOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets all options of reading at once, including the interrupt.
    pub fn with_read_options(mut self, options: ReadOptions) -> Self {
        self.reading = options;
        self
    }

    /// See [`AvroOptions::columns`].
    pub fn with_columns<S: Into<String>>(mut self, columns: impl IntoIterator<Item = S>) -> Self {
        self.options.columns = Some(columns.into_iter().map(Into::into).collect());
        self
    }

    /// See [`AvroOptions::reader_schema`].
    pub fn with_reader_schema(mut self, schema: AvroSchema) -> Self {
        self.options.reader_schema = Some(schema);
        self
    }

    /// See [`ReadOptions::batch_size`].
    pub fn with_batch_size(mut self, rows: usize) -> Self {
        self.reading.batch_size = Some(rows);
        self
    }

    /// See [`AvroOptions::max_batch_bytes`].
    pub fn with_max_batch_bytes(mut self, bytes: usize) -> Self {
        self.options.max_batch_bytes = Some(bytes);
        self
    }

    /// See [`AvroOptions::encoding`].
    pub fn with_encoding(mut self, encoding: ColumnEncoding) -> Self {
        self.options.encoding = encoding;
        self
    }

    /// See [`AvroOptions::string_type`].
    pub fn with_string_type(mut self, string_type: StringType) -> Self {
        self.options.string_type = string_type;
        self
    }

    /// See [`AvroOptions::unions`].
    pub fn with_unions(mut self, unions: Unions) -> Self {
        self.options.unions = unions;
        self
    }

    /// See [`ReadOptions::threads`].
    pub fn with_threads(mut self, threads: NonZeroUsize) -> Self {
        self.reading.threads = Some(threads);
        self
    }

    /// See [`ReadOptions::on_error`].
    pub fn with_on_error(mut self, on_error: OnError) -> Self {
        self.reading.on_error = on_error;
        self
    }

    /// See [`ReadOptions::filter`].
    pub fn with_filter(mut self, filter: Predicate) -> Self {
        self.reading.filter = Some(filter);
        self
    }

    /// See [`AvroOptions::fixed_lengths`].
    pub fn with_fixed_length(mut self, path: impl Into<String>, length: i32) -> Self {
        self.options.fixed_lengths.insert(path.into(), length);
        self
    }

    /// See [`AvroOptions::limits`].
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.options.limits = limits;
        self
    }

    /// Sets a function that is polled while files are opened, before each block, inside long blocks, and while the caller
    /// waits for a batch, on the thread that does this work. It is polled at least every 50 ms while the system delivers
    /// bytes. Returning true stops the reader with an error of kind
    /// [`Interrupted`](arrowfeed_source::FeedErrorKind::Interrupted). Default: never stopped.
    pub fn with_interrupt(mut self, interrupt: Interrupt) -> Self {
        self.reading.interrupt = Some(interrupt);
        self
    }

    /// Reads one file.
    ///
    /// # Errors
    /// The file cannot be opened or is not an Avro file, or its schema and the options do not allow a plan.
    pub fn open(self, source: impl Into<AvroSource>) -> Result<FileReader, FeedError> {
        self.open_all([source.into()])
    }

    /// Reads files in order. Their batches have the schema of the first file.
    ///
    /// # Errors
    /// As [`open`](Self::open), for the first file, or there is no file.
    pub fn open_all<S: Into<AvroSource>>(
        self,
        sources: impl IntoIterator<Item = S>,
    ) -> Result<FileReader, FeedError> {
        let Self { options, mut reading } = self;
        reading.check()?;
        let (mut files, opened, columns) =
            AvroFormat::open_files(sources.into_iter().map(Into::into), options.checked()?, &reading)?;
        if let Some(filter) = reading.filter.take() {
            files = files.filtered(filter)?;
            if let Some(columns) = columns {
                files = files.with_columns(&columns)?;
            }
        }
        let body = opened.file.body();
        if files.len() == 1 && body.end - body.start < WORTH_THREADS {
            reading.threads = Some(NonZeroUsize::MIN);
        }
        files.read_opened(opened, reading)
    }
}
