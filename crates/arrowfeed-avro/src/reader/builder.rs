//! Builder of an Avro reader.

use std::error::Error;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;

use arrowfeed_source::format::{Claim, FormatFile};
use arrowfeed_source::run::{
    BatchBoundaries, FileReader, Part, PartOptions, PartReader, READER_PREFETCH_BYTES, RangeOptions,
    ReadOptions, Split, Workers,
};
use arrowfeed_source::{FeedError, Interrupt, Limits, OnError, Report, Skipped, thread_count};

use super::AvroReader;
use super::format::{AvroFormat, OpenFiles};
use crate::options::{AvroOptions, Encoding, StringType, Unions};
use crate::{AvroSchema, AvroSource};

/// A single file smaller than this many bytes is decoded in the caller's thread, whatever `threads` allows: starting
/// threads would cost more.
const WORTH_THREADS: u64 = 1 << 20;

/// Builder of an [`AvroReader`]. Every option has the default of [`AvroOptions`] or of [`ReadOptions`].
#[derive(Default)]
pub struct AvroReaderBuilder {
    options: AvroOptions,
    reading: ReadOptions,
    claim: Option<Claim>,
}

impl std::fmt::Debug for AvroReaderBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AvroReaderBuilder")
            .field("options", &self.options)
            .field("reading", &self.reading)
            .finish_non_exhaustive()
    }
}

impl AvroReaderBuilder {
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
    pub fn with_encoding(mut self, encoding: Encoding) -> Self {
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

    /// Sets a function that claims each block of a split, in order, before the block is decompressed and decoded. It gets
    /// the offset right after the preceding sync marker. Returning false ends the reading there, so that an engine can give
    /// the rest of a running split to another worker. Returning an error ends it with an error of kind
    /// [`Interrupted`](arrowfeed_source::FeedErrorKind::Interrupted), whose [`source`](std::error::Error::source) is the
    /// returned one. Corrupt bytes are not claimed: they belong to the preceding block. At the start of the range, they are
    /// claimed like a block.
    ///
    /// Blocks are decoded in the caller's thread. Only [`open_split`](Self::open_split) and
    /// [`open_range`](Self::open_range) use the function. Default: every block is claimed.
    pub fn with_claim(
        mut self,
        claim: impl FnMut(u64) -> Result<bool, Box<dyn Error + Send + Sync>> + Send + 'static,
    ) -> Self {
        self.claim = Some(Box::new(claim));
        self
    }

    /// Reads one file.
    ///
    /// # Errors
    /// The file cannot be opened or is not an Avro file, or its schema and the options do not allow a plan.
    pub fn open(self, source: impl Into<AvroSource>) -> Result<AvroReader, FeedError> {
        self.open_all([source.into()])
    }

    /// Reads files in order. Their batches have the schema of the first file.
    ///
    /// # Errors
    /// As [`open`](Self::open), for the first file, or there is no file.
    pub fn open_all<S: Into<AvroSource>>(
        self,
        sources: impl IntoIterator<Item = S>,
    ) -> Result<AvroReader, FeedError> {
        let Self { options, reading, .. } = self;
        reading.check()?;
        let opened =
            AvroFormat::open_files(sources.into_iter().map(Into::into), options.checked()?, &reading)?;
        let (number, first) = &opened.first;
        let body = first.body();
        let small = opened.files.len() == 1 && body.end - body.start < WORTH_THREADS;
        let threads = if small { 1 } else { thread_count(reading.threads) };
        let parts = (*number..opened.files.len()).map(Part::whole);
        reader(opened, parts, Workers::Own(threads), reading)
    }

    /// Reads the blocks of one split of a file: those whose offset, right after the preceding sync marker, is in the split.
    ///
    /// # Errors
    /// As [`open`](Self::open), or the split starts after its end, or the file is not the one that the split was planned for,
    /// or it ends before the split starts ([`Changed`](arrowfeed_source::FeedErrorKind::Changed)).
    pub fn open_split(self, split: &Split) -> Result<AvroReader, FeedError> {
        let source = AvroSource::from(&split.path).with_identity(split.identity);
        self.open_range(source, split.start..split.end)
    }

    /// Like [`open_split`](Self::open_split), for a file that is not on disk. [`AvroSource::with_identity`] sets the
    /// expected identity of the file.
    ///
    /// # Errors
    /// As [`open_split`](Self::open_split), or the source is a stream.
    pub fn open_range(
        self,
        source: impl Into<AvroSource>,
        range: Range<u64>,
    ) -> Result<AvroReader, FeedError> {
        let Self { options, reading, claim } = self;
        reading.check()?;
        let opened = AvroFormat::open_files([source.into()], options.checked()?, &reading)?;
        let (_, first) = opened.first;
        let ReadOptions { batch_size, on_error, interrupt, .. } = reading;
        let range_options = RangeOptions { batch_size, on_error, interrupt, claim };
        Ok(AvroReader(Arc::new(opened.files).read_range(first, range, range_options)?))
    }
}

/// Reads parts of files; the first file is already open.
fn reader(
    OpenFiles { files, first, failed }: OpenFiles,
    parts: impl IntoIterator<Item = Part, IntoIter: Send + 'static>,
    workers: Workers,
    reading: ReadOptions,
) -> Result<AvroReader, FeedError> {
    let skipped = failed.iter().enumerate().map(|(file, error)| Skipped::file(files.name(file), error));
    let report = Report { skipped: skipped.collect(), ..Report::default() };
    let part_options = PartOptions {
        batch_size: reading.batch_size,
        boundaries: BatchBoundaries::PerPart,
        on_error: reading.on_error,
        workers,
        prefetch_bytes: READER_PREFETCH_BYTES,
        interrupt: reading.interrupt,
        claim: None,
    };
    let schema = files.schema().clone();
    let reader = PartReader::new(Arc::new(files), parts, part_options)?;
    let reader = reader.with_open(first.0, first.1).with_report(report);
    Ok(AvroReader(FileReader::new(schema, reader)))
}
